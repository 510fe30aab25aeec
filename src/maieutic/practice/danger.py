"""What to do next while a danger is open, and what is to be asked of it, in the order of `patients.risk_talk.ASKS`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

DANGER: Final = "stay with the danger before anything else"
SAFETY: Final = "ask about safety in plain words"
ASKED_AGAIN: Final = "ask once more gently, and leave the door open"
EXAMPLES_OF_DANGER: Final[Mapping[str, tuple[str, ...]]] = {
    SAFETY: (
        "I want to ask you something directly. Have you been thinking of ending your life?",
        "When it is at its worst, do you think of dying, or of hurting yourself?",
    ),
    DANGER: (
        "I am glad that you told me. Who is with you today, and what do you both do if it gets worse before tonight?",
        "Let us call somebody together now who can help with this. Whom shall we call?",
        "Before we speak of anything else: how is it at this moment, nearer or further than when we began?",
        "What do we write down for tonight: what you do first, whom you call, where you go?",
    ),
    ASKED_AGAIN: (
        "I ask because it matters to me. If there were such thoughts at bad times, would you tell me?",
        "When it is at its worst, do you sometimes wish not to be alive?",
    ),
}
"""By kind of next step while a danger is open, examples that fit any case."""
ASKS_OF_DANGER: Final[Mapping[str, tuple[str, ...]]] = {
    "intent": ("Thank you for telling me. How close are you to doing something, today?", "Do you mean to act on it?"),
    "plan": ("Have you thought about how you would do it?", "Is there a day or a way that you have in mind?"),
    "means": ("Is there anything at hand that you have thought of using?", "What could we put out of reach, today?"),
    "protects": ("What has kept you safe so far?", "What has held you back until now?"),
    "known": ("Who else knows about this?", "Whom could we tell about this, together?"),
}
"""Of a danger to one's own life."""
ASKS_OF_OTHER_DANGER: Final[Mapping[str, tuple[str, ...]]] = {
    "intent": (
        "Thank you for telling me. What are you afraid could happen, today?",
        "What is the worst that it has led to?",
    ),
    "protects": ("What has kept you and others safe so far?", "What helps, even a little, when it is at its worst?"),
    "known": ("Who else knows about this?", "Whom could we tell about this, together?"),
}
"""Of any other danger."""
