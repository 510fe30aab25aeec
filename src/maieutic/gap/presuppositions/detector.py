"""Codes a reply to a loaded turn: rejects what it takes for granted, surfaces it as a belief, goes along, or neither.

The head of stances sees a reply's vectors, its words, and how it stands to the belief.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, get_args

import numpy as np

from maieutic.coding.whole_reply import stance_scores
from maieutic.gap.replies import ADVISING, NEGATIONS
from maieutic.language.sentences import content_words, sentences, words
from maieutic.reading.bag import bag
from maieutic.reading.head import Floats, load, shares
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


Stance = Literal["rejects", "surfaces", "accommodates", "neither"]

WEIGHTS: Final = "gap/weights/stances.npz"
"""Inside the package; `recipes/fit.py stances` makes it."""
WHOLE: Final = 1.0
"""Weight of the encoder that reads reply and turn whole, beside the head that reads clause by clause."""
TEMPERED: Final = 0.56
"""What both readings together are multiplied by, so that chances come out right on hands that neither learned from, as
they are and before a plain question (`recipes/reply_chances.py`, as is `WHOLE`)."""
SURE: Final = 0.9
"""Chance from which a reading counts: from here on hardly an answer surely goes along in one of its four styles and
surely does not in another, on hands left out (0.004; before a plain question 0.054: `recipes/reply_chances.py`)."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How a reply takes a presupposition.

    Attributes:
        stance: The likeliest class.
        why: The sentence that speaks most for it; empty for 'neither'.
        chance: Calibrated, that the class is right.
        accommodates: Calibrated, that the reply goes along.
    """

    stance: Stance
    why: str = ""
    chance: float = 1.0
    accommodates: float = 0.0

    @property
    def sure(self) -> bool:
        """Whether the class is told, or had better be called unsure."""
        return self.chance >= SURE

    @property
    def goes_along(self) -> bool | None:
        """Whether the reply goes along; None where that is unsure, whichever the other classes are."""
        return None if 1 - SURE < self.accommodates < SURE else self.accommodates >= SURE


@lru_cache(maxsize=20_000)
def stance_of(reply: str, loaded: str, belief: str, heard: str = "") -> Reading:
    """Code one reply.

    The likeliest class of a linear head over sentence vectors, known words and pairs, and signs of how the reply stands
    to the belief, fitted on own labelled replies. Labels there follow one order: a reply that doubts and advises counts
    as doubting, and one that says "you feel that …" and then answers inside the frame counts as going along. A reply
    without words is 'neither', and so is one that only says the patient's words back.

    Args:
        reply: The therapist's turn.
        loaded: The patient's turn before it.
        belief: What that turn takes for granted.
        heard: What the patient said last, where that is another turn.
    """
    if not words(reply) or gives_back(reply, loaded, heard):
        return Reading("neither")
    chances = shares(TEMPERED * joint_scores(reply, loaded, belief, heard))
    place = int(chances.argmax())
    stance: Stance = get_args(Stance)[place]
    told = float(chances[place]), float(chances[get_args(Stance).index("accommodates")])
    if stance == "neither":
        return Reading("neither", "", *told)
    said = sentences(reply)
    why = said[0] if len(said) == 1 else max(said, key=lambda s: _lead(_scores(s, loaded, belief, heard), place))
    return Reading(stance, why, *told)


def joint_scores(reply: str, loaded: str, belief: str, heard: str) -> Floats:
    """Log odds of the classes by both readings together, not calibrated, in the order of `Stance`."""
    return _scores(reply, loaded, belief, heard) + WHOLE * stance_scores(reply, loaded, turned(belief), heard)


def _scores(reply: str, loaded: str, belief: str, heard: str) -> Floats:
    """Log odds of the classes, in the order of `Stance`."""
    head = load(WEIGHTS, "stances")
    return head.scores(features(reply, loaded, belief, heard, head.places))


def _lead(scores: Floats, place: int) -> float:
    return float(scores[place] - np.delete(scores, place).max())
