"""What one patient turn says for and against each hypothesis: trained heads over the sentence encoder, plus a few sure
words.

Weights come from `recipes/fit_tracker.py` (card in `weights/TRACKER_CARD.md`): own-written utterances, lines that
strangers to all cases wrote, and sessions of the development cases. No test case was seen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

import numpy as np

from maieutic.domain.episode import Session
from maieutic.language.feelings import disclosed_feelings
from maieutic.language.sentences import in_another_language, words
from maieutic.protocols import Embedder
from maieutic.reading.bag import bag
from maieutic.reading.head import Head
from maieutic.reading.store import Store
from maieutic.safety.risk import RiskAssessment, detect
from maieutic.tracking.asked import Asked, meant
from maieutic.tracking.feelings import told_in
from maieutic.tracking.space import BELIEFS, EMOTIONS, REPLIES, RISKS, Floats, Reply
from maieutic.tracking.tables import UNTOLD, Tables
from maieutic.tracking.targets import WEIGHING, Target

_NUMBER = re.compile(r"\b(\d{1,3})\b")
_TENTHS = re.compile(r"\bout of (?:ten|10)\b", re.I)
TARGETS: tuple[Target, ...] = tuple(Target)
GRADED: Final = 5_000
"""Gradings of turns remembered: a session's turns are graded anew at each."""


@dataclass(frozen=True, slots=True)
class Observation:
    """The likelihoods of one patient turn, each up to a constant factor.

    Attributes:
        text: What was said.
        asked: What the therapist turn before it did; None for the opening.
        replies: (18,) P(kind of reply | words and question).
        category: (19,) log-likelihood of each core belief.
        emotion: (9,) log-likelihood of each strongest feeling by the words; what is named counts beside it, once.
        accurate: Log-odds that the thought is substantially true.
        rating: The conviction the patient states, 0–100; None where no number was asked for or given.
        named: Emotion groups the patient names of themselves.
        risk: (4,) likelihood of none, hint, passive, active.
        strange: The words are unlike what the heads were fitted on.
        readable: False for an empty turn or one not in English.
        missing: Why a model that was to listen gave no usable hearing; the filter then moves nothing but risk, which a
            model never reads. None for a turn that was heard.
    """

    text: str
    asked: Asked | None
    replies: Floats
    category: Floats
    emotion: Floats
    accurate: float
    rating: float | None
    named: tuple[str, ...]
    risk: Floats
    strange: bool = False
    readable: bool = True
    missing: str | None = None


@dataclass(frozen=True, slots=True)
class Danger:
    """How dangerous one turn looks.

    Attributes:
        grades: (4,) likelihood of none, hint, passive and active, summing to 1.
        some: P(any risk), 0–1, with risk as frequent as among the turns the heads were fitted on.
        active: P(active danger), 0–1, likewise: for the hand-over, which ends the work.
    """

    grades: Floats
    some: float
    active: float


class ObservationModel(Protocol):
    """Reads the last patient turn of a session, at once; a language model listens beside it (`model_ear.py`)."""

    def __call__(self, session: Session) -> Observation: ...

    def danger(self, text: str) -> Danger: ...


@dataclass(frozen=True, slots=True)
class EmbeddedEar:
    """The ear without a language model.

    Attributes:
        embed: The sentence encoder.
        tables: The fitted heads.
        detect: The risk detector.
    """

    embed: Embedder
    tables: Tables
    detect: Callable[[str], RiskAssessment] = detect
    _graded: Store[str, Danger] = field(default_factory=lambda: Store(GRADED), repr=False, compare=False)

    def __call__(self, session: Session) -> Observation:
        """What the last patient turn says. A session without one is an error of the caller."""
        turn = session.last("patient")
        assert turn is not None, "there is no patient turn to hear"
        before = session.last("therapist")
        question = meant(before) if before is not None else None
        return self.hear(turn.text, question, told_in(turn.text, question))

    def danger(self, text: str) -> Danger:
        """How dangerous one patient turn looks by itself."""
        found = self._graded.get(text)
        if found is None:
            found = self._grade(text)
            self._graded.put(text, found)
        return found

    def _grade(self, text: str) -> Danger:
        vector = self.embed([text])[0].astype(np.float64)
        seen = danger_features(vector, self.detect(text), self.tables.danger_first.log_probabilities(vector))
        chance = self.tables.danger_head(seen)
        alike = chance / self.tables.danger_shares
        return Danger(alike / alike.sum(), float(1.0 - chance[0]), float(chance[-1]))

    def hear(self, text: str, question: Asked | None, feelings: frozenset[str]) -> Observation:
        """What a reply to a question of this form says; `feelings` are the emotion groups it tells of."""
        nothing = Observation(
            text,
            question,
            np.full(len(REPLIES), 1.0 / len(REPLIES)),
            np.zeros(len(BELIEFS)),
            np.zeros(len(EMOTIONS)),
            0.0,
            None,
            (),
            np.ones(len(RISKS)),
            readable=False,
        )
        if not words(text) or in_another_language(text):
            return nothing
        vector = self.embed([text])[0].astype(np.float64)
        named = tuple(sorted(feelings))
        replies = replied(self.tables.reply_head, text, vector, question)
        return replace(
            nothing,
            replies=replies,
            category=self.tables.category(vector),
            emotion=self.tables.emotion(vector),
            accurate=self._accurate(text, vector, replies, question),
            rating=stated_number(text, question),
            named=named,
            risk=self.danger(text).grades,
            strange=self.tables.familiar.strange(vector),
            readable=True,
        )

    def _accurate(self, text: str, vector: Floats, replies: Floats, question: Asked | None) -> float:
        """What an answer makes of whether the thought is true; the opening makes nothing of it yet."""
        if question is None or question.target in UNTOLD:
            return 0.0
        row = np.concatenate([vector, bag(text, self.tables.accurate_head.places)])
        weighs = question.target in WEIGHING
        return self.tables.accurate(row, loosened=self.tables.loosened(replies), weighs=weighs)


def replied(head: Head, text: str, vector: Floats, question: Asked | None) -> Floats:
    """P(kind of reply | words and question), (18,), by a head for kinds of reply."""
    return np.asarray(np.exp(head.log_probabilities(reply_features(text, vector, question, head.places))))


def reply_features(text: str, vector: Floats, question: Asked | None, known: Mapping[str, int]) -> Floats:
    """The features of the head for kinds of reply: the vector, what was asked, a few counts, and which of the words and
    pairs that the head knows there are. (384 + 19 + 8 + len(known),)"""
    tokens = words(text)
    number = float(_NUMBER.search(text) is not None)
    counts = np.array(
        [
            min(1.0, len(tokens) / 40.0),
            float(len(tokens) < 9),
            number,
            float("?" in text),
            float(bool(disclosed_feelings(text))),
            float(any(t in ("i", "i'm", "i've", "i'd", "me", "my") for t in tokens)),
            float("you" in tokens),
            float("but" in tokens),
        ]
    )
    target = np.zeros(len(TARGETS))
    shape = np.zeros(5)
    if question is None:
        shape[4] = 1.0
    else:
        target[TARGETS.index(question.target)] = 1.0
        shape[:4] = (
            question.reflection == "words",
            question.reflection == "feeling",
            question.push == "mild",
            question.push == "strong",
        )
    return np.concatenate([vector, 0.6 * target, 0.6 * shape, 0.6 * counts, bag(text, known)])


def stated_number(text: str, question: Asked | None) -> float | None:
    """A conviction stated in answer to the question for one, 0–100."""
    if question is None or question.target is not Target.RATING:
        return None
    found = [float(n) for n in _NUMBER.findall(text) if float(n) <= 100.0]
    if not found:
        return None
    value = found[0]
    return value * 10.0 if _TENTHS.search(text) and value <= 10.0 else value


DANGERS = (
    "suicide",
    "self_harm",
    "harm_to_others",
    "abuse",
    "child_at_risk",
    "psychosis",
    "mania",
    "postpartum",
    "substance",
    "eating",
)


def danger_features(vector: Floats, seen: RiskAssessment, first: Floats) -> Floats:
    """What the heads that grade risk see of a turn: its meaning, and how the risk encoder sees it. (2·384 + 1 + 4 + 10
    + 3,)"""
    sure = [float(seen.by == "rules" and seen.grade == grade) for grade in RISKS]
    kind = [float(seen.kind == name) for name in DANGERS]
    chance = min(1.0 - 1e-3, max(1e-3, seen.probability))
    logit = [0.5 * np.log(chance / (1.0 - chance))]
    return np.concatenate([2.0 * vector, logit, sure, kind, 0.5 * first, 3.0 * seen.sense])


def expected(question: Asked | None, tables: Tables) -> Observation:
    """A patient turn that nobody heard: the kinds of reply that such a question usually gets, and nothing else."""
    target = question.target if question is not None else Target.NOTHING
    replies = tables.reply_share[TARGETS.index(target)]
    none = np.zeros(len(BELIEFS)), np.zeros(len(EMOTIONS))
    return Observation("", question, replies, *none, 0.0, None, (), np.ones(len(RISKS)))


def guarded(heard: Observation) -> bool:
    """The turn told little: held back, resisted or agreed without content."""
    little = (Reply.HOLDS_BACK, Reply.RESISTS, Reply.AGREES)
    return float(sum(heard.replies[REPLIES.index(kind)] for kind in little)) >= 0.5
