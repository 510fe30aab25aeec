"""Joining two sets of log probabilities: the better one weighs more, rows sum to one, and the numbers survive storage."""

from __future__ import annotations

import numpy as np
import pytest

from heads import fit_blend
from maieutic.coding.head_coder import Blend
from maieutic.reading.head import log_shares

LABELS = ("a", "b", "c")


def noisy(truth: np.ndarray, strength: float, seed: int) -> np.ndarray:
    """Log probabilities that favour the truth by `strength` among unit noise."""
    noise = np.random.default_rng(seed).normal(size=(len(truth), 3))
    return log_shares(noise + strength * np.eye(3)[truth])


@pytest.fixture
def truth() -> np.ndarray:
    return np.random.default_rng(0).integers(3, size=900)


def accuracy(blend: Blend, truth: np.ndarray, *parts: np.ndarray) -> float:
    return float((blend.probabilities(*parts).argmax(1) == truth).mean())


def test_both_parts_together_beat_each_alone(truth: np.ndarray) -> None:
    one, other = noisy(truth, 1.0, 1), noisy(truth, 1.0, 2)
    both = fit_blend(LABELS, one, other, truth, rare_weight=0.0)
    alone = fit_blend(LABELS, one, None, truth, rare_weight=0.0)
    assert accuracy(both, truth, one, other) > accuracy(alone, truth, one) + 0.05


def test_the_part_that_knows_more_weighs_more(truth: np.ndarray) -> None:
    blend = fit_blend(LABELS, noisy(truth, 2.0, 1), noisy(truth, 0.2, 2), truth, rare_weight=0.0)
    assert blend.linear > 2 * abs(blend.encoder)


def test_without_an_encoder_its_weight_is_zero(truth: np.ndarray) -> None:
    assert fit_blend(LABELS, noisy(truth, 1.0, 1), None, truth, rare_weight=0.0).encoder == 0.0


def test_probabilities_are_calibrated_and_sum_to_one(truth: np.ndarray) -> None:
    one, other = noisy(truth, 1.0, 1), noisy(truth, 1.5, 2)
    table = fit_blend(LABELS, one, other, truth, rare_weight=0.0).probabilities(one, other)
    assert table.sum(1) == pytest.approx(1.0)
    assert table.max(1).mean() == pytest.approx((table.argmax(1) == truth).mean(), abs=0.03)


def test_weighing_rare_labels_gives_them_more_often() -> None:
    truth = np.array([0] * 800 + [1] * 60 + [2] * 40)
    one = noisy(truth, 0.8, 3)
    plain, weighed = (fit_blend(LABELS, one, None, truth, rare_weight=power) for power in (0.0, 0.7))
    assert (weighed.probabilities(one).argmax(1) > 0).sum() > 2 * (plain.probabilities(one).argmax(1) > 0).sum()


def test_numbers_survive_storage(truth: np.ndarray) -> None:
    blend = fit_blend(LABELS, noisy(truth, 1.0, 1), noisy(truth, 1.0, 2), truth, rare_weight=0.5)
    assert Blend.of({**blend.table(), "bias": list(blend.bias), "labels": list(LABELS)}) == blend
