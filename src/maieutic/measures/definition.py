"""What a measure is: a function of what is at hand of one session, with its definition; the decorator that puts it into
the one catalogue; and how anybody's measure becomes one.

`@measure` on a function in a module of this folder is all that a new measure of the package takes. It says what the
function reads (`needs`), and where a session lacks that the value is missing with the reason; the function itself says
why it finds nothing, and a value is never 0 for want of anything to count."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import isfinite
from numbers import Real
from typing import Any, Final, Literal, NamedTuple

from maieutic.domain.episode import Episode, Score
from maieutic.errors import raised
from maieutic.measures.coded import MIN_CODED, CodedTranscript, Placed, indices
from maieutic.measures.material import NO_THERAPIST, Material, with_moves
from maieutic.measures.validity import BY_ITS_WORD, NOT_VALIDATED, is_validated, validity_of
from maieutic.registry import measure as register

Better = Literal["lower", "higher"]
Coarse = Literal["words", "codes", "state"]
Finer = Literal["talk", "people", "vectors", "moves", "bolt", "bolt_too", "socratic", "heard", "warranted", "against"]
Need = Coarse | Finer

POINTS = "points"
SHARE = "share"
TURNS = "turns"
SCALE = "of a 0–1 scale"
NO_BOLT = "no BOLT codes at hand: the codes come from a file or a coder that has none"
NO_SOCRATIC = "no coder for Socratic question types was handed in"
NO_EMBEDDER = "sentence vectors are slow and were not asked for (--alliance)"
NO_STATES = "the patient has no recorded hidden state"
NO_CODES = "no therapist turn was coded"
NO_APPRAISAL = "the patient's reading of the turns is not recorded"
NO_WARRANTED = "the episode does not record which conviction (0–100) the facts warrant"
NO_AGAINST = "the episode does not record which facts speak against the thought"
CHATBOT = "chatbot text: a simulated therapist is no person, and of such text the likeness says nothing"
UNTOLD = "The measure gives no description of itself."


@dataclass(frozen=True, slots=True)
class Finding:
    """What the function of a measure found in one session.

    Attributes:
        value: The value, or None when it cannot be had.
        evidence: Positions in the session that show it.
        reason: Why the value is missing; None when it is not.
        unit: Of the value, where the measure itself does not say.
    """

    value: float | None
    evidence: tuple[int, ...] = ()
    reason: str | None = None
    unit: str = ""


def missing(reason: str) -> Finding:
    """A value that cannot be had, with the reason."""
    return Finding(None, reason=reason)


def share_of(hits: Sequence[Placed], of: Sequence[Placed], absent: str, fewest: int = MIN_CODED) -> Finding:
    """The share of `of` that `hits` is, with the hits as evidence; missing for the reason `absent` when `of` is
    empty, and as too few below `fewest`: one turn more would turn it round."""
    if not of:
        return missing(absent)
    if len(of) < fewest:
        return missing(f"too few ({len(hits)} of {len(of)}); at least {fewest} are needed")
    return Finding(len(hits) / len(of), indices(hits))


class Needed(NamedTuple):
    """What a measure may need of a session: its name for readers, and why a session lacks it, or None."""

    told: str
    lacking: Callable[[Material], str | None]


def _coded_under(scheme: str, given: Material) -> bool:
    return any(scheme in turn.codes for turn in given.coded.turns)


NEEDS: Final[Mapping[Need, Needed]] = {
    "words": Needed("words", lambda given: None if given.episode.therapist_turns else NO_THERAPIST),
    "codes": Needed("AnnoMI codes", lambda given: given.unfit),
    "state": Needed("hidden mind", lambda given: None if given.states else NO_STATES),
    # Words: both speakers, in English, four turns or more; of people; to be compared by their vectors.
    "talk": Needed("words", lambda given: given.unfit),
    "people": Needed("people's sessions", lambda given: CHATBOT if given.simulated else None),
    "vectors": Needed("sentence vectors", lambda given: None if given.embedder else NO_EMBEDDER),
    # Codes: under another scheme than AnnoMI's, or the moves that are recorded of a simulated session.
    "moves": Needed("moves", lambda given: None if with_moves(given) else NO_CODES),
    "bolt": Needed("BOLT codes", lambda given: given.unfit or (None if _coded_under("bolt", given) else NO_BOLT)),
    "bolt_too": Needed("BOLT codes where there are any", lambda given: given.unfit),
    "socratic": Needed("Socratic codes", lambda given: None if _coded_under("socratic", given) else NO_SOCRATIC),
    # State: what is recorded beside it.
    "heard": Needed(
        "how it was heard", lambda given: None if any(e.appraisal for e in given.exchanges) else NO_APPRAISAL
    ),
    "warranted": Needed("warranted conviction", lambda given: NO_WARRANTED if given.warranted is None else None),
    "against": Needed("facts against", lambda given: None if given.against else NO_AGAINST),
}
"""Words, codes and state; below each what a measure may need of it in particular."""

OF_MINDS: Final[dict[str, tuple[Need, ...]]] = {
    "Conviction": ("state",),
    "What came to light": ("state", "words", "against"),
    "Pace": ("state", "words", "moves"),
    "Questions, reflections and advice": ("words", "moves"),
    "Feelings": ("words", "moves"),
    "Alliance, resistance, distress": ("state",),
    "Talk": ("words",),
}
"""Families of what is computed of every simulated session, and of a transcript on request, with what most in them
need."""
OF_TALK: Final[dict[str, tuple[Need, ...]]] = {
    "Likeness to MI demonstrations": ("words", "people", "codes"),
    "Codes": ("codes",),
    "After a feeling": ("codes",),
    "Questions": ("codes",),
    "Stages of guided discovery": ("codes", "bolt_too"),
    "Who voices the idea": ("talk",),
    "Competence, by proxy": ("codes", "bolt_too"),
    "Alliance from text": ("talk", "vectors"),
    "Synchrony": ("talk",),
    "Order over the session": ("codes",),
    "Only for motivational interviewing": ("codes",),
    "Talk and length": ("talk",),
}
"""Families of what is computed of every transcript, in the order of its report, with what most in them need."""
ASKED: Final = "Asked for"
STRANGERS: Final = "Of other packages"


@dataclass(frozen=True, slots=True)
class Measure:
    """A pure function of one session with its definition; meets `protocols.Measure`.

    Attributes:
        id: Name in tables and on the command line.
        function: What it finds.
        family: Heading under which it is listed.
        unit: Unit of the value.
        meaning: One plain sentence for readers: what a high value says.
        needs: What a session must hold for the measure to be had, checked in this order.
        low, high: Smallest and largest possible value; −∞ and None where there is no bound, `low` None where the
            measure does not say.
        better: Which direction is better for the patient of the model, 'lower' or 'higher' or in words; None where no
            direction is claimed.
        definition: Source, departures, evidence, blind spots and, of most, validity: the function's docstring.
        titled: Name for readers, where it is not the id in words.
        human_validated: The codes it is made of were compared with human coding and agree passably, or it is a plain
            count.
        length: It is session length itself, the confounder, not a measure of conduct.
        detail: One of many of its kind, for the long list only.
        everywhere: Computed of every session, of whatever kind.
        asked: It was asked for by name, so it is shown whatever is known of it.
        packaged: It is one of this package, and not of a file or package of somebody's own.
    """

    id: str
    function: Callable[[Material], Finding]
    family: str
    unit: str
    meaning: str
    needs: tuple[Need, ...]
    low: float | None
    high: float | None
    better: str | None = None
    definition: str = ""
    titled: str = ""
    human_validated: bool = False
    length: bool = False
    detail: bool = False
    everywhere: bool = False
    asked: bool = False
    packaged: bool = True

    def __call__(self, session: Episode | CodedTranscript | Material) -> Score:
        """The score of one session; a value of None, with the reason, where it cannot be had."""
        given = session if isinstance(session, Material) else Material(session)
        reason = _failed(given) or next(filter(None, (NEEDS[need].lacking(given) for need in self.needs)), None)
        found = missing(reason) if reason else self.function(given)
        return Score(self.id, found.value, self.unit or found.unit, found.reason, found.evidence)

    @property
    def hidden(self) -> bool:
        """True when the measure reads the hidden states, so that no real transcript can have it."""
        return "state" in self.needs

    @property
    def on_request(self) -> bool:
        """Of a simulated session it is computed only where it is asked for by its id."""
        return self.family in OF_TALK and not self.everywhere

    @property
    def validated(self) -> str:
        """A number measured on human coding, or 'not human-validated' with the reason where there is one."""
        if not self.packaged:
            return BY_ITS_WORD if self.human_validated else NOT_VALIDATED
        return validity_of(self.id, self.definition, self.human_validated)

    @property
    def needed(self) -> str:
        """What a session must hold for it, in words."""
        return ", ".join(NEEDS[need].told for need in self.needs) or "a session"

    @property
    def scale(self) -> str:
        """Unit and range."""
        if self.low is None:
            return self.unit or "not stated"
        low, high = (None if end is None else f"{end:g}".replace("-", "−") for end in (self.low, self.high))
        span = "open" if low == "−inf" else f"{low} upwards" if high is None else f"{low} to {high}"
        return self.unit if self.unit.endswith(span) else f"{self.unit}, {span}"

    @property
    def label(self) -> str:
        """The id as it is read."""
        return self.id.replace("_", " ")

    @property
    def title(self) -> str:
        """Name for readers."""
        return self.titled or self.label.capitalize()

    @property
    def claims(self) -> str:
        """Which direction is better, in words."""
        return self.better or "no direction claimed"

    @property
    def sign(self) -> float:
        """1 where a higher value is better, −1 where a lower is; 1 where no direction is claimed."""
        return -1.0 if self.better == "lower" else 1.0

    @property
    def percent(self) -> bool:
        """The value is a share, shown in per cent."""
        return is_share(self.unit)

    def show(self, value: float | None) -> str:
        """A value in the measure's way of writing; a dash for a missing one."""
        if value is None:
            return "–"
        if self.percent:
            return f"{100 * value:.0f} %"
        if abs(value) < 2:
            return f"{value:.2f}"
        return f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def _failed(given: Material) -> str | None:
    if not (given.simulated and given.episode.failed):
        return None
    return f"the dialogue failed: {given.episode.ending.reason or 'no reason recorded'}"


def measure(
    family: str,
    unit: str,
    meaning: str = "",
    *,
    needs: tuple[Need, ...] = (),
    span: tuple[float, float | None] | None = None,
    better: Better | None = None,
    title: str = "",
    id: str = "",
    human_validated: bool | None = None,
    length: bool = False,
    detail: bool = False,
    everywhere: bool = False,
) -> Callable[[Callable[[Material], Finding]], Measure]:
    """Makes a function a measure of the catalogue under its name and docstring; `Measure` says what each word means.

    Args:
        meaning: Where it is left out, the first paragraph of the docstring.
        needs: Where it is left out, what most measures of the family need.
        span: Smallest and largest value; a share's is 0 to 1 without being said.
        id: Another name than the function's, for one of many alike: those are a `partial` of one function each.
        human_validated: Where it is left out, whether it agreed with human codes (`validity`).
    """
    if span is None and not is_share(unit):
        raise TypeError(f"a measure in {unit} needs its span, the smallest and the largest value")
    low, high = span or (0.0, 1.0)

    def make(function: Callable[[Material], Finding]) -> Measure:
        body = body_of(function)
        name, definition = id or body.__name__, inspect.getdoc(body) or ""
        found = Measure(
            name,
            function,
            family,
            unit,
            meaning or opening_of(definition),
            needs or (OF_MINDS | OF_TALK)[family],
            low,
            high,
            better,
            definition,
            title,
            is_validated(name) if human_validated is None else human_validated,
            length,
            detail,
            everywhere,
        )
        MADE.append(register(name)(found))
        return found

    return make


def body_of(function: Callable[..., Any]) -> Any:
    """The function itself, of one that is given some of its arguments beforehand."""
    return function.func if isinstance(function, partial) else function


def opening_of(definition: str) -> str:
    """What a docstring says first, on one line."""
    return " ".join(definition.partition("\n\n")[0].split())


MADE: Final[list[Measure]] = []
"""The measures of the package, in the order in which they are declared."""
BROKEN = "the measure failed with"
"""How the reason begins where a measure of somebody's own raised an error."""


def is_share(unit: str) -> bool:
    """Whether a unit counts parts of a whole (0–1), written in per cent."""
    return unit.lower().startswith(("share", "proportion", "fraction"))


def as_measure(own: Any) -> Measure:
    """Anybody's measure, any object that meets `protocols.Measure`, as one of ours; one of ours as it is.

    It is handed the stored session, and what it raises makes the value missing. What it does not tell stays untold: a
    range, a unit that only its scores have.
    """
    if isinstance(own, Measure):
        return own

    def function(given: Material) -> Finding:
        try:
            found = own(given.episode)
        except Exception as error:
            return missing(f"{BROKEN} {raised(error)}")
        if not isinstance(found, Score):
            return missing(f"{BROKEN} TypeError: it returned {type(found).__name__} where a Score is expected")
        if found.value is None:
            return Finding(None, (), found.reason or "the measure gives no value and no reason", found.unit)
        if not (isinstance(found.value, Real) and isfinite(found.value)):
            return missing(f"{BROKEN} a value that is no number: {found.value!r}")
        places = range(len(given.episode.session))
        shown = tuple(given.place(index) for index in found.evidence if index in places)
        return Finding(float(found.value), shown, found.reason, found.unit)

    definition = inspect.getdoc(own) or ""
    return Measure(
        own.id,
        function,
        STRANGERS,
        getattr(own, "unit", ""),
        str(getattr(own, "meaning", None) or opening_of(definition)) or UNTOLD,
        ("state",) if getattr(own, "hidden", False) else (),
        getattr(own, "low", None),
        getattr(own, "high", None),
        getattr(own, "better", None),
        definition,
        human_validated=bool(getattr(own, "human_validated", False)),
        packaged=False,
    )


def untold(id: str) -> Measure:
    """What is known of a measure that is not at hand: a name."""
    return Measure(id, lambda given: missing("the measure is not at hand"), STRANGERS, "", UNTOLD, (), None, None)
