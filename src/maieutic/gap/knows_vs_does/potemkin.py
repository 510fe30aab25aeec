"""Potemkin understanding (Mancoridis et al. 2025) on concepts of Socratic work: explains, fails to use, labels itself.

Rates are given a right keystone: a right definition and both distinctions right. Classify = 2·(1 − accuracy), as
guessing gets half; generate and edit = 1 − accuracy; incoherence = 2·(1 − agreement of its label with what it was asked
to make).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from maieutic.gap.family import Observation, Reference, SamplePlan, Value
from maieutic.gap.knows_vs_does.figures import part, share_value

_SOURCE: Final = "Mancoridis et al. 2025"
_DIFFERS: Final = "32 concepts of literature, game theory and psychological biases; large models; graded by people"


def keystone(data: Mapping[str, Any]) -> bool | None:
    """Whether the concept is explained rightly; None when a part of it could not be read."""
    parts = [data["define"], *data["apart"]]
    if any(one is False for one in parts):
        return False
    return None if any(one is None for one in parts) else True


def potemkin_values(seen: Sequence[Observation], extent: SamplePlan) -> tuple[Value, ...]:
    """Keystone, classify, generate, edit, incoherence, and the triple of explaining, failing and seeing it."""
    units = part(seen, "concept")
    data = [one.data for one in units if one.data is not None]
    asked = [one for one in units if one.applicable]
    lost = len(asked) - len(data)
    reasons = Counter(one.missing for one in units if one.missing)
    why = reasons.most_common(1)[0][0] if reasons else "too few concepts"
    judged = [(str(d["concept"]), keystone(d)) for d in data]
    passed = [d for d in data if keystone(d)]
    few = why if len(data) < 3 else f"{len(passed)} concepts were explained rightly; 3 are needed"
    classify = [(str(d["concept"]), 1.0 - hit) for d in passed for hit in d["classify"] if hit is not None]
    first = [(str(d["concept"]), d["made"][0]) for d in passed if d["made"] and d["made"][0]["is"] is not None]
    edit = [(str(d["concept"]), 1.0 - d["edit"]) for d in passed if d["edit"] is not None]
    labelled = [
        (str(d["concept"]), float(one["label"] is not one["asked"]))
        for d in data
        for one in d["made"]
        if one["label"] is not None
    ]
    triple = [
        (str(d["concept"]), float(bool(keystone(d)) and not d["made"][0]["is"] and d["made"][0]["label"] is False))
        for d in data
        if d["made"]
        and d["made"][0]["is"] is not None
        and d["made"][0]["label"] is not None
        and keystone(d) is not None
    ]

    def value(id: str, title: str, rows: Sequence[tuple[str, float]], none: str, **more: Any) -> Value:
        whole = len(asked) - len({name for name, _ in rows}) if none is why else lost
        return share_value(
            id, title, [x for _, x in rows], [c for c, _ in rows], extent, missing=whole, why=none, **more
        )

    def known(x: float) -> tuple[Reference, ...]:
        return (Reference(x, _SOURCE, _DIFFERS),)

    return (
        value(
            "explains",
            "Explains the concept rightly (keystone)",
            [(c, float(k)) for c, k in judged if k is not None],
            why,
            references=known(0.942),
        ),
        value(
            "potemkin_classify",
            "Explains and cannot tell an example, 2·(1 − accuracy)",
            classify,
            few,
            scale=2.0,
            unit="rate",
            worse="high",
            span=(0.0, 2.0),
            references=known(0.55),
        ),
        value(
            "potemkin_generate",
            "Explains and cannot make an example",
            [(c, 1.0 - bool(m["is"])) for c, m in first],
            few,
            worse="high",
            references=known(0.40),
        ),
        value(
            "potemkin_edit",
            "Explains and cannot change a sentence accordingly",
            edit,
            few,
            worse="high",
            references=known(0.40),
        ),
        value(
            "incoherence",
            "Labels its own examples otherwise, 2·(1 − agreement)",
            labelled,
            why,
            scale=2.0,
            unit="rate",
            worse="high",
            span=(0.0, 2.0),
            references=known(0.22),
        ),
        value("explain_fail_see", "Explains, fails, and sees that it failed", triple, why, worse="high"),
    )
