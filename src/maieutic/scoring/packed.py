"""Values of one session as a row of numbers: thousands of sessions stay small in memory."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Mapping, Sequence


class PackedValues(Mapping[str, float | None]):
    """A value or None by measure; all rows of a run share one table of places."""

    __slots__ = ("_numbers", "_places")

    def __init__(self, places: Mapping[str, int], values: Sequence[float | None]) -> None:
        """Takes one value for each place, in order."""
        self._places = places
        self._numbers = array("d", [math.nan if value is None else value for value in values])

    def __getitem__(self, measure: str) -> float | None:
        number = self._numbers[self._places[measure]]
        return None if math.isnan(number) else number

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)
