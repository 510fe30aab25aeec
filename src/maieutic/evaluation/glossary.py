"""What each measure of a run means: gathers meaning, unit, range and validity, so that no number stands alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from maieutic.evaluation.summary import EFFECT, EpisodeScore
from maieutic.measures.definition import is_share, meaning_of
from maieutic.registry import known

NOT_VALIDATED = "not human-validated"
NOT_FREE_SPEECH = (
    "In seven blind sessions of skilled free speech these patients' conviction fell by 14.0 points beyond no session, "
    "where a worksheet reached 6.8, a fixed script 15.8 and the oracle 45.1; 19 % of their replies did not fit the "
    "question. So a figure says how well a therapist is heard by these patients, too, not only how well it questions. "
    "The starter cases are development cases: patients and the Socratic agent were made while looking at them."
)
"""What blind sessions found on 23 and 24 November 2026, in two sentences for the first screen of a report."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One measure as it is explained.

    Attributes:
        id: Measure id.
        meaning: What it counts, in one sentence.
        unit, range: Its unit and the values it can take.
        better: Which way is better, in words.
        hidden: It needs the hidden states and cannot be had from a transcript.
        human_validated: Whether it, or the codes it is made of, was held against human coding.
    """

    id: str
    meaning: str
    unit: str
    range: str
    better: str
    hidden: bool
    human_validated: bool

    @property
    def label(self) -> str:
        return self.id.replace("_", " ")


_EFFECT = Entry(
    id=EFFECT,
    meaning="Mean difference to no session, same case and seed, in how far held conviction fell over the session.",
    unit="points",
    range="−100 to 100",
    better="higher, but never below what the facts warrant",
    hidden=True,
    human_validated=False,
)


def glossary(scores: Sequence[EpisodeScore]) -> dict[str, Entry]:
    """Every measure of the run by id, the effect first."""
    units = {item.score.measure: item.score.unit for item in scores}
    makers: Mapping[str, Any] = known("measure") if units else {}
    return {EFFECT: _EFFECT, **{name: _entry(name, unit, makers.get(name)) for name, unit in sorted(units.items())}}


def _entry(name: str, unit: str, measure: Any) -> Entry:
    """A stranger's measure may tell no more than its unit; what it does not tell is said to be missing."""
    better = getattr(measure, "better", None)
    return Entry(
        id=name,
        meaning=meaning_of(measure) or "The measure gives no description of itself.",
        unit=unit,
        range=_range(unit, getattr(measure, "low", None), getattr(measure, "high", None)),
        better=better or "no direction claimed",
        hidden=bool(getattr(measure, "hidden", False)),
        human_validated=bool(getattr(measure, "human_validated", False)),
    )


def _range(unit: str, low: float | None, high: float | None) -> str:
    if low is None:
        return "not stated"
    if low == float("-inf"):
        return "any number"
    scale, suffix = (100.0, " %") if is_share(unit) else (1.0, "")
    first = f"{low * scale:g}{suffix}".replace("-", "−")
    return f"{first} or more" if high is None else f"{first} to {high * scale:g}{suffix}"
