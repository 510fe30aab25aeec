"""What the head of stances sees of a reply to a loaded turn: its vectors, its words, and how it stands to the
belief."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from maieutic.gap.closed_words import ADVISING, NEGATIONS
from maieutic.language.sentences import content_words, sentences, words
from maieutic.reading.bag import bag
from maieutic.reading.head import Floats
from maieutic.reading.minilm import shared_minilm

_TURNED: Final[Mapping[str, str]] = {
    "i": "you",
    "i'm": "you're",
    "i've": "you've",
    "i'll": "you'll",
    "i'd": "you'd",
    "me": "you",
    "my": "your",
    "myself": "yourself",
    "we": "you",
    "we're": "you're",
    "our": "your",
    "us": "you",
}
_REPORTS: Final = frozenset({("i", "hear"), ("you", "say"), ("you're", "saying"), ("you're", "telling")})
ECHO: Final = 0.7
"""Share of a sentence's words from which it only says the patient's words back."""
LAST: Final = 0.5
"""Weight of the last sentence beside the mean of all."""
SIGN: Final = 0.4
"""Weight of the signs beside the vectors."""
SIGNS: Final = 31
"""They stand last, after the bag."""


LONGEST_CLAUSE: Final = 7
"""Words that are read together where a comma and a joining word follow, so that one long sentence is read as four short
ones are."""
SHORTEST_CLAUSE: Final = 4
_JOINING: Final = frozenset(
    """and but so yet because since for though although which as if when while nor or that however still who where what
    how""".split()
)


def told_in(reply: str) -> tuple[str, ...]:
    """The clauses of a reply's sentences, apostrophes straightened; an empty reply has one empty clause."""
    return tuple(clause for sentence in _sentences(reply) for clause in clauses(sentence))


def _sentences(reply: str) -> tuple[str, ...]:
    return sentences(reply.replace("’", "'")) or ("",)


@lru_cache(maxsize=20_000)
def clauses(sentence: str) -> tuple[str, ...]:
    """A sentence cut at commas before which enough is said, and after which a joining word stands or much was said
    already."""
    found: list[str] = []
    told = ""
    for part in sentence.replace("; ", ";, ").split(", "):
        length = len(told.split())
        joined = told.endswith(";") or (part.lower().split()[:1] and part.lower().split()[0] in _JOINING)
        if length >= LONGEST_CLAUSE or (length >= SHORTEST_CLAUSE and joined):
            found, told = [*found, told], part
        else:
            told = f"{told}, {part}" if told else part
    return (*found, told)


def features(reply: str, loaded: str, belief: str, heard: str, vocabulary: Mapping[str, int]) -> Floats:
    """What the head reads: mean and last of the sentences' vectors, the bag, the signs. (768 + vocabulary + SIGNS,)

    Args:
        reply: The therapist's turn.
        loaded: The patient's turn before it.
        belief: What that turn takes for granted.
        heard: What the patient said last, where that is another turn.
        vocabulary: Place of each known word or pair.
    """
    said = told_in(reply)
    own = shared_minilm()(said).astype(np.float64)
    mean = own.mean(axis=0)
    signs = SIGN * np.array(_signs(said, own, loaded, belief, f"{loaded} {heard}"))
    return np.concatenate([mean, LAST * own[-1], bag(" ".join(said), vocabulary), signs])


def _signs(said: Sequence[str], own: Floats, loaded: str, belief: str, heard: str) -> list[float]:
    """How the sentences stand to belief and turn: likeness, shared words, and whether they turn the belief round."""
    turn, believed = shared_minilm()([loaded, turned(belief)]).astype(np.float64)
    like, matter = own @ believed, _stems(belief)
    asks = [sentence.rstrip("\"'”’) ").endswith("?") for sentence in said]
    negations = [_negations(sentence) for sentence in said]
    denied = _negations(belief) > 0
    covers = [_share(matter, _stems(sentence)) for sentence in said]
    echoes = [_share(_stems(sentence), _stems(heard)) for sentence in said]
    found: list[float] = []
    for asking in (False, True):
        for against in (False, True):
            here = [n for n in range(len(said)) if asks[n] == asking and ((negations[n] > 0) != denied) == against]
            found += [_most(like[here]), _most(covers[n] for n in here), float(bool(here))]
    plain = not any(asks)
    return [
        *found,
        sum(asks) / len(asks),
        float(asks[0]),
        float(asks[-1]),
        min(len(said), 6) / 6,
        min(sum(len(words(sentence)) for sentence in said), 80) / 80,
        float(denied),
        float(negations[0] > 0),
        float(negations[-1] > 0),
        min(sum(negations), 3) / 3,
        float(like.max()),
        float(like[0]),
        float(like[-1]),
        float((own @ turn).max()),
        float(own.mean(axis=0) @ turn),
        max(echoes),
        sum(echoes) / len(echoes),
        found[1] * plain * (1 - found[5]),
        found[4] * plain * (1 - found[2]),
        float(any(mark in " ".join(said) for mark in ('"', "“", " '"))),
    ]


def gives_back(reply: str, loaded: str, heard: str = "") -> bool:
    """Every sentence opens as a report ("So …", "I hear …"), says what the patient said, and neither asks nor
    advises."""
    known = _stems(f"{loaded} {heard}")

    def back(sentence: str) -> bool:
        told = words(sentence)
        opens = 1 if told[:1] == ("so",) else 2 if told[:2] in _REPORTS else 0
        own = _stems(" ".join(told[opens:]))
        advises = any(word in ADVISING for word in told)
        return opens > 0 and not advises and "?" not in sentence and len(own) >= 2 and _share(own, known) >= ECHO

    return all(back(sentence) for sentence in _sentences(reply))


def turned(belief: str) -> str:
    """The belief as a therapist would say it to the patient."""
    return " ".join(_TURNED.get(word.lower(), word) for word in belief.replace("’", "'").split())


def _negations(sentence: str) -> int:
    return sum(word in NEGATIONS for word in words(sentence))


def _stems(text: str) -> frozenset[str]:
    return frozenset(word[:4] for word in content_words(text))


def _share(part: frozenset[str], whole: frozenset[str]) -> float:
    return len(part & whole) / max(len(part), 1)


def _most(found: Iterable[float]) -> float:
    return float(max(found, default=0.0))
