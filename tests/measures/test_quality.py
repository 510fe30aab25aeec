"""The session-quality score: features and log odds by hand, its interval, and what is adjusted for length."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest
from coded_talk import talk
from hypothesis import given
from hypothesis import strategies as st

from maieutic.errors import UnknownName
from maieutic.measures import quality
from maieutic.measures.coded import THERAPIST_LABELS, CodedTranscript
from maieutic.measures.quality import QualityModel

MODEL = QualityModel((0.0, 0.0), (1.0, 1.0), (1.0, -2.0), 0.5, ((0.5, 1.0, -2.0),) * 50, 0.3, math.log(100))


def therapist(*labels: str) -> CodedTranscript:
    return talk(*[("T", label, "Well then.") for label in labels])


def test_features_by_hand() -> None:
    coded = talk(
        ("T", "reflection", "A."), ("T", "reflection", "B."), ("T", "reflection", "C."), ("C", None, "I am so worried."),
        ("T", "therapist_input", "D."), ("C", None, "Fine."), ("T", "question", "E?"),
    )  # fmt: skip
    ratio, after = quality.quality_features(quality.quality_turns(coded))[0]
    assert ratio == pytest.approx(math.log(3.5 / 1.5))
    assert after == pytest.approx((1 + 1 / 5) / 2)  # one turn after a feeling, and one at the session's own mean


def test_what_the_client_says_for_change_is_no_part_of_it() -> None:
    asked = ("T", "question", "And?")
    for label in ("change", "sustain"):
        found = quality.quality_features(quality.quality_turns(talk(asked, ("C", label, "Well."))))
        assert found.tolist() == quality.quality_features(quality.quality_turns(talk(asked))).tolist()


def test_chatbot_text_has_no_likeness_and_the_reason_says_so() -> None:
    long = "well " * 40
    written = talk(*[("T", "reflection", long)] * 5)
    assert str(quality.mi_demonstration_likeness(written).reason).startswith(
        "chatbot text: nine therapist turns in ten"
    )
    spoken = talk(*[("T", "reflection", long)] * 4, *[("T", "question", "And then?")] * 2)
    assert quality.mi_demonstration_likeness(spoken).value is not None
    essay = talk(*[("T", "reflection", "well " * 200)] * 4, *[("T", "question", "And then?")] * 2)
    assert "at most 85" in str(quality.mi_demonstration_likeness(essay).reason)


def test_the_old_name_is_refused_with_a_hint() -> None:
    with pytest.raises(UnknownName, match="It is called 'mi_demonstration_likeness' now"):
        raise UnknownName("measure", "session_quality", ["session_words"])


def test_probabilities_count_where_there_are_any() -> None:
    coded = therapist("question", "question", "question")
    turns = tuple(replace(turn, probabilities={"question": 0.7, "therapist_input": 0.3}) for turn in coded.turns)
    assert quality.quality_turns(replace(coded, turns=turns)).likely_advice.tolist() == [0.3] * 3


def test_value_and_adjustment_by_hand() -> None:
    turns = quality.quality_turns(therapist("reflection", "therapist_input", "question"))
    found = quality.estimate_quality(turns, MODEL, words=200, rng=random.Random(0))
    odds = 0.5 + 0.0 - 2 * (1 / 3)
    assert found["value"] == pytest.approx(1 / (1 + math.exp(-odds)))
    assert found["adjusted"] == pytest.approx(1 / (1 + math.exp(-(odds - 0.3 * math.log(2)))))
    assert found == quality.estimate_quality(turns, MODEL, words=200, rng=random.Random(0))


def test_reflecting_beats_advising_with_the_packaged_model() -> None:
    good, bad = therapist(*["reflection"] * 8), therapist(*["therapist_input"] * 8)
    high, low = quality.mi_demonstration_likeness(good).value, quality.mi_demonstration_likeness(bad).value
    assert high is not None and low is not None and high > 0.5 > low


@given(st.lists(st.sampled_from(THERAPIST_LABELS), min_size=3, max_size=30))
def test_the_interval_holds_the_value(labels: list[str]) -> None:
    coded = therapist(*labels)
    low, value, high = (
        measure(coded).value
        for measure in (
            quality.mi_demonstration_likeness_low,
            quality.mi_demonstration_likeness,
            quality.mi_demonstration_likeness_high,
        )
    )
    assert low is not None and value is not None and high is not None
    assert 0 < low <= value <= high < 1


def test_more_turns_give_a_narrower_interval() -> None:
    def width(times: int) -> float:
        found = quality.estimate_quality(
            quality.quality_turns(therapist(*["reflection", "therapist_input", "question"] * times)),
            MODEL, words=100, rng=random.Random(1),
        )  # fmt: skip
        return found["high"] - found["low"]

    assert width(40) < width(3)


def test_missing_with_a_reason() -> None:
    for measure in (
        quality.mi_demonstration_likeness,
        quality.mi_demonstration_likeness_low,
        quality.mi_demonstration_likeness_adjusted,
    ):
        assert measure(therapist("question")).reason == "1 coded therapist turns; at least 3 are needed"


def test_length_is_no_feature_and_the_packaged_model_is_whole() -> None:
    model = quality.packaged_model()
    assert len(model.mean) == len(model.scale) == len(model.coefficients) == len(quality.FEATURES) == 2
    assert len(model.draws) >= 200 and {len(draw) for draw in model.draws} == {3}
    assert not any("length" in name or "words" in name for name in quality.FEATURES)
