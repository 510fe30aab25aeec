"""The code book that human raters of whole sessions are given: what to rate, on which scale, and what the values
mean."""

from __future__ import annotations

from dataclasses import dataclass

from maieutic.agreement import Level
from maieutic.reading.yaml_text import packaged_yaml

YES = frozenset({"yes", "y", "true", "1"})
NO = frozenset({"no", "n", "false", "0"})


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to rate in a session.

    Attributes:
        id: Column in the sheets.
        title: Name for readers.
        question: What the rater is asked.
        low, high: Range; whole numbers only. A yes/no item runs from 0 to 1.
        level: Level of measurement that agreement is computed at.
        anchors: Values with their meaning; values between two anchors may be used.
        hint: What to heed, and when to leave the cell empty.
        stems: A measure of ours whose id contains one of these is meant to show the same thing, and to rise with it.
    """

    id: str
    title: str
    question: str
    low: int
    high: int
    level: Level
    anchors: tuple[tuple[str, str], ...]
    hint: str
    stems: tuple[str, ...]

    @property
    def yes_no(self) -> bool:
        return self.level == "nominal"

    @property
    def allowed(self) -> str:
        """The values in words."""
        return "yes or no" if self.yes_no else f"a whole number from {self.low} to {self.high}"

    @property
    def column(self) -> str:
        """Header of the column in the sheets."""
        return f"{self.id} (yes/no)" if self.yes_no else f"{self.id} ({self.low}-{self.high})"

    def shows(self, measure: str) -> bool:
        """Whether a measure of ours is meant to show the same thing, by its id."""
        return any(stem in measure for stem in self.stems)


ITEMS: tuple[Item, ...] = tuple(
    Item(**{**one, "anchors": tuple(one["anchors"].items()), "stems": tuple(one["stems"])})
    for one in packaged_yaml("rating", "items.yaml")
)
