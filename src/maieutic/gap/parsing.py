"""Reads answers: a letter, yes or no, a number, a confidence. What cannot be read is None, and the unit goes missing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from maieutic.gap.desk import Unusable
from maieutic.language.sentences import first_number, words

_LETTER: Final = re.compile(
    r"^\W*(?:(?:the )?(?:best |correct |right )?(?:answer|option|choice)(?: is)?\W*)?\(?([A-S])\b(?:[).:,\]*]|\s*(?:\n|$)|\s+[-–—])",
    re.I,
)
_LATER: Final = re.compile(r"\b(?:answer|option|choice)(?: is)?\s*:?\s*\(?([A-S])\b", re.I)
_YES_LATER: Final = re.compile(
    r"\b(?:answer|response)(?: to (?:your|the|this|that) question)?(?: is|:)+\W*(yes|no)\b", re.I
)
_SHARE: Final = r"(?<![\d.])(\d{1,3}(?:\.\d+)?)"
_CONFIDENCE: Final = (
    re.compile(rf"confiden\w*\W{{0,12}}(?:of|is|at|about)?\W{{0,4}}{_SHARE}\s*(?:%|/\s*100|out of 100)?", re.I),
    re.compile(
        rf"(?:\b(?:i am|i'm|i’m)\s+(?:about |around |roughly |some )?|(?:^|[.,;:(\n])\s*)"
        rf"{_SHARE}\s*(?:%|per ?cent) (?:sure|certain|confident)\b",
        re.I,
    ),
)
"""'Confidence: 70' goes before 'I am 70 % sure'; 'the client is 70 % sure' is somebody else's."""


def lettered(options: Sequence[str]) -> str:
    """The options as lines 'A) …'."""
    return "\n".join(f"{chr(65 + n)}) {option}" for n, option in enumerate(options))


def choice_of(text: str, options: Sequence[str]) -> int:
    """The index of the option that an answer names by its letter or by its words alone.

    Raises:
        Unusable: it names none, or several.
    """
    for found in (_LETTER.match(text), _LATER.search(text)):
        if found is not None and (place := ord(found.group(1).upper()) - 65) < len(options):
            return place
    flat = _flat(text)
    named = [n for n, option in enumerate(options) if words(option) and _flat(option) in flat]
    if len(named) == 1:
        return named[0]
    raise Unusable(f"no one of the {len(options)} options can be read from {text[:60]!r}")


def yes_no_of(text: str) -> bool:
    """True for yes. Raises `Unusable` where an answer begins with neither, nor says later what the answer is."""
    said = words(text)
    answer = "".join((said[3:] if said[:3] == ("the", "answer", "is") else said)[:1])
    if answer not in ("yes", "no", "true", "false"):
        later = _YES_LATER.search(text)
        if later is None:
            raise Unusable(f"neither yes nor no can be read from {text[:60]!r}")
        answer = later.group(1).lower()
    return answer in ("yes", "true")


def number_of(text: str) -> float:
    """The first number from 0 to 100. Raises `Unusable` without one."""
    found = first_number(text)
    if found is None:
        raise Unusable(f"no number from 0 to 100 can be read from {text[:60]!r}")
    return found


def confidence_of(text: str) -> float:
    """A stated confidence as a probability, 0 to 1; '0.85' is one already. Raises `Unusable` where none is stated."""
    found = _stated(text)
    number = None if found is None else found.group(1)
    if number is None or float(number) > 100:
        raise Unusable(f"no confidence from 0 to 100 can be read from {text[:60]!r}")
    return float(number) if number.startswith("0.") else float(number) / 100


def without_confidence(text: str) -> str:
    """The answer less the words that state a confidence and what follows an announced one, so that no number is read twice."""
    found = _stated(text)
    kept = text if found is None else f"{text[: found.start()]} {text[found.end() :]}"
    announced = kept.lower().find("confiden")
    return kept if announced < 0 else kept[:announced]


def _stated(text: str) -> re.Match[str] | None:
    return next((found for form in _CONFIDENCE if (found := form.search(text)) is not None), None)


def _flat(text: str) -> str:
    return f" {' '.join(words(text.replace('_', ' ')))} "


__all__ = ["choice_of", "confidence_of", "lettered", "number_of", "without_confidence", "yes_no_of"]
