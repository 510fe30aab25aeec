"""Comparisons of groups on made-up sessions whose truth is known: a real difference, none, and one made by length."""

from __future__ import annotations

import math
import random

import pytest

from maieutic.scoring.groups import Comparison, SessionValues, choose_groups, compare_groups


def made(group: str | None, value: float | None, words: int = 500, turns: int = 40, name: str = "s") -> SessionValues:
    return SessionValues(name, group, words, turns, {"m": value})


def compare(sessions: list[SessionValues], draws: int = 400, seed: int = 0) -> Comparison:
    (one,) = compare_groups(sessions, ("high", "low"), measures=["m"], draws=draws, seed=seed)
    return one


def test_groups_are_high_and_low_or_the_most_frequent() -> None:
    assert choose_groups([made("b", 1), made("low", 1), made("high", 1), made("b", 1)]) == ("high", "low")
    assert choose_groups([made("b", 1), made("a", 1), made("c", 1), made("c", 1)]) == ("c", "a")
    assert choose_groups([made("a", 1), made(None, 1)]) is None


def test_a_real_difference_survives_both_adjustments() -> None:
    rng = random.Random(1)
    sessions = [made("high", rng.gauss(1.5, 1), rng.randint(300, 900), rng.randint(30, 50)) for _ in range(60)]
    sessions += [made("low", rng.gauss(0, 1), rng.randint(300, 900), rng.randint(30, 50)) for _ in range(40)]
    one = compare(sessions)
    expected = 0.5 * (1 + math.erf(1.5 / 2))  # AUC of two normal samples 1.5 standard deviations apart: Φ(1.5/√2)
    assert one.raw.estimate == pytest.approx(expected, abs=0.07)
    for interval in (one.raw, one.residual, one.matched):
        assert interval.excludes(0.5)
    assert one.p is not None and one.p < 0.001


def test_a_difference_made_by_length_alone_vanishes_when_length_is_taken_out() -> None:
    rng = random.Random(2)
    sessions = []
    for group, centre in (("high", 6.8), ("low", 6.2)):
        for _ in range(60):
            log_words = rng.gauss(centre, 0.6)
            sessions.append(made(group, log_words + rng.gauss(0, 0.3), round(math.exp(log_words)), 1))
    one = compare([SessionValues(s.session, s.group, s.words, s.words, s.values) for s in sessions])
    assert one.raw.excludes(0.5)
    assert not one.residual.excludes(0.5)
    assert one.matched.estimate is not None and one.raw.estimate is not None
    assert abs(one.matched.estimate - 0.5) < abs(one.raw.estimate - 0.5) / 2


def test_no_difference_gives_an_interval_around_a_half() -> None:
    rng = random.Random(3)
    one = compare([made(group, rng.gauss(0, 1)) for group in ("high", "low") for _ in range(40)])
    assert not one.raw.excludes(0.5)


def test_matched_pairs_compare_sessions_of_like_length_only() -> None:
    # Within 20 % only the equal-length pairs meet; there the low session always has the higher value.
    sessions = [made("high", 10 * t, turns=10 * t * t) for t in range(1, 26)]
    sessions += [made("low", 10 * t + 1, turns=10 * t * t) for t in range(1, 26)]
    one = compare(sessions)
    near = [(a, b) for a in range(1, 26) for b in range(1, 26) if abs(a * a - b * b) <= 0.2 * max(a, b) ** 2]
    assert one.pairs == len(near)
    assert one.matched.estimate == pytest.approx(sum(a > b for a, b in near) / len(near))
    few = compare(sessions[:3] + sessions[25:28])
    assert few.matched.estimate is None
    assert few.reason is not None and "at least 20" in few.reason


def test_missing_values_are_counted_and_left_out() -> None:
    sessions = [made("high", v) for v in (1.0, 2.0, None)] + [made("low", v) for v in (0.0, None, None, 1.5)]
    one = compare([*sessions, made("other", 9.0), made(None, 9.0)])
    assert (one.n, one.missing, one.medians) == ((2, 2), (1, 2), (1.5, 0.75))
    assert one.raw.estimate == 0.75


def test_too_few_sessions_give_no_estimate_but_a_reason() -> None:
    one = compare([made("high", 1.0), made("low", 2.0), made("low", 3.0)])
    assert one.raw.estimate is None and one.p is None and one.q is None
    assert one.reason == "fewer than two sessions with a value in a group"


def test_length_measures_get_no_adjusted_figure_and_q_covers_all_measures() -> None:
    rng = random.Random(4)
    sessions = [
        SessionValues("s", group, 100, 10, {"a": shift + rng.gauss(0, 1), "b": rng.gauss(0, 1), "length": rng.random()})
        for group, shift in (("high", 2.0), ("low", 0.0))
        for _ in range(20)
    ]
    a, b, length = compare_groups(
        sessions, ("high", "low"), measures=["a", "b", "length"], length_measures=frozenset({"length"}), draws=200
    )
    assert length.residual.estimate is None and length.reason == "it is length itself"
    assert a.p is not None and a.q == pytest.approx(3 * a.p)
    assert b.p is not None and b.q is not None and b.q >= b.p


def test_same_seed_same_intervals() -> None:
    rng = random.Random(5)
    sessions = [made(group, rng.gauss(0, 1)) for group in ("high", "low") for _ in range(15)]
    assert compare(sessions, seed=1) == compare(sessions, seed=1)
    assert compare(sessions, seed=1) != compare(sessions, seed=2)
