"""The validator: reads a draft before it is said and refuses it, with the reason, where it breaks what the agent stands
for.

It works on forms and on what was said; it is never the instrument that scores the agent.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from maieutic.domain.episode import Session
from maieutic.language.sentences import content_words, is_english, sentences, words
from maieutic.reading.drafts import attributions, questions
from maieutic.therapists.agent.steps import CHALLENGING, RISK_STEPS, Lead, Plan, Step
from maieutic.tracking.asked import asked
from maieutic.tracking.belief import Belief
from maieutic.tracking.feelings import told_feelings
from maieutic.tracking.space import RISKS, Reply
from maieutic.tracking.targets import Push, Target

LONGEST = 75
LONGEST_SUMMARY = 100
"""Words of a draft at most."""
_FRAMES = frozenset(
    """thought idea belief feels felt seems seemed sounded sounds say said think believe tell told feel see saw mention
    take hear words""".split()
)
"""Words that give something back as the patient's view of it."""
_YOU_ARE = frozenset("are were will can't cannot have always never".split())
_VERDICTS = frozenset(
    """failure failed loser useless worthless stupid incompetent unlovable ugly weak helpless broken
    defective burden bad evil selfish fraud fool idiot nothing nobody alone unwanted hopeless disgusting
    monster never always blame deserve""".split()
)
_QUOTED = re.compile("“[^”]*”")
_ROLES = ("therapist:", "counsellor:", "counselor:", "assistant:", "patient:", "client:", "user:")
_NOT_NAMES = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april june july "
    "august september october november december christmas easter english god".split()
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a draft is not said."""

    rule: str
    reason: str


def refused(
    draft: str, plan: Plan, session: Session, belief: Belief, felt: frozenset[str] = frozenset()
) -> Refusal | None:
    """The first rule that a draft breaks, or None; `felt` are groups of feelings that count as told beside those that
    were told as the patient's own."""
    if plan.step in (Step.HAND_OVER, Step.GAP_TELL):
        return None
    # A step to a person is asked for after the stop: how that is done is read where such a turn is worded.
    for rule in (_form, _asks, _tells, _presupposition, _history, _risk):
        found = None if plan.step is Step.STAY and rule in (_asks, _tells) else rule(draft, plan, session, belief)
        if found is not None:
            return found
    return _feelings(draft, session, felt)


def _form(draft: str, plan: Plan, session: Session, belief: Belief) -> Refusal | None:
    if not draft.strip() or not is_english(draft):
        return Refusal("form", "the draft is empty or not English")
    most = LONGEST_SUMMARY if plan.lead is Lead.SUMMARY or plan.step is Step.RECAP else LONGEST
    if len(words(draft)) > most:
        return Refusal("form", f"{len(words(draft))} words; {most} at most")
    low = draft.lower()
    if low.startswith(_ROLES) or "as an ai" in low or "as a language model" in low:
        return Refusal("form", "it speaks as somebody else, or about being a program")
    own = [turn.text for turn in session.by("therapist")]
    repeated = [s for s in sentences(draft) if len(words(s)) > 5 and any(s in text for text in own[-6:])]
    # A summary says again what was given back before: that is what it is for.
    if repeated and plan.step not in RISK_STEPS and plan.lead is not Lead.SUMMARY:
        return Refusal("form", f"said lately, word for word: {repeated[0]!r}")
    return None


def _asks(draft: str, plan: Plan, session: Session, belief: Belief) -> Refusal | None:
    found = questions(draft)
    if len(found) > 1:
        return Refusal("stacked", f"{len(found)} questions at once")
    if any(q.leading for q in found):
        return Refusal("leading", "the question carries its answer")
    return None


def _tells(draft: str, plan: Plan, session: Session, belief: Belief) -> Refusal | None:
    if any(q.advising for q in questions(draft)):
        return Refusal("advice", "advice in the form of a question")
    if plan.step not in RISK_STEPS and asked(draft).push is Push.STRONG:
        return Refusal("advice", "it advises, lectures or disputes")
    return None


def _feelings(draft: str, session: Session, felt: frozenset[str]) -> Refusal | None:
    said = felt | {group for group, _ in told_feelings(session)}
    for claim in attributions(draft):
        if not claim.tentative and claim.group not in said:
            return Refusal("feeling", f"asserts {claim.word!r}, which the patient has not said")
    return None


def _presupposition(draft: str, plan: Plan, session: Session, belief: Belief) -> Refusal | None:
    """The distressing thought given back as if it were a fact; in quotation marks it is theirs."""
    if belief.accurate >= 0.6:
        return None
    thoughts = [content_words(said.text) for said in belief.thoughts if said.chance >= 0.4]
    for sentence in sentences(_QUOTED.sub("", draft)):
        if sentence.rstrip().endswith("?") or _FRAMES.intersection(words(sentence)) or "as if" in sentence.lower():
            continue
        own = content_words(sentence)
        near = any(len(own & thought) >= 3 and len(own & thought) >= 0.6 * len(own) for thought in thoughts)
        if _is_verdict(sentence) or near:
            return Refusal("presupposition", "gives the thought back as a fact")
    return None


def _is_verdict(sentence: str) -> bool:
    spoken = words(sentence)
    for place, word in enumerate(spoken):
        if word in ("you're", "you've", "you'll") or (
            word == "you" and _YOU_ARE.intersection(spoken[place + 1 : place + 2])
        ):
            return not _VERDICTS.isdisjoint(spoken[place + 1 : place + 9])
    return False


def _named(draft: str) -> list[str]:
    """Words with a capital inside a sentence."""
    spoken = [token.strip("\"“”‘’'.,;:!?…()") for sentence in sentences(draft) for token in sentence.split()[1:]]
    return [token for token in spoken if token.isalpha() and token.istitle() and len(token) > 2]


def _history(draft: str, plan: Plan, session: Session, belief: Belief) -> Refusal | None:
    spoken = " ".join(turn.text for turn in session.turns).lower()
    for name in _named(draft):
        if name.lower() not in _NOT_NAMES and name.lower() not in spoken:
            return Refusal("history", f"speaks of {name!r}, whom the patient has not mentioned")
    if plan.step is Step.FEELING and belief.disclosed[Reply.FEELING] >= 0.95 and len(belief.feelings) > 2:
        return Refusal("history", "asks for a feeling that was told")
    return None


def _risk(draft: str, plan: Plan, session: Session, belief: Belief) -> Refusal | None:
    """A challenge while thoughts of death are likely and have not been talked about."""
    graver = float(belief.risk[RISKS.index("passive") :].sum())
    if (
        plan.step in CHALLENGING
        and graver >= 0.8
        and not any(asked(t.text).target is Target.RISK for t in session.by("therapist"))
    ):
        return Refusal("risk", "thoughts of death are likely and have not been asked about")
    return None
