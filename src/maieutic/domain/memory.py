"""What a patient remembers, as answer units: one small piece of a life each, with the questions it answers.

The case is the diagram; the memory is what stands around it, so that ordinary questions find an answer: people, places,
moments, things, habits, sayings, and the patient's own work on the thought. Own design; the nearest in the literature are
the question-keyed answers of virtual standardised patients (e.g. Danforth et al. 2013).
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from maieutic.domain.case import Case, Share, Slug, Text
from maieutic.domain.question_form import WORK, QuestionForm

LIFE = "life"
"""Stands in `of` for a unit that holds whatever situation is in play."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


class Unit(_Frozen):
    """One thing that the patient can tell.

    Attributes:
        of: The situation it belongs to, or 'life'.
        item: What it is about, in a few words: a person, place, moment, thing, habit, saying, feeling, thought.
        forms: The forms of question that it answers.
        asks: Questions that it fits, in different people's words.
        said: The answer, first person, understandable by itself.
        again: The shorter second mention, for somebody who has heard the first.
        moved: The answer once the thought has loosened; for the patient's own work on the thought.
        guard: Openness (0–1) that the patient needs before telling it.
        links: Units and facts that lie next to it in this life.
    """

    id: Slug
    of: Slug
    item: Text
    forms: Annotated[tuple[QuestionForm, ...], Field(min_length=1)]
    asks: Annotated[tuple[Text, ...], Field(min_length=3)]
    said: Text
    again: Text
    moved: Text | None = None
    guard: Share = 0.1
    links: tuple[Slug, ...] = ()

    @model_validator(mode="after")
    def _work_moves(self) -> Self:
        if WORK & set(self.forms) and self.moved is None:
            raise ValueError(f"a unit that answers {sorted(WORK & set(self.forms))} needs `moved`")
        return self


class FactTalk(_Frozen):
    """How a fact of the case is spoken of after it has come up.

    Attributes:
        id: The fact.
        again: A shorter second mention.
        unmoved: Asked to set it against the thought, while it does not reach.
        moved: The same, when it does.
    """

    id: Slug
    again: Text
    unmoved: Text
    moved: Text


class SmallTalk(_Frozen):
    """The patient's ways of speaking about the talk itself.

    Attributes:
        ask_back: The question was not clear to the patient.
        confirm: A summary or reflection is right.
        correct: A summary or a feeling attributed is not right; says no more than that.
        dont_know: Nothing is known about what was asked.
        no_more: Asked for more of the same, and there is no more.
        told_already: Before a second mention, where it is one.
        misheard: The turn passes over what the patient said.
    """

    ask_back: Annotated[tuple[Text, ...], Field(min_length=4)]
    confirm: Annotated[tuple[Text, ...], Field(min_length=4)]
    correct: Annotated[tuple[Text, ...], Field(min_length=3)]
    dont_know: Annotated[tuple[Text, ...], Field(min_length=4)]
    no_more: Annotated[tuple[Text, ...], Field(min_length=4)]
    told_already: Annotated[tuple[Text, ...], Field(min_length=3)]
    misheard: Annotated[tuple[Text, ...], Field(min_length=3)]


class Memory(_Frozen):
    """All that one case remembers beside its diagram."""

    case: Slug
    units: Annotated[tuple[Unit, ...], Field(min_length=1)]
    facts: tuple[FactTalk, ...]
    talk: SmallTalk

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        ids = [unit.id for unit in self.units]
        twice = sorted({name for name in ids if ids.count(name) > 1})
        if twice:
            raise ValueError(f"unit ids must differ, twice: {twice}")
        return self

    def within(self, situation: str) -> tuple[Unit, ...]:
        """The units that hold while this situation is in play."""
        return tuple(unit for unit in self.units if unit.of in (situation, LIFE))


_EVERYDAY = tuple(
    f for f in QuestionForm if f.value in "who what when where how_many yes_no how_come sequence said".split()
)
_ASKED_OF_A_THOUGHT: tuple[tuple[QuestionForm, int], ...] = (
    (QuestionForm.THOUGHT, 1), (QuestionForm.FEELING, 1), (QuestionForm.BODY, 1), (QuestionForm.MEANING, 2),
    (QuestionForm.ORIGIN, 1), (QuestionForm.OTHER_VIEW, 3), (QuestionForm.DOUBLE_STANDARD, 1), (QuestionForm.ALTERNATIVE, 2),
    (QuestionForm.HOW_KNOW, 2), (QuestionForm.WORST, 1), (QuestionForm.LIKELY, 1), (QuestionForm.COST_BENEFIT, 2),
    (QuestionForm.SCALE_REST, 1), (QuestionForm.NOW, 1),
)  # fmt: skip
FEWEST_UNITS = 100
FEWEST_EVERYDAY = 3
LINKS_TO_A_FACT = 2
Severity = Literal["wrong", "gap"]


def faults(case: Case, memory: Memory) -> tuple[tuple[Severity, str], ...]:
    """What is wrong with a memory of this case, and where it has gaps, each as one sentence."""
    found: list[tuple[Severity, str]] = []
    situations = {s.id for s in case.situations}
    facts = {e.id for s in case.situations for e in s.evidence}
    known = {u.id for u in memory.units} | facts
    if memory.case != case.id:
        found.append(("wrong", f"the memory is of {memory.case!r}, the case is {case.id!r}"))
    found += [
        ("wrong", f"unit {u.id}: `of` is {u.of!r}, must be 'life' or one of {sorted(situations)}")
        for u in memory.units
        if u.of not in situations | {LIFE}
    ]
    found += [
        ("wrong", f"unit {u.id}: links to unknown {name!r}")
        for u in memory.units
        for name in u.links
        if name not in known
    ]
    found += [("wrong", f"unit {u.id} has the id of a fact") for u in memory.units if u.id in facts]
    missing = facts - {f.id for f in memory.facts}
    found += [("wrong", f"fact {name}: no entry under `facts`") for name in sorted(missing)]
    found += [("wrong", f"facts: unknown {f.id!r}") for f in memory.facts if f.id not in facts]
    said = [t for u in memory.units for t in (u.said, u.again, u.moved) if t]
    said += [t for f in memory.facts for t in (f.again, f.unmoved, f.moved)]
    found += [("wrong", f"said twice: {text!r}") for text in sorted({t for t in said if said.count(t) > 1})]
    if len(memory.units) < FEWEST_UNITS:
        found.append(("gap", f"{len(memory.units)} units; at least {FEWEST_UNITS} make a person who can be asked"))
    for situation in sorted(situations):
        found += [("gap", f"{situation}: {text}") for text in _thin(memory, situation)]
    for name in sorted(facts):
        near = sum(name in unit.links for unit in memory.units)
        if near < LINKS_TO_A_FACT:
            found.append(("gap", f"fact {name}: {near} unit(s) lead to it, at least {LINKS_TO_A_FACT} should"))
    return tuple(found)


def _thin(memory: Memory, situation: str) -> list[str]:
    own = [unit for unit in memory.units if unit.of == situation]
    within = memory.within(situation)
    found = []
    for form, least in _ASKED_OF_A_THOUGHT:
        count = sum(form in unit.forms for unit in own)
        if count < least:
            found.append(f"{count} unit(s) answer {form.value!r}, at least {least} should")
    for form in _EVERYDAY:
        count = sum(form in unit.forms for unit in within)
        if count < FEWEST_EVERYDAY:
            found.append(f"{count} unit(s) answer {form.value!r}, at least {FEWEST_EVERYDAY} should")
    return found
