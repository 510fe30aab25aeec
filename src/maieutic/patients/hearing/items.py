"""All that a patient can be asked about while one situation is in play: facts and answer units, as the ranker sees
them.

A case without a memory has its diagram in the place of units: what happened, the thought, the feeling, where it comes
from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from maieutic.domain.appraisal import QuestionForm, Slot
from maieutic.domain.case import Case, Evidence, Situation
from maieutic.domain.memory import Unit


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
        links: What lies next to it, whichever of the two names the other.
        slot: The part of the diagram that it is; None for facts and units.
    """

    id: str
    fact: bool
    here: bool
    name: str
    forms: frozenset[QuestionForm]
    asks: tuple[str, ...]
    said: tuple[str, ...]
    links: frozenset[str]
    slot: Slot | None = None


def items_of(case: Case, situation: Situation) -> tuple[Item, ...]:
    """Facts first, then the units of this situation and of the whole life, or the diagram where the case has no
    memory."""
    units = case.memory.within(situation.id) if case.memory else ()
    near: dict[str, set[str]] = {}
    for unit in units:
        for name in unit.links:
            near.setdefault(name, set()).add(unit.id)
    facts = tuple(_of_fact(fact, frozenset(near.get(fact.id, ()))) for fact in situation.evidence)
    if case.memory is None:
        return (*facts, *_diagram(case, situation))
    return (*facts, *(_of_unit(unit, situation.id, frozenset(near.get(unit.id, ()))) for unit in units))


_DIAGRAM: Final[Mapping[Slot, tuple[str, tuple[QuestionForm, ...], tuple[str, ...]]]] = {
    Slot.SITUATION: (
        "what happened",
        (QuestionForm.SEQUENCE, QuestionForm.DESCRIBE, QuestionForm.WHAT),
        ("What happened?", "Walk me through it, from the start.", "Tell me more about that day.", "What was going on?"),
    ),
    Slot.THOUGHT: (
        "the thought",
        (QuestionForm.THOUGHT, QuestionForm.MEANING),
        (
            "What went through your mind?",
            "What did you tell yourself?",
            "What does it mean about you?",
            "What were you thinking?",
        ),
    ),
    Slot.FEELING: (
        "the feeling",
        (QuestionForm.FEELING, QuestionForm.BODY),
        ("How did that feel?", "What did you feel then?", "What was that like for you?", "Where in your body was it?"),
    ),
    Slot.BACKGROUND: (
        "where it comes from",
        (QuestionForm.ORIGIN,),
        (
            "Where does that come from?",
            "When did you first think so?",
            "What was it like when you grew up?",
            "How far back does it go?",
        ),
    ),
}
"""What the diagram can be asked about: a name, forms, and questions of our own that fit any case."""


def _diagram(case: Case, situation: Situation) -> tuple[Item, ...]:
    own, here = case.phrasings, situation.id
    said = {
        Slot.SITUATION: (*own.opening[here], *own.details[here], situation.happened),
        Slot.THOUGHT: own.thought[here],
        Slot.FEELING: own.feeling[here],
        Slot.BACKGROUND: own.background,
    }
    return tuple(
        Item(f"diagram-{slot.value}", False, True, name, frozenset(forms), asks, tuple(said[slot]), frozenset(), slot)
        for slot, (name, forms, asks) in _DIAGRAM.items()
    )


def _of_fact(fact: Evidence, near: frozenset[str]) -> Item:
    name = ", ".join(fact.topics)
    return Item(fact.id, True, True, name, frozenset(), fact.asks, (*fact.said, fact.fact), near)


def _of_unit(unit: Unit, situation: str, near: frozenset[str]) -> Item:
    return Item(
        unit.id,
        False,
        unit.of == situation,
        unit.item,
        frozenset(unit.forms),
        unit.asks,
        (unit.said,),
        near | set(unit.links),
    )
