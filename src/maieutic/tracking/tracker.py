"""The tracker: folds what was said into a belief over the patient's mind, turn by turn, and remembers every prefix."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from maieutic.domain.episode import Session, Usage
from maieutic.protocols import LanguageModel
from maieutic.reading.minilm import shared_minilm
from maieutic.reading.store import Store
from maieutic.registry import tracker
from maieutic.tracking.asked import meant
from maieutic.tracking.belief import Belief
from maieutic.tracking.ear import EmbeddedEar, Observation, ObservationModel, expected
from maieutic.tracking.filter import predicted, start, updated
from maieutic.tracking.model_ear import ModelEar
from maieutic.tracking.tables import Tables, packaged_tables

_Key = tuple[tuple[str, str | None], ...]
"""The words of each turn, and what its speaker noted as its target: a turn with the note may be taken otherwise."""
KEPT: Final = 500
"""Prefixes remembered; of what was heard, 40 exchanges for each."""


@dataclass(frozen=True, slots=True)
class MindTracker:
    """A Bayesian filter over the patient's mind that hears words only.

    Folding is a plain function of what was heard. Where a model listens, `hear` must be awaited before anything is
    folded; without one it does nothing.

    Attributes:
        ear: Reads a patient turn at once, and grades risk.
        tables: The fitted transition and observation tables.
        listens: False for the ablation: minds are moved on by what the therapist does and no patient turn is heard.
        model_ear: Listens in place of `ear`, which then only grades risk.
    """

    ear: ObservationModel
    tables: Tables
    name: str = "bayes"
    listens: bool = True
    model_ear: ModelEar | None = None
    _seen: Store[_Key, tuple[Belief, ...]] = field(default_factory=lambda: Store(KEPT), repr=False, compare=False)
    _ears: Store[_Key, Observation] = field(default_factory=lambda: Store(40 * KEPT), repr=False, compare=False)

    @classmethod
    def packaged(cls, *, listens: bool = True, model: LanguageModel | None = None) -> MindTracker:
        """The tracker with the packaged tables and encoder; given a model, the model listens."""
        tables = packaged_tables()
        ear = EmbeddedEar(shared_minilm(), tables)
        return cls(ear, tables, listens=listens, model_ear=ModelEar(model, ear, tables) if model else None)

    async def hear(self, session: Session) -> Usage:
        """Let the model listen to every patient turn that it has not heard; what that cost.

        A hearing that the model failed to give stays missing, so that the same words always give the same belief.
        """
        spent = Usage()
        if self.model_ear is None or not self.listens:
            return spent
        for place, turn in enumerate(session.turns):
            prefix = Session(session.turns[: place + 1], session.seed)
            if turn.speaker == "patient" and self._key(prefix) not in self._ears:
                heard, cost = await self.model_ear.listen(prefix)
                self._ears.put(self._key(prefix), heard)
                spent = spent + cost
        return spent

    def belief(self, session: Session) -> Belief:
        """The posterior after everything that was said; the same words give the same belief."""
        return self._folded(session)[-1]

    def history(self, session: Session) -> tuple[Belief, ...]:
        """The belief after each patient turn, in order."""
        folded = self._folded(session)
        return tuple(now for turn, now in zip(session.turns, folded[1:], strict=True) if turn.speaker == "patient")

    def _folded(self, session: Session) -> tuple[Belief, ...]:
        """The belief before the first turn and after each; goes on from the longest prefix that is remembered."""
        key = _noted(session)
        known = ((n, self._seen.get(key[:n])) for n in range(len(key), 0, -1))
        at, folded = next(((n, found) for n, found in known if found is not None), (0, (start(self.tables),)))
        for place in range(at, len(key)):
            folded = (*folded, self._step(folded[-1], Session(session.turns[: place + 1], session.seed)))
        self._seen.put(key, folded)
        return folded

    def _step(self, before: Belief, session: Session) -> Belief:
        last = session.turns[-1]
        if last.speaker == "therapist":
            return predicted(before, meant(last), self.tables)
        return updated(before, self.heard(session), self.tables)

    def heard(self, session: Session) -> Observation:
        """What the last turn, the patient's, says; for a tracker that does not listen, what usually comes back.

        Raises:
            LookupError: a model listens and was not awaited with `hear`.
        """
        known = self._ears.get(self._key(session))
        if known is None:
            if not self.listens:
                before = session.last("therapist")
                known = expected(meant(before) if before else None, self.tables)
            elif self.model_ear is None:
                known = self.ear(session)
            else:
                raise LookupError("a model listens here: await tracker.hear(session) before the session is folded")
            self._ears.put(self._key(session), known)
        return known

    def _key(self, session: Session) -> _Key:
        """What a hearing hangs on: the last exchange, for a model all that was said."""
        said = _noted(session)
        if self.model_ear is not None and self.listens:
            return said
        return said[-2:] if len(said) > 1 else (("", None), *said)


def _noted(session: Session) -> _Key:
    return tuple((turn.text, (turn.trace or {}).get("target")) for turn in session.turns)


@tracker("bayes")
def make_bayes() -> MindTracker:
    """The packaged tracker."""
    return MindTracker.packaged()
