"""Expressive prompts only: invites the patient to go on telling, follows nothing and reflects nothing."""

from __future__ import annotations

from dataclasses import dataclass

from maieutic.domain.episode import Session, Turn
from maieutic.registry import therapist
from maieutic.therapists.arms.canned import next_line

_PROMPTS = (
    "Tell me more about that.",
    "What was that like for you?",
    "Say whatever comes to you.",
    "What else is there?",
    "How was it to go through that?",
    "Take your time and stay with it. What comes up?",
    "What do you feel as you tell me this?",
    "Please go on, I'm listening.",
    "What is it like to say that out loud?",
    "Could you describe that a little more?",
    "What is the hardest part of it?",
    "Let it come in any order. What is on your mind?",
    "How is it for you right now?",
    "What would you want to get off your chest?",
    "Where do you notice it in your body?",
    "What hasn't been said yet?",
    "What happened after that?",
    "How long has it been like this?",
    "If the feeling had words, what would it say?",
    "Is there more you would like to tell?",
)


@therapist("expressive")
@dataclass(frozen=True, slots=True)
class Expressive:
    """Asks for expression each turn, as expressive writing does (Pennebaker's paradigm); never aims at a thought."""

    name: str = "expressive"

    async def respond(self, session: Session) -> Turn:
        """The next prompt, in an order drawn by the session's seed."""
        return next_line(session, _PROMPTS)
