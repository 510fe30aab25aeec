"""A minimal pair as it is written: what both patients share, and the answers by which they differ.

Both twins have the same person, situation, opening, thought, feeling, conviction, and the same facts to ask for, with
the same handles, questions, guard and weight. What differs is what the patient has to answer: in one life the answers
speak for the thought, in the other against it. So a therapist can know only by asking. The idea is the contrast set
of language tests (Gardner et al. 2020), turned to patients.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field, model_validator

from maieutic.domain.case import (
    Case,
    CoreBelief,
    Emotion,
    Experiment,
    IntermediateBeliefs,
    Overreading,
    Person,
    Phrasings,
    Situation,
    Style,
)
from maieutic.domain.coverage import faults
from maieutic.domain.memory import Memory, SmallTalk
from maieutic.domain.question_form import QuestionForm
from maieutic.domain.written import Percent, Share, Slug, Text, Written

Side = Literal["accurate", "distorted"]
ENDINGS: Final[Mapping[Side, str]] = {"accurate": "true", "distorted": "distorted"}
"""How the ids of the twins end."""
KEYED: Final = ("opening", "details", "thought", "feeling", "conceding", "unmoved", "insight")
NEAR, FAR = 4.0, 45.0
"""Warranted lies within so many points of the conviction where the thought is accurate, and below so many where not."""
SPLIT, UNITS, DIFFERING = 4, 25, 6
ASKED: Final = tuple(QuestionForm(f) for f in "who where when said how_know other_view double_standard".split()) + (
    QuestionForm.ALTERNATIVE,
    QuestionForm.MEANING,
)
_Two = Annotated[tuple[Text, ...], Field(min_length=2)]
_Three = Annotated[tuple[Text, ...], Field(min_length=3)]


class Twin(Case):
    """One patient of a pair: a case with one situation."""

    situations: Annotated[tuple[Situation, ...], Field(min_length=1)]


class Answer(Written):
    """A fact in one life: how it is told, and how it is spoken of afterwards (as in case and memory)."""

    fact: Text
    said: _Two
    again: Text
    unmoved: Text
    moved: Text
    bearing: Literal["for", "against"] | None = None


class PairFact(Written):
    """One thing that can be asked for: the same answer in both lives (`both`, with its bearing), or one in each."""

    id: Slug
    topics: _Two
    asks: _Three
    guard: Share
    weight: Share
    both: Answer | None = None
    accurate: Answer | None = None
    distorted: Answer | None = None

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        split = self.accurate is not None and self.distorted is not None
        if (self.both is None) != split or (self.both is not None and (self.accurate or self.distorted)):
            raise ValueError("give either `both`, or `accurate` and `distorted`")
        if (self.both is None) != (all(a.bearing is None for a in (self.accurate, self.distorted, self.both) if a)):
            raise ValueError("`bearing` stands in `both` and nowhere else")
        return self

    def of(self, side: Side) -> Answer:
        """The answer in this life."""
        found = self.both or getattr(self, side)
        assert isinstance(found, Answer)
        return found

    def bearing(self, side: Side) -> str:
        """What the answer speaks for in this life."""
        return (self.both and self.both.bearing) or ("for" if side == "accurate" else "against")


class Spoken(Written):
    """The words of a unit in one life."""

    said: Text
    again: Text
    moved: Text | None = None


class PairUnit(Written):
    """A unit of the memory; its words are shared, or stand under `accurate` and `distorted`."""

    id: Slug
    of: Slug | None = None
    item: Text
    forms: Annotated[tuple[QuestionForm, ...], Field(min_length=1)]
    asks: _Three
    guard: Share = 0.1
    links: tuple[Slug, ...] = ()
    said: Text | None = None
    again: Text | None = None
    moved: Text | None = None
    accurate: Spoken | None = None
    distorted: Spoken | None = None

    @model_validator(mode="after")
    def _worded(self) -> Self:
        shared, split = self.said and self.again, self.accurate and self.distorted
        if bool(shared) == bool(split) or (split and (self.said or self.again or self.moved)):
            raise ValueError("give either `said` and `again`, or `accurate` and `distorted` with them")
        return self

    def of_side(self, side: Side) -> dict[str, Any]:
        """The unit as the memory has it."""
        own: Spoken | PairUnit = getattr(self, side) or self
        kept = self.model_dump(include={"id", "item", "forms", "asks", "guard", "links"})
        return kept | {"said": own.said, "again": own.again, "moved": own.moved}


class SharedPhrasings(Written):
    """What both twins say in the same words; the fields are those of `Phrasings`, of one situation."""

    opening: _Two
    details: _Three
    thought: _Three
    feeling: _Two
    unmoved: _Two
    background: _Two
    deflecting: _Three
    resisting: _Three
    warmed: _Three
    agreeing: _Two
    not_knowing: _Three
    tangents: _Two
    hopes: tuple[Text, ...] = ()


class Truth(Written):
    """What the facts of one life come to, and what the patient says once they see it; no experiment where it is true."""

    warranted: Percent
    warranted_reason: Text
    balanced_thought: Text
    conceding: _Two
    insight: _Two
    experiment: Experiment | None = None


class PairSituation(Written):
    """The situation that both lives share."""

    id: Slug
    happened: Text
    automatic_thought: Text
    emotions: Annotated[tuple[Emotion, ...], Field(min_length=1, max_length=3)]
    behaviour: Text
    conviction: Annotated[float, Field(ge=75.0, le=93.0)]


class Pair(Written):
    """Two patients whom only their answers tell apart."""

    pair: Slug
    version: Annotated[int, Field(ge=1)]
    split: Literal["dev", "test"]
    person: Person
    problem: Text
    severity: Literal["mild", "moderate", "severe"]
    history: Text
    core_beliefs: Annotated[tuple[CoreBelief, ...], Field(min_length=1)]
    intermediate_beliefs: IntermediateBeliefs
    coping: Annotated[tuple[Text, ...], Field(min_length=1)]
    style: Style
    goals: _Two
    situation: PairSituation
    overreadings: Annotated[tuple[Overreading, ...], Field(min_length=1)]
    phrasings: SharedPhrasings
    talk: SmallTalk
    facts: Annotated[tuple[PairFact, ...], Field(min_length=8)]
    units: Annotated[tuple[PairUnit, ...], Field(min_length=UNITS)]
    accurate: Truth
    distorted: Truth

    @model_validator(mode="after")
    def _decided_by_its_facts(self) -> Self:
        shared = [fact.bearing("accurate") for fact in self.facts if fact.both]
        counts = (
            (len(self.facts) - len(shared), SPLIT, "facts with an answer of each life's own"),
            (shared.count("for"), 1, "fact in both lives that speaks for the thought"),
            (shared.count("against"), 3, "facts in both lives that speak against the thought"),
            *((sum(form in unit.forms for unit in self.units), 1, f"unit that answers {form.value!r}") for form in ASKED),
            *((sum(f.id in unit.links for unit in self.units), 2, f"units that link to {f.id!r}") for f in self.facts),
        )
        wrong = [f"{had} {what}, at least {least} needed" for had, least, what in counts if had < least]
        if sum(unit.accurate is not None for unit in self.units) > DIFFERING:
            wrong.append(f"at most {DIFFERING} units may differ")
        held = self.situation.conviction
        if not held - NEAR <= self.accurate.warranted <= held or self.accurate.experiment:
            wrong.append(f"accurate: warranted is at most {NEAR:g} below {held:g}, without an experiment")
        if self.distorted.warranted > FAR or self.distorted.experiment is None:
            wrong.append(f"distorted: warranted is at most {FAR:g}, and an experiment is needed")
        for side, bearing in (("accurate", "for"), ("distorted", "against")):
            own = sum(f.weight for f in self.facts if f.bearing(side) == bearing)  # type: ignore[arg-type]
            if own < 2.0 * (sum(f.weight for f in self.facts) - own):
                wrong.append(f"{side}: what speaks {bearing} the thought must weigh twice what speaks otherwise")
        for twin in self.twins() if not wrong else ():
            assert twin.memory is not None
            wrong += [f"{twin.id}: {text}" for severity, text in faults(twin, twin.memory) if severity == "wrong"]
        if wrong:
            raise ValueError("; ".join(wrong))
        return self

    def twins(self) -> tuple[Twin, Twin]:
        """The two patients, the accurate one first."""
        return self._twin("accurate"), self._twin("distorted")

    def _twin(self, side: Side) -> Twin:
        name, here, truth = f"{self.pair}-{ENDINGS[side]}", self.situation.id, getattr(self, side)
        own = ("warranted", "warranted_reason", "balanced_thought", "experiment")
        facts = [
            fact.model_dump(include={"id", "topics", "asks", "guard", "weight"})
            | fact.of(side).model_dump(include={"fact", "said"})
            | {"bearing": fact.bearing(side)}
            for fact in self.facts
        ]
        situation = self.situation.model_dump() | truth.model_dump(include=set(own))
        said = self.phrasings.model_dump() | truth.model_dump(include={"conceding", "insight"})
        memory = {
            "case": name,
            "units": [unit.of_side(side) | {"of": unit.of or here} for unit in self.units],
            "facts": [
                {"id": f.id} | f.of(side).model_dump(include={"again", "unmoved", "moved"}) for f in self.facts
            ],
            "talk": self.talk,
        }
        kept = set(Case.model_fields) - {"id", "situations", "phrasings", "memory", "risk"}
        return Twin.model_validate(
            self.model_dump(include=kept)
            | {
                "id": name,
                "situations": [situation | {"accurate": side == "accurate", "evidence": facts}],
                "phrasings": Phrasings(**{k: {here: v} if k in KEYED else v for k, v in said.items()}),
                "memory": Memory.model_validate(memory),
            }
        )


__all__ = ["ENDINGS", "Pair", "Twin"]
