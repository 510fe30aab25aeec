"""The mind of the second world: pure equations over what the patient recalls and weighs. All sizes are assumptions.

Conviction lives in log-odds. Of the way from where it starts to where the facts of the case warrant it, the share
F = 0.8 E + 0.2 D is gone: E is the weighted share of facts against the thought that the patient has taken in, D the
distance gained by looking from elsewhere. Only the patient's own recalling, weighing and looking raise E and D.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, log, sqrt
from random import Random
from typing import Final

from maieutic.domain.appraisal import WORK, Appraisal, Follows, QuestionForm, Reach, Slot
from maieutic.domain.case import Case, Situation
from maieutic.domain.state import Act, CognitiveState, Intent, Traits, Voiced
from maieutic.second_world.ear import CERTAIN, CLEAR, NEAR

FADING: Final = 0.8
"""What is left of a memory's activation a turn later (memories that were just used come easiest: Anderson 1983)."""
AWAKE: Final = 0.4
"""Activation from which a fact can be weighed: for four turns after it was spoken of."""
SPOKEN: Final = {"cue": 0.3, "wide": 0.4}
"""Taken in by saying it oneself; more where the patient found it unaided (Slamecka & Graf 1978; Bem 1972)."""
WEIGHED: Final = 0.6
LOOKED: Final = 0.3
LOOKS: Final = WORK - {QuestionForm.HOW_KNOW, QuestionForm.WORST, QuestionForm.COST_BENEFIT}
"""Work that looks at the thought from elsewhere; saying how one knows, or what is worst, does not."""
PERSEVERANCE: Final = 0.6
"""Share of the way to its new place that conviction goes at once (Ross, Lepper & Hubbard 1975)."""
RELAPSE: Final = 0.15
SUSTAIN: Final = 0.35
"""Log-odds that full reactance adds (confronting brings resistance: Patterson & Forgatch 1985; Brehm 1966)."""
FIRST: Final = {Slot.SITUATION: Act.DETAIL, Slot.THOUGHT: Act.THOUGHT, Slot.FEELING: Act.FEELING}
OVERWHELMED: Final = 75.0
"""Distress above which weighing gets harder (mood-congruent recall: Bower 1981; Teasdale 1983)."""


def odds(percent: float) -> float:
    """Log-odds of a percentage, kept away from its ends."""
    share = min(max(percent, 2.0), 98.0) / 100.0
    return log(share / (1.0 - share))


def percent(value: float) -> float:
    """The percentage of log-odds."""
    return 100.0 / (1.0 + exp(-value))


def _within(value: float, low: float = 0.0, high: float = 1.0) -> float:
    return max(low, min(high, value))


@dataclass(frozen=True, slots=True)
class Mind:
    """The mind of one person in one situation; `step` depends on its arguments alone."""

    case: Case
    situation: Situation

    def begin(self, rng: Random) -> CognitiveState:
        """The mind before the first turn."""
        flexible = rng.uniform(0.35, 0.65)
        traits = Traits(flexible, 0.0, rng.uniform(0.7, 1.3), rng.uniform(0.8, 1.2), 1.0, 2.0)
        trust = {"mild": 0.5, "moderate": 0.45, "severe": 0.4}[self.case.severity] + rng.uniform(-0.04, 0.04)
        trust += {"reserved": -0.08, "upset": -0.04, "pleasing": 0.05}.get(self.case.style, 0.0)
        held = self._start(traits)
        upset = max(one.intensity for one in self.situation.emotions)
        ritual = self.situation.compulsion
        return CognitiveState(
            situation=self.situation.id,
            held=held,
            stated=self._stated(held, rng),
            core=held,
            distress=upset,
            goal=0.3,
            task=0.3,
            bond=trust,
            openness=0.1 + 0.75 * trust,
            reactance=0.0,
            traits=traits,
            core_start=held,
            intermediate=held,
            urge=ritual.urge if ritual else None,
        )

    def step(self, state: CognitiveState, heard: Appraisal, rng: Random) -> CognitiveState:
        """The mind after one turn, with what it will say."""
        before = self._remind(self._relate(replace(state, turn=state.turn + 1), heard), heard)
        return self._settle(before, self._answer(before, heard), rng)

    def alone(self, state: CognitiveState, rng: Random) -> CognitiveState:
        """A turn's time without anybody."""
        return self._settle(state, replace(state, turn=state.turn + 1), rng)

    def share(self, state: CognitiveState) -> float:
        """F: the share of the way from the first conviction to the warranted one that has been gone."""
        taken = {one.evidence: one.credit for one in state.voiced}
        against = [fact for fact in self.situation.evidence if fact.bearing == "against"]
        whole = sum(fact.weight for fact in against) or 1.0
        inward = sum(fact.weight * taken.get(fact.id, 0.0) for fact in against) / whole
        return 0.8 * inward + 0.2 * (1.0 - (1.0 - LOOKED) ** len(state.worked))

    def _start(self, traits: Traits) -> float:
        return _within(self.situation.conviction - 20.0 * (traits.plasticity - 0.5), 50.0, 97.0)

    def _stated(self, held: float, rng: Random) -> float:
        wish = {"pleasing": -10.0, "upset": 4.0}.get(self.case.style, 0.0)
        return _within(held + wish + rng.gauss(0.0, 2.0), 0.0, 100.0)

    def _relate(self, state: CognitiveState, heard: Appraisal) -> CognitiveState:
        """Trust, reactance, distress and openness: the manner of a turn, before its matter."""
        push = 0.22 * heard.leading + 0.15 * bool(heard.tells and not heard.leading) + 0.06 * heard.content
        reactance = _within(0.8 * state.reactance + push * state.traits.reactivity)
        trust = state.bond + 0.06 * (1 - state.bond) * heard.fit * state.traits.warmth
        trust += 0.025 * (1 - state.bond) * (heard.questions == 1 and heard.open)
        trust -= state.bond * (0.5 * push + 0.03 * (heard.questions > 2) + 0.04 * (not heard.understood))
        goal = state.goal + (1 - state.goal) * (0.2 * (Slot.GOAL in heard.asks) + 0.02 * heard.fit)
        task = state.task + (1 - state.task) * 0.04 * bool(heard.questions) - 0.3 * push
        calm = state.distress - 2.5 * heard.fit - 1.0 * heard.content + 8.0 * push
        wanted = 0.1 + 0.85 * trust - 0.45 * reactance
        return replace(
            state,
            bond=_within(trust),
            reactance=reactance,
            goal=_within(goal),
            task=_within(task),
            distress=_within(calm, 0.0, 100.0),
            openness=_within(state.openness + 0.35 * (wanted - state.openness)),
            felt_heard=state.felt_heard + (heard.fit >= 0.5),
        )

    def _remind(self, state: CognitiveState, heard: Appraisal) -> CognitiveState:
        """A fact that is given back is awake again; one that the therapist brings is known, and counts for nothing."""
        back = heard.summarised
        voiced = tuple(replace(v, turn=state.turn) if v.evidence in back else v for v in state.voiced)
        new = {*heard.told} - {v.evidence for v in voiced}
        return replace(state, voiced=(*voiced, *(Voiced(name, "therapist", state.turn, 0.0) for name in sorted(new))))

    def _answer(self, state: CognitiveState, heard: Appraisal) -> CognitiveState:
        slot = heard.asks[0] if heard.asks else None
        if not heard.understood:
            return replace(state, intent=Intent(Act.NOT_UNDERSTOOD))
        if slot is Slot.RISK:
            there = self.case.risk.level != "none"
            told = Act.RISK_ANSWER if state.risk_disclosed else Act.RISK_DISCLOSURE
            return replace(state, intent=Intent(told if there else Act.RISK_DENIAL), risk_disclosed=there)
        if not heard.questions:
            pushed = heard.tells and state.reactance > 0.25
            act = Act.RESIST if pushed else Act.WARMED if heard.fit >= 0.5 else Act.AGREE
            return replace(state, intent=Intent(act))
        sure = heard.near[0].strength if heard.near else 0.0
        if slot in FIRST and slot.value not in state.disclosed and not (slot is Slot.SITUATION and sure >= CERTAIN):
            return self._disclose(state, slot)
        awake = self._awake(state)
        just = state.intent.act is Act.EVIDENCE and awake.get(state.intent.evidence or "", 0.0) >= FADING
        if awake and (slot is Slot.WEIGHING or (slot is Slot.THOUGHT and just)):
            return self._weigh(state, awake)
        if heard.wide or (heard.follows is Follows.MORE and just and state.fished):
            return self._search(state, heard)
        if sure >= CLEAR and not self._known(heard.near[0].evidence, state):
            return self._tell(state, heard.near[0].evidence)
        if heard.follows is Follows.SUMMARY:
            return replace(state, intent=Intent(Act.CONFIRM))
        if slot in (Slot.CONVICTION, Slot.GOAL):
            return replace(state, intent=Intent(Act(slot.value)))
        if slot is Slot.PLAN:
            hope = 0.0 if state.planned else 2.0
            there = state.planned or self.situation.experiment is not None
            return replace(state, intent=Intent(Act.PLAN), planned=there, distress=max(0.0, state.distress - hope))
        return self._recall(state, heard, slot)

    def _disclose(self, state: CognitiveState, slot: Slot) -> CognitiveState:
        """Saying the thought or feeling for the first time hurts a little, and is what trust is built on."""
        deep = slot is not Slot.SITUATION
        return replace(
            state,
            intent=Intent(FIRST[slot]),
            disclosed=(*state.disclosed, slot.value),
            distress=_within(state.distress + 2.0 * deep, 0.0, 100.0),
            bond=_within(state.bond + 0.02 * deep),
        )

    def _recall(self, state: CognitiveState, heard: Appraisal, slot: Slot | None) -> CognitiveState:
        """What lies nearest and has not been told; else what any such question gets."""
        fresh = self._fresh(state, heard.near)
        if fresh and (slot is not Slot.WEIGHING or not self._is_fact(fresh[0])):
            return self._tell(state, fresh[0])
        if slot is Slot.WEIGHING:
            return replace(state, intent=Intent(Act.INSIGHT if state.insight >= 0.5 else Act.UNMOVED))
        if slot is Slot.SUPPORT and (name := self._easiest(state, "for")):
            return self._tell(state, name)
        if slot in FIRST or slot is Slot.BACKGROUND or heard.follows is Follows.MORE:
            act = FIRST.get(slot, Act.BACKGROUND) if slot else Act.DETAIL
            told = () if slot is not Slot.BACKGROUND or slot.value in state.disclosed else (slot.value,)
            return replace(state, intent=Intent(act), disclosed=(*state.disclosed, *told))
        near = [one.evidence for one in heard.near if one.strength >= NEAR + 0.1]
        if known := next((name for name in near if self._known(name, state)), None):
            fact = self._is_fact(known)
            return replace(state, intent=Intent(Act.AGAIN, known if fact else None, None if fact else known))
        return replace(state, intent=Intent(Act.ASK_BACK if heard.unclear else Act.NOT_KNOWING))

    def _fresh(self, state: CognitiveState, near: tuple[Reach, ...]) -> list[str]:
        """What may be told: near enough, not told, and not far behind what the question is nearest to."""
        low = max(NEAR, near[0].strength - 0.12) if near else NEAR
        return [one.evidence for one in near if one.strength >= low and not self._known(one.evidence, state)]

    def _known(self, name: str, state: CognitiveState) -> bool:
        return name in state.told or any(v.evidence == name and v.by == "patient" for v in state.voiced)

    def _is_fact(self, name: str) -> bool:
        return any(fact.id == name for fact in self.situation.evidence)

    def _tell(self, state: CognitiveState, name: str, how: str = "cue") -> CognitiveState:
        """Tells a piece of the life, a fact or a unit; a guarded one is put off."""
        fact = next((fact for fact in self.situation.evidence if fact.id == name), None)
        unit = self.case.memory.unit(name) if self.case.memory and fact is None else None
        if (fact or unit) is None or max(one.guard for one in (fact, unit) if one) > state.openness:
            return replace(state, intent=Intent(Act.DEFLECT))
        state = replace(state, told=(*state.told, name))
        if unit:
            work = bool(LOOKS & set(unit.forms)) and "thought" in state.disclosed
            worked = (*state.worked, name) if work else state.worked
            return replace(state, intent=Intent(Act.ANSWER, unit=name), worked=worked)
        new = Voiced(name, "patient", state.turn, SPOKEN[how] * self._capacity(state))
        stir = 3.0 if fact and fact.bearing == "for" else -1.0
        return replace(
            state,
            intent=Intent(Act.EVIDENCE, evidence=name),
            distress=_within(state.distress + stir, 0.0, 100.0),
            voiced=(*(v for v in state.voiced if v.evidence != name), new),
        )

    def _search(self, state: CognitiveState, heard: Appraisal) -> CognitiveState:
        """Asked for exceptions at large: the easiest that is left; each further search finds less (Williams 2007)."""
        tired = 0.1 * max(0, state.fished - 1)
        state = replace(state, fished=state.fished + 1)
        against = {fact.id for fact in self.situation.evidence if fact.bearing == "against"}
        near = [one.evidence for one in heard.near if one.strength >= NEAR + 0.1 and one.evidence in against]
        aimed = next((name for name in near if not self._known(name, state)), None)
        name = aimed or self._easiest(state, "against", tired)
        return self._tell(state, name, "wide") if name else replace(state, intent=Intent(Act.NOT_KNOWING))

    def _easiest(self, state: CognitiveState, bearing: str, harder: float = 0.0) -> str | None:
        """The least guarded fact of a kind that is left, if it can be told."""
        left = [f for f in self.situation.evidence if f.bearing == bearing and not self._known(f.id, state)]
        found = min(left, key=lambda fact: fact.guard, default=None)
        return found.id if found and found.guard + harder <= state.openness else None

    def _weigh(self, state: CognitiveState, awake: dict[str, float]) -> CognitiveState:
        """Facts against the thought that are awake are set beside it; attention is shared between them."""
        gain = WEIGHED * self._capacity(state) / sqrt(len(awake))
        voiced = tuple(
            replace(v, credit=v.credit + gain * awake.get(v.evidence, 0.0) * (1 - v.credit)) for v in state.voiced
        )
        newest = max(awake, key=lambda name: (name not in state.weighed, awake[name]))
        taken = max(v.credit for v in voiced if v.evidence == newest)
        act = Act.CONCEDE if taken >= 0.5 else Act.UNMOVED
        act = Act.INSIGHT if state.insight >= 0.5 and len(awake) > 1 else act
        weighed = tuple(dict.fromkeys((*state.weighed, *awake)))
        return replace(state, voiced=voiced, weighed=weighed, intent=Intent(act, evidence=newest))

    def _awake(self, state: CognitiveState) -> dict[str, float]:
        """Facts against the thought that the patient told and still has in mind, with their activation."""
        against = {fact.id for fact in self.situation.evidence if fact.bearing == "against"}
        own = {v.evidence: FADING ** (state.turn - v.turn) for v in state.voiced if v.by == "patient"}
        return {name: active for name, active in own.items() if name in against and active >= AWAKE}

    def _capacity(self, state: CognitiveState) -> float:
        """How well this mind can take in what it finds: openness, less what overwhelms, little without the thought."""
        flood = 0.02 * max(0.0, state.distress - OVERWHELMED)
        able = _within(0.3 + 0.8 * state.openness - flood - 0.3 * state.reactance, 0.1)
        named = 1.0 if "thought" in state.disclosed else 0.4
        return _within(able * named * (0.7 + 0.6 * state.traits.plasticity))

    def _settle(self, before: CognitiveState, now: CognitiveState, rng: Random) -> CognitiveState:
        """Conviction goes down only in a turn of the patient's own work; reactance and rest let it creep up."""
        start, warranted = odds(self._start(now.traits)), odds(self.situation.warranted)
        at = odds(before.held)
        share, old = self.share(now), self.share(before)
        there = start - max(0.0, start - warranted) * share + SUSTAIN * now.reactance
        if there > at:
            at += RELAPSE * (there - at)
        elif share > old:
            at += PERSEVERANCE * (there - at)
        held = percent(at)
        fall = self._start(now.traits) - held
        rest = max(one.intensity for one in self.situation.emotions) - 0.5 * max(0.0, fall)
        calm = now.distress + 0.08 * (rest - now.distress)
        below = now.core_start or now.core
        return replace(
            now,
            held=held,
            stated=self._stated(held, rng),
            insight=_within(share / 0.8),
            distress=_within(calm, 0.0, 100.0),
            core=_within(below - 0.1 * fall, 0.0, 100.0),
            intermediate=_within(below - 0.25 * fall, 0.0, 100.0),
        )
