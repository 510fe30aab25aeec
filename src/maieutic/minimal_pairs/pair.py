"""A minimal pair as it is written: what both patients share, and the answers by which they differ.

Both twins have the same person, situation, opening, thought, feeling, conviction, and the same facts to ask for, with
the same handles, questions, guard and weight. What differs is what the patient has to answer: in one life the answers
speak for the thought, in the other against it. So a therapist can know only by asking. The idea is the contrast set
of language tests (Gardner et al. 2020), turned to patients.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from maieutic.domain.appraisal import QuestionForm
from maieutic.domain.case import Case, Experiment, Situation
from maieutic.domain.coverage import faults
from maieutic.domain.memory import Percent, Share, Slug, SmallTalk, Text, Written

Side = Literal["accurate", "distorted"]
ENDINGS: Final[Mapping[Side, str]] = {"accurate": "true", "distorted": "distorted"}
"""How the ids of the twins end."""
BEARINGS: Final[Mapping[Side, str]] = {"accurate": "for", "distorted": "against"}
"""What the answers that differ speak for."""
KEYED: Final = ("opening", "details", "thought", "feeling", "conceding", "unmoved", "insight")
TALK: Final = ("again", "unmoved", "moved")
NEAR, FAR = 4.0, 45.0
"""Warranted is at most so many points below conviction where the thought is accurate, and at most so high where not."""
SPLIT, UNITS, DIFFERING = 4, 25, 6
ASKED: Final = "who where when said how_know other_view double_standard alternative meaning".split()
"""Forms of question that some unit must answer."""
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
        return (self.both and self.both.bearing) or BEARINGS[side]


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


class Truth(Written):
    """What the facts of one life come to, and what is said once they are seen."""

    warranted: Percent
    warranted_reason: Text
    balanced_thought: Text
    conceding: _Two
    insight: _Two
    experiment: Experiment | None = None


class Pair(Written):
    """Two patients whom only their answers tell apart.

    What is shared is written as in a case (person, history, beliefs …, `situation`, `phrasings`; a line of talk stands
    under its kind, without the situation's id), and is judged by the schema of a case in either twin.
    """

    model_config = ConfigDict(frozen=True, extra="allow", str_strip_whitespace=True, defer_build=True)

    pair: Slug
    situation: dict[str, Any]
    phrasings: dict[str, Any]
    talk: SmallTalk
    facts: Annotated[tuple[PairFact, ...], Field(min_length=8)]
    units: Annotated[tuple[PairUnit, ...], Field(min_length=UNITS)]
    accurate: Truth
    distorted: Truth

    @model_validator(mode="after")
    def _decided_by_its_facts(self) -> Self:
        wrong = [f"{had} {what}, at least {least} needed" for had, least, what in self._counts() if had < least]
        if sum(unit.accurate is not None for unit in self.units) > DIFFERING:
            wrong.append(f"at most {DIFFERING} units may differ")
        for side, bearing in BEARINGS.items():
            own = sum(f.weight for f in self.facts if f.bearing(side) == bearing)
            if own < 2.0 * (sum(f.weight for f in self.facts) - own):
                wrong.append(f"{side}: what speaks {bearing} the thought must weigh twice what speaks otherwise")
        true, distorted = self.twins()
        if true.situations[0].warranted < true.situations[0].conviction - NEAR or true.situations[0].experiment:
            wrong.append(f"accurate: warranted is at most {NEAR:g} below conviction, without an experiment")
        if distorted.situations[0].warranted > FAR or distorted.situations[0].experiment is None:
            wrong.append(f"distorted: warranted is at most {FAR:g}, and an experiment is needed")
        for twin in (true, distorted):
            assert twin.memory is not None
            wrong += [f"{twin.id}: {text}" for severity, text in faults(twin, twin.memory) if severity == "wrong"]
        if wrong:
            raise ValueError("; ".join(wrong))
        return self

    def _counts(self) -> Iterator[tuple[int, int, str]]:
        """(how many there are, how many are needed, of what)."""
        shared = [fact.bearing("accurate") for fact in self.facts if fact.both]
        yield len(self.facts) - len(shared), SPLIT, "facts with an answer of each life's own"
        yield shared.count("for"), 1, "fact in both lives that speaks for the thought"
        yield shared.count("against"), 3, "facts in both lives that speak against the thought"
        for form in ASKED:
            yield sum(form in unit.forms for unit in self.units), 1, f"unit that answers {form!r}"
        for fact in self.facts:
            yield sum(fact.id in unit.links for unit in self.units), 2, f"units that link to {fact.id!r}"

    def twins(self) -> tuple[Twin, Twin]:
        """The two patients, the accurate one first."""
        return self._twin("accurate"), self._twin("distorted")

    def _twin(self, side: Side) -> Twin:
        name, truth = f"{self.pair}-{ENDINGS[side]}", getattr(self, side).model_dump()
        said = self.phrasings | {key: truth.pop(key) for key in ("conceding", "insight")}
        facts = [(fact, fact.of(side).model_dump()) for fact in self.facts]
        situation = self.situation | truth | {"accurate": side == "accurate"}
        situation["evidence"] = [
            fact.model_dump(include={"id", "topics", "asks", "guard", "weight"})
            | {"fact": told["fact"], "said": told["said"], "bearing": fact.bearing(side)}
            for fact, told in facts
        ]
        here = situation.get("id")
        memory = {
            "case": name,
            "units": [unit.of_side(side) | {"of": unit.of or here} for unit in self.units],
            "facts": [{"id": fact.id} | {key: told[key] for key in TALK} for fact, told in facts],
            "talk": self.talk.model_dump(),
        }
        return Twin.model_validate(
            (self.model_extra or {})
            | {
                "id": name,
                "situations": [situation],
                "phrasings": {key: {here: line} if key in KEYED else line for key, line in said.items()},
                "memory": memory,
            }
        )


__all__ = ["ENDINGS", "Pair", "Twin"]
