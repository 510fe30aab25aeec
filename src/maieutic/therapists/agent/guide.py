"""The guide: words a plan. Without a model from the patient's own words by grammar; with one, held to the plan."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from random import Random

from maieutic.domain.episode import Session
from maieutic.therapists.agent.bank import Bank, fresh, load_information
from maieutic.therapists.agent.memory import Memory
from maieutic.therapists.agent.steps import Lead, Plan, Step
from maieutic.therapists.wording import key_clause
from maieutic.tracking.belief import Belief
from maieutic.tracking.feelings import told_feelings

_GUESSES = {
    "sad": "sad", "anxious": "anxious", "angry": "angry", "ashamed": "ashamed", "disappointed": "disappointed",
    "jealous": "jealous", "guilty": "guilty", "hurt": "hurt", "suspicious": "wary",
}  # fmt: skip
_LONGEST_CLAUSE = 16


@dataclass(frozen=True, slots=True)
class Words:
    """What the guide works with in one turn."""

    bank: Bank
    session: Session
    belief: Belief
    memory: Memory
    rng: Random

    def pick(self, key: str, **fill: str) -> str:
        """A wording of a key that has not been said."""
        return fresh(self.bank, key, self.memory.said, self.rng, **fill)


def worded(plan: Plan, w: Words) -> str:
    """The turn without a model: lead-in and question from the bank, filled with the patient's own words."""
    lead, ask = _lead(plan, w), _ask(plan, w)
    return f"{lead} {ask}".strip()


def plainer(plan: Plan, attempt: int) -> Plan:
    """The plan for the next draft after a refusal: other words, then another lead, then a safe fallback."""
    if attempt == 1:
        return plan
    if attempt == 2:
        return replace(plan, lead=Lead.NONE if plan.lead is Lead.ACKNOWLEDGE else Lead.ACKNOWLEDGE)
    return Plan(Step.FALLBACK, Lead.NONE, f"every draft of {plan.step.value!r} was refused")


def _lead(plan: Plan, w: Words) -> str:
    feelings = [word for _, word in told_feelings(w.session)]
    clause = _clause(w)
    if plan.lead is Lead.BOTH and feelings and clause:
        return w.pick(Lead.BOTH.value, feeling=w.rng.choice(feelings), clause=clause)
    if plan.lead in (Lead.FEELING, Lead.BOTH) and feelings:
        return w.pick(Lead.FEELING.value, feeling=w.rng.choice(feelings))
    if plan.lead is Lead.GUESS:
        return _guess(plan, w)
    if plan.lead is Lead.WORDS and clause:
        return w.pick(Lead.WORDS.value, clause=clause)
    if plan.lead is Lead.SUMMARY:
        return _summary(w)
    if plan.lead in (Lead.SLOW, Lead.VALIDATE):
        return w.pick(plan.lead.value)
    return "" if plan.lead is Lead.NONE else w.pick(Lead.ACKNOWLEDGE.value)


def _guess(plan: Plan, w: Words) -> str:
    """A feeling offered as a guess; where the step asks, one that does not end in a question of its own."""
    group, _ = w.belief.top("emotion")
    if plan.step is Step.LISTEN:
        return w.pick(Lead.GUESS.value, feeling=_GUESSES[group])
    plain = {Lead.GUESS.value: tuple(form for form in w.bank[Lead.GUESS.value] if "?" not in form)}
    return fresh(plain, Lead.GUESS.value, w.memory.said, w.rng, feeling=_GUESSES[group])


def _clause(w: Words) -> str | None:
    last = w.session.last("patient")
    clause = key_clause(last.text, longest=_LONGEST_CLAUSE) if last is not None else None
    return clause.rstrip(".!… ") if clause else None


def _summary(w: Words) -> str:
    """The facts that wait to be weighed, the latest three, in the patient's words."""
    waiting = max(1, min(3, round(w.belief.waiting)))
    clauses: list[str] = []
    for said in reversed(w.belief.facts):
        clause = key_clause(said.text, longest=20)
        if clause and clause not in clauses:
            clauses.append(clause.rstrip(".!… "))
        if len(clauses) == waiting:
            break
    if not clauses:
        return w.pick(Lead.ACKNOWLEDGE.value)
    if len(clauses) == 1:
        return w.pick("summary_one", first=clauses[0])
    text = w.pick("summary_two", first=clauses[1], second=clauses[0])
    return text if len(clauses) < 3 else f"{text} And {clauses[2]}."


def _ask(plan: Plan, w: Words) -> str:
    step = plan.step
    if step is Step.LISTEN:
        return "" if plan.lead is not Lead.NONE else w.pick(Lead.ACKNOWLEDGE.value)
    if step is Step.FOLLOW:
        about = plan.about or ""
        person = about[:1].isupper() or about.startswith("your ")
        return w.pick("follow_person" if person else "follow_thing", handle=about)
    if step is Step.LEAD_BACK:
        return w.pick("lead_back", handle=plan.about or "that")
    if step is Step.GAP_TELL:
        return information_for(w.session)[1]
    return w.pick(step.value)


def information_for(session: Session) -> tuple[str | None, str]:
    """(topic, text) of the piece of general information that the patient's words call for, or (None, '')."""
    spoken = " ".join(turn.text for turn in session.by("patient")).lower()
    best: tuple[int, str | None, str] = (1, None, "")
    for piece in load_information():
        hits = sum(bool(re.search(rf"\b(?:{fragment})", spoken)) for fragment in piece["words"])
        if hits > best[0]:
            best = hits, piece["topic"], piece["text"]
    return best[1], best[2]
