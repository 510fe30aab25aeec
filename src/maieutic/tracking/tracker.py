"""The tracker: folds what was said into a belief over the patient's mind, turn by turn, and remembers every prefix."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field

import numpy as np

from maieutic.domain.episode import Session
from maieutic.models.embedding import MiniLM
from maieutic.registry import tracker
from maieutic.tracking.asked import Asked, Target, meant
from maieutic.tracking.belief import Belief
from maieutic.tracking.ear import TARGETS, Ear, EmbeddedEar, Heard
from maieutic.tracking.filter import predicted, start, updated
from maieutic.tracking.space import BELIEFS, EMOTIONS, RISKS
from maieutic.tracking.tables import Tables, packaged_tables

_Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MindTracker:
    """A Bayesian filter over the patient's mind that hears words only.

    Attributes:
        ear: Reads a patient turn.
        tables: The fitted transition and observation tables.
        listens: False for the ablation: minds are moved on by what the therapist does and no patient turn is heard.
        kept: Prefixes remembered, the longest unused forgotten first.
    """

    ear: Ear
    tables: Tables
    name: str = "bayes"
    listens: bool = True
    kept: int = 500
    _seen: OrderedDict[_Key, tuple[Belief, ...]] = field(default_factory=OrderedDict, repr=False, compare=False)
    _ears: OrderedDict[_Key, Heard] = field(default_factory=OrderedDict, repr=False, compare=False)

    @classmethod
    def packaged(cls, *, listens: bool = True) -> MindTracker:
        """The tracker with the packaged tables and encoder."""
        return cls(EmbeddedEar(_encoder(), packaged_tables()), packaged_tables(), listens=listens)

    def belief(self, session: Session) -> Belief:
        """The posterior after everything that was said; the same words give the same belief."""
        return self._folded(session)[-1]

    def history(self, session: Session) -> tuple[Belief, ...]:
        """The belief after each patient turn, in order."""
        folded = self._folded(session)
        return tuple(now for turn, now in zip(session.turns, folded[1:], strict=True) if turn.speaker == "patient")

    def _folded(self, session: Session) -> tuple[Belief, ...]:
        """The belief before the first turn and after each; goes on from the longest prefix that is remembered."""
        key = tuple(turn.text for turn in session.turns)
        at = next((n for n in range(len(key), 0, -1) if key[:n] in self._seen), 0)
        folded = self._seen[key[:at]] if at else (start(self.tables),)
        for place in range(at, len(key)):
            folded = (*folded, self._step(folded[-1], Session(session.turns[: place + 1], session.seed)))
        self._seen[key] = folded
        self._seen.move_to_end(key)
        while len(self._seen) > self.kept:
            self._seen.popitem(last=False)
        return folded

    def _step(self, before: Belief, session: Session) -> Belief:
        last = session.turns[-1]
        if last.speaker == "therapist":
            return predicted(before, meant(last), self.tables)
        return updated(before, self.heard(session), self.tables)

    def heard(self, session: Session) -> Heard:
        """What the last patient turn says; for a tracker that does not listen, what usually comes back."""
        before = session.turns[-2] if len(session) > 1 else None
        key = (before.text if before is not None else "", session.turns[-1].text)
        known = self._ears.get(key)
        if known is None:
            known = self.ear(session) if self.listens else expected(meant(before) if before else None, self.tables)
            self._ears[key] = known
            while len(self._ears) > 40 * self.kept:
                self._ears.popitem(last=False)
        return known


def expected(question: Asked | None, tables: Tables) -> Heard:
    """A patient turn that nobody heard: the kinds of reply that such a question usually gets, and nothing else."""
    target = question.target if question is not None else Target.NOTHING
    replies = tables.reply_share[TARGETS.index(target)]
    none = np.zeros(len(BELIEFS)), np.zeros(len(EMOTIONS))
    return Heard("", question, replies, *none, 0.0, None, (), np.ones(len(RISKS)))


_shared: list[MiniLM] = []


def _encoder() -> MiniLM:
    if not _shared:
        _shared.append(MiniLM(cached_texts=20_000))
    return _shared[0]


@tracker("bayes")
def make_bayes() -> MindTracker:
    """The packaged tracker."""
    return MindTracker.packaged()
