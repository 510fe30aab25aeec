"""Feelings that a sentence attributes to the patient: a head says whether, another which of the nine groups."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from maieutic.gap.reads_into.signs import feeling_row, group_row
from maieutic.language.feelings import LEXICON
from maieutic.language.sentences import words
from maieutic.reading.head import load

WEIGHTS: Final = "gap/weights/reads_into.npz"
"""Inside the package; `recipes/fit.py feeling_told feeling_groups` makes it."""


def feelings_told(sentence: str) -> Iterator[tuple[str, str]]:
    """(group, words) of every feeling that the patient is said to have; the lexicon's word where it has one."""
    told, groups = load(WEIGHTS, "feeling_told"), load(WEIGHTS, "feeling_groups")
    if told.read(feeling_row(sentence, told.places)).label != "yes":
        return
    chances = groups(group_row(sentence, groups.places))
    likeliest = max(chances, key=lambda group: chances[group])
    said = f" {' '.join(words(sentence))} "
    for group, chance in chances.items():
        if group == likeliest or chance >= groups.doubt:
            yield group, next((term for term in LEXICON[group] if f" {term} " in said), sentence)
