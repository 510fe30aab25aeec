"""What the sentences of a reply are near to and what they do, in the numbers that the battery's heads weigh.

Sentences that carry nothing (hedges, thanks and courtesies of speech) are left out before moves are read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Final

import numpy as np

from maieutic.coding.encoder import packaged_encoder
from maieutic.coding.features import Said
from maieutic.language.sentences import content_words, sentences
from maieutic.reading.bag import bag
from maieutic.reading.head import Floats, load
from maieutic.reading.minilm import shared_minilm

# Closed classes of words that heads count: negations, persons, and what opens a condition or a question.
NEGATIONS: Final = frozenset(
    """not never no none nobody nothing neither nor cannot without hardly unlikely only rather instead isn't
    aren't wasn't weren't don't doesn't didn't haven't hasn't hadn't can't won't wouldn't couldn't
    shouldn't ain't""".split()
)
YOU: Final = frozenset("you you're you've you'd you'll your yours yourself".split())
SUBJECT: Final = frozenset("you you're you've you'd you'll".split())
"""The patient as the subject of a clause."""
I: Final = frozenset("i i'm i've i'd i'll me my mine".split())  # noqa: E741
OTHERS: Final = frozenset(
    """he he's she she's they they're him her them his their we we're us our everyone everybody someone
    anyone nobody people children some many most others husband wife mother father mum mom dad son
    daughter sister sister's brother boss friend friends partner kids parents family colleague colleagues
    neighbour neighbours teacher manager boyfriend girlfriend ex doctor""".split()
)
CONDITIONS: Final = frozenset("if when whenever next should".split())
ASKING: Final = frozenset("what how which who where why when".split())
ADVISING: Final = frozenset("could should ought might may can will must".split())


ENCODER: Final = "coder_encoder"


@lru_cache(maxsize=20_000)
def turn_vector(text: str) -> Floats:
    """Unit vector of a turn or a part of one, heard without the talk before it, (384,).

    Raises:
        ModelUnavailable: weights or tokenizer of the encoder are missing or not the pinned ones.
    """
    state = packaged_encoder()([Said(text)]).pooled[0].astype(np.float64)
    return np.asarray(state / np.linalg.norm(state))


OPENINGS: Final = "gap/weights/openings.npz"
NOTHING: Final = "nothing"


def without_openings(parts: Sequence[str], keeps: Callable[[str], bool] | None = None) -> list[str]:
    """The sentences of a reply without those that carry nothing ("I may have this wrong, and please say so."); all of
    them where nothing else is left.

    Each is read by itself by a head that was trained on own-written openings and on sentences that make a move.

    Args:
        parts: Sentences of one reply.
        keeps: Whether a sentence that the head takes for an opening stays all the same: behind "correct me if I'm off:"
            there may stand a conclusion.
    """
    if len(parts) < 2:
        return list(parts)
    head = load(OPENINGS, "openings")

    def carries(part: str) -> bool:
        return head.read(opening_row(part, head.places)).label != NOTHING or (keeps is not None and keeps(part))

    return [part for part in parts if carries(part)] or list(parts)


def opening_row(sentence: str, vocabulary: Mapping[str, int]) -> Floats:
    """What the head sees of a sentence: what it is about, what it does, whether it asks, how long it is, its words."""
    form = np.array([sentence.rstrip().endswith("?"), min(len(sentence.split()), 30) / 30])
    return np.concatenate([shared_minilm()([sentence])[0], turn_vector(sentence), form, bag(sentence, vocabulary)])


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
    return np.concatenate([vectors([text])[0], turn_vector(text)])


def to_you(text: str) -> str:
    """What the patient said of himself or herself, as said to the patient."""
    text = _SPOKEN.sub(lambda m: _YOURS.get(m[0].lower().replace("’", "'"), m[0]), text)
    for mine, yours in _AGREEING:
        text = text.replace(mine, yours)
    return text


def is_asked(sentence: str) -> bool:
    """The sentence ends in a question mark."""
    return sentence.rstrip("\"'”’) ").endswith("?")


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


def weighed(numbers: Mapping[str, float], reply: str, known: AbstractSet[str]) -> Floats:
    """What a head reads of a reply: numbers of its own, then what the sentences do, and the reply's form."""
    return np.concatenate([list(map(float, numbers.values())), form_of(reply, known)])


def likeness(left: Floats, right: Floats) -> Floats:
    """Cosines, (n, m); with nothing on one side, a single row or column of zeros in its place."""
    if not len(left) or not len(right):
        return np.zeros((max(1, len(left)), max(1, len(right))))
    return np.asarray(left @ right.T)
