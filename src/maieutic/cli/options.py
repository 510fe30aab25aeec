"""Options that several commands share: how transcripts are read, how models are set, and checks of the rest."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from maieutic.cli.screen import tell
from maieutic.errors import InputError

if TYPE_CHECKING:
    from maieutic.evaluation.plan import Settings
    from maieutic.protocols import LanguageModel
    from maieutic.runs.work import Shard, WorkersSpec

Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        help="KEY=NAME: the column that holds the session, speaker, text or group; or the speaker name of the "
        "therapist or client. Repeat for more.",
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(help="Encoding of texts, such as windows-1252 or utf-16. Default: UTF-8, else found out and told."),
]


def read_columns(pairs: list[str] | None, keys: Collection[str] = ()) -> dict[str, str]:
    """The pairs as a table; `keys` are those of transcripts where none are named. Raises `InputError` for another."""
    from maieutic.transcripts.layout import COLUMN_KEYS

    keys = keys or COLUMN_KEYS
    found = {}
    for pair in pairs or ():
        role, equals, name = pair.partition("=")
        if not equals or role not in keys or not name:
            raise InputError(f"--column expects KEY=NAME with KEY one of {', '.join(keys)}, got {pair!r}")
        found[role] = name
    return found


ResumeRun = Annotated[
    bool,
    typer.Option(
        "--resume",
        help="Go on with a run, given its folder and nothing else (default: the latest unfinished one in runs/).",
    ),
]
PatientKind = Annotated[
    str,
    typer.Option(
        help="Kind of patient: simulated, simulated+llm:MODEL, simulated+llm-or-embedded:MODEL or voiced:MODEL."
    ),
]

ARM = "for all arms that take it, or ARM=… for one; repeat for more."
Temperatures = Annotated[
    list[str] | None,
    typer.Option("--temperature", help=f"Temperature of a model's replies (0.7, or 0.5 with an adapter), {ARM}"),
]
TopPs = Annotated[
    list[str] | None, typer.Option("--top-p", help=f"Share of the likeliest words that are drawn from, {ARM}")
]
MostTokens = Annotated[list[str] | None, typer.Option("--max-tokens", help=f"Tokens of one reply at most, {ARM}")]
Systems = Annotated[list[str] | None, typer.Option("--system", help=f"File with the system prompt, {ARM}")]

RiskPolicies = Annotated[
    list[str] | None,
    typer.Option(
        "--risk-policy",
        help="Whom the Socratic agent asks about suicide: routine (everybody, once; the default) or indicated "
        f"(at signs), {ARM}",
    ),
]

OwnMeasures = Annotated[
    list[str] | None,
    typer.Option(
        "--measure",
        metavar="ID|FILE.py:NAME",
        help="A measure by its id, or one of your own, beside the usual ones; repeat for more, and name it again with "
        "--resume.",
    ),
]


def settings_of(
    temperature: Sequence[str] | None,
    top_p: Sequence[str] | None,
    max_tokens: Sequence[str] | None,
    system: Sequence[str] | None,
    risk_policy: Sequence[str] | None = None,
    *,
    before: Mapping[str, Settings] | None = None,
) -> dict[str, Settings]:
    """`VALUE` or `ARM=VALUE` of each option → settings by arm, '' for every arm; over those of an earlier command.

    Raises:
        InputError: a value that is no number, or out of range. UnreadableFile: no file with a system prompt.
    """
    from maieutic.evaluation.plan import EVERY, Settings
    from maieutic.evaluation.study import read_prompt

    found: dict[str, Settings] = dict(before or {})
    options: tuple[tuple[str, Sequence[str] | None, Callable[[str], Any]], ...] = (
        ("temperature", temperature, float),
        ("top_p", top_p, float),
        ("max_tokens", max_tokens, int),
        ("system", system, lambda text: read_prompt(Path(text))),
        ("risk_policy", risk_policy, str),
    )
    for option, texts, read in options:
        for text in texts or ():
            arm, _, value = text.rpartition("=")
            name = arm or EVERY
            found[name] = Settings(**{option: _value(option, value, read)}).over(found.get(name, Settings()))
    return found


def _value(option: str, text: str, read: Callable[[str], Any]) -> Any:
    try:
        return read(text)
    except ValueError as error:
        shown = f"--{option.replace('_', '-')}"
        raise InputError(f"{shown} expects a number, or ARM=number, got {text!r}") from error


def fresh_folder(kind: str) -> Path:
    """Where a run goes that names no folder: runs/, its kind and the time."""
    from datetime import datetime

    return Path("runs") / f"{kind}-{datetime.now().strftime('%Y-%m-%d-%H%M%S')}"


def check_split(split: str) -> None:
    """Raises `InputError` for a split that is neither dev nor test."""
    if split not in ("dev", "test"):
        raise InputError(f"--split {split!r} is neither dev nor test")


def check_both(judge: str | None, admitted: Path | None) -> tuple[str, Path] | None:
    """--judge and --admitted; None without either. Raises `InputError` where one is missing."""
    if judge is not None and admitted is not None:
        return judge, admitted
    if judge is not None or admitted is not None:
        raise InputError(
            "--judge and --admitted belong together; `maieutic validate judge` writes what --admitted takes"
        )
    return None


def checked_model(spec: str) -> LanguageModel:
    """A model that can be asked, as far as can be told without asking. Raises what is wrong with it."""
    from maieutic.registry import load_model

    model = load_model(spec)
    if hasattr(model, "check"):
        model.check()
    return model


def needs(extra: str, *modules: str) -> None:
    """Raises `InputError` where modules of an optional part are not installed."""
    missing = [name for name in modules if find_spec(name) is None]
    if missing:
        raise InputError(f"{', '.join(missing)} is not installed: pip install 'maieutic[{extra}]'")


Workers = Annotated[
    str | None,
    typer.Option(
        "--workers",
        metavar="N|ray|ray://HOST:PORT",
        help="Spread the work: N processes on this machine, ray for the cluster it belongs to, or the address of one.",
    ),
]
ShardOption = Annotated[
    str | None,
    typer.Option(
        "--shard", metavar="I/N", help="Only part I of N; `maieutic merge` puts the N folders together again."
    ),
]


def tell_line(text: str) -> None:
    """A line about the workers, whole."""
    tell(text, whole=True)


def read_workers(text: str | None) -> WorkersSpec | None:
    """The option as a spec. Raises `InputError`."""
    from maieutic.runs.work import WorkersSpec

    return None if text is None else WorkersSpec.read(text)


def read_shard(text: str | None) -> Shard | None:
    """The option as a shard. Raises `InputError`."""
    from maieutic.runs.work import Shard

    return None if text is None else Shard.read(text)
