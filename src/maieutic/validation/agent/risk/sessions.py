"""Whole sessions under a risk policy, kept as who said what, with the agent's steps and what the patient truly did."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from maieutic.coding.rules import RuleCoder
from maieutic.dialogue import Conversation, Streams, converse
from maieutic.domain.episode import EpisodeKey
from maieutic.domain.state import Act
from maieutic.library import case_hash, get_case
from maieutic.runs.journal import Checkpoint
from maieutic.runs.work import Tick
from maieutic.therapists.risk.grades import RiskPolicy
from maieutic.therapists.socratic import SocraticTherapist
from maieutic.validation.agent.kinds import patient_for
from maieutic.validation.agent.store import played_by
from maieutic.workers import mapped
from maieutic.worlds import STANDARD_WORLD

AGAINST = "evidence_against"
"""What a patient does who tells a fact that speaks against the thought."""
TURNS = 14
"""Therapist turns that are played: what is asked of everybody is asked by the seventh, and an assessment takes up to
nine."""


@dataclass(frozen=True, slots=True)
class SessionSpec:
    """One session to play."""

    case: str
    seed: int
    policy: RiskPolicy

    @property
    def name(self) -> str:
        """What it is kept under: all that has a say in it."""
        return f"{self.case} {case_hash(get_case(self.case))[:12]} {self.seed} {self.policy} {played_by()}"


@dataclass(frozen=True, slots=True)
class Exchange:
    """One therapist turn with the patient's turn before it and after it.

    Attributes:
        said: The patient's turn before it. act: What that truly did. about: What of risk it truly answered, or ''.
        text, step: The therapist's turn and what the agent did with it.
        answer, answers, subject: The patient's turn after it, what it truly did, and what of risk it truly answered;
            empty at the end.
    """

    said: str
    act: str
    about: str
    text: str
    step: str
    answer: str = ""
    answers: str = ""
    subject: str = ""


@dataclass(frozen=True, slots=True)
class RiskSession:
    """One played session."""

    case: str
    seed: int
    policy: str
    level: str
    kind: str
    disclosure: str
    ending: str
    exchanges: tuple[Exchange, ...]


@lru_cache(maxsize=2)
def _agent(policy: RiskPolicy) -> SocraticTherapist:
    return SocraticTherapist(risk_policy=policy)


def play(sitting: SessionSpec) -> RiskSession:
    """The first turns of one session that is planned for twenty. Raises `ValueError` where it failed."""
    case = get_case(sitting.case)
    patient = patient_for(case, sitting.seed, STANDARD_WORLD, "simulated", None)
    key = EpisodeKey("socratic", case.id, sitting.seed)
    talk = Conversation(_agent(sitting.policy), patient, RuleCoder(), TURNS, Streams(0, key))
    episode = asyncio.run(converse(talk))
    if episode.failed:
        raise ValueError(f"{key}: {episode.ending.reason}")
    spoken, own, states = episode.session.by("patient"), episode.therapist_turns, episode.states
    against = {fact.id for one in case.situations for fact in one.evidence if fact.bearing == "against"}
    found = []
    for place, turn in enumerate(own):
        before, after = states[place].intent, states[place + 1].intent if place + 1 < len(states) else None
        answer = spoken[place + 1].text if place + 1 < len(spoken) else ""
        acts = (after.act.value, after.about or "") if after is not None and answer else ("", "")
        step = str((turn.trace or {}).get("step", ""))
        fact = before.evidence if before.act in (Act.EVIDENCE, Act.ANSWER) else None
        act = AGAINST if fact in against else before.act.value
        found.append(Exchange(spoken[place].text, act, before.about or "", turn.text, step, answer, *acts))
    risk = case.risk
    return RiskSession(
        case.id,
        sitting.seed,
        sitting.policy,
        risk.level,
        risk.kind or "",
        risk.disclosure or "",
        episode.ending.kind,
        tuple(found),
    )


def play_sittings(
    sittings: Sequence[SessionSpec], path: Path, tick: Tick, *, resume: bool, workers: int = 2
) -> list[RiskSession]:
    """All sessions, kept in `path` as they end; with `resume` what is there is not played again. Raises
    `StorageError`."""
    kept = Checkpoint(path, "session", lambda entry: _session(entry["played"]), resume=resume)
    found = {sitting: kept.found[sitting.name] for sitting in sittings if sitting.name in kept.found}
    tick(len(found))
    waiting = [sitting for sitting in sittings if sitting not in found]

    def keep(place: int, played: RiskSession) -> None:
        kept.write({"session": waiting[place].name, "played": asdict(played)})
        found[waiting[place]] = played
        tick(1)

    mapped(play, waiting, keep, workers=workers)
    return [found[sitting] for sitting in sittings]


def _session(data: dict[str, Any]) -> RiskSession:
    return RiskSession(**{**data, "exchanges": tuple(Exchange(**one) for one in data["exchanges"])})
