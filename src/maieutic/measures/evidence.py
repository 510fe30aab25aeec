"""Measures of what came up and when: facts against the thought, who brought them and whether they were weighed; what
came before the patient had told enough, and what was told by the end."""

from __future__ import annotations

from functools import partial

from maieutic.domain.codes import Move
from maieutic.domain.episode import Episode
from maieutic.domain.state import CognitiveState, Voiced
from maieutic.measures.definition import (
    ADVISING,
    SHARE,
    TURNS,
    Exchange,
    Finding,
    after_turn,
    coded,
    episode_measure,
    exchanges,
    facts_against,
    missing,
    positions,
    share,
)

_light = partial(episode_measure, family="What came to light")
_pace = partial(episode_measure, family="Pace")


def came_up(episode: Episode) -> tuple[Voiced, ...]:
    """The facts against the thought that came up in this session, in order; a fact that came up twice is there
    twice."""
    against = facts_against(episode.provenance)
    carried = len(episode.states[0].voiced)
    return tuple(v for v in episode.states[-1].voiced[carried:] if v.evidence in against)


def voiced_by_patient(episode: Episode) -> tuple[Voiced, ...]:
    """The facts against the thought that the patient voiced in this session, each once, in order."""
    first = {v.evidence: v for v in reversed(came_up(episode)) if v.by == "patient"}
    return tuple(sorted(first.values(), key=lambda v: (v.turn, v.evidence)))


def _shown(episode: Episode, facts: tuple[Voiced, ...]) -> tuple[int, ...]:
    return tuple(sorted({index for v in facts for index in after_turn(episode, v.turn)}))


@_light(
    SHARE,
    (0.0, 1.0),
    "higher",
    ("states", "therapist_turns", "against"),
    "Of the facts against the thought that came up, the share that the patient produced and was not told.",
)
def evidence_by_patient(episode: Episode) -> Finding:
    """Share of the disconfirming facts that came up which the patient brought up before the therapist told them.

    Evidence: the patient's answers in which these facts were voiced.
    Source: guided discovery (Padesky 1993; Kazantzis et al. 2014: agreement on the client's own discovery).
    Departures: counted per fact of the case from the simulator's record; the first mention decides, so a fact that was
        told and later repeated by the patient counts as told.
    Blind spots: how important a fact is; with one fact the share is 0 or 1. Missing when no fact against came up: read
        it with evidence_reached.
    Validity: not validated against humans: no human coding exists here.
    """
    first: dict[str, Voiced] = {}
    for item in came_up(episode):
        first.setdefault(item.evidence, item)
    if not first:
        return missing("no fact against the thought came up")
    own = tuple(v for v in first.values() if v.by == "patient")
    return Finding(len(own) / len(first), _shown(episode, own))


@_light(
    SHARE,
    (0.0, 1.0),
    "higher",
    ("states", "therapist_turns", "against"),
    "Of all facts of the case that speak against the thought, the share that the patient came to voice.",
)
def evidence_reached(episode: Episode) -> Finding:
    """Disconfirming facts that the patient voiced in this session, over all disconfirming facts of the situation.

    Evidence: the patient's answers in which these facts were voiced.
    Source: own, after coverage of hidden content in MindVoyager (2025).
    Departures: a fact counts also when the therapist had told it before; facts voiced in an earlier session do not.
    Blind spots: the list of facts is the author's; a patient's fact outside the list is not seen. Conducting well does
        not need every fact.
    Validity: not validated against humans: no human coding exists here.
    """
    own = voiced_by_patient(episode)
    return Finding(len(own) / len(facts_against(episode.provenance)), _shown(episode, own))


@_light(
    SHARE,
    (0.0, 1.0),
    "higher",
    ("states", "therapist_turns", "against"),
    "Of all facts against the thought, the share that the patient set against the thought when asked to weigh.",
)
def evidence_weighed(episode: Episode) -> Finding:
    """Disconfirming facts that the patient weighed in this session, over all disconfirming facts of the situation.

    Evidence: the therapist turns that brought the weighing.
    Source: Padesky's synthesising question (1993), the last of four stages.
    Departures: taken from the simulator's record of what was weighed.
    Blind spots: how well the weighing was done; facts weighed in an earlier session do not count.
    Validity: not validated against humans: no human coding exists here.
    """
    against = facts_against(episode.provenance)
    weighed = (set(episode.states[-1].weighed) - set(episode.states[0].weighed)) & against
    turns = (
        e
        for e in exchanges(episode)
        if e.before is not None and e.after is not None and (set(e.after.weighed) - set(e.before.weighed)) & weighed
    )
    return Finding(len(weighed) / len(against), positions(turns))


@_light(
    TURNS,
    (1.0, None),
    "lower",
    ("states", "therapist_turns", "against"),
    "After how many therapist turns the patient first voiced a fact against the thought.",
)
def turns_to_first_evidence(episode: Episode) -> Finding:
    """Number of the therapist turn (from 1) that first brought the patient to voice a disconfirming fact.

    Evidence: the patient's answer in which it was voiced.
    Source: own.
    Departures: none.
    Blind spots: missing when none was voiced, so its mean covers only sessions that got there and flatters a therapist
        who seldom does: read it with evidence_reached. Very early is not better where the thought was not yet told.
    Validity: not validated against humans: no human coding exists here.
    """
    own = voiced_by_patient(episode)
    if not own:
        return missing(
            f"the patient voiced no fact against the thought in {len(episode.therapist_turns)} therapist turns"
        )
    return Finding(float(own[0].turn), after_turn(episode, own[0].turn))


OPEN_ENOUGH = 0.5
SLOTS = ("thought", "feeling", "background")


def explored(state: CognitiveState) -> bool:
    """Thought and feeling have been told."""
    return "thought" in state.disclosed and "feeling" in state.disclosed


@_pace(
    SHARE,
    (0.0, 1.0),
    "lower",
    ("states", "therapist_turns", "codes"),
    "Of the therapist's turns before both thought and feeling were told, the share that advised or lectured.",
)
def advice_before_exploration(episode: Episode) -> Finding:
    """Share of turns with advice or a lecture among those spoken while thought or feeling was still untold.

    Evidence: the turns that advised or lectured in that time.
    Source: premature attempts in multi-turn talk (Laban et al. 2025) and advice in place of inquiry (BOLT, 2024).
    Departures: told means disclosed in the simulator's record; the turn that brings the disclosure belongs to the time
        before. Where thought or feeling is never told, all turns count.
    Blind spots: advice that the patient asked for; how long the exploration took. Uncoded turns are left out.
    Validity: not validated against humans as a whole: no human coding of the timing exists here; for the code of
        advice see advice_rate.
    """
    early = [e for e in coded(episode) if e.before is not None and not explored(e.before)]
    if not early:
        return missing("thought and feeling were told before the therapist's first coded turn")
    advised = [e for e in early if e.does(ADVISING)]
    return Finding(share(advised, early), positions(advised))


@_pace(
    SHARE,
    (0.0, 1.0),
    "lower",
    ("states", "therapist_turns", "codes", "against"),
    "Of the therapist's challenges, the share made before the thought was told or while the patient was closed.",
)
def premature_challenge(episode: Episode) -> Finding:
    """Share of challenges that came while the thought was untold or openness was below 0.5.

    A challenge is (a) a turn coded as challenge, or (b) a turn spoken while the thought is untold whose question, as
    the patient took it, invites disconfirming experience in general or aims first at a fact against the thought. A
    challenge of kind (a) is premature when, before the turn, the thought is untold or openness is below 0.5; one of
    kind (b) always is. Questions for evidence after the thought was told are no challenges here.

    Evidence: the premature challenges.
    Source: pacing rules for Socratic questioning (synthesis after Padesky 1993 and Overholser 1993–2010).
    Departures: the bound of 0.5 on openness is the one at which the simulator's patients resent a challenge less.
    Blind spots: missing when there was no challenge; with one challenge it is 0 or 1. It counts no well-timed questions
        for evidence, so it is a share of challenges and not of questions.
    Validity: not validated against humans: no human coding exists here.
    """
    against = facts_against(episode.provenance)
    challenges = [e for e in exchanges(episode) if e.before is not None and _challenges(e, against)]
    if not challenges:
        return missing("the therapist made no challenge")
    early = [e for e in challenges if _too_early(e)]
    return Finding(share(early, challenges), positions(early))


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


@_pace(
    SHARE,
    (0.0, 1.0),
    "higher",
    ("states", "therapist_turns"),
    "How much of thought, feeling and background (thirds) the patient had told by the end.",
)
def disclosure(episode: Episode) -> Finding:
    """Share of the three slots thought, feeling and background that are told at the end.

    Evidence: the patient's answers in which one of them was told for the first time.
    Source: own, after the masked parts of the diagram in MindVoyager (2025).
    Departures: none.
    Blind spots: depth; what was told in an earlier session counts as told, without evidence here.
    Validity: not validated against humans: no human coding exists here.
    """
    told = [slot for slot in SLOTS if slot in episode.states[-1].disclosed]
    shown = (
        e.shown_at
        for e in exchanges(episode)
        if e.before is not None
        and e.after is not None
        and any(slot in e.after.disclosed and slot not in e.before.disclosed for slot in SLOTS)
    )
    return Finding(len(told) / len(SLOTS), tuple(shown))
