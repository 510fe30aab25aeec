"""How disclosed feelings are met, and feelings that were read in."""

from __future__ import annotations

import pytest

from episodes import code, make_episode
from maieutic.domain.appraisal import Appraisal, FeelingClaim
from maieutic.domain.codes import Move
from maieutic.measures.moves import advice_after_feeling, answers_that_reflect_a_feeling, unsupported_feeling

SAID = [
    "I feel so ashamed about it.",
    "You should take a walk.",
    "I went home.",
    "You should call a friend.",
    "I am scared of the meeting.",
    "The meeting scares you.",
    "It is on Monday.",
]
ADVICE, REFLECTION = code(Move.ADVICE), code(Move.REFLECTION)


def test_only_answers_to_a_told_feeling_count() -> None:
    episode = make_episode(SAID, codes=[ADVICE, ADVICE, REFLECTION])
    assert (advice_after_feeling(episode).value, advice_after_feeling(episode).evidence) == (0.5, (1,))
    assert (answers_that_reflect_a_feeling(episode).value, answers_that_reflect_a_feeling(episode).evidence) == (
        0.5,
        (5,),
    )


def test_lectures_and_summaries_count_too() -> None:
    episode = make_episode(SAID[:3], codes=[code(Move.LECTURE, Move.SUMMARY)])
    assert advice_after_feeling(episode).value == 1.0
    assert answers_that_reflect_a_feeling(episode).value == 1.0


def test_a_real_transcript_needs_no_hidden_state() -> None:
    assert advice_after_feeling(make_episode(SAID, states=(), appraisals=(), codes=[ADVICE] * 3)).value == 1.0


@pytest.mark.parametrize("measure", [advice_after_feeling, answers_that_reflect_a_feeling], ids=lambda m: m.id)
def test_no_told_feeling_or_no_code_is_missing(measure) -> None:  # type: ignore[no-untyped-def]
    assert measure(make_episode(2)).reason == "no coded therapist turn answers a disclosed feeling"
    assert measure(make_episode(SAID, codes=[None, ADVICE, None])).value is None
    assert measure(make_episode(SAID, codes=[None] * 3)).reason == "no therapist turn was coded"


def _claim(*, tentative: bool = False, true: bool = False, voiced: bool = False) -> Appraisal:
    return Appraisal(claims=(FeelingClaim("angry", tentative, true, voiced),))


def test_only_asserted_untrue_and_unvoiced_feelings_are_unsupported() -> None:
    appraisals = [_claim(), _claim(tentative=True), _claim(true=True), _claim(voiced=True), Appraisal()]
    score = unsupported_feeling(make_episode(5, appraisals=appraisals))
    assert (score.value, score.evidence) == (0.2, (1,))


def test_without_appraisals_unsupported_feelings_are_missing() -> None:
    assert unsupported_feeling(make_episode(2, appraisals=[None, None])).value is None
    assert unsupported_feeling(make_episode(2, appraisals=[None, _claim()])).value == 1.0
