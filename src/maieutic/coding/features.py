"""What the embedded coder sees of an utterance, word grams of it and of its context and a few counted properties; and
the linear head on them, with its weights on disk."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from operator import mul
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from maieutic.reading.head import Floats, Head, arrays_in

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
_MAX_UNMARKED_QUESTION = 12

DENSE_NAMES = tuple(
    """log_words at_most_2_words at_most_5_words ends_with_question_mark question_marks has_question_mark broken_off
    continues share_of_questions sentence_opens_with_wh sentence_opens_with_auxiliary
    last_sentence_opens_like_question share_of_you share_of_i share_of_backchannel only_backchannel
    overlap_with_last overlap_with_recent log_overlap_with_last log_words_of_other other_asked
    other_ends_with_question_mark other_broken_off self_broken_off self_asked log_words_of_self position opening
    log_sentences""".split()
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
        if spoken and ("?" in sentence or (spoken[0] in _WH_WORDS and len(spoken) <= _MAX_UNMARKED_QUESTION)):
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


Numbers = NDArray[np.float32]
SPACES = ("own", "other", "same", "following", "asked")
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Space:
    """A TF-IDF space over one part of the features.

    Attributes:
        part: Which grams of a row it reads, one of SPACES.
        vocabulary: Gram to its place.
        idf: Inverse document frequency by place.
        weight: Length of every row that is not empty.
    """

    part: str
    vocabulary: dict[str, int]
    idf: tuple[float, ...]
    weight: float

    def row(self, row: Row) -> tuple[list[float], list[int]]:
        """Sublinear TF-IDF scaled to length `weight`, and the place of each value."""
        grams, times = _counted(getattr(row, self.part))
        found = [(at, many) for at, many in zip(map(self.vocabulary.get, grams), times, strict=True) if at is not None]
        weighted = [many * self.idf[at] for at, many in found]
        length = math.sqrt(sum(map(mul, weighted, weighted))) or 1.0
        return [self.weight * value / length for value in weighted], [at for at, _ in found]


@lru_cache(maxsize=64)
def _counted(grams: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Each gram once, and the sublinear count of each; several spaces read the same grams."""
    counts = Counter(grams)
    return tuple(counts), tuple(1.0 if times == 1 else 1.0 + math.log(times) for times in counts.values())


@dataclass(frozen=True, slots=True)
class Basis:
    """The spaces and the scaling of counted properties that map rows to one feature matrix."""

    spaces: tuple[Space, ...]
    mean: Numbers
    scale: Numbers

    def matrix(self, rows: Sequence[Row], extra: Floats | None = None) -> Any:
        """Sparse features (n, d), those of the spaces first; `extra` holds further counted columns, (n, k)."""
        from scipy.sparse import csr_matrix

        dense = dense_matrix(rows)
        if extra is not None:
            dense = np.hstack([dense, extra])
        counted = (dense - self.mean) * self.scale
        befores = list(accumulate((len(space.idf) for space in self.spaces), initial=0))
        values: list[float] = []
        columns: list[int] = []
        ends = []
        for row in rows:
            for space, before in zip(self.spaces, befores, strict=False):
                found, places = space.row(row)
                values += found
                columns += [before + at for at in places]
            ends.append(len(values))
        width = counted.shape[1]
        where = np.repeat(ends, width)
        ours = np.arange(befores[-1], befores[-1] + width, dtype=np.int32)
        starts = np.array([0, *ends], dtype=np.int32) + width * np.arange(len(rows) + 1, dtype=np.int32)
        return csr_matrix(
            (
                np.insert(np.array(values, dtype=np.float64), where, counted.ravel()),
                np.insert(np.array(columns, dtype=np.int32), where, np.tile(ours, len(rows))),
                starts,
            ),
            shape=(len(rows), befores[-1] + width),
        )


@dataclass(frozen=True, slots=True)
class WordHead:
    """A fitted linear coder for one speaker of one scheme.

    Attributes:
        style: Punctuation it was trained to read.
        basis: Feature space.
        line: The head on it; its labels may be many where the scheme is multi-label, and its `doubt` is the probability
            below which the coder abstains.
        threshold: Lowest probability at which a code of a multi-label scheme is given; None for one-label schemes.
    """

    style: Style
    basis: Basis
    line: Head
    threshold: float | None = None

    def scores(self, rows: Sequence[Row], extra: Floats | None = None) -> Floats:
        """Uncalibrated linear scores, (n, labels)."""
        return self.line.scores(self.basis.matrix(rows, extra))

    def probabilities(self, rows: Sequence[Row], extra: Floats | None = None) -> Floats:
        """Calibrated probabilities, (n, labels); they sum to one unless the scheme is multi-label."""
        return self.line.probabilities(self.basis.matrix(rows, extra))


def save_head(head: WordHead, path: Path) -> None:
    """Writes a head as compressed arrays, without pickled objects."""
    arrays: dict[str, Any] = {
        "format": np.array(_FORMAT),
        "labels": np.array(head.line.labels),
        "style": np.array(head.style),
        "weights": head.line.weights.T.astype(np.float32),
        "intercept": head.line.bias.astype(np.float32),
        "mean": head.basis.mean,
        "scale": head.basis.scale,
        "calibration": np.array([1.0 / head.line.temperature, 0.0, head.line.doubt]),
        "threshold": np.array([] if head.threshold is None else [head.threshold]),
    }
    for space in head.basis.spaces:
        ordered = sorted(space.vocabulary, key=space.vocabulary.__getitem__)
        arrays[f"vocabulary_{space.part}"] = np.array(ordered)
        arrays[f"idf_{space.part}"] = np.array(space.idf, dtype=np.float32)
        arrays[f"weight_{space.part}"] = np.array(space.weight)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, **arrays)


def load_head(path: Path) -> WordHead:
    """Reads a head that `save_head` wrote."""
    stored = arrays_in(path)
    spaces = tuple(
        Space(
            part,
            {str(gram): column for column, gram in enumerate(stored[f"vocabulary_{part}"])},
            tuple(stored[f"idf_{part}"].tolist()),
            float(stored[f"weight_{part}"]),
        )
        for part in SPACES
        if f"vocabulary_{part}" in stored
    )
    slope, offset, doubt = stored["calibration"].tolist()
    threshold = stored["threshold"]
    style: Any = str(stored["style"])
    line = Head(
        tuple(map(str, stored["labels"])),
        # The product with a sparse matrix wants one feature's weights side by side.
        stored["weights"].astype(np.float64).T,
        stored["intercept"].astype(np.float64) + offset / slope,
        temperature=1.0 / slope,
        many=bool(threshold.size),
        doubt=doubt,
    )
    basis = Basis(spaces, stored["mean"], stored["scale"])
    return WordHead(style, basis, line, float(threshold[0]) if threshold.size else None)
