"""The ceiling: a particle filter that moves minds by the simulator's own equations, and hears by the tracker's ear.

It knows the case, how the patient took every turn and how minds move, but not this patient's parameters, luck or state.
What it forecasts better than the tracker is what better transitions could still bring; the rest is in the words.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np

from maieutic.domain.episode import Episode
from maieutic.domain.randomness import derive
from maieutic.domain.state import Act, CognitiveState
from maieutic.library import get_case
from maieutic.patients.dynamics import Mind, transition
from maieutic.patients.intent import with_intent
from maieutic.patients.kernel import first_state
from maieutic.tracking.space import BINS, REPLIES, Floats, Reply, bin_of
from maieutic.tracking.tracker import MindTracker

PARTICLES = 150
FLOOR = 0.02
"""Weight that every hypothesis keeps: as many particles cannot tell rare ones from impossible ones."""

SCALES: dict[str, Callable[[CognitiveState], float]] = {
    "conviction": lambda state: state.held / 100.0,
    "openness": lambda state: state.openness,
    "reactance": lambda state: state.reactance,
    "alliance": lambda state: state.alliance,
    "distress": lambda state: state.distress / 100.0,
}
"""What is forecast, each 0–1."""
_KINDS = {
    Act.OPEN: Reply.TELLS,
    Act.DETAIL: Reply.TELLS,
    Act.TANGENT: Reply.TELLS,
    Act.BACKGROUND: Reply.BACKGROUND,
    Act.THOUGHT: Reply.THOUGHT,
    Act.FEELING: Reply.FEELING,
    Act.CONVICTION: Reply.RATING,
    Act.CONCEDE: Reply.GIVES_WAY,
    Act.INSIGHT: Reply.INSIGHT,
    Act.UNMOVED: Reply.UNMOVED,
    Act.DEFLECT: Reply.HOLDS_BACK,
    Act.NOT_KNOWING: Reply.HOLDS_BACK,
    Act.NOT_UNDERSTOOD: Reply.HOLDS_BACK,
    Act.RESIST: Reply.RESISTS,
    Act.WARMED: Reply.FEELS_HEARD,
    Act.AGREE: Reply.AGREES,
    Act.RISK_HINT: Reply.RISK,
    Act.RISK_DISCLOSURE: Reply.RISK,
    Act.RISK_ANSWER: Reply.RISK,
    Act.RISK_DENIAL: Reply.TELLS,
    Act.PLAN: Reply.PLANS,
    Act.GOAL: Reply.HOPES,
    Act.GAP: Reply.HOLDS_BACK,
    Act.INFORMED: Reply.GIVES_WAY,
    Act.LEAVE: Reply.LEAVES,
    Act.REASSURANCE_BID: Reply.TELLS,
    Act.RESULT: Reply.AGAINST,
    Act.ANSWER: Reply.TELLS,
    Act.AGAIN: Reply.TELLS,
    Act.MEANT: Reply.TELLS,
    Act.BESIDE: Reply.HOLDS_BACK,
    Act.TAKE_AWAY: Reply.TELLS,
    Act.ASK_BACK: Reply.HOLDS_BACK,
    Act.CONFIRM: Reply.FEELS_HEARD,
    Act.CORRECT: Reply.RESISTS,
    Act.NO_MORE: Reply.HOLDS_BACK,
}


_OF_A_FACT = frozenset({Act.EVIDENCE, Act.ANSWER, Act.AGAIN, Act.TAKEN_UP})
"""Acts that tell a fact, alone or with an answer."""


def kind_of(mind: Mind, state: CognitiveState) -> Reply:
    """What the patient turn does, from the hidden intent."""
    intent = state.intent
    if intent.evidence is None or intent.act not in _OF_A_FACT:
        return _KINDS[intent.act]
    return Reply.AGAINST if mind.fact(str(intent.evidence)).bearing == "against" else Reply.SUPPORTS


def particle_forecasts(episode: Episode, tracker: MindTracker) -> dict[str, list[Floats]]:
    """By factor the forecast after every patient turn of a session, (10,) each."""
    case = get_case(episode.key.case)
    mind = Mind(case, case.situation(episode.states[0].situation))
    rng = derive(1, "particles", *map(str, episode.key))
    states = [first_state(case, mind.situation, Random(rng.random())) for _ in range(PARTICLES)]
    found: dict[str, list[Floats]] = {}
    turns = episode.session.turns
    places = [at for at, turn in enumerate(turns) if turn.speaker == "patient"]
    for number, at in enumerate(places):
        if number:
            code, appraisal = episode.codes[number - 1], episode.appraisals[number - 1]
            if appraisal is None:
                break
            moved = []
            for state in states:
                luck = Random(rng.random())
                then = transition(mind, state, code, appraisal, luck)
                moved.append(with_intent(mind, state, then, code, appraisal, luck))
            heard = tracker.heard(type(episode.session)(turns[: at + 1], episode.session.seed))
            weight = np.array([heard.replies[REPLIES.index(kind_of(mind, s))] for s in moved]) + 1e-3
            if heard.rating is not None:
                off = (np.array([s.stated for s in moved]) - heard.rating) / 4.0
                weight *= np.exp(-0.5 * off**2) + 1e-3
            picked = rng.choices(range(PARTICLES), weights=weight.tolist(), k=PARTICLES)
            states = [moved[p] for p in picked]
        for factor, of in SCALES.items():
            counts = np.full(BINS, FLOOR * PARTICLES / BINS)
            np.add.at(counts, [bin_of(of(state)) for state in states], 1.0)
            found.setdefault(factor, []).append(counts / counts.sum())
    return found
