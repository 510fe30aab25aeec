"""Which piece of general information a patient's words call for, read off its signs turn by turn."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from maieutic.domain.episode import Session
from maieutic.therapists.agent.bank import information_signs, load_information

LONGEST_SIGN = 300
"""Characters that a sign of lacking information may span, turns counted as one text."""


def information_for(session: Session) -> tuple[str | None, str]:
    """(topic, text) of the piece of general information that the patient's words call for, or (None, '')."""
    found: set[tuple[int, int]] = set()
    before = ""
    for turn in session.by("patient"):
        text = turn.text.lower()
        found |= _signs(before, text)
        before = f"{before} {text}"
        if len(before) > LONGEST_SIGN:  # cut between words, since a sign begins with one
            before = before[-LONGEST_SIGN:].partition(" ")[2]
    hits = Counter(piece for piece, _ in found)
    best: tuple[int, str | None, str] = (1, None, "")
    for number, piece in enumerate(load_information()):
        if hits[number] > best[0]:
            best = hits[number], piece["topic"], piece["text"]
    return best[1], best[2]


@lru_cache(maxsize=4_000)
def _signs(before: str, text: str) -> frozenset[tuple[int, int]]:
    """(piece, sign) of what shows in a turn, or across it and the words before; a session is read once, not every
    turn."""
    spoken = f"{before} {text}"
    return frozenset(
        (number, place)
        for number, signs in enumerate(information_signs())
        for place, sign in enumerate(signs)
        if sign.search(spoken)
    )
