"""How near a trainee's formulation comes to the reference: entries matched by meaning, F1 by field, and what chance
gives."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from random import Random
from statistics import mean
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from maieutic.language.feelings import feelings_in
from maieutic.language.sentences import STOP_WORDS
from maieutic.practice.model import FIELDS, Field, FieldScore, Formulation, FormulationScore, Match
from maieutic.reading.minilm import shared_minilm

THRESHOLD: Final = 0.31
"""Cosine from which two entries mean the same; fitted on own-written pairs
(`tests/practice/data/formulation_pairs.jsonl`)."""
CLOSE_WORDS: Final = 0.5
"""Cosine of two word pieces in their context from which a word is shown as one that matched."""
SHOWN_WORDS: Final = 6
OTHERS: Final = 12
"""Other cases that the chance line is drawn from."""
SAME_FEELING, OTHER_FEELING = 1.0, 0.0


def score(given: Formulation, wanted: Formulation, others: Sequence[Formulation], rng: Random) -> FormulationScore:
    """A formulation against the reference, field by field.

    In each field entries are paired one to one so that the sum of their likenesses is greatest (Kuhn 1955); a pair
    counts from `THRESHOLD` on. Feelings count as the same where they are of one of the nine groups. The chance line is
    the mean that the references of other cases reach, so it knows the form of the field and nothing of this patient.

    Args:
        given: What the trainee wrote; blank entries do not count.
        wanted: The reference.
        others: References of other cases; at most `OTHERS` are drawn.
        rng: Draws them.

    Source: PATIENT-Ψ's formulation task (Wang et al. 2024), which scores nothing. Blind to: what a trainee says well
    that the case does not hold; order and links between fields.
    """
    drawn = list(others) if len(others) <= OTHERS else rng.sample(list(others), OTHERS)
    found = tuple(_field(field, given, wanted, drawn) for field in FIELDS)
    counted = [one.f1 for one in found if one.f1 is not None]
    by_chance = [one.chance for one in found if one.chance is not None and one.f1 is not None]
    return FormulationScore(found, mean(counted) if counted else 0.0, mean(by_chance) if by_chance else None)


def _field(field: Field, given: Formulation, wanted: Formulation, others: Sequence[Formulation]) -> FieldScore:
    own, reference = _written(given.entries(field)), wanted.entries(field)
    pairs = _pairs(field, own, reference)
    places, taken = {at for at, _, _ in pairs}, {to for _, to, _ in pairs}
    chances = [f1 for one in others if (f1 := _f1(field, one.entries(field), reference)) is not None]
    return FieldScore(
        field,
        len(pairs) / len(own) if own else None,
        len(pairs) / len(reference) if reference else None,
        _harmonic(len(pairs), len(own), len(reference)),
        mean(chances) if chances else None,
        tuple(
            Match(own[at], reference[to], round(like, 3), _close_words(own[at], reference[to]))
            for at, to, like in sorted(pairs, key=lambda pair: -pair[2])
        ),
        tuple(one for at, one in enumerate(own) if at not in places),
        tuple(one for at, one in enumerate(reference) if at not in taken),
    )


def _written(entries: Sequence[str]) -> tuple[str, ...]:
    return tuple(one.strip() for one in entries if one.strip())


def _f1(field: Field, own: Sequence[str], reference: Sequence[str]) -> float | None:
    return _harmonic(len(_pairs(field, own, reference)), len(own), len(reference))


def _harmonic(matched: int, own: int, reference: int) -> float | None:
    """F1 from counts; None without a reference."""
    return 2.0 * matched / (own + reference) if reference else None


def _pairs(field: Field, own: Sequence[str], reference: Sequence[str]) -> list[tuple[int, int, float]]:
    """Places of the paired entries with their likeness."""
    if not own or not reference:
        return []
    alike = _feelings_alike(own, reference) if field == "emotions" else likeness(own, reference)
    counted = np.where(alike >= THRESHOLD, alike, 0.0)
    rows, columns = linear_sum_assignment(counted, maximize=True)
    return [
        (int(at), int(to), float(alike[at, to])) for at, to in zip(rows, columns, strict=True) if counted[at, to] > 0.0
    ]


def likeness(own: Sequence[str], reference: Sequence[str]) -> NDArray[np.float64]:
    """Cosines of two lists of entries, (own, reference)."""
    embed = shared_minilm()
    found: NDArray[np.float64] = (embed(list(own)) @ embed(list(reference)).T).astype(np.float64)
    return found


def _feelings_alike(own: Sequence[str], reference: Sequence[str]) -> NDArray[np.float64]:
    """1 where two entries name a feeling of one group; where no group can be read from an entry, the cosine."""
    by_meaning = likeness(own, reference)
    for at, entry in enumerate(own):
        groups = feelings_in(entry)
        if groups:
            by_meaning[at] = [SAME_FEELING if one in groups else OTHER_FEELING for one in reference]
    return by_meaning


@lru_cache(maxsize=4_096)
def _close_words(given: str, reference: str) -> tuple[str, ...]:
    """The words of an entry that lie nearest to a word of the reference, in their order."""
    embed = shared_minilm()
    own, vectors = embed.words(given)
    _, theirs = embed.words(reference)
    if not len(own) or not len(theirs):
        return ()
    nearest = (vectors @ theirs.T).max(axis=1)
    able = [at for at, piece in enumerate(own) if len(piece) > 2 and piece.lower() not in STOP_WORDS]
    best = sorted((at for at in able if nearest[at] >= CLOSE_WORDS), key=lambda at: -nearest[at])[:SHOWN_WORDS]
    return tuple(dict.fromkeys(own[at] for at in sorted(best)))
