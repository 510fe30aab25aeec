"""The reassurer: tells the patient each turn that it is not so bad, and asks nothing."""

from __future__ import annotations

from dataclasses import dataclass

from maieutic.domain.episode import Session, Turn
from maieutic.registry import therapist
from maieutic.therapists.arms.canned import next_line

_REASSURANCE = (
    "Don't worry, it will be all right in the end.",
    "I'm sure they didn't mean it like that.",
    "It isn't as bad as it looks from where you are.",
    "You'll be fine. These things pass.",
    "It's not your fault, really it isn't.",
    "Everyone feels like that now and then, it's completely normal.",
    "There's no need to worry about that.",
    "Things will get better, they always do.",
    "I'm sure it will all work out.",
    "You're not alone with this, so many people go through the same.",
    "It's going to be okay, I promise you.",
    "There's nothing wrong with you at all.",
    "Time heals, and this will heal as well.",
    "Don't be so hard on yourself, nobody else is.",
    "In a year you won't even remember it.",
    "That happens to the best of us, it's nothing to be upset about.",
    "I'm sure you did everything you could.",
    "It's perfectly fine to feel that way, and it will pass.",
    "Nobody thinks that about you, believe me.",
    "You'll get through this, no question about it.",
)


@therapist("reassurance")
@dataclass(frozen=True, slots=True)
class Reassurer:
    """Reassures each turn, whatever was said; kind, and empty of exploration."""

    name: str = "reassurance"

    async def respond(self, session: Session) -> Turn:
        """The next reassurance, in an order drawn by the session's seed."""
        return next_line(session, _REASSURANCE)
