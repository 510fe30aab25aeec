"""LSM and nCLiD: worked examples on small vectors, symmetry and ranges, and missing values with reasons."""

from __future__ import annotations

import time

import numpy as np
import pytest
from coded_talk import talk
from hypothesis import given
from hypothesis import strategies as st

from maieutic.measures import between as synchrony

COMMON = ("i", "you", "the", "a", "and", "not", "is", "very", "some", "it", "house", "river", "stone")
turn = st.lists(st.sampled_from(COMMON), min_size=5, max_size=12)


def axes(*words: str) -> dict[str, np.ndarray]:
    return dict(zip(words, np.eye(len(words), dtype=np.float32), strict=True))


def test_relaxed_distance_by_hand() -> None:
    # All words lie at right angles, sqrt(2) apart. Two of three words of the first turn are in the second.
    found = synchrony.relaxed_distances([("a", "b", "c"), ("a", "b")], axes("a", "b", "c"))
    assert found[0, 1] == found[1, 0] == pytest.approx(2**0.5 / 3, abs=1e-6)
    assert found.diagonal().tolist() == [0, 0]


def test_normalised_distance_by_hand() -> None:
    # Anchor turns 0 and 2, followers 1 and 3: least distances 2 and 3; within 4 and 5; to later turns 2, 8, 3.
    table = np.array([[0, 2, 4, 8], [2, 0, 9, 5], [4, 9, 0, 3], [8, 5, 3, 0]], dtype=np.float32)
    assert synchrony.normalised_distance(table, [0, 2], [1, 3]) == pytest.approx(2.5 / (4 + 5 + 13 / 3))
    assert synchrony.normalised_distance(table, [3], [0, 1]) is None
    assert synchrony.normalised_distance(np.zeros((4, 4), dtype=np.float32), [0, 2], [1, 3]) is None


def test_only_the_next_three_turns_are_searched() -> None:
    table = np.full((6, 6), 1.0, dtype=np.float32)
    table[0, 5] = table[5, 0] = 0.0
    np.fill_diagonal(table, 0.0)
    value = synchrony.normalised_distance(table, [0], [1, 2, 3, 5])
    assert value == pytest.approx(1 / (1 + 3 / 4))  # within the others 1, to later turns 3/4


def test_equal_speech_matches_in_full_and_is_as_near_as_can_be() -> None:
    coded = talk(*[(who, None, "I do not want the old house by the river very much.") for who in "TC" * 6])
    assert synchrony.style_matching(coded).value == pytest.approx(1, abs=1e-9)
    assert synchrony.therapist_style_following(coded).value == pytest.approx(1, abs=1e-9)
    assert synchrony.therapist_entrainment_distance(coded).reason == "no turn follows, or all turns are alike"


def test_style_matching_by_hand() -> None:
    # One class in use on one side only gives about 0; articles are 1/5 against 1/10.
    coded = talk(
        ("T", None, "the house river stone wall " * 10),
        ("C", None, "the house river stone wall iron house river stone wall " * 5),
    )
    expected = 1 - 0.1 / (0.3 + 0.0001)
    assert synchrony.style_matching(coded).value == pytest.approx(expected)


def test_missing_with_a_reason() -> None:
    coded = talk(("T", None, "Well then."), ("C", None, "Yes."))
    assert synchrony.style_matching(coded).reason == "1 words of one speaker; 50 are needed"
    assert synchrony.client_style_following(coded).reason == "0 pairs of turns of 5 words or more; 3 are needed"
    assert synchrony.client_entrainment_distance(coded).reason == "1 turns with words of one speaker; 4 are needed"


@given(st.lists(turn, min_size=8, max_size=16))
def test_ranges_and_exchange_of_speakers(turns: list[list[str]]) -> None:
    there = talk(*[("TC"[at % 2], None, " ".join(said)) for at, said in enumerate(turns)])
    back = talk(*[("CT"[at % 2], None, " ".join(said)) for at, said in enumerate(turns)])
    for measure, other in (
        (synchrony.style_matching, synchrony.style_matching),
        (synchrony.therapist_style_following, synchrony.client_style_following),
        (synchrony.therapist_entrainment_distance, synchrony.client_entrainment_distance),
    ):
        value, turned = measure(there).value, other(back).value
        assert (value is None) == (turned is None)
        if value is not None and turned is not None:
            assert value == pytest.approx(turned, abs=1e-5) and value >= 0


def test_a_session_of_a_hundred_turns_takes_under_a_second_of_work() -> None:
    rng = np.random.default_rng(0)
    words = [f"{one}{other}" for one in ("sea", "land", "rain", "snow", "wind") for other in COMMON]
    turns = [" ".join(rng.choice([*COMMON, *words], size=30)) for _ in range(100)]
    coded = talk(*[("TC"[at % 2], None, said) for at, said in enumerate(turns)])
    synchrony.therapist_entrainment_distance(talk(*[("TC"[at % 2], None, said) for at, said in enumerate(turns[:10])]))
    start = time.process_time()
    values = [
        measure(coded).value
        for measure in (synchrony.therapist_entrainment_distance, synchrony.client_entrainment_distance)
    ]
    assert all(value is not None and 0.1 < value < 0.6 for value in values)
    assert time.process_time() - start < 1
