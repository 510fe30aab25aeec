"""One head of the embedded coder at work: word grams, further columns, the encoder, and the numbers that join them into
calibrated probabilities, the advice heard sentence by sentence among them.

The human codes behind the AnnoMI coder come from demonstrations of motivational interviewing, where hardly anybody
gives plain advice, so plain advice was read as a reflection. The ear of `reading/moves.py` knows own-written advice of
many forms.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from maieutic.coding.encoder import Encoded, PairEncoder, shared_encoder
from maieutic.coding.features import Row, Said, Style, WordHead, asked_columns, load_head, restyle, row
from maieutic.coding.head_plan import HeadPlan, plan
from maieutic.coding.whole_reply import response_columns, stance_columns
from maieutic.errors import InputError
from maieutic.language.questions import ends_as_question, opening, opens_with_verb, parts_of
from maieutic.language.sentences import sentences, words
from maieutic.reading.head import Floats, shares
from maieutic.reading.moves import ASKING, chances, open_chance, read_together

_WH_WORDS = frozenset("what how why where who which when what's how's who's where's".split())
_WIDE = frozenset("what how why what's how's describe".split())
_COUNTED = frozenset("many much often long old far time day year age one".split())
_INVITES = (
    ("tell", "me"),
    ("describe",),
    ("walk", "me", "through"),
    ("talk", "about"),
    ("say", "more"),
    ("curious",),
    ("wonder",),
    ("wondering",),
    ("show", "me"),
    ("give", "me"),
    ("help", "me", "understand"),
)
_ASKED = frozenset("do does did are is was were have has had can could would will should".split())
_SUBJECTS = frozenset("you it that this there he she they we your".split())
_BEFORE = frozenset("and so but well okay ok now then right hm um uh like yeah to from in at for of with".split())
"""What may stand before the first word of a question, a preposition among it."""
_BREAKS = str.maketrans(dict.fromkeys(",;:–—", "\n") | {"-": " "})


def extra_columns(head: HeadPlan, said: Sequence[Said], encoded: Encoded | None) -> NDArray[np.float64] | None:
    """The further columns that a head reads, (n, k), or None."""
    if head.extra == "support":
        return support_columns(head.speaker, said, encoded)
    if head.extra == "questions":
        return np.array([question_columns(one.text) for one in said], dtype=np.float64)
    if head.extra == "asked":
        return np.array([asked_columns(one.text, one.other) for one in said], dtype=np.float64)
    if head.extra == "responses":
        counted = np.array([response_columns(one.text, one.other) for one in said], dtype=np.float64)
        return counted if encoded is None else np.hstack([counted, stance_columns(said), encoded.pooled])
    return None


def support_columns(speaker: str, said: Sequence[Said], encoded: Encoded | None) -> NDArray[np.float64]:
    """Log probabilities of the AnnoMI word-gram head and, where the encoder was asked, its state: (n, k)."""
    bare = [row(Said(restyle(one.text, "bare"))) for one in said]
    columns = [np.log(_support(speaker).probabilities(bare) + 0.01)]
    return np.hstack([*columns, *([encoded.pooled] if encoded is not None else [])])


def question_columns(text: str) -> list[float]:
    """The form of the questions of an utterance by its first words: openness of first, last and any, and which form
    comes last.

    Without an encoder, since the fast coder reads thousands of utterances a second.
    """
    asked = [part for s in sentences(text) if ends_as_question(s) for part in parts_of(s)] or [
        s for s in sentences(text) if _invites(words(s))
    ]
    opens = [_open(one) for one in asked]
    tokens = words(text)
    wh, wide = _last(_WH_WORDS, tokens, _COUNTED, besides=True), _wide(tokens)
    yes_no = _last(_ASKED, tokens, _SUBJECTS)
    return [
        float(bool(asked)),
        float(any(opens)),
        float(bool(opens) and opens[0]),
        float(bool(opens) and opens[-1]),
        float(bool(opens) and all(opens)),
        float(any(_leads(one) for one in asked)),
        float(any(_last(_WH_WORDS, words(one), _COUNTED, besides=True) >= 0 for one in asked) if asked else wh >= 0),
        float(any(_wide(words(one)) >= 0 for one in asked) if asked else wide >= 0),
        float(wide > yes_no),
        float(wh >= 0),
        float(yes_no >= 0),
        float(wh > yes_no),
        float(_last(_WH_WORDS, tokens, _COUNTED) >= 0),
        float(_invites(tokens)),
        float("or" in tokens),
        min(len(asked), 3) / 3,
    ]


def _invites(tokens: Sequence[str]) -> bool:
    return any(tokens[at : at + len(one)] == one for one in _INVITES if one[0] in tokens for at in range(len(tokens)))


def _wide(tokens: Sequence[str]) -> int:
    """Place of the last word that asks widely; -1 for none."""
    told = max((at for at, pair in enumerate(pairwise(tokens)) if pair == ("tell", "me")), default=-1)
    return max(told, _last(_WIDE, tokens, _COUNTED, besides=True))


def _open(question: str) -> bool:
    """A clause of it opens with a question word that asks for no number, or no clause opens with a verb and one stands
    in it."""
    firsts = [tokens[:2] for clause in question.translate(_BREAKS).split("\n") if (tokens := _led(clause))]
    if any(first[0] in _WH_WORDS and first[0] != "when" and not _COUNTED.intersection(first[1:]) for first in firsts):
        return True
    tokens = words(question)
    if _invites(tokens):
        return True
    verb_first = any(first[0].replace("n't", "") in _ASKED for first in firsts)
    return not verb_first and _last(_WH_WORDS - {"when"}, tokens, _COUNTED, besides=True) >= 0


def _led(clause: str) -> tuple[str, ...]:
    tokens = words(clause)
    while tokens and (tokens[0] in _BEFORE or (len(tokens[0]) == 1 and tokens[0] != "i")):
        tokens = tokens[1:]
    return tokens


def _leads(question: str) -> bool:
    """It opens with "don't you", "isn't it", or ends in a tag."""
    tag = question.rsplit(",", 1)[-1]
    negated = opening(question)[:1] and opening(question)[0].endswith("n't")
    return bool(negated) or ("," in question and len(tag.split()) <= 3 and opens_with_verb(tag))


def _last(first: Collection[str], tokens: Sequence[str], second: Collection[str], *, besides: bool = False) -> int:
    """Place of the last word of one kind that a word of another kind follows, or with `besides` does not; -1 for
    none."""
    followed = pairwise((*tokens, ""))
    return max(
        (at for at, (one, two) in enumerate(followed) if one in first and (two in second) != besides), default=-1
    )


@cache
def _support(speaker: str) -> WordHead:
    return load_head(plan(f"annomi_{speaker}").weights("bare"))


@dataclass(frozen=True, slots=True)
class Blend:
    """A softmax over a weighted sum of two sets of log probabilities; `recipes/heads.py` fits it on out-of-fold scores.

    Attributes:
        labels: Label ids, in the order of the columns.
        linear: Weight of the word-gram head's log probabilities.
        encoder: Weight of the encoder's log probabilities; 0 where the encoder has no such head.
        bias: Added score by label.
        doubt: Below this highest probability the coder abstains.
    """

    labels: tuple[str, ...]
    linear: float
    encoder: float
    bias: tuple[float, ...]
    doubt: float = 0.0

    def probabilities(
        self, linear: NDArray[np.float64], encoder: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        """Calibrated probabilities, (n, labels), from log probabilities of the same shape; rows sum to one."""
        total = self.linear * linear + np.array(self.bias)
        if encoder is not None:
            total = total + self.encoder * encoder
        return shares(total)

    def table(self) -> dict[str, Any]:
        """The numbers as plain JSON."""
        return asdict(self)

    @classmethod
    def of(cls, table: dict[str, Any]) -> Blend:
        """The blend that `table` wrote."""
        return cls(tuple(table["labels"]), table["linear"], table["encoder"], tuple(table["bias"]), table["doubt"])


JOINED: Final = Path(__file__).parent / "weights" / "advised.json"
COLUMNS: Final = ("most advice", "advice", "reflection", "information")
_SURE: Final = 0.02
"""Chances nearer to 0 or 1 than this say nothing more."""
_MIN_CHANCE: Final = 1e-4


@dataclass(frozen=True, slots=True)
class Advised:
    """Joins a head's probabilities with what was heard; fitted on out-of-fold probabilities and own rows.

    Attributes:
        labels: Label ids, in the order of the columns.
        kept: Weight of the head's log probabilities.
        heard: Weight of each of `COLUMNS` in the score of each label, (columns, labels).
        bias: Added score by label.
        doubt: Below this highest probability the coder abstains.
    """

    labels: tuple[str, ...]
    kept: float
    heard: tuple[tuple[float, ...], ...]
    bias: tuple[float, ...]
    doubt: float = 0.0

    def probabilities(self, before: Floats, columns: Floats) -> Floats:
        """Probabilities, (n, labels), from those of the head and `heard_columns`; rows sum to one."""
        scores = self.kept * np.log(np.maximum(before, _MIN_CHANCE)) + columns @ np.array(self.heard)
        return shares(scores + np.array(self.bias))

    def table(self) -> dict[str, Any]:
        """The numbers as plain JSON."""
        return asdict(self)

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> Advised:
        """What `table` wrote."""
        heard = tuple(map(tuple, table["heard"]))
        return cls(tuple(table["labels"]), table["kept"], heard, tuple(table["bias"]), table["doubt"])


def heard_columns(texts: Sequence[str]) -> Floats:
    """Log odds, (n, 4): of advice in the sentence that advises most, then the means of advice, reflection and
    information."""
    read_together([sentence for text in texts for sentence in sentences(text)])
    return np.array([_columns(text) for text in texts]).reshape(len(texts), len(COLUMNS))


def _columns(text: str) -> tuple[float, ...]:
    said = [chances(sentence) for sentence in sentences(text)]
    if not said:
        return (0.0,) * len(COLUMNS)
    odds = {label: [log_odds(one[label]) for one in said] for label in COLUMNS[1:]}
    return (max(odds["advice"]), *(float(np.mean(odds[label])) for label in COLUMNS[1:]))


def log_odds(chance: float) -> float:
    """Log odds of a chance that is not let nearer to 0 or 1 than `_SURE`."""
    sure = min(max(chance, _SURE), 1.0 - _SURE)
    return float(np.log(sure / (1.0 - sure)))


MIN_LOG = 1e-4
ASKING_FILE = Path(__file__).parents[1] / ASKING
WHY_LOCAL = "The licence of their data keeps them out of the package. "


@dataclass(frozen=True, slots=True)
class Reading:
    """Utterances in one style of punctuation, with their features; several heads may share it."""

    said: Sequence[Said]
    rows: Sequence[Row]


class HeadCoder:
    """Probabilities of one head's labels.

    Attributes:
        plan: What the head reads.
        labels: Label ids, in the order of the columns.
        threshold: Lowest probability at which a label of a multi-label head is given; None for one-label heads.
        weights_hash: SHA-256 over its weights.
    """

    def __init__(self, plan: HeadPlan, *, accurate: bool, hears: bool = False) -> None:
        """Loads the head.

        Args:
            plan: Which head.
            accurate: Whether the encoder reads the utterance too.
            hears: Whether each sentence is heard for advice, too, if the plan says so, and each question for its form:
                slower, and better.

        Raises:
            InputError: The weights are not there; for local heads the message names the command that makes them.
        """
        self.plan = plan
        self._accurate = accurate
        needed = [self._weights(style) for style in plan.styles]
        if accurate and plan.joined:
            needed.append(plan.blends())
        if accurate and (stances := plan.stance_weights()):
            needed.append(stances)
        asks_more, hears = hears, hears and plan.advised
        if hears:
            needed.append(JOINED)
        self._hears_form = asks_more and plan.facet == "question_form"
        if self._hears_form:
            needed.append(ASKING_FILE)
        missing = [path for path in needed if not path.is_file()]
        if missing:
            raise InputError(
                f"no weights for {plan.id} ({missing[0].name} is not in {missing[0].parent}). "
                f"{WHY_LOCAL if plan.local else ''}"
                f"With the research data at hand: python recipes/train_coder.py --data DATA --head {plan.id}"
            )
        self._linear: dict[Style, WordHead] = {style: load_head(self._weights(style)) for style in plan.styles}
        digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in needed]
        encoder = self.encoder()
        self.weights_hash = hashlib.sha256("".join([*digests, encoder.sha256 if encoder else ""]).encode()).hexdigest()
        first = self._linear[plan.styles[0]]
        self.labels, self.threshold = first.line.labels, first.threshold
        self._blends: dict[Style, Blend] = {}
        if accurate and plan.joined:
            stored = json.loads(plan.blends().read_text(encoding="utf-8"))
            self._blends = {style: Blend.of(stored[f"{plan.id}_{style}"]) for style in plan.styles}
        self._advised: dict[Style, Advised] = {}
        if hears:
            joined, tier = json.loads(JOINED.read_text(encoding="utf-8")), "accurate" if accurate else "fast"
            self._advised = {style: Advised.of(joined[f"{plan.id}_{style}_{tier}"]) for style in plan.styles}

    def encoder(self) -> PairEncoder | None:
        """The encoder whose reading `probabilities` expects, or None."""
        weights = self.plan.encoder_weights()
        return shared_encoder(weights) if self._accurate and weights is not None else None

    def style(self, dialogue: Style) -> Style:
        """The punctuation that the head reads in a dialogue of that punctuation."""
        return dialogue if dialogue in self.plan.styles else self.plan.styles[0]

    def by_words(self, reading: Reading, style: Style) -> NDArray[np.float64] | None:
        """Probabilities by word grams alone, (n, labels); None for a head that reads the encoder's state among them."""
        if self._accurate and not self.plan.joined:
            return None
        return self._linear[style].probabilities(reading.rows, extra_columns(self.plan, reading.said, None))

    def probabilities(
        self,
        reading: Reading,
        style: Style,
        encoded: Encoded | None,
        *,
        by_words: NDArray[np.float64] | None = None,
        read: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.float64]:
        """Calibrated probabilities, (n, labels).

        Args:
            reading: Utterances in the head's style of punctuation.
            style: That style.
            encoded: What the encoder says of the utterances it was asked about; None for the fast coder.
            by_words: What `by_words` gave; None: it is asked.
            read: Which utterances the encoder was asked about, (n,); None: all.
        """
        found = self._told(
            reading, style, encoded, by_words if by_words is not None else self.by_words(reading, style), read
        )
        if self._hears_form:
            return self._joined_with_form(found, [one.text for one in reading.said])
        if style not in self._advised:
            return found
        return self._advised[style].probabilities(found, heard_columns([one.text for one in reading.said]))

    def _joined_with_form(self, found: NDArray[np.float64], texts: Sequence[str]) -> NDArray[np.float64]:
        """The mean, in log odds, of what AnnoMI taught and what the questions of the turn are heard as."""
        heard = np.array([open_chance(text) for text in texts])
        is_open = self.labels.index("open")
        both = np.clip([found[:, is_open], heard], MIN_LOG, 1 - MIN_LOG)
        odds = np.log(both / (1 - both)).mean(axis=0)
        chance = 1 / (1 + np.exp(-odds))
        return np.stack([chance if at == is_open else 1 - chance for at in range(len(self.labels))], axis=1)

    def _told(
        self,
        reading: Reading,
        style: Style,
        encoded: Encoded | None,
        by_words: NDArray[np.float64] | None,
        read: NDArray[np.bool_] | None,
    ) -> NDArray[np.float64]:
        if by_words is None:
            return self._linear[style].probabilities(reading.rows, extra_columns(self.plan, reading.said, encoded))
        if style not in self._blends or encoded is None:
            return by_words
        theirs = encoded.scores.get(self.plan.id)
        if theirs is not None:
            order = self._encoder_labels()
            theirs = theirs[:, [order.index(label) for label in self.labels]]
        rows = slice(None) if read is None else read
        found = by_words.copy()
        found[rows] = self._blends[style].probabilities(np.log(np.maximum(by_words[rows], MIN_LOG)), theirs)
        return found

    def doubt(self, style: Style) -> float:
        """Below this highest probability the coder abstains."""
        if style in self._advised:
            return self._advised[style].doubt
        return self._blends[style].doubt if style in self._blends else self._linear[style].line.doubt

    def _encoder_labels(self) -> tuple[str, ...]:
        encoder = self.encoder()
        assert encoder is not None
        return encoder.labels[self.plan.id]

    def _weights(self, style: Style) -> Path:
        plain = self.plan.weights(style)
        return (
            plain.with_name(f"{plain.stem}_accurate.npz")
            if self._accurate and self.plan.encoder and not self.plan.joined
            else plain
        )
