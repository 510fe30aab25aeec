"""Which part of a reply is its point, and which is a belief, an image, somebody's words, or does not fit a gloomy view.

A head fitted on replies of development patients that three readers marked part by part
(`python recipes/fit.py point`); it hears the words of a part and where it stands.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

import numpy as np

from maieutic.language.sentences import content_words, sentences, words
from maieutic.reading.bag import bag
from maieutic.reading.head import Floats, load
from maieutic.reading.minilm import shared_minilm

WEIGHTS: Final = "therapists/weights/points.npz"
PARTS: Final = ("point", "belief", "image", "words", "other")
"""What a part of a reply can be: what a listener would give back, a thought that weighs and could be false, a figure of
speech, what somebody else said, what does not fit the patient's own gloomy view."""
NONE: Final[Mapping[str, float]] = dict.fromkeys(PARTS, 0.0)
_JOINTS: Final = re.compile(r"\s*(?:;|:(?!\d)|—|–| - |…)\s+|, (?=(?:and|but|so|because|which|then|or|cos|'cause)\s)")
_FIRST: Final = frozenset("i me my mine myself i'm i've i'd i'll".split())
_POINTS_BACK: Final = frozenset("it it's that that's there there's".split())


def parts_of(reply: str) -> tuple[str, ...]:
    """The clauses of a reply, in order."""
    found = (part.strip() for sentence in sentences(reply) for part in _JOINTS.split(sentence))
    return tuple(part for part in found if words(part))


def part_rows(reply: str, vocabulary: Mapping[str, int]) -> Floats:
    """What the head sees of each part: its vector, where it stands and how it is built, its words. (n, 394 + words)"""
    parts = parts_of(reply)
    vectors, whole = shared_minilm()(list(parts)), max(1, len(words(reply)))
    rows = []
    for at, (part, vector) in enumerate(zip(parts, vectors, strict=True)):
        spoken = words(part)
        shape = (
            at == 0,
            at == len(parts) - 1,
            at / max(1, len(parts) - 1),
            1 / len(parts),
            np.log1p(len(spoken)),
            len(spoken) / whole,
            not _FIRST.isdisjoint(spoken),
            part.endswith("?"),
            min(4, len(content_words(part))),
            spoken[0] in _POINTS_BACK,
        )
        rows.append(np.concatenate([vector.astype(np.float64), np.array(shape, dtype=float), bag(part, vocabulary)]))
    return np.array(rows)


@lru_cache(maxsize=5_000)
def read_parts(reply: str) -> tuple[tuple[str, Mapping[str, float]], ...]:
    """Each part of a reply with the probability of each of `PARTS`."""
    parts = parts_of(reply)
    if not parts:
        return ()
    head = load(WEIGHTS, "point")
    return tuple((part, head(row)) for part, row in zip(parts, part_rows(reply, head.places), strict=True))


def part_with(phrase: str, reply: str) -> Mapping[str, float]:
    """What the parts of a reply that a phrase stands in, or takes in, are; nothing where there is none."""
    around = [chances for part, chances in read_parts(reply) if phrase in part or part.strip(" .,!?…\"'“”") in phrase]
    return {kind: max(chances[kind] for chances in around) for kind in PARTS} if around else NONE
