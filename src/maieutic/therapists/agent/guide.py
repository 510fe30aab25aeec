"""The guide: words a plan. Without a model from the patient's own words by grammar; with one, held to the plan."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random

from maieutic.domain.episode import Session
from maieutic.language.sentences import words
from maieutic.therapists.agent.bank import Bank, fresh, information_signs, load_information
from maieutic.therapists.agent.memory import Memory
from maieutic.therapists.agent.steps import Lead, Plan, Step
from maieutic.therapists.wording import key_clause, retelling
from maieutic.tracking.belief import Belief
from maieutic.tracking.feelings import told_feelings

_GUESSES = {
    "sad": "sad", "anxious": "anxious", "angry": "angry", "ashamed": "ashamed", "disappointed": "disappointed",
    "jealous": "jealous", "guilty": "guilty", "hurt": "hurt", "suspicious": "wary",
}  # fmt: skip
_LONGEST_CLAUSE = 16
_ROOM = 76
"""Words that the facts of one summary share; the rest of its hundred is for what joins them and for the question."""
_LONGEST_FACT = 30
_SUMMED_UP = 4
"""Facts that one summary gives back at most."""
_WEIGHING = (Step.WEIGH, Step.ALTERNATIVE)
LONGEST_SIGN = 300
"""Characters that a sign of lacking information may span, turns counted as one text."""


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
    feeling, clause = _feeling(w), _clause(w)
    if plan.lead is Lead.BOTH and feeling and clause:
        return w.pick(Lead.BOTH.value, feeling=feeling, clause=clause)
    if plan.lead in (Lead.FEELING, Lead.BOTH) and feeling:
        return w.pick(Lead.FEELING.value, feeling=feeling)
    if plan.lead is Lead.GUESS:
        return _guess(plan, w)
    if plan.lead is Lead.WORDS and clause:
        return w.pick(Lead.WORDS.value, clause=clause)
    if plan.lead is Lead.SUMMARY:
        return _summary(w)
    if plan.lead in (Lead.SLOW, Lead.VALIDATE):
        return w.pick(plan.lead.value)
    return "" if plan.lead is Lead.NONE else w.pick(Lead.ACKNOWLEDGE.value)


def _feeling(w: Words) -> str | None:
    """Of the feelings that were told the one given back least often so far; of equals the latest."""
    given = Counter(word for turn in w.memory.said for word in words(turn))
    return min((word for _, word in told_feelings(w.session)), key=lambda word: given[word], default=None)


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
    """What speaks against the thought and has not been weighed: the likeliest facts, in the patient's words, as told."""
    clauses = _waiting(w)
    if not clauses:
        return w.pick(Lead.ACKNOWLEDGE.value)
    if len(clauses) == 1:
        return w.pick("summary_one", first=clauses[0])
    text = w.pick("summary_two", first=clauses[0], second=clauses[1])
    return f"{text} And {'; and '.join(clauses[2:])}." if len(clauses) > 2 else text


def _waiting(w: Words) -> list[str]:
    """A clause for each turn that probably told a fact since the last weighing."""
    weighed = max((n for n, step in enumerate(w.memory.steps, start=1) if step in _WEIGHING), default=0)
    facts = [said for said in w.belief.facts if said.exchange > weighed]
    likeliest = sorted(facts, key=lambda said: -said.chance)[:_SUMMED_UP]
    longest = min(_LONGEST_FACT, _ROOM // max(1, len(likeliest)))
    told = [retelling(said.text, longest=longest) for said in facts if said in likeliest]
    return list(dict.fromkeys(clause.rstrip(".!… ") for clause in told if clause))


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
    if step in (Step.RECALL, Step.RECAP):
        return w.pick(step.value, told=plan.about) if plan.about else w.pick(f"{step.value}_nothing")
    if step is Step.GAP_TELL:
        return information_for(w.session)[1]
    return w.pick(step.value)


def information_for(session: Session) -> tuple[str | None, str]:
    """(topic, text) of the piece of general information that the patient's words call for, or (None, '')."""
    found: set[tuple[int, int]] = set()
    before = ""
    for turn in session.by("patient"):
        text = turn.text.lower()
        found |= _signs(before, text)
        before = f"{before} {text}"
        if len(before) > LONGEST_SIGN:  # cut between words, since a sign begins with one
            before = before[-LONGEST_SIGN:].partition(" ")[2]
    hits = Counter(piece for piece, _ in found)
    best: tuple[int, str | None, str] = (1, None, "")
    for number, piece in enumerate(load_information()):
        if hits[number] > best[0]:
            best = hits[number], piece["topic"], piece["text"]
    return best[1], best[2]


@lru_cache(maxsize=4_000)
def _signs(before: str, text: str) -> frozenset[tuple[int, int]]:
    """(piece, sign) of what shows in a turn, or across it and the words before; a session is read once, not every turn."""
    spoken = f"{before} {text}"
    return frozenset(
        (number, place)
        for number, signs in enumerate(information_signs())
        for place, sign in enumerate(signs)
        if sign.search(spoken)
    )
