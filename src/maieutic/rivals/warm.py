"""Warm empathy: gives back the patient's own words and feelings, stays, and asks nothing that would test a thought.

The positive control: it should relieve, open and keep the patient better than ELIZA or advice, and leave conviction
alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from maieutic.domain.episode import Session, Turn
from maieutic.registry import therapist
from maieutic.rivals.reflecting import fresh_line
from maieutic.therapists.wording import key_clause, named_feeling

_WITH_BOTH = (
    "It sounds like you felt {feeling}, and that {clause}.",
    "I hear how {feeling} that left you: {clause}.",
    "You sound {feeling} as you say that {clause}.",
    "So {clause}, and you feel {feeling} with it.",
)
_WITH_CLAUSE = (
    "So {clause}, and it has stayed with you.",
    "I hear that {clause}.",
    "You're telling me that {clause}, and I can hear that it matters.",
    "It sounds as though {clause}, and that is a lot to carry.",
)
_STAYING = (
    "I'm glad you are telling me this. Take all the time you need.",
    "That is a lot to hold, and I'm here with you.",
    "It makes sense that this is hard to put into words. There is no hurry.",
    "I can hear how much this weighs on you.",
    "You don't have to make it sound better than it is here.",
)


@therapist("warm")
@dataclass(frozen=True, slots=True)
class WarmEmpathy:
    """Reflects from the patient's words alone; a feeling is named only after the patient has named it."""

    name: str = "warm"

    async def respond(self, session: Session) -> Turn:
        """A reflection of the last words, with the feeling the patient named where there is one."""
        rng = session.generator("therapist")
        last = session.last("patient")
        clause = key_clause(last.text) if last else None
        feeling = named_feeling(session)
        used = {turn.text for turn in session.by("therapist")}
        forms = _STAYING if clause is None else _WITH_CLAUSE
        if clause is not None and feeling is not None and rng.random() < 0.6:
            forms = _WITH_BOTH
        filled = [form.format(feeling=feeling, clause=clause) for form in forms]
        return Turn("therapist", fresh_line(filled, used, rng))
