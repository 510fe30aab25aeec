"""One session in the numbers that timing is read from: how ready the patient was, and how hard the next turn
pressed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maieutic.domain.codes import Move
from maieutic.domain.episode import Episode, Session, Turn
from maieutic.gap.recording_client import RecordedTherapist, RecordingClient, SessionSpec, Unusable, played_by
from maieutic.measures.evidence import OPEN_ENOUGH
from maieutic.protocols import Therapist
from maieutic.registry import load_therapist
from maieutic.ruptures import (
    OWN_TURNS,
    RESISTS,
    RUPTURE_AT,
    SUPPORTIVE,
    Ruptured,
    intensity,
    is_struck,
    turns_to_repair,
)

Floats = NDArray[np.float64]

FLOODED, UNTOUCHED = 90.0, 15.0
"""Distress beyond which little is learned in the simulator's rules (`patients.dynamics.workable`)."""
UPSET = 70.0
"""Distress (0–100) from which affect counts as high."""
CHALLENGES = 0.7
"""Intensity from which a turn counts as a challenge: experience against the thought, weighing, telling, disputing."""
MIN_ITEMS = 6
"""Turns that a session must have for its timing to be read."""
_VALIDATES = (Move.REFLECTION, Move.SUMMARY, Move.AFFIRMATION)


@dataclass(frozen=True, slots=True)
class Moment:
    """One therapist turn with the mind that it met.

    Attributes:
        openness, reactance: True, 0–1, before the turn. distress: 0–100.
        resisted: The patient resisted or deflected just before.
        press: How hard the turn challenges, 0–1.
        softens: It validates without pressing, asks leave, or otherwise presses not at all.
        at: Its place among the session's turns.
        reached: The patient had come to the balanced thought before; nothing was left to push for.
    """

    openness: float
    reactance: float
    distress: float
    resisted: bool
    press: float
    softens: bool
    at: int
    reached: bool = False

    @property
    def challenge(self) -> bool:
        return self.press >= CHALLENGES

    @property
    def workable(self) -> bool:
        """The patient is open enough, not flooded or untouched, and did not resist just before."""
        return self.openness >= OPEN_ENOUGH and UNTOUCHED <= self.distress <= FLOODED and not self.resisted


def moments_of(episode: Episode) -> tuple[Moment, ...]:
    """The therapist turns of a session with the mind before each.

    Raises:
        Unusable: the session failed, or was over before there was a timing to be read.
    """
    if episode.failed:
        raise Unusable(f"the session failed: {episode.ending.reason}")
    if len(episode.codes) < MIN_ITEMS or not episode.states:
        raise Unusable(f"the session was over after {len(episode.codes)} turns; timing needs {MIN_ITEMS}")
    places = [n for n, turn in enumerate(episode.session.turns) if turn.speaker == "therapist"]
    found = []
    for state, code, appraisal, at in zip(episode.states, episode.codes, episode.appraisals, places, strict=False):
        press = intensity(code, appraisal)
        leave = appraisal is not None and appraisal.permission
        validates = code is not None and any(move in code for move in _VALIDATES)
        softens = (leave and press < 1.0) or press <= 0.0 or (validates and press <= SUPPORTIVE)
        resisted = state.intent.act in RESISTS
        found.append(
            Moment(state.openness, state.reactance, state.distress, resisted, press, softens, at, state.insight >= 1.0)
        )
    return tuple(found)


def packed(moments: Sequence[Moment]) -> list[dict[str, Any]]:
    """As plain data."""
    return [asdict(one) for one in moments]


def unpacked(data: Sequence[Mapping[str, Any]]) -> tuple[Moment, ...]:
    """The moments of plain data."""
    return tuple(Moment(**one) for one in data)


Statistic = Callable[[Sequence[Moment]], float | None]


def at_work(moments: Sequence[Moment]) -> Sequence[Moment]:
    """The turns until the patient has come to the balanced thought: who stops pushing then is not out of time."""
    return [m for m in moments if not m.reached]


def slope(moments: Sequence[Moment]) -> float | None:
    """Slope of challenge intensity on true openness within the session; None where openness stays the same.

    Read on the turns `at_work`; None where they are fewer than `MIN_ITEMS`.
    """
    moments = at_work(moments)
    if len(moments) < MIN_ITEMS:
        return None
    x = np.array([m.openness for m in moments])
    y = np.array([m.press for m in moments])
    spread = float(((x - x.mean()) ** 2).sum())
    return float(((x - x.mean()) * (y - y.mean())).sum() / spread) if spread > 1e-4 else None


def heeding(moments: Sequence[Moment]) -> float | None:
    """P(softens | resistance just before) − P(softens | none), −1 to 1; None where a session lacks one of the two."""
    after = [m.softens for m in moments[1:] if m.resisted]
    other = [m.softens for m in moments[1:] if not m.resisted]
    return float(np.mean(after) - np.mean(other)) if after and other else None


def consoling(moments: Sequence[Moment]) -> float | None:
    """P(softens | distress high) − P(softens | not), −1 to 1; None where a session lacks one of the two."""
    high = [m.softens for m in moments if m.distress >= UPSET]
    calm = [m.softens for m in moments if m.distress < UPSET]
    return float(np.mean(high) - np.mean(calm)) if high and calm else None


def outside(moments: Sequence[Moment]) -> float | None:
    """Share of the challenges made outside the workable window, 0–1; None without a challenge."""
    made = [not m.workable for m in moments if m.challenge]
    return float(np.mean(made)) if made else None


def readiness(moments: Sequence[Moment]) -> Floats:
    """(n,) how ready the patient was before each turn, 0–1: true openness, and nothing right after resistance."""
    return np.array([0.0 if m.resisted else m.openness for m in moments])


def timing(moments: Sequence[Moment]) -> float | None:
    """Goodman and Kruskal's order of pressure by readiness, corrected for ties (Kendall's τ-b), −1 to 1.

    0 where every turn presses alike: who never pushes, or always does, does not time. None where readiness stays the
    same. Read on the turns `at_work`; None where they are fewer than `MIN_ITEMS`.
    """
    moments = at_work(moments)
    if len(moments) < MIN_ITEMS:
        return None
    x = readiness(moments)
    y = np.array([m.press for m in moments])
    a = np.sign(np.round(x[:, None] - x[None, :], 9))
    b = np.sign(np.round(y[:, None] - y[None, :], 9))
    upper = np.triu_indices(len(x), 1)
    a, b = a[upper], b[upper]
    if not a.any():
        return None
    if not b.any():
        return 0.0
    return float((a * b).sum() / np.sqrt((a != 0).sum() * (b != 0).sum()))


def shuffled(moments: Sequence[Moment], statistic: Statistic, rng: Random, draws: int = 100) -> float | None:
    """The statistic of the same moves at shuffled times, the mean of `draws` permutations of what the therapist did.

    The first and last moves stay, as they do in any order. The minds stay as they were: what another order would have
    done to them is not asked here.
    """
    moments = at_work(moments)
    found = []
    for _ in range(draws if len(moments) >= MIN_ITEMS else 0):
        order = list(range(1, len(moments) - 1))
        rng.shuffle(order)
        moved = [0, *order, len(moments) - 1]
        copy = [
            Moment(m.openness, m.reactance, m.distress, m.resisted, moments[k].press, moments[k].softens, m.at)
            for m, k in zip(moments, moved, strict=True)
        ]
        value = statistic(copy)
        if value is not None:
            found.append(value)
    return float(np.mean(found)) if found else None


async def _played(client: RecordingClient, spec: SessionSpec, speaker: Therapist, turns: int) -> Episode:
    return await played_by(speaker, replace(spec, turns=turns), client.seed, client.world, guarded=True)


async def ruptured(client: RecordingClient, spec: SessionSpec) -> Mapping[str, Any]:
    """The sitting played again with its eighth turn replaced by a blunt one, and what the therapist does about it.

    The seven turns before it are on the tape, so it costs `OWN_TURNS` replies.

    Returns:
        `turns`: own turns until the alliance was back (1 …), or None when it was not; `said`: the first turn after it.
    """
    whole = await client.play(spec)
    if whole.failed:
        raise Unusable(f"the session failed: {whole.ending.reason}")
    if len(whole.codes) < RUPTURE_AT - 1:
        raise Unusable(f"the session was over after {len(whole.codes)} turns, before the rupture was planted")
    speaker = Ruptured(RecordedTherapist(client), client.therapist.name)
    episode = await _played(client, spec, speaker, RUPTURE_AT + OWN_TURNS)
    if episode.failed:
        raise Unusable(f"the session failed: {episode.ending.reason}")
    return _mended(episode)


def _mended(episode: Episode) -> Mapping[str, Any]:
    alliance = [state.alliance for state in episode.states]
    if len(alliance) <= RUPTURE_AT:
        raise Unusable("the session was over before the rupture was planted")
    if not is_struck(alliance):
        raise Unusable("the planted rupture left this patient cold")
    turns = turns_to_repair(alliance)
    own = [turn.text for turn in episode.therapist_turns[RUPTURE_AT:]]
    heard = episode.session.turns[2 * RUPTURE_AT].text if len(episode.session) > 2 * RUPTURE_AT else ""
    return {"turns": turns, "before": heard, "said": own[0] if own else "", "left": episode.states[-1].left}


@lru_cache(maxsize=1)
def _oracle() -> Therapist:
    return load_therapist("oracle")


_ORACLES: dict[tuple[Any, ...], tuple[tuple[Moment, ...], Mapping[str, Any] | None]] = {}


async def oracles(client: RecordingClient, spec: SessionSpec) -> tuple[tuple[Moment, ...], Mapping[str, Any] | None]:
    """What the oracle, who knows case and state, does with the same patient: its moments, and its repair or None.

    It makes no call at the desk; it is played once a process for each sitting.

    Raises:
        Unusable: its session was too short to be read.
    """
    key = (spec, client.seed, client.world.name)
    if key not in _ORACLES:
        whole = await _played(client, spec, _oracle(), spec.turns)
        broken = await _played(client, spec, _Blunted(), RUPTURE_AT + OWN_TURNS)
        try:
            mended: Mapping[str, Any] | None = _mended(broken)
        except Unusable:
            mended = None
        _ORACLES[key] = (moments_of(whole), mended)
    return _ORACLES[key]


@dataclass(frozen=True, slots=True)
class _Blunted:
    """The oracle with the planted rupture; it still has to be told case and state."""

    name: str = "oracle"
    needs: tuple[str, ...] = ("case", "state")

    def informed(self, **known: Any) -> Therapist:
        inner: Therapist = _oracle().informed(**known)  # type: ignore[attr-defined]
        return Ruptured(inner, self.name)

    async def respond(self, session: Session) -> Turn:
        raise AssertionError("the loop asks the informed copy")
