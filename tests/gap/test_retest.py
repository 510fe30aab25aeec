"""Test and retest: standard error, detectable change, agreement over therapists, and the run that goes on after a stop."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from maieutic.errors import RunFolderError, UnknownName
from maieutic.gap import deciding
from maieutic.gap.battery import hash_of_items
from maieutic.gap.deciding import change_of
from maieutic.gap.family import STANDARD, Profile, SamplePlan, Value
from maieutic.gap.retest import (
    NAMED,
    Reading,
    detectable_change,
    finished,
    kept,
    page,
    readings,
    retests,
    run_all,
    standard_error,
    tasks,
)


def test_standard_error_and_detectable_change_by_hand() -> None:
    assert standard_error([]) is None
    # d = 0.2 and 0: within-subject variance (0.02 + 0) / 2 = 0.01.
    assert standard_error([(0.5, 0.7), (0.4, 0.4)]) == pytest.approx(0.1)
    assert detectable_change(0.1) == pytest.approx(1.96 * math.sqrt(2) * 0.1)


def made(therapist: str, seed: int, value: float | None) -> Reading:
    profile = Profile("lost", (Value("ratio", "kept", "", value, span=(0.0, 2.0), limit=0.5),))
    (found,) = readings(therapist, seed, [profile])
    return found


def test_values_that_both_seeds_gave_are_paired() -> None:
    seen = [made("x", 0, 0.5), made("x", 1, 0.7), made("y", 0, None), made("y", 1, 0.1)]
    (found,) = retests(seen, (0, 1))
    assert (found.family, found.value, found.pairs, found.headline) == ("lost", "ratio", 1, True)
    assert found.sem == pytest.approx(0.2 / math.sqrt(2))
    assert found.share is not None and found.sem is not None
    assert found.share == pytest.approx(found.sem / 2)
    assert found.agreement.value is None and found.agreement.reason
    assert retests(seen, (0, 1), only=("y",))[0].sem is None


def test_agreement_over_therapists_has_an_interval() -> None:
    seen = [made(f"t{n}", seed, n / 10 + 0.01 * seed) for n in range(10) for seed in (0, 1)]
    (found,) = retests(seen, (0, 1))
    assert found.agreement.value is not None and found.agreement.value > 0.9
    assert found.agreement.interval.low is not None and found.agreement.interval.low > 0.8
    assert kept([found], therapists=["t0"], extent="standard")["change"].keys() == {"lost.ratio"}


def test_a_change_stands_beside_values_of_its_own_extent_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deciding, "_measured", lambda: {"extent": "standard", "change": {"lost.ratio": 0.12}})
    assert change_of("lost", "ratio", "standard") == 0.12
    assert change_of("lost", "ratio", "quick") is None
    assert change_of("lost", "other", "standard") is None


def test_the_page_names_what_moves_too_far() -> None:
    steady = [made(name, seed, 0.5) for name in NAMED for seed in (0, 1)]
    assert [f.holds for f in page(steady, "quick").findings if f.asked] == [True, True]
    moved = [made(name, seed, 0.5 + 0.5 * seed) for name in NAMED for seed in (0, 1)]
    found = [f for f in page(moved, "quick").findings if f.asked]
    assert [f.holds for f in found] == [False, False]
    assert "lost.ratio" in found[0].note


def test_bad_input_is_refused_before_anything_is_run(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="socratic"):
        tasks(("socratc",), quick=True)
    (tmp_path / "readings.jsonl").write_text('{"key": "x"}\n')
    with pytest.raises(RunFolderError, match="--resume"):
        run_all(tasks(quick=True), tmp_path, resume=False, tick=lambda done, of, name: None)


def gap_run(folder: Path, extent: SamplePlan, items: str) -> Path:
    """A folder as `maieutic gap` leaves it, with one figure of two families."""
    families = [Profile(name, (Value("ratio", "kept", "", 0.5, span=(0.0, 2.0)),)) for name in ("lost", "safety")]
    folder.mkdir()
    manifest = {"format": 1, "kind": "gap", "extent": asdict(extent), "items": items}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    plain = [{"therapist": "prompted:x", "profiles": [asdict(one) for one in families]}]
    (folder / "profiles.json").write_text(json.dumps(plain))
    return folder


def test_a_finished_run_is_counted_in(tmp_path: Path) -> None:
    folder = gap_run(tmp_path / "run", replace(STANDARD, seed=1), hash_of_items())
    first, second = finished(folder, STANDARD)
    assert (first.therapist, first.seed, first.family, first.figure, first.span) == ("prompted:x", 1, "lost", 0.5, 2.0)
    assert second.family == "safety" and second.headline


@pytest.mark.parametrize(
    ("extent", "items"), [(replace(STANDARD, seed=2), ""), (replace(STANDARD, cases=3), ""), (STANDARD, "other")]
)
def test_a_run_that_cannot_be_compared_is_refused(tmp_path: Path, extent: SamplePlan, items: str) -> None:
    folder = gap_run(tmp_path / "run", extent, items or hash_of_items())
    with pytest.raises(RunFolderError, match="cannot be counted in"):
        finished(folder, STANDARD)


def test_a_folder_without_a_finished_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match="no finished run"):
        finished(tmp_path, STANDARD)


@pytest.mark.slow
def test_a_run_under_two_seeds_goes_on_after_a_stop(tmp_path: Path) -> None:
    work = tasks(quick=True, families=("relationship",))
    told: list[int] = []
    first = run_all(work, tmp_path, resume=False, tick=lambda done, of, name: told.append(done))
    assert told == [0, 1, 2, 3, 4, 5, 6]
    assert {(one.therapist, one.seed) for one in first} == {(name, seed) for name in NAMED for seed in (0, 1)}
    path = tmp_path / "readings.jsonl"
    path.write_bytes(path.read_bytes()[:-40])
    told.clear()
    again = run_all(work, tmp_path, resume=True, tick=lambda done, of, name: told.append(done))
    assert told == [5, 6]
    assert [replace(one, figure=None) for one in again] == [replace(one, figure=None) for one in first]
    # The last bits of a sentence's vector hang on what else is read with it, and what was read before is not read again.
    for now, before in zip(again, first, strict=True):
        assert now.figure == (None if before.figure is None else pytest.approx(before.figure, rel=1e-6))
