"""What the trap's benchmark says of stored sessions and of a policy's training, on a small real fork and made-up values."""

from __future__ import annotations

import json

import numpy as np
import pytest

from benchmark_modules import benchmark

emotion_trap = benchmark("emotion_trap")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def forks() -> list[dict]:
    """Three real forks, one turn ahead, in the world where relief moves belief."""
    emotion_trap.FORKS = 3
    return emotion_trap.forked(emotion_trap.Forking(1.0, 1, 0))


def test_every_line_is_played_on_and_a_policy_is_as_far_from_the_start_as_was_set(forks: list[dict]) -> None:
    assert [row["line"] for row in forks[0]["replies"]] == list(emotion_trap.LINES)
    tables = [np.array([row["features"] for row in fork["replies"]]) for fork in forks]
    weights, told = emotion_trap.trained(forks, "emotion")
    assert emotion_trap.divergence(tables, weights) == pytest.approx(emotion_trap.DIVERGENCE, abs=1e-3)
    assert told["best reply first"] == 1.0  # three forks are learned by heart
    for table, fork in zip(tables, forks, strict=True):
        best = max(range(len(table)), key=lambda n: fork["replies"][n]["emotion"])
        assert int(np.argmax(table @ weights)) == best


def test_both_rewards_are_brought_to_one_spread_before_they_are_added(forks: list[dict]) -> None:
    summed = [x for fork in forks for x in emotion_trap._rewards(fork, "both", forks)]
    by_hand = []
    for fork in forks:
        for row in fork["replies"]:
            parts = [row[one] / emotion_trap._spread(forks, one) for one in ("emotion", "conviction")]
            by_hand.append(sum(parts))
    assert summed == pytest.approx(by_hand) and emotion_trap._spread(forks, "emotion") > 0


def test_the_world_with_coupling_moves_conviction_by_relief_and_the_standard_one_does_not() -> None:
    falls = {}
    for coupling in (0.0, 1.0):
        asked = emotion_trap.Playing("warm only", coupling, "gain saturates", 0, menu=("warm",))
        rows = emotion_trap.played(asked)
        falls[coupling] = (sum(row["conviction"] for row in rows), sum(row["distress"] for row in rows))
    assert falls[1.0][1] > 0 and falls[0.0][0] < 0.2 * falls[1.0][0]


def test_the_stored_result_has_every_contrast_of_the_plan_and_the_blind_reading_is_that_of_the_file() -> None:
    stored = json.loads(emotion_trap.RESULT.read_text(encoding="utf-8"))
    for coupling in emotion_trap.COUPLINGS:
        title = f"emotion − conviction, coupling {coupling:g}, unseen worlds: comfort"
        assert len(stored["contrasts"][title]["seeds"]) == emotion_trap.SEEDS
    assert stored["coded blind"] == emotion_trap.coded_blind()
