"""What the patient takes a turn to ask: drawn in proportion to how likely each reading is, or nothing when it is not
clear.

A turn that could mean two things is taken for one of them, as people take it; what is drawn comes from the session's
own generator, so that a session can be replayed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from random import Random

import numpy as np

from maieutic.domain.appraisal import QuestionForm
from maieutic.domain.case import Case, Situation
from maieutic.domain.episode import Session
from maieutic.language.sentences import sentences
from maieutic.patients.ear import NAME, WEIGHTS, Heard, heard_as, heard_in
from maieutic.patients.hearing.asked import FORMS, HEARING, NOTHING, Blend, form_features
from maieutic.patients.hearing.items import Item, items_of
from maieutic.patients.hearing.ranker import Index, Learned, Ranker, packaged_learned
from maieutic.patients.hearing.reach import ASKED, NEAR, Facts, near_features
from maieutic.protocols import Embedder
from maieutic.reading.head import Floats, Head, load, load_network
from maieutic.reading.minilm import MiniLM, Vectors, kept_vectors

SENSIBLE = 0.5
"""Share of the likeliest reading's chance from which another reading may be drawn in its place. *Assumption.*"""
HEARD = 0.12
"""Chance from which the likeliest item counts as heard at all."""
CLEAR_FORM = 0.35
"""Chance from which the likeliest form counts as heard."""
REACHED, REACHED_BARE = 0.75, 0.7
"""Chance from which the likeliest fact counts as asked for, with a memory and without: the lowest from which 95 of 100
facts reached are the right ones, on development turns of writers and cases left out (`recipes/fit_reach.py`)."""
SEEN, SURE = 0.1, 0.5
"""Chance of the same fact by the learned encoder from which it counts so, and from which a half is enough.
*Assumption*: two readings that go wrong for different reasons seldom agree on a wrong fact."""


_OF_THE_TALK = frozenset({QuestionForm.SUMMARY, QuestionForm.NOW, QuestionForm.TALK})


@dataclass(frozen=True, slots=True)
class Taken:
    """How a turn was taken.

    Attributes:
        form: What kind of answer it asks for, or None.
        item: The item that it asks about, or None.
        sure: Chance of that item.
        named: It asks who the person is whom it names.
        asks: It asks for something at all.
        forms: Chance of each label of `asked.FORMS`.
        chances: Chance of each item, by id.
        asked: Chance that the turn asks for it, of each fact, by id.
        near: Chance that the turn comes near it, of each fact, by id.
        reached: The fact that it asks for surely enough to reach it, or None.
        told: What had been told before.
    """

    form: QuestionForm | None
    item: Item | None
    sure: float
    named: bool
    asks: bool
    forms: Floats
    chances: Mapping[str, float]
    asked: Mapping[str, float]
    near: Mapping[str, float]
    reached: str | None
    told: tuple[str, ...]

    def of(self, name: str) -> float:
        """Chance of one item."""
        return self.chances.get(name, 0.0)

    @property
    def bids(self) -> bool:
        """It asks for something of this life, in whatever grammar ("Tell me about the bike, then")."""
        return self.asks and self.form is not None and self.form not in _OF_THE_TALK

    def chance(self, form: QuestionForm) -> float:
        """Chance of one form."""
        return float(self.forms[FORMS.index(form.value)])


@dataclass(frozen=True, slots=True)
class Forms:
    """The form of a turn in its dialogue, by the head and by the fine-tuned encoder."""

    head: Head
    learned: Learned
    blend: Blend

    def __call__(self, heard: Heard, embed: Embedder) -> Floats:
        """Chance of every label of `FORMS`, in that order."""
        return self.blend(np.log(form_chances(self.head, heard, embed) + 1e-6), self.learned.form(heard))


@dataclass(frozen=True, slots=True)
class Hearing:
    """The ears of one patient for one situation."""

    embed: MiniLM
    forms: Forms
    ranker: Ranker
    index: Index
    facts: Facts
    asked: Ranker
    second: Head
    near: Head
    reached_from: float

    @classmethod
    def of(cls, case: Case, situation: Situation, embed: MiniLM) -> Hearing:
        """Index what can be asked about in one situation."""
        head, learned, items = load(HEARING, "forms"), packaged_learned(), items_of(case, situation)
        forms = Forms(head, learned, load_network(Blend, HEARING, "blend"))
        index = Index(items, embed, learned, asked_like(head, items, embed))
        # Cases with a memory have a ranker of facts of their own, since units stand beside facts.
        kind, sure = ("memory", REACHED) if case.memory else ("bare", REACHED_BARE)
        reach = load_network(Ranker, "patients/weights/reach.npz", kind)
        ranker, second, near = load_network(Ranker, HEARING, "ranker"), load(HEARING, ASKED), load(HEARING, NEAR)
        return cls(embed, forms, ranker, index, Facts.of(case, situation, items, embed), reach, second, near, sure)

    def __call__(self, session: Session) -> Taken:
        """How the last therapist turn was taken."""
        return self.take(heard_in(session), told_in(session), session.generator("hearing"))

    def form(self, heard: Heard) -> QuestionForm | None:
        """What kind of answer a turn clearly asks for."""
        return _clearest(self.forms(heard, self.embed))

    def take(self, heard: Heard, told: tuple[str, ...], rng: Random) -> Taken:
        """How a turn is taken after what was told."""
        every = heard.question, heard.turn, heard.within, heard.lead, heard.before, *sentences(heard.turn)
        self.embed([text for text in every if text])  # at one go; one after another they take longer
        forms = self.forms(heard, self.embed)
        table = self.index.features(heard, forms, told, self.embed)
        nothing = self.index.of_nothing(heard, forms, table)
        chances = self.ranker.chances(table, nothing)
        form = _clearest(forms)
        place = _drawn(chances[:-1], rng)
        item = self.index.items[place] if chances[place] >= HEARD and chances[place] > chances[-1] else None
        if (named := self.index.person_in(heard.question)) is not None:
            place = self.index.places[named]
            item = self.index.items[place]
        each = {one.id: float(chance) for one, chance in zip(self.index.items, chances[:-1], strict=True)}
        seen = near_features(self.index, told, forms, table, chances)
        facts = [one.id for one in self.index.items if one.fact]
        near, second = (
            dict(zip(facts, head.probabilities(seen)[:, 0].tolist(), strict=True)) for head in (self.near, self.second)
        )
        asked = self._asked(heard, forms, table, nothing, told)
        sure = round(float(chances[place]), 6)  # the last bits hang on the machine's matrix products
        reached = self._reached(asked, second)
        return Taken(
            form, item, sure, named is not None, float(forms[-1]) < 0.5, forms, each, asked, near, reached, told
        )

    def _asked(
        self, heard: Heard, forms: Floats, table: Floats, nothing: Floats, told: tuple[str, ...]
    ) -> dict[str, float]:
        """Chance that the turn asks for it, of each fact; none for what was told, whose chance goes to no other."""
        near = self.facts.features(heard, table)
        of_none = self.facts.of_none(heard, forms, near, table, nothing)
        chances = self.asked.chances(near, of_none)
        names = [self.index.items[at].id for at in self.facts.places]
        return {name: 0.0 if name in told else float(chance) for name, chance in zip(names, chances[:-1], strict=True)}

    def _reached(self, asked: Mapping[str, float], second: Mapping[str, float]) -> str | None:
        """The fact that both readings find likeliest, where one of them is sure of it."""
        name = max(asked, key=asked.__getitem__)
        if max(second, key=second.__getitem__) != name or second[name] < SEEN:
            return None
        return name if asked[name] >= (SURE if second[name] >= SURE else self.reached_from) else None


def _clearest(forms: Floats) -> QuestionForm | None:
    best = int(forms.argmax())
    return QuestionForm(FORMS[best]) if FORMS[best] != NOTHING and forms[best] >= CLEAR_FORM else None


def _drawn(chances: Floats, rng: Random) -> int:
    """The place of one of the sensible readings, in proportion."""
    sensible = np.where(chances >= SENSIBLE * chances.max(), chances, 0.0)
    edge, total = rng.random() * float(sensible.sum()), 0.0
    for place, chance in enumerate(sensible):
        total += float(chance)
        if chance and edge <= total:
            return place
    return int(chances.argmax())


def told_in(session: Session) -> tuple[str, ...]:
    """The units and facts that the patient's own turns note as told."""
    return tuple(name for turn in session.by("patient") for name in (turn.trace or {}).get("told", ()))


def form_chances(head: Head, heard: Heard, embed: Embedder) -> Floats:
    """Chance of every label of `FORMS` by the head alone, in that order."""
    found = head(form_features(heard, embed, head.places))
    return np.array([found.get(label, 0.0) for label in FORMS])


def asked_like(head: Head, items: Sequence[Item], embed: Embedder) -> Floats:
    """Chance of each form for each example question of all items, one after the other; kept on disk. (asks, labels)"""
    by = load(WEIGHTS, NAME)  # finds the question in a turn
    made = sha256(b"".join(part.tobytes() for part in (head.weights, head.bias, by.weights, by.bias)))
    maker = f"forms {made.hexdigest()[:16]}"

    def make(asks: Sequence[str]) -> Vectors:
        return np.array([form_chances(head, heard_as(ask, ""), embed) for ask in asks], dtype=np.float32)

    return kept_vectors(maker, [ask for item in items for ask in item.asks], make).astype(np.float64)
