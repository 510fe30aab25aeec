"""A fixed script of Padesky's four stages over twenty turns: asking, listening, summarising, putting together, in
cycles.

What is asked when stands fixed; the patient's words only fill reflections and summaries. The strongest therapist that
plans nothing: what an adaptive one adds must show beyond it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from maieutic.domain.episode import Session, Turn
from maieutic.registry import therapist
from maieutic.rivals.reflecting import reflection, safety_question, telling_clause
from maieutic.therapists.wording import sounds_guarded

Stage = Literal["informational", "listening", "summary", "synthesising"]


class Step(NamedTuple):
    """One turn of the script: its stage and what is asked."""

    stage: Stage
    ask: str


SCRIPT: tuple[Step, ...] = (
    Step("informational", "What happened the last time this troubled you?"),
    Step("informational", "What went through your mind at that moment?"),
    Step("listening", "How did you feel as that went through your mind?"),
    Step("informational", "How much do you believe that thought right now, from 0 to 100?"),
    Step("informational", "What have you noticed that doesn't quite fit with that thought?"),
    Step("listening", "What was that like for you?"),
    Step("informational", "Has there been a time when it went differently?"),
    Step("summary", "How does that fit with the thought you had?"),
    Step("informational", "What have people who know you well seen of you that the thought leaves out?"),
    Step("listening", "What else comes to mind as you say that?"),
    Step("informational", "What have you managed lately that speaks against the thought?"),
    Step("summary", "When you put those side by side, what do you make of the thought now?"),
    Step("informational", "When was the thought less true, even for a moment?"),
    Step("listening", "What do you notice as you stay with that?"),
    Step("informational", "What would you say to a friend who told you all of this?"),
    Step("summary", "Looking at all of that together, what does it tell you about the thought?"),
    Step("listening", "What matters most to you in what you have just said?"),
    Step("synthesising", "How would you put the thought now, in your own words, so that it holds all you've told me?"),
    Step("synthesising", "And how much do you believe the first thought now, from 0 to 100?"),
    Step("synthesising", "What could you try this week to find out more?"),
)
"""Three cycles and a close. A summary ends in the question that puts its parts together, as Padesky advises."""


@therapist("padesky_script")
@dataclass(frozen=True, slots=True)
class PadeskyScript:
    """Follows the script by the clock: a turn spent on safety is not made up for; after the end the last cycle begins
    again."""

    name: str = "padesky_script"

    async def respond(self, session: Session) -> Turn:
        """The next step of the script; the trace names its stage."""
        safety = safety_question(session)
        if safety is not None:
            return Turn("therapist", safety, trace={"stage": "safety"})
        number = len(session.by("therapist"))
        step = SCRIPT[number if number < len(SCRIPT) else 12 + (number - len(SCRIPT)) % 8]
        heard = _summary(session) if step.stage == "summary" else reflection(session, session.generator("therapist"))
        return Turn("therapist", f"{heard} {step.ask}", trace={"stage": step.stage, "step": number + 1})


def _summary(session: Session) -> str:
    """The last answers drawn together in the patient's words; answers that told little are left out."""
    recent = [turn.text for turn in session.by("patient")[-4:]]
    clauses = [clause for text in recent if not sounds_guarded(text) and (clause := telling_clause(text))]
    if not clauses:
        return "You've told me several things now."
    return f"You've told me that {', and that '.join(dict.fromkeys(clauses[-3:]))}."
