"""The case-aware oracle: knows the case and the state, and conducts the session as the model of the mind rewards it.

It is a ceiling for the others, privileged in every table, and cannot be served.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from maieutic.domain.appraisal import WORK
from maieutic.domain.case import Case, Evidence, Situation
from maieutic.domain.episode import Session, Turn
from maieutic.domain.state import CognitiveState
from maieutic.language.sentences import content_words, sentences
from maieutic.reading.drafts import questions
from maieutic.registry import therapist
from maieutic.rivals.reflecting import reflection

_REFLECTIONS = (
    "It sounds like you felt {feeling} there, and that it has stayed with you.",
    "I hear how {feeling} that left you.",
    "You were {feeling}, and no wonder it is still with you.",
    "It seems that feeling {feeling} has been part of every day since.",
    "You sound {feeling} as you tell me this.",
    "Underneath it you feel {feeling}, and it is good to hear that said.",
)
_FEELING = "How did you feel when that happened?"
_THOUGHT = "What went through your mind at that moment?"
_BACKGROUND = "Where does that come from, earlier in your life?"
_GOAL = "What would you like to get from our talk today?"
_RATE = "How much do you believe that thought right now, from 0 to 100?"
_WEIGH = (
    "How does that fit with the thought that went through your mind?",
    "When you put that side by side with the thought, what do you make of it?",
    "Looking at all of that together, what does it tell you about the thought?",
)
_STAY = (
    "If you'd like, tell me a little more about how that was.",
    "If you'd like, say a little more about that day.",
    "If you'd like, tell me what has stayed with you most.",
    "If you'd like, say a little more about what it has been like since.",
)
_ALTERNATIVE = "How would you put it now, in your own words, so that it holds all of this?"
_LEAVE = "Would it be all right if I told you something about that?"
_CHECK_BACK = ("What do you make of that?", "How does that fit with what you knew?", "What do you take from that?")
_RESULT = "How did it go with what you had planned to try?"
_PLAN = "What could you try before we next talk to find out more?"
_COPE = (
    "What helps you most to carry this?",
    "Who helps you to carry this?",
    "What eases it a little, when it is at its heaviest?",
    "How are you sleeping and eating with all of this?",
)
_RISK = "With all of that on you, have you had thoughts of ending your life or of hurting yourself?"
_RISK_STAY = (
    "Thank you for telling me that plainly. What makes those thoughts stronger, and what makes them weaker?",
    "I'm glad you said it. Who else knows that you have these thoughts?",
    "It matters that you told me. What has kept you here so far?",
)


_OPENING_TURNS = 5
"""Turns at most for thought, feeling, goal and staying with it, before the first fact is asked for."""
_OPEN_ENOUGH = 0.65
"""Openness (0–1) at which facts are asked for sooner: each moves conviction in proportion to it."""
_LONGEST_WAIT = 15
"""Turns after which what came up is weighed although a fact is still missing."""


@therapist("oracle")
@dataclass(frozen=True, slots=True)
class Oracle:
    """Opens the patient by giving back what is felt and said, asks for every fact in reach, has them weighed at once.

    A fact moves conviction in proportion to openness and to the conviction that is left: so it opens first, and keeps
    what came up for one weighing late in the session. Information that is lacking is told after that, and what is left
    of the session goes to the patient's own work on the thought.
    """

    name: str = "oracle"
    needs: tuple[str, ...] = ("case", "state")
    case: Case | None = None
    state: CognitiveState | None = None

    def informed(self, *, case: Case, state: CognitiveState) -> Oracle:
        """The same therapist, knowing this case and this state."""
        return replace(self, case=case, state=state)

    async def respond(self, session: Session) -> Turn:
        """The next turn; the trace names the target."""
        assert self.case is not None and self.state is not None, "the oracle must be informed by the dialogue loop"
        text, target = _plan(self.case, self.case.situation(self.state.situation), self.state, session)
        return Turn("therapist", text, trace={"target": target})


def _plan(case: Case, situation: Situation, state: CognitiveState, session: Session) -> tuple[str, str]:
    rng = session.generator("therapist")
    asked = [turn.text for turn in session.by("therapist")]
    heard = _reflect(situation, asked, session, rng)
    if case.risk.level != "none":
        return _risk_plan(state, asked, heard, rng)
    for slot, question in (("feeling", _FEELING), ("thought", _THOUGHT)):
        if slot not in state.disclosed and _times(asked, question) < 2:
            return f"{heard} {question}", slot
    if _times(asked, _RATE) == 0:
        return f"{heard} {_RATE}", "conviction"
    if situation.accurate:
        return f"{heard} {_fresh(_COPE, asked, rng)}", "coping"
    if state.result and _times(asked, _RESULT) < 2:
        return f"{heard} {_RESULT}", "experiment"
    nearest = _next_fact(situation, state, asked) if len(asked) < _LONGEST_WAIT else None
    if nearest is not None:
        opened = state.openness >= _OPEN_ENOUGH or len(asked) >= _OPENING_TURNS
        if opened and _within_reach(nearest, state):
            return f"{heard} {_fresh(_clear(nearest.asks), asked, rng)}", nearest.id
        return _open_up(asked, heard, rng)
    waiting = _waiting(situation, state)
    if waiting:
        return f"{_side_by_side(situation, waiting, session)} {_fresh(_WEIGH, asked, rng)}", "weighing"
    told = _gap_plan(situation, state, asked, heard, rng)
    if told is not None:
        return told
    if state.insight < 1.0 and len(state.weighed) >= 2 and _times(asked, _ALTERNATIVE) < 3:
        return f"{heard} {_ALTERNATIVE}", "alternative"
    work = _work(case, situation, state, asked)
    if work is not None:
        return f"{heard} {work}", "work on the thought"
    if _times(asked, _PLAN) < 2:
        return f"{heard} {_PLAN}", "plan"
    return _open_up(asked, heard, rng)


def _open_up(asked: Sequence[str], heard: str, rng: Random) -> tuple[str, str]:
    """A turn that only opens: what is hoped for, an invitation that leaves the choice, where it comes from."""
    if not _times(asked, _GOAL):
        return f"{heard} {_GOAL}", "goal"
    if any(not _times(asked, w) for w in _STAY):
        return f"{heard} {_fresh(_STAY, asked, rng)}", "opening up"
    if not _times(asked, _BACKGROUND):
        return f"{heard} {_BACKGROUND}", "background"
    return heard, "opening up"


def _waiting(situation: Situation, state: CognitiveState) -> list[str]:
    """What was told on being asked and not weighed yet; nothing where all of it speaks for the thought."""
    told = [v.evidence for v in state.voiced if v.by == "patient" and v.credit > 0.0]
    waiting = [name for name in told if name not in state.weighed]
    supporting = {e.id for e in situation.evidence if e.bearing == "for"}
    return waiting if set(waiting) - supporting else []


def _work(case: Case, situation: Situation, state: CognitiveState, asked: Sequence[str]) -> str | None:
    """A question for a piece of work on the thought that the patient can do, the one with most told facts beside it
    first."""
    if case.memory is None:
        return None
    told = {v.evidence for v in state.voiced if v.by == "patient"}
    waiting = [
        unit
        for unit in case.memory.within(situation.id)
        if WORK & set(unit.forms) and unit.id not in state.worked and not any(_times(asked, a) for a in unit.asks)
    ]
    ready = [unit for unit in waiting if state.openness >= unit.guard + state.traits.guardedness]
    best = max(ready, key=lambda unit: (len(told & set(unit.links)), unit.id), default=None)
    return _clear(best.asks)[0] if best is not None else None


def _gap_plan(
    situation: Situation, state: CognitiveState, asked: Sequence[str], heard: str, rng: Random
) -> tuple[str, str] | None:
    """Where information is lacking: find out what is known, ask leave, tell it briefly, ask what they make of it."""
    gap = situation.knowledge_gap
    if gap is None or state.informed >= 1.0:
        return None
    information = sentences(gap.information)[0]
    if state.informed == 0.5:
        return f"{heard} {_fresh(_CHECK_BACK, asked, rng)}", "knowledge gap"
    if not any(_times(asked, a) for a in gap.asks):
        return f"{heard} {_fresh(gap.asks, asked, rng)}", "knowledge gap"
    if _times(asked, information):
        return None
    if state.leave:
        return information, "knowledge gap"
    return (f"{heard} {_LEAVE}", "knowledge gap") if _times(asked, _LEAVE) < 2 else None


def _risk_plan(state: CognitiveState, asked: Sequence[str], heard: str, rng: Random) -> tuple[str, str]:
    if state.risk_disclosed:
        return f"{heard} {_fresh(_RISK_STAY, asked, rng)}", "risk"
    if len(asked) >= 1 and _times(asked, _RISK) < 3:
        return f"{heard} {_RISK}", "risk"
    return heard, "opening up"


def _next_fact(situation: Situation, state: CognitiveState, asked: Sequence[str]) -> Evidence | None:
    """The least guarded fact against the thought that has not come up and has not been asked for three times."""
    known = {v.evidence for v in state.voiced}
    waiting = [
        e
        for e in situation.evidence
        if e.bearing == "against" and e.id not in known and sum(_times(asked, a) for a in e.asks) < 3
    ]
    reachable = [e for e in waiting if _within_reach(e, state)]
    if reachable:
        return max(reachable, key=lambda e: (e.weight, e.id))
    return min(waiting, key=lambda e: (e.guard, e.id), default=None)


def _within_reach(evidence: Evidence, state: CognitiveState) -> bool:
    return state.openness >= evidence.guard + state.traits.guardedness + 0.06


def _reflect(situation: Situation, asked: Sequence[str], session: Session, rng: Random) -> str:
    """Each true feeling is named once; from then on the last words are given back."""
    groups = tuple(dict.fromkeys(emotion.group for emotion in situation.emotions))
    if len(asked) < len(groups):
        return _fresh(_REFLECTIONS, asked, rng).format(feeling=groups[len(asked)])
    return reflection(session, rng)


def _clear(asks: Sequence[str]) -> Sequence[str]:
    """The wordings that are one open question, or all of them where none is."""
    return [a for a in asks if len(found := questions(a)) == 1 and found[0].open] or asks


def _side_by_side(situation: Situation, names: Sequence[str], session: Session) -> str:
    """What waits to be weighed, each named by a topic that the patient has spoken of where there is one."""
    said = frozenset().union(*(content_words(turn.text) for turn in session.by("patient")))
    facts = {e.id: e.topics for e in situation.evidence}
    topics = [_spoken_of(facts[name], said) if name in facts else "what you tried" for name in names]
    return f"You've told me about {' and about '.join(topics)}."


def _spoken_of(topics: Sequence[str], said: frozenset[str]) -> str:
    topic = next((t for t in topics if content_words(t) and content_words(t) <= said), topics[0])
    return re.sub(r"\bmy\b", "your", topic)


def _fresh(bank: Sequence[str], asked: Sequence[str], rng: Random) -> str:
    used = [w for w in bank if any(w.split("{")[0] in a for a in asked)]
    return rng.choice([w for w in bank if w not in used] or list(bank))


def _times(asked: Sequence[str], question: str) -> int:
    return sum(question in a for a in asked)
