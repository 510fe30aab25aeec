"""Comparing by hand-made runs: what is refused, what is told apart, and which sessions turned round where."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from comparing.stored import grid, session, source
from maieutic.comparing.compare import Asked, Comparison, compare, flips
from maieutic.comparing.output import (
    answer,
    difference,
    needed,
    print_comparison,
    render,
    seen,
    symbols,
    write_comparison,
)
from maieutic.comparing.sources import Contest, contests
from maieutic.errors import InputError, UnknownName
from maieutic.evaluation.summary import score_episodes, summarise

FALLS = {f"case-{n}": (3.0 + n, 2.0 + n) for n in range(8)}
BETTER = {case: tuple(fall + 12.0 + (n % 3) for n, fall in enumerate(own)) for case, own in FALLS.items()}


def before(**manifest: object):  # type: ignore[no-untyped-def]
    return source("before", grid("bot", FALLS), **manifest)


def after(**manifest: object):  # type: ignore[no-untyped-def]
    return source("after", grid("bot", BETTER, words="And then?"), **manifest)


def test_what_one_comparison_asks_for_is_not_in_the_next() -> None:
    def has(found: Comparison) -> bool:
        return found.contests[0].row("session_words", "regular") is not None

    assert has(compare([before(), after()], Asked(measures=("session_words",))))
    assert has(compare([before(), after()], Asked(differences={"session_words": 5.0})))
    assert not has(compare([before(), after()], Asked()))


UNEQUAL = {
    "patient": ({"patient": "voiced:x"}, "patient: simulated in before, voiced:x in after"),
    "turns": ({"turns": 12}, "turns: 20 in before, 12 in after"),
    "run_seed": ({"run_seed": 5}, "run_seed: 0 in before, 5 in after"),
    "prompts.patient_voice": ({"prompts": {"patient_voice": "2"}}, "prompts.patient_voice: 1 in before, 2 in after"),
    "versions.maieutic": ({"versions": {"maieutic": "0.2.0"}}, "versions.maieutic: 0.1.0 in before, 0.2.0 in after"),
    "cases": (
        {"cases": {f"case-{n}": "hash" for n in range(7)} | {"case-7": "changed"}},
        "another version in after: case-7",
    ),
}


@pytest.mark.parametrize(("manifest", "told"), UNEQUAL.values(), ids=UNEQUAL)
def test_what_is_unequal_is_refused_and_named(manifest: dict[str, object], told: str) -> None:
    with pytest.raises(InputError, match="not the same patients") as error:
        compare([before(), after(**manifest)], Asked())
    assert told in str(error.value) and "--allow" in str(error.value)


@pytest.mark.parametrize("name", UNEQUAL)
def test_what_is_allowed_stays_as_a_warning_on_the_page(name: str) -> None:
    found = compare([before(), after(**UNEQUAL[name][0])], Asked(allowed=(name.partition(".")[0],)))
    assert len(found.warnings) == 1 and name in found.warnings[0]
    assert found.warnings[0] in render(found)


def test_a_prompt_that_came_later_was_not_there_to_differ() -> None:
    later = after(prompts={"patient_voice": "1", "new": "9"})
    assert compare([before(), later], Asked()).warnings == ()


def test_other_seeds_and_other_minds_at_the_start_are_refused() -> None:
    fewer = source("after", [e for e in grid("bot", BETTER) if e.key.seed == 0])
    with pytest.raises(InputError, match=r"seeds: bot .* 1 and 2 a case"):
        compare([before(), fewer], Asked())
    other = [session("bot", e.key.case, [70.0, 60.0], seed=e.key.seed) for e in grid("bot", BETTER)]
    with pytest.raises(InputError, match=r"starts: .* 16 of 16 sessions begin with another mind"):
        compare([before(), source("after", other)], Asked())


def test_a_planted_difference_is_told_apart_and_its_direction_is_right() -> None:
    row = compare([before(), after()], Asked()).contests[0].row("conviction_change")
    assert row is not None and row.verdict == "better" and row.named
    assert row.difference.estimate == pytest.approx(12.5)
    back = compare([after(), before()], Asked()).contests[0].row("conviction_change")
    assert back is not None and back.verdict == "worse"


def test_the_report_of_a_run_and_a_comparison_say_one_interval_of_one_difference() -> None:
    whole = source("run", [*grid("bot", FALLS), *grid("new", BETTER, words="And then?")])
    (told,) = summarise(whole.episodes, score_episodes(whole.episodes), run_seed=3).differences
    row = compare([whole], Asked(arms=("bot", "new"))).contests[0].row("conviction_change")
    assert row is not None and (told.first, told.second) == ("bot", "new")
    found = row.difference
    assert told.interval.low is not None and found.low is not None and found.high is not None
    assert (told.interval.estimate, told.interval.low, told.interval.high) == pytest.approx(
        (-(found.estimate or 0.0), -found.high, -found.low)
    )


def test_a_few_cases_are_said_to_be_too_few_and_get_no_interval_p_or_power() -> None:
    few = [{case: own for case, own in falls.items() if case < "case-3"} for falls in (FALLS, BETTER)]
    one = compare([source("a", grid("bot", few[0])), source("b", grid("bot", few[1], words="Hm."))], Asked()).contests[
        0
    ]
    row = one.row("conviction_change")
    assert row is not None and row.verdict == "too few cases"
    assert (row.difference.low, row.difference.p, row.detectable, needed(row)) == (None, None, None, "–")
    assert difference(row) == "+12.5 (no interval: 3 cases, 6 needed)"
    assert "3 cases give no interval and no test, 6 are needed" in answer(one)


def test_a_difference_larger_than_the_scale_is_said_to_be_out_of_reach() -> None:
    """Six cases of which half fall by 70 points more and half by 70 less: it would take over 100 points to be shown."""
    wild = {f"case-{n}": (-60.0 if n % 2 else 75.0,) for n in range(6)}
    still = {f"case-{n}": (float(n),) for n in range(6)}
    found = compare([source("a", grid("bot", still)), source("b", grid("bot", wild, words="Hm."))], Asked())
    one = found.contests[0]
    row = one.row("conviction_change")
    assert row is not None and row.out_of_reach and row.detectable is None
    assert seen(row) == "not reachable"
    assert "no difference in conviction is reachable with these 6 cases" in answer(one)
    assert "not reachable" in render(found)


def test_marks_of_a_comparison_are_explained_on_the_page_and_in_the_terminal() -> None:
    found, out = compare([before(), after()], Asked()), Console(record=True, width=80, file=StringIO())
    print_comparison(found, out)
    assert symbols() in render(found)
    assert "● not told apart" in " ".join(out.export_text().split())


def test_holm_counts_the_named_measures_and_the_others_get_a_false_discovery_rate() -> None:
    one = compare([before(), after()], Asked(measures=("conviction_change", "distress_change"))).contests[0]
    named = [row for row in one.rows if row.named]
    assert [row.entry.id for row in named] == ["conviction_change", "distress_change"]
    assert named[0].adjusted == pytest.approx(2 * (named[0].difference.p or 0.0))


def test_runs_that_went_alike_are_said_to_be_so_and_not_tested() -> None:
    one = compare([before(), source("again", grid("bot", FALLS))], Asked()).contests[0]
    assert one.identical and one.flips == ()
    assert all(row.adjusted is None for row in one.rows)


def test_a_name_that_nothing_has_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'conviction_change'"):
        compare([before(), after()], Asked(measures=("conviction_chnge",)))
    with pytest.raises(UnknownName, match="Did you mean 'patient'"):
        compare([before(), after()], Asked(allowed=("pateint",)))
    with pytest.raises(UnknownName, match="Did you mean 'bot'"):
        compare([before(), after()], Asked(arms=("bott",)))


def test_one_run_with_one_therapist_has_nothing_to_compare() -> None:
    with pytest.raises(InputError, match="name a second one"):
        contests([before()])
    with pytest.raises(InputError, match="name a second arm"):
        contests([before()], ["bot"])


def test_the_only_other_arms_are_set_against_each_other_and_shared_ones_beside_them() -> None:
    a = source("a", [*grid("old", FALLS), *grid("eliza", FALLS)])
    b = source("b", [*grid("new", BETTER), *grid("eliza", FALLS)])
    found = compare([a, b], Asked())
    assert [(c.contest.first.therapist, c.contest.second.therapist) for c in found.contests] == [
        ("old", "new"), ("eliza", "eliza"),
    ]  # fmt: skip
    assert [c.identical for c in found.contests] == [False, True]


CURVES = {
    "helped by the second": ([80, 80, 80, 80], [80, 79, 70, 50], ("stayed", "nearer"), 2),
    "harmed by the second": ([80, 78, 60, 50], [80, 80, 85, 90], ("nearer", "farther"), 2),
    "parts, meets and parts": ([80, 80, 80, 80, 80], [80, 70, 79, 74, 60], ("stayed", "nearer"), 3),
    "a true thought talked away": ([36, 36, 34], [36, 20, 10], ("stayed", "farther"), 1),
    "ends early": ([80, 80], [80, 80, 80, 60], ("stayed", "nearer"), 3),
}


@pytest.mark.parametrize(("one", "two", "results", "turn"), CURVES.values(), ids=CURVES)
def test_a_session_that_turned_round_is_found_with_the_turn_where_the_minds_part(
    one: list[float], two: list[float], results: tuple[str, str], turn: int
) -> None:
    a, b = source("a", [session("x", "c", one)]), source("b", [session("y", "c", two, words="Hm.")])
    (found,) = flips(Contest(a.arm("x"), b.arm("y")))
    assert (found.first.result, found.second.result) == results
    assert (found.minds_part, found.words_part) == (turn, 1)


ALIKE = {
    "same result": ([80, 60], [80, 55]),
    "just over the line": ([80, 75.5], [80, 74.5]),
    "small": ([80, 80], [80, 78]),
}


@pytest.mark.parametrize(("one", "two"), ALIKE.values(), ids=ALIKE)
def test_sessions_that_came_out_alike_did_not_turn(one: list[float], two: list[float]) -> None:
    a, b = source("a", [session("x", "c", one)]), source("b", [session("y", "c", two)])
    assert flips(Contest(a.arm("x"), b.arm("y"))) == ()


def test_the_page_asks_for_nothing_outside_and_links_each_flip_to_its_turn(tmp_path: Path) -> None:
    found = compare([before(), after()], Asked())
    write_comparison(found, tmp_path)
    assert len(found.contests[0].flips) == 5
    page = (tmp_path / "compare.html").read_text()
    assert "http" not in page.replace("http://www.w3.org", "")
    for n in range(1, 6):
        assert f'href="#c1-f{n}a-2"' in page and f'id="c1-f{n}a-2"' in page
    assert page.index("Sessions that turned round") < page.index("Differences, measure by measure")
