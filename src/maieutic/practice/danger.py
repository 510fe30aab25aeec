"""What is to be asked of a danger that was told, with examples, in the order of `patients.risk_talk.ASKS`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

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
