"""What a patient remembers, as answer units: one small piece of a life each, with the questions it answers.

The case is the diagram; the memory is what stands around it, so that ordinary questions find an answer: people, places,
moments, things, habits, sayings, and the patient's own work on the thought. Own design; the nearest in the literature
are the question-keyed answers of virtual standardised patients (e.g. Danforth et al. 2013)."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from maieutic.domain.appraisal import WORK, QuestionForm

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=2)]
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]*$")]
Share = Annotated[float, Field(ge=0.0, le=1.0)]
Percent = Annotated[float, Field(ge=0.0, le=100.0)]


class Written(BaseModel):
    """A part of a file that people write: frozen, and an unknown field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True, defer_build=True)


LIFE = "life"
"""Stands in `of` for a unit that holds whatever situation is in play."""


class Unit(Written):
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


class FactTalk(Written):
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


class SmallTalk(Written):
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


class Memory(Written):
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

    def unit(self, name: str) -> Unit:
        """The unit of this id."""
        return next(unit for unit in self.units if unit.id == name)

    def fact(self, name: str) -> FactTalk | None:
        """How a fact is spoken of once it has come up; None where nothing was written."""
        return next((fact for fact in self.facts if fact.id == name), None)
