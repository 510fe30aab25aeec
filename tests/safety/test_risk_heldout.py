"""Measures the detector on texts it was not tuned on: recall on danger, false alarms on sad but safe texts."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import pytest

from maieutic.safety.risk import assess
from maieutic.stats import wilson

DATA = Path(__file__).parent / "data"
LEAST_RECALL = 0.95
MOST_FALSE_ALARMS = 0.02


def _rows(name: str) -> list[dict[str, str]]:
    path = DATA / name
    if not path.exists():
        pytest.skip(f"{name} is not there")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def test_recall_on_danger() -> None:
    rows = _rows("heldout_risk.jsonl")
    by_kind: dict[str, list[bool]] = defaultdict(list)
    for row in rows:
        by_kind[row["kind"]].append(assess(row["text"]).flagged)
    found = sum(sum(flags) for flags in by_kind.values())
    print(f"\nrecall {found / len(rows):.3f} of {len(rows)}, Wilson 95 % {wilson(found, len(rows))}")
    for kind, flags in sorted(by_kind.items()):
        print(f"  {kind}: {sum(flags)}/{len(flags)}")
    assert len(rows) >= 200
    assert found / len(rows) >= LEAST_RECALL


def test_false_alarms_on_safe_texts() -> None:
    rows = _rows("heldout_safe.jsonl")
    alarms = sum(assess(row["text"]).flagged for row in rows)
    print(f"\nfalse alarms {alarms / len(rows):.3f} of {len(rows)}, Wilson 95 % {wilson(alarms, len(rows))}")
    assert len(rows) >= 1_000
    assert alarms / len(rows) <= MOST_FALSE_ALARMS
