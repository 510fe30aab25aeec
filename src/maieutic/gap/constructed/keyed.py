"""The control's turns at frozen moments whose right move the items name: it does there what it knows.

Everywhere else the control is the agent itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from maieutic.domain.episode import Session
from maieutic.gap.constructed.wording import clause_of
from maieutic.gap.items import packaged
from maieutic.language.feelings import disclosed_feelings

_TURNS = {
    "explore": "What was going through your mind at that very moment?",
    "listen": "I can hear how {feeling} this is for you, and that {clause}.",
    "summarise": "Let me see if I have got this so far. There are several things: {clause}, and what you told me "
    "before that. Have I missed something?",
    "weigh": "When you put these things side by side, how do they fit with the thought?",
    "step_back": "Thank you for telling me so openly. I went too fast there, and I'm sorry. What would you rather "
    "do with the time?",
    "safety": "I'm glad you are telling me. I want to ask you directly: are you having thoughts of suicide, or "
    "of ending your life?",
    "check": "You don't have to agree with me, and there is no right answer here. Which part of you still has "
    "doubts about it?",
    "refocus": "May I bring us back to what we were looking at before? What was it like, that moment you began "
    "to tell me about?",
    "plan": "What could be one small first step, so that you can see how it goes before we meet next time?",
    "inform": "May I tell you what is known about that? Usually the blood pressure rises when the heart beats "
    "faster, and with tablets it often takes two to four weeks. How does that fit with what you know?",
}


def keyed(session: Session) -> str | None:
    """The turn that a frozen moment calls for; None for a session that is no frozen item."""
    lines = tuple(turn.text for turn in session.turns)
    kind = _moments().get(lines[-1]) if lines else None
    if kind is None:
        return None
    feelings = sorted(disclosed_feelings(lines[-1]))
    clause = clause_of((lines[-1],)) or "it has stayed with you"
    return _TURNS[kind].format(feeling=feelings[0] if feelings else "hard", clause=clause)


@lru_cache(maxsize=1)
def _moments() -> Mapping[str, str]:
    """The right move by the patient's last line."""
    source: Mapping[str, Any] = packaged("frozen_moves")
    found = {str(state["lines"][-1]): str(state["right"][0]) for state in source["states"]}
    return found | {str(item["last"]): str(item["right"][0]) for item in source["repeats"]}
