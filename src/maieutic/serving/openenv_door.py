"""Patients as an OpenEnv environment; the only file that imports openenv."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

from fastapi import FastAPI
from openenv.core.env_server import create_app as create_openenv_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, EnvironmentMetadata, Observation, State
from pydantic import Field

from maieutic.safety.handover import DISCLAIMER
from maieutic.serving.training import Ground, Step


class TherapistTurn(Action):
    """What the policy, as therapist, says next."""

    text: str = Field(description="The therapist's next turn, in plain words.", max_length=20_000)


class PatientTurn(Observation):
    """What the patient says; nothing of the mind behind it."""

    text: str = Field(description="The patient's words.")
    turn: int = Field(ge=0, description="Therapist turns so far.")
    ending: str | None = Field(None, description="Why the session is over; null while it goes on.")


class SessionState(State):
    """Where a session stands, without the hidden side: no mind, no diagram, no situation."""

    case: str | None = None
    seed: int = 0
    reward: str = ""
    total_reward: float = 0.0
    said: list[dict[str, str]] = Field(default_factory=list)
    done: bool = False


class PatientEnvironment(Environment[TherapistTurn, PatientTurn, SessionState]):
    """One session at a time; any number of environments share the patients, whose minds are pure functions."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, ground: Ground, reward: str) -> None:
        super().__init__()
        self._ground, self._reward = ground, reward
        self._episode_id: str | None = None
        self._now: Step | None = None
        self._begun = 0.0

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, case: str | None = None, **_: Any
    ) -> PatientTurn:
        """As `reset_async`, outside an event loop."""
        return asyncio.run(self.reset_async(seed, episode_id, case))

    async def reset_async(
        self, seed: int | None = None, episode_id: str | None = None, case: str | None = None, **_: Any
    ) -> PatientTurn:
        """A new session: `seed` (0 where none is given) chooses mind, situation and, unless named, the case."""
        number = seed or 0
        self._episode_id = episode_id
        self._now = await self._ground.begin(self._ground.case(case, number), number)
        self._begun = self._now.total
        return self._observed(self._now)

    def step(self, action: TherapistTurn, timeout_s: float | None = None, **_: Any) -> PatientTurn:
        """As `step_async`, outside an event loop."""
        return asyncio.run(self.step_async(action, timeout_s))

    async def step_async(self, action: TherapistTurn, timeout_s: float | None = None, **_: Any) -> PatientTurn:
        """One therapist turn and what the patient says to it. Raises `InputError` when the session is over."""
        if self._now is None:
            await self.reset_async()
        assert self._now is not None
        self._now = await self._ground.step(self._now, action.text)
        return self._observed(self._now)

    @property
    def state(self) -> SessionState:
        """Where the session stands."""
        now = self._now
        if now is None:
            return SessionState(reward=self._reward)
        return SessionState(
            episode_id=self._episode_id,
            step_count=now.turn,
            case=now.case.id,
            seed=now.seed,
            reward=self._reward,
            total_reward=now.total - self._begun,
            said=[{"speaker": turn.speaker, "text": turn.text} for turn in now.progress.session.turns],
            done=now.done,
        )

    def get_metadata(self) -> EnvironmentMetadata:
        """Name and purpose."""
        said = f"Therapy sessions with simulated patients; reward: {self._reward}. {DISCLAIMER}"
        return EnvironmentMetadata(name="maieutic", description=said, version="1.0.0")

    def _observed(self, now: Step) -> PatientTurn:
        ending = now.progress.ending
        why = ending.kind if ending is not None else "turn_limit" if now.done else None
        told = {} if now.missing is None else {"reward_missing": now.missing}
        return PatientTurn(text=now.text, turn=now.turn, ending=why, reward=now.reward, done=now.done, metadata=told)


def environment(ground: Ground, reward: str, *, sessions: int) -> FastAPI:
    """The ASGI application, for so many sessions at once."""
    app: FastAPI = create_openenv_app(
        partial(PatientEnvironment, ground, reward),
        TherapistTurn,
        PatientTurn,
        env_name="maieutic",
        max_concurrent_envs=sessions,
        state_cls=SessionState,
    )
    return app
