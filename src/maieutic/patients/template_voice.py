"""The mouth without a model: words what the mind decided from the case's own phrasings, in the case's style."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from maieutic.domain.case import Case, Situation
from maieutic.domain.episode import Session
from maieutic.domain.state import Act, CognitiveState
from maieutic.language.sentences import unsaid

_CONVICTION = (
    "If I have to put a number on it, {n} out of a hundred.",
    "About {n}, I'd say. Out of a hundred.",
    "Right now? {n}, maybe.",
    "I'd say {n}.",
)
_GOALS = (
    "I'd like to get through one week without this going round and round.",
    "Honestly, I'd like to stop lying awake over it.",
    "To make some sense of it, I suppose.",
)
_PLANS = (
    "I could see what happens if I do it differently just once. I could write down what actually comes back.",
    "Maybe I could ask, instead of deciding the answer myself beforehand.",
    "I could try it the one time and tell you how it went.",
)
_CONFUSED = (
    "Sorry, I didn't catch that.",
    "I'm not sure I followed. What did you say?",
    "I didn't understand that, I'm afraid.",
)
_LEAVING = (
    "I think I'd like to stop here for today.",
    "I'm going to leave it there. This isn't helping me.",
    "Let's stop. I've had enough for today.",
)
_SAFE = (
    "No, nothing like that. I don't think about ending things.",
    "No. It's hard, but I'm not thinking of hurting myself.",
)
_OF_RISK = (Act.RISK_HINT, Act.RISK_DISCLOSURE)
_PLAIN = (Act.OPEN, Act.LEAVE, Act.RISK_DISCLOSURE, Act.RISK_DENIAL, Act.NOT_UNDERSTOOD)
"""Said without the style's lead-in and tail: "Yes, of course." before a denial would turn its meaning round."""
_BEFORE: Mapping[str, tuple[str, ...]] = {
    "upset": ("Look.", "Fine.", "I've said this already.", "What do you want me to say?"),
    "verbose": ("Well, where do I start.", "It's a long story, but.", "You have to know how it was.", "So, the way it went."),
    "reserved": ("Hm.", "Well.", "I suppose."),
    "tangent": ("Oh, that reminds me.", "Now, let me think.", "Before I forget."),
    "pleasing": ("That's a good question.", "Yes, of course.", "Oh, sure."),
}  # fmt: skip
_AFTER: Mapping[str, tuple[str, ...]] = {
    "upset": ("But what's the use of going over it.", "There. Happy?"),
    "pleasing": ("I hope that's what you meant.", "Does that make sense?"),
}


def say(case: Case, situation: Situation, session: Session, state: CognitiveState, rng: Random) -> str:
    """Word the decided intent; a wording that has been used is taken again only when all are used up."""
    used = {turn.text for turn in session.by("patient")}
    text = _choose(case, situation, state, used, rng)
    return _styled(case, text, state, rng)


def every_line(case: Case) -> frozenset[str]:
    """All that a patient says in these words, as it stands and in the style's lead-ins and tails, but for signs of risk."""
    plain: set[str] = {form.format(n=number) for form in _CONVICTION for number in (50, 80)}
    for situation in case.situations:
        own = _banks(case, situation)
        plain.update(line for act, lines in own.items() if act not in _OF_RISK for line in lines)
        plain.update(line for fact in situation.evidence for line in fact.said)
    before, after = _BEFORE.get(case.style, ("",)), _AFTER.get(case.style, ("",))
    styled = {
        f"{before[n % len(before)]} {line} {after[n % len(after)]}".strip() for n, line in enumerate(sorted(plain))
    }
    return frozenset(plain | styled)


def _wordings(case: Case, situation: Situation, act: Act, state: CognitiveState) -> Sequence[str]:
    if act is Act.EVIDENCE:
        return situation.fact(str(state.intent.evidence)).said
    if act is Act.CONVICTION:
        return tuple(form.format(n=round(state.stated / 5.0) * 5) for form in _CONVICTION)
    return _banks(case, situation)[act]


def _banks(case: Case, situation: Situation) -> Mapping[Act, Sequence[str]]:
    phrasings, here = case.phrasings, situation.id
    gap, compulsion = situation.knowledge_gap, situation.compulsion
    return {
        Act.OPEN: phrasings.opening[here],
        Act.DETAIL: phrasings.details[here],
        Act.BACKGROUND: phrasings.background,
        Act.THOUGHT: phrasings.thought[here],
        Act.FEELING: phrasings.feeling[here],
        Act.GOAL: phrasings.hopes or _GOALS,
        Act.CONCEDE: phrasings.conceding[here],
        Act.UNMOVED: phrasings.unmoved[here],
        Act.INSIGHT: phrasings.insight[here],
        Act.PLAN: situation.experiment.plan if situation.experiment else _PLANS,
        Act.RESULT: situation.experiment.said if situation.experiment else phrasings.not_knowing,
        Act.GAP: gap.before if gap else phrasings.not_knowing,
        Act.INFORMED: gap.after if gap else phrasings.not_knowing,
        Act.REASSURANCE_BID: compulsion.bids if compulsion else phrasings.details[here],
        Act.DEFLECT: phrasings.deflecting,
        Act.RESIST: phrasings.resisting,
        Act.WARMED: phrasings.warmed,
        Act.AGREE: phrasings.agreeing,
        Act.NOT_KNOWING: phrasings.not_knowing,
        Act.TANGENT: phrasings.tangents,
        Act.RISK_HINT: case.risk.hints or phrasings.deflecting,
        Act.RISK_DISCLOSURE: case.risk.disclosures or phrasings.deflecting,
        Act.RISK_DENIAL: case.risk.denials or _SAFE,
        Act.NOT_UNDERSTOOD: _CONFUSED,
        Act.LEAVE: _LEAVING,
    }


_NEXT: Mapping[Act, Act] = {
    Act.DETAIL: Act.BACKGROUND, Act.BACKGROUND: Act.DETAIL, Act.DEFLECT: Act.NOT_KNOWING, Act.NOT_KNOWING: Act.DEFLECT,
    Act.WARMED: Act.DETAIL, Act.RESIST: Act.DEFLECT, Act.AGREE: Act.WARMED,
}  # fmt: skip
"""Where a patient takes words from when all of an act's own are used up: acts that tell no more than it does."""


def _choose(case: Case, situation: Situation, state: CognitiveState, used: set[str], rng: Random) -> str:
    own = _wordings(case, situation, state.intent.act, state)
    near = _NEXT.get(state.intent.act)
    for wordings in (own, _wordings(case, situation, near, state) if near else ()):
        fresh = unsaid(wordings, used)
        if fresh:
            return rng.choice(fresh)
    return rng.choice(list(own))


def _styled(case: Case, text: str, state: CognitiveState, rng: Random) -> str:
    """Add the style's lead-in or tail in some turns, fewer as trust grows (PATIENT-Ψ: in style in some turns)."""
    if state.intent.act in _PLAIN:
        return text
    before, after = _BEFORE.get(case.style, ()), _AFTER.get(case.style, ())
    strength = 0.55 - 0.4 * state.openness
    if before and rng.random() < strength:
        text = f"{rng.choice(before)} {text}"
    if after and rng.random() < 0.4 * strength:
        text = f"{text} {rng.choice(after)}"
    return text
