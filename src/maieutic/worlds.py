"""The patient that every arm meets under one case and seed, in a world of one's choice."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from maieutic.domain.case import Case, Situation
from maieutic.domain.randomness import derive
from maieutic.library import get_case
from maieutic.patients.comprehension import Comprehension
from maieutic.patients.dynamics import Mind
from maieutic.patients.kernel import PRIOR, STANDARD, Kernel, Population
from maieutic.patients.simulated import SimulatedPatient
from maieutic.reading.minilm import shared_minilm

STANDARD_NAME = "standard"


@dataclass(frozen=True, slots=True)
class SimulatorConfig:
    """The constants a patient lives by, under a name."""

    name: str = STANDARD_NAME
    kernel: Kernel = STANDARD
    prior: Population = PRIOR


STANDARD_WORLD = SimulatorConfig()


def marks_of(case: Case, chosen: Situation) -> dict[str, Any]:
    """What an episode says of the case and the situation in play, for those that sort and judge it."""
    special = "risk" if case.risk.level != "none" else "accurate" if chosen.accurate else None
    return {"special": special, "warranted": chosen.warranted}


def drawn_situation(case: Case, seed: int) -> str:
    """The situation that is played under this case and seed, whatever the world."""
    return derive(0, case.id, seed, "situation").choice([s.id for s in case.situations])


def patient_of(case: Case, seed: int, world: SimulatorConfig) -> SimulatedPatient:
    """The patient that every arm meets under this case and seed: the situation in play is drawn by both."""
    situation = drawn_situation(case, seed)
    mind = Mind(case, case.situation(situation), world.kernel)
    return SimulatedPatient(mind, reading(case.id, situation), world.prior)


@lru_cache(maxsize=256)
def reading(case_id: str, situation: str) -> Comprehension:
    """The comprehension of one situation, made once a process."""
    case = get_case(case_id)
    return Comprehension.of(case, case.situation(situation), shared_minilm())
