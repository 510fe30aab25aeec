"""The settings of models as options: for every arm that takes them, or for one by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from maieutic.evaluation.arms import Settings

ARM = "for all arms that take it, or ARM=… for one; repeat for more."
Temperatures = Annotated[
    list[str] | None, typer.Option("--temperature", help=f"Temperature of a model's replies, {ARM}")
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
        metavar="FILE.py:NAME",
        help="A measure of your own beside the packaged ones; repeat for more, and name it again with --resume.",
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
    from maieutic.evaluation.arms import EVERY, Settings
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
    from maieutic.errors import InputError

    try:
        return read(text)
    except ValueError as error:
        shown = f"--{option.replace('_', '-')}"
        raise InputError(f"{shown} expects a number, or ARM=number, got {text!r}") from error
