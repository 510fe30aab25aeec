"""What the mind decides to say next: a pure choice from the new state and the appraisal of the turn."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from maieutic.domain.appraisal import WORK, Appraisal, Follows, QuestionForm, Slot
from maieutic.domain.codes import Move, TurnCode
from maieutic.domain.memory import Unit
from maieutic.domain.state import DENIED, Act, CognitiveState, Intent, Voiced
from maieutic.patients.dynamics import Mind, loosened, push_of
from maieutic.patients.kernel import EXPERIMENT
from maieutic.patients.risk_talk import OF_DEATH, OTHER, TELLS_AGAIN

_SLOT_ACTS = (
    (Slot.CONVICTION, Act.CONVICTION),
    (Slot.FEELING, Act.FEELING),
    (Slot.THOUGHT, Act.THOUGHT),
    (Slot.BACKGROUND, Act.BACKGROUND),
    (Slot.GOAL, Act.GOAL),
    (Slot.PLAN, Act.PLAN),
    (Slot.SITUATION, Act.DETAIL),
)
_HINT_CHANCE = 0.15
_TANGENT_CHANCE = 0.22
_BESIDE_CHANCE = 0.08
"""Chance of a tangent in the place of an answer to a question that was heard. *Assumption.*"""
_ASTRAY_CHANCE = 0.6
_CONFIDING_CHANCE = 0.4
_UNIT_MARGIN = 0.05
HARMLESS = 0.2
"""Guard up to which a unit is told by anybody who talks at all. *Assumption.*"""
_CORRECTING_CHANCE = 0.7
_TAKING_UP_CHANCE = 0.35
_CONFIRMING_CHANCE = 0.5
TELLING = (Act.EVIDENCE, Act.AGAIN, Act.TAKEN_UP)
_GOES_ON = frozenset({Act.THOUGHT, Act.FEELING, Act.GOAL})
"""What is gone on with in other words of its own, where more of it, or its meaning, is asked for."""
_HEARD_WITHIN = 0.35
"""Chance from which a piece of this life is what the last words meant. *Assumption.*"""
_TALES = frozenset({Act.OPEN, Act.DETAIL, Act.BACKGROUND})
"""What is gone on with where more of it is asked for; its meaning is the piece that is heard in the question, or the
thought."""
_OF_THE_THOUGHT = _TALES | frozenset(
    {Act.CONVICTION, Act.CONCEDE, Act.UNMOVED, Act.INSIGHT, Act.TAKEN_UP, Act.TAKE_AWAY}
)
"""What is explained by the thought."""
_ASKS_FOR_ANOTHER = frozenset({QuestionForm.AGAINST, QuestionForm.ALTERNATIVE, QuestionForm.ELSE})
"""What is answered by not knowing, and never by what a fact leaves unmoved, while no fact was told."""
_OF_A_REASON = frozenset({QuestionForm.HOW_COME, QuestionForm.WORST, QuestionForm.LIKELY})
"""What the thought answers where nothing nearer is heard: why it was done, and what is feared."""
_OF_WHAT_HAPPENED = frozenset({QuestionForm.SEQUENCE, QuestionForm.DESCRIBE})
_MEANING_OF_IT = frozenset({QuestionForm.MEANING, QuestionForm.THOUGHT, QuestionForm.FEELING, QuestionForm.HOW_COME})
_MORE_OF_IT = _MEANING_OF_IT | {
    QuestionForm.SEQUENCE,
    QuestionForm.DESCRIBE,
    QuestionForm.WHAT,
    QuestionForm.SAID,
    QuestionForm.BODY,
}
_DISCLOSES = {Act.FEELING: "feeling", Act.THOUGHT: "thought", Act.BACKGROUND: "background", Act.GOAL: "goal"}
_RESERVE = 0.1
"""Openness beyond what an answer needs below which somebody reserved may keep it back. *Assumption.*"""
_OPENNESS_NEEDED = {Act.FEELING: 0.22, Act.THOUGHT: 0.30, Act.BACKGROUND: 0.35}


def with_intent(
    mind: Mind,
    before: CognitiveState,
    now: CognitiveState,
    code: TurnCode | None,
    appraisal: Appraisal,
    rng: Random,
) -> CognitiveState:
    """The state with its next intent, and with what that intent discloses noted."""
    intent = _decide(mind, before, now, code, appraisal, rng)
    if intent.act in (Act.DEFLECT, Act.NOT_KNOWING) and appraisal.questions:
        intent = replace(intent, form=appraisal.form)
    disclosed = now.disclosed
    slot = _DISCLOSES.get(intent.act)
    if slot and slot not in disclosed:
        disclosed = (*disclosed, slot)
    astray = intent.act is Act.TANGENT
    told_risk = now.risk_disclosed or intent.act is Act.RISK_DISCLOSURE
    if intent.act is Act.EVIDENCE and intent.evidence not in {v.evidence for v in now.voiced}:
        now = replace(now, voiced=(*now.voiced, Voiced(str(intent.evidence), "patient", now.turn, 0.0)))
    told = (*now.told, *spoken(intent))
    return replace(now, intent=intent, disclosed=disclosed, risk_disclosed=told_risk, astray=astray, told=told)


def spoken(intent: Intent) -> tuple[str, ...]:
    """The unit and the fact that an intent tells, in the order of the words."""
    fact = intent.evidence if intent.act in TELLING or intent.unit else None
    return tuple(name for name in (intent.unit, fact) if name)


def _decide(
    mind: Mind, before: CognitiveState, now: CognitiveState, code: TurnCode | None, appraisal: Appraisal, rng: Random
) -> Intent:
    draw, style = rng.random(), mind.case.style
    if now.left:
        return Intent(Act.LEAVE)
    if not appraisal.understood:
        return Intent(Act.NOT_UNDERSTOOD)
    risk = _risk_intent(mind, before, now, appraisal, draw)
    if risk is not None:
        return risk
    if push_of(code, appraisal, before, mind.kernel) >= 0.25 and appraisal.follows is None:
        if style == "pleasing":
            return Intent(Act.AGREE)
        return Intent(Act.RESIST if now.reactance >= 0.3 else Act.DEFLECT)
    fresh = [v for v in now.voiced if v.turn == now.turn and v.by == "patient"]
    if fresh:
        unit = appraisal.unit
        if unit is not None and unit not in now.told and _tells(mind, now, unit):
            return Intent(Act.ANSWER, fresh[0].evidence, unit)
        return Intent(Act.RESULT if fresh[0].evidence == EXPERIMENT else Act.EVIDENCE, fresh[0].evidence)
    if now.informed > before.informed:
        return Intent(Act.INFORMED)
    if mind.situation.knowledge_gap and appraisal.gap_asked and before.informed == 0.0:
        return Intent(Act.GAP)
    if style == "tangent" and _veers(before, appraisal, draw):
        return Intent(Act.TANGENT)
    if mind.situation.compulsion and not appraisal.questions and now.urge is not None and draw < now.urge / 250.0:
        return Intent(Act.REASSURANCE_BID)
    if style == "reserved" and draw < 0.35 - 0.5 * now.openness and not _harmless(mind, now, appraisal):
        return Intent(Act.DEFLECT)
    if appraisal.form is QuestionForm.SUMMARY:
        return Intent(Act.CORRECT if _misread(appraisal) else Act.CONFIRM)
    first = _followed(mind, before, now, appraisal) or _asked_first(mind, now, appraisal)
    if first is not None:
        return first
    if appraisal.unit is not None and not (Slot.WEIGHING in appraisal.asks and _own(now)):
        return _answered(mind, now, appraisal.unit)
    if {Slot.WEIGHING, Slot.ALTERNATIVE} & set(appraisal.asks):
        return _weighing(mind, before, now, appraisal)
    for slot, act in _SLOT_ACTS:
        if slot in appraisal.asks:
            return Intent(act if now.openness >= _OPENNESS_NEEDED.get(act, 0.0) else Act.DEFLECT)
    return _of_facts(mind, before, now, appraisal) or _unprompted(mind, now, code, appraisal, draw)


def _followed(mind: Mind, before: CognitiveState, now: CognitiveState, appraisal: Appraisal) -> Intent | None:
    """What was asked of the patient's own last words, or of the talk."""
    if appraisal.follows is Follows.BESIDE:
        return Intent(Act.BESIDE)
    if appraisal.follows is Follows.TAKE_AWAY:
        return _taken_away(mind, now)
    if appraisal.follows in (Follows.MEANING, Follows.MORE):
        of_it = appraisal.form in (QuestionForm.THOUGHT, QuestionForm.MEANING) and spoken(before.intent)
        if appraisal.follows is Follows.MEANING and (of_it or mind.works(before.intent.unit)):
            return Intent(Act.THOUGHT if now.openness >= _OPENNESS_NEEDED[Act.THOUGHT] else Act.DEFLECT)
        unit = appraisal.unit
        heard = unit is not None and appraisal.sure >= _HEARD_WITHIN and unit not in now.told
        if before.intent.act in _TALES and unit is not None and heard and _tells(mind, now, unit):
            return Intent(Act.ANSWER, unit=unit)
        if appraisal.next_to is not None and spoken(before.intent) and _tells(mind, now, appraisal.next_to):
            return Intent(Act.ANSWER, unit=appraisal.next_to)
        return _of_last_words(mind, before.intent, now, more=appraisal.follows is Follows.MORE)
    return None


def _taken_away(mind: Mind, now: CognitiveState) -> Intent:
    """What this session did: the fair sentence, the fact that loosened the thought, or what was told in it."""
    if now.insight >= 1.0:
        return Intent(Act.INSIGHT)
    against = [n for n in _own(now) if mind.fact(n).bearing == "against"]
    weighed = [n for n in against if n in now.weighed]
    return Intent(Act.TAKE_AWAY, (weighed or against)[-1] if against else None)


def _of_last_words(mind: Mind, last: Intent, now: CognitiveState, *, more: bool) -> Intent:
    """More of what was just said, or what it means: from what lies next to it, or the same in fewer words."""
    if last.act in _GOES_ON or (more and last.act in _TALES):
        return Intent(last.act if now.openness >= _OPENNESS_NEEDED.get(last.act, 0.0) else Act.DEFLECT)
    told = spoken(last)
    if not told:
        needed = now.openness >= _OPENNESS_NEEDED[Act.THOUGHT]
        return Intent(Act.THOUGHT) if needed and last.act in _OF_THE_THOUGHT else Intent(Act.MEANT)
    beside = _beside(mind, now, told[-1], more=more)
    if beside is not None:
        return Intent(Act.ANSWER, unit=beside)
    times = now.told.count(told[-1])
    if more and times > 1:
        return Intent(Act.NO_MORE)
    return Intent(Act.MEANT, unit=last.unit) if told[-1] == last.unit else Intent(Act.MEANT, told[-1])


def _beside(mind: Mind, now: CognitiveState, name: str, *, more: bool) -> str | None:
    """A unit next to this one that was not told, can be told, and says more of it, or what it means."""
    if mind.case.memory is None:
        return None
    units = mind.case.memory.within(mind.situation.id)
    own = next((unit.links for unit in units if unit.id == name), ())

    def says(unit: Unit) -> bool:
        forms = set(unit.forms)
        return not forms & WORK and bool(forms & (_MORE_OF_IT if more else _MEANING_OF_IT))

    near = [unit for unit in units if unit.id in own or name in unit.links]
    return next((u.id for u in near if u.id not in now.told and says(u) and _tells(mind, now, u.id)), None)


def _harmless(mind: Mind, now: CognitiveState, appraisal: Appraisal) -> bool:
    """What is asked for is told by anybody who talks at all, or well below today's openness; a turn that asks nothing
    is none of that, nor is a fact."""
    if not appraisal.questions or appraisal.reaches:
        return False
    if appraisal.unit is not None and mind.case.memory is not None:
        return _tells(mind, now, appraisal.unit, _RESERVE)
    needed = [_OPENNESS_NEEDED.get(act, 0.0) for slot, act in _SLOT_ACTS if slot in appraisal.asks]
    return not any(needed) or now.openness >= max(needed) + _RESERVE


def _asked_first(mind: Mind, now: CognitiveState, appraisal: Appraisal) -> Intent | None:
    """What is answered before any unit: how strongly it is held, a plan, and thought or feeling while nobody has heard
    them."""
    for slot, act in _SLOT_ACTS:
        if slot not in appraisal.asks:
            continue
        untold = act in _DISCLOSES and _DISCLOSES[act] not in now.disclosed
        if slot in (Slot.CONVICTION, Slot.PLAN) or (untold and act is not Act.BACKGROUND):
            return Intent(act if now.openness >= _OPENNESS_NEEDED.get(act, 0.0) else Act.DEFLECT)
    return None


def _of_facts(mind: Mind, before: CognitiveState, now: CognitiveState, appraisal: Appraisal) -> Intent | None:
    """A fact was asked for and none came up, or nothing that can be told was."""
    if appraisal.reaches or appraisal.again:
        name = appraisal.reaches[0].evidence if appraisal.reaches else str(appraisal.again)
        if name not in {v.evidence for v in before.voiced}:
            kept = mind.fact(name).guard + now.traits.guardedness > now.openness
            return Intent(Act.DEFLECT) if kept else _in_form(mind, before, now, appraisal)
        times = now.told.count(name)
        return Intent(Act.NO_MORE) if times > 1 else Intent(Act.AGAIN if times else Act.EVIDENCE, name)
    if appraisal.wide or appraisal.form is QuestionForm.ELSE:
        asked_for_more = before.fished > 0 or appraisal.form is QuestionForm.ELSE
        return Intent(Act.NO_MORE if now.told and asked_for_more else Act.NOT_KNOWING)
    return _in_form(mind, before, now, appraisal) if appraisal.unclear else None


def _in_form(mind: Mind, before: CognitiveState, now: CognitiveState, appraisal: Appraisal) -> Intent:
    """It is heard what kind of answer is asked for, not about what: told from what lies beside the last words, or short
    and in that form; asked back where the words themselves are strange."""
    strange = appraisal.muddled or (appraisal.form is None and appraisal.foreign)
    if strange and mind.case.memory is not None and before.intent.act is not Act.ASK_BACK:
        return Intent(Act.ASK_BACK)
    unit = appraisal.next_to
    if unit is not None and _tells(mind, now, unit):
        return Intent(Act.ANSWER, unit=unit)
    for forms, act in ((_OF_A_REASON, Act.THOUGHT), ({QuestionForm.BODY}, Act.FEELING)):
        if appraisal.form in forms and before.intent.act is not act and now.openness >= _OPENNESS_NEEDED[act]:
            return Intent(act)
    if appraisal.form in _OF_WHAT_HAPPENED and not now.told:
        return Intent(Act.DETAIL)
    return Intent(Act.NOT_KNOWING, about=DENIED if appraisal.foreign and not strange else None)


def _answered(mind: Mind, now: CognitiveState, name: str) -> Intent:
    """A unit was asked for: told, told again more briefly, or kept back."""
    assert mind.case.memory is not None
    unit = mind.case.memory.unit(name)
    if not _tells(mind, now, name):
        return Intent(Act.DEFLECT)
    times = now.told.count(name)
    if times == 0 or (times == 1 and unit.moved is not None and loosened(mind, now)):
        return Intent(Act.ANSWER, unit=name)
    return Intent(Act.AGAIN, unit=name) if times == 1 else Intent(Act.NO_MORE)


def _tells(mind: Mind, now: CognitiveState, name: str, reserve: float = 0.0) -> bool:
    """The patient is open enough to tell a unit, with `reserve` to spare where it is guarded."""
    assert mind.case.memory is not None
    guard = mind.case.memory.unit(name).guard
    return guard <= HARMLESS or now.openness >= guard + now.traits.guardedness - _UNIT_MARGIN + reserve


def _misread(appraisal: Appraisal) -> bool:
    """The turn says a feeling that is not there."""
    return any(not claim.true for claim in appraisal.claims)


def _own(now: CognitiveState) -> list[str]:
    """Facts that the patient told, oldest first."""
    return [v.evidence for v in now.voiced if v.by == "patient" and v.evidence != EXPERIMENT]


def _confided(mind: Mind, now: CognitiveState) -> str | None:
    """What a patient who feels heard tells unasked: the troubles, so the facts that support the thought."""
    known = {v.evidence for v in now.voiced}
    guard = now.openness - now.traits.guardedness - 0.1
    ready = [e for e in mind.situation.evidence if e.bearing == "for" and e.id not in known and e.guard < guard]
    return min(ready, key=lambda e: (e.guard, e.id)).id if ready else None


def _weighing(mind: Mind, before: CognitiveState, now: CognitiveState, appraisal: Appraisal) -> Intent:
    """What the patient makes of it: of the fact just weighed, the one named, or the last told."""
    if now.insight >= 1.0:
        return Intent(Act.INSIGHT)
    own = _own(now)
    if not own:
        compares = Slot.WEIGHING in appraisal.asks and appraisal.form not in _ASKS_FOR_ANOTHER
        return Intent(Act.UNMOVED if before.told and compares else Act.NOT_KNOWING)
    named = [n for n in own if n in appraisal.summarised]
    fresh = [n for n in now.weighed if n not in before.weighed and n in own]
    return Intent(Act.CONCEDE if loosened(mind, now) else Act.UNMOVED, (named or fresh or own)[-1])


def _risk_intent(
    mind: Mind, before: CognitiveState, now: CognitiveState, appraisal: Appraisal, draw: float
) -> Intent | None:
    risk = mind.case.risk
    goes_on = before.intent.act in (Act.RISK_DISCLOSURE, Act.RISK_ANSWER) and appraisal.risk not in (None, OTHER)
    goes_on = goes_on or (before.intent.act is Act.RISK_HINT and appraisal.follows in (Follows.MEANING, Follows.MORE))
    if Slot.RISK in appraisal.asks or goes_on:
        if risk.level == "none":
            return Intent(Act.RISK_DENIAL)
        if now.risk_disclosed and risk.kind in OF_DEATH and appraisal.risk not in (None, OTHER, *TELLS_AGAIN):
            return Intent(Act.RISK_ANSWER, about=appraisal.risk)
        return Intent(Act.RISK_DISCLOSURE if now.openness >= 0.25 or risk.disclosure == "open" else Act.RISK_DENIAL)
    if risk.level == "none" or now.risk_disclosed:
        return None
    if risk.disclosure == "open" and now.turn == 2:
        return Intent(Act.RISK_DISCLOSURE)
    if risk.hints and risk.disclosure != "only_when_asked" and now.turn >= 2 and draw > 1.0 - _HINT_CHANCE:
        return Intent(Act.RISK_HINT)
    return None


def _veers(before: CognitiveState, appraisal: Appraisal, draw: float) -> bool:
    """A tangent is begun by chance, and goes on until a question that aims at something leads back."""
    if appraisal.reaches or appraisal.follows:
        return False
    aims = bool(appraisal.asks or appraisal.unit)
    if before.astray:
        return not aims and draw < _ASTRAY_CHANCE
    return draw < (_BESIDE_CHANCE if aims else _TANGENT_CHANCE)


def _unprompted(mind: Mind, now: CognitiveState, code: TurnCode | None, appraisal: Appraisal, draw: float) -> Intent:
    """Nothing in particular was asked: warmth draws out feeling and thought in time, an open question gets detail.

    A patient who was misread says so; one whose thought has loosened comes back to the fact that did it.
    """
    if _misread(appraisal) and draw < _CORRECTING_CHANCE:
        return Intent(Act.CORRECT)
    if not appraisal.questions and loosened(mind, now) and now.weighed and draw < _TAKING_UP_CHANCE:
        fresh = [n for n in now.weighed if n in _own(now) and mind.fact(n).bearing == "against"]
        if fresh and now.intent.act is not Act.TAKEN_UP:
            return Intent(Act.TAKEN_UP, fresh[-1])
    if appraisal.fit >= 0.3:
        for act in (Act.FEELING, Act.THOUGHT, Act.BACKGROUND):
            if _DISCLOSES[act] not in now.disclosed and now.openness >= _OPENNESS_NEEDED[act] + 0.12:
                return Intent(act)
        confided = _confided(mind, now)
        if confided is not None and draw < _CONFIDING_CHANCE:
            return Intent(Act.EVIDENCE, confided)
    if appraisal.questions:
        detail = mind.case.memory is None or appraisal.form in _OF_WHAT_HAPPENED
        return Intent(Act.DETAIL if detail and draw < 0.65 else Act.NOT_KNOWING)
    if appraisal.fit >= 0.3 and draw > 1.0 - _CONFIRMING_CHANCE:
        return Intent(Act.CONFIRM)
    if appraisal.fit >= 0.3 or (code is not None and (Move.AFFIRMATION in code or Move.REASSURANCE in code)):
        return Intent(Act.WARMED if draw < 0.7 else Act.DETAIL)
    return Intent(Act.DETAIL if draw < 0.5 else Act.DEFLECT)
