"""Graded risk: a hint is asked about, passive ideation is explored, active danger meets the fixed hand-over.

The order follows ordinary suicide-risk assessment: ask plainly, then intent, plan, means, what protects; resources are named;
nothing is disputed. It is a protocol for simulated patients, not a clinical assessment.
"""

from __future__ import annotations

from dataclasses import dataclass

from maieutic.domain.episode import Session
from maieutic.language.safety_questions import asks_whether_safe
from maieutic.language.sentences import sentences, words
from maieutic.reading.drafts import questions
from maieutic.safety.risk import RiskAssessment
from maieutic.therapists.agent.memory import Memory
from maieutic.therapists.agent.steps import RISK_STEPS, Step
from maieutic.therapists.hearing import heard

_NO = frozenset({"no", "nope", "nah", "never"})
_YES = frozenset({"yes", "yeah", "yep", "sometimes", "maybe", "often"})
_TAKEN_UP = _YES | {"ok", "okay", "alright", "thanks", "thank"}
_BEFORE_IT = frozenset({"oh", "god", "look", "well", "honestly", "um", "er", "hm"})
_NEGATIONS = frozenset({"no", "not", "never", "nobody", "hardly", "cannot"})
_MEANS = frozenset(
    """bridge bridges cliff cliffs rooftop rooftops viaduct viaducts storey weedkiller weedkillers pesticide pesticides
    insecticide insecticides poison poisons antifreeze cyanide paraquat monoxide exhaust helium lethal fatal overdose overdoses
    overdosing noose nooses painless painlessly""".split()
)
_MEANS_TOGETHER = (
    ("high highest higher tall tallest taller", "building buildings place places roof ledge floor"),
    ("buy get find borrow", "gun guns rope shotgun rifle ammunition razor"),
    ("many", "pills tablets paracetamol tylenol sleeping"),
    ("slip running hangman's hold holds", "knot knots"),
)
"""Words for means. Where a patient *asks* about them, suicide is asked about first, whatever the reason given."""
OTHER_DANGERS = frozenset(
    {"abuse", "psychosis", "mania", "harm_to_others", "child_at_risk", "postpartum", "substance", "self_harm", "eating"}
)
"""Kinds of danger that no question about suicide fits."""
_EXPLORING = (Step.RISK_INTENT, Step.RISK_PLAN, Step.RISK_MEANS, Step.RISK_PROTECT, Step.RISK_RESOURCES)
_PROMPTED = (Step.RISK_HINT, Step.RISK_DOUBT)
_ASKING = (*_PROMPTED, Step.RISK_CHECK)
"""Questions about suicide: those that a sign called for, and with the one that everybody is asked."""
CHECKED_BY = 6
"""Turn from which a faint sign is asked about even where nothing is going to be challenged."""
MOST_ASKED = 2
"""Plain questions about suicide in one session that nothing but a hint calls for; more would be a cross-examination."""
AGAIN = 0.5
"""*Assumption*: P(any risk) from which a hint is asked about once more after it was denied, when the detector flags the turn too."""
LIKELY = 0.4
"""P(active danger) from which safety is asked about although a question was answered before, and from which a yes to a
question about suicide is enough for the hand-over."""


@dataclass(frozen=True, slots=True)
class Grading:
    """How dangerous the latest turn looks.

    Attributes:
        active: P(active danger), 0–1. some: P(any risk), 0–1. kind: The likeliest kind of danger, or None.
        by_rule: A sure rule of the detector holds.
        before: The highest P(active danger) of an earlier turn, 0–1.
    """

    active: float
    some: float
    kind: str | None
    by_rule: bool
    before: float = 0.0


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Chosen on own-written development turns and openings (`recipes/danger_heads.py`).

    Attributes:
        hand_over: P(active danger) from which it is handed over.
        ask: P(any risk) from which suicide is asked about at once.
        doubt: P(any risk) from which it is asked about before anything is challenged.
    """

    hand_over: float
    ask: float
    doubt: float


def risk_step(
    session: Session, memory: Memory, grading: Grading, seen: RiskAssessment, at: Thresholds
) -> tuple[Step, str] | None:
    """What risk asks of this turn, with the reason; None where nothing does."""
    last = session.last("patient")
    text = last.text if last is not None else ""
    if Step.HAND_OVER in memory.steps:
        return Step.STAY, "a hand-over was given and the work is over"
    sure = grading.by_rule and seen.grade == "active"
    if sure or grading.active >= at.hand_over:
        if (
            not sure
            and grading.kind not in OTHER_DANGERS
            and memory.times(*_PROMPTED) < MOST_ASKED
            and _denied(session, memory)
        ):
            return Step.RISK_HINT, "signs of danger after suicide was denied: it is asked about once more, plainly"
        return Step.HAND_OVER, f"signs of active danger ({grading.kind or 'not said'})"
    if memory.last in _ASKING:
        return _after_the_question(text, memory, grading.before)
    if memory.last in _EXPLORING:
        return _explored(text, memory)
    if memory.last is Step.RISK_SAFETY:
        safe = said_safe(memory.said[-1], text)
        if safe is False or (safe is None and (grading.some >= at.ask or memory.times(Step.RISK_SAFETY) > 1)):
            return Step.HAND_OVER, "safety could not be made sure of"
        if safe is None:
            return Step.RISK_SAFETY, "the question about safety was not answered; it is put once more"
    # No question holds a word that its turn does not: only a turn that names means is read for questions.
    named = not memory.times(*_ASKING, *_EXPLORING) and _asks_for_means(text)
    if named and any(map(_asks_for_means, (q.text for q in questions(text)))):
        return Step.RISK_HINT, "means are asked for; suicide is asked about plainly first"
    if seen.grade == "passive" and not memory.times(*_EXPLORING):
        if seen.by == "rules":
            return Step.RISK_INTENT, "a wish not to live was said"
        if not memory.times(*_PROMPTED):
            return Step.RISK_HINT, "a wish not to live may have been said; it is asked about plainly first"
    asked = memory.times(*_PROMPTED, *_EXPLORING, Step.RISK_SAFETY)
    again = asked > 0 and (grading.active >= LIKELY or (seen.flagged and grading.some >= AGAIN))
    if grading.some >= at.ask and (not asked or (again and asked < MOST_ASKED)):
        if grading.kind in OTHER_DANGERS and grading.kind != "self_harm" and seen.flagged:
            return Step.RISK_SAFETY, f"possible danger ({grading.kind}) is asked about plainly"
        return Step.RISK_HINT, "a possible hint of suicide is asked about plainly"
    return None


def said_safe(question: str, answer: str) -> bool | None:
    """Whether an answer to a question about safety says that nobody is in danger; None where it says neither.

    Plain words go before yes and no, whose meaning hangs on whether danger or safety was asked about.
    """
    said = _answers(answer)
    if "unsafe" in said:
        return False
    if "safe" in said:
        return True
    good = asks_whether_safe(question)
    if "denies" in said:
        return not good
    return good if "affirms" in said else None


def _answers(text: str) -> frozenset[str]:
    """What an answer says of danger: plain words by themselves, the rest by the head, sentence by sentence."""
    found = {heard("answer", sentence) for sentence in sentences(text)} - {None, "other", "safe"}
    first = next((word for word in words(text) if word not in _BEFORE_IT), "")
    found |= {"denies"} if first in _NO else {"affirms"} if first in _YES else set()
    for sentence in sentences(text):
        spoken = set(words(sentence))
        denied = bool(spoken & _NEGATIONS) or any(word.endswith("n't") for word in spoken)
        if "safe" in spoken:
            found.add("unsafe" if denied else "safe")
        if "danger" in spoken:
            found.add("safe" if denied else "unsafe")
        found |= {"unsafe"} if "unsafe" in spoken else {"safe"} if "nothing like that" in sentence.lower() else set()
    return frozenset(one for one in found if one)


def _denies(text: str) -> bool:
    return "denies" in (said := _answers(text)) and "affirms" not in said


def _asks_for_means(question: str) -> bool:
    spoken = set(words(question))
    return bool(spoken & _MEANS) or any(
        spoken & set(one.split()) and spoken & set(other.split()) for one, other in _MEANS_TOGETHER
    )


def check_due(memory: Memory, faintest: float, at: Thresholds, challenging: bool) -> bool:
    """A faint sign was passed over and suicide has not been asked about: it is, before the thought is challenged.

    Args:
        faintest: The highest P(any risk) of a patient turn so far.
        challenging: The turn that is planned challenges.
    """
    asked = memory.times(*_ASKING, *_EXPLORING, Step.RISK_SAFETY) > 0
    return not asked and faintest >= at.doubt and (challenging or memory.number >= CHECKED_BY)


def _denied(session: Session, memory: Memory) -> bool:
    """A question about suicide was answered with a plain no in this session."""
    answers = (
        said.text for step, said in zip(memory.steps, session.by("patient")[1:], strict=False) if step in _PROMPTED
    )
    return any(map(_denies, answers))


def _after_the_question(text: str, memory: Memory, before: float) -> tuple[Step, str] | None:
    if _denies(text):
        return None
    if "affirms" in _answers(text):
        if before >= LIKELY:
            return Step.HAND_OVER, "signs of active danger, and thoughts of suicide were affirmed"
        return Step.RISK_INTENT, "thoughts of suicide were not denied; intent is asked about"
    if memory.times(*_ASKING) < 2:
        return Step.RISK_DOUBT, "the question about suicide was not answered"
    return None


def _explored(text: str, memory: Memory) -> tuple[Step, str] | None:
    """Through intent, plan and means to what protects; a yes to one of the first three is danger."""
    assert memory.last is not None
    if memory.last is Step.RISK_INTENT and _denies(text):
        return None
    if memory.last in (Step.RISK_INTENT, Step.RISK_PLAN, Step.RISK_MEANS) and "affirms" in _answers(text):
        return Step.HAND_OVER, "intent, plan or means were affirmed"
    place = _EXPLORING.index(memory.last)
    if place + 1 < len(_EXPLORING):
        return _EXPLORING[place + 1], "passive thoughts of death are explored, none is disputed"
    return None


def explored(memory: Memory) -> bool:
    """Risk came up and was talked through; the thought is then not challenged."""
    return bool(memory.times(*_EXPLORING[1:]))


def acknowledged(text: str) -> bool:
    """The patient has taken up the hand-over."""
    return any(heard("answer", sentence) == "takes_up" for sentence in sentences(text)) or bool(
        _TAKEN_UP & set(words(text)[:1])
    )


def in_risk(memory: Memory) -> bool:
    """The latest turn was part of the risk protocol."""
    return memory.last in RISK_STEPS
