"""The Socratic agent with a part taken out or changed: ablations, the second wording bank, and timing put out of joint."""

from __future__ import annotations

from dataclasses import dataclass, field

from maieutic.domain.episode import Session, Turn
from maieutic.registry import therapist
from maieutic.therapists.socratic import SocraticTherapist


@therapist("socratic_no_tracker")
def without_tracker() -> SocraticTherapist:
    """The tracker hears no patient turn: minds are moved on by what the therapist does and what usually comes back."""
    return SocraticTherapist(name="socratic_no_tracker", tracks=False)


@therapist("socratic_no_planner")
def without_planner() -> SocraticTherapist:
    """No look-ahead: the first thing that is missing is asked for."""
    return SocraticTherapist(name="socratic_no_planner", plans=False)


@therapist("socratic_no_validator")
def without_validator() -> SocraticTherapist:
    """Drafts are said as they come."""
    return SocraticTherapist(name="socratic_no_validator", validates=False)


@therapist("socratic_second_bank")
def with_second_bank() -> SocraticTherapist:
    """Worded by a bank that shares no run of four words with the first."""
    return SocraticTherapist(name="socratic_second_bank", wording="second")


@therapist("socratic_shuffled")
@dataclass(frozen=True, slots=True)
class ShuffledTiming:
    """What the agent would have said at another moment of the session so far: the same acts, out of time."""

    name: str = "socratic_shuffled"
    inner: SocraticTherapist = field(default_factory=SocraticTherapist)

    async def respond(self, session: Session) -> Turn:
        """The agent's turn for a prefix drawn at random; the first and the last turn stay in their places."""
        number = len(session.by("therapist")) + 1
        if number in (1, self.inner.turns):
            return await self.inner.respond(session)
        places = [at + 1 for at, turn in enumerate(session.turns) if turn.speaker == "patient"]
        cut = session.generator("shuffled timing").choice(places)
        return await self.inner.respond(Session(session.turns[:cut], session.seed + number))
