"""What a practice session gives back: a formulation with its score, and feedback on turns and on the whole session.

Everything told about the patient is what this simulation made of a turn. Before a formulation is handed in, only kinds
are named ('a guarded memory stayed shut'), never what the kind holds.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final, Literal

Field = Literal[
    "situations",
    "automatic_thoughts",
    "meanings",
    "emotions",
    "behaviours",
    "core_beliefs",
    "intermediate_beliefs",
    "coping",
    "evidence_heard",
]
Level = Literal["first", "further", "hard"]
"""How much a case asks of a beginner, from what the brief may say: severity and style."""

ASSUMPTION: Final = "This is what this simulation made of it, not what a person would. It is no grade of competence."
"""Stands on everything that is told about the simulated mind."""


@dataclass(frozen=True, slots=True)
class Formulation:
    """The cognitive conceptualization diagram as a trainee writes it, entry by entry; the fields of Beck (2020).

    Attributes:
        situations: What happened.
        automatic_thoughts: What went through the patient's mind.
        meanings: What the thought says about the patient, others or what is to come.
        emotions: What was felt.
        behaviours: What the patient did.
        core_beliefs: What the patient holds of themselves, deep down.
        intermediate_beliefs: Attitudes, rules and assumptions.
        coping: What the patient does so as not to feel it.
        evidence_heard: What the patient told that speaks for or against the thought.
    """

    situations: tuple[str, ...] = ()
    automatic_thoughts: tuple[str, ...] = ()
    meanings: tuple[str, ...] = ()
    emotions: tuple[str, ...] = ()
    behaviours: tuple[str, ...] = ()
    core_beliefs: tuple[str, ...] = ()
    intermediate_beliefs: tuple[str, ...] = ()
    coping: tuple[str, ...] = ()
    evidence_heard: tuple[str, ...] = ()

    def entries(self, field: Field) -> tuple[str, ...]:
        """What stands in one field."""
        found: tuple[str, ...] = getattr(self, field)
        return found


FIELDS: Final[tuple[Field, ...]] = tuple(one.name for one in fields(Formulation))  # type: ignore[misc]


@dataclass(frozen=True, slots=True)
class Match:
    """An entry of the trainee beside the entry of the reference that it means.

    Attributes:
        likeness: Cosine of the two, −1 to 1.
        words: The trainee's words that lie nearest to the reference's, in the order of the entry.
    """

    given: str
    reference: str
    likeness: float
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FieldScore:
    """One field of a formulation against the reference.

    Attributes:
        precision: Share of the trainee's entries that match one of the reference, 0–1; None where nothing was written.
        recall: Share of the reference's entries that were matched, 0–1; None where the reference has none.
        f1: Their harmonic mean, 0–1; 0 for a blank field; None where the reference has none.
        chance: Mean F1 that the references of other cases reach in this field, 0–1; None without other cases.
        matched: The pairs, best first.
        unmatched: Entries of the trainee that match nothing.
        missed: Entries of the reference that nothing matches; only ever shown after the formulation is handed in.
    """

    field: Field
    precision: float | None
    recall: float | None
    f1: float | None
    chance: float | None
    matched: tuple[Match, ...] = ()
    unmatched: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FormulationScore:
    """A formulation against the reference; f1 and chance are means over the fields that the reference has, 0–1."""

    fields: tuple[FieldScore, ...]
    f1: float
    chance: float | None


HeldBackKind = Literal["guarded_memory", "memory", "feeling", "thought", "other"]
HeldBackWhy = Literal["after_a_cost", "after_turning", "trust", "unknown"]


@dataclass(frozen=True, slots=True)
class HeldBack:
    """Something that the turn asked for and the patient kept, as a kind; `told` says it in a sentence."""

    kind: HeldBackKind
    why: HeldBackWhy
    told: str


@dataclass(frozen=True, slots=True)
class Alternative:
    """One kind of turn to try, with the reason and what to go on from, never as a ready sentence.

    Attributes:
        kind: What to do, as `practice.steps` names it.
        instead: It is meant in place of the turn; False: as a step after it.
        why: Why that may help; empty where danger is open.
        words: Words of the patient that it takes up; None where it needs none.
        example: Wording of a question about danger; None elsewhere.
        of: Words of the trainee that it is about; None where it is about no sentence of theirs.
    """

    kind: str
    instead: bool = True
    why: str = ""
    words: str | None = None
    example: str | None = None
    of: str | None = None

    @property
    def lead(self) -> str:
        """How it is begun."""
        return "Another way" if self.instead else "A next step"

    def told(self) -> str:
        """In a sentence."""
        taken = f"take up “{self.words}”: {self.kind}" if self.words else self.kind
        taken = f"as to “{self.of}”: {self.kind}" if self.of else taken
        why = f" – {self.why}" if self.why else ""
        return f"{self.lead}: {taken}{why}" + (f", for instance “{self.example}”" if self.example else ".")


@dataclass(frozen=True, slots=True)
class TurnFeedback:
    """What one turn did and reached.

    Attributes:
        number: Therapist turn, from 1.
        said: The trainee's words.
        well: One thing done well, said first; None where nothing was found.
        did: Names of what the turn surely did, in the field's words: 'open question', 'leading question', 'advice' …
        was: The same in sentences with the words that each rests on, and what others may be heard as.
        reached: Sentences on what it brought up, as kinds, and on what moved clearly.
        held_back: What the patient kept, as kinds with the reason.
        alternative: One thing to try; None where nothing is missing.
        conviction, openness, distress: What moved in the turn: points (0–100), share (0–1), points; None without a
            mind.
        unread: A language model was asked to read the turn, and its reply could not be used: this is told without it.
    """

    number: int
    said: str
    well: str | None
    did: tuple[str, ...]
    was: tuple[str, ...]
    reached: tuple[str, ...]
    held_back: tuple[HeldBack, ...]
    alternative: Alternative | None
    conviction: float | None = None
    openness: float | None = None
    distress: float | None = None
    unread: bool = False

    def sentences(self) -> tuple[str, ...]:
        """Everything that is told of the turn, the good first; without the trainee's own words."""
        other = self.alternative
        return (
            *([self.well] if self.well else []),
            *self.was,
            *self.reached,
            *(one.told for one in self.held_back),
            *([other.told()] if other else []),
        )


@dataclass(frozen=True, slots=True)
class Point:
    """The simulated mind after a turn; turn 0 is before the first. Conviction and distress 0–100, openness 0–1."""

    turn: int
    conviction: float
    openness: float
    distress: float


@dataclass(frozen=True, slots=True)
class GoalMet:
    """A goal of the exercise at the end: how far it was reached and by which turns (numbers from 1)."""

    id: str
    text: str
    met: bool
    reached: int
    wanted: int
    turns: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Compared:
    """One therapist on the same case and seed: `value` is the measure on its own scale, None with the reason why
    not."""

    who: str
    sees_the_case: bool
    value: float | None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Trainee, agent and, if the teacher allows, oracle by one measure, on the same case and seed."""

    measure: str
    meaning: str
    unit: str
    better: str | None
    rows: tuple[Compared, ...]


@dataclass(frozen=True, slots=True)
class Growth:
    """One measure over a person's sessions in the order they were held; None where a session has no value.

    It is growth within this simulation and says nothing on work with people.
    """

    measure: str
    meaning: str
    unit: str
    better: str | None
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Brief:
    """What a trainee may know of a case before the first session: nothing of the diagram and nothing unvoiced."""

    id: str
    name: str
    age: int
    work: str
    level: Level
    topics: tuple[str, ...]
    styles: tuple[str, ...]
    risk_notice: bool
