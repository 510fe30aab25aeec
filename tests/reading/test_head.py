"""One head for every reader: fitted, calibrated, packed, loaded, and silent when in doubt."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from heads import Settings, calibrated, expected_calibration_error, fit
from maieutic.errors import UnreadableFile
from maieutic.reading.head import load, save, shares, unpacked

LABELS = ("asks", "tells", "other")


def clouds(seed: int = 0) -> tuple[np.ndarray, list[str]]:
    rng = np.random.default_rng(seed)
    middles = np.array([[2.0, 0, 0, 0], [0, 2.0, 0, 0], [0, 0, 2.0, 0]])
    places = rng.integers(0, 3, 300)
    return middles[places] + rng.normal(0, 0.7, (300, 4)), [LABELS[p] for p in places]


def test_a_head_reads_rows_it_has_not_seen() -> None:
    head = fit(*clouds(0), LABELS, Settings())
    x, y = clouds(1)
    assert np.mean([head.read(row).label == label for row, label in zip(x, y, strict=True)]) > 0.9


@pytest.mark.parametrize("scaled", [False, True])
def test_one_row_and_many_rows_are_read_alike(scaled: bool) -> None:
    x, y = clouds()
    head = fit(x, y, LABELS, Settings(scaled=scaled))
    np.testing.assert_allclose(head.probabilities(x)[7], head.probabilities(x[7]))
    assert sum(head(x[7]).values()) == pytest.approx(1.0)


def test_two_labels_have_probabilities_that_sum_to_one_and_agree_with_the_fit() -> None:
    x, y = clouds()
    two = ["asks" if label == "asks" else "other" for label in y]
    head = fit(x, two, ("other", "asks"), Settings())
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=1.0, max_iter=2_000, class_weight="balanced").fit(x, two)
    np.testing.assert_allclose(head.probabilities(x)[:, 1], model.predict_proba(x)[:, 0], atol=1e-6)


def test_labels_that_do_not_exclude_each_other_are_counted_each_by_itself() -> None:
    x, y = clouds()
    marks = np.array([[label == "asks", label != "other"] for label in y], dtype=float)
    head = fit(x, marks, ("asks", "speaks"), Settings(many=True, doubt=0.5))
    assert head.counted(np.array([2.0, 0, 0, 0])) == {"asks", "speaks"}
    assert head.counted(np.array([0, 0, 2.0, 0])) == frozenset()


def test_a_head_in_doubt_gives_no_label() -> None:
    head = fit(*clouds(), LABELS, Settings(doubt=0.9))
    assert head.read(np.zeros(4)).label is None
    assert head.read(np.array([4.0, 0, 0, 0])).label == "asks"


def test_calibration_brings_overconfident_scores_down() -> None:
    x, y = clouds()
    truth = np.array([LABELS.index(label) for label in y])
    truth[::4] = (truth[::4] + 1) % 3  # a quarter of the labels are wrong
    head = fit(x, y, LABELS, Settings())
    scores = 5 * head.scores(x)
    warm = calibrated(head, scores, truth)
    assert warm.temperature > 1
    before, after = (expected_calibration_error(shares(scores / t), truth) for t in (1.0, warm.temperature))
    assert after < before


def test_a_packed_head_is_the_head(tmp_path: Path) -> None:
    x, y = clouds()
    head = fit(x, y, LABELS, Settings(scaled=True, doubt=0.4), fitted_on="nobody")
    save(tmp_path / "heads.npz", one=head, two=head)
    with np.load(tmp_path / "heads.npz") as stored:
        again = unpacked(stored, "two")
    np.testing.assert_allclose(again.probabilities(x), head.probabilities(x), atol=5e-3)
    assert (again.labels, again.doubt, again.fitted_on) == (head.labels, 0.4, "nobody")


def test_a_head_that_is_not_there_is_named() -> None:
    with pytest.raises(UnreadableFile, match=r"recipes/fit\.py nothing"):
        load("gap/weights/none.npz", "nothing")
