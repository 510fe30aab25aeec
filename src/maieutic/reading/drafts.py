"""A therapist turn as the agent and its tracker hear it: with weights of their own, which score nobody.

They never learnt from the turns on which the instrument that reads the agent was fitted.
"""

from __future__ import annotations

from typing import Final

from maieutic.reading.ear import Attribution, Ear, Question

PLACE: Final = "reading/weights/drafts.npz"
_EAR: Final = Ear(PLACE, "marks_of_drafts")

questions = _EAR.questions
statements = _EAR.statements
asks_permission = _EAR.asks_permission
attributions = _EAR.attributions
marks = _EAR.marks

__all__ = ["Attribution", "Question", "asks_permission", "attributions", "marks", "questions", "statements"]
