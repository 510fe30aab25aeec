"""The measures of transcripts on simulated sessions, and those of simulated sessions on transcripts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from episodes import code, make_episode, make_states, without_session
from maieutic import registry
from maieutic.domain.codes import Move
from maieutic.errors import UnknownName
from maieutic.measures.definition import is_packaged, score_of
from maieutic.registry import ask_for, load_measures
from maieutic.scoring import of_episodes
from maieutic.scoring.catalogue import MEASURES, measure_transcript
from maieutic.scoring.coded import code_transcript, packaged_coder
from maieutic.scoring.of_episodes import OF_EPISODES, USUAL, transcript_of
from maieutic.training.rewards import rewards

SAID = [
    "I feel so ashamed about what I said at the meeting.",
    "You feel ashamed, and you have been carrying that since the meeting.",
    "Yes. I keep thinking that they all saw it.",
    "What went through your mind when you sat down again?",
    "That I am not good enough for this work.",
    "What did the others do then?",
    "They went on talking about the plan.",
    "How did they look at you?",
    "Friendly, I think.",
]


@pytest.fixture
def nothing_asked() -> Iterator[None]:
    before = dict(registry._asked)
    yield
    registry._asked.clear()
    registry._asked.update(before)


def test_one_id_gives_one_number_whoever_asks() -> None:
    episode = make_episode(SAID)
    coded = code_transcript(transcript_of(episode.session), packaged_coder())
    without_vectors = {score.measure: score for score in measure_transcript(coded)}
    for one in MEASURES:
        if one.family == "Alliance from text":
            assert without_vectors[one.id].value is None
            continue
        if one.family == "Likeness to MI demonstrations":  # of a machine's text it says nothing
            assert "chatbot text" in (OF_EPISODES[one.id](episode).reason or "")
            continue
        found, alone = OF_EPISODES[one.id](episode), without_vectors[one.id]
        assert (found.value, found.unit, found.reason) == (alone.value, alone.unit, alone.reason), one.id
        assert found.evidence == (alone.evidence if alone.value is not None else ())
    assert OF_EPISODES["reflection_rate"](episode).evidence == (1,)
    assert OF_EPISODES["question_rate"](episode).value == 0.75


def test_the_usual_table_counts_moves_so_a_turn_that_gives_back_and_asks_does_both() -> None:
    both = code(Move.REFLECTION, Move.OPEN_QUESTION)
    said = ["I feel sad.", "You feel sad. What happened?", "I was late.", "So you were late. And then?", "They left."]
    episode = make_episode(said, codes=[both, both])
    usual = {one.id: one(episode).value for one in load_measures()}
    counted = ("turns_that_ask", "turns_that_reflect", "answers_that_reflect_a_feeling", "open_among_asking_turns")
    assert {id: usual[id] for id in counted} == dict.fromkeys(counted, 1.0)
    assert not usual.keys() & {"question_rate", "reflection_rate", "reflection_after_feeling", "open_question_share"}
    assert {"turns_that_reflect", "answers_that_reflect_a_feeling"} <= rewards().keys()


def test_scores_stay_in_the_range_that_is_documented() -> None:
    episode = make_episode(SAID)
    for measure in OF_EPISODES.values():
        value = measure(episode).value
        assert value is None or measure.low <= value, measure.id
        assert value is None or measure.high is None or value <= measure.high, measure.id
        assert measure.meaning and not measure.hidden


def test_what_was_not_said_is_missing_with_its_reason() -> None:
    rate = OF_EPISODES["question_rate"]
    assert rate(make_episode(2, ending="failed")).reason == "the dialogue failed: the model gave up"
    assert rate(without_session(make_states({}, {}))).reason == "the therapist said nothing (no session)"
    assert rate(make_episode(["Hello.", "What happened?", "It broke."])).reason == (
        "too short (3 turns; at least 4 are needed)"
    )
    short = OF_EPISODES["therapist_talk_share"](make_episode(["Hello.", "What happened?", "It broke."]))
    assert (short.value, short.unit, short.evidence) == (0.4, "share of words", ())
    assert OF_EPISODES["therapist_talk_share"](make_episode(["", "", ""])).reason == "no words"
    silent = make_episode(["I was there.", "", "They saw me.", "", "And that was it.", "", "Yes.", ""])
    assert "one speaker only" in (rate(silent).reason or "")


@pytest.mark.usefixtures("nothing_asked")
def test_a_measure_on_request_is_computed_where_it_is_asked_for_by_its_id() -> None:
    usual = {one.id for one in load_measures()}
    assert usual & set(OF_EPISODES) == USUAL
    assert ask_for("stage_order").id == "stage_order"
    assert {one.id for one in load_measures()} - usual == {"stage_order"}
    with pytest.raises(UnknownName, match="stage_order"):
        ask_for("stage_ordr")


def test_an_error_of_ours_is_raised_and_not_told_as_a_missing_value(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: object) -> None:
        raise KeyError("our own")

    assert all(is_packaged(measure) for measure in OF_EPISODES.values())
    monkeypatch.setattr(of_episodes, "_coded", broken)
    with pytest.raises(KeyError, match="our own"):
        score_of(OF_EPISODES["question_rate"], make_episode(SAID))


def test_only_what_agreed_with_human_codes_over_enough_sessions_goes_without_the_label() -> None:
    validated = {id for id, measure in OF_EPISODES.items() if measure.human_validated}
    assert {"question_rate", "open_question_share", "session_words"} <= validated
    assert validated.isdisjoint(
        ("reflection_rate", "reflection_after_feeling", "mi_demonstration_likeness_low", "bolt_planning_rate")
    )
