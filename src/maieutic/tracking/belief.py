"""What the tracker holds to be likely about a mind after each patient turn, as frozen distributions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from maieutic.tracking.evidence import Evidence, no_evidence
from maieutic.tracking.space import (
    BELIEFS,
    CONVICTION,
    EMOTIONS,
    MIDDLES,
    MOBILITY,
    RISKS,
    STAGES,
    Floats,
    Reply,
    Scale,
)

SLOTS: tuple[Reply, ...] = (Reply.THOUGHT, Reply.FEELING, Reply.BACKGROUND, Reply.HOPES)
"""What a patient may have disclosed, apart from facts."""


@dataclass(frozen=True, slots=True)
class Said:
    """A patient turn that may be of use later: the index of the exchange, its words, and how likely it is of the
    kind."""

    exchange: int
    text: str
    chance: float


@dataclass(frozen=True, slots=True)
class Belief:
    """The posterior over one mind, factored; every array is a distribution (its last axis sums to 1).

    Attributes:
        turn: Patient turns heard.
        category: (19,) the core belief behind the thought.
        emotion: (9,) the strongest feeling in the situation.
        conviction: (20,) where held conviction stands.
        gives_way: (3,) how readily it gives way.
        accurate: P(the thought is substantially true), 0–1.
        scales: For each scale (10,) openness, reactance, alliance, distress, each 0–1 in ten bins.
        disclosed: P(told), by slot: thought, feeling, background, hopes.
        voiced: (9,) number of facts against the thought that the patient has told.
        waiting: Expected number of those that have not been set against the thought.
        weighed: Expected number of those that have.
        stage: (4,) Padesky's stages.
        risk: (4,) none, hint, passive, active.
        thoughts: Turns that may have named the hot thought, likeliest first.
        facts: Turns that may have told a fact against it, in order.
        feelings: Emotion groups the patient has named, in order.
        guarded: Replies in a row that told little.
        strange: The words of the last turn are unlike what the tracker was fitted on.
        evidence: What has come up so far, from which conviction and risk are forecast.
    """

    turn: int
    category: Floats
    emotion: Floats
    conviction: Floats
    gives_way: Floats
    accurate: float
    scales: Mapping[Scale, Floats]
    disclosed: Mapping[Reply, float]
    voiced: Floats
    waiting: float
    weighed: float
    stage: Floats
    risk: Floats
    thoughts: tuple[Said, ...] = ()
    facts: tuple[Said, ...] = ()
    feelings: tuple[str, ...] = ()
    guarded: int = 0
    strange: bool = False
    evidence: Evidence = field(default_factory=no_evidence)

    def expected(self, scale: Scale) -> float:
        """Mean of a scale, 0–1."""
        return float(self.scales[scale] @ MIDDLES)

    @property
    def held(self) -> float:
        """Mean held conviction, 0–100."""
        return float(self.conviction @ CONVICTION)

    @property
    def mobility(self) -> float:
        """Mean share of a fully weighed fact that conviction gives way, 0–1."""
        return float(self.gives_way @ np.array(MOBILITY))

    def top(self, factor: str) -> tuple[str, float]:
        """The likeliest value of a named factor (category, emotion, stage, risk) and its probability."""
        names = {"category": BELIEFS, "emotion": EMOTIONS, "stage": STAGES, "risk": RISKS}[factor]
        weights: Floats = getattr(self, factor)
        best = int(np.argmax(weights))
        return names[best], float(weights[best])

    def as_trace(self) -> dict[str, object]:
        """A short, readable form for a turn's trace."""
        return {
            "turn": self.turn,
            "belief": list(self.top("category")),
            "emotion": list(self.top("emotion")),
            "conviction": round(self.held, 1),
            "gives way": round(self.mobility, 2),
            "may be accurate": round(self.accurate, 2),
            **{scale.value: round(self.expected(scale), 2) for scale in Scale},
            "told": {slot.value: round(chance, 2) for slot, chance in self.disclosed.items()},
            "facts told": round(float(self.voiced @ np.arange(len(self.voiced))), 1),
            "facts waiting": round(self.waiting, 1),
            "stage": list(self.top("stage")),
            "risk": list(self.top("risk")),
            "strange words": self.strange,
        }
