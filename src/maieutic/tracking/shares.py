"""Reads distributions out of a model's JSON answer; strict, so that nothing is made up where the model said nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import orjson

from maieutic.tracking.space import Floats

REST = "other"
"""Name under which a model may put what is left; it is shared evenly among the names that were not written."""
TOLERANCE = 0.05
"""By how much shares may miss adding up to 1: models round."""


class Unreadable(ValueError):
    """An answer that cannot be used; the message completes "the model ..."."""


def json_object(text: str) -> dict[str, Any]:
    """The JSON object of an answer, one code fence around it taken off. Raises `Unreadable`; nothing else is mended."""
    try:
        found = orjson.loads(_unfenced(text.strip()))
    except orjson.JSONDecodeError:
        found = None
    if not isinstance(found, dict):
        raise Unreadable("gave no JSON object")
    return found


def _unfenced(text: str) -> str:
    if len(text) < 6 or not (text.startswith("```") and text.endswith("```")):
        return text
    return text[3:-3].removeprefix("json").strip()


def field(found: Mapping[str, Any], name: str) -> Any:
    """A field that must be there. Raises `Unreadable`."""
    if name not in found:
        raise Unreadable(f"left out a field: {name}")
    return found[name]


def number(value: object, name: str, most: float = 1.0) -> float:
    """A number from 0 to `most`. Raises `Unreadable`."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value <= most:
        raise Unreadable(f"gave a value that is not allowed: {name}")
    return float(value)


def shares(found: Mapping[str, Any], name: str, labels: Sequence[str]) -> Floats:
    """A field as a distribution over the labels, (k,), summing to 1.

    Raises:
        Unreadable: the field is missing, is no object, names something unknown, holds what is no number from 0 to 1, or
            does not add up to 1.
    """
    given = field(found, name)
    if not isinstance(given, dict) or not given:
        raise Unreadable(f"gave a value that is not allowed: {name}")
    unknown = [key for key in given if key != REST and key not in labels]
    if unknown:
        raise Unreadable(f"named what is not listed under {name}: {unknown[0][:40]}")
    parts = {key: number(value, name) for key, value in given.items()}
    unwritten = [label for label in labels if label not in parts]
    rest = parts.get(REST, 0.0)
    if abs(sum(parts.values()) - 1.0) > TOLERANCE or (rest > 0.0 and not unwritten):
        raise Unreadable(f"gave shares that do not add up: {name}")
    each = rest / len(unwritten) if unwritten else 0.0
    spread = np.array([parts.get(label, each) for label in labels], dtype=np.float64)
    return np.asarray(spread / spread.sum())
