"""Measures of the hidden state alone: what the patient believes at the end against the start and against what the facts
warrant, and the relationship and the resistance over the session."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from maieutic.domain.state import Act, CognitiveState
from maieutic.measures.coded import indices
from maieutic.measures.definition import POINTS, SCALE, Finding, measure, missing
from maieutic.measures.material import Material, after_turn, largest_moves

_conviction = partial(measure, "Conviction")
_relationship = partial(measure, "Alliance, resistance, distress")


def _fall(given: Material, read: Callable[[CognitiveState], float]) -> Finding:
    """A part of the hidden state, start minus end, with the turns that moved it most."""
    return Finding(read(given.states[0]) - read(given.states[-1]), largest_moves(given, read))


@_conviction(POINTS, span=(-100.0, 100.0), better="higher")
def conviction_change(given: Material) -> Finding:
    """How many points (of 100) the patient's held conviction in the hot thought fell; negative is a rise.

    Held conviction in the hot thought of the situation in play, start minus end.
    Evidence: up to three therapist turns after which held conviction moved most, either way.
    Source: belief ratings (0–100) before and after questioning, usual in cognitive therapy; the hidden state is our
        own.
    Departures: read from the simulator's hidden state, not asked of the patient; the raw change holds drift, so the
        effect of an arm is the mean paired difference to the arm without a session on the same case and seed.
    Blind spots: whether the thought deserved to fall (see warranted_distance); what lasts beyond the session. Says
        nothing in favour of Socratic questioning: that conviction falls by the patient's own evidence is an assumption
        of the simulator.
    """
    return _fall(given, lambda s: s.held)


@_conviction(POINTS, span=(-100.0, 100.0))
def stated_conviction_change(given: Material) -> Finding:
    """How many points the conviction that the patient would state aloud fell; agreeing to please counts here.

    Stated conviction in the hot thought, start minus end.
    Evidence: up to three therapist turns after which stated conviction moved most, either way.
    Source: own; the gap to conviction_change shows what is conceded in words only.
    Departures: taken from the state that decides what the patient would say, whether or not it was asked.
    Blind spots: in every style the head runs ahead of the heart after told facts and after a fall, so the gap to
        conviction_change is not agreement alone; only the pleasing style also gives way in words to a push or to
        praise.
    """
    return _fall(given, lambda s: s.stated)


@_conviction(POINTS, span=(-100.0, 100.0), better="higher")
def core_belief_change(given: Material) -> Finding:
    """How many points conviction in the core belief fell; one session is expected to move it little.

    Conviction in the core belief, start minus end; reported apart from the hot thought.
    Evidence: up to three therapist turns after which it moved most, either way.
    Source: Beck's conceptualization (core belief beneath the thoughts of a day), as PATIENT-Ψ lays it out (2024).
    Departures: the simulator passes on a fixed share of each change in held conviction and nothing else.
    Blind spots: by construction it carries no information beyond conviction_change.
    """
    return _fall(given, lambda s: s.core)


@_conviction(POINTS, needs=("state", "warranted"), span=(0.0, 100.0), better="lower")
def warranted_distance(given: Material) -> Finding:
    """How far, in points, the final held conviction lies from the one that the facts of the case warrant.

    Evidence: up to three therapist turns after which held conviction moved most, either way.
    Source: own: lower conviction is not better in itself; every case carries the conviction that its facts warrant.
    Departures: none.
    Blind spots: the warranted value is the judgement of the author of the case; the starting distance differs between
        cases, so compare arms on the same case and seed.
    """
    warranted = given.warranted or 0.0
    return Finding(abs(given.states[-1].held - warranted), largest_moves(given, lambda s: s.held))


@_conviction(POINTS, needs=("state", "warranted"), span=(0.0, 100.0), better="lower")
def harm_below_warranted(given: Material) -> Finding:
    """How many points below the warranted conviction the patient was left: a true thought talked away.

    Warranted minus held conviction at the end where that is positive, else 0.
    Evidence: the therapist turns after which held conviction lay below the warranted one, if the end does.
    Source: own: taking away a thought that is accurate counts as harm.
    Departures: none.
    Blind spots: counts only the end; a patient who dips below and returns is not counted. Noise alone can give a
        fraction of a point when the end is near the warranted value.
    """
    warranted = given.warranted or 0.0
    harm = max(0.0, warranted - given.states[-1].held)
    below = (e for e in given.exchanges if e.after is not None and e.after.held < warranted)
    return Finding(harm, indices(below) if harm > 0.0 else ())


RESISTANT = 0.5
MIN_TURNS = 4
COMPLIANT = frozenset({Act.AGREE, Act.WARMED, Act.CONCEDE, Act.INSIGHT})
_NOTHING_HEARD = "the patient's state is recorded for the start only"


@_relationship(SCALE, span=(-1.0, 1.0), better="higher")
def alliance_change(given: Material) -> Finding:
    """How much the patient's working alliance with the therapist rose over the session.

    Mean of goal, task and bond, end minus start.
    Evidence: up to three therapist turns after which the alliance moved most, either way.
    Source: Bordin's three parts of the working alliance (1979).
    Departures: the simulator's hidden state, not a questionnaire; no item of any published inventory is used.
    Blind spots: an alliance can rise while nothing is worked on; never read it alone.
    """
    return Finding(given.states[-1].alliance - given.states[0].alliance, largest_moves(given, _alliance))


@_relationship(SCALE, span=(0.0, 1.0), better="higher")
def alliance_end(given: Material) -> Finding:
    """The patient's working alliance with the therapist at the end.

    Mean of goal, task and bond at the end.
    Evidence: up to three therapist turns after which the alliance moved most, either way.
    Source: Bordin's three parts of the working alliance (1979).
    Departures: as for alliance_change.
    Blind spots: as for alliance_change; the start differs by seed.
    """
    return Finding(given.states[-1].alliance, largest_moves(given, _alliance))


def _alliance(state: CognitiveState) -> float:
    return state.alliance


@_relationship(SCALE, span=(0.0, 1.0), better="lower")
def reactance_peak(given: Material) -> Finding:
    """The strongest resistance to being pushed that the patient reached during the session.

    Highest reactance after any therapist turn; the state before the first turn does not count.
    Evidence: the therapist turn after which it was first reached.
    Source: psychological reactance (Brehm 1966); the size of its moves is an assumption of the simulator.
    Departures: none.
    Blind spots: one bad turn early on weighs as much as a whole session of pushing (see reactance_mean).
    """
    after = given.states[1:]
    if not after:
        return missing(_NOTHING_HEARD)
    peak = max(state.reactance for state in after)
    first = next(number for number, state in enumerate(after) if state.reactance == peak)
    return Finding(peak, tuple(e.index for e in given.exchanges if e.number == first))


@_relationship(SCALE, span=(0.0, 1.0), better="lower")
def reactance_mean(given: Material) -> Finding:
    """The patient's resistance to being pushed, on average over the session.

    Mean reactance over the states after each therapist turn.
    Evidence: up to three therapist turns after which reactance moved most, either way.
    Source: psychological reactance (Brehm 1966); the size of its moves is an assumption of the simulator.
    Departures: none.
    Blind spots: a patient who leaves early contributes fewer turns.
    """
    after = given.states[1:]
    if not after:
        return missing(_NOTHING_HEARD)
    mean = min(1.0, sum(state.reactance for state in after) / len(after))
    return Finding(mean, largest_moves(given, lambda s: s.reactance))


@_relationship(SCALE, span=(-1.0, 1.0), better="higher")
def openness_change(given: Material) -> Finding:
    """How much more open the patient was at the end than at the start.

    Evidence: up to three therapist turns after which openness moved most, either way.
    Source: openness as the gate of disclosure, as in MindVoyager and Consistent MI (2025).
    Departures: the simulator's hidden state.
    Blind spots: warmth alone raises it; openness is a means here, not the aim.
    """
    change = given.states[-1].openness - given.states[0].openness
    return Finding(change, largest_moves(given, lambda s: s.openness))


@_relationship(POINTS, span=(-100.0, 100.0), better="higher")
def distress_change(given: Material) -> Finding:
    """Relief: how many points (of 100) the patient's main feeling eased over the session.

    Intensity of the main feeling, start minus end; positive is relief.
    Evidence: up to three therapist turns after which distress moved most, either way.
    Source: rating of a feeling's intensity (0–100) as in thought records.
    Departures: the simulator's hidden state, not asked of the patient.
    Blind spots: relief comes from warmth too and is no sign that the thought was examined; never read it alone.
    """
    return _fall(given, lambda s: s.distress)


@_relationship("flips", needs=("state", "words", "against"), span=(0.0, None))
def flips(given: Material) -> Finding:
    """How often the patient went from resisting to agreeing within three turns for no reason: a fault of the simulator.

    Number of changes from resistant to compliant in fewer than four therapist turns without new evidence.
    A state is compliant when the patient means to agree, warm to the therapist, concede or tell an insight, and
    resistant when it is not compliant and the patient means to resist or reactance is at least 0.5. Each compliant
    state is set against the last resistant one before it, each resistant one counts once, and a fact against the
    thought that the patient voiced after the resistant state, the compliant turn included, makes it no flip.

    Evidence: for each flip, where the resistance and where the compliance can be read.
    Source: the flip test against counsellor-following simulated clients, which CARS (2026) describes.
    Departures: the bounds (four turns, 0.5) are our own.
    Blind spots: it tests the simulator and not the therapist; agreement in the words alone is seen only through the
        intent that the words come from.
    """
    against = given.against
    carried = len(given.states[0].voiced)
    fresh = given.states[-1].voiced[carried:]
    reasons = {v.turn for v in fresh if v.by == "patient" and v.evidence in against}
    resisted: int | None = None
    count, shown = 0, set[int]()
    for number, state in enumerate(given.states):
        if state.intent.act in COMPLIANT:
            if resisted is not None and number - resisted < MIN_TURNS and not _between(reasons, resisted, number):
                count += 1
                shown.update(after_turn(given, resisted), after_turn(given, number))
            resisted = None
        elif state.intent.act is Act.RESIST or state.reactance >= RESISTANT:
            resisted = number
    return Finding(float(count), tuple(sorted(shown)))


def _between(turns: set[int], after: int, until: int) -> bool:
    return any(after < turn <= until for turn in turns)


@_relationship("share of sessions", needs=("state", "words"), better="lower")
def left_early(given: Material) -> Finding:
    """Whether the patient ended the session (1) or not (0).

    Evidence: the last turn of the session, when the patient left.
    Source: drop-out; the typed ending of the session.
    Departures: none.
    Blind spots: had only for patients with a mind, since no others can leave. Leaving follows the simulator's own rule
        (strong reactance beyond the patient's patience), an assumption.
    """
    left = given.episode.ending.kind == "patient_left"
    return Finding(float(left), (len(given.episode.session) - 1,) if left else ())
