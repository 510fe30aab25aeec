"""Turning away, and not knowing, in words that fit what was asked: which kind of answer is kept back or missing.

The lines stand in `turning_away.yaml`. Any patient could say them, so that "who was it?" is not met by "it's long ago
now"; they tell nothing.
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
    return {QuestionForm(form): tuple(group[name]) for group in _GROUPS for form in group["forms"]}


WITHHELD: Final = _bank("withheld")
UNKNOWN: Final = _bank("unknown")
CURT: Final = _bank("curt")
EVERY_LINE: Final[Lines] = tuple(
    dict.fromkeys(line for bank in (WITHHELD, UNKNOWN, CURT) for lines in bank.values() for line in lines)
)


def withheld(form: QuestionForm | None, style: Style) -> Lines:
    """Ways to keep an answer of this form back; none where the form is not known."""
    if form is None:
        return ()
    return CURT.get(form, ()) if style == "upset" else WITHHELD.get(form, ())


def unknown(form: QuestionForm | None) -> Lines:
    """Ways to have no answer of this form."""
    return UNKNOWN.get(form, ()) if form else ()
