"""Stored probabilities in, figures out: refusals, leaks between folds, baselines, bounds by point estimate."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from coded_rows import LABELS, Made, keep, made_rows, table_for
from maieutic.errors import InputError, UnreadableFile
from maieutic.runs.findings import Bound, by_estimate
from maieutic.stats import Interval
from maieutic.validation.coder import stored as keeping
from maieutic.validation.coder.evidence import lines_of, stored_heads
from maieutic.validation.coder.judged import PLANS, Plan, Reach, judge

PLAN = next(plan for plan in PLANS if plan.head == "annomi_therapist")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "data" / "annomi").mkdir(parents=True)
    (tmp_path / "data" / "annomi" / "AnnoMI-simple.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    return tmp_path / "data"


def stored(tmp_path: Path, data: Path, rows: list[Made], table: object, **more: object) -> keeping.Stored:
    keep(tmp_path / "oof", "annomi_therapist", rows, table, data, **more)  # type: ignore[arg-type]
    found = keeping.read("annomi_therapist", tmp_path / "oof")
    assert found is not None
    return found


def test_data_that_differ_are_refused_with_the_file_and_both_hashes(tmp_path: Path, data: Path) -> None:
    rows = made_rows()
    file = data / "annomi" / "AnnoMI-simple.csv"
    keep(tmp_path / "oof", "annomi_therapist", rows, table_for(rows), data, files=["annomi/AnnoMI-simple.csv"])
    assert list(stored_heads(data, tmp_path / "oof")) == ["annomi_therapist"]
    before = keeping.sha256(file)
    file.write_text("a,b\n1,3\n", encoding="utf-8")
    with pytest.raises(InputError) as refused:
        stored_heads(data, tmp_path / "oof")
    for part in ("AnnoMI-simple.csv", before, keeping.sha256(file), "train_coder.py"):
        assert part in str(refused.value)
    file.unlink()
    with pytest.raises(UnreadableFile, match=r"holds no annomi/AnnoMI-simple\.csv"):
        stored_heads(data, tmp_path / "oof")
    with pytest.raises(UnreadableFile, match="is not there"):
        stored_heads(tmp_path / "nowhere", tmp_path / "oof")


def test_a_broken_or_ill_fitting_file_is_named(tmp_path: Path, data: Path) -> None:
    rows = made_rows()
    path = keep(tmp_path / "oof", "annomi_therapist", rows, table_for(rows)[:, :-1], data)
    with pytest.raises(UnreadableFile, match="do not fit rows"):
        keeping.read("annomi_therapist", tmp_path / "oof")
    path.write_bytes(b"not an archive")
    with pytest.raises(UnreadableFile, match=r"annomi_therapist\.npz cannot be read"):
        keeping.read("annomi_therapist", tmp_path / "oof")
    keep(tmp_path / "oof", "annomi_therapist", [*rows[:-1], rows[0]], table_for(rows), data)
    with pytest.raises(UnreadableFile, match="stands in it twice"):
        keeping.read("annomi_therapist", tmp_path / "oof")
    assert keeping.read("socratic", tmp_path / "oof") is None


def test_rows_and_human_codes_must_fit(tmp_path: Path, data: Path) -> None:
    rows = made_rows()
    kept = stored(tmp_path, data, rows, table_for(rows))
    with pytest.raises(InputError, match="1 stored rows have no human code"):
        judge(PLAN, kept, rows[1:], draws=50)
    odd = [Made(rows[0].id, rows[0].group, ("praise",)), *rows[1:]]
    with pytest.raises(InputError, match="'praise'"):
        judge(PLAN, kept, odd, draws=50)
    more = [*rows, Made("900", "g0", ("other",))]
    assert judge(PLAN, kept, more, draws=50).notes == ("1 human-coded rows were not stored and are not in the figures",)


def test_figures_are_those_of_the_probabilities(tmp_path: Path, data: Path) -> None:
    from sklearn.metrics import accuracy_score, confusion_matrix, f1_score

    rows = made_rows()
    table = table_for(rows)
    found = judge(PLAN, stored(tmp_path, data, rows, table, tfidf=table_for(rows, skill=0.5, seed=9)), rows, draws=200)
    gold = [row.labels[0] for row in rows]
    said = [[LABELS[at] for at in one.argmax(-1)] for one in table.astype(np.float16)]
    assert found.macro_f1.estimate == pytest.approx(np.mean([f1_score(gold, one, average="macro") for one in said]))
    assert found.accuracy is not None
    assert found.accuracy.estimate == pytest.approx(np.mean([accuracy_score(gold, one) for one in said]))
    expected = np.mean([confusion_matrix(gold, one, labels=LABELS) for one in said], axis=0)
    assert found.confusion is not None
    assert np.allclose(found.confusion, expected)
    assert found.gain is not None and found.gain.low is not None and found.gain.low > 0
    assert (found.rows, found.groups, found.seeds, found.folds, found.mixed) == (120, 12, 2, 5, 0)
    assert found.coverage[0] == (1.0, pytest.approx(found.macro_f1.estimate))
    at_80 = dict(found.coverage)[0.8]
    assert found.sure_f1.estimate == pytest.approx(at_80)
    assert found.sure_gain.estimate == pytest.approx(at_80 - found.coverage[0][1])
    assert found.sure_gain.estimate > 0


def test_chance_does_not_look_like_skill(tmp_path: Path, data: Path) -> None:
    rows = made_rows(400, 40)
    found = judge(PLAN, stored(tmp_path, data, rows, table_for(rows, skill=0.0)), rows, draws=200)
    assert found.macro_f1.low is not None and found.macro_f1.low < 0.27
    assert found.sure_gain.low is not None and found.sure_gain.low < 0
    assert found.tfidf_f1 is None and found.gain is None


def test_a_group_in_two_folds_breaks_the_evidence(tmp_path: Path, data: Path) -> None:
    rows = made_rows()
    mixed = np.array([[at % 5 for at in range(len(rows))]] * 2, dtype=np.int8)
    found = judge(PLAN, stored(tmp_path, data, rows, table_for(rows, skill=9.0), fold=mixed), rows, draws=50)
    assert found.mixed == 24
    (line,) = [line for line in lines_of(found) if line.unit == "cases"]
    assert line.holds is False


def test_weights_of_another_day_break_the_evidence(tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "_CODING", tmp_path / "coding")
    (tmp_path / "coding" / "weights").mkdir(parents=True)
    (tmp_path / "coding" / "weights" / "one.npz").write_bytes(b"new")
    rows = made_rows()
    kept = stored(tmp_path, data, rows, table_for(rows), weights={"one.npz": "0" * 64, "absent.npz": "1" * 64})
    lines = lines_of(judge(PLAN, kept, rows, draws=50))
    (line,) = [line for line in lines if line.unit == "files"]
    assert (line.holds, line.note) == (False, "one.npz")


def test_several_labels_a_row(tmp_path: Path, data: Path) -> None:
    rows = [Made(str(at), f"g{at % 8}", ("question", "other")[: 1 + at % 2]) for at in range(80)]
    table = np.array([[[0.9, 0.1, 0.1, 0.8 if at % 2 else 0.2] for at in range(80)]])
    kept = stored(tmp_path, data, rows, table, multi_label=True, threshold=0.5)
    found = judge(PLAN, kept, rows, draws=50)
    assert found.macro_f1.estimate == pytest.approx(0.5)  # two labels are perfect, two never occur
    assert found.accuracy is None and found.confusion is None
    rare = [Made(row.id, row.group, (*row.labels, "seldom")) for row in rows]
    assert "80 human codes are of labels too rare" in judge(PLAN, kept, rare, draws=50).notes[0]


def test_the_mean_of_the_areas_within_stimuli_is_not_the_pooled_area(tmp_path: Path, data: Path) -> None:
    """Each stimulus is ranked perfectly within itself, but at levels that make the pooled ranking poor."""
    rows = [Made(f"{s}:{at}", f"s{s}", (str(at % 2 == 0),)) for s in range(4) for at in range(20)]
    level = [0.1 + 0.2 * s + (0.02 if at % 2 == 0 else 0.0) for s in range(4) for at in range(20)]
    rows.append(Made("9:0", "one sided", ("True",)))
    table = np.array([[[1 - value, value] for value in [*level, 0.5]]])
    kept = stored(tmp_path, data, rows, table, labels=("False", "True"))
    plan = Plan("annomi_therapist", "x", "stimulus", (Reach("mean_auc", 0.92),), by_stimulus=True)
    found = judge(plan, kept, rows, draws=50)
    assert found.mean_auc is not None and found.mean_auc.estimate == 1.0
    assert found.pooled_auc is not None and found.pooled_auc < 0.7
    assert found.stimuli[-1] == ("one sided", 1, None)
    assert found.notes == ("1 stimuli have verdicts of one kind only and no AUC",)


def test_the_point_estimate_decides_and_the_whole_interval_is_told() -> None:
    def judged(value: Interval | None, sign: Literal["≥", "≤"], number: float) -> tuple[bool | None, bool | None]:
        found = by_estimate("check", "title", value, "AUC", Bound(sign, number))
        return found.holds, found.whole

    value = Interval(0.79, 0.77, 0.81, 9)
    assert judged(value, "≥", 0.78) == (True, False)
    assert judged(value, "≥", 0.77) == (True, True)
    assert judged(value, "≥", 0.80) == (False, False)
    assert judged(value, "≤", 0.80) == (True, False)
    assert judged(value, "≤", 0.81) == (True, True)
    assert judged(None, "≥", 0.5) == judged(None, "≤", 0.5) == (None, None)
    assert judged(Interval(0.9, None, None, 1), "≥", 0.5) == (True, None)
