"""Which fact a turn asks for: all facts of the situation weighed against each other and against *none of them*; and
which it comes near: lying next to what is asked for, or next to what was just told.

The fact is compared with the turn sentence by sentence and word by word, since a question circles one clause of it with
the patient's own details. Fitted by `recipes/fit_reach.py`; what it sees of the facts was not learned on any case.

A fact comes up because the talk came near it, not only because somebody asked for it by name: two logistic curves over
what the ranker found, fitted by `recipes/fit_hearing.py` on own-written turns of which somebody said what each asks for
or comes near.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maieutic.domain.appraisal import QuestionForm
from maieutic.domain.case import Case, Situation
from maieutic.language.sentences import STOP_WORDS, content_words, sentences
from maieutic.patients.ear import Heard
from maieutic.patients.hearing.asked import FORMS
from maieutic.patients.hearing.items import Item
from maieutic.patients.hearing.ranker import FEATURES, Index, ahead
from maieutic.reading.encoder import tokenizer
from maieutic.reading.head import Floats
from maieutic.reading.minilm import DIMENSIONS, MAX_TOKENS, MiniLM, kept_vectors

Vectors = NDArray[np.float32]

_STEADY: Final = ("fact", "form unknown", "here", "form declared")
TAKEN: Final = tuple(
    at for at, name in enumerate(FEATURES) if not (name.startswith("learned") or "ahead" in name or name in _STEADY)
)
"""What is taken over of the ranker's features of a fact: nothing that was learned on turns of cases."""
_BESIDE_UNITS: Final = (0, 3, 4, 13)
"""Features of the ranker in which a fact is set against the likest unit."""
_MOST: Final = (2, 4, 5, 13, 14, 15)
"""Features of the ranker whose greatest value says how near any fact is at all."""


@dataclass(frozen=True, slots=True)
class Words:
    """The words of matter of a text and their vectors in its company, (words, 384)."""

    texts: tuple[str, ...]
    vectors: Vectors

    @classmethod
    def of(cls, text: str, embed: MiniLM) -> Words:
        """Those of a text just said."""
        pieces, vectors = embed.words(text)
        kept = _of_matter(pieces)
        return cls(tuple(pieces[at].lower() for at in kept), vectors[kept])

    def met_in(self, other: Words) -> Floats:
        """The greatest likeness of each word to one of another text (late interaction: Khattab and Zaharia 2020)."""
        if not len(other.texts):
            return np.zeros(len(self.texts))
        return np.asarray((self.vectors @ other.vectors.T).max(axis=1), dtype=np.float64)


def _of_matter(pieces: Sequence[str]) -> list[int]:
    return [
        at
        for at, piece in enumerate(map(str.lower, pieces))
        if piece.isalpha() and len(piece) > 2 and piece not in STOP_WORDS
    ]


def kept_words(groups: Sequence[Sequence[str]], embed: MiniLM) -> list[Words]:
    """The words of texts that never change, those of each group one after the other; vectors are kept on disk."""
    places: list[tuple[int, str, str]] = []
    for at, group in enumerate(groups):
        for text in group:
            marks = tokenizer(MAX_TOKENS).encode(text).offsets
            pieces = [text[start:end] for start, end in marks if end > start]
            places += [(at, pieces[place].lower(), f"{place}\0{text}") for place in _of_matter(pieces)]

    def make(names: Sequence[str]) -> Vectors:
        found = []
        for name in names:
            place, text = name.split("\0", 1)
            found.append(embed.words(text)[1][int(place)])
        return np.array(found, dtype=np.float32).reshape(len(names), DIMENSIONS)

    vectors = kept_vectors(f"{embed.name} words of texts", [name for *_, name in places], make)
    own: list[list[int]] = [[] for _ in groups]
    for n, (at, *_) in enumerate(places):
        own[at].append(n)
    return [Words(tuple(places[n][1] for n in some), vectors[some]) for some in own]


class Facts:
    """The facts of one situation, ready to be compared with a turn word by word.

    Attributes:
        places: Where each fact stands among the items.
        others: Where all else stands.
    """

    def __init__(self, items: Sequence[Item], life: frozenset[str], embed: MiniLM) -> None:
        self.items, self.life, self.embed = tuple(items), life, embed
        self.places = [at for at, item in enumerate(items) if item.fact]
        self.others = [at for at, item in enumerate(items) if not item.fact]
        facts = [items[at] for at in self.places]
        told = [[part for said in fact.said for part in sentences(said)] for fact in facts]
        every = kept_vectors(embed.name, [part for parts in told for part in parts], embed)
        self.sentences = np.split(every, np.cumsum([len(parts) for parts in told])[:-1])
        asks = [(ask,) for fact in facts for ask in fact.asks]
        self.said = (words := kept_words([*(fact.said for fact in facts), *asks], embed))[: len(facts)]
        by_ask = iter(words[len(facts) :])
        self.asks = [[next(by_ask) for _ in fact.asks] for fact in facts]
        self.common = Counter(word for said in self.said for word in set(said.texts))

    @classmethod
    def of(cls, case: Case, situation: Situation, items: Sequence[Item], embed: MiniLM) -> Facts:
        """Those of one situation; its whole life is what its items and its scenes say."""
        own, here = case.phrasings, situation.id
        told = (*own.opening[here], *own.details[here], *own.background)
        asked = (text for item in items for text in (*item.asks, *item.said, item.name))
        life = frozenset[str]().union(*map(content_words, (*asked, *told)))
        return cls(items, life, embed)

    def features(self, heard: Heard, table: Floats) -> Floats:
        """(facts, features) of one turn; `table` is that of the ranker."""
        own = table[self.places]
        near = np.column_stack([own[:, list(TAKEN)], self._near(heard)])
        best = table[self.others].max(axis=0) if self.others else np.zeros(table.shape[1])
        beside = own[:, list(_BESIDE_UNITS)] - best[list(_BESIDE_UNITS)]
        return np.column_stack([near, ahead(near), beside])

    def of_none(self, heard: Heard, form: Floats, near: Floats, table: Floats, of_nothing: Floats) -> Floats:
        """(features,) of the candidate that stands for none of the facts; `near` is what `features` gives."""
        asked = [part for part in sentences(heard.turn) if "?" in part] or [heard.turn]
        question, turn = content_words(asked[-1]), content_words(heard.turn)
        strange = [
            len(question - self.life) / max(1, len(question)),
            len(turn - self.life) / max(1, len(turn)),
            min(len(question), 10) / 10.0,
            min(len(turn), 20) / 20.0,
            min(len(turn - self.life), 6) / 6.0,
            float(not question),
        ]
        length = min(len(heard.turn) / 300.0, 3.0)
        own = near[:, len(TAKEN) : len(TAKEN) + COMPARED].max(axis=0)
        most = table[self.places][:, list(_MOST)].max(axis=0)
        return np.concatenate([[1.0], of_nothing, form, [length], strange, own, most])

    def _near(self, heard: Heard) -> Floats:
        """How near each fact is by its sentences and by its words. (facts, `COMPARED`)"""
        parts = list(sentences(heard.turn)) or [heard.turn]
        question, turn = self.embed([heard.question])[0], self.embed(parts)
        rows = []
        for said in self.sentences:
            alike = said @ turn.T
            rows.append([float((said @ question).max()), float(alike.max()), float(alike.max(axis=0).mean())])
        by_words = [self._by_words(Words.of(text, self.embed)) for text in (heard.question, heard.turn)]
        return np.hstack([np.array(rows, dtype=np.float64).reshape(len(rows), 3), *by_words])

    def _by_words(self, asked: Words) -> Floats:
        """How near each fact is by one text's words: on average, the rare ones more, and to one of its questions."""
        if not asked.texts:
            return np.zeros((len(self.said), 3))
        rare = np.array([1.0 / np.sqrt(1.0 + self.common[word]) for word in asked.texts])
        rows = []
        for said, asks in zip(self.said, self.asks, strict=True):
            met = asked.met_in(said)
            others = [asked.met_in(ask) for ask in asks if ask.texts]
            best = float(np.maximum.reduce(others).mean()) if others else 0.0
            rows.append([float(met.mean()), float((met * rare).sum() / rare.sum()), best])
        return np.array(rows, dtype=np.float64).reshape(len(rows), 3)


COMPARED: Final = 9
"""Ways in which sentences and words are compared."""


NEAR: Final = "near"
ASKED: Final = "asked"
FAR: Final = "far"
_OF_THE_TURN = (
    "question to asks, best",
    "turn to wordings",
    "words of the turn, wordings",
    "learned, asks",
    "learned, wording",
)
_GENERAL = (
    QuestionForm.AGAINST,
    QuestionForm.ELSE,
    QuestionForm.SUPPORT,
    QuestionForm.TALK,
    QuestionForm.GOAL,
    QuestionForm.PLAN,
)
_TINY = 1e-3


def near_features(index: Index, told: tuple[str, ...], form: Floats, table: Floats, chances: Floats) -> Floats:
    """What the curves see of each fact, (facts, features).

    Args:
        index: The items of the situation.
        told: What has been told so far.
        form: (labels,) chances of the forms of the turn.
        table: (items, features) of `Index.features`.
        chances: (items + 1,) of the ranker.
    """
    of = {item.id: float(chance) for item, chance in zip(index.items, chances[:-1], strict=True)}
    last = told[-1] if told else ""
    general = float(sum(form[FORMS.index(one.value)] for one in _GENERAL))
    facts = [at for at, item in enumerate(index.items) if item.fact]
    every = np.array([of[index.items[at].id] for at in facts])
    columns = [FEATURES.index(name) for name in _OF_THE_TURN]
    found = []
    for at in facts:
        item = index.items[at]
        beside = [of[name] for name in item.links]
        own, most, mass, next_to_last = (
            of[item.id],
            max(beside, default=0.0),
            sum(beside),
            float(last in item.links),
        )
        found.append(
            [
                np.log(own + _TINY),
                np.log(most + _TINY),
                np.log(mass + _TINY),
                own + mass,
                own - float(every.max()),
                next_to_last,
                float(last == item.id),
                next_to_last * float(chances[-1]),
                float(chances[-1]),
                general,
                float(form[-1]),
                *table[at, columns],
            ]
        )
    return np.array(found)
