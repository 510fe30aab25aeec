"""The arms that say set lines whatever is answered, or ask Paul and Elder's six types in turn;
their lines stand in `set_lines.yaml`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from maieutic.domain.episode import Session, Turn
from maieutic.reading.yaml_text import packaged_yaml
from maieutic.registry import therapist
from maieutic.rivals.reflecting import reflection, safety_question


def _shuffled(session: Session, lines: Sequence[str]) -> Turn:
    """The next line, in an order drawn by the session's seed; all are used before one comes again."""
    order = list(lines)
    Session((), session.seed).generator("therapist").shuffle(order)
    return in_order(session, order)


def in_order(session: Session, lines: Sequence[str]) -> Turn:
    """The next line in the order given; after the last one it begins again."""
    return Turn("therapist", lines[len(session.by("therapist")) % len(lines)])


@cache
def _told() -> Mapping[str, Any]:
    told: Mapping[str, Any] = packaged_yaml("rivals", "set_lines.yaml")
    return told


def lines_of(arm: str) -> Sequence[str]:
    """What an arm has to say."""
    lines: Sequence[str] = _told()[arm]
    return lines


def banks_of(arm: str) -> Mapping[str, tuple[str, ...]]:
    """What an arm has to say by kind."""
    return {kind: tuple(lines) for kind, lines in _told()[arm].items()}


@dataclass(frozen=True, slots=True)
class SetLines:
    """Says the lines of an arm, one a turn."""

    name: str
    pick: Callable[[Session, Sequence[str]], Turn]

    async def respond(self, session: Session) -> Turn:
        """The next line."""
        return self.pick(session, lines_of(self.name))


for _name, _pick, _what in (
    ("advice", _shuffled, "Gives advice each turn, whatever was said; never asks, never reflects."),
    (
        "expressive",
        _shuffled,
        "Asks for expression each turn, as expressive writing does (Pennebaker's paradigm); never aims at a thought.",
    ),
    ("flattery", _shuffled, "Praises and agrees each turn; a therapist that pleases and conducts nothing."),
    ("lecture", _shuffled, "Explains and argues each turn; knows the theory, hears nobody."),
    ("reassurance", _shuffled, "Reassures each turn, whatever was said; kind, and empty of exploration."),
    ("why", _shuffled, "Asks why, again and again; a questioner who conducts nothing."),
    (
        "leaflet",
        in_order,
        "Reads a self-help leaflet page by page; the exercises are good questions that meet nobody in particular.",
    ),
    (
        "worksheet",
        in_order,
        "A thought record in fixed order (after Beck's columns, own wording); adapts to nothing.",
    ),
):
    _make = partial(SetLines, _name, _pick)
    _make.__doc__ = _what
    therapist(_name)(_make)


TYPES = banks_of("rotation")
"""The six types (Paul and Elder), four questions each, in own wording; they are asked in this order."""


@therapist("rotation")
@dataclass(frozen=True, slots=True)
class Rotation:
    """One question of each type in turn, whatever was answered.

    Within a type the first question comes first; the others follow in an order drawn by the session's seed.
    """

    name: str = "rotation"

    async def respond(self, session: Session) -> Turn:
        """A reflection of the last words and the next question of the rotation; the trace names its type."""
        safety = safety_question(session)
        if safety is not None:
            return Turn("therapist", safety, trace={"type": "safety"})
        lap, place = divmod(len(session.by("therapist")), len(TYPES))
        kind, bank = list(TYPES.items())[place]
        question = _order(session, bank)[lap % len(bank)]
        heard = reflection(session, session.generator("therapist"))
        return Turn("therapist", f"{heard} {question}", trace={"type": kind})


def _order(session: Session, bank: tuple[str, ...]) -> list[str]:
    rest = list(bank[1:])
    Session((), session.seed).generator("therapist").shuffle(rest)
    return [bank[0], *rest]
