"""Sessions with patients step by step, with a reward: a measure of the session so far, taken after each turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from maieutic.dialogue import Progress
from maieutic.domain.case import Case
from maieutic.domain.episode import Ending, Episode, EpisodeKey
from maieutic.domain.randomness import derive
from maieutic.errors import InputError, UnknownName
from maieutic.evaluation.plan import drawn_situation, played
from maieutic.serving.request import turn_of
from maieutic.serving.served import RUN_SEED, Caller, Patients
from maieutic.training.rewards import Reward


@dataclass(frozen=True, slots=True)
class Step:
    """Where a session stands.

    Attributes:
        case: The case of the patient.
        seed: Which patient of the case, in which situation.
        progress: What was said, and the mind.
        total: The measure so far, better being higher.
        reward: What the last turn added; None before the first.
        missing: Why the measure is missing; None where it is not.
        done: The session is over.
    """

    case: Case
    seed: int
    progress: Progress
    total: float
    reward: float | None = None
    missing: str | None = None
    done: bool = False

    @property
    def turn(self) -> int:
        """Therapist turns so far."""
        return len(self.progress.codes)

    @property
    def text(self) -> str:
        """The patient's last words."""
        return self.progress.session.turns[-1].text


@dataclass(frozen=True, slots=True)
class Ground:
    """Where a policy is trained: patients, a reward and a length.

    Attributes:
        cases: Cases by id.
        patients: Makes them.
        reward: What counts.
        turns: Therapist turns of a session at most.
    """

    cases: Mapping[str, Case]
    patients: Patients
    reward: Reward
    turns: int

    def case(self, name: str | None, seed: int) -> Case:
        """The named case, or one drawn by the seed. Raises `UnknownName`."""
        if name is None:
            return self.cases[derive(seed, "openenv", "case").choice(sorted(self.cases))]
        if name not in self.cases:
            raise UnknownName("case", name, self.cases)
        return self.cases[name]

    async def begin(self, case: Case, seed: int) -> Step:
        """A session in which the patient has spoken first."""
        progress = await self.patients.opened(case, seed)
        total, missing = self.reward.value(_so_far(case, seed, progress))
        return Step(case, seed, progress, total, missing=missing, done=progress.ending is not None)

    async def step(self, before: Step, text: str) -> Step:
        """The session after a therapist turn. Raises `InputError` where it is over."""
        if before.done:
            raise InputError("this session is over; call reset() first")
        turn = turn_of("therapist", text)
        progress = await self.patients.answered(before.case, before.seed, before.progress, turn)
        total, missing = self.reward.value(_so_far(before.case, before.seed, progress))
        over = progress.ending is not None or len(progress.codes) >= self.turns
        return replace(before, progress=progress, total=total, reward=total - before.total, missing=missing, done=over)


def _so_far(case: Case, seed: int, progress: Progress) -> Episode:
    """The session so far as measures read it."""
    known = played(case, drawn_situation(case, RUN_SEED, seed))
    ending = progress.ending or Ending("turn_limit")
    return Episode(
        EpisodeKey(Caller().name, case.id, seed),
        progress.session,
        progress.states,
        progress.codes,
        progress.appraisals,
        ending,
        known,
    )
