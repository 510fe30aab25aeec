"""The figures of patients behind a model are computed as said, and the docs tell the ones that are stored."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from benchmark_modules import benchmark

worded = benchmark("worded")
PAGE = Path(__file__).parents[2] / "docs" / "validation.md"


def session(patient: str, arm: str, case: str, fall: float, **more: Any) -> dict[str, Any]:
    empty = {"asked": 1, "worded": 1, "heard": 1, "turns": 1, "refused": [], "made_up": []}
    return {"patient": patient, "arm": arm, "case": case, "held": [80.0, 80.0 - fall]} | empty | more


def test_falls_are_beyond_no_session_and_shares_of_the_oracle() -> None:
    cases = [f"case-{n}" for n in range(6)]
    sessions = [session("embedded", "no_session", case, 1.0) for case in cases]
    for patient, best, own in (("worded", 11.0, 6.0), ("embedded", 21.0, 6.0)):
        sessions += [session(patient, "oracle", case, best) for case in cases]
        sessions += [session(patient, "wide", case, own + number) for number, case in enumerate(cases)]
    marks = [{"kind": "x", "case": case, "mark": "fits"} for case in cases]
    lines = worded.tables({"date": "d", "model": "m", "sessions": sessions, "marks": marks})
    wide = next(line for line in lines if line.startswith("wide"))
    assert "worded 7.5 [5.5, 9.5] (n 6), 75 % of the oracle" in wide
    assert "embedded 7.5 [5.5, 9.5] (n 6), 38 % of the oracle" in wide
    assert "difference 0.0 [0.0, 0.0] (n 6)" in wide
    assert "x: fits 1.00 [1.00, 1.00] (n 6)" in lines[-1]


@pytest.mark.parametrize("patient", ["worded", "embedded"])
def test_the_page_tells_the_stored_figures(patient: str) -> None:
    stored = json.loads(worded.STORED.read_text(encoding="utf-8"))
    page = PAGE.read_text(encoding="utf-8").replace("−", "-")
    section = page[page.index("## A language model as ear and mouth") : page.index("## Figures")]
    lines = worded.tables(stored)
    for arm in ("oracle", "padesky_script", "worksheet", "fishing", "warm"):
        line = next(line for line in lines if line.startswith(f"{arm}:"))
        figure = re.search(rf"{patient} (\S+ \[\S+ \S+\])", line)
        assert figure is not None and figure[1] in section, line
    for line in lines:
        if patient == "worded" and line.split(",")[0] in ("worded", "embedded", "human anchor", "shuffled anchor"):
            fits = re.search(r"fits (\S+ \[\S+ \S+\])", line)
            assert fits is not None and fits[1] in section, line
