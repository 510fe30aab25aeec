"""The arms that every therapist is set against: the same patients, the same luck, no model and no call."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from maieutic.coding.rules import RuleCoder
from maieutic.dialogue import Conversation, Streams, converse
from maieutic.domain.episode import Episode, EpisodeKey
from maieutic.gap.recording_client import RecordingClient, SessionSpec, Unusable
from maieutic.library import get_case
from maieutic.registry import load_therapist
from maieutic.worlds import SimulatorConfig, patient_of

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
        case = get_case(spec.case)
        streams = Streams(seed, EpisodeKey(arm, case.id, spec.seed))
        patient = patient_of(case, spec.seed, world)
        _known[key] = outcome_of(
            await converse(Conversation(_arm(arm), patient, RuleCoder(), spec.turns, streams))  # type: ignore[arg-type]
        )
    return _known[key]


@lru_cache(maxsize=16)
def _arm(name: str) -> object:
    return load_therapist(name)
