"""Made-up minds, states, codes and appraisals for tests of the dynamics."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

from hypothesis import strategies as st

from maieutic.domain.appraisal import Appraisal, FeelingClaim, Reach, Slot
from maieutic.domain.case import EMOTION_GROUPS
from maieutic.domain.codes import Move, TurnCode
from maieutic.domain.state import Act, CognitiveState, Intent, Traits, Voiced
from maieutic.library import get_case
from maieutic.patients.dynamics import Mind, transition
from maieutic.patients.intent import with_intent
from maieutic.patients.kernel import first_state

CASE = get_case("gethin")
MIND = Mind(CASE, CASE.situations[0])
FACTS = {e.id: e for e in MIND.situation.evidence}
AGAINST = [e for e in MIND.situation.evidence if e.bearing == "against"]
FOR = [e for e in MIND.situation.evidence if e.bearing == "for"]
ASK = TurnCode({Move.OPEN_QUESTION: 0.95}, 8)

shares = st.floats(0.0, 1.0)
percents = st.floats(0.0, 100.0)
traits = st.builds(
    Traits,
    plasticity=shares,
    guardedness=st.floats(-0.15, 0.15),
    reactivity=shares,
    warmth=shares,
    patience=shares,
    variability=st.floats(0.0, 2.0),
)
voiced_facts = st.lists(
    st.builds(
        Voiced, st.sampled_from(sorted(FACTS)), st.sampled_from(["patient", "therapist"]), st.integers(1, 5), shares
    ),
    max_size=4,
    unique_by=lambda v: v.evidence,
).map(tuple)
states = st.builds(
    CognitiveState,
    situation=st.just(MIND.situation.id),
    turn=st.integers(0, 30),
    held=percents,
    stated=percents,
    core=percents,
    distress=percents,
    goal=shares,
    task=shares,
    bond=shares,
    openness=st.floats(0.03, 0.97),
    reactance=shares,
    disclosed=st.sampled_from([("situation",), ("situation", "thought", "feeling")]),
    voiced=voiced_facts,
    weighed=st.just(()),
    insight=shares,
    felt_heard=st.integers(0, 20),
    risk_disclosed=st.booleans(),
    left=st.just(False),
    intent=st.just(Intent(Act.OPEN)),
    traits=traits,
)
codes = st.one_of(
    st.none(),
    st.builds(TurnCode, st.dictionaries(st.sampled_from(list(Move)), shares, max_size=6), st.integers(0, 400)),
)
claims = st.lists(
    st.builds(FeelingClaim, st.sampled_from(EMOTION_GROUPS), st.booleans(), st.booleans(), st.booleans()), max_size=4
).map(tuple)
appraisals = st.builds(
    Appraisal,
    understood=st.booleans(),
    questions=st.integers(0, 6),
    open=st.booleans(),
    wide=st.booleans(),
    leading=st.booleans(),
    asks=st.lists(st.sampled_from(list(Slot)), max_size=4, unique=True).map(tuple),
    reaches=st.lists(
        st.builds(Reach, st.sampled_from(sorted(FACTS)), st.floats(0.01, 1.0)),
        max_size=2,
        unique_by=lambda r: r.evidence,
    ).map(tuple),
    told=st.lists(st.sampled_from(sorted(FACTS)), max_size=3, unique=True).map(tuple),
    summarised=st.lists(st.sampled_from(sorted(FACTS)), max_size=3, unique=True).map(tuple),
    claims=claims,
    fit=shares,
    permission=st.booleans(),
)
seeds = st.integers(0, 2**32)


def start(seed: int = 1, **changes: Any) -> CognitiveState:
    """A first state without noise, in a mind of middling plasticity."""
    quiet = Traits(plasticity=0.3, guardedness=0.0, reactivity=0.8, warmth=1.0, patience=2.0, variability=0.0)
    return replace(
        first_state(CASE, MIND.situation, Random(seed)), **{"traits": quiet, "held": 80.0, "stated": 80.0, **changes}
    )


def step(
    state: CognitiveState, code: TurnCode | None, appraisal: Appraisal, seed: int = 3, mind: Mind = MIND
) -> CognitiveState:
    rng = Random(seed)
    return with_intent(mind, state, transition(mind, state, code, appraisal, rng), code, appraisal, rng)


def ask(*names: str, **more: Any) -> Appraisal:
    """One clear open question that reaches the named facts."""
    return Appraisal(**{"questions": 1, "open": True, "reaches": tuple(Reach(n, 1.0) for n in names), **more})
