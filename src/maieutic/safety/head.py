"""The learned half of the risk detector: TF-IDF of words, character n-grams and cues under two linear models.

The weights are plain arrays and a JSON vocabulary (no pickle); scoring needs numpy only, so a call costs well under a
millisecond. Training is `recipes/train_risk_head.py`, which uses `counts` from here, so that both see the same features.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maieutic.errors import UnreadableFile
from maieutic.safety.cues import cues_in
from maieutic.safety.patterns import mask_idioms

_WORD: Final = re.compile(r"[a-z0-9']+|_idiom_")
_DIGITS: Final = re.compile(r"\d+")
CUE_WEIGHT: Final = 0.22
"""What one cue adds beside the unit-length n-gram block; chosen by grouped cross-validation on the training texts."""


@dataclass(frozen=True, slots=True)
class Head:
    """Vocabulary and weights; `kinds` name the rows of `kind_weights`."""

    vocabulary: dict[str, int]
    idf: NDArray[np.float32]
    risk_weights: NDArray[np.float32]
    risk_bias: float
    kind_weights: NDArray[np.float32]
    kind_bias: NDArray[np.float32]
    kinds: tuple[str, ...]
    threshold: float
    certain: float

    def score(self, text: str) -> tuple[float, str, tuple[str, ...]]:
        """Probability of risk (0 to 1), the likeliest kind and the three words that weighed most, for normalised text."""
        columns, values = vector(text, self.vocabulary, self.idf)
        shares = values * self.risk_weights[columns]
        probability = 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, float(shares.sum()) + self.risk_bias))))
        kind = self.kinds[int(np.argmax(self.kind_weights[:, columns] @ values + self.kind_bias))]
        known = {self.vocabulary[name]: name[2:] for name in _words(text) if name in self.vocabulary}
        order = np.argsort(-shares)
        leading = tuple(known[int(columns[i])] for i in order if int(columns[i]) in known and shares[i] > 0)[:3]
        return probability, kind, leading


def _words(text: str) -> list[str]:
    tokens = _WORD.findall(_DIGITS.sub("0", mask_idioms(text)))
    return [f"w:{token}" for token in tokens]


def counts(text: str) -> Counter[str]:
    """All features of normalised text with their counts: words, pairs, triples, character 3- to 5-grams, cues."""
    words = _words(text)
    bare = [word[2:] for word in words]
    found = Counter(words)
    found.update(f"b:{one} {two}" for one, two in pairwise(["^", *bare, "$"]))
    found.update(f"t:{' '.join(three)}" for three in zip(bare, bare[1:], bare[2:], strict=False))
    for word in bare:
        padded = f" {word} "
        found.update(f"c:{padded[i : i + size]}" for size in (3, 4, 5) for i in range(len(padded) - size + 1))
    found.update(f"q:{cue}" for cue in cues_in(text))
    return found


def vector(
    text: str, vocabulary: dict[str, int], idf: NDArray[np.float32]
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Columns and values of the text: n-grams are log counts times idf at unit length, cues a fixed weight each."""
    known = [(vocabulary[name], count, name[0] == "q") for name, count in counts(text).items() if name in vocabulary]
    if not known:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
    columns = np.array([column for column, _, _ in known], dtype=np.int64)
    raw = np.array([1.0 + math.log(count) for _, count, _ in known], dtype=np.float32) * idf[columns]
    is_cue = np.array([cue for _, _, cue in known])
    length = float(np.linalg.norm(raw[~is_cue])) or 1.0
    return columns, np.where(is_cue, np.float32(CUE_WEIGHT), raw / np.float32(length)).astype(np.float32)


@lru_cache(maxsize=1)
def load_head() -> Head:
    """The packaged head.

    Raises:
        UnreadableFile: the weights are missing from the installation.
    """
    folder = resources.files("maieutic.safety") / "weights"
    try:
        facts = json.loads((folder / "risk_head.json").read_text(encoding="utf-8"))
        with resources.as_file(folder / "risk_head.npz") as path, np.load(path, allow_pickle=False) as arrays:
            stored = {name: arrays[name].astype(np.float32) for name in arrays.files}
    except FileNotFoundError as missing:
        raise UnreadableFile(
            f"the risk head's weights are missing ({missing.filename}); expected risk_head.json and risk_head.npz inside "
            "the package. Install maieutic again, or run recipes/train_risk_head.py"
        ) from missing
    return Head(
        vocabulary={name: column for column, name in enumerate(facts["vocabulary"])},
        idf=stored["idf"],
        risk_weights=stored["risk_weights"],
        risk_bias=float(facts["risk_bias"]),
        kind_weights=stored["kind_weights"],
        kind_bias=stored["kind_bias"],
        kinds=tuple(facts["kinds"]),
        threshold=float(facts["threshold"]),
        certain=float(facts["certain"]),
    )
