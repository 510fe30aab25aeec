"""A first Socratic therapist without any language model: it works from the patient's words alone.

Order of work (Padesky's four stages, cycles allowed): hear the situation, the thought and the feeling; rate the thought;
ask what the patient knows that bears on it, following people and events the patient has mentioned; set what came up
against the thought; ask for the patient's own conclusion; rate again; agree on something to try. It never tells a fact.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from maieutic.domain.episode import Session, Turn
from maieutic.language.sentences import content_words, unsaid
from maieutic.registry import therapist
from maieutic.therapists.wording import handles, key_clause, named_feeling, sounds_guarded

_THOUGHT = (
    "What went through your mind just then?",
    "What were you telling yourself about it at that moment?",
    "What does that say about you, as you see it?",
)
_FEELING = ("How did you feel as that went through your mind?", "What feeling came with it?")
_RATE = (
    "How much do you believe that right now, from 0 to 100?",
    "And today, how strongly do you believe it, from 0 to 100?",
)
_FOLLOW = (
    "You mentioned {handle}. What has happened with {handle} that bears on this?",
    "What has {handle} said or done since then?",
    "How did it go with {handle}?",
    "What would {handle} have seen of this?",
    "What do you remember about {handle} that comes to mind now?",
)
_FOLLOW_THING = (
    "You mentioned {handle}. What happened there?",
    "How did {handle} come about?",
    "What stays with you from {handle}?",
    "Who else was part of {handle}?",
)
_WIDE = (
    "Has there been a time when it went differently from what that thought says?",
    "Who knows you well and might see this differently?",
    "What have you noticed in the last weeks that doesn't quite fit with that thought?",
    "What have you managed that the thought leaves out, something that speaks against it?",
    "When was it less true, some moment when things went better?",
)
_SLOW = (
    "This isn't easy to talk about, and there is no hurry.",
    "We can take this at your pace.",
    "It makes sense to be careful with this.",
)
_WEIGH = (
    "How does that fit with the thought you had?",
    "When you put those side by side, what do you make of the thought now?",
    "Looking at all of that together, what does it tell you about the thought?",
)
_ALTERNATIVE = (
    "How would you put it now, in your own words, so that it takes in everything you've told me?",
    "What would be a fair way of saying it that holds all of this?",
)
_PLAN = ("What could you try this week to find out more about that?", "How could you test that before we next talk?")
_RISK = "When you say that, are you having any thoughts of ending your life or of hurting yourself?"
_RISK_HINT = re.compile(
    r"\b(?:not (?:be|being) here|no point (?:in )?(?:going on|living|any more|anymore)|better off without me|(?:go|gone) to sleep and not|not wake up|don't deserve to (?:live|be here|be alive)"
    r"|end it|disappear|wouldn't (?:be missed|miss me)|won't be around|tired of living)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class _Memory:
    """What the agent knows from the session: its own questions so far and what came back."""

    asked: tuple[str, ...]
    answers: tuple[str, ...]
    thought_asked: bool
    feeling_asked: bool
    rated: int
    fresh: tuple[str, ...]
    weighed: int
    risk_asked: bool


@therapist("socratic")
@dataclass(frozen=True, slots=True)
class SocraticTherapist:
    """The first Socratic therapist; sees only what was said.

    Attributes:
        turns: Length of the session it plans for, in therapist turns; the last four are kept for the conclusion.
    """

    name: str = "socratic"
    turns: int = 20

    async def respond(self, session: Session) -> Turn:
        """The next turn with its trace: stage, reason, and the handle it follows."""
        rng = session.generator("therapist")
        memory = _recall(session)
        text, stage, reason = self._plan(session, memory, rng)
        return Turn("therapist", text, trace={"stage": stage, "reason": reason})

    def _plan(self, session: Session, memory: _Memory, rng: Random) -> tuple[str, str, str]:
        last = session.last("patient")
        said = last.text if last else ""
        number = len(memory.asked) + 1
        if _RISK_HINT.search(said) and not memory.risk_asked:
            return f"Thank you for telling me that. {_RISK}", "risk", "the patient hinted at not wanting to live"
        heard = _reflection(session, said, rng)
        pick = _unused(memory.asked, rng)
        if not memory.thought_asked:
            return f"{heard} {pick(_THOUGHT)}", "informational", "the hot thought is not known yet"
        if not memory.feeling_asked:
            return f"{heard} {pick(_FEELING)}", "informational", "the feeling is not known yet"
        if memory.rated == 0 and number >= 4:
            return f"{heard} {_RATE[0]}", "informational", "conviction has not been rated"
        left = self.turns - number
        if left <= 0 or (left <= 1 and memory.rated >= 2):
            return f"{heard} {pick(_PLAN)}", "synthesising", "the session closes with something to try"
        if left == 1 and memory.rated < 2:
            return _RATE[1], "synthesising", "conviction is rated again"
        if len(memory.fresh) >= 2 or (memory.fresh and left <= 4):
            return f"{_summary(memory.fresh)} {pick(_WEIGH)}", "summary", "new facts wait to be set against the thought"
        if left <= 3 and memory.weighed:
            return f"{heard} {pick(_ALTERNATIVE)}", "synthesising", "the patient's own conclusion is asked for"
        slow = f"{rng.choice(_SLOW)} " if sounds_guarded(said) else f"{heard} "
        question, why = _next_question(session, memory, rng)
        return f"{slow}{question}".strip(), "informational", why


def _recall(session: Session) -> _Memory:
    asked = tuple(turn.text for turn in session.by("therapist"))
    answers = tuple(turn.text for turn in session.by("patient")[1:])
    fresh: list[str] = []
    weighed = rated = 0
    for question, answer in zip(asked, answers, strict=False):
        if any(w in question for w in _WEIGH):
            fresh, weighed = [], weighed + 1
        elif any(r in question for r in _RATE):
            rated += 1
        elif _is_search(question) and not sounds_guarded(answer):
            fresh.append(answer)
    return _Memory(
        asked=asked,
        answers=answers,
        thought_asked=any(w in q for q in asked for w in _THOUGHT),
        feeling_asked=any(w in q for q in asked for w in _FEELING),
        rated=rated,
        fresh=tuple(fresh),
        weighed=weighed,
        risk_asked=any(_RISK in q for q in asked),
    )


def _is_search(question: str) -> bool:
    fixed = list(_WIDE) + [f.split("{handle}")[0] or f.split("{handle}")[1] for f in (*_FOLLOW, *_FOLLOW_THING)]
    return any(part.strip() and part.strip() in question for part in fixed)


def _next_question(session: Session, memory: _Memory, rng: Random) -> tuple[str, str]:
    """Follow a handle the patient gave; every third search, or when none is left, ask widely."""
    asked = " ".join(memory.asked)
    waiting = [h for h in handles([turn.text for turn in session.by("patient")]) if h not in asked]
    searches = sum(_is_search(q) for q in memory.asked)
    wide = [q for q in _WIDE if q not in asked]
    if wide and (not waiting or searches % 3 == 2):
        return rng.choice(wide), "what speaks against the thought is asked for widely"
    if waiting:
        handle = waiting[0]
        forms = _FOLLOW if handle[0].isupper() or handle.startswith("your ") else _FOLLOW_THING
        fresh = [f for f in forms if f.split("{handle}")[-1] not in asked] or list(forms)
        return rng.choice(fresh[:4]).format(handle=handle), f"the patient mentioned {handle}"
    return rng.choice(_WIDE), "nothing else to follow"


def _unused(asked: tuple[str, ...], rng: Random) -> Callable[[tuple[str, ...]], str]:
    def pick(bank: tuple[str, ...]) -> str:
        return rng.choice(unsaid(bank, asked) or list(bank))

    return pick


def _reflection(session: Session, said: str, rng: Random) -> str:
    """Give back what was just said, in the patient's words; a feeling only if the patient has named it."""
    feeling = named_feeling(session)
    clause = key_clause(said)
    recent = feeling is not None and feeling in said.lower()
    if recent and rng.random() < 0.7:
        return f"You felt {feeling}." if rng.random() < 0.5 else f"It sounds like that left you {feeling}."
    if clause and len(content_words(clause)) >= 2:
        return rng.choice((f"So {clause}.", f"What I hear is that {clause}.", f"It sounds like {clause}."))
    return ""


def _summary(answers: tuple[str, ...]) -> str:
    clauses = [c for c in (key_clause(a) for a in answers[-2:]) if c]
    if not clauses:
        return "You've told me several things now."
    return f"You told me that {' and that '.join(clauses)}."
