"""Which fact of this life a therapist turn asks for: measured likeness, and a small trained head that weighs it.

The head sees how near the turn and its question lie to each fact's example questions, wordings and handles, how far the
nearest fact is ahead of the next, and how near general talk is. It was fitted on labelled turns of the development cases
(`recipes/fit_reach_head.py`, card in `weights/REACH_CARD.md`); it never saw a test case.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from maieutic.domain.case import Case, Situation
from maieutic.language.questions import questions
from maieutic.language.sentences import STOP_WORDS, content_words, sentences, words
from maieutic.patients.prototypes import GENERIC, WIDE
from maieutic.protocols import Embedder

Vectors = NDArray[np.float32]
Floats = NDArray[np.float64]

FEATURES = (
    "turn to asks, best", "question to asks, best", "turn to asks, mean", "turn to wordings, best", "turn to wordings, mean",
    "question to wordings, best", "turn to the fact", "turn to topics, best", "question to topics, best",
    "share of a handle named", "a whole handle named", "rare words shared", "rare words shared, share", "words shared, share",
    "sum ahead of the next", "asks ahead of the next", "wordings ahead of the next", "rare words ahead of the next", "sum",
    "question to general talk", "turn to general talk", "turn to wide questions", "turn to the patient's own lines",
    "length", "no or several questions", "leading", "only advice", "open", "small words, share", "commas",
)  # fmt: skip


def texts_to_index(case: Case, situation: Situation) -> list[str]:
    """All texts of a situation whose vectors are needed to read turns about it."""
    facts = [t for e in situation.evidence for t in (*e.asks, *e.said, e.fact, *e.topics)]
    return [*facts, *_lines(case, situation), *GENERIC, *WIDE]


def texts_of_turn(text: str) -> list[str]:
    """The texts of a turn whose vectors are needed: the whole of it, and its main question."""
    return [text, main_question(text)]


def main_question(text: str) -> str:
    """The last question that is not advice in disguise; the whole text where nothing is asked."""
    asked = questions(text)
    own = [q for q in asked if not q.advising] or list(asked)
    return own[-1].text if own else text


def _lines(case: Case, situation: Situation) -> list[str]:
    own, here = case.phrasings, situation.id
    return [
        *own.details[here], *own.thought[here], *own.feeling[here], *own.background, *own.opening[here], situation.happened
    ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact with the vectors of its wordings and the words it is made of."""

    name: str
    asks: Vectors
    said: Vectors
    fact: Vectors
    topics: Vectors
    handles: tuple[frozenset[str], ...]
    matter: frozenset[str]


@dataclass(frozen=True, slots=True)
class Index:
    """The facts of one situation, the patient's own lines, and general talk."""

    facts: tuple[Fact, ...]
    lines: Vectors
    generic: Vectors
    wide: Vectors
    commonness: Counter[str]

    @classmethod
    def of(cls, case: Case, situation: Situation, embed: Embedder) -> Index:
        """Encode a situation once."""
        facts = tuple(
            Fact(
                e.id,
                embed(list(e.asks)),
                embed(list(e.said)),
                embed([e.fact]),
                embed(list(e.topics)),
                tuple(h for h in map(handle, e.topics) if h),
                frozenset().union(*map(content_words, (e.fact, *e.said, *e.topics, *e.asks))),
            )
            for e in situation.evidence
        )
        common = Counter(word for fact in facts for word in fact.matter)
        return cls(facts, embed(_lines(case, situation)), embed(list(GENERIC)), embed(list(WIDE)), common)

    def features(self, text: str, embed: Embedder) -> Floats:
        """(facts, features) for one turn; see `FEATURES`."""
        turn, question = embed(texts_of_turn(text))
        asked = questions(text)
        own = [q for q in asked if not q.advising]
        named = content_words(text)
        rows = np.array([self._of_fact(fact, turn, question, named) for fact in self.facts])
        total = rows @ _SUM
        tokens = words(text)
        shared = [
            float((self.generic @ question).max()),
            float((self.generic @ turn).max()),
            float((self.wide @ turn).max()),
            float((self.lines @ turn).max()),
            len(tokens) / 30.0,
            float(len(own) != 1),
            float(any(q.leading for q in asked)),
            float(bool(asked) and not own),
            float(any(q.open for q in own)),
            sum(token in STOP_WORDS for token in tokens) / max(1, len(tokens)),
            text.count(",") / 5.0,
        ]
        ahead = [_ahead(column) for column in (total, rows[:, 0], rows[:, 3], rows[:, 11])]
        return np.column_stack([rows, *ahead, total, np.tile(shared, (len(rows), 1))])

    def _of_fact(self, fact: Fact, turn: Vectors, question: Vectors, named: frozenset[str]) -> list[float]:
        asks, said, topics = fact.asks @ turn, fact.said @ turn, fact.topics @ turn
        part = max((len(h & named) / len(h) for h in fact.handles), default=0.0)
        both = named & fact.matter
        rare = sum(1.0 / self.commonness[word] for word in both)
        count = max(1, len(named))
        return [
            float(asks.max()), float((fact.asks @ question).max()), float(asks.mean()), float(said.max()), float(said.mean()),
            float((fact.said @ question).max()), float((fact.fact @ turn)[0]), float(topics.max()),
            float((fact.topics @ question).max()), part, float(part == 1.0), rare, rare / count, len(both) / count,
        ]  # fmt: skip


_SUM = np.array([1.0, 0.5, 0.0, 1.0, 0.5, 0.0, 0.7, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])


def _ahead(column: Floats) -> Floats:
    """Each value less the best of the others."""
    if len(column) < 2:
        return column
    order = np.sort(column)
    best, second = order[-1], order[-2]
    ahead: Floats = np.where(column == best, column - second, column - best)
    return ahead


def handle(topic: str) -> frozenset[str]:
    """The content words of a topic: what a turn must name to name it."""
    return frozenset(word for word in content_words(topic) if word not in STOP_WORDS)


@dataclass(frozen=True, slots=True)
class Head:
    """A network of one hidden layer (tanh) on standardised features; probability that the turn asks for the fact."""

    centre: Floats
    spread: Floats
    hidden: Floats
    hidden_bias: Floats
    out: Floats
    out_bias: float
    threshold: float

    def __call__(self, features: Floats) -> Floats:
        """Probability for each fact, (facts, features) → (facts,)."""
        inside = np.tanh(((features - self.centre) / self.spread) @ self.hidden + self.hidden_bias)
        scores: Floats = 1.0 / (1.0 + np.exp(-(inside @ self.out + self.out_bias)))
        return scores


_FIRST = (
    "a", "and", "are", "can", "could", "did", "do", "does", "don't", "had", "has", "have", "how", "i", "if", "in", "is", "let",
    "let's", "may", "maybe", "might", "must", "of", "on", "perhaps", "shall", "should", "so", "suppose", "tell", "that", "the",
    "try", "was", "were", "what", "when", "where", "which", "who", "whose", "why", "will", "would", "you", "your",
)  # fmt: skip
_WITHIN = (
    "again", "ask", "better", "could", "did", "had", "happened", "help", "how", "instead", "let", "maybe", "might", "perhaps",
    "put", "tell", "try", "was", "were", "what", "when", "where", "which", "who", "whose", "would", "you should",
)  # fmt: skip


def telling_features(text: str, vector: Vectors) -> Floats:
    """What tells advice and statements from questions: the turn's vector, how its last sentence begins, and small words."""
    last = words(sentences(text)[-1] if sentences(text) else text)
    spaced = f" {' '.join(words(text))} "
    form = [float(bool(last) and last[0] == word) for word in _FIRST] + [float(f" {w} " in spaced) for w in _WITHIN]
    return np.concatenate([vector, form, [float("?" in text), len(last) / 20.0]]).astype(np.float64)


@dataclass(frozen=True, slots=True)
class Telling:
    """Logistic regression: probability that a turn advises or tells, whatever mark stands at its end."""

    weights: Floats
    bias: float
    threshold: float

    def __call__(self, text: str, vector: Vectors) -> float:
        return float(1.0 / (1.0 + np.exp(-(telling_features(text, vector) @ self.weights + self.bias))))


@lru_cache(maxsize=1)
def packaged_telling() -> Telling:
    """The one that the package carries."""
    stored = json.loads(files("maieutic.patients").joinpath("weights/reach_head.json").read_text(encoding="utf-8"))[
        "telling"
    ]
    return Telling(np.array(stored["weights"], dtype=np.float64), float(stored["bias"]), float(stored["threshold"]))


@lru_cache(maxsize=1)
def packaged_head() -> Head:
    """The head that the package carries."""
    stored = json.loads(files("maieutic.patients").joinpath("weights/reach_head.json").read_text(encoding="utf-8"))
    if tuple(stored["features"]) != FEATURES:
        raise ValueError("the reach head was fitted on other features; run recipes/fit_reach_head.py")
    arrays = {
        name: np.array(stored[name], dtype=np.float64) for name in ("centre", "spread", "hidden", "hidden_bias", "out")
    }
    return Head(
        arrays["centre"], arrays["spread"], arrays["hidden"], arrays["hidden_bias"], arrays["out"],
        float(stored["out_bias"]), float(stored["threshold"]),
    )  # fmt: skip
