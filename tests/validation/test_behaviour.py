"""How a patient behaves: every check can hold and can break on rows made for it."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import numpy as np
import pytest

from maieutic.domain.case import STYLES
from maieutic.runs.findings import Finding
from maieutic.stats import Interval
from maieutic.validation.behaviour import (
    DOSES,
    GENERIC,
    Floats,
    doses,
    flips,
    leaks,
    recoverability,
    repeatability,
    styles,
)
from maieutic.validation.sessions import Row
from rows import CASES, make_row, near


def value(finding: Finding) -> Interval:
    assert finding.value is not None
    return finding.value


@pytest.mark.parametrize(
    ("compliant_at", "holds", "ever"), [(None, True, 0.0), (4, True, 0.1), (3, False, 0.1), (1, False, 0.1)]
)
def test_a_resistant_patient_must_not_flip_early(compliant_at: int | None, holds: bool, ever: float) -> None:
    rows = [make_row(arm, style=style, seed=n) for n, arm in enumerate(GENERIC) for style in ("upset", "reserved")]
    rows[0] = make_row(GENERIC[0], style="upset", compliant_at=compliant_at)
    early, at_all = flips(rows)
    assert early.holds is holds
    assert (value(early).estimate, value(early).n) == (0.0 if holds else 0.1, 10)
    assert value(at_all).estimate == pytest.approx(ever)
    assert at_all.holds is None


def test_only_generic_empathy_and_resistant_styles_are_asked_about() -> None:
    others = [make_row("oracle", style="upset", compliant_at=1), make_row("warm", style="plain", compliant_at=1)]
    early, _ = flips([make_row("warm", style="upset"), *others])
    assert (early.holds, value(early).n) == (True, 1)


def test_a_flip_bound_without_patients_does_not_hold() -> None:
    assert flips([make_row("warm", style="plain")])[0].holds is None


def test_a_leak_bound_without_sessions_does_not_hold() -> None:
    assert leaks([make_row("no_session")])[0].holds is None


def curve(*at: float) -> tuple[float, ...]:
    """Conviction by turn from 80, given the fall after 5, 10, 15 and 20 turns."""
    return tuple(80.0 - float(np.interp(turn, (0, *DOSES), (0.0, *at))) for turn in range(21))


@pytest.mark.parametrize(
    ("late", "holds"), [((5.0, 10.0, 15.0, 20.0), True), ((5.0, 5.0, 5.0, 5.0), True), ((5.0, 12.0, 10.0, 20.0), False)]
)
def test_more_good_questions_must_do_more(late: tuple[float, ...], holds: bool) -> None:
    found = doses([make_row(case=case, held=curve(*late)) for case in CASES])
    assert [value(f).estimate for f in found[:-1]] == [pytest.approx(x) for x in late]
    assert found[-1].holds is holds
    assert value(found[-1]).estimate == pytest.approx(min(b - a for a, b in pairwise(late)))


def test_a_patient_who_leaves_stays_where_it_was() -> None:
    found = doses([make_row(case=case, held=(80.0, 78.0, 76.0)) for case in CASES])
    assert [value(f).estimate for f in found] == [4.0, 4.0, 4.0, 4.0, 0.0]
    assert [value(f).n for f in doses([make_row("warm"), make_row(group="risk")])[:-1]] == [0, 0, 0, 0]


def test_a_session_played_twice_must_be_the_same() -> None:
    rows = [make_row("warm", case) for case in CASES]
    assert repeatability(rows, rows)[0].holds is True
    other = [make_row("warm", CASES[0], digest="else"), *rows[1:]]
    found = repeatability(rows, other)[0]
    assert (found.holds, value(found).estimate) == (False, 7 / 8)
    assert repeatability(rows, [])[0].holds is False
    assert repeatability(rows, [make_row("warm", "never-played-before")])[0].holds is False


def test_what_is_the_cases_and_what_is_the_seeds() -> None:
    def share(*groups: tuple[float, ...]) -> float | None:
        rows = [make_row(case=CASES[n], seed=s, fall=f) for n, group in enumerate(groups) for s, f in enumerate(group)]
        found = repeatability(rows, rows)
        return value(found[1]).estimate if len(found) > 1 else None

    assert share((10.0, 10.0), (20.0, 20.0), (30.0, 30.0)) == pytest.approx(1.0)
    # one-way analysis by hand: means 11, 15, 19; between 2·(16+0+16)/2 = 32, within 6/3 = 2; (32 − 2)/(32 + 2)
    assert share((10.0, 12.0), (14.0, 16.0), (18.0, 20.0)) == pytest.approx(30 / 34)
    assert share((10.0, 30.0), (10.0, 30.0), (30.0, 10.0)) == pytest.approx(-1.0)
    assert share((10.0,), (20.0,)) is None


def test_one_leak_breaks_the_bound_and_no_session_is_not_asked() -> None:
    rows = [make_row("warm", case, repeats=0.25) for case in CASES]
    bound, repeated = leaks([*rows, make_row("no_session", leaks=0)])
    assert (bound.holds, value(bound).estimate, value(bound).n) == (True, 0.0, 8)
    assert value(repeated).estimate == 0.25
    bound, _ = leaks([*rows, make_row("wide", leaks=2)])
    assert (bound.holds, value(bound).estimate) == (False, near(1 / 9))


def spoken(case: int, style: str, length: int, rng: Random) -> Row:
    said = tuple(" ".join(["word"] * (length + rng.randint(0, 2))) + rng.choice(".!?") for _ in range(5))
    return make_row("warm", f"case-{case:02}", style=style, said=said)


def test_styles_are_told_apart_when_they_sound_apart_and_not_when_they_sound_alike() -> None:
    rng = Random(1)
    apart = [spoken(n, style, 4 + 9 * k, rng) for n in range(15) for k, style in enumerate(STYLES)]
    alike = [spoken(n, style, 12, rng) for n in range(15) for style in STYLES]
    (clear,), (mute,) = styles(apart), styles(alike)
    assert clear.holds is True
    assert (value(clear).estimate or 0.0) > 0.45
    assert mute.holds is False
    assert (value(mute).estimate or 0.0) < 0.25
    (missing,) = styles([r for r in apart if r.style != "upset"])
    assert (missing.value, missing.holds) == (None, None)
    assert "not every style" in missing.note


def test_a_state_that_shows_in_the_words_is_recovered_and_one_that_does_not_is_not() -> None:
    rng = Random(4)
    rows, vectors = [], dict[str, Floats]()
    for n in range(40):
        fall = rng.uniform(0.0, 40.0)
        said = tuple(f"turn {n} {k}" for k in range(6))
        vectors |= {t: np.array([fall + rng.gauss(0.0, 4.0), rng.gauss(0.0, 1.0)]) for t in said}
        rows.append(
            make_row(
                "oracle", f"case-{n:02}", fall=fall, said=said, openness=(0.4, rng.random()), distress=(70.0, 50.0)
            )
        )
    held, openness, distress = recoverability(rows, vectors)
    assert (value(held).low or 0.0) > 0.8
    assert (value(openness).low or 0.0) <= 0.0
    assert (value(openness).estimate or 0.0) < 0.2
    assert value(distress).estimate is None  # what never varies has no correlation
    (few,) = recoverability([r for r in rows if r.case < "case-04"], vectors)
    assert (few.value, few.holds) == (None, None)
    other = [make_row("oracle", r.case, world="other", said=r.said) for r in rows]
    assert recoverability(other, vectors)[0].value is None
