"""The voice of the second world: the case's own sentences for what it tells, short replies of this room elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Final

import yaml

from maieutic.domain.case import Case, Situation
from maieutic.domain.state import Act, CognitiveState

LOOSENED: Final = 0.35
"""Share of the way to the balanced thought from which the patient's own work sounds moved."""
GOES_ON: Final = 0.5
"""Chance that a nod is followed by something of the situation that was not told yet."""
_SHARED: Final = {Act.CONFIRM: "warmed", Act.NOT_UNDERSTOOD: "ask_back", Act.INSIGHT: "concede"}
"""Acts whose own replies stand under another's name; all others stand under their own."""
_OCCASIONS: Final = ("goodbye", "advice", "argue", "praise", "reassure")


@cache
def lines() -> dict[str, tuple[str, ...]]:
    """The room's own replies by occasion."""
    written: dict[str, str] = yaml.safe_load(Path(__file__).with_name("voice.yaml").read_text("utf-8"))
    return {name: tuple(one.strip() for one in text.split(" / ")) for name, text in written.items()}


@dataclass(frozen=True, slots=True)
class Voice:
    """Words for what a mind has decided to say."""

    case: Case
    situation: Situation

    def __call__(self, state: CognitiveState, kinds: Sequence[str], before: Sequence[str], rng: Random) -> str:
        """One reply to sentences of these kinds; nothing that this patient said `before` is said again."""
        act = state.intent.act
        said = unsaid(self._wordings(state, kinds), before, rng)
        if act in (Act.AGREE, Act.WARMED) and set(kinds) == {"state"} and rng.random() < GOES_ON:
            more = [one for one in self.case.phrasings.details[self.situation.id] if not _in(one, before)]
            said = f"{said} {rng.choice(more)}" if more else said
        risk = self.case.risk
        free = risk.disclosure in ("hint", "open") and not state.risk_disclosed and state.turn >= 2
        if free and act in (Act.FEELING, Act.THOUGHT, Act.ANSWER) and not any(_in(one, before) for one in risk.hints):
            said = " ".join((said, *risk.hints[:1]))
        return said

    def _wordings(self, state: CognitiveState, kinds: Sequence[str]) -> list[Sequence[str]]:
        """What could be said, in order of preference: a later group only when the one before is used up."""
        intent, here, words = state.intent, self.situation.id, self.case.phrasings
        memory, own = self.case.memory, lines()
        talk = memory.talk if memory else None
        fact = memory.fact(intent.evidence) if memory and intent.evidence else None
        unit = memory.unit(intent.unit) if memory and intent.unit else None
        mine = own.get(_SHARED.get(intent.act, intent.act.value), own["no_more"])
        if intent.act in (Act.RISK_DISCLOSURE, Act.RISK_DENIAL):
            return self._of_risk()
        if intent.act is Act.CONVICTION:
            return [[one.format(n=5 * round(state.stated / 5)) for one in mine]]
        if intent.act in (Act.AGREE, Act.WARMED):
            occasion = next((kind for kind in _OCCASIONS if kind in kinds), intent.act.value)
            return [own["resist" if occasion == "argue" else occasion]]
        if unit:
            moved = unit.moved if unit.moved and state.insight >= LOOSENED else unit.said
            return [(unit.again if intent.act is Act.AGAIN else moved,), mine]
        plan = self.situation.experiment
        first: dict[Act, Sequence[str]] = {
            Act.OPEN: words.opening[here],
            Act.DETAIL: words.details[here],
            Act.BACKGROUND: words.background,
            Act.THOUGHT: words.thought[here],
            Act.FEELING: words.feeling[here],
            Act.EVIDENCE: self.situation.fact(intent.evidence).said if intent.evidence else (),
            Act.AGAIN: (fact.again,) if fact else (),
            Act.GOAL: words.hopes,
            Act.PLAN: plan.plan if plan else (),
            Act.RESIST: words.resisting,
            Act.DEFLECT: words.deflecting,
            Act.INSIGHT: words.insight[here],
            Act.CONCEDE: (fact.moved,) if fact else (),
            Act.UNMOVED: (fact.unmoved,) if fact else (),
            Act.NOT_KNOWING: talk.dont_know if talk else words.not_knowing,
            Act.CONFIRM: talk.confirm if talk else (),
        }
        second = words.unmoved if intent.act is Act.UNMOVED else words.conceding
        later = second[here] if intent.act in (Act.UNMOVED, Act.CONCEDE, Act.INSIGHT) else ()
        return [first.get(intent.act, ()), later, mine]

    def _of_risk(self) -> list[Sequence[str]]:
        """The truth: what the case says, or no."""
        risk, own = self.case.risk, lines()
        if risk.level == "none":
            return [own["safe"]]
        if risk.kind == "suicide":
            return [risk.disclosures, own["risk_answer"]]
        return [[f"{no} {risk.disclosures[0]}" for no in own["not_that"]], own["risk_answer"]]


def unsaid(groups: Sequence[Sequence[str]], before: Sequence[str], rng: Random) -> str:
    """A wording that was not said before, from the first group that has one; else one with a new beginning."""
    for group in groups:
        if left := [one for one in group if not _in(one, before)]:
            return rng.choice(left)
    last = next((group for group in reversed(groups) if group), ("Mm.",))
    for start in lines()["starters"]:
        if left := [new for one in last if (new := f"{start} {_lower(one)}") not in before]:
            return rng.choice(left)
    return f"{rng.choice(lines()['starters'])} {rng.choice(lines()['agree'])} {last[0]}"


def _in(one: str, before: Sequence[str]) -> bool:
    return any(one in said for said in before)


def _lower(text: str) -> str:
    return text if text.startswith(("I ", "I'")) else text[:1].lower() + text[1:]
