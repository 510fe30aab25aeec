"""The plan: its grid, the situation in play, what an episode is made of, the manifest."""

from __future__ import annotations

from typing import Any

from maieutic.domain.episode import EpisodeKey
from maieutic.evaluation.plan import Plan, package_versions
from maieutic.library import case_hash, select_cases
from maieutic.registry import load_therapist
from talks import Speaker

CASES = {case.id: case for case in select_cases(("gethin", "hester", "ifeoma"))}


def make_plan(**changes: Any) -> Plan:
    parts: dict[str, Any] = {
        "therapists": {"b": Speaker("b"), "a": load_therapist("oracle")},
        "cases": CASES,
        "seeds": {"a": 3, "b": 1},
        "turns": 5,
        "run_seed": 0,
    }
    return Plan(**{**parts, **changes})


def test_the_grid_is_sorted_and_has_as_many_seeds_as_each_arm_gets() -> None:
    grid = make_plan().grid()
    assert list(grid) == sorted(grid)
    assert len(grid) == 3 * 3 + 3
    assert len(set(grid)) == len(grid)


def test_a_limit_counts_for_each_arm() -> None:
    grid = make_plan(limit=2).grid()
    assert [key.therapist for key in grid] == ["a", "a", "b", "b"]
    assert set(grid) <= set(make_plan().grid())


def test_the_situation_hangs_on_case_and_seed_and_not_on_the_arm() -> None:
    plan = make_plan()
    for case in CASES:
        got = [plan.situation(EpisodeKey("a", case, seed)) for seed in range(40)]
        assert got == [plan.situation(EpisodeKey("b", case, seed)) for seed in range(40)]
        assert set(got) == {s.id for s in CASES[case].situations}
    other = make_plan(run_seed=1)
    keys = [EpisodeKey("a", "gethin", seed) for seed in range(40)]
    assert [plan.situation(k) for k in keys] != [other.situation(k) for k in keys]


def test_provenance_tells_what_measures_need() -> None:
    plan = make_plan()
    key = EpisodeKey("a", "hester", 1)
    made = plan.provenance(key)
    situation = next(s for s in CASES["hester"].situations if s.id == plan.situation(key))
    assert made["privileged"] is True
    assert plan.provenance(EpisodeKey("b", "hester", 1))["privileged"] is False
    assert made["special"] == "risk"
    assert plan.provenance(EpisodeKey("a", "ifeoma", 0))["special"] == "accurate"
    assert plan.provenance(EpisodeKey("a", "gethin", 0))["special"] is None
    assert made["warranted"] == situation.warranted
    assert set(made["against"]) == {e.id for e in situation.evidence if e.bearing == "against"}
    assert made["facts"] == {e.id: e.bearing for e in situation.evidence}


def test_equal_plans_have_equal_manifests_and_others_do_not() -> None:
    manifest = make_plan().manifest()
    assert manifest == make_plan().manifest()
    assert manifest["format"] == 1
    assert manifest["cases"] == {name: case_hash(case) for name, case in CASES.items()}
    changed: list[dict[str, Any]] = [
        {"turns": 6}, {"run_seed": 1}, {"seeds": {"a": 2, "b": 1}}, {"limit": 1}, {"patient": "voiced:x"},
        {"therapists": {"a": Speaker("a"), "c": Speaker("c")}, "seeds": {"a": 3, "c": 1}},
        {"cases": {"gethin": CASES["gethin"]}},
    ]  # fmt: skip
    for change in changed:
        assert make_plan(**change).manifest() != manifest, change


def test_a_changed_case_changes_the_manifest() -> None:
    case = CASES["gethin"]
    edited = case.model_copy(update={"history": case.history + " One more sentence."})
    assert make_plan(cases={**CASES, "gethin": edited}).manifest() != make_plan().manifest()


def test_versions_are_none_for_what_is_not_installed() -> None:
    found = package_versions(("maieutic", "no-such-package-at-all"))
    assert found["maieutic"]
    assert found["no-such-package-at-all"] is None
