"""Reply tables, Jensen-Shannon divergence and the log ratio, worked by hand; a dialogue of the reference leaves it."""

from __future__ import annotations

import math

import pytest
from coded_talk import talk
from hypothesis import given
from hypothesis import strategies as st

from maieutic.measures import order as adaptation
from maieutic.measures.coded import CodedTranscript
from maieutic.measures.definition import NO_BOLT
from maieutic.measures.order import CLIENT, THERAPIST, Reference

weights = st.lists(st.floats(0.01, 10), min_size=4, max_size=4)


def exchange(before: tuple[str, ...], after: tuple[str, ...], times: int = 1) -> CodedTranscript:
    return talk(*[("C", "neutral", "So.", before), ("T", "other", "Well.", after)] * times)


def test_a_pair_of_turns_weighs_one_however_many_codes_it_has() -> None:
    counts = adaptation.reply_counts(exchange(("Gained Insights", "Sharing Experiences"), ("Planning", "Normalizing")))
    cell = counts[CLIENT.index("Gained Insights")][THERAPIST.index("Planning")]
    assert cell == 0.25 and sum(map(sum, counts)) == 1


def test_rows_of_the_conditional_table_sum_to_one() -> None:
    table = adaptation.conditional(adaptation.reply_counts(exchange(("Gained Insights",), ("Planning",), 4)))
    assert [sum(row) for row in table] == pytest.approx([1.0] * len(CLIENT))
    cell = table[CLIENT.index("Gained Insights")][THERAPIST.index("Planning")]
    assert cell == pytest.approx((4 + 0.5 / 13) / 4.5)


def test_divergence_by_hand() -> None:
    assert adaptation.jensen_shannon([1, 0], [0, 1]) == 1
    middle = 0.5 * (math.log2(1 / 0.75)) + 0.5 * (0.5 * math.log2(0.5 / 0.75) + 0.5 * math.log2(0.5 / 0.25))
    assert adaptation.jensen_shannon([1, 0], [0.5, 0.5]) == pytest.approx(middle)


@given(weights, weights)
def test_divergence_is_symmetric_and_within_one_bit(first: list[float], second: list[float]) -> None:
    p, q = [x / sum(first) for x in first], [x / sum(second) for x in second]
    value = adaptation.jensen_shannon(p, q)
    assert 0 <= value <= 1 + 1e-9
    assert value == pytest.approx(adaptation.jensen_shannon(q, p))
    assert adaptation.jensen_shannon(p, p) == pytest.approx(0, abs=1e-12)


def test_the_log_ratio_is_positive_near_the_high_table(monkeypatch: pytest.MonkeyPatch) -> None:
    felt = ("Sharing Negative Emotions",)
    high = adaptation.reply_counts(exchange(felt, ("Reflections on Emotions",), 20))
    low = adaptation.reply_counts(exchange(felt, ("Problem-Solving",), 20))
    monkeypatch.setattr(adaptation, "packaged_reference", lambda: Reference(high, low, {}))
    good, bad = exchange(felt, ("Reflections on Emotions",), 6), exchange(felt, ("Problem-Solving",), 6)
    ratio, turned = adaptation.adaptation_log_ratio(good).value, adaptation.adaptation_log_ratio(bad).value
    assert ratio is not None and turned is not None
    assert ratio > 1 and ratio == pytest.approx(-turned)


def test_a_dialogue_of_the_reference_is_taken_out_of_its_table() -> None:
    own = exchange(("Gained Insights",), ("Planning",), 5)
    counts = adaptation.reply_counts(own)
    reference = Reference(
        adaptation.add_counts([counts, counts]), counts, {adaptation.dialogue_key(own.transcript): "high"}
    )
    left = reference.without(own.transcript, counts)
    assert left.high == counts and left.low == counts
    other = exchange(("Gained Insights",), ("Planning",), 6)
    assert reference.without(other.transcript, counts) is reference


def test_missing_with_a_reason() -> None:
    short = exchange(("Gained Insights",), ("Planning",), 2)
    assert adaptation.adaptation_log_ratio(short).reason == (
        "2 replies with a code to client turns with a code; at least 5 are needed"
    )
    uncoded = talk(("C", "neutral", "So."), ("T", "other", "Well."))
    for measure in (adaptation.divergence_from_high, adaptation.divergence_from_low, adaptation.adaptation_log_ratio):
        assert (measure(uncoded).value, measure(uncoded).reason) == (None, NO_BOLT)


def test_the_packaged_reference_holds_numbers_and_fingerprints_only() -> None:
    reference = adaptation.packaged_reference()
    assert sorted(set(reference.members.values())) == ["high", "low"]
    assert all(len(key) == 16 and int(key, 16) >= 0 for key in reference.members)
    for table in (reference.high, reference.low):
        assert (len(table), {len(row) for row in table}) == (len(CLIENT), {len(THERAPIST)})
        assert min(map(min, table)) >= 0 and sum(map(sum, table)) > 50
