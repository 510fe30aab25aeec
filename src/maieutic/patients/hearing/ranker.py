"""Which piece of this life a turn asks about: likeness, shared words, form and place in the dialogue, weighed by a
small head.

Every item of the memory is a candidate, and so is *nothing of it*; the head gives each a chance, and they sum to one.
Fitted by `recipes/fit_hearing.py` on own-written turns in their dialogues; it never saw a test case.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maieutic.domain.appraisal import QuestionForm
from maieutic.language.sentences import content_words, stands_in
from maieutic.patients.ear import Heard
from maieutic.patients.hearing.asked import FORMS
from maieutic.patients.hearing.items import Item
from maieutic.patients.hearing.learned import Laid, Learned
from maieutic.protocols import Embedder
from maieutic.reading.head import Floats
from maieutic.reading.minilm import kept_vectors

Vectors = NDArray[np.float32]

FEATURES: Final = (
    "question to asks, best",
    "question to asks, two best",
    "turn to asks, best",
    "within to asks, best",
    "question to wordings",
    "turn to wordings",
    "within to wordings",
    "lead to wordings",
    "lead to asks, best",
    "before to wordings",
    "question to name",
    "turn to name",
    "lead to name",
    "words of the question, asks and name",
    "words of the question, wordings",
    "words of the turn, asks and name",
    "words of the turn, wordings",
    "words of the question, name",
    "words before, name",
    "form declared",
    "form asked alike",
    "question to asks, times form",
    "next to the last told",
    "the last told",
    "told before",
    "here",
    "fact",
    "form unknown",
    "learned, asks",
    "learned, wording",
    "learned, name",
    "learned, odds",
    "learned, odds ahead",
    "learned, chance",
    "question to asks, ahead",
    "within to asks, ahead",
    "question to wordings, ahead",
    "words, ahead",
    "sum, ahead",
)
FEW: Final = 4
"""Items that may share a word by which a question names one of them."""
_WHO_IS = "Who is "
"""How an example question begins that asks for nothing but a name."""
_WHO_IT = ("who is", "who's", "who was", "Who is", "Who's", "Who was")
_OF_THE_TALK = (
    QuestionForm.TALK,
    QuestionForm.NOW,
    QuestionForm.SUMMARY,
    QuestionForm.ELSE,
    QuestionForm.SCALE,
    QuestionForm.RISK,
)


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """The texts of one kind of all items, one after the other: vectors, whose each is, and its content words."""

    vectors: Vectors
    owner: NDArray[np.int64]
    words: tuple[frozenset[str], ...]

    @classmethod
    def of(cls, texts: Sequence[Sequence[str]], embed: Embedder) -> Texts:
        """`texts` holds those of each item."""
        every = [text for own in texts for text in own]
        owner = np.array([at for at, own in enumerate(texts) for _ in own])
        return cls(kept_vectors(embed.name, every, embed), owner, tuple(map(content_words, every)))

    def best(self, vector: Vectors, count: int) -> Floats:
        """The greatest likeness to a text of each item, (count,)."""
        found = np.full(count, -1.0)
        np.maximum.at(found, self.owner, (self.vectors @ vector).astype(np.float64))
        return found


class Index:
    """The items of one situation, ready to be compared with a turn."""

    def __init__(self, items: Sequence[Item], embed: Embedder, learned: Learned, asked_like: Floats) -> None:
        self.items, self.learned = tuple(items), learned
        self.places = {item.id: at for at, item in enumerate(items)}
        self.asks = Texts.of([item.asks for item in items], embed)
        self.said = Texts.of([item.said for item in items], embed)
        self.names = Texts.of([(item.name,) for item in items], embed)
        turning = learned.turning
        parts = ((self.asks, turning.asks), (self.said, turning.said), (self.names, turning.names))
        self.laid = tuple(Laid(texts.vectors @ by, texts.owner, len(items)) for texts, by in parts)
        self.declared = np.array([[float(form in item.forms) for form in QuestionForm] for item in items])
        self.asked_like = asked_like
        own: list[set[str]] = [set() for _ in items]
        for texts in (self.asks, self.said, self.names):
            for words, at in zip(texts.words, texts.owner.tolist(), strict=True):
                own[at] |= words
        self.words = tuple(map(frozenset[str], own))
        count: dict[str, int] = {}
        for words in self.words:
            for word in words:
                count[word] = count.get(word, 0) + 1
        self.rarity = {word: 1.0 / float(np.sqrt(n)) for word, n in count.items()}
        asked = (
            (ask.removeprefix(_WHO_IS).rstrip("?"), item.id) for item in items for ask in item.asks if _WHO_IS in ask
        )
        self.persons = {name: item for name, item in asked if name.istitle()}
        self.steady = np.array(
            [[float(item.here), float(item.fact), float(not item.forms)] for item in items]
        )  # what no turn changes

    def named_in(self, item: Item, question: str) -> bool:
        """The question shares a word with an item that at most `FEW` items share."""
        rare = {
            word for word in content_words(question) if word in self.rarity and self.rarity[word] ** -2 <= FEW + 0.5
        }
        return bool(rare & self.words[self.places[item.id]])

    def person_in(self, question: str) -> str | None:
        """The item that says who somebody is, where the question asks for just that ("And who's Theo?")."""
        asked = question.replace("’", "'")
        ways = ((f"{verb} {name}", item) for name, item in self.persons.items() for verb in _WHO_IT)
        return next((item for way, item in ways if stands_in(asked, way)), None)

    def features(self, heard: Heard, form: Floats, told: tuple[str, ...], embed: Embedder) -> Floats:
        """(items, features) of one turn; `form` is the chance of each label of `asked.FORMS`."""
        n = len(self.items)
        question, turn, within, lead, before = embed(
            [heard.question, heard.turn, heard.within, heard.lead or heard.question, heard.before or heard.turn]
        )
        lead, before = lead * bool(heard.lead), before * bool(heard.before)
        best = self.asks.best(question, n)
        fit, alike = self.declared @ form[:-1], self._alike(form)
        last = told[-1] if told else ""
        near = self.items[self.places[last]].links if last in self.places else frozenset[str]()
        place = [[float(one.id in near), float(one.id == last), float(one.id in told)] for one in self.items]
        within_asks, to_said = self.asks.best(within, n), self.said.best(question, n)
        to_turn, said_turn = self.asks.best(turn, n), self.said.best(turn, n)
        shared = self._shared(heard)
        table = np.column_stack(
            [
                best,
                self._two_best(question, n),
                to_turn,
                within_asks,
                to_said,
                said_turn,
                self.said.best(within, n),
                self.said.best(lead, n),
                self.asks.best(lead, n),
                self.said.best(before, n),
                self.names.best(question, n),
                self.names.best(turn, n),
                self.names.best(lead, n),
                shared,
                fit,
                alike,
                best * np.maximum(fit, alike),
                np.array(place),
                self.steady,
            ]
        )
        asks, said, names = self.laid
        seen = self.learned.vector(heard.whole)
        near_to = np.column_stack([asks.near(seen), said.near(seen), names.near(seen)])
        odds = self.learned.odds(heard, near_to)
        edge = max(0.0, float(odds.max()))
        raised = np.exp(odds - edge)
        learned = np.column_stack([near_to, odds, ahead(odds), raised / (raised.sum() + np.exp(-edge))])
        total = best + to_turn + within_asks + to_said + said_turn + shared[:, 0]
        before_others = [ahead(column) for column in (best, within_asks, to_said, shared[:, 0], total)]
        return np.column_stack([table, learned, *before_others])

    def _alike(self, form: Floats) -> Floats:
        """Mean chance of the turn's form over the example questions of each item."""
        n = len(self.items)
        total = np.bincount(self.asks.owner, minlength=n)
        found = np.bincount(self.asks.owner, weights=self.asked_like @ form, minlength=n)
        return np.asarray(found / np.maximum(total, 1.0))

    def _two_best(self, question: Vectors, n: int) -> Floats:
        """Mean likeness of the two likest questions of each item; of one where it has no more."""
        likeness = self.asks.vectors @ question
        order = np.lexsort((-likeness, self.asks.owner))
        first = np.searchsorted(self.asks.owner, np.arange(n))
        second = np.minimum(first + 1, np.append(first[1:], len(order)) - 1)
        return np.asarray((likeness[order[first]] + likeness[order[second]]) / 2.0, dtype=np.float64)

    def _shared(self, heard: Heard) -> Floats:
        """Rare content words that a turn and an item share. (items, 6)"""
        asked, turn, before = map(content_words, (heard.question, heard.turn, heard.before))
        known = {word: self.rarity[word] for word in asked | turn | before if word in self.rarity}
        found = np.zeros((len(self.items), 6))
        of_asks: list[set[str]] = [set() for _ in self.items]
        of_said: list[set[str]] = [set() for _ in self.items]
        for words, owner in zip(self.asks.words, self.asks.owner, strict=True):
            of_asks[owner] |= words & known.keys()
        for words, owner in zip(self.said.words, self.said.owner, strict=True):
            of_said[owner] |= words & known.keys()
        for at, named in enumerate(self.names.words):
            own = of_asks[at] | (named & known.keys())
            for column, words in enumerate(
                (asked & own, asked & of_said[at], turn & own, turn & of_said[at], asked & named, before & named)
            ):
                found[at, column] = sum(known.get(word, 0.0) for word in words)
        return found

    def of_nothing(self, heard: Heard, form: Floats, table: Floats) -> Floats:
        """(features,) of the candidate that stands for nothing of this life."""
        best = np.sort(table[:, 0])
        of_talk = float(sum(form[FORMS.index(one.value)] for one in _OF_THE_TALK))
        return np.array(
            [
                1.0,
                best[-1],
                table[:, 3].max(),
                table[:, 13].max(),
                form[-1],
                of_talk,
                min(len(heard.turn) / 300.0, 3.0),
                best[-2],
                table[:, FEATURES.index("learned, odds")].max(),
            ]
        )


def ahead(column: Floats) -> Floats:
    """How far each is ahead of the best of the others."""
    order = np.sort(column)
    best, second = order[-1], order[-2] if len(order) > 1 else order[-1]
    return np.asarray(np.where(column == best, column - second, column - best))


@dataclass(frozen=True, slots=True, eq=False)
class Ranker:
    """A conditional logit over the items and nothing (McFadden 1974), one layer of tanh units beside the straight line.

    Attributes:
        centre, spread: Of the items' features, (d,).
        line: (d,). hidden: (d, h). hidden_bias: (h,). out: (h,).
        nothing: (e,) weights of the features of nothing.
        temperature: Chosen on turns of cases that were left out.
    """

    centre: Floats
    spread: Floats
    line: Floats
    hidden: Floats
    hidden_bias: Floats
    out: Floats
    nothing: Floats
    temperature: Floats

    def chances(self, table: Floats, of_nothing: Floats) -> Floats:
        """Chance of every item, and of nothing at the end. (items + 1,)"""
        x = (table - self.centre) / self.spread
        scores = x @ self.line + np.tanh(x @ self.hidden + self.hidden_bias) @ self.out
        every = np.append(scores, of_nothing @ self.nothing) / float(self.temperature)
        raised = np.exp(every - every.max())
        return np.asarray(raised / raised.sum())
