"""The guide: words a plan. What was just said is given back where it needs pointing at; then one plain question.

The question holds nothing of the patient's but, sometimes, the thought, a person or something they said earlier. So it
is true whatever was said, and what is given back before it is true because it is their own (`echoing.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random
from string import Formatter
from typing import Final

from maieutic.domain.episode import Session
from maieutic.language.sentences import content_words, sentences, words
from maieutic.safety.kinds import LIKELY, another_danger
from maieutic.therapists.agent.bank import Bank, fresh
from maieutic.therapists.agent.conduct import (
    CLAIMS,
    DOORS,
    MET,
    MOMENTS,
    SURE,
    TOLD,
    VAGUE,
    fairer,
    little,
    sayable,
    thought_now,
    waiting_person,
    waiting_thread,
)
from maieutic.therapists.agent.echoing import Echo, felt_back, given_back, told_back
from maieutic.therapists.agent.formulation import Formulation
from maieutic.therapists.agent.information import information_for
from maieutic.therapists.agent.memory import Memory
from maieutic.therapists.agent.off_task import does_not_know, refuses, turns_away
from maieutic.therapists.agent.quoting import CLAIMED, Phrase, claims
from maieutic.therapists.agent.steps import RISK_STEPS, SEARCHES, VIEWS, Lead, Plan, Step
from maieutic.therapists.agent.suiting import suits
from maieutic.tracking.belief import Belief
from maieutic.tracking.space import Reply as Told

SHORT_QUOTE: Final = 8
"""Words of a quotation up to which it is never said to be one."""
SAID: Final = 0.5
"""Chance that a longer one is said to be one; both are usual."""
OPENS_QUOTING: Final = ("“", "You say “", "What you thought was “")
SHARED: Final = 0.6
"""Share of a sentence's content words in the reply before from which it gave that back."""
BARE: Final = 6
"""Words up to which a reply of which nothing can be quoted tells hardly anything."""
FRAMES_APART: Final = 4
"""Turns within which no question opens with the same two words."""
BARE_DRAFT: Final = 2
"""The draft, counted from nought, from which nothing is given back: what was said can sound like a dispute."""
LAST_DRAFT: Final = 5
"""The draft, counted from nought, that says something safe instead."""
SUMMED_UP, MIN_SUMMED_UP = 3, 2
"""Facts that one summary gives back at most and at least."""
MEANT: Final = 0.4
"""P(a phrase holds a fact against the thought, or giving way, or a fact for it) from which it is given back as one."""
_FOLLOWS: Final[Mapping[str, tuple[str, ...]]] = {
    "follow_any": (),
    "follow_quiet": (),
    "follow_claim": ("thought", "for"),
    "follow_event": ("event",),
    "follow_feeling": ("feeling",),
    "follow_kind": ("against",),
    "follow_origin": ("origin",),
    "follow_person": ("person",),
    "follow_plan": ("plan",),
    "follow_shift": ("gives_way",),
    "follow_stand": ("unmoved", "for"),
    "follow_words": ("words",),
}
"""How a reply can be followed, and what it must hold for that; which of them suits best is read by a head."""
HELD: Final = 0.3
"""P(a reply holds it) from which it can be followed as such."""
AGAIN: Final = 0.07
"""Points off a way of following for each of the last turns that was worded by it."""
_MEETS: Final = (
    frozenset(_FOLLOWS)
    | {"ask_situation", "ask_thought", "ask_meaning", "ask_feeling"}
    | {step.value for step in (*SEARCHES, *VIEWS)}
)
"""Keys before which a feeling that was told just now is said back."""
_TAKES_UP: Final = _MEETS | {
    "how_know",
    "compare",
    "rate_first",
    "rate_again",
    "plan",
    "ask_against",
    "ask_exception",
    "ask_others",
    "ask_doing",
    "ask_small",
    "alternative",
    "ask_thought_back",
    "other_view",
    "person_view",
    "person_did",
    "double_standard",
    "likely",
    "effect",
    "weigh",
    "ask_person",
    "ask_thread",
}
"""Keys before which something of the last reply can be given back."""
_SAID_FIRST: Final = (Lead.SLOW, Lead.VALIDATE, Lead.ACKNOWLEDGE, Lead.THANKED)
"""Leads with words of their own."""
_OF_PERSONS: Final = {Step.OTHER_VIEW: "person_view", Step.OTHERS: "person_did"}
"""Steps that ask about somebody who was named just now, where somebody was."""
_QUOTES: Final = (" '", ' "', "“", "‘")
_SPEAKS_OF_IT: Final = frozenset({"compare", "weigh"})
"""Keys whose forms name the thought, or do without the word where it was spoken of just now."""
_OF_THE_THOUGHT: Final = frozenset(step.value for step in {*SEARCHES, *VIEWS, Step.KNOW} - {Step.REST, Step.PROVE})
"""Keys that ask about the thought as "it" or "that": what was said is met first, then it is said that the talk goes to
the thought."""
_MET: Final[Mapping[str, str]] = {"feeling": "met_feeling", "event": "met_event", "gives_way": "met_shift"}
"""How a reply is met, by what it holds, where nothing of it can be given back."""
MEETS: Final = 0.5
"""P(a reply holds it) from which it is met so."""
NAMED: Final = 4
"""Turns of one session that name the thought on the way to it."""
NAMED_APART: Final = 2
"""Turns between two of these."""
_LOOK_BACK: Final = frozenset({"rate_again"})
"""Keys that name the thought wherever it can be named: what was last said is something else."""


@dataclass(frozen=True)
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


def worded(plan: Plan, w: Words) -> str:
    """The turn without a model: from the bank, after the patient's own words where they need pointing at."""
    step = plan.step
    lead = _lead(plan, w)
    if step is Step.LISTEN:
        return lead or w.pick(Lead.ACKNOWLEDGE.value)
    if step in (Step.RECALL, Step.RECAP):
        return w.pick(step.value, told=plan.about) if plan.about else w.pick(f"{step.value}_nothing")
    if step is Step.GAP_TELL:
        return f"{lead} {information_for(w.session)[1]}".strip()
    key = _key(step, plan.lead, w)
    if not lead and step in (*DOORS, Step.SMALL) and _nothing_came(w):
        lead = w.pick("nothing_came")
        if w.memory.last in (*SEARCHES, *VIEWS) and key in _OF_THE_THOUGHT:
            return f"{lead} {w.pick('another_side')} {_question(key, w)}"
    back = lead or _given_back(key, w)
    if step in DOORS and step in SEARCHES and fairer(w.formulation, w.memory):
        return f"{back} {w.pick('hold_on')} {_question('ask_more', w)}".strip()
    if key in _OF_THE_THOUGHT and not _is_that(w):
        back = f"{back or _met(w)} {_to_the_thought(w)}"
    return f"{back} {_question(key, w)}".strip()


def _is_that(w: Words) -> bool:
    """ "That" needs no line before it: the thought was said just now, or a fairer way to see it."""
    return thought_now(w.formulation) or fairer(w.formulation, w.memory)


def _met(w: Words) -> str:
    """A few words that meet a reply of which nothing can be given back; none where it holds little or was a number."""
    reply = w.formulation.reply
    if reply is None or little(w.formulation) or reply.number is not None or reply.holds[reply.kind] < MEETS:
        return ""
    if reply.kind not in _MET:
        return ""
    return w.pick(_MET[reply.kind])


def _to_the_thought(w: Words) -> str:
    """Says that the talk goes to the thought, or to what was brought where none was told; names it where it can be
    named and was not lately."""
    thought, reply = w.formulation.thought, w.formulation.reply
    if thought is None and w.belief.disclosed[Told.THOUGHT] < TOLD:
        return w.pick("to_what_brought")
    still = reply is not None and reply.kind in CLAIMS and reply.holds[reply.kind] >= SURE
    if thought is not None and sayable(thought) and claims(thought) >= CLAIMED:
        named = [place for place, text in enumerate(w.memory.said) if f"“{thought.text}”" in text]
        if len(named) < NAMED and not (named and len(w.memory.said) - named[-1] <= NAMED_APART):
            return w.pick("still_to_thought" if still else "to_thought", thought=thought.text)
    return w.pick("still_to_that_thought" if still else "to_that_thought")


def _nothing_came(w: Words) -> bool:
    """A door brought nothing, or the patient does not know, or turns away."""
    said = w.formulation.reply.text if w.formulation.reply is not None else ""
    door = w.memory.last in (*SEARCHES, *VIEWS)
    nothing = little(w.formulation) and (door or turns_away(said) or does_not_know(said))
    return nothing and w.memory.last not in RISK_STEPS


def plainer(plan: Plan, attempt: int) -> Plan:
    """The plan for the next draft after a refusal: other words, then no lead-in, then a safe fallback. Thanks stay."""
    kept = plan.lead if plan.lead is Lead.THANKED else Lead.NONE
    if attempt < LAST_DRAFT:
        return plan if attempt < 2 or plan.lead is Lead.SUMMARY else replace(plan, lead=kept)
    return Plan(Step.FALLBACK, kept, f"every draft of {plan.step.value!r} was refused")


def _lead(plan: Plan, w: Words) -> str:
    """What leads in for the moment's sake: a summary, slowing down, owning that it is hard."""
    if plan.lead is Lead.SUMMARY:
        return _summary(w)
    return w.pick(plan.lead.value) if plan.lead in _SAID_FIRST else ""


def _given_back(key: str, w: Words) -> str:
    """What of the last reply is given back before a question of this key; empty where nothing has to be."""
    reply = w.formulation.reply
    if (
        reply is None
        or key not in _TAKES_UP
        or len(w.refused) >= BARE_DRAFT
        or reply.holds["little"] >= VAGUE
        or turns_away(reply.text)
    ):
        return ""
    if key == "compare":
        fact = _fact_now(w)
        told = next((told.text for told in told_back((fact,) if fact is not None else (), reply.text)), "")
        if told:
            return told
    felt = felt_back(reply.text) if key in _MEETS else ""
    if felt and reply.holds["feeling"] >= HELD and not any(felt in text for text in w.memory.said):
        return felt
    echo = _echo(w)
    if echo is None:
        return ""
    return _framed(echo, w) if echo.quoted else echo.text


def _framed(echo: Echo, w: Words) -> str:
    """A quotation said to be one: the thought that was just asked for and told as that, else as what was said."""
    reply = w.formulation.reply
    if w.memory.last in (Step.THOUGHT, Step.MEANING) and reply is not None and reply.kind == "thought":
        return f"What you thought was {echo.text}"
    long = len(words(echo.text)) > SHORT_QUOTE
    return f"You say {echo.text}" if long and w.rng.random() < SAID else echo.text


def _echo(w: Words) -> Echo | None:
    """What of the last reply is best given back and was not before."""
    reply = w.formulation.reply
    said = " ".join((*w.memory.said, *w.refused)).lower()
    told = given_back(reply.text, w.memory.number) if reply is not None else ()
    return next((echo for echo in told if echo.text.strip("“”. ").lower() not in said), None)


def _fact_now(w: Words) -> Phrase | None:
    """A fact against the thought, or giving way, in the last reply."""
    told = (*w.formulation.against, *w.formulation.gave_way)
    return next((one for one in told if one.turn == w.memory.number and _fact(one) >= MEANT), None)


def _summary(w: Words) -> str:
    """What was told for and against the thought, in the patient's words; nothing where there is hardly any against."""
    if len(w.refused) >= BARE_DRAFT:
        return ""
    found = w.formulation
    told = [one for one in (*found.against, *found.gave_way) if not found.thought or one.text != found.thought.text]
    sure = [one for one in dict.fromkeys(told) if _fact(one) >= MEANT]
    replies = [turn.text for turn in w.session.by("patient")]
    given = {one.text: next(told_back((one,), replies[one.turn - 1]), None) for one in sure}
    sayable_so = {text: echo.text for text, echo in given.items() if echo is not None and not echo.quoted}
    now = w.memory.number
    surest = sorted((one for one in sure if one.text in sayable_so), key=lambda one: (one.turn != now, -_fact(one)))
    surest = surest[:SUMMED_UP]
    if len(surest) < MIN_SUMMED_UP:
        return ""
    told_in_order = sorted(surest, key=lambda one: one.turn)
    against = " ".join(sayable_so[one.text] for one in told_in_order)
    held = [one for one in reversed(found.supports) if one.holds["for"] >= MEANT]
    back = (next(told_back((one,), replies[one.turn - 1]), None) for one in held)
    support = next((echo.text for echo in back if echo is not None and not echo.quoted), None)
    if support is not None and support not in against:
        return w.pick("summary_both", support=support, against=against)
    return w.pick("summary_against", against=against)


def _key(step: Step, lead: Lead, w: Words) -> str:
    """The key of the bank that a step is worded by."""
    found, reply = w.formulation, w.formulation.reply
    if step is Step.FOLLOW and reply is not None:
        return "follow_feeling" if lead is Lead.FEELING and not reply.again else _follow(found, w)
    said_one = step is Step.MEANING and reply is not None and reply.kind == "thought"
    if step in (Step.THOUGHT, Step.MEANING) and w.memory.last in (Step.THOUGHT, Step.MEANING) and not said_one:
        return "ask_thought_back"
    if step is Step.THOUGHT and reply is not None and reply.kind not in MOMENTS:
        return "ask_thought_back"
    if step is Step.FEELING and lead is Lead.THANKED:
        return "ask_feeling_back"
    if step is Step.DONT_KNOW and reply is not None and refuses(reply.text):
        return "declined"
    if step is Step.REWORD and reply is not None:
        if any(mark in f" {reply.text}" for mark in _QUOTES) and "“" in w.memory.said[-1]:
            return "reword_quoted"
        if not reply.lost and " or " in reply.text:
            return "reword_either"
        if found.thought is not None and reply.lost:
            return "reword_thought"
    if step is Step.CLOSE and found.plan is not None:
        return "close_plan"
    if step in _OF_PERSONS and reply is not None and reply.people and another_danger(reply.text) < LIKELY:
        return _OF_PERSONS[step]
    return step.value


def _follow(found: Formulation, w: Words) -> str:
    """How the last reply is followed, by what it holds."""
    reply = found.reply
    assert reply is not None
    if reply.again:
        return "follow_again"
    if reply.holds["feeling"] >= MET:
        return "follow_feeling"
    length = len(words(reply.text))
    if little(found) or (not reply.phrases and length <= BARE) or turns_away(reply.text):
        return "follow_little"
    if reply.kind == "plan":
        return "follow_plan"
    if w.memory.last in RISK_STEPS:
        # Asked where to go on, people say what they want: nothing of it is a claim to be examined.
        return "follow_any"
    if w.memory.last in VIEWS:
        return "follow_any"
    suited = suits(reply.text)
    felt = any(one.text in reply.text for one in found.feelings)
    claimed = any(claims(one) >= CLAIMED for one in reply.phrases)
    plain = {
        key: suited[key] - AGAIN * _times(key, w)
        for key, kinds in _FOLLOWS.items()
        if not kinds
        or sum(reply.holds[kind] for kind in kinds) >= HELD
        or (key == "follow_feeling" and felt)
        or (key == "follow_claim" and claimed)
    }
    return max(plain, key=lambda key: plain[key])


def _times(key: str, w: Words) -> int:
    """How often one of the last turns was worded by a key."""
    lately = w.memory.said[-FRAMES_APART:]
    return sum(any(_stands_in(form, text) for form in w.bank[key]) for text in lately)


def _question(key: str, w: Words) -> str:
    """A wording that can be filled, was not said before and opens otherwise than the last ones do."""
    fill = _slots(key, w)
    forms = [form for form in w.bank[key] if _names(form) <= set(fill)]
    if not forms:
        return _question("follow_any", w)
    spoken = (*w.memory.said, *w.refused)
    if key in _SPEAKS_OF_IT:
        now = thought_now(w.formulation)
        forms = [form for form in forms if ("thought" in form) is not now] or forms
    new = [form for form in forms if not any(_stands_in(form, text) for text in spoken)] or forms
    opened = {_opening(text) for text in w.memory.said[-FRAMES_APART:]}
    other = [form for form in new if _opening(form) not in opened] or new
    bare = [form for form in other if "thought" not in _names(form)]
    quoting = [form for form in other if "thought" in _names(form)]
    chosen = (quoting or bare) if key in _LOOK_BACK else (bare or quoting)
    return w.rng.choice(chosen).format(**fill)


def _slots(key: str, w: Words) -> dict[str, str]:
    """What can stand in the slots of a key at this moment; a person is one named just now, but for `ask_person`."""
    found = w.formulation
    fill = {"thought": found.thought.text} if found.thought is not None and sayable(found.thought) else {}
    fill["it"] = "that" if _is_that(w) else "it"
    if found.plan is not None:
        fill["q"] = found.plan.text
    if found.ratings:
        fill["n"] = f"{found.ratings[-1]:.0f}"
    now = found.reply.people[-1:] if found.reply is not None else ()
    person = waiting_person(found, w.memory) if key == Step.PERSON else next(iter(now), None)
    if person is not None:
        fill["person"] = person
    if key == Step.THREAD and (thread := waiting_thread(found, w.memory)) is not None:
        fill["thread"] = thread.text
    return fill


def gives_back(text: str, before: str) -> bool:
    """It opens with something of the reply before it."""
    first, *rest = sentences(text) or ("",)
    told = content_words(first)
    return bool(rest and told) and len(told & content_words(before)) >= SHARED * len(told)


def _opening(text: str) -> tuple[str, ...]:
    parts = sentences(text)
    return words(parts[-1])[:2] if parts else ()


def _fact(phrase: Phrase) -> float:
    return max(phrase.holds["against"], phrase.holds["gives_way"])


def _names(form: str) -> frozenset[str]:
    return frozenset(name for _, name, _, _ in Formatter().parse(form) if name)


def _stands_in(form: str, text: str) -> bool:
    return all(part in text for part, *_ in Formatter().parse(form))
