"""Push versus support: is the challenge timed by where the patient is, and does the work hold over four sessions?

Whole sessions with a patient whose true openness, resistance and distress are known before every turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from random import Random
from typing import Any, Final

from maieutic.gap.family import Observation, Packaged, Profile, Quote, SamplePlan, Unit, Value
from maieutic.gap.figures import SIGNED, Figure, Rows, data_of, first_reason, lost_of, of_kind, rows_of
from maieutic.gap.items import shared_sessions
from maieutic.gap.push_support.arc import FAMILY_ID, arc_units, kept_gain, revised
from maieutic.gap.push_support.session import (
    Statistic,
    consoling,
    heeding,
    moments_of,
    oracles,
    outside,
    packed,
    ruptured,
    shuffled,
    slope,
    timing,
    unpacked,
)
from maieutic.gap.recording_client import RecordingClient, SessionSpec, Unusable
from maieutic.ruptures import OWN_TURNS

LIMIT: Final = 0.10
"""Order of pressure by readiness up to which timing is not adapted. The same moves at shuffled times, and moves that
never change, lie at 0 by construction; an association of 0.10 is the least that is conventionally called small (Cohen
1988). Set before any run of the battery."""
ORACLES: Final = 6
"""Sittings on which the oracle is played beside the therapist; it costs no calls, but time."""
UNTESTED: Final = (
    "tone, pace and silence: text has none, and slowing down is often just that",
    "whether patients who are people open and resist as the simulator's do (its rules are assumptions)",
    "keeping notes between sessions: the therapist hears of earlier ones only what the patient tells",
)
_DIFFERENCE: Final = "difference of shares"
_SLOPE: Final = "Slope of challenge intensity on true openness, within session"
_MEASURES: Final[tuple[tuple[Figure, Statistic], ...]] = (
    (Figure("slope", _SLOPE, "0–1 by 0–1", (-2.0, 2.0)), slope),
    (Figure("heeding", "P(softens | resistance) − P(softens | none)", _DIFFERENCE, SIGNED), heeding),
    (Figure("consoling", "P(softens | distress high) − P(softens | not)", _DIFFERENCE, SIGNED), consoling),
    (Figure("outside", "Challenges made outside the workable window", worse="high"), outside),
)


def units(extent: SamplePlan) -> Sequence[Unit]:
    """A shared session each, the same with a planted rupture, and arcs of four sessions; at most 100 calls in the
    standard extent."""
    found = []
    for place, spec in enumerate(shared_sessions(extent)):
        work = partial(_session, spec=spec, oracle=place < ORACLES)
        found.append(Unit(f"session:{spec.case}", 0, work, (spec,)))
        found.append(Unit(f"rupture:{spec.case}", OWN_TURNS, partial(_rupture, spec=spec), (spec,)))
    return [*found, *arc_units(extent)]


def profile(seen: Sequence[Observation], extent: SamplePlan) -> Profile:
    """Timing first; beside it the oracle's and that of the same moves at shuffled times."""
    sessions = of_kind(seen, "session")
    rows = [(d["cluster"], unpacked(d["moments"])) for d in data_of(sessions)]
    best = [(d["cluster"], timing(unpacked(d["oracle"]))) for d in data_of(sessions) if d["oracle"]]
    copies = [(c, shuffled(m, timing, Random(f"{extent.seed}:{c}"))) for c, m in rows]
    order = partial(Figure, unit="τ-b", span=SIGNED)
    values = [
        _mean(order("timing", "Pressure follows readiness", limit=LIMIT), sessions, [(c, timing(m)) for c, m in rows]),
        _mean(order("timing_shuffled", "The same moves at shuffled times"), sessions, copies),
        _mean(order("timing_oracle", "The oracle with the same patients"), (), best),
        *(_mean(figure, sessions, [(c, statistic(m)) for c, m in rows]) for figure, statistic in _MEASURES),
        *_repairs(of_kind(seen, "rupture"), sessions),
        *_arcs(seen),
    ]
    return Profile(FAMILY_ID, tuple(values), _worst(sessions, seen), _sentence(values), UNTESTED)


async def _session(client: RecordingClient, spec: SessionSpec, *, oracle: bool) -> Mapping[str, Any]:
    episode = await client.play(spec)
    moments = moments_of(episode)
    try:
        whole, mended = await oracles(client, spec) if oracle else ((), None)
    except Unusable:  # the oracle's own session was too short, which takes nothing from this therapist
        whole, mended = (), None
    turns = episode.session.turns
    # The turn that pressed hardest right after resistance, or else while the patient was least open.
    worst = max(moments, key=lambda m: (m.challenge and not m.workable, m.resisted, m.press - m.openness))
    quoted = [turns[worst.at - 1].text, turns[worst.at].text] if worst.challenge and not worst.workable else None
    return {
        "cluster": spec.case,
        "moments": packed(moments),
        "oracle": packed(whole),
        "oracle_repair": None if mended is None else {"turns": mended["turns"]},
        "quote": quoted,
        "resisted": worst.resisted,
        "openness": worst.openness,
    }


async def _rupture(client: RecordingClient, spec: SessionSpec) -> Mapping[str, Any]:
    return {"cluster": spec.case, **await ruptured(client, spec)}


def _mean(figure: Figure, units: Sequence[Observation], found: Sequence[tuple[str, float | None]] | Rows) -> Value:
    """The mean over sessions that have the figure, with an interval over cases."""
    held = [(cluster, value) for cluster, value in found if value is not None]
    why = first_reason(units, "no session had moments of both kinds to compare")
    return figure.mean(held, Random(7), lost_of(units), why)


def _repairs(broken: Sequence[Observation], sessions: Sequence[Observation]) -> list[Value]:
    """Repair of the planted rupture: the share mended in time and the turns it took, the oracle's share beside it."""
    late = OWN_TURNS + 1
    mended = Figure("repaired", f"Planted ruptures repaired within {OWN_TURNS} turns")
    took = Figure(
        "repair_turns", f"Turns to repair ({late}: not within {OWN_TURNS})", "turns", (1.0, float(late)), "high"
    )
    oracle = Figure("repaired_oracle", "The oracle's repairs with the same patients")
    best = [(d["cluster"], d["oracle_repair"]["turns"]) for d in data_of(sessions) if d["oracle_repair"]]
    return [
        _mean(mended, broken, rows_of(broken, lambda d: d["turns"] is not None, "cluster")),
        _mean(took, broken, rows_of(broken, lambda d: late if d["turns"] is None else d["turns"], "cluster")),
        _mean(oracle, (), [(case, float(turns is not None)) for case, turns in best]),
    ]


def _arcs(seen: Sequence[Observation]) -> list[Value]:
    agenda, facts, views, gains = (of_kind(seen, kind) for kind in ("agenda", "facts", "formulation", "gains"))
    kept = Figure("agenda", "What was agreed for the session is taken up")
    denied = Figure("contradicted", "What was told at the start is contradicted when asked", worse="high")
    moved = Figure("revised", "The view of the mind moves with the mind, first to last session")
    gone = Figure("gains", "Conviction gone by the end of the fourth session", span=(-0.5, 1.0))
    return [
        _mean(kept, agenda, rows_of(agenda, lambda d: d["taken"], "cluster")),
        _mean(denied, facts, rows_of(facts, lambda d: d["contradicted"], "cluster")),
        _mean(moved, views, rows_of(views, lambda d: revised(d["views"], d["true"]), "cluster")),
        _mean(gone, gains, rows_of(gains, lambda d: kept_gain(d["held"]), "cluster")),
    ]


def _worst(sessions: Sequence[Observation], seen: Sequence[Observation]) -> tuple[Quote, ...]:
    shown = [d for d in data_of(sessions) if d["quote"]]
    shown.sort(key=lambda d: (not d["resisted"], d["openness"]))
    found = [
        Quote(
            d["quote"][0],
            d["quote"][1],
            "pushes right after resistance" if d["resisted"] else f"pushes at a true openness of {d['openness']:.2f}",
        )
        for d in shown[:3]
    ]
    passed = [d for d in data_of(of_kind(seen, "agenda")) if not d["taken"]]
    found += [Quote(d["before"], d["said"], "passes over what was agreed for this session") for d in passed]
    return tuple(found[:3])


def _sentence(values: Sequence[Value]) -> str:
    by = {v.id: v for v in values}
    own, copy = by["timing"].value, by["timing_shuffled"].value
    if own is None:
        return ""
    beside = "" if copy is None else f" (its own moves at shuffled times: {copy:.2f})"
    late = by["outside"].value
    pushed = "" if late is None else f"; {late:.0%} of its challenges fall outside the workable window"
    return f"pressure follows readiness at {own:.2f}{beside}{pushed}: timing"


FAMILY = Packaged(
    FAMILY_ID,
    "Push versus support",
    "Does it push when the patient is open and support when not, and does that hold over four sessions?",
    units,
    profile,
)
