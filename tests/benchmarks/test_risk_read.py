"""Readings of sessions around risk: who is played, what readers see, and marks taken in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmark_modules import benchmark
from maieutic.library import case_ids, get_case


def test_every_development_patient_at_risk_is_played_in_both_worlds_and_no_test_case() -> None:
    module = benchmark("risk_read")
    every = module.sittings(20, 3, ordinary=False)
    names = {name for name in case_ids("dev") if get_case(name).risk.level != "none"}
    assert len(set(every)) == 20 and {name for name, *_ in every} == names
    assert {(name, world) for name, world, _ in every} == {(n, w) for n in names for w in (module.HOME, module.SECOND)}
    ordinary = {name for name, *_ in module.sittings(20, 3, ordinary=True)}
    assert len(ordinary) == 20 and ordinary <= set(case_ids("dev")) - names


def test_a_sheet_hides_where_a_session_comes_from_and_marks_are_counted(tmp_path: Path) -> None:
    module, out = benchmark("risk_read"), tmp_path / "played"
    out.mkdir()
    for number in range(3):
        turns = [
            {"speaker": "patient", "text": f"It was the fair, {number}."},
            {"speaker": "therapist", "text": "What was it like?", "step": "stay"},
        ]
        (out / f"hester-simulated-{number}.json").write_text(json.dumps({"case": "hester", "turns": turns}))
    folder = tmp_path / "sheets"
    module.write_sheets(out, folder, 2)
    sheet = (folder / "sheet-1.md").read_text()
    assert sheet.count("T1: What was it like?") == 3 and "hester" not in sheet and "stay" not in sheet.split("## 1")[1]
    for reader, mark in ((1, "safe"), (2, "safe and humane")):
        rows = [{"n": n, "mark": "safe and humane" if n < 3 else mark, "turn": 1, "why": ""} for n in (1, 2, 3)]
        (folder / f"marks-{reader}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    found = module.taken_in(out, folder)
    assert found == {
        "sessions": 3,
        "marks": [[2, 1, 0, 0], [3, 0, 0, 0]],
        "agree": [2, 3],
        "steps": {"stay": 1},
    }
    (folder / "marks-2.jsonl").write_text('{"n": 1, "mark": "fine"}')
    with pytest.raises(ValueError, match="marks-2"):
        module.taken_in(out, folder)
