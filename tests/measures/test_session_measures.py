"""Each measure by hand on a few coded turns: the value, its evidence, and None with a reason where there is none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from maieutic.domain.episode import Score
from maieutic.measures import codes
from maieutic.measures import codes as talk
from maieutic.measures.catalogue import OF_TRANSCRIPTS, scores_of
from maieutic.measures.coded import CodedTranscript, CodedTurn
from maieutic.transcripts.utterance import Transcript, Utterance

Q, R, I, O = "question", "reflection", "therapist_input", "other"  # noqa: E741


def session(*turns: tuple[str, str | None, str]) -> CodedTranscript:
    """(T or C, label, text) by turn; indices start at 10 so that evidence cannot be a position by accident."""
    made = [
        CodedTurn(Utterance("therapist" if who == "T" else "client", text, index=10 + i), label, {})
        for i, (who, label, text) in enumerate(turns)
    ]
    return CodedTranscript(Transcript("x", None, (), "x", 2), tuple(made))


def therapist(*labels: str | None) -> CodedTranscript:
    return session(*[("T", label, "Tell me.") for label in labels])


def test_rates_count_turns_by_their_label_and_leave_out_turns_without() -> None:
    coded = therapist(Q, R, I, Q, O, None)
    assert codes.question_rate(coded) == Score("question_rate", 0.4, "share of therapist turns", None, (10, 13))
    assert codes.reflection_rate(coded).value == pytest.approx(0.2)
    assert codes.therapist_input_rate(coded).evidence == (12,)


def test_rates_on_too_few_turns_are_missing_with_the_reason() -> None:
    for measure in (codes.question_rate, codes.reflection_rate, codes.therapist_input_rate, codes.longest_question_run):
        score = measure(therapist(Q, R, None))
        assert score.value is None
        assert score.reason == "2 coded therapist turns; at least 3 are needed"


def test_a_rate_of_zero_is_a_value_and_not_missing() -> None:
    score = codes.reflection_rate(therapist(Q, Q, Q))
    assert (score.value, score.reason, score.evidence) == (0.0, None, ())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What was that like for you?", True),
        ("How did the week go?", True),
        ("Did you sleep?", False),
        ("How many of those did you drink?", False),
        ("I see what you mean. Did you sleep?", False),
        ("Tell me about your sister.", True),
        ("how did you manage that on your own", True),
        ("so do you live with your sister", False),
        ("how much do you smoke a day", False),
    ],
)
def test_open_questions_with_and_without_marks(text: str, expected: bool) -> None:
    (turn,) = session(("T", Q, text)).turns
    assert codes.is_open(turn) is expected
    assert codes.is_open(replace(turn, form=1.0)) and not codes.is_open(replace(turn, form=0.0))


def test_open_share_is_of_question_turns_only() -> None:
    asked = [("T", Q, "What happened?"), ("T", Q, "Did it hurt?"), ("T", O, "What a day."), ("C", None, "Why?")]
    share = codes.open_question_share(session(*asked, *asked[:2]))
    assert share == Score("open_question_share", 0.5, "share of question turns", None, (10, 14))
    assert codes.open_question_share(session(asked[0])).reason == "too few (1 of 1); at least 3 are needed"
    assert codes.open_question_share(therapist(R, R, R)).reason == "no question turns"


def test_reflections_per_question() -> None:
    assert codes.reflection_to_question_ratio(therapist(R, R, R, Q, Q, Q)).value == 1.0
    few = codes.reflection_to_question_ratio(therapist(R, R, R, Q)).reason
    assert few == "too few questions to divide by (1); at least 3 are needed"
    assert codes.reflection_to_question_ratio(therapist(R, R, R)).reason == "no question turns to divide by"


def test_longest_run_is_broken_by_reflections_only() -> None:
    score = codes.longest_question_run(therapist(Q, R, Q, O, Q, I, Q, R, Q))
    assert (score.value, score.evidence) == (3.0, (12, 14, 16))
    assert codes.longest_question_run(therapist(R, O, I)).value == 0.0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I am so worried about the tests.", True),
        ("I feel low most mornings.", True),
        ("It makes me mad when he does that.", True),
        ("I want to cut down on cigarettes.", False),
        ("I had a small glass and went down the road.", False),
        ("She was furious.", False),
        ("I went to the shop.", False),
    ],
)
def test_disclosed_feelings(text: str, expected: bool) -> None:
    assert codes.discloses_feeling(text) is expected


def test_what_follows_a_feeling_is_the_next_therapist_turn() -> None:
    coded = session(
        ("C", "neutral", "I am scared of it."), ("T", R, "It frightens you."),
        ("C", "neutral", "I am anxious all day."), ("C", "neutral", "And then I eat."), ("T", I, "Try to walk."),
        ("C", "neutral", "I went home."), ("T", R, "You went home."),
        ("C", "neutral", "I felt guilty."), ("T", None, "Mm."),
        ("C", "neutral", "I am ashamed of it."), ("T", I, "Tell her."),
        ("C", "neutral", "I am lonely."), ("T", R, "You miss her."),
    )  # fmt: skip
    assert codes.reflection_after_feeling(coded) == Score(
        "reflection_after_feeling", 0.5, "share of disclosures", None, (11, 22)
    )
    assert codes.input_after_feeling(coded).evidence == (14, 20)
    assert codes.input_after_feeling(therapist(R, R)).reason == codes.NO_FEELING


def test_change_talk_share() -> None:
    coded = session(*[("C", label, "Yes.") for label in ("change", "sustain", "neutral", "change", "change")])
    assert codes.change_talk_share(coded) == Score(
        "change_talk_share", 0.75, "share of change and sustain turns", None, (10, 13, 14)
    )
    assert codes.change_talk_share(session(("C", "neutral", "Yes."))).reason == "no change or sustain talk"
    assert codes.change_talk_share(session(("C", None, "Yes."))).reason == "no coded client turns"


def test_talk_measures_count_words_and_turns() -> None:
    coded = session(
        ("T", O, "one two three"), ("C", "neutral", "one"), ("T", O, "one two"), ("C", "neutral", "one two")
    )
    assert talk.therapist_talk_share(coded).value == pytest.approx(5 / 8)
    assert talk.therapist_words_per_turn(coded).value == 2.5
    assert talk.client_words_per_turn(coded).value == 1.5
    assert talk.session_words(coded).value == 8.0
    assert talk.session_turns(coded).value == 4.0
    assert talk.client_words_per_turn(therapist(O)).reason == "no client turns"


def test_sure_share_counts_unsure_and_missing_codes() -> None:
    unsure = CodedTurn(Utterance("therapist", "Mm.", index=3), "other", {}, sure=False)
    missing = CodedTurn(Utterance("therapist", "Mm.", index=4), None, {})
    sure = CodedTurn(Utterance("client", "Yes.", index=5), "neutral", {})
    coded = CodedTranscript(
        Transcript("x", None, (), "x", 2), (unsure, missing, sure, sure)
    )  # its evidence is what bears it
    assert talk.sure_share(coded) == Score("sure_share", 0.5, "share of turns", None, (5, 5))


def test_every_measure_documents_itself_and_answers_under_its_own_name() -> None:
    scores = scores_of(therapist(Q, R, I))
    assert [score.measure for score in scores] == [one.id for one in OF_TRANSCRIPTS]
    for one, score in zip(OF_TRANSCRIPTS, scores, strict=True):
        assert (score.value is None) == (score.reason is not None)
        assert one.unit and one.low is not None
        for part in ("Source:", "Blind to:"):
            assert part in one.definition or (part == "Blind to:" and one.id in (
                "session_words", "input_after_feeling")), (one.id, part)  # fmt: skip
