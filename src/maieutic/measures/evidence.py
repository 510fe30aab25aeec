"""Measures of what came up and when: facts against the thought, who brought them and whether they were weighed; what
came before the patient had told enough, and what was told by the end."""

from __future__ import annotations

from functools import partial

from maieutic.domain.codes import Move
from maieutic.domain.state import CognitiveState, Voiced
from maieutic.measures.coded import indices
from maieutic.measures.definition import SHARE, TURNS, Finding, measure, missing, share_of
from maieutic.measures.material import ADVISING, Exchange, Material, after_turn, with_moves

_light = partial(measure, "What came to light")
_pace = partial(measure, "Pace")


def came_up(given: Material) -> tuple[Voiced, ...]:
    """The facts against the thought that came up in this session, in order; a fact that came up twice is there
    twice."""
    against = given.against
    carried = len(given.states[0].voiced)
    return tuple(v for v in given.states[-1].voiced[carried:] if v.evidence in against)


def voiced_by_patient(given: Material) -> tuple[Voiced, ...]:
    """The facts against the thought that the patient voiced in this session, each once, in order."""
    first = {v.evidence: v for v in reversed(came_up(given)) if v.by == "patient"}
    return tuple(sorted(first.values(), key=lambda v: (v.turn, v.evidence)))


def _shown(given: Material, facts: tuple[Voiced, ...]) -> tuple[int, ...]:
    return tuple(sorted({index for v in facts for index in after_turn(given, v.turn)}))


@_light(SHARE, better="higher")
def evidence_by_patient(given: Material) -> Finding:
    """Of the facts against the thought that came up, the share that the patient produced and was not told.

    Share of the disconfirming facts that came up which the patient brought up before the therapist told them.
    Evidence: the patient's answers in which these facts were voiced.
    Source: guided discovery (Padesky 1993; Kazantzis et al. 2014: agreement on the client's own discovery).
    Departures: counted per fact of the case from the simulator's record; the first mention decides, so a fact that was
        told and later repeated by the patient counts as told.
    Blind spots: how important a fact is; with one fact the share is 0 or 1. Missing when no fact against came up: read
        it with evidence_reached.
    """
    first: dict[str, Voiced] = {}
    for item in came_up(given):
        first.setdefault(item.evidence, item)
    if not first:
        return missing("no fact against the thought came up")
    own = tuple(v for v in first.values() if v.by == "patient")
    return Finding(len(own) / len(first), _shown(given, own))


@_light(SHARE, better="higher")
def evidence_reached(given: Material) -> Finding:
    """Of all facts of the case that speak against the thought, the share that the patient came to voice.

    Disconfirming facts that the patient voiced in this session, over all disconfirming facts of the situation.
    Evidence: the patient's answers in which these facts were voiced.
    Source: own, after coverage of hidden content in MindVoyager (2025).
    Departures: a fact counts also when the therapist had told it before; facts voiced in an earlier session do not.
    Blind spots: the list of facts is the author's; a patient's fact outside the list is not seen. Conducting well does
        not need every fact.
    """
    own = voiced_by_patient(given)
    return Finding(len(own) / len(given.against), _shown(given, own))


@_light(SHARE, better="higher")
def evidence_weighed(given: Material) -> Finding:
    """Of all facts against the thought, the share that the patient set against the thought when asked to weigh.

    Disconfirming facts that the patient weighed in this session, over all disconfirming facts of the situation.
    Evidence: the therapist turns that brought the weighing.
    Source: Padesky's synthesising question (1993), the last of four stages.
    Departures: taken from the simulator's record of what was weighed.
    Blind spots: how well the weighing was done; facts weighed in an earlier session do not count.
    """
    against = given.against
    weighed = (set(given.states[-1].weighed) - set(given.states[0].weighed)) & against
    turns = (
        e
        for e in given.exchanges
        if e.before is not None and e.after is not None and (set(e.after.weighed) - set(e.before.weighed)) & weighed
    )
    return Finding(len(weighed) / len(against), indices(turns))


@_light(TURNS, span=(1.0, None), better="lower")
def turns_to_first_evidence(given: Material) -> Finding:
    """After how many therapist turns the patient first voiced a fact against the thought.

    Evidence: the patient's answer in which it was voiced.
    Source: own.
    Departures: none.
    Blind spots: missing when none was voiced, so its mean covers only sessions that got there and flatters a therapist
        who seldom does: read it with evidence_reached. Very early is not better where the thought was not yet told.
    """
    own = voiced_by_patient(given)
    if not own:
        return missing(f"the patient voiced no fact against the thought in {len(given.exchanges)} therapist turns")
    return Finding(float(own[0].turn), after_turn(given, own[0].turn))


OPEN_ENOUGH = 0.5
SLOTS = ("thought", "feeling", "background")


def explored(state: CognitiveState) -> bool:
    """Thought and feeling have been told."""
    return "thought" in state.disclosed and "feeling" in state.disclosed


@_pace(SHARE, better="lower")
def advice_before_exploration(given: Material) -> Finding:
    """Of the therapist's turns before both thought and feeling were told, the share that advised or lectured.

    Share of turns with advice or a lecture among those spoken while thought or feeling was still untold.
    Evidence: the turns that advised or lectured in that time.
    Source: premature attempts in multi-turn talk (Laban et al. 2025) and advice in place of inquiry (BOLT, 2024).
    Departures: told means disclosed in the simulator's record; the turn that brings the disclosure belongs to the time
        before. Where thought or feeling is never told, all turns count.
    Blind spots: advice that the patient asked for; how long the exploration took. Uncoded turns are left out.
    Validity: not validated against humans as a whole: no human coding of the timing exists here; for the code of
        advice see advice_rate.
    """
    early = [e for e in with_moves(given) if e.before is not None and not explored(e.before)]
    absent = "thought and feeling were told before the therapist's first coded turn"
    return share_of([e for e in early if e.does(ADVISING)], early, absent, fewest=1)


@_pace(SHARE, needs=("state", "words", "moves", "against"), better="lower")
def premature_challenge(given: Material) -> Finding:
    """Of the therapist's challenges, the share made before the thought was told or while the patient was closed.

    Share of challenges that came while the thought was untold or openness was below 0.5.
    A challenge is (a) a turn coded as challenge, or (b) a turn spoken while the thought is untold whose question, as
    the patient took it, invites disconfirming experience in general or aims first at a fact against the thought. A
    challenge of kind (a) is premature when, before the turn, the thought is untold or openness is below 0.5; one of
    kind (b) always is. Questions for evidence after the thought was told are no challenges here.

    Evidence: the premature challenges.
    Source: pacing rules for Socratic questioning (synthesis after Padesky 1993 and Overholser 1993–2010).
    Departures: the bound of 0.5 on openness is the one at which the simulator's patients resent a challenge less.
    Blind spots: missing when there was no challenge; with one challenge it is 0 or 1. It counts no well-timed questions
        for evidence, so it is a share of challenges and not of questions.
    """
    against = given.against
    challenges = [e for e in given.exchanges if e.before is not None and _challenges(e, against)]
    early = [e for e in challenges if _too_early(e)]
    return share_of(early, challenges, "the therapist made no challenge", fewest=1)


def challenges_early(exchange: Exchange, against: frozenset[str]) -> bool:
    """The turn is a challenge, in the sense of `premature_challenge`, and comes before the patient is ready for one."""
    return exchange.before is not None and _challenges(exchange, against) and _too_early(exchange)


def _too_early(exchange: Exchange) -> bool:
    return _untold(exchange) or (exchange.before is not None and exchange.before.openness < OPEN_ENOUGH)


def _untold(exchange: Exchange) -> bool:
    return exchange.before is not None and "thought" not in exchange.before.disclosed


def _challenges(exchange: Exchange, against: frozenset[str]) -> bool:
    if exchange.code is not None and Move.CHALLENGE in exchange.code:
        return True
    appraisal = exchange.appraisal
    if appraisal is None or not _untold(exchange):
        return False
    return appraisal.wide or (bool(appraisal.reaches) and appraisal.reaches[0].evidence in against)


@_pace(SHARE, needs=("state", "words"), better="higher")
def disclosure(given: Material) -> Finding:
    """How much of thought, feeling and background (thirds) the patient had told by the end.

    Share of the three slots thought, feeling and background that are told at the end.
    Evidence: the patient's answers in which one of them was told for the first time.
    Source: own, after the masked parts of the diagram in MindVoyager (2025).
    Departures: none.
    Blind spots: depth; what was told in an earlier session counts as told, without evidence here.
    """
    told = [slot for slot in SLOTS if slot in given.states[-1].disclosed]
    shown = (
        e.shown_at
        for e in given.exchanges
        if e.before is not None
        and e.after is not None
        and any(slot in e.after.disclosed and slot not in e.before.disclosed for slot in SLOTS)
    )
    return Finding(len(told) / len(SLOTS), tuple(shown))
