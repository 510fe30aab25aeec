"""A third simulator of the same people, built apart from the package's own: conviction as a race between two memories.

Theory: *retrieval competition* (Brewin 2006). A hot thought is not refuted; an old representation of the self wins the
race of retrieval because its traces are strong and mood favours them. What the patient tells lays traces for a rival;
a trace counts by how deeply it was worked on (levels of processing, Craik & Lockhart 1972; generation effect, Slamecka
& Graf 1978), and little until the patient has set it against the thought. Belief therefore moves slowly, then suddenly
(sudden gains, Tang & DeRubeis 1999). Whoever argues makes the patient speak for the thought, and people believe what
they hear themselves say (Bem 1972; sustain talk, Miller & Rollnick 2013).

    trace      e ← e + a·λ·(1 − e)    worked on; a by the kind of work; e ← max(0.2, 0.97·e) unless set against (assumed)
    window     λ = (0.35 + 0.65·exp(−((d − 52)/28)²))·(1 − 0.8·r)      arousal d, reactance r (Yerkes & Dodson 1908)
    rival      n = Σ w·e·s / Σ w     over facts against; s = 1 set against the thought by the patient, else 0.5 (assumed)
    old        o = m·(H·ρ + K·Σ w·e·s' / Σ w)  facts for, s' = 0.3 once seen in proportion; ρ the rule's hold, 0.35 to 1
    mood       m = exp(0.45·(d − 52)/50)       mood-congruent recall (Bower 1981)
    race       p = n^1.7 / (n^1.7 + o^1.7)     choice by relative strength (Luce 1959), sharpened (assumed)
    belief     c ← c + v·(c* − c),  c* = W + (C − W)·(1 − p/p_max)      only on turns in which the patient worked
    rule       ρ falls when asked where it comes from, what it costs, how one knows (decentering, Teasdale et al. 2002)
    trust      q ← q + g·responsive·(1 − q)    answering what was disclosed (Laurenceau et al. 1998; Altman & Taylor 1973)
    reactance  r ← 0.75·r + pressing·(1 − r)          (Brehm 1966); pressing also rehearses the traces for the thought

C conviction of the case, W warranted. Warm talk moves trust and arousal, and neither moves c by itself. Sizes are
assumptions, chosen by hand on own talks with gethin, hester and nurse-in-charge.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any, Final

from maieutic.domain.appraisal import WORK, Appraisal, Follows, QuestionForm, Reach, Slot
from maieutic.domain.case import Case, Evidence
from maieutic.domain.codes import TurnCode
from maieutic.domain.episode import Ending, Session, Turn
from maieutic.domain.memory import LIFE
from maieutic.domain.state import Act, CognitiveState, Intent, Traits, Voiced
from maieutic.language.sentences import sentences

sys.path.append(str(Path(__file__).parent))  # this file is loaded by its path

from third_world_ear import LOOSENS, OWN, Ear, Embed, Scene, unit_interval

F = QuestionForm


@dataclass(frozen=True, slots=True)
class Sizes:
    """All sizes of the mind; see the module's equations."""

    habit: float = 0.36
    sharp: float = 1.7
    against_self: float = 0.22
    told: float = 0.52
    again: float = 0.22
    weighed: float = 0.62
    kept: float = 0.2
    hold: float = 0.11
    speed: float = 0.42
    trust: float = 0.13
    press: float = 0.26


SIZES: Final = Sizes()
MOVING: Final = frozenset({Act.EVIDENCE, Act.CONCEDE, Act.CONFIRM, Act.ANSWER})


def window(state: CognitiveState) -> float:
    """λ: how well something can be worked on at this arousal, with this much reactance."""
    return (0.35 + 0.65 * math.exp(-(((state.distress - 52) / 28) ** 2))) * (1 - 0.8 * state.reactance)


def race(scene: Scene, traces: Mapping[str, float], seen: Sequence[str], rule: float, arousal: float) -> float:
    """p: share of the rival in retrieval."""

    def strength(bearing: str, loose: float, bound: float) -> float:
        own = [f for f in scene.situation.evidence if f.bearing == bearing]
        parts = (f.weight * traces.get(f.id, 0.0) * (bound if f.id in seen else loose) for f in own)
        return sum(parts) / max(1e-9, sum(f.weight for f in own))

    n = strength("against", 0.5, 1.0)
    old = math.exp(0.45 * (arousal - 52) / 50) * (SIZES.habit * rule + SIZES.against_self * strength("for", 1.0, 0.3))
    return float(n**SIZES.sharp / (n**SIZES.sharp + old**SIZES.sharp))


def way(scene: Scene, state: CognitiveState) -> float:
    """Share of the way from the case's conviction to the warranted one at which belief would come to rest, 0 to 1."""
    s, full = scene.situation, race(scene, dict.fromkeys(scene.facts, 1.0), tuple(scene.facts), 0.35, 30.0)
    traces = {v.evidence: v.credit for v in state.voiced}
    rule = (state.intermediate or s.conviction) / s.conviction
    share = min(1.0, race(scene, traces, state.weighed, rule, state.distress) / full)
    part = s.knowledge_gap.share if s.knowledge_gap else 0.0
    return (1 - part) * share + part * state.informed


def gone(scene: Scene, state: CognitiveState) -> float:
    """Share of the way that conviction has gone."""
    s = scene.situation
    return (s.conviction - state.held) / max(1.0, s.conviction - s.warranted)


def relate(scene: Scene, state: CognitiveState, a: Appraisal) -> CognitiveState:
    """What a turn does to trust, alliance, arousal and reactance, whatever it asks."""
    traits, false = state.traits, any(not c.true and not c.tentative for c in a.claims)
    press = 1.0 * bool(a.tells) + 0.5 * a.leading + 0.2 * (a.questions > 2) + 0.3 * false + 0.5 * a.content
    press = max(0.0, press - 0.3 * a.permission)
    mended = a.follows is Follows.BESIDE
    pressed = SIZES.press * (0.6 + 0.8 * traits.reactivity) * press * (1 - state.reactance)
    reactance = 0.75 * state.reactance + pressed - 0.25 * mended
    beside = scene.beside.get(next(reversed(state.told), ""), frozenset())
    aimed = beside & {a.unit, a.again, *(r.evidence for r in a.reaches)}
    going_on = 0.6 * (a.follows in (Follows.MORE, Follows.SUMMARY) or bool(aimed or a.summarised))
    responsive = 0.0 if press >= 0.8 else max(a.fit, going_on, 0.35 * (a.questions > 0))
    gain = SIZES.trust * (0.5 + traits.warmth) * responsive * (1 - state.openness)
    settled = 2.0 * a.fit + 0.6 * bool(a.asks and Slot.FEELING in a.asks) + (0.8 if a.questions else 0.3)
    return replace(
        state, turn=state.turn + 1, reactance=unit_interval(reactance), leave=a.permission, fished=state.fished + a.wide,
        openness=unit_interval(state.openness + gain - 0.08 * press * (0.6 + 0.8 * traits.reactivity)),
        bond=unit_interval(state.bond + 0.035 * responsive * (0.5 + traits.warmth) - 0.05 * press + 0.05 * mended),
        task=unit_interval(state.task + 0.03 * (a.questions == 1 and not press) - 0.06 * press),
        goal=unit_interval(state.goal + 0.06 * (Slot.GOAL in a.asks or a.permission) - 0.03 * press),
        distress=min(100.0, max(20.0, state.distress + 4 * press - settled * (state.distress - 35) / 40)),
        felt_heard=state.felt_heard + (a.fit >= 0.5),
    )  # fmt: skip


def decide(scene: Scene, s: CognitiveState, a: Appraisal, rng: Random) -> Intent:
    """What the patient will say to it."""
    case, risk = scene.case, scene.case.risk
    bar = s.openness + 0.05 - s.traits.guardedness

    def free(name: str) -> bool:
        return scene.guard(name) <= bar

    if not a.understood:
        return Intent(Act.NOT_UNDERSTOOD)
    if s.bond < 0.16 * (1 - s.traits.patience):
        return Intent(Act.LEAVE)
    if Slot.RISK in a.asks:
        has = Act.RISK_ANSWER if s.risk_disclosed else Act.RISK_DISCLOSURE
        return Intent(has if risk.disclosures else Act.RISK_DENIAL)
    if (a.tells and not a.questions) or s.reactance > 0.5:
        polite = case.style == "pleasing" or (s.reactance < 0.25 and rng.random() < 0.2)
        return Intent(Act.AGREE if polite else Act.RESIST)
    hinting = risk.hints and risk.disclosure != "only_when_asked" and not s.risk_disclosed
    if hinting and s.openness > 0.3 and a.unit and free(a.unit) and rng.random() < 0.14:
        return Intent(Act.RISK_HINT, unit=a.unit)
    if a.follows is Follows.BESIDE and not a.questions:
        return Intent(Act.AGAIN)
    going_on = a.next_to if a.next_to and free(a.next_to) else None
    if not a.questions or a.follows is Follows.SUMMARY:
        if any(not c.true for c in a.claims):
            return Intent(Act.CORRECT)
        if a.fit <= 0.25 and not a.follows:
            act = Act.WARMED if a.fit else Act.ANSWER if going_on else Act.DETAIL
            return Intent(act, unit=going_on if act is Act.ANSWER else None)
        more = rng.random() if not a.follows else 1.0  # a reflection draws on: a detail, a piece of memory, or nothing
        return Intent(
            Act.CONFIRM, unit=going_on if more < 0.4 else None, form=F.DESCRIBE if 0.4 < more < 0.75 else None
        )
    if a.gap_asked and scene.situation.knowledge_gap:
        return Intent(Act.INFORMED if s.informed > 0 else Act.GAP)
    if a.follows is Follows.TAKE_AWAY:
        return Intent(Act.TAKE_AWAY)
    plain = {Slot.CONVICTION: Act.CONVICTION, Slot.GOAL: Act.GOAL, Slot.PLAN: Act.RESULT if s.result else Act.PLAN}
    for slot, act in plain.items():
        if slot in a.asks:
            return Intent(Act.NOT_KNOWING if act is Act.PLAN and s.openness < 0.4 else act)
    if a.form is F.TALK:
        return Intent(Act.BESIDE)
    if Slot.WEIGHING in a.asks:
        return weigh(scene, s, a)
    if a.reaches:
        name = a.reaches[0].evidence
        if free(name):
            return Intent(Act.AGAIN if name in s.told else Act.EVIDENCE, evidence=name)
        by = [n for n in scene.beside[name] if n in scene.units and n not in s.told and free(n)]
        by = sorted((n for n in by if not WORK & scene.forms(n)), key=lambda n: (-scene.guard(n), n))
        return Intent(Act.ANSWER if by else Act.DEFLECT, unit=next(iter(by), None))
    if a.wide or Slot.SUPPORT in a.asks:
        return search(scene, s, "for" if Slot.SUPPORT in a.asks else "against", bar, rng)
    of_life = a.unit is not None and scene.units[a.unit].of == LIFE
    if Slot.SITUATION in a.asks and "situation" not in s.disclosed and not of_life:
        return Intent(Act.DETAIL)
    if a.unit:
        if free(a.unit) or a.form in WORK:
            return Intent(Act.AGAIN if s.told.count(a.unit) > 1 else Act.ANSWER, unit=a.unit, form=a.form)
        return Intent(Act.DEFLECT)
    if Slot.THOUGHT in a.asks or a.form is F.MEANING:
        return Intent(Act.THOUGHT) if s.openness > 0.22 else Intent(Act.DEFLECT)
    if a.form is F.FEELING:
        return Intent(Act.FEELING)
    if a.follows is Follows.MORE:
        new = sorted(n for n in scene.beside.get(a.again or "", ()) if n not in s.told and free(n))
        if a.again in scene.facts:
            by = [n for n in new if n in scene.units and not WORK & scene.forms(n)]
            return Intent(Act.ANSWER, unit=by[0]) if by else Intent(Act.AGAIN, evidence=a.again)
        linked = [n for n in new if n in scene.facts]
        if linked and a.again in s.told:
            return Intent(Act.EVIDENCE, evidence=max(linked, key=lambda n: scene.facts[n].weight))
        return Intent(Act.ANSWER if going_on else Act.NO_MORE, unit=going_on)
    if Slot.BACKGROUND in a.asks or Slot.SITUATION in a.asks:
        return Intent(Act.BACKGROUND if Slot.BACKGROUND in a.asks else Act.DETAIL)
    return Intent(Act.NOT_KNOWING if a.foreign or not a.unclear else Act.NOT_UNDERSTOOD, form=a.form)


def search(scene: Scene, s: CognitiveState, bearing: str, bar: float, rng: Random) -> Intent:
    """A wide question: the most accessible fact comes, and with every such question the next is harder to find."""

    def access(fact: Evidence) -> float:
        spread = sum(n in s.told for n in scene.beside[fact.id])
        return 0.6 * (1 - fact.guard) + 0.2 * min(2, spread) + rng.uniform(-0.1, 0.1)

    found = [f for f in scene.situation.evidence if f.bearing == bearing and f.id not in s.told and f.guard <= bar]
    best = max(found, key=access, default=None)
    if best is None or access(best) < 0.2 + 0.1 * s.fished * (bearing == "against"):
        return Intent(Act.NO_MORE)
    return Intent(Act.EVIDENCE, evidence=best.id)


def weigh(scene: Scene, s: CognitiveState, a: Appraisal) -> Intent:
    """Asked to set something against the thought: it reaches, or it does not."""
    fact = scene.facts.get(a.again or "")
    if fact is None or fact.id in s.weighed:
        return Intent(Act.ANSWER, unit=a.unit, form=F.COMPARE) if a.unit else Intent(Act.UNMOVED)
    both = any(scene.facts[n].bearing == "for" for n in s.told if n in scene.facts)
    reaches = fact.weight * window(s) + 0.12 * both + 0.3 * way(scene, s) + 0.2 * s.openness > 0.46
    return Intent(Act.CONCEDE if reaches else Act.UNMOVED, evidence=fact.id)


def elaborate(scene: Scene, s: CognitiveState, a: Appraisal) -> tuple[CognitiveState, float]:
    """What the patient's own answer does to the traces and the rule, and how much of a turn's work it was, 0 to 1."""
    traces = {v.evidence: v for v in s.voiced}
    seen, worked, rule, work, light = list(s.weighed), list(s.worked), s.intermediate or 0.0, 0.0, window(s)

    def deepen(name: str, amount: float) -> None:
        old = traces.get(name) or Voiced(name, "patient", s.turn, 0.0)
        half = 0.5 if old.by == "therapist" else 1.0
        traces[name] = replace(old, credit=old.credit + half * amount * light * (1 - old.credit))

    act, name, unit = s.intent.act, s.intent.evidence, s.intent.unit
    for told in a.told:
        traces.setdefault(told, Voiced(told, "therapist", s.turn, 0.0))
    if act is Act.EVIDENCE and name:
        deepen(name, (SIZES.again if name in traces else SIZES.told) * (0.6 if a.wide or not a.open else 1.0))
        work = 0.7
    elif act is Act.CONCEDE and name:
        deepen(name, SIZES.weighed)
        seen += [name] * (name not in seen)
        work = 1.0
    elif act in (Act.CONFIRM, Act.TAKE_AWAY):
        for one in a.summarised if act is Act.CONFIRM else seen:
            deepen(one, SIZES.kept)
        work = 0.5 * bool(a.summarised if act is Act.CONFIRM else seen)
    elif act is Act.RESIST:
        for one in (f.id for f in scene.situation.evidence if f.bearing == "for"):
            deepen(one, 0.12 / max(0.3, light))
    elif act is Act.RESULT and scene.situation.experiment:
        for one in [*traces]:
            deepen(one, scene.situation.experiment.weight * 0.5)
        work = 1.0
    elif act is Act.AGAIN and name:
        deepen(name, SIZES.again)
        work = 0.4
    elif unit and act is Act.ANSWER and unit in scene.units:
        if a.follows is Follows.MORE and a.again in traces:
            deepen(a.again, SIZES.again)
            work = 0.4
        forms, fresh, moved = scene.forms(unit), 0.3 if unit in worked else 1.0, loosened(scene, s, unit)
        if forms & (LOOSENS | WORK):
            step_down = SIZES.hold * (1.0 if forms & LOOSENS else 0.5) * (1.3 if moved else 0.8)
            rule -= fresh * light * step_down * scene.situation.conviction
            worked, work = [*worked, unit], 0.6
        for one in scene.beside[unit] if forms & WORK else ():
            if one in traces and scene.facts[one].bearing == "against":
                deepen(one, 0.3 * fresh)
                seen += [one] * (moved and one not in seen)
    fading = tuple(
        v if {v.evidence} & {*seen, name} or v.credit <= 0.2 else replace(v, credit=max(0.2, 0.97 * v.credit))
        for v in traces.values()
    )
    least = 0.35 * scene.situation.conviction
    return replace(s, voiced=fading, weighed=tuple(seen), worked=tuple(worked), intermediate=max(least, rule)), work


def loosened(scene: Scene, s: CognitiveState, unit: str) -> bool:
    """The patient's own work comes out otherwise: the rival is near, or what lies beside it was set against the thought."""
    return gone(scene, s) > 0.22 or way(scene, s) > 0.3 or bool(scene.beside.get(unit, frozenset()) & set(s.weighed))


def settle(scene: Scene, before: CognitiveState, s: CognitiveState, work: float, rng: Random) -> CognitiveState:
    """Belief moves towards the winner of the race, only as far as the patient worked; defending moves it back."""
    c, w = scene.situation.conviction, scene.situation.warranted
    goal = c - (c - w) * way(scene, s)
    rate = SIZES.speed * (0.7 + 0.6 * s.traits.plasticity) * work
    held = s.held + rate * min(0.0, goal - s.held)
    if s.intent.act is Act.RESIST:
        held = min(100.0, c + 3, max(held, held + 1.2 * s.traits.reactivity + 0.2 * max(0.0, goal - held)))
    if s.intent.act is Act.INFORMED and s.informed < 1.0:
        s = replace(s, informed=1.0)
        held += 0.5 * min(0.0, c - (c - w) * way(scene, s) - held)
    fall = before.held - held
    return replace(
        s, held=held, stated=min(100.0, max(0.0, held + rng.gauss(0.0, s.traits.variability))),
        core=min(100.0, max(0.0, s.core - 0.15 * fall)), distress=min(100.0, max(20.0, s.distress - 0.35 * fall)),
        urge=None if s.urge is None else max(0.0, s.urge - 0.6 * fall),
        insight=max(s.insight, unit_interval(gone(scene, replace(s, held=held)) / 0.75)),
    )  # fmt: skip


@dataclass(frozen=True)
class Voice:
    """Words the intent from the case's own sentences."""

    scene: Scene

    def say(self, session: Session, state: CognitiveState, rng: Random) -> str:
        answers = [turn.text for turn in session.by("patient")]
        said = "\n".join(answers)
        text = self._wording(session, state, said, rng)
        if not answers or state.intent.act not in MOVING | {Act.UNMOVED}:
            return text
        p, at = self.scene.case.phrasings, self.scene.situation.id
        steps = tuple(zip((0.2, 0.42, 0.62, 0.8), (*p.conceding[at][:2], *p.insight[at][:2]), strict=True))
        due = [line for share, line in steps if gone(self.scene, state) > share and line not in said + text]
        lately = text + "".join(answers[-2:])
        if due and state.intent.act in MOVING and not any(line in lately for _, line in steps):
            return f"{text} {due[0]}"
        lead = rng.choice(OWN["lead"])
        slow = state.intent.act is not Act.CONFIRM and rng.random() < 0.1 and lead not in said
        return f"{lead} {text}" if slow else text

    def _wording(self, session: Session, state: CognitiveState, said: str, rng: Random) -> str:
        scene, p, at, intent = self.scene, self.scene.case.phrasings, self.scene.situation.id, state.intent
        memory, risk, trial = scene.case.memory, scene.case.risk, scene.situation.experiment
        talk, gap = memory.talk if memory else None, scene.situation.knowledge_gap

        def pick(*pools: Sequence[str]) -> str:
            return _unsaid(said, pools, rng)

        act, name = intent.act, intent.evidence or intent.unit
        if act in (Act.EVIDENCE, Act.ANSWER, Act.AGAIN) and name:
            return self._tell(name, state, said, rng)
        if act in (Act.CONCEDE, Act.UNMOVED) and intent.evidence and memory and (about := memory.fact(intent.evidence)):
            moved = act is Act.CONCEDE
            return pick((about.moved if moved else about.unmoved,), (p.conceding if moved else p.unmoved)[at])
        confirm, more = (talk.confirm, talk.no_more) if talk else (p.warmed, p.not_knowing)
        if act is Act.CONFIRM:
            yes = pick(confirm, p.warmed)
            left = [line for line in p.details[at] if line not in said and intent.form]
            on = self._tell(name, state, said, rng) if name else rng.choice(left) if left else ""
            return f"{yes} {on}".strip()
        if act is Act.CONVICTION:
            asked = last.text if (last := session.last("therapist")) else ""
            ten = re.search(r"\b(ten|10)\b", asked) and not re.search(r"100|hundred", asked)
            return pick(OWN["number"]).format(round(state.stated / 10) if ten else 5 * round(state.stated / 5))
        if act is Act.TAKE_AWAY:
            held = p.insight[at] if (g := gone(scene, state)) > 0.5 else p.conceding[at] if g > 0.12 else p.unmoved[at]
            return pick(held, self._moved(state), p.unmoved[at])
        if act is Act.RISK_HINT and name:
            return f"{self._tell(name, state, said, rng)} {pick(risk.hints or p.details[at])}"
        own = [u.said for u in scene.units.values() if (F.GOAL if act is Act.GOAL else F.PLAN) in u.forms]
        unsure, limit = (*(talk.dont_know if talk else ()), *p.not_knowing), p.not_knowing
        pools: Mapping[Act, tuple[Sequence[str], ...]] = {
            Act.OPEN: (p.opening[at],), Act.DETAIL: (p.details[at], p.background, more),
            Act.BACKGROUND: (p.background, more), Act.THOUGHT: (p.thought[at], more), Act.FEELING: (p.feeling[at], more),
            Act.GOAL: (p.hopes or own, own, more), Act.PLAN: (trial.plan if trial else own, own, limit),
            Act.RESULT: (trial.said if trial else more, more), Act.CORRECT: (talk.correct if talk else p.unmoved[at],),
            Act.NO_MORE: (more, limit), Act.UNMOVED: (p.unmoved[at], more), Act.DEFLECT: (p.deflecting, limit),
            Act.RESIST: (p.resisting, p.unmoved[at], p.deflecting), Act.AGREE: (p.agreeing, OWN["thanked"]),
            Act.WARMED: (p.warmed if state.openness > 0.3 else OWN["thanked"], OWN["thanked"]),
            Act.BESIDE: (OWN["allowed"],), Act.AGAIN: (OWN["mended"],), Act.NOT_KNOWING: (unsure,), Act.LEAVE: (OWN["leave"],),
            Act.NOT_UNDERSTOOD: (talk.ask_back if talk else limit,), Act.RISK_DENIAL: (OWN["safe"],),
            Act.RISK_DISCLOSURE: (risk.disclosures,), Act.RISK_ANSWER: (risk.disclosures,),
            Act.GAP: (gap.before if gap else more,), Act.INFORMED: (gap.after if gap else more,),
        }  # fmt: skip
        return pick(*pools.get(act, (p.not_knowing,)))

    def _moved(self, state: CognitiveState) -> list[str]:
        """What the patient made of the facts that were set against the thought."""
        return [talk.moved for one in state.weighed if (m := self.scene.case.memory) and (talk := m.fact(one))]

    def _tell(self, name: str, state: CognitiveState, said: str, rng: Random) -> str:
        scene, memory = self.scene, self.scene.case.memory
        fresh: tuple[str, ...]
        if name in scene.facts:
            fresh = () if any(line in said for line in scene.facts[name].said) else scene.facts[name].said
            short = about.again if memory and (about := memory.fact(name)) else None
        else:
            u = scene.units[name]
            fresh, short = ((u.moved,) if u.moved and loosened(scene, state, name) else (u.said,)), u.again
        if left := [line for line in fresh if line not in said]:
            return rng.choice(left)
        if name in scene.units and scene.units[name].moved in fresh:
            further = (scene.case.phrasings.conceding, scene.case.phrasings.insight)
            return _unsaid(said, (self._moved(state), *(lines[scene.situation.id] for lines in further)), rng)
        if short and short not in said:
            return short
        return _unsaid(said, (memory.talk.no_more if memory else (), scene.case.phrasings.not_knowing), rng)


def _unsaid(said: str, pools: Sequence[Sequence[str]], rng: Random) -> str:
    """A line of the first pool that has one not said yet; else the one said longest ago."""
    for pool in pools:
        if left := [line for line in pool if line not in said]:
            return rng.choice(left)
    return min((line for pool in pools for line in pool), key=said.rfind)


@dataclass(frozen=True)
class ThirdPatient:
    """The ear, the mind and the voice as the protocol wants them."""

    case: Case
    situation: str
    embed: Embed
    name: str = "third_world"

    @cached_property
    def scene(self) -> Scene:
        return Scene(self.case, self.case.situation(self.situation))

    @cached_property
    def ear(self) -> Ear:
        return Ear(self.scene, self.embed)

    def begin(self, rng: Random, carried: CognitiveState | None = None) -> CognitiveState:
        """A mind drawn around the case's; from a session before, most of what was gained is kept."""
        s, style, draw = self.scene.situation, self.case.style, rng.uniform
        traits = Traits(draw(0.3, 0.7), draw(-0.05, 0.05), draw(0.3, 0.7), draw(0.35, 0.65), draw(0.3, 0.7), 2.0)
        held = min(100.0, max(s.warranted, s.conviction + rng.gauss(0.0, 1.5)))
        core = min(100.0, s.conviction + draw(-6, 0))
        opening = {"reserved": 0.2, "verbose": 0.36, "pleasing": 0.34}.get(style, 0.28) + draw(-0.03, 0.03)
        fresh = CognitiveState(
            situation=s.id, held=held, stated=held, core=core, distress=s.emotions[0].intensity, goal=0.45, task=0.42,
            bond=0.45, openness=opening, reactance=0.05, traits=traits, core_start=core, intermediate=s.conviction,
            urge=s.compulsion.urge if s.compulsion else None,
        )  # fmt: skip
        if carried is None:
            return fresh
        kept = carried.held + 0.15 * max(0.0, held - carried.held) if carried.situation == s.id else held
        return replace(
            fresh, traits=carried.traits, held=kept, stated=kept, core=carried.core, core_start=carried.core,
            openness=max(opening, 0.8 * carried.openness), goal=carried.goal, task=carried.task, bond=carried.bond,
            voiced=carried.voiced if carried.situation == s.id else (), intermediate=carried.intermediate,
            weighed=carried.weighed if carried.situation == s.id else (), result=carried.planned,
            risk_disclosed=carried.risk_disclosed, informed=carried.informed,
        )  # fmt: skip

    def comprehend(self, session: Session) -> Appraisal:
        return self.ear.hear(session)

    def transition(self, state: CognitiveState, code: TurnCode | None, appraisal: Appraisal, rng: Random) -> CognitiveState:  # fmt: skip
        """One turn; the package's code of it is not used, the ear heard it."""
        return step(self.scene, state, appraisal, rng)

    def left_alone(self, state: CognitiveState, rng: Random) -> CognitiveState:
        """A turn's time without a session, in which nothing is worked on."""
        stated = min(100.0, max(0.0, state.held + rng.gauss(0.0, state.traits.variability)))
        return replace(state, turn=state.turn + 1, stated=stated, reactance=0.75 * state.reactance)

    async def speak(self, session: Session, state: CognitiveState | None, rng: Random) -> Turn:
        assert state is not None
        text = Voice(self.scene).say(session, state, rng)
        return Turn("patient", text, Ending("patient_left", "had enough") if state.left else None)


def step(scene: Scene, state: CognitiveState, appraisal: Appraisal, rng: Random) -> CognitiveState:
    """Relation first, then the answer, then what the answer does to memory, then belief."""
    near = relate(scene, state, appraisal)
    intent = decide(scene, near, appraisal, rng)
    informed = max(near.informed, 0.5 * (appraisal.informs and (appraisal.permission or state.leave)))
    slots = tuple(slot.value for slot in appraisal.asks if slot.value not in near.disclosed)
    spoken = replace(
        near, intent=intent, informed=informed, left=intent.act is Act.LEAVE, disclosed=near.disclosed + slots,
        planned=near.planned or intent.act is Act.PLAN, result=near.result and intent.act is not Act.RESULT,
        risk_disclosed=near.risk_disclosed or intent.act is Act.RISK_DISCLOSURE,
    )  # fmt: skip
    worked, work = elaborate(scene, spoken, appraisal)
    told = (*worked.told, *filter(None, [intent.evidence or intent.unit]))
    return settle(scene, state, replace(worked, told=told), work, rng)


def make(case: Case, situation: str, *, embed: Embed, **parts: Any) -> ThirdPatient:
    """The patient of a case in one of its situations; other parts are not used."""
    return ThirdPatient(case, situation, embed)


@dataclass(frozen=True)
class Oracle:
    """Sees case and mind, and asks what this mind rewards most, by looking one turn ahead with its own equations.

    Each option is a turn and what it should be heard as; its worth is where belief stands and would come to rest after
    it, with trust and arousal as what later turns can use.
    """

    name: str = "third_world_oracle"
    case: Case | None = None
    state: CognitiveState | None = None
    needs: tuple[str, ...] = ("case", "state")

    def informed(self, *, case: Case, state: CognitiveState) -> Oracle:
        return replace(self, case=case, state=state)

    async def respond(self, session: Session) -> Turn:
        if self.case is None or self.state is None:
            return Turn("therapist", "What was that like for you?")
        scene, state = Scene(self.case, self.case.situation(self.state.situation)), self.state
        rng = session.generator("oracle")
        worth = [(self._worth(scene, state, heard), text) for text, heard in self._options(scene, state, rng)]
        before = "\n".join(turn.text for turn in session.by("therapist"))
        given_back = sentences(last.text)[-1].rstrip(".!?") if (last := session.last("patient")) else "it is hard"
        asks = max([one for one in worth if one[1] not in before] or worth)[1]
        return Turn("therapist", f"You're telling me: {given_back}. {asks}")

    @staticmethod
    def _options(scene: Scene, state: CognitiveState, rng: Random) -> Iterator[tuple[str, Appraisal]]:
        asked = Appraisal(questions=1, open=True, fit=0.8)
        for fact in scene.facts.values():
            heard = replace(asked, reaches=(Reach(fact.id, 0.9),))
            if state.told.count(fact.id) < 2:
                yield rng.choice(fact.asks), heard
            if fact.id in state.told:
                weighing = replace(asked, asks=(Slot.WEIGHING,), again=fact.id)
                yield f"How does that fit with the thought, what you said about {fact.topics[0]}?", weighing
                yield f"How do you put together the thought and {fact.topics[-1]}?", weighing
        for unit in scene.units.values():
            if unit.id not in state.worked and (WORK | LOOSENS) & scene.forms(unit.id):
                yield rng.choice(unit.asks), replace(asked, unit=unit.id, form=unit.forms[0])
        yield "What was that like for you?", replace(asked, asks=(Slot.FEELING,), form=F.FEELING)

    @staticmethod
    def _worth(scene: Scene, state: CognitiveState, heard: Appraisal) -> float:
        after, laid = step(scene, state, heard, Random(0)), 0.0
        for v in after.voiced:
            fact, gain = scene.facts[v.evidence], 10 if v.evidence in after.weighed else 6
            laid += fact.weight * v.credit * (gain if fact.bearing == "against" else -3)
        rest = (scene.situation.conviction - scene.situation.warranted) * (1 - way(scene, after))
        rule = 14 * (after.intermediate or 0.0) / scene.situation.conviction
        return laid - rule - 0.6 * after.held - 0.8 * rest + 14 * after.openness - 0.12 * after.distress


def oracle() -> Oracle:
    """The ceiling of this world."""
    return Oracle()
