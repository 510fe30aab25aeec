"""What a measure is made of, and the decorator that turns a function of an episode into a registered measure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from maieutic.domain.episode import Episode, Score
from maieutic.registry import measure as register

Better = Literal["lower", "higher"]
Need = Literal["states", "therapist_turns", "codes", "appraisals", "warranted", "against"]

POINTS = "points"
SHARE = "share"
TURNS = "turns"
SCALE = "of a 0–1 scale"


@dataclass(frozen=True, slots=True)
class Finding:
    """What the function of a measure found in one episode.

    Attributes:
        value: The value, or None when it cannot be had.
        evidence: Indices into `session.turns` that show it.
        reason: Why the value is missing; None when it is not.
    """

    value: float | None
    evidence: tuple[int, ...] = ()
    reason: str | None = None


def missing(reason: str) -> Finding:
    """A value that cannot be had, with the reason."""
    return Finding(None, reason=reason)


@dataclass(frozen=True, slots=True)
class Definition:
    """The fixed part of a measure; the prose for its documentation stands in the function's docstring.

    Attributes:
        id: Name in tables and on the command line.
        unit: Unit of the value.
        low: Smallest possible value.
        high: Largest possible value; None when there is no bound.
        better: Which direction is better for the patient of the model; None where no direction is claimed.
        needs: What an episode must hold for the measure to be had, checked in this order.
        meaning: One plain sentence for readers of a report.
        human_validated: The codes it is made of were compared with human coding and agree passably, or it is a plain
            count.
        on_request: Computed only where it is asked for by its id.
    """

    id: str
    unit: str
    low: float
    high: float | None
    better: Better | None
    needs: tuple[Need, ...]
    meaning: str
    human_validated: bool = False
    on_request: bool = False


@dataclass(frozen=True, slots=True)
class EpisodeMeasure:
    """A pure function of a stored episode together with its definition; meets the `Measure` protocol."""

    definition: Definition
    function: Callable[[Episode], Finding]

    @property
    def id(self) -> str:
        return self.definition.id

    @property
    def unit(self) -> str:
        return self.definition.unit

    @property
    def hidden(self) -> bool:
        """True when the measure reads the hidden states, so that no real transcript can have it."""
        return "states" in self.definition.needs

    @property
    def low(self) -> float:
        return self.definition.low

    @property
    def high(self) -> float | None:
        return self.definition.high

    @property
    def better(self) -> Better | None:
        return self.definition.better

    @property
    def meaning(self) -> str:
        return self.definition.meaning

    @property
    def human_validated(self) -> bool:
        return self.definition.human_validated

    @property
    def on_request(self) -> bool:
        return self.definition.on_request

    def __call__(self, episode: Episode) -> Score:
        """The score of one episode; a value of None, with the reason, where it cannot be had."""
        reason = _why_not(episode, self.definition.needs)
        found = missing(reason) if reason else self.function(episode)
        return Score(self.id, found.value, self.unit, found.reason, found.evidence)


def episode_measure(
    unit: str,
    span: tuple[float, float | None],
    better: Better | None,
    needs: tuple[Need, ...],
    meaning: str,
    *,
    human_validated: bool = False,
) -> Callable[[Callable[[Episode], Finding]], EpisodeMeasure]:
    """Make a function of an episode a measure and register it under its name; see `Definition` for the rest."""

    def make(function: Callable[[Episode], Finding]) -> EpisodeMeasure:
        id = function.__name__
        definition = Definition(id, unit, *span, better, needs, meaning, human_validated)
        return register(id)(EpisodeMeasure(definition, function))

    return make


def warranted_conviction(provenance: Mapping[str, Any]) -> float | None:
    """The conviction that the facts of the case warrant, 0–100, as the episode records it; None where it does not."""
    value = provenance.get("warranted")
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0.0 <= value <= 100.0:
        return None
    return float(value)


def facts_against(provenance: Mapping[str, Any]) -> frozenset[str]:
    """Ids of the facts that speak against the thought, as the episode records them; empty where it does not."""
    value = provenance.get("against")
    return frozenset(map(str, value)) if isinstance(value, (list, tuple)) else frozenset()


_ABSENT: Mapping[Need, tuple[Callable[[Episode], bool], str]] = {
    "states": (lambda e: not e.states, "the patient has no recorded hidden state"),
    "therapist_turns": (lambda e: not e.therapist_turns, "the therapist said nothing (no session)"),
    "codes": (lambda e: all(code is None for code in e.codes), "no therapist turn was coded"),
    "appraisals": (
        lambda e: all(a is None for a in e.appraisals),
        "the patient's reading of the turns is not recorded",
    ),
    "warranted": (
        lambda e: warranted_conviction(e.provenance) is None,
        "the episode does not record which conviction (0–100) the facts warrant",
    ),
    "against": (
        lambda e: not facts_against(e.provenance),
        "the episode does not record which facts speak against the thought",
    ),
}


def _why_not(episode: Episode, needs: tuple[Need, ...]) -> str | None:
    if episode.failed:
        return f"the dialogue failed: {episode.ending.reason or 'no reason recorded'}"
    return next((reason for need in needs for absent, reason in (_ABSENT[need],) if absent(episode)), None)
