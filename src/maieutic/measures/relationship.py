"""Measures of the relationship and the patient's resistance over the session."""

from __future__ import annotations

from maieutic.domain.episode import Episode
from maieutic.domain.state import Act, CognitiveState
from maieutic.measures.definition import (
    POINTS,
    SCALE,
    Finding,
    episode_measure,
    facts_against,
    missing,
)
from maieutic.measures.exchanges import after_turn, exchanges, largest_moves

RESISTANT = 0.5
MIN_TURNS = 4
COMPLIANT = frozenset({Act.AGREE, Act.WARMED, Act.CONCEDE, Act.INSIGHT})
_NOTHING_HEARD = "the patient's state is recorded for the start only"


@episode_measure(
    SCALE,
    (-1.0, 1.0),
    "higher",
    ("states",),
    "How much the patient's working alliance with the therapist rose over the session.",
)
def alliance_change(episode: Episode) -> Finding:
    """Mean of goal, task and bond, end minus start.

    Evidence: up to three therapist turns after which the alliance moved most, either way.
    Source: Bordin's three parts of the working alliance (1979).
    Departures: the simulator's hidden state, not a questionnaire; no item of any published inventory is used.
    Blind spots: an alliance can rise while nothing is worked on; never read it alone.
    Validity: not validated against humans: no human coding exists here.
    """
    return Finding(episode.states[-1].alliance - episode.states[0].alliance, largest_moves(episode, _alliance))


@episode_measure(
    SCALE, (0.0, 1.0), "higher", ("states",), "The patient's working alliance with the therapist at the end."
)
def alliance_end(episode: Episode) -> Finding:
    """Mean of goal, task and bond at the end.

    Evidence: up to three therapist turns after which the alliance moved most, either way.
    Source: Bordin's three parts of the working alliance (1979).
    Departures: as for alliance_change.
    Blind spots: as for alliance_change; the start differs by seed.
    Validity: not validated against humans: no human coding exists here.
    """
    return Finding(episode.states[-1].alliance, largest_moves(episode, _alliance))


def _alliance(state: CognitiveState) -> float:
    return state.alliance


@episode_measure(
    SCALE,
    (0.0, 1.0),
    "lower",
    ("states",),
    "The strongest resistance to being pushed that the patient reached during the session.",
)
def reactance_peak(episode: Episode) -> Finding:
    """Highest reactance after any therapist turn; the state before the first turn does not count.

    Evidence: the therapist turn after which it was first reached.
    Source: psychological reactance (Brehm 1966); the size of its moves is an assumption of the simulator.
    Departures: none.
    Blind spots: one bad turn early on weighs as much as a whole session of pushing (see reactance_mean).
    Validity: not validated against humans: no human coding exists here.
    """
    after = episode.states[1:]
    if not after:
        return missing(_NOTHING_HEARD)
    peak = max(state.reactance for state in after)
    first = next(number for number, state in enumerate(after) if state.reactance == peak)
    return Finding(peak, tuple(e.index for e in exchanges(episode) if e.number == first))


@episode_measure(
    SCALE, (0.0, 1.0), "lower", ("states",), "The patient's resistance to being pushed, on average over the session."
)
def reactance_mean(episode: Episode) -> Finding:
    """Mean reactance over the states after each therapist turn.

    Evidence: up to three therapist turns after which reactance moved most, either way.
    Source: psychological reactance (Brehm 1966); the size of its moves is an assumption of the simulator.
    Departures: none.
    Blind spots: a patient who leaves early contributes fewer turns.
    Validity: not validated against humans: no human coding exists here.
    """
    after = episode.states[1:]
    if not after:
        return missing(_NOTHING_HEARD)
    mean = min(1.0, sum(state.reactance for state in after) / len(after))
    return Finding(mean, largest_moves(episode, lambda s: s.reactance))


@episode_measure(
    SCALE, (-1.0, 1.0), "higher", ("states",), "How much more open the patient was at the end than at the start."
)
def openness_change(episode: Episode) -> Finding:
    """Openness, end minus start.

    Evidence: up to three therapist turns after which openness moved most, either way.
    Source: openness as the gate of disclosure, as in MindVoyager and Consistent MI (2025).
    Departures: the simulator's hidden state.
    Blind spots: warmth alone raises it; openness is a means here, not the aim.
    Validity: not validated against humans: no human coding exists here.
    """
    change = episode.states[-1].openness - episode.states[0].openness
    return Finding(change, largest_moves(episode, lambda s: s.openness))


@episode_measure(
    POINTS,
    (-100.0, 100.0),
    "higher",
    ("states",),
    "Relief: how many points (of 100) the patient's main feeling eased over the session.",
)
def distress_change(episode: Episode) -> Finding:
    """Intensity of the main feeling, start minus end; positive is relief.

    Evidence: up to three therapist turns after which distress moved most, either way.
    Source: rating of a feeling's intensity (0–100) as in thought records.
    Departures: the simulator's hidden state, not asked of the patient.
    Blind spots: relief comes from warmth too and is no sign that the thought was examined; never read it alone.
    Validity: not validated against humans: no human coding exists here.
    """
    change = episode.states[0].distress - episode.states[-1].distress
    return Finding(change, largest_moves(episode, lambda s: s.distress))


@episode_measure(
    "flips",
    (0.0, None),
    None,
    ("states", "therapist_turns", "against"),
    "How often the patient went from resisting to agreeing within three turns for no reason: a fault of the simulator.",
)
def flips(episode: Episode) -> Finding:
    """Number of changes from resistant to compliant in fewer than four therapist turns without new evidence.

    A state is compliant when the patient means to agree, warm to the therapist, concede or tell an insight, and
    resistant when it is not compliant and the patient means to resist or reactance is at least 0.5. Each compliant
    state is set against the last resistant one before it, each resistant one counts once, and a fact against the
    thought that the patient voiced after the resistant state, the compliant turn included, makes it no flip.

    Evidence: for each flip, where the resistance and where the compliance can be read.
    Source: the flip test against counsellor-following simulated clients, which CARS (2026) describes.
    Departures: the bounds (four turns, 0.5) are our own.
    Blind spots: it tests the simulator and not the therapist; agreement in the words alone is seen only through the
        intent that the words come from.
    Validity: not validated against humans: no human coding exists here.
    """
    against = facts_against(episode.provenance)
    carried = len(episode.states[0].voiced)
    fresh = episode.states[-1].voiced[carried:]
    reasons = {v.turn for v in fresh if v.by == "patient" and v.evidence in against}
    resisted: int | None = None
    count, shown = 0, set[int]()
    for number, state in enumerate(episode.states):
        if state.intent.act in COMPLIANT:
            if resisted is not None and number - resisted < MIN_TURNS and not _between(reasons, resisted, number):
                count += 1
                shown.update(after_turn(episode, resisted), after_turn(episode, number))
            resisted = None
        elif state.intent.act is Act.RESIST or state.reactance >= RESISTANT:
            resisted = number
    return Finding(float(count), tuple(sorted(shown)))


def _between(turns: set[int], after: int, until: int) -> bool:
    return any(after < turn <= until for turn in turns)


@episode_measure(
    "share of sessions",
    (0.0, 1.0),
    "lower",
    ("states", "therapist_turns"),
    "Whether the patient ended the session (1) or not (0).",
)
def left_early(episode: Episode) -> Finding:
    """1 when the patient left, else 0.

    Evidence: the last turn of the session, when the patient left.
    Source: drop-out; the typed ending of the session.
    Departures: none.
    Blind spots: had only for patients with a mind, since no others can leave. Leaving follows the simulator's own rule
        (strong reactance beyond the patient's patience), an assumption.
    Validity: not validated against humans: no human coding exists here.
    """
    left = episode.ending.kind == "patient_left"
    return Finding(float(left), (len(episode.session) - 1,) if left else ())
