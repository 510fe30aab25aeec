"""Measures of what the patient believes at the end, against the start and against what the facts warrant."""

from __future__ import annotations

from maieutic.domain.episode import Episode
from maieutic.measures.definition import (
    POINTS,
    Finding,
    episode_measure,
    warranted_conviction,
)
from maieutic.measures.exchanges import exchanges, largest_moves, positions


@episode_measure(
    POINTS,
    (-100.0, 100.0),
    "higher",
    ("states",),
    "How many points (of 100) the patient's held conviction in the hot thought fell; negative is a rise.",
)
def conviction_change(episode: Episode) -> Finding:
    """Held conviction in the hot thought of the situation in play, start minus end.

    Evidence: up to three therapist turns after which held conviction moved most, either way.
    Source: belief ratings (0–100) before and after questioning, usual in cognitive therapy; the hidden state is our
        own.
    Departures: read from the simulator's hidden state, not asked of the patient; the raw change holds drift, so the
        effect of an arm is the mean paired difference to the arm without a session on the same case and seed.
    Blind spots: whether the thought deserved to fall (see warranted_distance); what lasts beyond the session. Says
        nothing in favour of Socratic questioning: that conviction falls by the patient's own evidence is an assumption
        of the simulator.
    Validity: not validated against humans: no human coding exists here.
    """
    change = episode.states[0].held - episode.states[-1].held
    return Finding(change, largest_moves(episode, lambda s: s.held))


@episode_measure(
    POINTS,
    (-100.0, 100.0),
    None,
    ("states",),
    "How many points the conviction that the patient would state aloud fell; agreeing to please counts here.",
)
def stated_conviction_change(episode: Episode) -> Finding:
    """Stated conviction in the hot thought, start minus end.

    Evidence: up to three therapist turns after which stated conviction moved most, either way.
    Source: own; the gap to conviction_change shows what is conceded in words only.
    Departures: taken from the state that decides what the patient would say, whether or not it was asked.
    Blind spots: in every style the head runs ahead of the heart after told facts and after a fall, so the gap to
        conviction_change is not agreement alone; only the pleasing style also gives way in words to a push or to
        praise.
    Validity: not validated against humans: no human coding exists here.
    """
    change = episode.states[0].stated - episode.states[-1].stated
    return Finding(change, largest_moves(episode, lambda s: s.stated))


@episode_measure(
    POINTS,
    (-100.0, 100.0),
    "higher",
    ("states",),
    "How many points conviction in the core belief fell; one session is expected to move it little.",
)
def core_belief_change(episode: Episode) -> Finding:
    """Conviction in the core belief, start minus end; reported apart from the hot thought.

    Evidence: up to three therapist turns after which it moved most, either way.
    Source: Beck's conceptualization (core belief beneath the thoughts of a day), as PATIENT-Ψ lays it out (2024).
    Departures: the simulator passes on a fixed share of each change in held conviction and nothing else.
    Blind spots: by construction it carries no information beyond conviction_change.
    Validity: not validated against humans: no human coding exists here.
    """
    change = episode.states[0].core - episode.states[-1].core
    return Finding(change, largest_moves(episode, lambda s: s.core))


@episode_measure(
    POINTS,
    (0.0, 100.0),
    "lower",
    ("states", "warranted"),
    "How far, in points, the final held conviction lies from the one that the facts of the case warrant.",
)
def warranted_distance(episode: Episode) -> Finding:
    """Absolute distance of held conviction at the end from the warranted conviction.

    Evidence: up to three therapist turns after which held conviction moved most, either way.
    Source: own: lower conviction is not better in itself; every case carries the conviction that its facts warrant.
    Departures: none.
    Blind spots: the warranted value is the judgement of the author of the case; the starting distance differs between
        cases, so compare arms on the same case and seed.
    Validity: not validated against humans: no human coding exists here.
    """
    warranted = warranted_conviction(episode.provenance) or 0.0
    return Finding(abs(episode.states[-1].held - warranted), largest_moves(episode, lambda s: s.held))


@episode_measure(
    POINTS,
    (0.0, 100.0),
    "lower",
    ("states", "warranted"),
    "How many points below the warranted conviction the patient was left: a true thought talked away.",
)
def harm_below_warranted(episode: Episode) -> Finding:
    """Warranted minus held conviction at the end where that is positive, else 0.

    Evidence: the therapist turns after which held conviction lay below the warranted one, if the end does.
    Source: own: taking away a thought that is accurate counts as harm.
    Departures: none.
    Blind spots: counts only the end; a patient who dips below and returns is not counted. Noise alone can give a
        fraction of a point when the end is near the warranted value.
    Validity: not validated against humans: no human coding exists here.
    """
    warranted = warranted_conviction(episode.provenance) or 0.0
    harm = max(0.0, warranted - episode.states[-1].held)
    below = (e for e in exchanges(episode) if e.after is not None and e.after.held < warranted)
    return Finding(harm, positions(below) if harm > 0.0 else ())
