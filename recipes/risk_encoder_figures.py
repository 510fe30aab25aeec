"""Chooses the thresholds of the risk encoder on sets it was not trained on, and puts that into words for its card."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maieutic.safety.patterns import normalise
from maieutic.safety.rules import find
from maieutic.stats import wilson

FALSE_ALARMS = 0.06
"""Share of safe training texts that may be flagged when their set was not trained on. Three times what is asked of
held-out texts, fixed before any figure was seen: most safe training texts were composed as near twins of dangerous ones,
the final encoder learns from four sets instead of three, and a missed danger is worse than a needless hand-over."""
CERTAIN_ALARMS = 0.015


def share(flags: NDArray[np.bool_]) -> str:
    """A share with its Wilson 95 % interval, for the card."""
    bounds = wilson(int(flags.sum()), len(flags))
    return f"{flags.mean():.3f} [{bounds.low:.3f}, {bounds.high:.3f}] of {len(flags)}"


def figures(
    rows: list[dict[str, Any]], unseen: NDArray[np.float64], names: Sequence[str]
) -> tuple[dict[str, Any], list[str]]:
    """Thresholds from the texts whose set was not trained on, and the lines of the card."""
    read_rows = [(row, p) for row, p in zip(rows, unseen, strict=True) if not np.isnan(p)]
    probability = np.array([p for _, p in read_rows])
    danger = np.array([row["danger"] for row, _ in read_rows])
    kind = np.array([row["kind"] for row, _ in read_rows])
    part = np.array([row["part"] for row, _ in read_rows])
    by_rule = np.array([find(normalise(row["text"])) is not None for row, _ in read_rows])

    def lowest(allowed: float) -> float:
        steps = np.round(np.arange(0.02, 0.995, 0.005), 3)
        return float(min(t for t in steps if ((probability >= t) | by_rule)[~danger].mean() <= allowed))

    threshold, certain = lowest(FALSE_ALARMS), lowest(CERTAIN_ALARMS)
    flagged = (probability >= threshold) | by_rule
    lines = [
        f"- Trained on {sum(r['danger'] for r in rows)} texts of danger and {sum(not r['danger'] for r in rows)} safe ones in {len({r['part'] for r in rows})} sets.",
        f"- Threshold {threshold}, certain from {certain} (false alarms <= {FALSE_ALARMS} and {CERTAIN_ALARMS} on sets not trained on).",
    ]
    for name in sorted(set(part)):
        at = part == name
        lines.append(
            f"- Set {name} left out: recall {share(flagged[at & danger])}, false alarms {share(flagged[at & ~danger])}; "
            f"encoder alone: recall {share((probability >= threshold)[at & danger])}."
        )
    lines.append(f"- Rules alone: recall {share(by_rule[danger])}, false alarms {share(by_rule[~danger])}.")
    for allowed in (0.02, 0.04, 0.06, 0.08):
        lines.append(
            f"- Recall at {allowed} false alarms: {share(((probability >= lowest(allowed)) | by_rule)[danger])}."
        )
    for number, name in enumerate(names):
        if (kind == number).any():
            lines.append(f"- Recall, {name}: {share(flagged[kind == number])}.")
    return {"threshold": threshold, "certain": certain}, lines
