"""What a measure is made of: the decorator that turns a function of an episode into a registered one, how an episode is
read (one record for each therapist turn, with what it answered and what it did), and the score of one session by any
measure, whoever wrote it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from maieutic.domain.appraisal import Appraisal
from maieutic.domain.codes import QUESTIONS, Move, TurnCode
from maieutic.domain.episode import Episode, Score
from maieutic.domain.state import CognitiveState
from maieutic.errors import raised
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
class EpisodeMeasure:
    """A pure function of a stored episode with its definition; meets the `Measure` protocol.

    The prose for its documentation stands in the function's docstring.

    Attributes:
        function: What it computes.
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
        family: Heading under which it is listed.
    """

    function: Callable[[Episode], Finding]
    id: str
    unit: str
    low: float
    high: float | None
    better: Better | None
    needs: tuple[Need, ...]
    meaning: str
    human_validated: bool = False
    on_request: bool = False
    family: str = ""

    @property
    def hidden(self) -> bool:
        """True when the measure reads the hidden states, so that no real transcript can have it."""
        return "states" in self.needs

    def __call__(self, episode: Episode) -> Score:
        """The score of one episode; a value of None, with the reason, where it cannot be had."""
        reason = _why_not(episode, self.needs)
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
    family: str = "",
) -> Callable[[Callable[[Episode], Finding]], EpisodeMeasure]:
    """Make a function of an episode a measure and register it under its name; see `EpisodeMeasure` for the rest."""

    def make(function: Callable[[Episode], Finding]) -> EpisodeMeasure:
        id = function.__name__
        return register(id)(
            EpisodeMeasure(function, id, unit, *span, better, needs, meaning, human_validated, family=family)
        )

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


BROKEN = "the measure failed with"
"""How the reason begins where a measure of somebody's own raised an error."""


def is_packaged(measure: Any) -> bool:
    """Whether a measure is one of this package, and not of a file or package of somebody's own."""
    return str(getattr(measure, "function", measure).__module__).startswith("maieutic.")


def meaning_of(measure: Any) -> str:
    """What a measure says of itself in a sentence: its `meaning`, or its docstring's first line; '' without."""
    own = getattr(measure, "__doc__", None) or ""
    return str(getattr(measure, "meaning", None) or own.strip().partition("\n")[0])


def is_share(unit: str) -> bool:
    """Whether a unit counts parts of a whole (0–1), written in per cent."""
    return unit.lower().startswith(("share", "proportion", "fraction"))


def score_of(measure: Any, episode: Episode) -> Score:
    """The score of one session; missing where the dialogue failed, or where a measure of somebody's own does."""
    if episode.failed:
        return Score(measure.id, None, measure.unit, f"the dialogue failed: {episode.ending.reason}")
    try:
        found = measure(episode)
    except Exception as error:
        if is_packaged(measure):
            raise
        return Score(measure.id, None, measure.unit, f"{BROKEN} {raised(error)}")
    if isinstance(found, Score):
        return found
    wrong = f"TypeError: it returned {type(found).__name__} where a Score is expected"
    return Score(measure.id, None, measure.unit, f"{BROKEN} {wrong}")


ADVISING = frozenset({Move.ADVICE, Move.LECTURE})
REFLECTING = frozenset({Move.REFLECTION, Move.SUMMARY})


@dataclass(frozen=True, slots=True)
class Exchange:
    """One therapist turn in its place.

    Attributes:
        number: Position among the therapist's turns, from 0.
        index: Position in `session.turns`.
        text: What the therapist said.
        heard: What the patient had said since the therapist's turn before; "" when nothing.
        reply: Position in `session.turns` of the patient's answer; None when there was none.
        code, appraisal: Code and appraisal of the turn; None where there is none.
        before, after: The hidden state before and after the turn; None where there is none.
    """

    number: int
    index: int
    text: str
    heard: str
    reply: int | None
    code: TurnCode | None
    appraisal: Appraisal | None
    before: CognitiveState | None
    after: CognitiveState | None

    @property
    def shown_at(self) -> int:
        """Where the effect of the turn can be read: the patient's answer, else the turn itself."""
        return self.index if self.reply is None else self.reply

    def does(self, moves: frozenset[Move]) -> bool:
        """The turn is coded with at least one of the moves."""
        return self.code is not None and self.code.any_of(moves)

    @property
    def asks(self) -> bool:
        """The turn is coded as asking an open or closed question."""
        return self.does(QUESTIONS)


def exchanges(episode: Episode) -> tuple[Exchange, ...]:
    """The therapist's turns in order; empty for an episode without a session."""
    turns, states = episode.session.turns, episode.states
    found: list[Exchange] = []
    heard: list[str] = []
    for index, turn in enumerate(turns):
        if turn.speaker == "patient":
            heard.append(turn.text)
            continue
        number = len(found)
        answered = index + 1 < len(turns) and turns[index + 1].speaker == "patient"
        found.append(
            Exchange(
                number,
                index,
                turn.text,
                " ".join(heard),
                index + 1 if answered else None,
                episode.codes[number] if number < len(episode.codes) else None,
                episode.appraisals[number] if number < len(episode.appraisals) else None,
                states[number] if number < len(states) else None,
                states[number + 1] if number + 1 < len(states) else None,
            )
        )
        heard = []
    return tuple(found)


def coded(episode: Episode) -> tuple[Exchange, ...]:
    """The therapist's turns that have a code."""
    return tuple(e for e in exchanges(episode) if e.code is not None)


def positions(chosen: Iterable[Exchange]) -> tuple[int, ...]:
    """Where the chosen therapist turns stand in `session.turns`."""
    return tuple(e.index for e in chosen)


def share(chosen: Collection[Exchange], among: Collection[Exchange]) -> float:
    """Share of the chosen turns, 0–1; `among` must not be empty."""
    return len(chosen) / len(among)


def largest_moves(episode: Episode, read: Callable[[CognitiveState], float], most: int = 3) -> tuple[int, ...]:
    """Positions of the therapist turns after which a part of the hidden state moved most, either way, in order."""
    moves = [
        (abs(read(e.after) - read(e.before)), e.index)
        for e in exchanges(episode)
        if e.before is not None and e.after is not None
    ]
    leading = sorted((move for move in moves if move[0] > 0.0), key=lambda move: (-move[0], move[1]))[:most]
    return tuple(sorted(index for _, index in leading))


def after_turn(episode: Episode, number: int) -> tuple[int, ...]:
    """Where the effect of therapist turn `number` (from 1, as in `Voiced.turn`) can be read; empty without a
    session."""
    return tuple(e.shown_at for e in exchanges(episode) if e.number == number - 1)
