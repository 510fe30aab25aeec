"""Which of a small model's sentences a therapist could say, by a head fitted on what readers marked.

Two readers who knew neither code nor cases marked the parts of turns that the packaged adapter had said to development
patients: broken, untrue to what was said, beside it, asked again, or fine (`recipes/trained_drafts.py`). The head sees
the sentence on the shared encoder and how it stands to what was said before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from itertools import pairwise
from typing import Final

import numpy as np

from maieutic.domain.episode import Session
from maieutic.language.sentences import content_words, content_words_of, sentences, words
from maieutic.reading.head import Floats, load
from maieutic.reading.minilm import shared_minilm

WEIGHTS: Final = "therapists/weights/drafts.npz"
TELLS, ASKS = "tells", "asks"
AGAIN: Final = 0.5
"""What is left of the chance of a question that was asked before: it is a last resort."""
SAME: Final = 0.7
"""Nearness on the encoder from which a question is one that was asked before; 28 % of turns on development cases."""
_DENIES: Final = frozenset("no not never nothing nobody none without".split())
_NUMBERS: Final = frozenset(
    "zero one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty seventy "
    "eighty ninety hundred".split()
)
_LINKS: Final = frozenset("the a to of in it you that what and".split())
_LAST: Final = frozenset("you it that thought now this".split())
_OTHERS: Final = frozenset("he she they him her them".split())
_LONG: Final = 25


@dataclass(frozen=True, slots=True)
class Draft:
    """One draft, read.

    Attributes:
        text: What is left of it to say: without the sentences before its question that would be refused.
        fine: How likely its question (its last sentence, where none asks) is fine, 0 to 1.
    """

    text: str
    fine: float


def part_row(part: str, session: Session) -> Floats:
    """What the head sees of a sentence that would be said next; the session ends with the patient's turn.

    (30 + 384,): how long and how it is built; how it stands to the patient's last words, to all their words and to the
    therapist's own turns (nearness on the encoder, content words shared); its vector.
    """
    heard = [sentence for turn in session.by("patient") for sentence in sentences(turn.text)]
    last = session.last("patient")
    now = sentences(last.text) if last else ()
    own = [sentence for turn in session.by("therapist") for sentence in sentences(turn.text)]
    vectors = shared_minilm()([part, *now, *heard, *own])
    of_now, of_heard, of_own = np.split(vectors[1:] @ vectors[0], [len(now), len(now) + len(heard)])
    holds = content_words(part)
    told_now, told, said = content_words_of(now), content_words_of(heard), content_words_of(own)
    count, new = max(1, len(holds)), len(holds - told - said)
    nearest = now[int(of_now.argmax())] if now else ""
    stands = (
        denies(part) != denies(nearest),
        bool(_numbers(part) - _numbers(" ".join(heard))),
        max(of_now, default=0.0),
        max(of_heard, default=0.0),
        max(of_own, default=0.0),
        part in own,
        len(holds & told_now) / count,
        len(holds & told) / count,
        new / count,
        min(new, 4) / 4,
        min(len(words(last.text)) if last else 0, 2 * _LONG) / (2 * _LONG),
    )
    return np.concatenate([_built(part), np.array(stands, dtype=np.float64), vectors[0]])


def _built(part: str) -> Floats:
    spoken = words(part)
    length, plain = len(spoken), [word for word in spoken if word not in _LINKS]
    return np.array(
        [
            min(length, _LONG) / _LONG,
            *(max(0, length - bend) / _LONG for bend in (7, 10, 13)),
            min(length, 4),
            "?" in part,
            denies(part),
            bool(_numbers(part)),
            part[:1].islower(),
            any(one == other for one, other in pairwise(spoken)),
            part.count(","),
            len(plain) - len(set(plain)),
            sum(word in ("that", "with") for word in spoken),
            sum(word in ("you", "your") for word in spoken),
            sum(word in ("in", "for", "from", "of") for word in spoken),
            "thought" in spoken,
            bool(spoken) and spoken[-1] in _LAST,
            sum(word in ("i", "my", "me") for word in spoken),
            bool(_OTHERS.intersection(spoken)),
        ],
        dtype=np.float64,
    )


def denies(text: str) -> bool:
    """Whether a word of denial stands in it."""
    return any(word in _DENIES or word.endswith("n't") for word in words(text))


def _numbers(text: str) -> frozenset[str]:
    return frozenset(word for word in words(text) if word.isdigit() or word in _NUMBERS)


@cache
def reader_pin() -> str:
    """Begin of the hash of the head."""
    return sha256(files("maieutic").joinpath(WEIGHTS).read_bytes()).hexdigest()[:8]


def read_draft(text: str, session: Session, floor: float) -> Draft:
    """A draft as it would be said: sentences before the question that stay below `floor` are left out."""
    parts = sentences(text)
    if not parts:
        return Draft("", 0.0)
    chances = fine(parts, session)
    asks = [place for place, part in enumerate(parts) if part.endswith("?")]
    main = asks[-1] if asks else len(parts) - 1
    if _asked_before(parts[main], session):
        chances[main] *= AGAIN
    kept = [part for place, part in enumerate(parts) if place == main or (place < main and chances[place] >= floor)]
    return Draft(" ".join(kept), chances[main])


def _asked_before(question: str, session: Session) -> bool:
    own = [part for turn in session.by("therapist") for part in sentences(turn.text) if part.endswith("?")]
    vectors = shared_minilm()([question, *own])
    return bool(len(own)) and float((vectors[1:] @ vectors[0]).max()) >= SAME


def fine(parts: Sequence[str], session: Session) -> list[float]:
    """How likely each sentence is one that a therapist could say here, 0 to 1."""
    heads = {kind: load(WEIGHTS, kind) for kind in (TELLS, ASKS)}
    return [heads[ASKS if "?" in part else TELLS](part_row(part, session))["fine"] for part in parts]
