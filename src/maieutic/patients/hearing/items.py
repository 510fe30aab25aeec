"""All that a patient can be asked about while one situation is in play: answer units and facts, as the ranker sees them."""

from __future__ import annotations

from dataclasses import dataclass

from maieutic.domain.case import Case, Evidence, Situation
from maieutic.domain.memory import Memory, Unit
from maieutic.domain.question_form import QuestionForm


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that can be asked about.

    Attributes:
        id: Of the unit or the fact.
        fact: It speaks for or against the thought, so it has to be reached by a well-formed question.
        here: It belongs to the situation in play, not to the whole life.
        name: What it is about, in a few words.
        forms: The forms of question that it answers; empty where nobody has said.
        asks: Questions that it fits.
        said: Its wordings.
        links: What lies next to it.
    """

    id: str
    fact: bool
    here: bool
    name: str
    forms: frozenset[QuestionForm]
    asks: tuple[str, ...]
    said: tuple[str, ...]
    links: frozenset[str]


def items_of(situation: Situation, memory: Memory | None) -> tuple[Item, ...]:
    """Facts first, then the units of this situation and of the whole life; facts alone where nothing else was written."""
    units = memory.within(situation.id) if memory else ()
    near: dict[str, set[str]] = {}
    for unit in units:
        for name in unit.links:
            near.setdefault(name, set()).add(unit.id)
    facts = tuple(_of_fact(fact, frozenset(near.get(fact.id, ()))) for fact in situation.evidence)
    return (*facts, *(_of_unit(unit, situation.id, frozenset(near.get(unit.id, ()))) for unit in units))


def _of_fact(fact: Evidence, near: frozenset[str]) -> Item:
    name = ", ".join(fact.topics)
    return Item(fact.id, True, True, name, frozenset(), fact.asks, (*fact.said, fact.fact), near)


def _of_unit(unit: Unit, situation: str, near: frozenset[str]) -> Item:
    return Item(
        unit.id, False, unit.of == situation, unit.item, frozenset(unit.forms), unit.asks, (unit.said,), near | set(unit.links)
    )  # fmt: skip


def lines_of(case: Case, situation: Situation) -> tuple[str, ...]:
    """What else the patient says of the situation, unasked: opening, details, thought, feeling, background."""
    own, here = case.phrasings, situation.id
    return (*own.opening[here], *own.details[here], *own.thought[here], *own.feeling[here], *own.background)
