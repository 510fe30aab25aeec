"""For arms that answer from a fixed list whatever was said: the next line, in an order drawn by the session's seed."""

from __future__ import annotations

from collections.abc import Sequence

from maieutic.domain.episode import Session, Turn


def next_line(session: Session, lines: Sequence[str]) -> Turn:
    """The next line; all are used before one comes again."""
    order = list(lines)
    Session((), session.seed).generator("therapist").shuffle(order)
    return Turn("therapist", order[len(session.by("therapist")) % len(order)])
