"""What the embedded coder sees of an utterance: word grams of it and of its context, and a few counted properties."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Style = Literal["written", "questions", "bare"]
"""Which punctuation is read: all of it, question marks only, or none (as speech recognisers write)."""

_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
_SENTENCE = re.compile(r"(?<=[.?!])\s+")
_NOT_WORD = re.compile(r"[^\w\s']")
_NOT_WORD_OR_QUESTION = re.compile(r"[^\w\s'?]")

_WH_WORDS = frozenset("what how why when where who which what's how's who's".split())
_AUXILIARIES = frozenset(
    """do does did is are was were can could would will should have has had am isn't aren't don't didn't doesn't won't
    wouldn't couldn't haven't""".split()
)
_BACKCHANNEL = frozenset(
    "mm hmm mhm uh huh okay ok yeah yes right sure good great um oh alright well yep all no so and".split()
)
_FUNCTION_WORDS = frozenset(
    """the a an and or but so that this it is are was were be been i you he she they we me my your his her their our to
    of in on at for with as if not no do does did have has had just like um uh you're i'm it's that's don't know about
    what how when there going would could can will because really some kind""".split()
)
_VAGUE = frozenset("up feel feeling happened happen think want anything something make makes more tell why who".split())
"""Words of questions that could be asked of anybody; with the function words, what a particular question goes
beyond."""
_YOU = frozenset(("you", "you're", "you've", "your"))
_I = frozenset(("i", "i'm", "i've", "my", "me"))
_RECENT_TURNS = 6
_MIN_WORDS_TO_JUDGE_PUNCTUATION = 4
_LONGEST_UNMARKED_QUESTION = 12

DENSE_NAMES = (
    "log_words",
    "at_most_2_words",
    "at_most_5_words",
    "ends_with_question_mark",
    "question_marks",
    "has_question_mark",
    "broken_off",
    "continues",
    "share_of_questions",
    "sentence_opens_with_wh",
    "sentence_opens_with_auxiliary",
    "last_sentence_opens_like_question",
    "share_of_you",
    "share_of_i",
    "share_of_backchannel",
    "only_backchannel",
    "overlap_with_last",
    "overlap_with_recent",
    "log_overlap_with_last",
    "log_words_of_other",
    "other_asked",
    "other_ends_with_question_mark",
    "other_broken_off",
    "self_broken_off",
    "self_asked",
    "log_words_of_self",
    "position",
    "opening",
    "log_sentences",
)


@dataclass(frozen=True, slots=True)
class Said:
    """One utterance in its place.

    Attributes:
        text: What was said.
        other: The last earlier utterance of the other speaker, or empty.
        same: The last earlier utterance of the same speaker, or empty.
        recent: The other speaker's utterances among the last six.
        position: How many utterances came before.
        following: The other speaker's next utterance, or empty while there is none.
    """

    text: str
    other: str = ""
    same: str = ""
    recent: Sequence[str] = ()
    position: int = 0
    following: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """The features of one utterance: grams of itself, of the turns about it by the other and by its speaker; counts."""

    text: str
    own: tuple[str, ...]
    other: tuple[str, ...]
    same: tuple[str, ...]
    following: tuple[str, ...]
    dense: list[float]

    @property
    def asked(self) -> tuple[str, ...]:
        """Grams of the sentences that ask; few heads read them."""
        return grams(" ".join(asking(self.text)))


# Each utterance is read again as the context of those that follow; the caches span a few turns, no more.
@lru_cache(maxsize=32)
def words(text: str) -> tuple[str, ...]:
    """Lower-case words; digits and punctuation are left out."""
    return tuple(_WORD.findall(text.lower().replace("’", "'")))


def is_punctuated(texts: Sequence[str]) -> bool:
    """Whether most utterances of a dialogue carry a sentence mark; short ones count only where there is no other."""
    judged = [text for text in texts if len(text.split()) >= _MIN_WORDS_TO_JUDGE_PUNCTUATION] or texts
    return bool(judged) and sum(any(mark in text for mark in ".?!") for text in judged) * 2 >= len(judged)


def restyle(text: str, style: Style) -> str:
    """The text with the punctuation that the style reads."""
    if style == "written":
        return text
    return (_NOT_WORD if style == "bare" else _NOT_WORD_OR_QUESTION).sub(" ", text).lower()


@lru_cache(maxsize=32)
def grams(text: str) -> tuple[str, ...]:
    """One- and two-word grams with marks for where a sentence opens, ends, and ends in a question."""
    tokens: list[str] = []
    for sentence in _SENTENCE.split(text):
        found = words(sentence)
        if found:
            tokens += ["<begin>", *found, "<ask>" if "?" in sentence else "<stop>"]
    return (*tokens, *(f"{first} {second}" for first, second in pairwise(tokens)))


def asking(text: str) -> list[str]:
    """The sentences that end in a question mark, or are short and open with a question word."""
    found = []
    for sentence in _SENTENCE.split(text):
        spoken = words(sentence)
        if spoken and ("?" in sentence or (spoken[0] in _WH_WORDS and len(spoken) <= _LONGEST_UNMARKED_QUESTION)):
            found.append(sentence)
    return found


def in_place(turns: Sequence[tuple[str, str]]) -> list[Said]:
    """Each (speaker, text) of a dialogue with what it needs of the turns before and of the next."""
    coming: dict[str, str] = {}
    following = []
    for speaker, text in reversed(turns):
        following.append(next((spoken for who, spoken in coming.items() if who != speaker), ""))
        coming[speaker] = text
    last: dict[str, str] = {}
    said = []
    for position, (speaker, text) in enumerate(turns):
        window = turns[max(0, position - _RECENT_TURNS) : position]
        recent = [spoken for who, spoken in window if who != speaker]
        other = next((spoken for who, spoken in last.items() if who != speaker), "")
        said.append(Said(text, other, last.get(speaker, ""), recent, position, following[-1 - position]))
        last[speaker] = text
    return said


def row(said: Said) -> Row:
    """The features of one utterance."""
    own, other, same, following = map(grams, (said.text, said.other, said.same, said.following))
    return Row(said.text, own, other, same, following, _dense(said))


def asked_columns(text: str, other: str) -> list[float]:
    """How many questions, how long, how particular (words beyond the commonest), how they open, what they take up."""
    asked = [words(one) for one in asking(text)]
    if not asked:
        return [0.0] * 11
    lengths = [len(one) for one in asked]
    particular = [len(set(one) - _FUNCTION_WORDS - _VAGUE) for one in asked]
    return [
        1.0,
        float(len(asked)),
        math.log1p(max(lengths)),
        math.log1p(min(lengths)),
        float(max(particular)),
        float(min(particular)),
        float(sum(particular)),
        float(any(one[0] in _WH_WORDS for one in asked)),
        float(any(one[0] in _AUXILIARIES for one in asked)),
        float(max(len(set(one) & _content(other)) for one in asked)),
        float(any(_YOU & set(one) for one in asked)),
    ]


@lru_cache(maxsize=32)
def _content(text: str) -> frozenset[str]:
    return frozenset(words(text)) - _FUNCTION_WORDS


def _dense(said: Said) -> list[float]:
    other, same = said.other, said.same
    text, found = said.text.rstrip(), words(said.text)
    parts = [part for part in _SENTENCE.split(text) if part.strip()]
    opening = [first[0] for first in map(words, parts) if first]
    content, last_content = _content(said.text), _content(other)
    recent_content = frozenset[str]().union(*map(_content, said.recent))
    count = len(found)
    return [
        math.log1p(count),
        count <= 2,
        count <= 5,
        text.endswith("?"),
        text.count("?"),
        "?" in text,
        text.endswith(("-", "—")),
        text.startswith("-"),
        sum("?" in part for part in parts) / max(len(parts), 1),
        any(word in _WH_WORDS for word in opening),
        any(word in _AUXILIARIES for word in opening),
        bool(opening) and opening[-1] in _WH_WORDS | _AUXILIARIES,
        sum(map(_YOU.__contains__, found)) / (count + 1),
        sum(map(_I.__contains__, found)) / (count + 1),
        sum(map(_BACKCHANNEL.__contains__, found)) / (count + 1),
        all(map(_BACKCHANNEL.__contains__, found)),
        len(content & last_content) / (len(content) + 1),
        len(content & recent_content) / (len(content) + 1),
        math.log1p(len(content & last_content)),
        math.log1p(len(words(other))),
        "?" in other,
        other.rstrip().endswith("?"),
        other.rstrip().endswith("-"),
        same.rstrip().endswith("-"),
        "?" in same,
        math.log1p(len(words(same))),
        min(said.position, 40) / 40,
        said.position < 4,
        math.log1p(len(parts)),
    ]


def dense_matrix(rows: Sequence[Row]) -> NDArray[np.float64]:
    """The counted properties of many utterances: (n, len(DENSE_NAMES))."""
    return np.array([one.dense for one in rows], dtype=np.float64).reshape(len(rows), len(DENSE_NAMES))
