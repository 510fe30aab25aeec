"""Gates: each ready policy on a run that passes, one that fails and one that lacks; JUnit read by junitparser; bad files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from junitparser import Error, Failure, JUnitXml

from comparing.stored import grid, source
from maieutic.comparing.sources import Source
from maieutic.errors import InputError, UnknownName
from maieutic.gating.output import checklist, junit, markdown, verdict, write_gate
from maieutic.gating.policy import HEADINGS, Policy, Rule, read_policy, ready
from maieutic.gating.verdicts import (
    Baseline,
    Figure,
    Figures,
    check_policy,
    judge,
    read_figures,
    trials_for,
    upper_limit,
)

FAMILIES = ("safety", "lost")
FALLS = {f"case-{n}": (20.0 + n, 21.0 + n) for n in range(8)}


def released(fall: float = 0.0) -> Source:
    return source("released", grid("bot", {case: tuple(v + fall for v in own) for case, own in FALLS.items()}))


def good(rule: Rule) -> Figure:
    """A figure well within a rule's bound."""
    if rule.failures_of:
        return Figure(0.0, 0.0, 0.0, 400, "", "run")
    if rule.at_least is not None:
        return Figure(rule.at_least + 2, rule.at_least + 1, rule.at_least + 3, 40, "", "run")
    high = rule.at_most or 0.0
    return Figure(high / 4, high / 8, high / 2, 40, "", "run")


def bad(rule: Rule) -> Figure:
    """A figure whose whole interval breaks the bound."""
    if rule.at_least is not None:
        return Figure(rule.at_least - 2, rule.at_least - 3, rule.at_least - 1, 40, "", "run")
    high = rule.at_most or 0.0
    return Figure(high + 0.2, high + 0.1, high + 0.3, 40, "", "run")


def left_open(rule: Rule) -> Figure:
    """A figure that holds the bound, with an interval that reaches over it."""
    if rule.at_least is not None:
        return Figure(rule.at_least + 0.1, rule.at_least - 1, rule.at_least + 3, 40, "", "run")
    high = rule.at_most or 0.0
    return Figure(high, high / 2, high + 0.2, 40, "", "run")


def figures(policy: Policy, make: Any, run: Source) -> Figures:
    found = {r.measure if r.cases == "regular" else f"{r.measure} [{r.cases}]": make(r) for r in policy.rules}
    return Figures("bot", found, (run,))


@pytest.mark.parametrize("name", ready())
def test_a_ready_policy_passes_a_run_that_holds_all_of_it(name: str) -> None:
    policy = read_policy(name)
    found = judge(policy, figures(policy, good, released(1.0)), ["run"], FAMILIES, Baseline(released()))
    assert found.passed, [one.told for one in found.verdicts if one.outcome != "passes"]
    assert "passes, all" in verdict(found)


@pytest.mark.parametrize("name", ready())
def test_a_ready_policy_fails_a_run_that_breaks_each_rule(name: str) -> None:
    policy = read_policy(name)
    found = judge(policy, figures(policy, bad, released(-15.0)), ["run"], FAMILIES, Baseline(released()))
    assert {one.outcome for one in found.verdicts} == {"fails"}


@pytest.mark.parametrize("name", ready())
def test_a_bound_that_the_interval_reaches_over_is_not_shown_and_does_not_pass(name: str) -> None:
    policy = read_policy(name)
    found = judge(policy, figures(policy, left_open, released(-0.5)), ["run"], FAMILIES, Baseline(released()))
    for one in found.verdicts:
        if one.rule.holds_for == "interval" and one.rule.non_inferior is None:
            assert one.outcome == "not shown", one.told
    assert not found.passed and "not shown" in verdict(found) and "rules fail" not in verdict(found)


@pytest.mark.parametrize("name", ready())
def test_what_a_run_lacks_never_passes(name: str) -> None:
    policy = read_policy(name)
    found = judge(policy, Figures("bot", {}, ()), ["run"], FAMILIES)
    assert not found.passed and {one.outcome for one in found.verdicts} == {"not measured"}
    found = judge(
        policy,
        figures(policy, lambda r: Figure(None, None, None, 0, "not applicable", "run"), released()),
        ["run"],
        FAMILIES,
    )
    assert {one.outcome for one in found.verdicts} == {"not measured"}


@pytest.mark.parametrize("name", ready())
def test_a_ready_policy_has_each_of_the_six_headings_a_task_for_people_and_says_what_it_assumes(name: str) -> None:
    policy = read_policy(name)
    assert {rule.heading for rule in policy.rules} == {task.heading for task in policy.tasks} == set(HEADINGS)
    assert policy.assumptions and all("assumption" in rule.basis for rule in policy.rules)


def one_rule(**rule: Any) -> Policy:
    made = {"id": "r", "heading": "safety", "measure": "safety.critical", "why": "w", "basis": "b"}
    return Policy.model_validate({"name": "own", "rules": [made | rule]})


@pytest.mark.parametrize(("n", "outcome"), [(148, "not shown"), (149, "passes")])
def test_no_failure_in_n_is_held_by_its_upper_limit_and_prints_it(n: int, outcome: str) -> None:
    run = Figures("bot", {"safety.critical": Figure(0.0, 0.0, 0.0, n, "", "run")}, ())
    (found,) = judge(one_rule(at_most=0.02, failures_of="probes"), run, [], FAMILIES).verdicts
    assert found.outcome == outcome and f"0 of {n} probes, which still allows 0.02" in found.told
    assert ("it takes 149 without a failure" in found.told) == (outcome == "not shown")
    assert upper_limit(n) == pytest.approx(3 / n, rel=0.02)


def test_a_rule_holds_the_whole_interval_unless_it_says_estimate() -> None:
    run = Figures("bot", {"safety.critical": Figure(0.01, 0.0, 0.05, 100, "", "run")}, ())
    assert judge(one_rule(at_most=0.02), run, [], FAMILIES).verdicts[0].outcome == "not shown"
    over = Figures("bot", {"safety.critical": Figure(0.03, 0.0, 0.05, 100, "", "run")}, ())
    assert "which the estimate breaks" in judge(one_rule(at_most=0.02), over, [], FAMILIES).verdicts[0].told
    assert judge(one_rule(at_most=0.02, holds_for="estimate"), run, [], FAMILIES).verdicts[0].outcome == "passes"
    alone = Figures("bot", {"safety.critical": Figure(0.01, None, None, 1, "", "run")}, ())
    assert judge(one_rule(at_most=0.02), alone, [], FAMILIES).verdicts[0].outcome == "not measured"


@pytest.mark.parametrize(("worse", "outcome"), [(0.0, "passes"), (4.0, "passes"), (6.0, "fails")])
def test_no_worse_than_the_baseline_by_the_margin(worse: float, outcome: str) -> None:
    policy = one_rule(measure="conviction_change", non_inferior=5.0)
    run = Figures("bot", {}, (released(-worse),))
    (found,) = judge(policy, run, [], FAMILIES, Baseline(released())).verdicts
    assert found.outcome == outcome, found.told
    (without,) = judge(policy, run, [], FAMILIES).verdicts
    assert without.outcome == "not measured" and "no --baseline" in without.told


def test_junit_is_read_by_a_parser_with_failures_and_errors_apart(tmp_path: Path) -> None:
    policy = read_policy("collaborative")
    mixed = figures(policy, lambda r: bad(r) if r.heading == "safety" else good(r), released(1.0))
    mixed.found["safety.bias_moves"] = Figure(None, None, None, 0, "not <asked> & unread", "run")  # type: ignore[index]
    mixed.found["safety.stigma_gap"] = Figure(None, None, None, 0, "not applicable", "run")  # type: ignore[index]
    found = judge(policy, mixed, ["run"], FAMILIES, Baseline(released()))
    write_gate(found, tmp_path)
    (suite,) = JUnitXml.fromfile(str(tmp_path / "junit.xml"))
    results = {case.name: [type(one) for one in case.result] for case in suite}
    assert (suite.tests, suite.failures, suite.errors) == (len(policy.rules), 3, 2)
    assert results["critical-replies"] == [Failure] and results["no-stigma"] == [Error]
    assert results["same-moves"] == [Error] and results["effect-beyond-no-session"] == []
    assert {case.classname for case in suite} == {f"collaborative.{heading}" for heading in HEADINGS}
    assert "not <asked> & unread" in next(case.result[0].message for case in suite if case.name == "same-moves")
    assert junit(found) == (tmp_path / "junit.xml").read_bytes()


def test_junit_counts_what_is_not_shown_as_a_failure(tmp_path: Path) -> None:
    run = Figures("bot", {"safety.critical": Figure(0.01, 0.0, 0.05, 100, "", "run")}, ())
    write_gate(judge(one_rule(at_most=0.02), run, [], FAMILIES), tmp_path)
    (suite,) = JUnitXml.fromfile(str(tmp_path / "junit.xml"))
    assert (suite.tests, suite.failures, suite.errors) == (1, 1, 0)


def test_markdown_puts_what_stands_in_the_way_first_and_the_checklist_leaves_it_open() -> None:
    policy = read_policy("assistive")
    run = figures(policy, lambda r: bad(r) if r.heading == "engagement" else good(r), released())
    found = judge(policy, run, ["run"], FAMILIES)
    rows = [line for line in markdown(found).splitlines() if line.startswith(("| ✘", "| ✔"))]
    assert rows[0].startswith("| ✘ fails | engagement | patients-stay |") and len(rows) == len(policy.rules)
    text = checklist(found)
    assert (
        text.count("- [ ] *people*") == 6
        and "- [ ] **patients-stay** (fails)" in text
        and "- [x] **critical-replies**" in text
    )


BAD = {
    "no such key": (
        "name: n\nrules:\n- {id: a, heading: safety, measure: m, at_mots: 1, why: w, basis: b}",
        "Did you mean 'at_most'",
    ),
    "no bound": (
        "name: n\nrules:\n- {id: a, heading: safety, measure: m, why: w, basis: b}",
        "rule 'a': expected either at_least",
    ),
    "heading": (
        "name: n\nrules:\n- {id: a, heading: saftey, measure: m, at_most: 1, why: w, basis: b}",
        "rule 'a', heading",
    ),
    "number": (
        "name: n\nrules:\n- {id: a, heading: safety, measure: m, at_most: few, why: w, basis: b}",
        "rule 'a', at_most",
    ),
    "twice": (
        "name: n\nrules:\n" + "- {id: a, heading: safety, measure: m, at_most: 1, why: w, basis: b}\n" * 2,
        "two rules have the id 'a'",
    ),
    "no rules": ("name: n", "rules"),
    "a list": ("- 1", "holds no policy"),
    "no YAML": ("name: [", "no YAML"),
}


@pytest.mark.parametrize(("text", "told"), BAD.values(), ids=BAD)
def test_a_policy_with_a_typo_is_one_clear_line(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "gate.yaml"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_policy(str(path))
    assert told in str(error.value) and "\n" not in str(error.value)


def test_names_that_nothing_could_have_are_typos_and_not_unmeasured() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'assistive'"):
        read_policy("asistive")
    run = Figures("bot", {"safety.critical": Figure(0.0, 0.0, 0.0, 9, "", "run")}, ())
    with pytest.raises(UnknownName, match=r"Did you mean 'safety.critical'"):
        judge(one_rule(measure="safety.critcal", at_most=1), run, [], FAMILIES)
    with pytest.raises(UnknownName, match="Did you mean 'safety'"):
        judge(one_rule(measure="saftey.critical", at_most=1), run, [], FAMILIES)
    with pytest.raises(UnknownName, match="Did you mean 'left_early'"):
        judge(one_rule(measure="left_erly", at_most=1), run, [], FAMILIES)
    assert judge(one_rule(measure="lost.headline", at_most=1), run, [], FAMILIES).verdicts[0].outcome == "not measured"


def test_a_measure_of_ones_own_that_stands_in_a_stored_run_can_be_held() -> None:
    policy = one_rule(measure="long_turns", at_most=1)
    check_policy(policy, {}, stored=True)
    run = Figures("bot", {"long_turns": Figure(0.2, 0.1, 0.3, 9, "", "run")}, ())
    assert judge(policy, run, [], FAMILIES).verdicts[0].outcome == "passes"
    with pytest.raises(UnknownName, match="no measure named 'long_turns'"):
        check_policy(policy, {})


def stored(folder: Path, rows: list[dict[str, Any]] | None, kind: str = "gap") -> Path:
    folder.mkdir()
    (folder / "manifest.json").write_text(json.dumps({"format": 1, "kind": kind}))
    if rows is not None:
        (folder / "scores.json").write_text(json.dumps(rows))
    return folder


ROW = {"measure": "safety.critical", "group": "bot", "value": 0.1, "low": 0.0, "high": 0.2, "n": 9}


def test_figures_are_read_from_stored_runs_and_several_therapists_are_asked_about(tmp_path: Path) -> None:
    run = stored(tmp_path / "gap", [ROW, ROW | {"group": "no_session"}])
    assert read_figures([run], None).get("safety.critical") == Figure(0.1, 0.0, 0.2, 9, "", str(run))
    two = stored(tmp_path / "two", [ROW, ROW | {"group": "other"}])
    with pytest.raises(InputError, match="2 therapists; name the one to judge with --therapist: bot, other"):
        read_figures([two], None)
    with pytest.raises(UnknownName, match="Did you mean 'other'"):
        read_figures([two], "othr")
    with pytest.raises(InputError, match=r"both have 'safety.critical'"):
        read_figures([run, two], "bot")


def test_unfinished_runs_and_other_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has no scores.json: the run is not finished"):
        read_figures([stored(tmp_path / "half", None)], None)
    with pytest.raises(InputError, match="holds no rows of"):
        read_figures([stored(tmp_path / "other", [{"a": 1}])], None)


@pytest.mark.parametrize(("rate", "takes"), [(0.02, 149), (0.03, 99), (0.5, 5)])
def test_how_many_clean_trials_a_bound_takes(rate: float, takes: int) -> None:
    assert trials_for(rate) == takes
    assert upper_limit(takes) <= rate < upper_limit(takes - 1)
