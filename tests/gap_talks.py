"""What the tests of the gap battery's families share: a therapist that nobody can read, and a profile made in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from maieutic.domain.episode import Answer, Question, Session, Turn
from maieutic.gap.family import Family, Profile, SamplePlan, Value
from maieutic.gap.recording_client import RecordingClient, ReplayCache
from maieutic.gap.run import observe, plan


@dataclass(frozen=True)
class Garbage:
    """The same words whatever is asked, in the dialogue and, where `answers` says nothing else, outside it."""

    text: str = ""
    name: str = "garbage"
    answers: str | None = None

    async def respond(self, session: Session) -> Turn:
        return Turn("therapist", self.text)

    async def answer(self, question: Question, session: Session) -> Answer:
        return Answer(self.text if self.answers is None else self.answers)


async def profile_by(family: Family, therapist: Any, extent: SamplePlan) -> Profile:
    """What a family says of a therapist."""
    seen = await observe(RecordingClient(therapist, ReplayCache(), seed=extent.seed), plan([family], extent))
    return family.profile(seen[family.id], extent)


def value_of(profile: Profile, name: str) -> Value:
    """A profile's value by its id."""
    return next(v for v in profile.values if v.id == name)


def beyond_a_limit(found: Profile) -> bool:
    """Whether a figure that flags the family lies beyond its limit, however wide its interval: so few sessions give no verdict."""
    return found.severity is not None and found.severity > 0


def within_limits(found: Profile) -> bool:
    """Whether a figure that flags the family is there, and none lies beyond its limit."""
    return found.severity is not None and found.severity <= 0
