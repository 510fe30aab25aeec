"""Which piece of this life a turn asks about: likeness, shared words, form and place in the dialogue, weighed by a small head.

Every item of the memory is a candidate, and so is *nothing of it*; the head gives each a chance, and they sum to one. Fitted
by `recipes/fit_hearing.py` on own-written turns in their dialogues; it never saw a test case.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maieutic.domain.question_form import QuestionForm
from maieutic.language.sentences import content_words
from maieutic.patients.hearing.forms import LABELS
from maieutic.patients.hearing.items import Item
from maieutic.patients.hearing.question import Heard
from maieutic.protocols import Embedder
from maieutic.reading.head import Floats, stored_arrays
from maieutic.reading.network import unpacked_network

Vectors = NDArray[np.float32]

FEATURES: Final = (
    "question to asks, best", "question to asks, two best", "turn to asks, best", "within to asks, best",
    "question to wordings", "turn to wordings", "within to wordings", "lead to wordings", "lead to asks, best",
    "before to wordings", "question to name", "turn to name", "lead to name",
    "words of the question, asks and name", "words of the question, wordings", "words of the turn, asks and name",
    "words of the turn, wordings", "words of the question, name", "words before, name",
    "form declared", "form asked alike", "question to asks, times form",
    "next to the last told", "the last told", "told before", "here", "fact", "form unknown",
    "question to asks, ahead", "within to asks, ahead", "question to wordings, ahead", "words, ahead", "sum, ahead",
)  # fmt: skip
NOTHING_FEATURES: Final = (
    "always", "best question to asks", "best within to asks", "best words", "asks nothing", "form is of the talk", "length",
    "second best question to asks",
)  # fmt: skip
_OF_THE_TALK = (
    QuestionForm.TALK,
    QuestionForm.NOW,
    QuestionForm.SUMMARY,
    QuestionForm.ELSE,
    QuestionForm.SCALE,
    QuestionForm.RISK,
)


@dataclass(frozen=True, slots=True)
class Indexed:
    """One item with its vectors and words; `asked_like` is the chance of each form for each of its questions."""

    item: Item
    asks: Vectors
    said: Vectors
    name: Vectors
    ask_words: Counter[str]
    said_words: frozenset[str]
    name_words: frozenset[str]
    declared: Floats
    asked_like: Floats


@dataclass(frozen=True, slots=True)
class Told:
    """What has been told so far, oldest first: ids of units and facts."""

    ids: tuple[str, ...] = ()


class Index:
    """The items of one situation, ready to be compared with a turn."""

    def __init__(self, items: Sequence[Item], embed: Embedder, asked_like: Mapping[str, Floats]) -> None:
        self.items = tuple(_indexed(item, embed, asked_like[item.id]) for item in items)
        self.places = {item.id: at for at, item in enumerate(items)}
        count = Counter(word for one in self.items for word in set(one.ask_words) | one.said_words | one.name_words)
        self.rarity = {word: 1.0 / np.sqrt(n) for word, n in count.items()}

    def without(self, name: str, place: int) -> Index:
        """The same index without one example question of one item, for turns that are that question."""
        found = object.__new__(Index)
        one = self.items[self.places[name]]
        words = one.ask_words - Counter(content_words(one.item.asks[place]))
        like = np.delete(one.asked_like, place, axis=0)
        less = replace(one, asks=np.delete(one.asks, place, axis=0), ask_words=words, asked_like=like)
        at = self.places[name]
        found.items, found.places, found.rarity = (
            (*self.items[:at], less, *self.items[at + 1 :]),
            self.places,
            self.rarity,
        )
        return found

    def _weight(self, words: frozenset[str]) -> float:
        return float(sum(self.rarity.get(word, 0.0) for word in words))

    def features(self, heard: Heard, form: Floats, told: Told, embed: Embedder) -> Floats:
        """(items, features) of one turn; `form` is the chance of each label of `forms.LABELS`."""
        question, turn, within, lead, before = embed(
            [heard.question, heard.turn, heard.within, heard.lead or heard.question, heard.before or heard.turn]
        )
        if not heard.lead:
            lead = np.zeros_like(lead)
        if not heard.before:
            before = np.zeros_like(before)
        of_question, of_turn, of_before = map(content_words, (heard.question, heard.turn, heard.before))
        last = told.ids[-1] if told.ids else ""
        near = self.items[self.places[last]].item.links if last in self.places else frozenset()
        rows = []
        for one in self.items:
            asks = np.sort(one.asks @ question) if len(one.asks) else np.zeros(2)
            best = float(asks[-1])
            fit = float(one.declared @ form[:-1])
            alike = float((one.asked_like @ form).mean())
            asked_words = one.name_words | frozenset(one.ask_words)
            rows.append([
                best, float(asks[-2:].mean()), _best(one.asks, turn), _best(one.asks, within),
                _best(one.said, question), _best(one.said, turn), _best(one.said, within), _best(one.said, lead),
                _best(one.asks, lead), _best(one.said, before),
                float(one.name[0] @ question), float(one.name[0] @ turn), float(one.name[0] @ lead),
                self._weight(of_question & asked_words), self._weight(of_question & one.said_words),
                self._weight(of_turn & asked_words), self._weight(of_turn & one.said_words),
                self._weight(of_question & one.name_words), self._weight(of_before & one.name_words),
                fit, alike, best * max(fit, alike),
                float(one.item.id in near), float(one.item.id == last), float(one.item.id in told.ids),
                float(one.item.here), float(one.item.fact), float(not one.item.forms),
            ])  # fmt: skip
        table = np.array(rows)
        total = table[:, [0, 2, 3, 4, 5, 13]].sum(axis=1)
        ahead = [_ahead(column) for column in (table[:, 0], table[:, 3], table[:, 4], table[:, 13], total)]
        return np.column_stack([table, *ahead])

    def of_nothing(self, heard: Heard, form: Floats, table: Floats) -> Floats:
        """(features,) of the candidate that stands for nothing of this life."""
        best = np.sort(table[:, 0])
        of_talk = float(sum(form[LABELS.index(one.value)] for one in _OF_THE_TALK))
        return np.array([
            1.0, best[-1], table[:, 3].max(), table[:, 13].max(), form[-1], of_talk, min(len(heard.turn) / 300.0, 3.0), best[-2]
        ])  # fmt: skip


def _best(rows: Vectors, vector: Vectors) -> float:
    return float((rows @ vector).max()) if len(rows) else 0.0


def _ahead(column: Floats) -> Floats:
    """How far each is ahead of the best of the others."""
    order = np.sort(column)
    best, second = order[-1], order[-2] if len(order) > 1 else order[-1]
    return np.asarray(np.where(column == best, column - second, column - best))


def _indexed(item: Item, embed: Embedder, asked_like: Floats) -> Indexed:
    declared = np.array([float(form in item.forms) for form in QuestionForm])
    return Indexed(
        item, embed(list(item.asks)), embed(list(item.said)), embed([item.name]),
        Counter(word for ask in item.asks for word in content_words(ask)),
        frozenset[str]().union(*map(content_words, item.said)), content_words(item.name), declared, asked_like,
    )  # fmt: skip


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


@lru_cache(maxsize=1)
def packaged_ranker() -> Ranker:
    """The ranker in the package."""
    return unpacked_network(Ranker, stored_arrays("patients/weights/hearing.npz"), "ranker")
