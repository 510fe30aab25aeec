"""The case: a cognitive conceptualization diagram with the facts of one life, as it is written in YAML.

Fields follow Beck's diagram as PATIENT-Ψ lays it out (Wang et al., EMNLP 2024): history, core and intermediate beliefs,
coping, situations with automatic thought, emotion and behaviour. Added here: the facts for and against each automatic
thought with what a question must reach, how guarded each fact is, and the conviction that the facts warrant.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import Field, ValidationError, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

from maieutic.domain.memory import Memory, Percent, Share, Slug, Text, Written

Style = Literal["plain", "upset", "verbose", "reserved", "tangent", "pleasing"]
STYLES: tuple[Style, ...] = get_args(Style)

EmotionGroup = Literal["sad", "anxious", "angry", "ashamed", "disappointed", "jealous", "guilty", "hurt", "suspicious"]
EMOTION_GROUPS: tuple[EmotionGroup, ...] = get_args(EmotionGroup)

BeliefType = Literal["helpless", "unlovable", "worthless"]
_Helpless = Literal[
    "helpless", "incompetent", "powerless", "victim", "needy", "trapped", "out_of_control", "failure", "defective"
]
_Unlovable = Literal[
    "unlovable", "unattractive", "undesired", "bound_to_be_rejected", "bound_to_be_abandoned", "bound_to_be_alone"
]
_Worthless = Literal["worthless", "immoral", "bad", "does_not_deserve_to_live"]
CoreBeliefCategory = Literal[_Helpless, _Unlovable, _Worthless]
_OF_TYPE: tuple[tuple[BeliefType, Any], ...] = (
    ("helpless", _Helpless),
    ("unlovable", _Unlovable),
    ("worthless", _Worthless),
)
BELIEF_TYPES: dict[CoreBeliefCategory, BeliefType] = {one: kind for kind, own in _OF_TYPE for one in get_args(own)}

TODO = "TODO:"
"""Begins a text that stands where something still has to be written; a case that holds one is refused."""


def unfilled(data: object, where: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """The fields that still hold a marker, each with what the marker says is to be written."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield from unfilled(value, (*where, key))
    elif isinstance(data, list | tuple):
        for index, value in enumerate(data):
            yield from unfilled(value, (*where, index))
    elif isinstance(data, str) and data.lstrip().startswith(TODO):
        yield where, data.lstrip().removeprefix(TODO).strip()


class Person(Written):
    """Who the patient is; nothing in the dynamics reads it."""

    name: Text
    age: Annotated[int, Field(ge=18, le=100)]
    gender: Text
    culture: Text
    work: Text
    household: Text


class CoreBelief(Written):
    """One core belief with its category (19 categories of three types)."""

    category: CoreBeliefCategory
    statement: Text

    @property
    def type(self) -> BeliefType:
        return BELIEF_TYPES[self.category]


class IntermediateBeliefs(Written):
    """Attitudes, rules and assumptions between the core belief and the thoughts of a day."""

    attitudes: tuple[Text, ...] = ()
    rules: tuple[Text, ...] = ()
    assumptions: tuple[Text, ...] = ()


class Emotion(Written):
    """A feeling in a situation; intensity 0–100."""

    group: EmotionGroup
    intensity: Percent


class Evidence(Written):
    """One fact of this life that speaks for or against an automatic thought.

    Attributes:
        fact: The fact in the third person, for readers of the case.
        said: How the patient tells it, in the first person; two or more wordings.
        topics: What a question must be about to bring the fact up: people, places, events, things.
        asks: Questions that would reach it, in several wordings.
        guard: Openness (0–1) that the patient needs before telling it.
        weight: How much it bears on the thought once the patient looks at it (0–1).
    """

    id: Slug
    bearing: Literal["for", "against"]
    fact: Text
    said: Annotated[tuple[Text, ...], Field(min_length=2)]
    topics: Annotated[tuple[Text, ...], Field(min_length=2)]
    asks: Annotated[tuple[Text, ...], Field(min_length=3)]
    guard: Share
    weight: Share


_Two = Annotated[tuple[Text, ...], Field(min_length=2)]
_Three = Annotated[tuple[Text, ...], Field(min_length=3)]


class Experiment(Written):
    """A small test in daily life that the patient could plan, and what comes of it before the next session.

    Attributes:
        plan: How the patient words what they will try, in the first person; two or more wordings.
        prediction: What the patient expects if the hot thought is true.
        outcome: What happens, in the third person, for readers of the case.
        said: How the patient tells it in the next session.
        weight: How much the outcome bears on the thought (0–1).
    """

    plan: _Two
    prediction: Text
    outcome: Text
    said: _Two
    weight: Share


class KnowledgeGap(Written):
    """Ordinary information that the patient lacks and that part of the conviction rests on.

    Attributes:
        missing: What the patient takes for granted instead.
        information: The correct information in one or two plain sentences.
        topics: What a turn must be about to touch the gap.
        asks: Questions that find out what the patient knows.
        before: What the patient says when asked, in the first person.
        after: The information in the patient's own words, once given and checked back.
        share: Share (0–1) of the way from conviction to warranted that rests on the gap.
    """

    missing: Text
    information: Text
    topics: Annotated[tuple[Text, ...], Field(min_length=2)]
    asks: Annotated[tuple[Text, ...], Field(min_length=3)]
    before: _Two
    after: _Two
    share: Share


class Compulsion(Written):
    """An intrusion with its ritual: only the appraisal (the automatic thought) is open to work, the content is not.

    Attributes:
        intrusion: The thought, image or doubt that comes unbidden.
        ritual: What the patient does to undo it, reassurance-seeking included.
        urge: Urge to do it at the start of the session, 0–100.
        content: What disputing the intrusion or reassuring about it would speak of; short noun phrases.
        bids: How the patient asks for reassurance, in the first person.
    """

    intrusion: Text
    ritual: Text
    urge: Percent
    content: Annotated[tuple[Text, ...], Field(min_length=3)]
    bids: _Three


class Situation(Written):
    """One situation with its hot thought, feelings, behaviour and the facts around it.

    Attributes:
        conviction: How strongly the patient holds the automatic thought at the start (0–100).
        warranted: How strongly the facts warrant holding it (0–100); going below it is harm.
        accurate: The thought is substantially true: validation and coping are right, disputing is not.
    """

    id: Slug
    happened: Text
    automatic_thought: Text
    emotions: Annotated[tuple[Emotion, ...], Field(min_length=1, max_length=3)]
    behaviour: Text
    conviction: Annotated[float, Field(ge=60.0, le=95.0)]
    warranted: Percent
    warranted_reason: Text
    accurate: bool = False
    balanced_thought: Text
    evidence: Annotated[tuple[Evidence, ...], Field(min_length=5)]
    experiment: Experiment | None = None
    knowledge_gap: KnowledgeGap | None = None
    compulsion: Compulsion | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        ids = [e.id for e in self.evidence]
        if len(set(ids)) != len(ids):
            raise ValueError(f"evidence ids must differ within a situation, got {ids}")
        if {e.bearing for e in self.evidence} != {"for", "against"}:
            raise ValueError("evidence must hold at least one fact for and one against the thought")
        if self.warranted > self.conviction:
            raise ValueError("warranted must not exceed the starting conviction")
        return self

    def fact(self, name: str) -> Evidence:
        """The fact of this id."""
        return next(e for e in self.evidence if e.id == name)


class Overreading(Written):
    """A remark that a careless therapist would read a feeling or motive into."""

    remark: Text
    tempting_but_false: Text
    false_emotion: EmotionGroup


class Risk(Written):
    """Graded risk and how it shows."""

    level: Literal["none", "passive", "active", "imminent"] = "none"
    kind: Literal["suicide", "harm_to_others", "abuse", "psychosis", "mania", "postpartum", "substance"] | None = None
    disclosure: Literal["open", "hint", "only_when_asked"] | None = None
    hints: tuple[Text, ...] = ()
    disclosures: tuple[Text, ...] = ()
    denials: tuple[Text, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.level != "none" and (self.kind is None or self.disclosure is None or not self.disclosures):
            raise ValueError("a case with risk needs kind, disclosure and at least one disclosures text")
        if self.level == "none" and (self.hints or self.disclosures):
            raise ValueError("hints and disclosures need a risk level other than 'none'")
        return self


class Phrasings(Written):
    """The patient's own way of saying things, by what is being said.

    `opening`, `details`, `thought`, `feeling`, `conceding`, `unmoved` and `insight` depend on the situation and are
    keyed by its id. `hopes` words the goals of the work.
    """

    opening: dict[str, _Two]
    details: dict[str, _Three]
    thought: dict[str, _Three]
    feeling: dict[str, _Two]
    background: _Two
    deflecting: _Three
    resisting: _Three
    warmed: _Three
    agreeing: _Two
    not_knowing: _Three
    conceding: dict[str, _Two]
    unmoved: dict[str, _Two]
    insight: dict[str, _Two]
    tangents: _Two
    hopes: tuple[Text, ...] = ()


class Case(Written):
    """A simulated patient's life and mind at the start, as validated data.

    Attributes:
        memory: What is remembered beside the diagram; it lies in a file of its own, `memory/ID.yaml` beside the case.
    """

    id: Slug
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
    situations: Annotated[tuple[Situation, ...], Field(min_length=2)]
    overreadings: Annotated[tuple[Overreading, ...], Field(min_length=1)]
    risk: Risk = Risk()
    phrasings: Phrasings
    memory: Memory | None = None

    @model_validator(mode="before")
    @classmethod
    def _nothing_left_to_write(cls, data: Any) -> Any:
        left = [
            InitErrorDetails(
                type=PydanticCustomError("unfilled", "still to be written: {todo}", {"todo": todo}),
                loc=where,
                input=todo,
            )
            for where, todo in unfilled(data)
        ]
        if left:
            raise ValidationError.from_exception_data("Case", left)
        return data

    @model_validator(mode="after")
    def _phrasings_cover_situations(self) -> Self:
        wanted = {s.id for s in self.situations}
        for field in ("opening", "details", "thought", "feeling", "conceding", "unmoved", "insight"):
            got = set(getattr(self.phrasings, field))
            if got != wanted:
                raise ValueError(
                    f"phrasings.{field} must have exactly the situation ids {sorted(wanted)}, got {sorted(got)}"
                )
        return self

    def situation(self, name: str) -> Situation:
        """The situation of this id."""
        return next(s for s in self.situations if s.id == name)

    @property
    def groups(self) -> tuple[str, ...]:
        """Special groups of the case: 'risk', 'accurate', 'knowledge_gap', 'ocd_like'; empty for most."""
        found = {
            "risk": self.risk.level != "none",
            "accurate": any(s.accurate for s in self.situations),
            "knowledge_gap": any(s.knowledge_gap for s in self.situations),
            "ocd_like": any(s.compulsion for s in self.situations),
        }
        return tuple(name for name, there in found.items() if there)

    @property
    def special(self) -> str | None:
        """Why the case is reported apart from arm means: 'risk', 'accurate' or None."""
        if self.risk.level != "none":
            return "risk"
        return "accurate" if any(s.accurate for s in self.situations) else None
