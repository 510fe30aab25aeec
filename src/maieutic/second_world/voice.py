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
_OWN: Final = {
    Act.DEFLECT: "guarded",
    Act.RESIST: "pushed",
    Act.WARMED: "heard",
    Act.CONFIRM: "heard",
    Act.AGREE: "nod",
    Act.NOT_KNOWING: "unknown",
    Act.ASK_BACK: "puzzled",
    Act.NOT_UNDERSTOOD: "puzzled",
    Act.CONVICTION: "conviction",
    Act.GOAL: "goal",
    Act.PLAN: "plan",
    Act.UNMOVED: "unmoved",
    Act.CONCEDE: "conceding",
    Act.INSIGHT: "conceding",
    Act.RISK_ANSWER: "still",
}


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
        """One reply.

        Args:
            state: The mind, with its intent.
            kinds: Kinds of the sentences that it answers.
            before: What this patient has said so far; none of it is said again.
            rng: The draw between wordings.
        """
        act = state.intent.act
        said = unsaid(self._wordings(state, kinds), before, rng)
        if act in (Act.AGREE, Act.WARMED) and "goodbye" not in kinds and rng.random() < GOES_ON:
            more = [one for one in self.case.phrasings.details[self.situation.id] if not _in(one, before)]
            said = f"{said} {rng.choice(more)}" if more else said
        if self._hints(state) and act in (Act.FEELING, Act.THOUGHT, Act.ANSWER):
            hints = [one for one in self.case.risk.hints if not _in(one, before)]
            said = f"{said} {hints[0]}" if len(hints) == len(self.case.risk.hints) > 0 else said
        return said

    def _hints(self, state: CognitiveState) -> bool:
        return not state.risk_disclosed and self.case.risk.disclosure in ("hint", "open") and state.turn >= 2

    def _wordings(self, state: CognitiveState, kinds: Sequence[str]) -> list[Sequence[str]]:
        """What could be said, in order of preference: a later group only when the one before is used up."""
        intent, here, words = state.intent, self.situation.id, self.case.phrasings
        memory, own = self.case.memory, lines()
        talk = memory.talk if memory else None
        if intent.act is Act.OPEN:
            return [words.opening[here]]
        if intent.act in (Act.DETAIL, Act.BACKGROUND):
            return [words.details[here] if intent.act is Act.DETAIL else words.background, own["more"]]
        if intent.act in (Act.THOUGHT, Act.FEELING):
            return [(words.thought if intent.act is Act.THOUGHT else words.feeling)[here], own["more"]]
        if intent.act is Act.EVIDENCE and intent.evidence:
            return [self.situation.fact(intent.evidence).said]
        if intent.unit and memory:
            unit = memory.unit(intent.unit)
            if intent.act is Act.AGAIN:
                return [(unit.again,), own["more"]]
            return [(unit.moved if unit.moved and state.insight >= LOOSENED else unit.said,), own["more"]]
        if intent.act in (Act.RISK_DISCLOSURE, Act.RISK_DENIAL):
            return self._of_risk()
        fact = memory.fact(intent.evidence) if memory and intent.evidence else None
        if intent.act is Act.AGAIN:
            return [(fact.again,) if fact else own["more"], own["more"]]
        mine: list[Sequence[str]] = [own[_OWN[intent.act]]]
        if intent.act is Act.CONVICTION:
            return [[one.format(n=5 * round(state.stated / 5)) for one in mine[0]]]
        first: dict[Act, Sequence[str]] = {
            Act.GOAL: words.hopes,
            Act.PLAN: self.situation.experiment.plan if self.situation.experiment else (),
            Act.RESIST: words.resisting,
            Act.DEFLECT: words.deflecting,
            Act.INSIGHT: words.insight[here],
            Act.CONCEDE: [*([fact.moved] if fact else []), *words.conceding[here][: 0 if fact else None]],
            Act.UNMOVED: [*([fact.unmoved] if fact else []), *words.unmoved[here][: 0 if fact else None]],
            Act.NOT_KNOWING: talk.dont_know if talk else words.not_knowing,
            Act.CONFIRM: talk.confirm if talk else (),
        }
        second: dict[Act, Sequence[str]] = {
            Act.CONCEDE: words.conceding[here],
            Act.UNMOVED: words.unmoved[here],
            Act.INSIGHT: words.conceding[here],
        }
        if intent.act in (Act.AGREE, Act.WARMED):
            occasion = next((kind for kind in ("goodbye", "praise", "reassure") if kind in kinds), None)
            pushed = any(kind in ("advice", "argue") for kind in kinds)
            mine = [own[occasion or ("pushed" if pushed else _OWN[intent.act])]]
        return [first.get(intent.act, ()), second.get(intent.act, ()), *mine]

    def _of_risk(self) -> list[Sequence[str]]:
        """The truth: what the case says, or no."""
        risk, own = self.case.risk, lines()
        if risk.level == "none":
            return [own["safe"]]
        if risk.kind == "suicide":
            return [risk.disclosures, own["still"]]
        return [[f"{no} {risk.disclosures[0]}" for no in own["not_that"]], own["still"]]


def unsaid(groups: Sequence[Sequence[str]], before: Sequence[str], rng: Random) -> str:
    """A wording that was not said before, from the first group that has one; else one with a new beginning."""
    for group in groups:
        if left := [one for one in group if not _in(one, before)]:
            return rng.choice(left)
    last = next((group for group in reversed(groups) if group), ("Mm.",))
    for start in lines()["starters"]:
        if left := [new for one in last if (new := f"{start} {_lower(one)}") not in before]:
            return rng.choice(left)
    return f"{rng.choice(lines()['starters'])} {rng.choice(lines()['nod'])} {last[0]}"


def _in(one: str, before: Sequence[str]) -> bool:
    return any(one == said or (len(one) > 24 and one in said) for said in before)


def _lower(text: str) -> str:
    return text if text.startswith(("I ", "I'")) else text[:1].lower() + text[1:]
