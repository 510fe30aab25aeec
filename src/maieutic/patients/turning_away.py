"""Turning away, and short answers, in words that fit what was asked: which kind of answer is kept back, or is short.

The lines stand in `turning_away.yaml`. Any patient could say them, so that "who was it?" is not met by "it's long ago
now"; they tell nothing of a life.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from maieutic.domain.case import Style
from maieutic.domain.question_form import QuestionForm
from maieutic.reading.yaml_text import packaged_yaml

Lines = Sequence[str]
_GROUPS: Final[Sequence[Mapping[str, Any]]] = packaged_yaml("patients", "turning_away.yaml")


def _bank(name: str) -> Mapping[QuestionForm, Lines]:
    return {QuestionForm(form): tuple(group[name]) for group in _GROUPS if name in group for form in group["forms"]}


WITHHELD: Final = _bank("withheld")
SHORT: Final = _bank("short")
DENIED: Final = _bank("denied")
CURT: Final = _bank("curt")
OF_ANY_FORM: Final[Lines] = tuple(line for group in _GROUPS if not group["forms"] for line in group["short"])
EVERY_LINE: Final[Lines] = tuple(
    dict.fromkeys(
        line for group in _GROUPS for name in ("withheld", "short", "denied", "curt") for line in group.get(name, ())
    )
)


def withheld(form: QuestionForm | None, style: Style) -> Lines:
    """Ways to keep an answer of this form back; none where the form is not known."""
    if form is None:
        return ()
    return CURT.get(form, ()) if style == "upset" else WITHHELD.get(form, ())


def short(form: QuestionForm | None, *, denied: bool = False) -> Lines:
    """Short answers of this form that claim nothing of this life; `denied` where they may say no."""
    if form is None:
        return OF_ANY_FORM
    return (DENIED.get(form, ()) if denied else ()) or SHORT.get(form, ())
