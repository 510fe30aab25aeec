"""Measures of the facts against the thought: who brought them up, how many, when, and whether they were weighed."""

from __future__ import annotations

from maieutic.domain.episode import Episode
from maieutic.domain.state import Voiced
from maieutic.measures.definition import SHARE, TURNS, Finding, episode_measure, facts_against, missing
from maieutic.measures.exchanges import after_turn, exchanges, positions


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


@episode_measure(
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


@episode_measure(
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


@episode_measure(
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


@episode_measure(
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
