"""Comprehension against labelled turns on cases and wordings that took no part in its calibration."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from random import Random

from maieutic.domain.episode import Session, Turn
from maieutic.library import get_case
from maieutic.stats import Interval, bootstrap_statistic, wilson
from maieutic.validation.bounds import Finding
from maieutic.validation.worlds import reading

ASKING = frozenset({"fitting"})
MUST_NOT = frozenset({"advice", "pile", "other_life"})


@dataclass(frozen=True, slots=True)
class Labelled:
    """One therapist turn with the fact that it asks for, or None, and what was heard."""

    case: str
    situation: str
    fact: str | None
    kind: str
    text: str
    reached: str | None


def held_out() -> list[Labelled]:
    """The packaged held-out turns (own-written, on test cases, composed apart from code and calibration), as heard."""
    found = []
    for place in sorted(files("maieutic.validation").joinpath("data").iterdir(), key=lambda p: p.name):
        if place.name.endswith(".jsonl"):
            found += [_heard(json.loads(line)) for line in place.read_text(encoding="utf-8").splitlines() if line]
    return found


def _heard(row: dict[str, str | None]) -> Labelled:
    case, situation, text = str(row["case"]), str(row["situation"]), str(row["text"])
    opening = Turn("patient", get_case(case).phrasings.opening[situation][0])
    reaches = reading(case, situation)(Session((opening, Turn("therapist", text)))).reaches
    return Labelled(case, situation, row["fact"], str(row["kind"]), text, reaches[0].evidence if reaches else None)


def judged(turns: Sequence[Labelled]) -> list[Finding]:
    """Precision and recall for the fact reached, and how often advice, piles and other lives reach one."""
    asked = [t for t in turns if t.kind in ASKING or t.fact is None]
    precision = _share(asked, _precision)
    recall = _share(asked, _recall)
    found = [
        Finding("comprehension", f"precision for the fact reached ({len(asked)} held-out turns)", precision, "share", "≥ 0.90", _holds(precision, 0.90)),
        Finding("comprehension", "recall for the fact reached", recall, "share", "≥ 0.70", _holds(recall, 0.70)),
    ]  # fmt: skip
    for kind in sorted({t.kind for t in turns}):
        own = [t for t in turns if t.kind == kind]
        if kind in MUST_NOT:
            wrong = wilson(sum(t.reached is not None for t in own), len(own))
            holds = None if wrong.estimate is None else wrong.estimate <= 0.02
            note = "judged by the share itself: so few turns cannot bring the interval under 2 %"
            found.append(
                Finding("comprehension", f"{kind}: turns that reach a fact", wrong, "share", "≤ 0.02", holds, note)
            )
        else:
            right = wilson(sum(t.reached == t.fact for t in own), len(own))
            found.append(Finding("comprehension", f"{kind}: turns read as labelled", right, "share"))
    return found


def _share(turns: Sequence[Labelled], statistic: object) -> Interval:
    assert callable(statistic)
    return bootstrap_statistic(turns, statistic, clusters=[t.case for t in turns], rng=Random(7), draws=1000)


def _precision(turns: Sequence[Labelled]) -> float | None:
    reached = [t for t in turns if t.reached is not None]
    return sum(t.reached == t.fact for t in reached) / len(reached) if reached else None


def _recall(turns: Sequence[Labelled]) -> float | None:
    asked = [t for t in turns if t.fact is not None]
    return sum(t.reached == t.fact for t in asked) / len(asked) if asked else None


def _holds(value: Interval, bound: float) -> bool | None:
    return None if value.low is None else value.low >= bound
