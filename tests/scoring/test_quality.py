"""The session-quality score: features and log odds by hand, its interval, and what is adjusted for length."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import numpy as np
import pytest
from coded_talk import talk
from hypothesis import given
from hypothesis import strategies as st

from maieutic.scoring import quality
from maieutic.scoring.coded import THERAPIST_LABELS, CodedTranscript
from maieutic.scoring.quality import QualityModel

MODEL = QualityModel(
    (0.0, 0.0, 0.5), (1.0, 1.0, 1.0), (1.0, -2.0, 3.0), 0.5, ((0.5, 1.0, -2.0, 3.0),) * 50, 0.3, math.log(100)
)


def therapist(*labels: str) -> CodedTranscript:
    return talk(*[("T", label, "Well then.") for label in labels])


def test_features_by_hand() -> None:
    coded = talk(
        ("T", "reflection", "A."), ("T", "reflection", "B."), ("T", "reflection", "C."), ("C", None, "I am so worried."),
        ("T", "therapist_input", "D."), ("C", None, "Fine."), ("T", "question", "E?"),
    )  # fmt: skip
    ratio, after, change = quality.quality_features(quality.quality_turns(coded))[0]
    assert ratio == pytest.approx(math.log(3.5 / 1.5))
    assert after == pytest.approx((1 + 1 / 5) / 2)  # one turn after a feeling, and one at the session's own mean
    assert change == 0.5  # no client turn is coded


def test_change_talk_counts_against_sustain_talk() -> None:
    said = [("C", label, "Well.") for label in ("change", "neutral", "sustain", "change")]
    turns = quality.quality_turns(talk(("T", "question", "And?"), *said))
    assert quality.quality_features(turns)[0, 2] == pytest.approx(3 / 5)
    weighted = quality.quality_features(turns, np.ones((1, 1)), np.array([[0.0, 1.0, 2.0, 0.0]]))
    assert weighted[0, 2] == pytest.approx(1 / 4)


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
    assert len(model.mean) == len(model.scale) == len(model.coefficients) == len(quality.FEATURES) == 3
    assert len(model.draws) >= 200 and {len(draw) for draw in model.draws} == {4}
    assert not any("length" in name or "words" in name for name in quality.FEATURES)
