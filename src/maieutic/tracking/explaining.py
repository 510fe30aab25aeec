"""Which words moved which hypothesis: each clause of the last patient turn is left out in turn, and the difference
told.

Leaving words out is what shows how a head over a sentence vector reads them (occlusion, Zeiler & Fergus 2014). Made on
demand: it costs one hearing a clause, an encoder pass or, where a model listens, a call.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np

from maieutic.domain.episode import Session, Turn, Usage
from maieutic.tracking.belief import Belief
from maieutic.tracking.space import BELIEFS, EMOTIONS, Floats
from maieutic.tracking.tracker import MindTracker

_CLAUSE = re.compile(r"(?<=[.!?;:,])\s+")


@dataclass(frozen=True, slots=True)
class Moved:
    """One hypothesis that the last patient turn moved.

    Attributes:
        factor, hypothesis: What is held likely. before, after: Its probability around the turn, 0–1.
        words: The clause whose absence would have changed it most, or None where no single clause did.
    """

    factor: str
    hypothesis: str
    before: float
    after: float
    words: str | None

    def __str__(self) -> str:
        because = f', most by "{self.words}"' if self.words else ""
        return f"{self.factor} {self.hypothesis.replace('_', ' ')}: {self.before:.2f} → {self.after:.2f}{because}"


STRANGE: Final = "by words unlike those it was fitted on, so what it makes of them is untried"
"""What is said of a turn of strange words, before what the heads make of them."""


def left_out(session: Session) -> tuple[tuple[str, Session], ...]:
    """(clause, the session with this clause of the last turn left out); empty where the turn has one clause only."""
    text = session.turns[-1].text
    clauses = [clause for clause in _CLAUSE.split(text) if clause.strip()]
    if len(clauses) < 2:
        return ()
    return tuple(
        (clause, Session((*session.turns[:-1], Turn("patient", text.replace(clause, " ", 1).strip())), session.seed))
        for clause in clauses
    )


async def hear_left_out(session: Session, tracker: MindTracker) -> Usage:
    """Let a tracker with a model for its ear hear all that `explained` will fold; what it cost, nothing without one."""
    spent = Usage()
    if session.turns and session.turns[-1].speaker == "patient":
        for _, shorter in left_out(session):
            spent = spent + await tracker.hear(shorter)
    return spent


def explained(session: Session, tracker: MindTracker) -> tuple[Moved | str, ...]:
    """What the last patient turn moved most, with the words that did it, after `STRANGE` where its words are; empty
    where there is none."""
    if not session.turns or session.turns[-1].speaker != "patient":
        return ()
    before, after = tracker.belief(Session(session.turns[:-1], session.seed)), tracker.belief(session)
    shorter = left_out(session)
    clauses = [clause for clause, _ in shorter]
    without = [tracker.belief(rest) for _, rest in shorter]
    found: list[Moved | str] = [STRANGE] if after.strange else []
    for factor, names, of in (("belief", BELIEFS, _category), ("emotion", EMOTIONS, _emotion)):
        change = of(after) - of(before)
        for place in np.argsort(-np.abs(change))[:2]:
            left = [float(of(b)[place] - of(after)[place]) * -np.sign(change[place]) for b in without]
            words = clauses[int(np.argmax(left))] if left and max(left) > 0.0 else None
            found.append(Moved(factor, names[place], float(of(before)[place]), float(of(after)[place]), words))
    return tuple(found)


def _category(belief: Belief) -> Floats:
    return belief.category


def _emotion(belief: Belief) -> Floats:
    return belief.emotion
