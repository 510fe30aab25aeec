"""Agreement and correlation against worked examples in print, other people's code, and cases that have no answer."""

from __future__ import annotations

import random

import numpy as np
import pytest
import scipy

from maieutic.agreement import correlations, intraclass_correlations, krippendorff_alpha

# Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, examples A, B and C; letters there are numbers here.
MEG_AND_OWEN = list(zip([0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0], strict=True))
BEN_AND_GERRY = list(zip([1, 1, 2, 2, 4, 3, 3, 3, 5, 4, 4, 1], [2, 1, 2, 2, 2, 3, 3, 3, 5, 4, 4, 4], strict=True))
_ = None
FOUR_OBSERVERS = list(
    zip(
        [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
        [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
        strict=True,
    )
)
# Shrout & Fleiss (1979), Intraclass correlations: uses in assessing rater reliability, table 2.
SIX_TARGETS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


@pytest.mark.parametrize(
    ("ratings", "level", "printed"),
    [
        (MEG_AND_OWEN, "nominal", 0.095),
        (BEN_AND_GERRY, "nominal", 0.692),
        (FOUR_OBSERVERS, "nominal", 0.743),
        (FOUR_OBSERVERS, "ordinal", 0.815),
        (FOUR_OBSERVERS, "interval", 0.849),
    ],
)
def test_alpha_is_that_of_the_worked_examples(ratings, level, printed):
    assert krippendorff_alpha(ratings, level).value == pytest.approx(printed, abs=0.0006)


def test_alpha_has_no_value_without_pairs_or_variation():
    alone = krippendorff_alpha([[1, None], [None, 2]], "ordinal")
    assert alone.value is None
    assert "two raters" in str(alone.reason)
    flat = krippendorff_alpha([[2, 2], [2, 2]], "ordinal", rng=random.Random(1))
    assert flat.value is None
    assert "the same" in str(flat.reason)
    assert krippendorff_alpha([], "nominal").interval.n == 0


def test_alpha_counts_only_sessions_with_two_ratings_and_knows_the_extremes():
    assert krippendorff_alpha([[1, 1], [2, 2], [3, None]], "interval").interval.n == 2
    assert krippendorff_alpha([[1, 1], [2, 2], [3, 3]], "interval").value == pytest.approx(1)
    assert krippendorff_alpha([[0, 1], [1, 0]], "nominal").value < 0


def test_alpha_interval_holds_the_estimate_and_narrows():
    rng = random.Random(3)
    few, many = (
        krippendorff_alpha(
            [(truth := rng.randrange(6), min(6, truth + rng.randrange(2))) for _ in range(n)],
            "ordinal",
            rng=rng,
            draws=400,
        ).interval
        for n in (20, 200)
    )
    for one in (few, many):
        assert one.low <= one.estimate <= one.high
    assert many.high - many.low < few.high - few.low


def test_intraclass_correlations_are_those_of_the_paper():
    found = intraclass_correlations(SIX_TARGETS, rng=random.Random(1), draws=200)
    assert found.single.value == pytest.approx(0.29, abs=0.005)
    assert found.mean.value == pytest.approx(0.62, abs=0.005)
    assert found.consistency.value == pytest.approx(0.71, abs=0.005)
    assert (found.sessions, found.raters) == (6, 4)
    assert found.single.interval.low < found.single.interval.high


def test_intraclass_correlations_leave_out_incomplete_rows_and_say_why_there_is_none():
    with_gap = [*SIX_TARGETS, [5, None, 5, 5]]
    assert intraclass_correlations(with_gap).single == intraclass_correlations(SIX_TARGETS).single
    none = intraclass_correlations([[1, 2], [3, None]])
    assert none.single.value is None
    assert "every rater" in str(none.single.reason)
    flat = intraclass_correlations([[4, 4], [4, 4], [4, 4]])
    assert flat.mean.value is None
    assert "do not vary" in str(flat.mean.reason)
    assert intraclass_correlations([]).single.value is None


def test_bootstrap_weights_equal_the_same_rows_written_out():
    """A drawn sample computed by weights is the statistic of the sample with its rows repeated."""
    from maieutic import agreement

    table = np.array(SIX_TARGETS, dtype=float)
    weights = np.array([2.0, 0, 1, 1, 2, 0])
    again = np.repeat(table, weights.astype(int), axis=0)
    drawn = agreement._iccs(table - table.mean(), weights[None, :])[0]
    whole = intraclass_correlations(again.tolist())
    assert drawn == pytest.approx([whole.single.value, whole.mean.value, whole.consistency.value])
    x, y = table[:, 0], table[:, 1]
    drawn = agreement._correlated([x, y], weights[None, :])[0]
    a, b = np.repeat(x, weights.astype(int)), np.repeat(y, weights.astype(int))
    assert drawn == pytest.approx([scipy.stats.pearsonr(a, b)[0], scipy.stats.spearmanr(a, b)[0]])


def test_correlations_agree_with_scipy_and_hold_length_constant():
    rng = random.Random(5)
    length = [rng.gauss(0, 1) for _ in range(60)]
    first = [one + rng.gauss(0, 0.5) for one in length]
    second = [round(one + rng.gauss(0, 0.5), 1) for one in length]
    found = correlations(first, second, third=length, rng=rng, draws=500)
    assert found.pearson.value == pytest.approx(scipy.stats.pearsonr(first, second)[0])
    assert found.spearman.value == pytest.approx(scipy.stats.spearmanr(first, second)[0])
    ranks = np.stack([scipy.stats.rankdata(one) for one in (first, second, length)])
    inverse = np.linalg.inv(np.corrcoef(ranks))
    assert found.adjusted.value == pytest.approx(-inverse[0, 1] / np.sqrt(inverse[0, 0] * inverse[1, 1]))
    assert found.spearman.interval.low > 0.4
    assert found.adjusted.interval.low < 0.2, "what length explains must not be left over"


def test_correlations_without_an_answer_say_why():
    assert "at least 3" in str(correlations([1, 2], [3, 4]).pearson.reason)
    flat = correlations([1, 1, 1, 1], [1, 2, 3, 4], rng=random.Random(1), draws=50)
    assert flat.pearson.value is None
    assert flat.spearman.value is None
    assert "does not vary" in str(flat.spearman.reason)
    assert "hold constant" in str(correlations([1, 2, 4], [1, 2, 3]).adjusted.reason)
    same = correlations([1, 2, 3, 4], [4, 2, 1, 3], third=[1, 2, 3, 4])
    assert same.adjusted.value is None
    with pytest.raises(ValueError, match="equally long"):
        correlations([1], [1, 2])


def test_equal_seeds_give_equal_intervals():
    runs = [krippendorff_alpha(FOUR_OBSERVERS, "ordinal", rng=random.Random(9), draws=100) for _ in range(2)]
    assert runs[0] == runs[1]
