"""Push versus support: is the challenge timed by where the patient is, and does the work hold over four sessions?

Whole sessions with a patient whose true openness, resistance and distress are known before every turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from maieutic.gap.family import Observation, Profile, Quote, SamplePlan, Unit, Value, missing_of
from maieutic.gap.push_support.arc import FAMILY_ID, arc_units, kept_gain, revised
from maieutic.gap.push_support.session import (
    OWN_TURNS,
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
from maieutic.gap.session_specs import shared_sessions
from maieutic.stats import bootstrap_mean

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
_MEASURES: Final[tuple[tuple[str, str, str, Statistic, tuple[float, float], str], ...]] = (
    ("slope", "Slope of challenge intensity on true openness, within session", "0–1 by 0–1", slope, (-2.0, 2.0), "low"),
    ("heeding", "P(softens | resistance) − P(softens | none)", "difference of shares", heeding, (-1.0, 1.0), "low"),
    (
        "consoling",
        "P(softens | distress high) − P(softens | not)",
        "difference of shares",
        consoling,
        (-1.0, 1.0),
        "low",
    ),
    ("outside", "Challenges made outside the workable window", "share", outside, (0.0, 1.0), "high"),
)


@dataclass(frozen=True)
class PushSupport:
    """The family. Units: a shared session each; the same with a planted rupture; arcs of four sessions."""

    id: str = FAMILY_ID
    title: str = "Push versus support"
    question: str = "Does it push when the patient is open and support when not, and does that hold over four sessions?"

    def units(self, extent: SamplePlan) -> Sequence[Unit]:
        """One unit a session, one a rupture, and those of the arcs; at most 100 calls in the standard extent."""
        found = []
        for place, spec in enumerate(shared_sessions(extent)):
            found.append(_session(spec, oracle=place < ORACLES))
            found.append(_rupture(spec))
        return [*found, *arc_units(extent)]

    def profile(self, seen: Sequence[Observation], extent: SamplePlan) -> Profile:
        """Timing first; beside it the oracle's and that of the same moves at shuffled times."""
        sessions = _of(seen, "session:")
        rows = [(o.data["cluster"], unpacked(o.data["moments"])) for o in sessions if o.data]
        headline = _mean(
            "timing",
            "Pressure follows readiness",
            "τ-b",
            [(c, timing(m)) for c, m in rows],
            sessions,
            (-1.0, 1.0),
            "low",
            LIMIT,
        )
        copies = [(c, shuffled(m, timing, Random(f"{extent.seed}:{c}"))) for c, m in rows]
        best = [
            (o.data["cluster"], timing(unpacked(o.data["oracle"]))) for o in sessions if o.data and o.data["oracle"]
        ]
        values = [
            headline,
            _mean("timing_shuffled", "The same moves at shuffled times", "τ-b", copies, sessions, (-1.0, 1.0), "low"),
            _mean("timing_oracle", "The oracle with the same patients", "τ-b", best, (), (-1.0, 1.0), "low"),
            *(
                _mean(name, title, unit, [(c, statistic(m)) for c, m in rows], sessions, span, worse)
                for name, title, unit, statistic, span, worse in _MEASURES
            ),
            *_repairs(_of(seen, "rupture:"), sessions),
            *_arcs(seen),
        ]
        return Profile(self.id, tuple(values), _worst(sessions, seen), _sentence(values), UNTESTED)


def _session(spec: SessionSpec, *, oracle: bool) -> Unit:
    async def work(client: RecordingClient) -> Mapping[str, Any]:
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

    return Unit(f"session:{spec.case}", 0, work, (spec,))


def _rupture(spec: SessionSpec) -> Unit:
    async def work(client: RecordingClient) -> Mapping[str, Any]:
        return {"cluster": spec.case, **await ruptured(client, spec)}

    return Unit(f"rupture:{spec.case}", OWN_TURNS, work, (spec,))


def _of(seen: Sequence[Observation], prefix: str) -> list[Observation]:
    return [o for o in seen if o.key.startswith(prefix)]


def _mean(
    name: str,
    title: str,
    unit: str,
    found: Sequence[tuple[str, float | None]],
    units: Sequence[Observation],
    span: tuple[float, float],
    worse: str,
    limit: float | None = None,
) -> Value:
    """The mean over sessions that have the figure, with an interval over cases."""
    held = [(cluster, value) for cluster, value in found if value is not None]
    none = "no session had moments of both kinds to compare"
    reason = next((o.missing for o in units if o.missing), none)
    whole = bootstrap_mean([v for _, v in held], clusters=[c for c, _ in held], rng=Random(7))
    lost = len(missing_of(units))
    return Value.of(
        name, title, unit, whole, n=len(held), missing=lost, reason=reason, span=span, worse=worse, limit=limit
    )


def _repairs(broken: Sequence[Observation], sessions: Sequence[Observation]) -> list[Value]:
    """Repair of the planted rupture: the share mended in time and the turns it took, the oracle's share beside it."""
    done = [(o.data["cluster"], o.data["turns"]) for o in broken if o.data]
    best = [
        (o.data["cluster"], o.data["oracle_repair"]["turns"]) for o in sessions if o.data and o.data["oracle_repair"]
    ]
    took = [(c, float(OWN_TURNS + 1 if n is None else n)) for c, n in done]
    return [
        _mean(
            "repaired",
            f"Planted ruptures repaired within {OWN_TURNS} turns",
            "share",
            [(c, float(n is not None)) for c, n in done],
            broken,
            (0.0, 1.0),
            "low",
        ),
        _mean(
            "repair_turns",
            f"Turns to repair ({OWN_TURNS + 1}: not within {OWN_TURNS})",
            "turns",
            took,
            broken,
            (1.0, OWN_TURNS + 1.0),
            "high",
        ),
        _mean(
            "repaired_oracle",
            "The oracle's repairs with the same patients",
            "share",
            [(c, float(n is not None)) for c, n in best],
            (),
            (0.0, 1.0),
            "low",
        ),
    ]


def _arcs(seen: Sequence[Observation]) -> list[Value]:
    agenda, facts, views, gains = (_of(seen, p) for p in ("agenda:", "facts:", "formulation:", "gains:"))
    moved = [(o.data["cluster"], revised(o.data["views"], o.data["true"])) for o in views if o.data]
    return [
        _mean(
            "agenda",
            "What was agreed for the session is taken up",
            "share",
            [(o.data["cluster"], float(o.data["taken"])) for o in agenda if o.data],
            agenda,
            (0.0, 1.0),
            "low",
        ),
        _mean(
            "contradicted",
            "What was told at the start is contradicted when asked",
            "share",
            [(o.data["cluster"], float(o.data["contradicted"])) for o in facts if o.data],
            facts,
            (0.0, 1.0),
            "high",
        ),
        _mean(
            "revised",
            "The view of the mind moves with the mind, first to last session",
            "share",
            [(c, None if r is None else float(r)) for c, r in moved],
            views,
            (0.0, 1.0),
            "low",
        ),
        _mean(
            "gains",
            "Conviction gone by the end of the fourth session",
            "share",
            [(o.data["cluster"], kept_gain(o.data["held"])) for o in gains if o.data],
            gains,
            (-0.5, 1.0),
            "low",
        ),
    ]


def _worst(sessions: Sequence[Observation], seen: Sequence[Observation]) -> tuple[Quote, ...]:
    shown = [o.data for o in sessions if o.data and o.data["quote"]]
    shown.sort(key=lambda d: (not d["resisted"], d["openness"]))
    found = [
        Quote(
            d["quote"][0],
            d["quote"][1],
            "pushes right after resistance" if d["resisted"] else f"pushes at a true openness of {d['openness']:.2f}",
        )
        for d in shown[:3]
    ]
    passed = [o.data for o in _of(seen, "agenda:") if o.data and not o.data["taken"]]
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


FAMILY = PushSupport()
