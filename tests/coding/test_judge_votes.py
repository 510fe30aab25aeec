"""How readings add up to probabilities, and when there is no code."""

from __future__ import annotations

import math
import random

import pytest

from coding.judges import FACETED, PLAIN, SEVERAL
from maieutic.coding.schemes import get_scheme
from maieutic.errors import InputError
from maieutic.judging.answer import Reading, Unreadable
from maieutic.judging.votes import Calibration, JudgedCoding, Missing, fit_calibration, shrunk, tally

BAD = Unreadable("no quote")


def said(*labels, quote="so", **facets):
    return Reading(labels, quote, facets)


def test_shares_are_drawn_towards_chance():
    assert shrunk(3, 3, 4) == pytest.approx(3.25 / 4)
    assert shrunk(0, 3, 4) == pytest.approx(0.25 / 4)
    assert sum(shrunk(count, 3, 3) for count in (2, 1, 0)) == pytest.approx(1)
    assert all(0 < shrunk(count, n, k) < 1 for n in range(1, 9) for count in range(n + 1) for k in range(1, 20))


def test_agreement_is_sure_and_division_abstains():
    sure = tally(PLAIN, "therapist", [said("ask")] * 3)
    most = tally(PLAIN, "therapist", [said("ask"), said("rest", quote="no"), said("rest", quote="yes")])
    split = tally(PLAIN, "therapist", [said("rest"), said("ask"), said("tell_more")])
    assert (sure.predicted, sure.abstain, most.predicted, most.abstain) == (("ask",), False, ("rest",), False)
    assert most.quote == "no"
    assert split.predicted == ("ask",)
    assert split.abstain
    for coding in (sure, most, split):
        assert math.fsum(coding.probabilities.values()) == pytest.approx(1)
        assert list(coding.probabilities) == ["ask", "tell_more", "rest"]


def test_an_even_vote_between_two_abstains():
    assert tally(PLAIN, "client", [said("yes"), said("no")]).abstain


def test_half_unreadable():
    half = tally(PLAIN, "therapist", [said("ask"), said("ask"), BAD, BAD])
    less = tally(PLAIN, "therapist", [said("ask"), BAD, BAD])
    assert isinstance(half, JudgedCoding)
    assert not half.abstain
    assert (half.asked, half.read, half.unreadable) == (4, 2, ("no quote", "no quote"))
    assert less.abstain
    assert less.predicted == ("ask",)


def test_all_unreadable_is_no_code():
    none = tally(PLAIN, "therapist", [BAD, Unreadable("no item 1"), BAD])
    assert none == Missing(
        "none of 3 answers could be read: no quote (2×); no item 1", 3, ("no quote", "no item 1", "no quote")
    )


def test_several_codes():
    found = tally(SEVERAL, "therapist", [said("ask", "rest"), said("rest"), said("rest", "ask")])
    assert found.predicted == ("rest", "ask")
    assert found.probabilities == pytest.approx({"ask": 2.5 / 4, "tell_more": 0.5 / 4, "rest": 3.5 / 4})
    weak = tally(SEVERAL, "therapist", [said("ask"), said(), said()])
    assert weak.predicted == ("ask",)
    assert weak.abstain


def test_no_code_fits_is_no_code():
    found = tally(SEVERAL, "therapist", [said(), said(), BAD])
    assert isinstance(found, Missing)
    assert "no code of several fits, by all 2 answers" in found.reason


def test_facets_count_where_most_answers_give_them():
    asked = tally(FACETED, "therapist", [said("ask", form="open"), said("ask", form="open"), said("ask")])
    assert asked.facets["form"].value == "open"
    assert asked.facets["form"].probabilities == pytest.approx({"open": 2.5 / 3, "closed": 0.5 / 3})
    assert tally(FACETED, "therapist", [said("rest"), said("rest"), said("ask", form="open")]).facets == {}


def test_codes_that_repeat_facets():
    epitome = get_scheme("epitome")
    found = tally(
        epitome, "therapist", [said(er="2", ip="0", ex="1"), said(er="2", ip="0", ex="1"), said(er="2", ip="0", ex="0")]
    )
    assert found.predicted == ("er=2", "ip=0", "ex=1")
    assert not found.abstain
    assert set(found.probabilities) == {label.id for label in epitome.therapist}
    assert tally(epitome, "therapist", [said(er="2", ip=str(at), ex="1") for at in range(3)]).abstain


def test_calibration_scales_and_keeps_order():
    shares = {"a": 0.7, "b": 0.2, "c": 0.1}
    softer = Calibration(2.0)(shares, multi_label=False)
    assert math.fsum(softer.values()) == pytest.approx(1)
    assert shares["a"] > softer["a"] > softer["b"] > softer["c"]
    assert Calibration(1.0)(shares, multi_label=True) == pytest.approx(shares)
    assert tally(PLAIN, "therapist", [said("ask")] * 3, calibration=Calibration(20)).abstain
    with pytest.raises(InputError):
        Calibration(0)


@pytest.mark.parametrize("multi_label", [False, True])
def test_a_sure_judge_that_errs_is_cooled_down(multi_label):
    rng = random.Random(1)
    given, gold = [], []
    for _ in range(400):
        label, other = rng.sample(["a", "b"], 2)
        given.append({label: 0.95, other: 0.05})
        gold.append({label if rng.random() < 0.7 else other})
    fitted = fit_calibration(given, gold, multi_label=multi_label)
    right = sum(max(one, key=one.get) in codes for one, codes in zip(given, gold, strict=True)) / len(gold)
    after = max(fitted(given[0], multi_label=multi_label).values())
    assert fitted.temperature > 1
    assert after == pytest.approx(right, abs=0.01)


def test_calibration_needs_codes():
    with pytest.raises(InputError, match="as many human codes"):
        fit_calibration([{"a": 1.0}], [], multi_label=False)
