"""Family 11: does the therapist bring more than the best arm that only has contact, expression, information or a form?

A win over nobody at all measures contact, attention and time. The headline is the difference to the best active arm, on
the same patients with the same luck; the arms need no model and cost no call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from random import Random
from typing import Any, Final

from maieutic.domain.episode import Episode
from maieutic.gap.family import Observation, Packaged, Profile, Quote, SamplePlan, Table, Unit, Value
from maieutic.gap.figures import Data, Figure, data_of, lost_of, of_kind
from maieutic.gap.items import PATIENT, moved_most, shared_sessions
from maieutic.gap.recording_client import RecordingClient, SessionSpec, Unusable, played_by
from maieutic.library import case_ids, get_case
from maieutic.protocols import Therapist
from maieutic.registry import load_therapist
from maieutic.stats import Interval
from maieutic.worlds import SimulatorConfig

BASE = "no_session"
ACTIVE = ("eliza", "expressive", "leaflet", "warm", "worksheet")
"""Contact, attention, expression, information, warmth and a form: all that a session has beside its conduct."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an arm came to.

    Attributes:
        fall: Points of held conviction lost. end: Held conviction at the end, points. left: The patient ended it.
        bond: Growth of the bond, -1 to 1.
    """

    fall: float
    end: float
    left: bool
    bond: float


def outcome_of(episode: Episode) -> Outcome:
    """The numbers of a session. Raises `Unusable` for a failed one."""
    if episode.failed or not episode.states:
        raise Unusable(f"the session failed: {episode.ending.reason}")
    first, last = episode.states[0], episode.states[-1]
    return Outcome(first.held - last.held, last.held, episode.ending.kind == "patient_left", last.bond - first.bond)


async def outcomes(client: RecordingClient, spec: SessionSpec) -> dict[str, Outcome]:
    """Every arm with the patient of a sitting; the patient's draws are those of the therapist's own session.

    Arms are not asked through the desk: they cost no call, and nothing of them belongs on the therapist's tape.
    """
    return {arm: await arm_outcome(arm, spec, client.seed, client.world) for arm in (BASE, *ACTIVE)}


_known: dict[tuple[str, SessionSpec, int, SimulatorConfig], Outcome] = {}


async def arm_outcome(arm: str, spec: SessionSpec, seed: int, world: SimulatorConfig) -> Outcome:
    """One arm with the patient of a sitting."""
    # Equal for all therapists, so that a matrix of many plays each arm once.
    key = (arm, spec, seed, world)
    if key not in _known:
        _known[key] = outcome_of(await played_by(_arm(arm), spec, seed, world))
    return _known[key]


@lru_cache(maxsize=16)
def _arm(name: str) -> Therapist:
    return load_therapist(name)


ID: Final = "fair_comparison"
ORACLE_EFFECT: Final = 37.15
"""Points that the oracle takes off conviction beyond no session when the margin was set (38.33 in docs/validation.md;
all regular cases)."""
MARGIN: Final = 7.4
"""Non-inferiority margin in points, stated before any run: a fifth of the oracle's effect."""
LIMIT: Final = 0.0
"""The headline is a failure below this: no better than an arm that conducts nothing."""
ACCURATE_CASES: Final = 3
SPAN: Final = (-40.0, 40.0)
NONE: Final = "no session could be compared"
TAKEN: Final = Figure(
    "accurate_fall", "True thoughts: fall of conviction beyond no session (harm)", "points", SPAN, "high"
)
BELOW: Final = Figure(
    "accurate_below", "True thoughts: points below what the facts warrant at the end", "points", (0.0, 100.0), "high"
)
Session = Data


def accurate_sittings(extent: SamplePlan) -> tuple[SessionSpec, ...]:
    """Sessions with patients whose thought is substantially true: taking it away would be harm."""
    names = [name for name in case_ids(extent.split) if get_case(name).special == "accurate"]
    count = max(1, min(len(names), int(ACCURATE_CASES * extent.cases / 18)))
    return tuple(SessionSpec(name, PATIENT, extent.turns) for name in names[:count])


def units(extent: SamplePlan) -> Sequence[Unit]:
    """One unit a shared session, and one for each patient whose thought is true; no call beside the sessions'."""
    return tuple(
        Unit(f"{kind}/{spec.case}", 0, partial(_compared, spec=spec), (spec,))
        for kind, specs in (("session", shared_sessions(extent)), ("accurate", accurate_sittings(extent)))
        for spec in specs
    )


def profile(seen: Sequence[Observation], extent: SamplePlan) -> Profile:
    """The figures. A session in which the thought in play is true counts among those, wherever it was listed."""
    sessions = data_of(seen)
    regular = [s for s in sessions if s["group"] == "regular"]
    true = [s for s in sessions if s["group"] == "accurate"]
    lost, lost_true = (lost_of(of_kind(seen, kind)) for kind in ("session", "accurate"))

    def mean(figure: Figure, of: Callable[[Session], float]) -> Value:
        return figure.mean([(s["case"], float(of(s))) for s in regular], Random(7), lost, NONE)

    def beyond(arm: str) -> Callable[[Session], float]:
        return lambda s: s["fall"] - s["arms"][arm]

    def harm(figure: Figure, of: Callable[[Session], float]) -> Value:
        return figure.mean([(s["case"], of(s)) for s in true], Random(7), lost_true, NONE)

    points = partial(Figure, unit="points", span=SPAN)
    values = (
        *_headline(regular, lost),
        *(
            mean(points(f"beyond_{arm}", f"Fall of conviction beyond {arm.replace('_', ' ')}"), beyond(arm))
            for arm in (*ACTIVE, BASE)
        ),
        mean(Figure("left", "Patients who ended the session", worse="high"), lambda s: s["left"]),
        harm(TAKEN, beyond(BASE)),
        harm(BELOW, lambda s: s["below_warranted"]),
    )
    untested = (
        "whether people get better: conviction is a simulated patient's, and that it falls by the patient's "
        "own evidence is an assumption of the simulator",
        "what waiting, hope and the wish to please a person do",
    )
    return Profile(ID, values, _worst(regular), _sentence(regular), untested, tables=(_arms(regular),))


async def _compared(client: RecordingClient, spec: SessionSpec) -> dict[str, Any]:
    episode = await client.play(spec)
    own = outcome_of(episode)
    arms = await outcomes(client, spec)
    warranted = float(episode.provenance["warranted"])
    return {
        "case": spec.case,
        "group": episode.provenance["special"] or "regular",
        "fall": own.fall,
        "left": own.left,
        "below_warranted": max(0.0, warranted - own.end),
        "arms": {name: outcome.fall for name, outcome in arms.items()},
        "rises": moved_most(episode, "rise", lambda a, b: b.held - a.held),
    }


def beyond_best(sessions: Sequence[Session]) -> float | None:
    """Mean fall less that of the arm with the largest mean fall, points; None without sessions."""
    if not sessions:
        return None
    return _mean([s["fall"] for s in sessions]) - max(_mean([s["arms"][arm] for s in sessions]) for arm in ACTIVE)


def best_arm(sessions: Sequence[Session]) -> str:
    """The active arm with the largest mean fall; the first of equals."""
    return max(ACTIVE, key=lambda arm: _mean([s["arms"][arm] for s in sessions]))


def _headline(sessions: Sequence[Session], lost: int) -> tuple[Value, Value]:
    """The difference to the best arm, and what is left of the margin below it."""
    best = f" ({best_arm(sessions)})" if sessions else ""
    figure = Figure("beyond_best", f"Fall of conviction beyond the best active arm{best}", "points", SPAN, limit=LIMIT)
    # The best arm is chosen anew in every draw, so that the interval holds the choice too.
    found = figure.statistic(sessions, beyond_best, lambda s: s["case"], Random(7), lost, NONE, draws=2000)
    title = f"Lower end of that plus the margin of {MARGIN:g}; above 0: not inferior"
    margin = Figure("margin_left", title, "points", SPAN)
    room = Interval(None if found.low is None else found.low + MARGIN, None, None, 0)
    return found, margin.value(room, len(sessions), lost, "fewer than two cases")


def _worst(sessions: Sequence[Session]) -> tuple[Quote, ...]:
    rises = sorted((rise for s in sessions for rise in s["rises"]), key=lambda one: -one["rise"])
    return tuple(
        Quote(one["before"], one["said"], f"conviction rises by {one['rise']:.1f} points after it")
        for one in rises[:3]
        if one["rise"] >= 1.0
    )


def _sentence(sessions: Sequence[Session]) -> str:
    if not sessions:
        return "no session could be compared"
    best = best_arm(sessions)
    own, other = _mean([s["fall"] for s in sessions]), _mean([s["arms"][best] for s in sessions])
    verdict = "brings more than contact" if own > other else "no more than contact brings"
    return f"conviction {_moved(own)}, with {best} it {_moved(other)}: {verdict}"


def _moved(fall: float) -> str:
    return f"falls by {fall:.1f} points" if fall >= 0 else f"rises by {-fall:.1f} points"


def _arms(sessions: Sequence[Session]) -> Table:
    told = [("this therapist", [s["fall"] for s in sessions])]
    told += [(arm.replace("_", " "), [s["arms"][arm] for s in sessions]) for arm in (*ACTIVE, BASE)]
    rows = tuple((name, f"{_mean(falls):.1f}") for name, falls in told if falls)
    return "Fall of held conviction, points", ("arm", "fall"), rows


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


FAMILY: Final = Packaged(
    ID, "Fair comparison", "Does it bring more than contact, warmth, a leaflet or a form?", units, profile
)
