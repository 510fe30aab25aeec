"""Which danger but suicide a patient turn tells of: a head of the protocol's own, whole turn and sentence by sentence.

It goes beside the kinds of `safety/kinds.py`: finer where the first thing to do differs (stopping drink or tablets, not
eating, driving unfit), and fitted on turns that deny suicide and tell of something else in the same breath. Fitted on
own-written turns by `recipes/fit.py other_danger`; neither the patient nor any scorer reads with it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from maieutic.language.sentences import sentences, words
from maieutic.reading.bag import sentence_row
from maieutic.reading.head import load
from maieutic.safety.kinds import FINER, Kind, kind_in_whole

WEIGHTS: Final = "therapists/weights/other.npz"
OWN: Final = "suicide"
NONE: Final = "none"
SHORTEST: Final = 4
"""Words of a sentence that is read by itself at least."""
TELLS: Final = {
    "others": Kind.OTHERS,
    "violence": Kind.VIOLENCE,
    "child": Kind.CHILD,
    "withdrawal": Kind.WITHDRAWAL,
    "overdose": Kind.MEDICAL,
    "eating": Kind.EATING,
    "driving": Kind.DRIVING,
    "psychosis": Kind.PSYCHOSIS,
    "mania": Kind.MANIA,
}
"""What the head can say, but for suicide and nothing → the kind whose words are said."""
BODY: Final = ("withdrawal", "overdose", "eating")
NAMED: Final = 0.65
"""Share of all danger that one kind has from which it is named. *Assumption.*"""
READ: Final = (*TELLS, OWN, NONE)


@lru_cache(maxsize=10_000)
def heard_by_itself(text: str) -> dict[str, float]:
    """P(each of `READ`) of a text read as it is, 0–1."""
    head = load(WEIGHTS, "other_danger")
    return head(sentence_row(text, head.places))


def _parts(text: str) -> list[dict[str, float]]:
    """Each sentence read by itself, or the whole where none is long enough."""
    return [heard_by_itself(part) for part in sentences(text) if len(words(part)) >= SHORTEST] or [
        heard_by_itself(text)
    ]


def own_danger(text: str) -> float:
    """P(suicide or a wound) of a turn, 0–1: half by the whole, half by the sentence that tells it best."""
    return (heard_by_itself(text)[OWN] + max(part[OWN] for part in _parts(text))) / 2


def calm(text: str) -> float:
    """P(no danger at all) of a turn, 0–1: half by the whole, half by its most dangerous sentence."""
    return (heard_by_itself(text)[NONE] + min(part[NONE] for part in _parts(text))) / 2


def told_in_whole(text: str) -> float:
    """How surely both heads, this one and that for kinds, hear one and the same danger but suicide in a turn read as a
    whole, 0–1: the lower of the two. The sentences of a harmless turn say more by themselves."""
    whole = heard_by_itself(text)
    first = max(TELLS, key=whole.__getitem__)
    kind = TELLS[first]
    return min(whole[first], kind_in_whole(text, Kind.MEDICAL if kind in FINER else kind))


@lru_cache(maxsize=10_000)
def told(text: str) -> tuple[Kind | None, float]:
    """A danger but suicide that a turn tells of, and how likely there is any, 0–1; half by the whole, half by its best
    sentence.

    None where it stays open which; `MEDICAL` where only that the body is in danger is clear.
    """
    whole = heard_by_itself(text)
    best = max(_parts(text), key=lambda part: sum(part[what] for what in TELLS))
    share = {what: (whole[what] + best[what]) / 2 for what in TELLS}
    total = sum(share.values())
    first = max(share, key=share.__getitem__)
    if share[first] >= NAMED * total:
        return TELLS[first], total
    return (Kind.MEDICAL if sum(share[what] for what in BODY) >= NAMED * total else None), total
