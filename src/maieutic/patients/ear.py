"""A therapist turn as patients hear it: with weights of their own, which score nobody.

What moves a patient must not be what scores the therapist: a wording that both misread would be rewarded twice.
"""

from __future__ import annotations

from typing import Final

from maieutic.reading.ear import Ear, Question

PLACE: Final = "patients/weights/turns.npz"
_EAR: Final = Ear(PLACE, "marks_of_patients")

questions = _EAR.questions
statements = _EAR.statements
asks_permission = _EAR.asks_permission
attributions = _EAR.attributions
marks = _EAR.marks
chances = _EAR.chances

__all__ = ["Question", "asks_permission", "attributions", "chances", "marks", "questions", "statements"]
