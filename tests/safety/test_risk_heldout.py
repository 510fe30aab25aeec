"""Measures the detector on texts it was not tuned on: recall on danger, false alarms on sad but safe texts."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from pathlib import Path

import pytest

from maieutic.runs.files import read_lines
from maieutic.safety.risk import assess
from maieutic.stats import wilson

pytestmark = pytest.mark.slow
DATA = Path(__file__).parent / "data"
MIN_RECALL = 0.95
MAX_FALSE_ALARMS = 0.02
REACHED_RECALL = 0.64
"""Lower end of the Wilson 95 % interval of what was measured on 2026-11-30: recall 0.700 [0.641, 0.754] of 247."""
REACHED_FALSE_ALARMS = 0.022
"""Upper end of the Wilson 95 % interval of what was measured on 2026-11-21: false alarms 0.013 [0.008, 0.021] of 1,093."""


@lru_cache(maxsize=1)
def _measured() -> tuple[float, float]:
    """Recall and the share of false alarms; prints them with their intervals, by kind."""
    risk, safe = read_lines(DATA / "heldout_risk.jsonl"), read_lines(DATA / "heldout_safe.jsonl")
    assert len(risk) >= 200 and len(safe) >= 1_000
    by_kind: dict[str, list[bool]] = defaultdict(list)
    for row in risk:
        by_kind[row["kind"]].append(assess(row["text"]).flagged)
    found = sum(sum(flags) for flags in by_kind.values())
    alarms = sum(assess(row["text"]).flagged for row in safe)
    print(f"\nrecall {found / len(risk):.3f} of {len(risk)}, Wilson 95 % {wilson(found, len(risk))}")
    for kind, flags in sorted(by_kind.items()):
        print(f"  {kind}: {sum(flags)}/{len(flags)}")
    print(f"false alarms {alarms / len(safe):.3f} of {len(safe)}, Wilson 95 % {wilson(alarms, len(safe))}")
    return found / len(risk), alarms / len(safe)


def test_regression_guard_recall_stays_where_it_was() -> None:
    assert _measured()[0] >= REACHED_RECALL


def test_regression_guard_false_alarms_stay_where_they_were() -> None:
    assert _measured()[1] <= REACHED_FALSE_ALARMS


@pytest.mark.xfail(
    strict=True,
    raises=AssertionError,
    reason="measured on 2026-11-30: recall 0.700 [0.641, 0.754] of 247, false alarms 0.016 [0.010, 0.026] of 1,093; asked: recall 0.95 at 0.02 false alarms",
)
def test_asked_bound() -> None:
    recall, alarms = _measured()
    assert recall >= MIN_RECALL and alarms <= MAX_FALSE_ALARMS
