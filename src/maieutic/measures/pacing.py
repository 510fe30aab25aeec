"""Measures of timing: what came before the patient had told enough, and what the patient had told by the end."""

from __future__ import annotations

from maieutic.domain.codes import Move
from maieutic.domain.episode import Episode
from maieutic.domain.state import CognitiveState
from maieutic.measures.definition import SHARE, Finding, episode_measure, facts_against, missing
from maieutic.measures.exchanges import ADVISING, Exchange, coded, exchanges, positions, share

OPEN_ENOUGH = 0.5
SLOTS = ("thought", "feeling", "background")


def explored(state: CognitiveState) -> bool:
    """Thought and feeling have been told."""
    return "thought" in state.disclosed and "feeling" in state.disclosed


@episode_measure(
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


@episode_measure(
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


@episode_measure(
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
