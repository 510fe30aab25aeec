"""What holds for every measure: ranges, reasons, evidence that exists, purity."""

from __future__ import annotations

import copy
import string
from collections.abc import Iterable
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from episodes import AGAINST, code, make_episode, make_state, without_session
from maieutic import protocols
from maieutic.domain.appraisal import Appraisal, FeelingClaim, Reach
from maieutic.domain.codes import Move
from maieutic.domain.episode import EndingKind, Episode
from maieutic.domain.state import Act, CognitiveState, Voiced
from maieutic.errors import MaieuticError
from maieutic.measures.catalogue import MEASURES, OF_TRANSCRIPTS
from maieutic.measures.definition import Finding, Measure
from maieutic.measures.definition import measure as declared
from maieutic.measures.material import Material
from maieutic.measures.validity import NOT_VALIDATED

OF_SESSIONS = sorted({*MEASURES} - {*OF_TRANSCRIPTS}, key=lambda one: one.id)
IDS = """advice_after_feeling advice_before_exploration advice_rate alliance_change alliance_end
answers_that_reflect_a_feeling conviction_change core_belief_change disclosure distress_change evidence_by_patient
evidence_reached evidence_weighed flips harm_below_warranted left_early open_among_asking_turns openness_change
premature_challenge question_burden reactance_mean reactance_peak stacked_or_leading stated_conviction_change
turns_that_ask turns_that_reflect turns_to_first_evidence unsupported_feeling warranted_distance
words_per_turn""".split()
FACTS = (*AGAINST, "speaks-for-it")
unit = st.floats(0.0, 1.0)
percent = st.floats(0.0, 100.0)
acts = st.sampled_from(Act)


@st.composite
def mind(draw: st.DrawFn, turn: int, heard: tuple[Voiced, ...]) -> CognitiveState:
    """Any state; what came up grows from state to state, as it does in a session."""
    new = draw(st.lists(st.builds(Voiced, st.sampled_from(FACTS), st.sampled_from(["patient", "therapist"]),
                                  st.just(turn), unit), max_size=2 if turn else 1))  # fmt: skip
    numbers = {name: draw(percent) for name in ("held", "stated", "core", "distress")}
    shares = {name: draw(unit) for name in ("goal", "task", "bond", "openness", "reactance")}
    slots = draw(st.sets(st.sampled_from(["thought", "feeling", "background", "goal"])))
    weighed = draw(st.sets(st.sampled_from(FACTS)))
    return make_state(turn=turn, act=draw(acts), disclosed=tuple(slots), weighed=tuple(weighed), voiced=(*heard, *new),
                      **numbers, **shares)  # fmt: skip


claims = st.builds(FeelingClaim, st.just("sad"), st.booleans(), st.booleans(), st.booleans())
appraisals = st.builds(
    Appraisal,
    wide=st.booleans(),
    reaches=st.lists(st.builds(Reach, st.sampled_from(FACTS), unit), max_size=2).map(tuple),
    claims=st.lists(claims, max_size=2).map(tuple),
)
codes = st.sets(st.sampled_from(Move), min_size=1, max_size=4).map(lambda moves: code(*moves))
words = st.sampled_from(
    ["", "I feel sad.", "What happened?", "Isn't that so? And why?", "You should rest.", string.ascii_letters]
)


@st.composite
def episodes(draw: st.DrawFn) -> Episode:
    """Any episode, whole or with parts missing."""
    count = draw(st.integers(1, 6))
    states: list[CognitiveState] = []
    for turn in range(count + 1):
        states.append(draw(mind(turn, states[-1].voiced if states else ())))
    if draw(st.integers(0, 5)) == 0:
        return without_session(states)
    said = draw(st.lists(words, min_size=2 * count, max_size=2 * count + 1))
    return make_episode(
        said,
        states=draw(st.sampled_from([states, states, states, ()])),
        codes=draw(st.lists(st.none() | codes, min_size=count, max_size=count)),
        appraisals=draw(st.lists(st.none() | appraisals, min_size=count, max_size=count)),
        ending=draw(st.sampled_from(get_args(EndingKind))),
        provenance=draw(st.sampled_from([{}, {"warranted": 20, "against": list(AGAINST)}, {"against": AGAINST}])),
    )


def _keeps_the_contract(measures: Iterable[Measure], episode: Episode) -> None:
    before, given = copy.deepcopy(episode), Material(episode)
    for measure in measures:
        score = measure(given)
        assert (score.measure, score.unit) == (measure.id, measure.unit)
        assert (score.value is None) == (score.reason is not None), measure.id
        if score.value is None:
            assert score.evidence == ()
        else:
            assert isinstance(score.value, float), measure.id
            assert measure.low is not None and measure.low <= score.value, measure.id
            assert measure.high is None or score.value <= measure.high, measure.id
        assert list(score.evidence) == sorted(set(score.evidence)), measure.id
        assert all(0 <= index < len(episode.session) for index in score.evidence), measure.id
        assert measure(given) == score, measure.id
    assert episode == before


@settings(deadline=None, max_examples=60)
@given(episodes())
def test_scores_keep_the_contract_on_any_episode(episode: Episode) -> None:
    _keeps_the_contract(OF_SESSIONS, episode)


@settings(deadline=None, max_examples=15)
@given(episodes())
def test_measures_of_transcripts_keep_the_contract_on_any_episode(episode: Episode) -> None:
    _keeps_the_contract(OF_TRANSCRIPTS, episode)


@pytest.mark.parametrize("measure", MEASURES, ids=lambda m: m.id)
def test_a_failed_dialogue_is_never_scored(measure: Measure) -> None:
    score = measure(make_episode(2, ending="failed"))
    assert (score.value, score.reason) == (None, "the dialogue failed: the model gave up")


def test_hidden_measures_and_only_they_are_missing_on_a_real_transcript() -> None:
    said = ["I feel sad.", "What happened then?", "It broke.", "You should rest.", "Yes."]
    ask, advise = code(Move.OPEN_QUESTION), code(Move.ADVICE)
    episode = make_episode(said, states=(), appraisals=(), codes=[ask, advise], provenance={})
    assert {m.id for m in OF_SESSIONS if m(episode).value is None} == {m.id for m in OF_SESSIONS if m.hidden}


def test_the_ids_are_fixed() -> None:
    assert [m.id for m in OF_SESSIONS] == IDS


@pytest.mark.parametrize("measure", OF_SESSIONS, ids=lambda m: m.id)
def test_every_measure_meets_the_protocol_and_documents_itself(measure: Measure) -> None:
    assert isinstance(measure, protocols.Measure)
    assert measure.meaning.endswith(".")
    text = measure.function.__doc__ or ""
    for section in ("Evidence:", "Source:", "Departures:", "Blind spots:"):
        assert text.count(section) == 1
    assert text.count("Validity:") <= 1 and (NOT_VALIDATED in measure.validated) != measure.human_validated


def test_a_name_is_given_once() -> None:
    def flips(given: Material) -> Finding:
        return Finding(0.0)

    with pytest.raises(MaieuticError, match="two measures are named 'flips'"):
        declared("Talk", "flips", "A second measure of that name.", needs=("words",), span=(0.0, None))(flips)
