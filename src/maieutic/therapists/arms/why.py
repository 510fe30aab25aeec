"""The why-interrogator: asks for reasons and justifications each turn."""

from __future__ import annotations

from dataclasses import dataclass

from maieutic.domain.episode import Session, Turn
from maieutic.registry import therapist
from maieutic.therapists.arms.canned import next_line

_WHY = (
    "Why do you think that?",
    "Why did you do it like that?",
    "And why does that bother you?",
    "Why do you feel that way?",
    "Why not simply do something else?",
    "But why?",
    "Why is that so important to you?",
    "Why did you let it come to that?",
    "Why do you believe it?",
    "Why haven't you changed it?",
    "Why are you so sure?",
    "Why would anybody see it like that?",
    "Why now?",
    "Why do you keep thinking about it?",
    "Why did that upset you so much?",
    "Why can't you leave it alone?",
    "Why do you say so?",
    "Why should that follow?",
    "Why do you react like that?",
    "Why does it have to be you?",
)


@therapist("why")
@dataclass(frozen=True, slots=True)
class WhyInterrogator:
    """Asks why, again and again; a questioner who conducts nothing."""

    name: str = "why"

    async def respond(self, session: Session) -> Turn:
        """The next why, in an order drawn by the session's seed."""
        return next_line(session, _WHY)
