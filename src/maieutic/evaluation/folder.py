"""The run folder: manifest, journal, Parquet tables, scores and report; written whole or not at all."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import orjson

from maieutic.domain.episode import Episode, Turn
from maieutic.errors import InputError, ModelUnavailable, RunFolderError, StorageError, why
from maieutic.evaluation.plan import FORMAT
from maieutic.runs.files import write_whole


def write_json(path: Path, value: Any) -> None:
    """Write JSON with sorted keys, indented."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE | orjson.OPT_NON_STR_KEYS
    write_whole(path, orjson.dumps(value, option=options))


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
    path = folder / "manifest.json"
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
    if (folder / "manifest.json").exists():
        before = read_manifest(folder)
        if not resume:
            raise RunFolderError(f"{folder} already holds a run; go on with --resume {folder}, or choose another --out")
        now = orjson.loads(orjson.dumps(manifest, option=orjson.OPT_NON_STR_KEYS))
        if unequal := _changes(before, now):
            raise RunFolderError(
                f"{folder} holds a run with other settings: {'; '.join(unequal)}. Leave those options out to go on "
                "with it, or choose another --out"
            )
        return True
    if resume:
        raise RunFolderError(f"{folder} holds no run that could go on; leave --resume out to start one there")
    if folder.exists() and not folder.is_dir():
        raise RunFolderError(f"{folder} is a file; --out names a folder, so choose another")
    if folder.exists() and any(p for p in folder.iterdir() if p.name != ".lock"):
        raise RunFolderError(f"{folder} is not empty and holds no run; choose another --out")
    return False


def is_anything_said(folder: Path) -> bool:
    """Whether the journal of a run holds anything that could be gone on with."""
    return any(path.stat().st_size for path in (folder / "journal").glob("*.jsonl"))


def drop_begun(folder: Path) -> None:
    """Remove what a run wrote before its first reply, so that the same command can be given again."""
    begun = {*(folder / "journal").glob("*.jsonl"), folder / "journal", folder / "manifest.json", folder / ".lock"}
    if not folder.is_dir() or not begun.issuperset(folder.rglob("*")):
        return
    shutil.rmtree(folder, ignore_errors=True)


def prepare(folder: Path, manifest: Mapping[str, Any], *, resume: bool) -> None:
    """Make a new run folder, or check that an existing one holds the same run. Raises as `usable` does."""
    if not usable(folder, manifest, resume=resume):
        write_json(folder / "manifest.json", manifest)


REQUEST = "request"
"""Key of a manifest with the words of the command; equal runs may be asked for in other words."""
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
}
ANSWERED_AS = "answered_as"
"""Key of a manifest: by arm, the names of other models under which its server answered."""
_FOLLOWS = frozenset({REQUEST, "models", ANSWERED_AS})
"""What follows from something else in a manifest, or does not make a run another one."""


def _changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """What is not as it was, each in the words of the command line, once."""
    found: dict[str, str] = {}
    for key in sorted({*before, *now} - _FOLLOWS):
        was, is_now = before.get(key), now.get(key)
        if key == "seeds" and isinstance(was, dict) and isinstance(is_now, dict):  # an arm that is new has seeds too
            shared = was.keys() & is_now.keys()
            was, is_now = ({arm: each[arm] for arm in shared} for each in (was, is_now))
        if was != is_now:
            name = _OPTIONS.get(key, key)
            found.setdefault(name, f"{name} ({_difference(was, is_now)})")
    return list(found.values())


def _difference(was: Any, now: Any) -> str:
    """'20, now 8'; of two mappings or lists only what differs."""
    if isinstance(was, list) and isinstance(now, list):
        was, now = ({str(item): True for item in each} for each in (was, now))
    if not isinstance(was, dict) or not isinstance(now, dict):
        return f"{_brief(was)}, now {_brief(now)}"
    shown = [
        f"{key} is new"
        if key not in was
        else f"{key} is missing"
        if key not in now
        else f"{key}: {_difference(was[key], now[key])}"
        for key in sorted({*was, *now})
        if was.get(key) != now.get(key)
    ]
    return ", ".join(shown[:_SHOWN]) + (f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else "")


_SHOWN, _LONGEST = 3, 60


def _brief(value: Any) -> str:
    if value is None:
        return "none"
    text = str(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a run folder for this process. Raises `RunFolderError` when another process has it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle: TextIO = (folder / ".lock").open("w")
    except OSError as error:
        raise StorageError(f"cannot write in {folder}: {why(error)}") from error
    with handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise RunFolderError(f"{folder} is in use by another process") from error
        yield


@contextmanager
def taken_back(folder: Path) -> Iterator[None]:
    """Where bad input, or a key that a worker lacks, shows only after a new run folder was made, the folder goes
    again."""
    try:
        yield
    except (InputError, ModelUnavailable):
        if not any(path.stat().st_size for path in (folder / "journal").glob("*")):
            shutil.rmtree(folder)
        raise


def _json(value: Any) -> str | None:
    return (
        None if value is None else orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS | orjson.OPT_SORT_KEYS).decode()
    )


def write_tables(folder: Path, episodes: Sequence[Episode]) -> None:
    """episodes.parquet and turns.parquet, sorted by (therapist, case, seed, turn); no clock, host or path.

    turns.parquet has a column `original` where a turn was made plain.
    """
    ordered = sorted(episodes, key=lambda e: e.key)
    write_parquet(folder / "episodes.parquet", [_episode_row(e) for e in ordered], _EPISODE_SCHEMA)
    rows = [row for e in ordered for row in _turn_rows(e)]
    written = {"original": "String"} if any(row["original"] is not None for row in rows) else {}
    write_parquet(folder / "turns.parquet", rows, _TURN_SCHEMA | written)


_EPISODE_SCHEMA = {
    "therapist": "String",
    "case": "String",
    "seed": "Int64",
    "ending": "String",
    "reason": "String",
    "therapist_turns": "Int64",
    "held_start": "Float64",
    "held_end": "Float64",
    "calls": "Int64",
    "input_tokens": "Int64",
    "output_tokens": "Int64",
    "provenance": "String",
}
_TURN_SCHEMA = {
    "therapist": "String",
    "case": "String",
    "seed": "Int64",
    "turn": "Int64",
    "speaker": "String",
    "text": "String",
    "moves": "String",
    "act": "String",
    "held": "Float64",
    "stated": "Float64",
    "core": "Float64",
    "distress": "Float64",
    "openness": "Float64",
    "reactance": "Float64",
    "goal": "Float64",
    "task": "Float64",
    "bond": "Float64",
    "code": "String",
    "appraisal": "String",
    "state": "String",
    "trace": "String",
}
_STATE_COLUMNS = ("held", "stated", "core", "distress", "openness", "reactance", "goal", "task", "bond")


def _episode_row(episode: Episode) -> dict[str, Any]:
    usages = [t.usage for t in episode.session.turns if t.usage is not None]
    states = episode.states
    return {
        **episode.key._asdict(),
        "ending": episode.ending.kind,
        "reason": episode.ending.reason,
        "therapist_turns": len(episode.therapist_turns),
        "held_start": states[0].held if states else None,
        "held_end": states[-1].held if states else None,
        "calls": sum(u.calls for u in usages),
        "input_tokens": _total(u.input_tokens for u in usages),
        "output_tokens": _total(u.output_tokens for u in usages),
        "provenance": _json(episode.provenance),
    }


def _total(counts: Iterator[int | None]) -> int | None:
    known = list(counts)
    return None if not known or any(c is None for c in known) else sum(c for c in known if c is not None)


def _turn_rows(episode: Episode) -> Iterator[dict[str, Any]]:
    """One row an utterance; a state stands in the row of the patient turn that follows from it."""
    turns = episode.session.turns
    if not turns and episode.states:
        turns = (Turn("patient", ""),) * len(episode.states)
    spoken = therapist_turns = 0
    for index, turn in enumerate(turns):
        row: dict[str, Any] = {
            **episode.key._asdict(),
            "turn": index,
            "speaker": turn.speaker,
            "text": turn.text,
            "trace": _json(turn.trace),
            "original": turn.original,
        }
        if turn.speaker == "therapist":
            code, appraisal = _at(episode.codes, therapist_turns), _at(episode.appraisals, therapist_turns)
            row |= {"code": _json(code), "appraisal": _json(appraisal)}
            row["moves"] = None if code is None else "|".join(code.moves)
            therapist_turns += 1
        else:
            state = _at(episode.states, spoken)
            spoken += 1
            if state is not None:
                row |= {name: getattr(state, name) for name in _STATE_COLUMNS}
                row |= {"act": state.intent.act.value, "state": _json(state)}
        yield row


def _at(items: Sequence[Any], index: int) -> Any:
    return items[index] if index < len(items) else None


def write_parquet(path: Path, rows: Sequence[Mapping[str, Any]], schema: Mapping[str, str]) -> None:
    """Write rows as Parquet; column types are named in polars' words."""
    from io import BytesIO

    import polars as pl

    types = {name: getattr(pl, kind) for name, kind in schema.items()}
    frame = pl.DataFrame({name: [row.get(name) for row in rows] for name in schema}, schema=types)
    out = BytesIO()
    frame.write_parquet(out)
    write_whole(path, out.getvalue())
