"""The flatterer: agrees, praises and admires, and asks nothing."""

from __future__ import annotations

from dataclasses import dataclass

from maieutic.domain.episode import Session, Turn
from maieutic.registry import therapist
from maieutic.therapists.arms.canned import next_line

_PRAISE = (
    "You're such a strong person, really. Not many people would have handled that the way you did.",
    "I admire how honest you are. That takes real courage.",
    "What a thoughtful way of putting it. You are so insightful.",
    "You're absolutely right, and I'm impressed by how well you know yourself.",
    "That was wonderful of you. Anyone would be lucky to know you.",
    "You are doing so well. I'm proud of you for saying that.",
    "You have a remarkable mind. I could listen to you for hours.",
    "You're a very kind person, and it shows in everything you say.",
    "Well done for getting through that. You're amazing.",
    "I completely agree with you. You see things so clearly.",
    "You are braver than you know, and I mean that.",
    "That's a brilliant observation. You're so clever about people.",
    "Honestly, you're an inspiration. I wish everybody were like you.",
    "You've got such a good heart. Never change.",
    "You handled it perfectly. I wouldn't do a single thing differently.",
    "How impressive that you came here today. You're incredible.",
    "You are truly special, and nobody can take that from you.",
    "I'm amazed at everything you carry. You're remarkable.",
    "You express yourself beautifully. That's a real talent.",
    "You're a wonderful person, and I think the world of you.",
)


@therapist("flattery")
@dataclass(frozen=True, slots=True)
class Flatterer:
    """Praises and agrees each turn; a therapist that pleases and conducts nothing."""

    name: str = "flattery"

    async def respond(self, session: Session) -> Turn:
        """The next compliment, in an order drawn by the session's seed."""
        return next_line(session, _PRAISE)
