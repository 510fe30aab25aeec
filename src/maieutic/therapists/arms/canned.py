"""How arms take their next line from a list: shuffled by the session's seed, in the order given, or fresh by chance."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from random import Random

from maieutic.domain.episode import Session, Turn


def next_line(session: Session, lines: Sequence[str]) -> Turn:
    """The next line, in an order drawn by the session's seed; all are used before one comes again."""
    order = list(lines)
    Session((), session.seed).generator("therapist").shuffle(order)
    return in_order(session, order)


def in_order(session: Session, lines: Sequence[str]) -> Turn:
    """The next line in the order given; after the last one it begins again."""
    return Turn("therapist", lines[len(session.by("therapist")) % len(lines)])


def fresh_line(lines: Sequence[str], said: Collection[str], rng: Random) -> str:
    """A line that has not been said, drawn at random; any of them when all have been."""
    return rng.choice([line for line in lines if line not in said] or list(lines))
