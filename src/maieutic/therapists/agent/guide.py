"""The guide: words a plan so that it takes up what was just said, by quoting it or by asking about somebody it
names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from string import Formatter
from typing import Final

from maieutic.domain.episode import Session
from maieutic.language.sentences import opened_large, words
from maieutic.therapists.agent.bank import Bank, fresh
from maieutic.therapists.agent.conduct import MOMENTS
from maieutic.therapists.agent.formulation import Formulation
from maieutic.therapists.agent.information import information_for
from maieutic.therapists.agent.memory import Memory
from maieutic.therapists.agent.off_task import refuses
from maieutic.therapists.agent.quoting import CLAIMED, Phrase, claims, phrases
from maieutic.therapists.agent.steps import ASKING_OF_RISK, Lead, Plan, Step
from maieutic.tracking.belief import Belief

MAX_ECHOES: Final = 2
"""Turns of one session that open with nothing but the patient's words said back."""
LAST_DRAFT: Final = 5
"""The draft, counted from nought, that says something safe instead."""
UNSURE: Final = 0.42
"""P(the likeliest kind of phrase) below which it is followed by a question that fits any."""
SUMMED_UP, MIN_SUMMED_UP = 3, 2
"""Facts that one summary gives back at most and at least."""
MEANT: Final = 0.4
"""P(a phrase holds what a key asks about) from which it is quoted by that key."""
_FOLLOWING: Final = {
    "thought": "follow_claim",
    "unmoved": "follow_claim",
    "for": "follow_claim",
    "reason": "follow_claim",
    "feeling": "follow_feeling",
    "words": "follow_words",
    "person": "follow_person",
    "origin": "follow_origin",
    "gives_way": "follow_shift",
}
"""How a reply of each kind is followed; any other tells of something that happened."""
_OF_CLAIMS: Final = frozenset(
    {"how_know", "otherwise", "ask_meaning", "follow_claim", "other_view", "double_standard", "rate_first", "cost"}
)
"""Keys that quote only what can be claimed: a thought, a reading, a reason."""
SHORT: Final = 9
"""Words of a reply up to which "that" can mean nothing but all of it."""
LITTLE: Final = 0.5
"""P(a reply holds hardly anything) from which it is not asked about any further."""
_QUOTES: Final = (" '", ' "', "“", "‘")
_AGAINST_CLAIMS: Final = frozenset({"ask_against"})
"""Keys that quote only what speaks for the thought."""
_CLAIMING: Final = frozenset({"thought", "unmoved", "for", "reason"})
_OF_WHAT_WAS_SAID: Final = frozenset({"follow_words"})
"""Keys that quote only words of somebody."""
_BESIDE_THE_THOUGHT: Final = frozenset({"weigh", "alternative", "rate_again"})
"""Keys that quote the last reply only where it holds what speaks against the thought, or gives way."""
_OF_A_PERSON: Final = frozenset({"other_view"})
"""Keys that quote only a claim about the patient."""
_OF_ONESELF: Final = frozenset({"ask_feeling"})
"""Keys that quote only what the patient says of themselves."""
_POINTS_AT: Final = frozenset(
    {"follow_event", "follow_words", "follow_feeling", "follow_claim", "follow_shift", "follow_origin", "follow_any"}
    | {"ask_situation", "ask_thought", "ask_feeling", "how_know", "otherwise"}
)
"""Keys some wordings of which only point at what was said ("What did you make of that?")."""
_NEEDS_WORDS: Final = frozenset({"follow_words", "follow_feeling", "follow_claim", "follow_shift", "follow_origin"})
"""Of these, what fits only where its own words can be quoted, or where nothing else was said."""
_RATINGS: Final = frozenset({"rate_first", "rate_again"})


@dataclass(frozen=True, slots=True)
class Words:
    """What the guide works with in one turn; `refused` are its drafts that the validator did not let pass."""

    bank: Bank
    session: Session
    belief: Belief
    memory: Memory
    formulation: Formulation
    rng: Random
    refused: tuple[str, ...] = ()

    def pick(self, key: str, **fill: str) -> str:
        """A wording of a key that has not been said."""
        return fresh(self.bank, key, self.memory.said, self.rng, **fill)

    @property
    def echoed(self) -> int:
        """Turns so far that opened with nothing but the patient's words."""
        return sum(_is_echo(text) for text in self.memory.said)


def worded(plan: Plan, w: Words) -> str:
    """The turn without a model: from the bank, filled with the patient's own words."""
    lead = _lead(plan, w)
    return f"{lead} {_ask(plan, w, quotes=not _is_echo(lead))}".strip()


def plainer(plan: Plan, attempt: int) -> Plan:
    """The plan for the next draft after a refusal: other words, then no lead-in, then a safe fallback."""
    if attempt < LAST_DRAFT:
        return plan if attempt < 2 or plan.lead is Lead.SUMMARY else replace(plan, lead=Lead.NONE)
    return Plan(Step.FALLBACK, Lead.NONE, f"every draft of {plan.step.value!r} was refused")


def _lead(plan: Plan, w: Words) -> str:
    if plan.lead in (Lead.WORDS, Lead.FEELING):
        phrase = _said_back(plan.lead, w)
        return w.pick("echo", q=phrase.text) if phrase is not None and w.echoed < MAX_ECHOES else ""
    if plan.lead is Lead.SUMMARY:
        return _summary(w)
    return "" if plan.lead is Lead.NONE else w.pick(plan.lead.value)


def _said_back(lead: Lead, w: Words) -> Phrase | None:
    """What of the last reply is said back before the question."""
    reply = w.formulation.reply
    felt = [one for one in w.formulation.feelings if reply is not None and one.text in reply.text]
    if lead is Lead.FEELING and felt:
        return felt[-1]
    return reply.phrases[0] if reply is not None and reply.phrases else None


def _summary(w: Words) -> str:
    """The surest of what was told against the thought, in the patient's words; nothing where there is hardly any."""
    found = w.formulation
    told = [one for one in (*found.against, *found.gave_way) if not found.thought or one.text != found.thought.text]
    asked = " ".join(w.memory.said)
    sure = [one for one in dict.fromkeys(told) if _fact(one) >= MEANT and one.text not in asked]
    surest = sorted(sure, key=lambda one: -_fact(one))[:SUMMED_UP]
    if len(surest) < MIN_SUMMED_UP:
        return ""
    return w.pick("summary_against", against=_listed(sorted(surest, key=lambda one: one.turn)))


def _listed(told: tuple[Phrase, ...] | list[Phrase]) -> str:
    quoted = [f"“{one.text}”" for one in told]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def _ask(plan: Plan, w: Words, *, quotes: bool) -> str:
    step = plan.step
    if step is Step.LISTEN:
        return "" if plan.lead is not Lead.NONE else w.pick(Lead.ACKNOWLEDGE.value)
    if step in (Step.RECALL, Step.RECAP):
        return w.pick(step.value, told=plan.about) if plan.about else w.pick(f"{step.value}_nothing")
    if step is Step.GAP_TELL:
        return information_for(w.session)[1]
    key = _key(step, w.formulation, after_risk=w.memory.last in ASKING_OF_RISK)
    if key == "rate_again" and not _was_rated(w):
        key = "rate_first"
    if key == "ask_meaning" and "q" not in _slots(key, w):
        key = "ask_thought_back"
    if key in _NEEDS_WORDS and "q" not in _slots(key, w) and not _plain(key, w):
        key = "follow_bare"
    found = _filled(key, w, quotes=quotes)
    return found if found is not None else w.pick("fallback")


def _key(step: Step, found: Formulation, *, after_risk: bool) -> str:
    """The key of the bank that a step is worded by."""
    reply = found.reply
    if step is Step.FOLLOW and reply is not None and reply.again:
        return "follow_again"
    if step is Step.FOLLOW and reply is not None:
        if after_risk and not reply.phrases:
            return "back_to"
        if reply.holds["little"] >= LITTLE:
            return "follow_thread"
        if not reply.phrases:
            return "follow_bare"
        chances = reply.phrases[0].holds
        kind = max(chances, key=lambda name: chances[name])
        if kind == "feeling" and not any(one.text in reply.text for one in found.feelings):
            return "follow_any"
        return _FOLLOWING.get(kind, "follow_event") if chances[kind] >= UNSURE else "follow_any"
    if step is Step.THOUGHT and reply is not None and reply.kind not in MOMENTS:
        return "ask_thought_back"
    if step is Step.DONT_KNOW and reply is not None and refuses(reply.text):
        return "declined"
    if step is Step.REWORD and reply is not None and any(mark in f" {reply.text}" for mark in _QUOTES):
        return "reword_quoted"
    if step is Step.REWORD and reply is not None and not reply.lost and " or " in reply.text:
        return "reword_either"
    if step is Step.REWORD and found.thought is not None and reply is not None and reply.lost:
        return "reword_thought"
    if step is Step.CLOSE and found.plan is not None:
        return "close_plan"
    return step.value


def _filled(key: str, w: Words, *, quotes: bool) -> str | None:
    """A wording of a key that can be filled, was not used before, and takes up the last reply where one does."""
    fill = _slots(key, w)
    forms = [form for form in w.bank[key] if _names(form) <= set(fill) and (quotes or "q" not in _names(form))]
    forms = [form for form in forms if w.echoed < MAX_ECHOES or not _is_echo(form)]
    spoken = (*w.memory.said, *w.refused)
    new = [form for form in forms if not any(_longest_part(form) in text for text in spoken)] or forms
    here = w.formulation.reply.people if w.formulation.reply is not None else ()
    fresh_slots = {"q"} | {name for name in ("thought", "fact") if _just_said(fill.get(name), w.formulation)}
    fresh_slots |= {"who"} if fill.get("who") in here else set()
    fresh_slots |= {"thought"} if key in _RATINGS and "q" not in fill else set()
    taking_up = new if _plain(key, w) else [form for form in new if fresh_slots & _names(form)] or new
    if not taking_up:
        return None
    return opened_large(w.rng.choice(taking_up).format(**fill))


def _plain(key: str, w: Words) -> bool:
    """What the reply says is so short that "that" can mean nothing else: it need not be quoted."""
    reply = w.formulation.reply
    return key in _POINTS_AT and reply is not None and len(words(reply.text)) <= SHORT and not reply.again


def _just_said(text: str | None, found: Formulation) -> bool:
    return text is not None and found.reply is not None and text in found.reply.text


def _slots(key: str, w: Words) -> dict[str, str]:
    """What can stand in the bank's slots at this moment."""
    found, reply = w.formulation, w.formulation.reply
    fill: dict[str, str] = {}
    told = found.threads if key == "follow_thread" or reply is None else reply.phrases
    told = _before_risk(w) if key == "back_to" else told
    asked = " ".join(w.memory.said)
    fresh_ones = [one for one in told if one.text not in asked]
    fresh_text = reply.text if reply is not None else ""
    if key == "close_plan" and found.plan is not None:
        fill["q"] = found.plan.text
    elif key in _OF_CLAIMS:
        claim = max((one for one in fresh_ones if one.own or key not in _OF_A_PERSON), key=claims, default=None)
        fill |= {"q": claim.text} if claim is not None and claims(claim) >= CLAIMED else {}
    elif key == "follow_feeling":
        fill.update(("q", one.text) for one in found.feelings if one.text in fresh_text)
    elif key == "follow_again" and reply is not None:
        fill["q"] = reply.again
    elif key in _BESIDE_THE_THOUGHT:
        fill.update(("q", one.text) for one in fresh_ones[:1] if _fact(one) >= MEANT)
    elif key in _OF_WHAT_WAS_SAID:
        fill.update(("q", one.text) for one in fresh_ones[:1] if one.holds["words"] >= MEANT)
    elif reply is not None and key in _AGAINST_CLAIMS and reply.kind not in _CLAIMING:
        pass
    elif fresh_ones:
        fill.update(("q", one.text) for one in reversed(fresh_ones) if one.own or key not in _OF_ONESELF)
    named = reply.people if reply is not None else found.people
    if named:
        fill["who"] = min(named, key=asked.count)
    if found.thought is not None:
        fill["thought"] = found.thought.text
    facts = [one for one in (*found.against, *found.gave_way) if one.text not in asked]
    if facts:
        fill.update(("fact", one.text) for one in facts if one.turn > w.memory.number - 2)
    if found.ratings and (key != "rate_again" or _was_rated(w)):
        fill["n"] = f"{found.ratings[-1]:.0f}"
    if fill.get("q") == fill.get("thought"):  # nothing is quoted twice in one turn
        fill.pop("q" if key in _RATINGS or key in _OF_CLAIMS else "thought", None)
    return fill


def _before_risk(w: Words) -> tuple[Phrase, ...]:
    """What can be quoted of the reply before the one to a question about danger."""
    said = w.session.by("patient")
    return phrases(said[-2].text, len(said) - 1) if len(said) > 1 else ()


def _was_rated(w: Words) -> bool:
    """The number on file was given for what is taken for the thought now."""
    thought = w.formulation.thought
    pairs = zip(w.memory.steps, w.memory.said, strict=True)
    return thought is not None and any(step is Step.RATE and thought.text in text for step, text in pairs)


def _is_echo(text: str) -> bool:
    """It opens with a sentence that is nothing but the patient's words."""
    return text.startswith("“") and any(end in text for end in (".”", "”, you say."))


def _fact(phrase: Phrase) -> float:
    return max(phrase.holds["against"], phrase.holds["gives_way"])


def _names(form: str) -> frozenset[str]:
    return frozenset(name for _, name, _, _ in Formatter().parse(form) if name)


def _longest_part(form: str) -> str:
    return max((part for part, *_ in Formatter().parse(form)), key=len)
