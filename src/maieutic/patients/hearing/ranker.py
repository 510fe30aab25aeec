"""Which piece of this life a turn asks about: likeness, shared words, form and place in the dialogue, weighed by a
small head.

Every item of the memory is a candidate, and so is *nothing of it*; the head gives each a chance, and they sum to one.
Fitted by `recipes/fit_hearing.py` on own-written turns in their dialogues; it never saw a test case.

Likeness is learned: layers on the shared body, fine-tuned to lay a turn in its dialogue beside what it asks about. Only
the turn goes through them; the memory keeps the vectors of the shared encoder, turned by one matrix for questions, one
for wordings and one for names (two towers, as in dense retrieval: Karpukhin et al. 2020). Training is
`recipes/train_hearing_encoder.py`. Runtime, tokenizer and weights are loaded at the first text, not at import.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maieutic.domain.appraisal import QuestionForm
from maieutic.language.sentences import content_words, stands_in
from maieutic.patients.ear import Heard
from maieutic.patients.hearing.asked import FORMS
from maieutic.patients.hearing.items import Item
from maieutic.protocols import Embedder
from maieutic.reading import encoder as reading
from maieutic.reading.head import Floats, load_network
from maieutic.reading.minilm import kept_vectors

Vectors = NDArray[np.float32]

WEIGHTS: Final = Path(__file__).parents[1] / "weights" / "hearing_encoder.onnx"
MAX_TOKENS: Final = 96
"""Tokens, as in training."""
KEPT: Final = 4_000
"""Vectors of turns kept, 1.5 kB each."""
SOFTNESS: Final = 0.05
"""How far the second best question counts beside the best, as in training."""
SHARPNESS: Final = 8.0
"""Factor on the scores of the forms, as in training."""


@dataclass(frozen=True, slots=True, eq=False)
class Turning:
    """The numbers that weigh what the encoder finds.

    Attributes:
        asks, said, names: (384, 384), what turns the memory's vectors of questions, wordings and names towards turns.
        weights: (3,) of likeness to questions, wordings and name.
        nothing, edge: (384,) the direction in which turns lie that ask for nothing of this life, and its offset, (1,).
        forms, forms_edge: (labels, 384) directions of the forms of a question, and their offsets, (labels,).
    """

    asks: Floats
    said: Floats
    names: Floats
    weights: Floats
    nothing: Floats
    edge: Floats
    forms: Floats
    forms_edge: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """The encoder of turns with the numbers that weigh what it finds; `vector` gives a text's unit vector, (384,)."""

    vector: Callable[[str], Vectors]
    turning: Turning

    def form(self, heard: Heard) -> Floats:
        """Log chance of every label of `asked.FORMS`."""
        scores = SHARPNESS * (self.turning.forms @ self.vector(heard.whole) + self.turning.forms_edge)
        scores = scores - scores.max()
        return np.asarray(scores - np.log(np.exp(scores).sum()))

    def odds(self, heard: Heard, near: Floats) -> Floats:
        """(items,) log odds of each item against nothing; `near` is (items, 3), likeness to questions, wording and
        name."""
        turn = self.vector(heard.whole)
        return np.asarray(
            near @ self.turning.weights - float(self.turning.nothing @ turn) - float(self.turning.edge[0])
        )


@dataclass(frozen=True, slots=True, eq=False)
class Laid:
    """The turned vectors of one kind of text of all items, and whose each is."""

    vectors: Floats
    owner: NDArray[np.int64]
    count: int

    def near(self, turn: Vectors) -> Floats:
        """Softened greatest likeness of each item, (items,)."""
        raised = np.exp((self.vectors @ turn - 1.0) / SOFTNESS)
        total = np.bincount(self.owner, weights=raised, minlength=self.count)
        return np.asarray(1.0 + SOFTNESS * np.log(total + 1e-12))


@cache
def packaged_learned() -> Learned:
    """The one that the package carries.

    Raises:
        UnreadableFile: a file is missing from the installation or is not the one the heads were fitted with.
    """
    vector = reading.text_vector(reading.load(WEIGHTS), MAX_TOKENS, KEPT)
    return Learned(vector, load_network(Turning, "patients/weights/hearing_turning.npz", "turning"))


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
MAX_SHARING: Final = 4
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


@dataclass(frozen=True, eq=False)
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

    @cached_property
    def firsts(self) -> NDArray[np.int64]:
        """Where the first text of each item stands that has any."""
        return np.flatnonzero(np.diff(self.owner, prepend=-1))

    @cached_property
    def holding(self) -> dict[str, set[int]]:
        """The items with a word in a text of theirs."""
        found = defaultdict[str, set[int]](set)
        for words, owner in zip(self.words, self.owner.tolist(), strict=True):
            for word in words:
                found[word].add(owner)
        return dict(found)

    def best(self, vector: Vectors, count: int) -> Floats:
        """The greatest likeness to a text of each item, (count,)."""
        found = np.full(count, -1.0)
        if len(self.owner):
            found[self.owner[self.firsts]] = np.maximum.reduceat(self.vectors @ vector, self.firsts)
        return found

    def holds(self, words: Sequence[str], count: int) -> NDArray[np.bool_]:
        """Which words each item has in a text of its own, (words, count)."""
        found = np.zeros((len(words), count), dtype=np.bool_)
        for row, word in zip(found, words, strict=True):
            row[list(self.holding.get(word, ()))] = True
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
        """The question shares a word with an item that at most `MAX_SHARING` items share."""
        rare = {
            word
            for word in content_words(question)
            if word in self.rarity and self.rarity[word] ** -2 <= MAX_SHARING + 0.5
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
        before_others = ahead(np.column_stack([best, within_asks, to_said, shared[:, 0], total]))
        return np.column_stack([table, learned, before_others])

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
        every = [content_words(text) for text in (heard.question, heard.turn, heard.before)]
        known = sorted(word for word in frozenset[str]().union(*every) if word in self.rarity)
        asked, turn, before = (np.array([self.rarity[word] * (word in words) for word in known]) for words in every)
        asks, said, names = (texts.holds(known, len(self.items)) for texts in (self.asks, self.said, self.names))
        own = asks | names
        shared = (asked, own), (asked, said), (turn, own), (turn, said), (asked, names), (before, names)
        return np.column_stack([weights @ where for weights, where in shared])

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


def ahead(columns: Floats) -> Floats:
    """How far each is ahead of the best of the others in its column."""
    order = np.sort(columns, axis=0)
    best, second = order[-1], order[max(len(order) - 2, 0)]
    return np.asarray(np.where(columns == best, columns - second, columns - best))


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
