"""Goals of an exercise that a trainee or a teacher can choose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

GOALS: Final[Mapping[str, str]] = {
    "none": "No particular goal",
    "open_first": "Five open questions before any challenge",
    "no_advice": "A whole session without advice",
    "one_at_a_time": "One question at a time, throughout",
    "reflect": "A reflection before every second question",
}
