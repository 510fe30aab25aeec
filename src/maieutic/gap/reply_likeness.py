"""What the sentences of a reply are near to and what they do, in the numbers that the battery's heads weigh."""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maieutic.coding.encoder import packaged_encoder
from maieutic.coding.features import Said
from maieutic.language.sentences import content_words, sentences
from maieutic.reading.head import load
from maieutic.reading.minilm import shared_minilm

Floats = NDArray[np.float64]

MOVES: Final = "gap/weights/reply_moves.npz"
ASKED: Final = "gap/weights/asked_slots.npz"
READERS: Final = "gap/weights/reply_readers.npz"
FORM: Final = 2_304
"""Numbers at the end of `form_of` that are vectors; fitted so that each weighs less than the others."""

_CLAUSE: Final = re.compile(r"[,;:–—]\s+|\s-\s+")
_SPOKEN: Final = re.compile(r"[A-Za-z][\w'’-]*")
_YOURS: Final = {
    "i": "you",
    "me": "you",
    "my": "your",
    "mine": "yours",
    "myself": "yourself",
    "i'm": "you're",
    "i've": "you've",
    "i'd": "you'd",
    "i'll": "you'll",
}
_AGREEING: Final = (
    ("you am ", "you are "),
    ("you was ", "you were "),
    ("the client's ", "your "),
    ("the client is ", "you are "),
    ("the client has ", "you have "),
    ("the client was ", "you were "),
    ("the client", "you"),
)


def vectors(texts: Sequence[str]) -> Floats:
    """Unit vectors, (n, 384); of no text, (0, 384)."""
    return shared_minilm()(texts).astype(np.float64)


@lru_cache(maxsize=20_000)
def sense(text: str) -> Floats:
    """What a text is about and what it does: the sentence vector, and that of the behaviour coder's encoder. (1152,)"""
    act = packaged_encoder()([Said(text)]).pooled[0].astype(np.float64)
    return np.concatenate([vectors([text])[0], act / np.linalg.norm(act)])


def to_you(text: str) -> str:
    """What the patient said of himself or herself, as said to the patient."""
    text = _SPOKEN.sub(lambda m: _YOURS.get(m[0].lower().replace("’", "'"), m[0]), text)
    for mine, yours in _AGREEING:
        text = text.replace(mine, yours)
    return text


def is_asked(sentence: str) -> bool:
    """The sentence ends in a question mark."""
    return sentence.rstrip("\"'”’) ").endswith("?")


def is_wordless(text: str) -> bool:
    """There is no letter in it."""
    return not any(c.isalpha() for c in text)


@lru_cache(maxsize=5_000)
def pieces(text: str) -> tuple[str, ...]:
    """The sentences of a text, and the clauses of those that have several, of two words and more."""
    found = []
    for sentence in sentences(text):
        found.append(sentence)
        parts = [part.strip() for part in _CLAUSE.split(sentence)]
        if len(parts) > 1:
            found.extend(part for part in parts if len(part.split()) > 2)
    return tuple(found)


def bare(sentence: str, known: AbstractSet[str]) -> str:
    """The sentence with "it" for every known word of matter: its form without its subject."""
    return _SPOKEN.sub(lambda m: "it" if content_words(m[0]) & known else m[0], sentence)


def form_of(reply: str, known: AbstractSet[str]) -> Floats:
    """What a reply does, sentence by sentence, and its vectors without its subject. (2351,)

    First the probabilities of two heads, of what a sentence asks for and which move it makes: the highest of all
    sentences, and those of the last question, or of the last sentence where none is asked. Then vectors, `FORM`
    numbers.
    """
    spoken = sentences(reply)
    last = ([n for n, s in enumerate(spoken) if is_asked(s)] or [len(spoken) - 1])[-1]
    said = np.array([sense(s) for s in spoken])
    form = np.array([sense(bare(s, known)) for s in spoken])
    moves, asked = load(MOVES, "reply_move"), load(ASKED, "asked_slot")
    told = [moves.probabilities(said), asked.probabilities(said)]
    return np.concatenate(
        [
            *(part for chances in told for part in (chances.max(axis=0), chances[last])),
            moves.probabilities(form).max(axis=0),
            form.mean(axis=0),
            form[last],
        ]
    )


def likeness(left: Floats, right: Floats) -> Floats:
    """Cosines, (n, m); with nothing on one side, a single row or column of zeros in its place."""
    if not len(left) or not len(right):
        return np.zeros((max(1, len(left)), max(1, len(right))))
    return np.asarray(left @ right.T)
