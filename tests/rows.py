"""Builds rows of played sessions by hand, so that a test of a check shows exactly what went into it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from maieutic.validation.sessions import Row

CASES = tuple(f"case-{n}" for n in range(8))


def make_row(arm: str = "oracle", case: str = "case-0", seed: int = 0, *, fall: float = 0.0, **changes: Any) -> Row:
    """One regular session in the standard world in which conviction falls evenly over 20 turns from 80."""
    numbers: dict[str, Any] = {
        "world": "standard",
        "style": "plain",
        "group": "regular",
        "held": tuple(80.0 - fall * turn / 20 for turn in range(21)),
        "stated_end": 80.0 - fall,
        "warranted": 40.0,
        "distress": (70.0, 60.0),
        "openness": (0.4, 0.5),
        "reactance_start": 0.05,
        "disclosed": 3,
        "facts": 1,
        "left": False,
        "compliant_at": None,
        "turns": 20,
        "acts": ("open",),
        "leaks": 0,
        "repeats": 0.0,
        "digest": f"{arm}/{case}/{seed}",
        "words": 9.0,
    }
    return Row(arm=arm, case=case, seed=seed, **{**numbers, **changes})


def rows_with(
    falls: Mapping[str, float], *, spread: Callable[[int], float] = lambda case: 0.5 * (case % 2), **changes: Any
) -> list[Row]:
    """Eight cases and two seeds of each arm; a case adds `spread(case)` to the fall in every arm, so pairing matters."""
    return [
        make_row(arm, case, seed, **{"fall": fall + spread(number), **changes})
        for arm, fall in falls.items()
        for number, case in enumerate(CASES)
        for seed in (0, 1)
    ]


def near(value: float, within: float = 1e-6) -> Any:
    """A number close to `value`, to stand inside other data."""
    return pytest.approx(value, abs=within)
