"""The folder of a run: who made it and with what, one process at a time, refused or gone on with."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from itertools import count, takewhile
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import orjson

from maieutic.errors import InputError, ModelUnavailable, RunFolderError, StorageError, why
from maieutic.runs.files import hold, write_json

if TYPE_CHECKING:
    from maieutic.stats import Interval

FORMAT = 1
MANIFEST = "manifest.json"
_NOBODYS = frozenset({".lock", ".DS_Store"})
REQUEST = "request"
"""Key of a manifest with the words of the command; equal runs may be asked for in other words."""


class RunFolder:
    """The folder of one run: looked at when it is named, made and held for this process in its `with`.

    A new one in which nothing was said goes again where bad input, or a key that a worker lacks, shows only later.

    Attributes:
        path: Where it lies.
        manifest: Everything that makes the run what it is.
        goes_on: Whether the run was begun before.
    """

    def __init__(self, path: Path, manifest: Mapping[str, Any], *, resume: bool) -> None:
        """Writes nothing.

        Raises:
            RunFolderError: the folder holds something else, holds a run without --resume or none with it, or a run with
                another manifest.
        """
        self.path, self.manifest = path, manifest
        self.goes_on = usable(path, manifest, resume=resume)
        self._held = ExitStack()

    def __enter__(self) -> Self:
        """Raises `RunFolderError` where another process has the folder, `StorageError`."""
        with ExitStack() as held:
            held.enter_context(locked(self.path))
            if not usable(self.path, self.manifest, resume=self.goes_on):
                write_json(self.path / MANIFEST, self.manifest)
            self._held = held.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, InputError | ModelUnavailable) and not self.goes_on:
            drop_begun(self.path)
        self._held.close()


def row_of_scores(
    measure: str, group: str, found: Interval, *, n: int | None = None, missing: int = 0
) -> dict[str, Any]:
    """A row of scores.json, which every run folder has and a gate reads; `n` where it is not what the interval
    counts."""
    return {
        "measure": measure,
        "group": group,
        "value": found.estimate,
        "low": found.low,
        "high": found.high,
        "n": found.n if n is None else n,
        "missing": missing,
    }


def stored_words(folder: Path, kind: str) -> dict[str, Any]:
    """What the command of this kind was asked for. Raises `RunFolderError` where a folder holds no run of it or does
    not say."""
    manifest = read_manifest(folder)
    words = manifest.get(REQUEST)
    if manifest.get("kind") != kind or not isinstance(words, dict):
        raise RunFolderError(
            f"{folder} does not say what `maieutic {kind}` was asked for; start a new run in another --out"
        )
    return words


def latest_run(kind: str, *, finished: bool = False) -> Path:
    """The newest run of a kind in runs/ that was stopped before its report; `finished` takes those with a report, too.

    Raises:
        InputError: there is none.
    """
    newest = sorted((one.parent for one in Path("runs").glob("*/manifest.json")), key=lambda one: -one.stat().st_mtime)
    for one in newest:
        if (finished or not (one / "report.html").exists()) and read_manifest(one).get("kind") == kind:
            return one
    what = "run" if finished else "unfinished run"
    raise InputError(f"--resume found no {what} of maieutic {kind} in runs/; name its folder: --resume FOLDER")


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a run folder. Raises `RunFolderError` when there is none or its format is newer."""
    path = folder / MANIFEST
    try:
        manifest: dict[str, Any] = orjson.loads(path.read_bytes())
    except FileNotFoundError as error:
        raise RunFolderError(
            f"{folder} is no run folder: it has no manifest.json; name a folder that a run wrote"
        ) from error
    except (orjson.JSONDecodeError, OSError) as error:
        raise RunFolderError(f"{path} cannot be read: {error}") from error
    if not isinstance(manifest, dict):
        raise RunFolderError(f"{path} cannot be read: it holds no JSON object")
    found = manifest.get("format")
    if not isinstance(found, int):
        raise RunFolderError(f"{folder} is no run folder: its manifest.json is of another program and names no format")
    if found > FORMAT:
        raise RunFolderError(
            f"{folder} has format {found!r}; this version reads formats up to {FORMAT}. Update maieutic to read it"
        )
    return manifest


def usable(folder: Path, manifest: Mapping[str, Any], *, resume: bool) -> bool:
    """Whether a folder holds this run already (True) or can take it (False); writes nothing.

    Raises:
        RunFolderError: the folder holds something else, holds a run without --resume or none with it, or a run with
            another manifest.
    """
    if (folder / MANIFEST).exists():
        before = read_manifest(folder)
        if not resume:
            raise RunFolderError(f"{folder} already holds a run; go on with --resume {folder}, or choose another --out")
        refuse_changed(folder, before, manifest)
        return True
    if resume:
        raise RunFolderError(f"{folder} holds no run that could go on; leave --resume out to start one there")
    refuse_filled(folder, kind=str(manifest.get("kind", "run")))
    return False


def refuse_filled(folder: Path, *, kind: str, own: Collection[str] = ()) -> None:
    """Raises `RunFolderError` for a file, and for a folder with anything but `own` in it: a new run writes nothing
    among other things. `kind`: of the run, for the name of a folder that is proposed."""
    refuse_file(folder)
    if folder.is_dir() and any(one.name not in {*own, *_NOBODYS} for one in folder.iterdir()):
        raise RunFolderError(
            f"{folder} is not empty and holds no run, so nothing is written among what is there; choose another --out, "
            f"such as {folder / kind}"
        )


def refuse_file(folder: Path) -> None:
    """Raises `RunFolderError` for a file."""
    if folder.exists() and not folder.is_dir():
        raise RunFolderError(f"{folder} is a file; --out names a folder, so choose another")


LEAVE_OUT = "Leave those options out to go on with it"


def refuse_changed(
    folder: Path, before: Mapping[str, Any], manifest: Mapping[str, Any], *, advice: str = LEAVE_OUT
) -> None:
    """Raises `RunFolderError`, with what to do, where the run that a folder holds was begun with another manifest."""
    now = orjson.loads(orjson.dumps(manifest, option=orjson.OPT_NON_STR_KEYS))
    if unequal := changes(before, now):
        raise RunFolderError(
            f"{folder} holds a run with other settings: {'; '.join(unequal)}. {advice}, or choose another --out"
        )


def free_folder(first: Path) -> Path:
    """The first of 'score', 'score-2', 'score-3' … that holds no run."""
    first = first if first.name else first.resolve()
    numbered = (first if number == 1 else first.with_name(f"{first.name}-{number}") for number in count(1))
    return next(folder for folder in numbered if not (folder / MANIFEST).exists())


def is_anything_said(folder: Path) -> bool:
    """Whether any journal of a run, wherever in its folder, holds something that could be gone on with."""
    return any(path.stat().st_size for path in folder.rglob("*.jsonl"))


def drop_begun(folder: Path) -> None:
    """Remove a run in which nothing was said, so that the same command can be given again; a folder with anything but
    what its begin and the desk of a computer put there stays."""
    begun = {*folder.rglob("*.jsonl"), *(folder / name for name in ("journal", MANIFEST, *_NOBODYS))}
    if not is_anything_said(folder) and begun.issuperset(folder.rglob("*")):
        shutil.rmtree(folder, ignore_errors=True)


_OPTIONS = {
    "therapists": "--therapist",
    "arms": "--therapist",
    "seeds": "--seeds",
    "cases": "--cases",
    "turns": "--turns",
    "limit": "--limit",
    "shard": "--shard",
    "run_seed": "--seed",
    "patient": "--patient",
    "families": "--family",
    "extent": "--full, --quick, --split or --seed",
    "items": "the packaged items",
    "versions": "installed packages",
    "prompts": "packaged prompts",
    "python": "Python",
    "maieutic": "maieutic",
    "codes": "--codes",
    "columns": "--column",
    "sessions": "--session",
    "asked": "--measure",
    "redact": "redaction (--no-redact)",
    **{
        name: f"--{name.replace('_', '-')}"
        for name in ("keep_text", "accurate", "alliance", "encoding", "all_measures")
    },
}
_NESTED = "options"
"""Key of a plan under which options stand, each told by its own name."""
ANSWERED_AS = "answered_as"
"""Key of a manifest: by arm, the names of other models under which its server answered."""
_FOLLOWS = frozenset({REQUEST, "models", ANSWERED_AS})
"""What follows from something else in a manifest, or does not make a run another one."""


def changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """What is not as it was, each in the words of the command line, once."""
    before, now = ({**each, **each.get(_NESTED, {})} for each in (before, now))
    found: dict[str, str] = {}
    for key in sorted({*before, *now} - _FOLLOWS - {_NESTED}):
        was, is_now = before.get(key), now.get(key)
        if key == "seeds" and isinstance(was, dict) and isinstance(is_now, dict):  # an arm that is new has seeds too
            shared = was.keys() & is_now.keys()
            was, is_now = ({arm: each[arm] for arm in shared} for each in (was, is_now))
        if was != is_now:
            name = _OPTIONS.get(key, key)
            told = "has changed" if _is_hash(was) and _is_hash(is_now) else _difference(was, is_now)
            found.setdefault(name, f"{name} ({told})")
    return list(found.values())


def _difference(was: Any, now: Any) -> str:
    """'20, now 8'; of two mappings or lists only what differs."""
    if isinstance(was, list) and isinstance(now, list):
        if Counter(map(str, was)) == Counter(map(str, now)):
            return "in another order"
        was, now = (_numbered(each) for each in (was, now))
    was, now = ({} if one is None and isinstance(other, dict) else one for one, other in ((was, now), (now, was)))
    if not isinstance(was, dict) or not isinstance(now, dict):
        return "{}, now {}".format(*_brief(was, now))
    shown = [
        f"{key} is new"
        if key not in was
        else f"{key} is missing"
        if key not in now
        else f"{key} has changed"
        if _is_hash(was[key]) and _is_hash(now[key])
        else f"{key}: {_difference(was[key], now[key])}"
        for key in sorted({*was, *now})
        if was.get(key) != now.get(key)
    ]
    return ", ".join(shown[:_SHOWN]) + (f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else "")


_SHOWN, _LONGEST, _LEAD = 3, 60, 20
"""Differences told of one setting; characters of a value; characters before the first that differs."""
_HASH = frozenset("0123456789abcdef")


def _is_hash(value: Any) -> bool:
    return isinstance(value, str) and len(value) == 64 and _HASH.issuperset(value)


def _numbered(items: list[Any]) -> dict[str, bool]:
    """Each item once: 'a', and 'a again' where it stands there twice."""
    seen: Counter[str] = Counter()
    found = {}
    for item in map(str, items):
        found[item + " again" * seen[item]] = True
        seen[item] += 1
    return found


def _brief(was: Any, now: Any) -> tuple[str, str]:
    """Two values in few words; of long ones the stretch in which they part."""
    words = {None: "none", True: "on", False: "off"}
    first, second = (words[one] if one is None or isinstance(one, bool) else str(one) for one in (was, now))
    parts_at = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))
    begin = 0 if parts_at < _LONGEST - _LEAD else parts_at - _LEAD
    return _stretch(first, begin), _stretch(second, begin)


def _stretch(text: str, begin: int) -> str:
    shown = f"…{text[begin:]}" if begin else text
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a run folder for the block. Raises `RunFolderError` when it is held already, `StorageError`."""
    with ExitStack() as held:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            hold(held.enter_context((folder / ".lock").open("w")), folder)
        except OSError as error:
            raise StorageError(f"cannot write in {folder}: {why(error)}") from error
        yield
