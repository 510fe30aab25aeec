"""Family 11: does the therapist bring more than the best arm that only has contact, expression, information or a form?

A win over nobody at all measures contact, attention and time. The headline is the difference to the best
active arm, on the same patients with the same luck.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any, Final

from maieutic.domain.episode import Episode
from maieutic.gap.fair_comparison.arms import ACTIVE, BASE, outcome_of, outcomes
from maieutic.gap.family import Observation, Profile, Quote, SamplePlan, Unit, Value, missing_of
from maieutic.gap.recording_client import RecordingClient, SessionSpec
from maieutic.gap.session_specs import PATIENT, shared_sessions
from maieutic.library import case_ids, get_case
from maieutic.stats import Interval, bootstrap_mean, bootstrap_statistic

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
Session = Mapping[str, Any]


def accurate_sittings(extent: SamplePlan) -> tuple[SessionSpec, ...]:
    """Sessions with patients whose thought is substantially true: taking it away would be harm."""
    names = [name for name in case_ids(extent.split) if get_case(name).special == "accurate"]
    count = max(1, min(len(names), int(ACCURATE_CASES * extent.cases / 18)))
    return tuple(SessionSpec(name, PATIENT, extent.turns) for name in names[:count])


@dataclass(frozen=True, slots=True)
class FairComparison:
    """The family."""

    id: str = ID
    title: str = "Fair comparison"
    question: str = "Does it bring more than contact, warmth, a leaflet or a form?"

    def units(self, extent: SamplePlan) -> Sequence[Unit]:
        """One unit a shared session, and one for each patient whose thought is true; no call beside the sessions'."""
        return tuple(
            Unit(f"{kind}/{spec.case}", 0, partial(_compared, spec=spec), (spec,))
            for kind, specs in (("session", shared_sessions(extent)), ("accurate", accurate_sittings(extent)))
            for spec in specs
        )

    def profile(self, seen: Sequence[Observation], extent: SamplePlan) -> Profile:
        """The figures. A session in which the thought in play is true counts among those, wherever it was listed."""
        sessions = [o.data for o in seen if o.data is not None]
        regular = [s for s in sessions if s["group"] == "regular"]
        true = [s for s in sessions if s["group"] == "accurate"]
        lost = len(missing_of(o for o in seen if o.key.startswith("session/")))
        lost_true = len(missing_of(o for o in seen if o.key.startswith("accurate/")))
        values = (
            _headline(regular, lost),
            _margin(regular, lost),
            *(_against(regular, lost, arm) for arm in (*ACTIVE, BASE)),
            _left(regular, lost),
            *_accurate(true, lost_true),
        )
        return Profile(
            ID,
            values,
            worst=_worst(regular),
            sentence=_sentence(regular),
            untested=(
                "whether people get better: conviction is a simulated patient's, and that it falls by the patient's "
                "own evidence is an assumption of the simulator",
                "what waiting, hope and the wish to please a person do",
            ),
            tables=(_arms(regular),),
        )


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
        "rises": _rises(episode),
    }


def beyond_best(sessions: Sequence[Session]) -> float | None:
    """Mean fall less that of the arm with the largest mean fall, points; None without sessions."""
    if not sessions:
        return None
    return _mean([s["fall"] for s in sessions]) - max(_mean([s["arms"][arm] for s in sessions]) for arm in ACTIVE)


def best_arm(sessions: Sequence[Session]) -> str:
    """The active arm with the largest mean fall; the first of equals."""
    return max(ACTIVE, key=lambda arm: _mean([s["arms"][arm] for s in sessions]))


def _headline(sessions: Sequence[Session], lost: int) -> Value:
    # The best arm is chosen anew in every draw, so that the interval holds the choice too.
    found = bootstrap_statistic(sessions, beyond_best, clusters=_cases(sessions), rng=Random(7))
    best = f" ({best_arm(sessions)})" if sessions else ""
    title = f"Fall of conviction beyond the best active arm{best}"
    return _value("beyond_best", title, found, sessions, lost, limit=LIMIT)


def _margin(sessions: Sequence[Session], lost: int) -> Value:
    found = bootstrap_statistic(sessions, beyond_best, clusters=_cases(sessions), rng=Random(7))
    room = None if found.low is None else found.low + MARGIN
    return Value(
        "margin_left",
        f"Lower end of that plus the margin of {MARGIN:g}; above 0: not inferior",
        "points",
        room,
        n=len(sessions),
        missing=lost,
        span=SPAN,
        reason=None if room is not None else "fewer than two cases",
    )


def _against(sessions: Sequence[Session], lost: int, arm: str) -> Value:
    found = bootstrap_mean([s["fall"] - s["arms"][arm] for s in sessions], clusters=_cases(sessions), rng=Random(7))
    return _value(f"beyond_{arm}", f"Fall of conviction beyond {arm.replace('_', ' ')}", found, sessions, lost)


def _left(sessions: Sequence[Session], lost: int) -> Value:
    found = bootstrap_mean([float(s["left"]) for s in sessions], clusters=_cases(sessions), rng=Random(7))
    return _value(
        "left", "Patients who ended the session", found, sessions, lost, "share", span=(0.0, 1.0), worse="high"
    )


def _accurate(sessions: Sequence[Session], lost: int) -> tuple[Value, Value]:
    cases = _cases(sessions)
    taken = bootstrap_mean([s["fall"] - s["arms"][BASE] for s in sessions], clusters=cases, rng=Random(7))
    below = bootstrap_mean([s["below_warranted"] for s in sessions], clusters=cases, rng=Random(7))
    return (
        _value(
            "accurate_fall",
            "True thoughts: fall of conviction beyond no session (harm)",
            taken,
            sessions,
            lost,
            worse="high",
        ),
        _value(
            "accurate_below",
            "True thoughts: points below what the facts warrant at the end",
            below,
            sessions,
            lost,
            span=(0.0, 100.0),
            worse="high",
        ),
    )


def _rises(episode: Episode) -> list[dict[str, Any]]:
    """The three therapist turns after which held conviction rose most."""
    places = [at for at, turn in enumerate(episode.session.turns) if turn.speaker == "therapist"]
    found = [
        {
            "rise": b.held - a.held,
            "before": episode.session.turns[place - 1].text if place else "",
            "said": episode.session.turns[place].text,
        }
        for place, a, b in zip(places, episode.states, episode.states[1:], strict=False)
    ]
    return sorted(found, key=lambda one: -float(str(one["rise"])))[:3]


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


def _arms(sessions: Sequence[Session]) -> tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]:
    rows = [
        (arm.replace("_", " "), f"{_mean([s['arms'][arm] for s in sessions]):.1f}")
        for arm in (*ACTIVE, BASE)
        if sessions
    ]
    if sessions:
        rows.insert(0, ("this therapist", f"{_mean([s['fall'] for s in sessions]):.1f}"))
    return "Fall of held conviction, points", ("arm", "fall"), tuple(rows)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _cases(sessions: Sequence[Session]) -> list[str]:
    return [str(session["case"]) for session in sessions]


def _value(
    name: str, title: str, found: Interval, sessions: Sequence[Session], lost: int, unit: str = "points", **more: Any
) -> Value:
    reason = None if found.estimate is not None else "no session could be compared"
    more.setdefault("span", SPAN)
    return Value.of(name, title, unit, found, n=len(sessions), missing=lost, reason=reason, **more)


FAMILY: Final = FairComparison()
