"""The clause questioner: turns the patient's last clause into a question about evidence, whatever came before.

It shows how far good form on the last words goes without any idea of a session. What it asks depends on what kind of
clause it meets: a judgement is asked for what speaks for or against it, an event for what it says about the thought.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random

from maieutic.domain.episode import Session, Turn
from maieutic.registry import therapist
from maieutic.rivals.reflecting import fresh_feeling, last_words, safety_question, telling_clause

_JUDGEMENT = re.compile(
    r"\b(?:always|never|nobody|no one|everyone|everybody|nothing|everything|should|shouldn't|must"
    r"|can't|cannot|couldn't|won't"
    r"|failure|useless|worthless|stupid|weak|fault|burden|hopeless|unlovable|fraud|deserve|enough"
    r"|wrong with|will (?:leave|find|think|see|notice)"
    r"|think|thought|believe|means?|sure|as if|not good|you(?:'re| are) (?:a|an|the|just|not|so|too)\b)",
    re.I,
)
_OF_JUDGEMENT = (
    "You say that {clause}. What have you noticed that doesn't fit with that?",
    "You say that {clause}. When was there a time that it was otherwise?",
    "So {clause}. What in your own experience speaks against that?",
    "So {clause}. Who knows you well and might see that differently?",
    "You say that {clause}. How much do you believe that right now, from 0 to 100?",
)
_OF_EVENT = (
    "So {clause}. How does that fit with the thought that troubles you?",
    "You say that {clause}. What does that tell you about the thought?",
    "So {clause}. What else happened that bears on this?",
    "You say that {clause}. What went through your mind at that moment?",
    "So {clause}. What do you make of that now, when you set it beside the thought?",
)
_OF_FEELING = (
    "You felt {feeling}. What went through your mind just then?",
    "You felt {feeling}. What happened that brought it on?",
)
_OF_LITTLE = (
    "There's no hurry. What happened the last time it troubled you?",
    "Take your time. What have you noticed lately that doesn't fit with that thought?",
    "That's all right. What would somebody have seen who was there with you?",
)


@therapist("clause_question")
@dataclass(frozen=True, slots=True)
class ClauseQuestion:
    """Asks about the evidence for the last thing said; the same last words and luck give the same question."""

    name: str = "clause_question"

    async def respond(self, session: Session) -> Turn:
        """One question about the last clause; the trace says what kind of clause it was taken for."""
        safety = safety_question(session)
        if safety is not None:
            return Turn("therapist", safety, trace={"clause": "safety"})
        text, kind = _ask(session, session.generator("therapist"))
        return Turn("therapist", text, trace={"clause": kind})


def _ask(session: Session, rng: Random) -> tuple[str, str]:
    clause, feeling = telling_clause(last_words(session)), fresh_feeling(session)
    if clause is None:
        if feeling is None:
            return rng.choice(_OF_LITTLE), "little"
        return rng.choice(_OF_FEELING).format(feeling=feeling), "feeling"
    kind, bank = ("judgement", _OF_JUDGEMENT) if _JUDGEMENT.search(clause) else ("event", _OF_EVENT)
    return rng.choice(bank).format(clause=clause), kind
