"""The measures of transcripts on simulated sessions, and those of simulated sessions on transcripts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from coded_talk import talk

from episodes import code, make_episode, make_states, without_session
from maieutic import registry
from maieutic.domain.codes import Move
from maieutic.domain.episode import Episode, Score
from maieutic.errors import UnknownName
from maieutic.measures import material
from maieutic.measures.catalogue import MEASURES, OF_TRANSCRIPTS, scores_of
from maieutic.measures.coded import CodedTranscript, Predict, code_transcript, packaged_coder
from maieutic.measures.definition import UNTOLD, as_measure
from maieutic.measures.definition import measure as declared
from maieutic.measures.material import Material, transcript_of
from maieutic.measures.validity import NOT_VALIDATED
from maieutic.registry import ask_for, load_measures
from maieutic.training.rewards import rewards
from maieutic.transcripts.utterance import Transcript

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

BY_ID = {one.id: one for one in OF_TRANSCRIPTS}


@pytest.fixture
def nothing_asked() -> Iterator[None]:
    before = dict(registry._asked)
    yield
    registry._asked.clear()
    registry._asked.update(before)


def test_one_id_gives_one_number_whoever_asks() -> None:
    episode = make_episode(SAID)
    given = Material(episode)
    coded = code_transcript(transcript_of(episode.session), packaged_coder())
    without_vectors = {score.measure: score for score in scores_of(coded)}
    for one in OF_TRANSCRIPTS:
        if one.family == "Alliance from text":
            assert without_vectors[one.id].value is None
            continue
        if one.family == "Likeness to MI demonstrations":  # of a machine's text it says nothing
            assert "chatbot text" in (one(given).reason or "")
            continue
        found, alone = one(given), without_vectors[one.id]
        assert (found.value, found.unit, found.reason) == (alone.value, alone.unit, alone.reason), one.id
        assert found.evidence == (alone.evidence if alone.value is not None else ())
    assert BY_ID["reflection_rate"](episode).evidence == (1,)
    assert BY_ID["question_rate"](episode).value == 0.75


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
    given = Material(make_episode(SAID))
    for measure in OF_TRANSCRIPTS:
        value = measure(given).value
        assert value is None or (measure.low is not None and measure.low <= value), measure.id
        assert value is None or measure.high is None or value <= measure.high, measure.id
        assert measure.meaning and not measure.hidden


def test_what_was_not_said_is_missing_with_its_reason() -> None:
    rate = BY_ID["question_rate"]
    assert rate(make_episode(2, ending="failed")).reason == "the dialogue failed: the model gave up"
    assert rate(without_session(make_states({}, {}))).reason == "the therapist said nothing (no session)"
    assert rate(make_episode(["Hello.", "What happened?", "It broke."])).reason == (
        "too short (3 turns; at least 4 are needed)"
    )
    short = BY_ID["therapist_talk_share"](make_episode(["Hello.", "What happened?", "It broke."]))
    assert (short.value, short.unit, short.evidence) == (0.4, "share of words", ())
    assert BY_ID["therapist_talk_share"](make_episode(["", "", ""])).reason == "no words"
    silent = make_episode(["I was there.", "", "They saw me.", "", "And that was it.", "", "Yes.", ""])
    assert "one speaker only" in (rate(silent).reason or "")


@pytest.mark.usefixtures("nothing_asked")
def test_a_measure_on_request_is_computed_where_it_is_asked_for_by_its_id() -> None:
    usual = {one.id for one in load_measures()}
    assert usual & set(BY_ID) == {"therapist_talk_share"}
    assert ask_for("stage_order").id == "stage_order"
    assert {one.id for one in load_measures()} - usual == {"stage_order"}
    with pytest.raises(UnknownName, match="stage_order"):
        ask_for("stage_ordr")


def test_an_error_of_ours_is_raised_and_not_told_as_a_missing_value(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: object) -> None:
        raise KeyError("our own")

    monkeypatch.setattr(material, "code_transcript", broken)
    with pytest.raises(KeyError, match="our own"):
        BY_ID["question_rate"](make_episode(SAID))


def test_only_what_agreed_with_human_codes_over_enough_sessions_goes_without_the_label() -> None:
    validated = {id for id, measure in BY_ID.items() if measure.human_validated}
    assert {"question_rate", "open_question_share", "session_words"} <= validated
    assert validated.isdisjoint(
        ("reflection_rate", "reflection_after_feeling", "mi_demonstration_likeness_low", "bolt_planning_rate")
    )


def test_a_session_is_coded_once_and_only_where_codes_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    coded: list[Transcript] = []

    def code_them(said: Transcript, predict: Predict) -> CodedTranscript:
        coded.append(said)
        return code_transcript(said, predict)

    monkeypatch.setattr(material, "code_transcript", code_them)
    given = Material(make_episode(SAID))
    for one in OF_TRANSCRIPTS:
        if not {"codes", "bolt", "socratic"} & {*one.needs}:
            one(given)
    assert not coded
    for one in OF_TRANSCRIPTS:
        one(given)
    assert len(coded) == 1


def test_evidence_of_a_transcript_stands_where_its_source_counts_it() -> None:
    said = talk(
        ("C", None, "I feel sad."), ("T", "other", "You should rest."), ("C", None, "Yes."), ("T", "other", "Ah.")
    )
    turns = {
        one.id: one(said) for one in MEASURES if one.id in ("advice_rate", "words_per_turn", "advice_after_feeling")
    }
    assert {score.evidence for score in turns.values()} == {(11,)}
    assert as_measure(Shouting())(said).evidence == (10, 13)


class Shouting:
    """Share of turns that shout. More is not said."""

    id, unit, hidden, better, low, high = "shouting", "share", False, "lower", 0.0, 1.0

    def __call__(self, episode: Episode) -> Score:
        return Score(self.id, 0.5, self.unit, evidence=(0, 3, 99))


def test_anybodys_measure_says_of_itself_what_ours_do_and_what_it_leaves_out_stays_untold() -> None:
    one = as_measure(Shouting())
    assert (one.title, one.meaning, one.scale, one.sign) == ("Shouting", Shouting.__doc__, "share, 0 to 1", -1.0)
    assert not one.packaged and one.validated == NOT_VALIDATED and as_measure(one) is one
    bare = registry.measure("bare")
    try:
        plain = as_measure(bare(lambda episode: Score("bare", None, "points")))
        assert (plain.meaning, plain.scale, plain.claims) == (UNTOLD, "not stated", "no direction claimed")
        found = plain(make_episode(SAID))
        assert (found.unit, found.reason) == ("points", "the measure gives no value and no reason")
    finally:
        registry._makers["measure"].pop("bare")


def test_a_measure_that_says_its_name_alone_has_the_unit_of_its_scores() -> None:
    class Named:
        id = "named"

        def __call__(self, episode: Episode) -> Score:
            return Score(self.id, 2.0, "points")

    assert as_measure(Named())(make_episode(SAID)) == Score("named", 2.0, "points")


def test_anybodys_measure_of_the_mind_is_missing_where_there_is_none_and_what_is_no_number_is_no_value() -> None:
    class OfMind(Shouting):
        hidden = True

        def __call__(self, episode: Episode) -> Score:
            return Score(self.id, float("nan") if len(episode.states) > 1 else None, self.unit)

    of_mind = as_measure(OfMind())
    assert of_mind(make_episode(SAID, states=())).reason == "the patient has no recorded hidden state"
    assert of_mind(make_episode(SAID)).reason == "the measure failed with a value that is no number: nan"


def test_anybodys_measure_that_claims_a_direction_is_a_reward() -> None:
    registry.measure("shouting")(Shouting())
    try:
        assert rewards()["shouting"].of(make_episode(SAID)) == -0.5
    finally:
        registry._makers["measure"].pop("shouting")


def test_a_measure_that_is_no_share_says_its_smallest_and_largest_value() -> None:
    with pytest.raises(TypeError, match="needs its span"):
        declared("Talk", "words", "Words.")
