"""The learned half of the risk detector: six layers and two heads of its own on the package's shared embeddings.

One pass reads a turn, and each of its sentences in the company of the rest: the mean of its own tokens, under the same
two heads. Training is `recipes/train_risk_encoder.py`, the heads for sentences are `recipes/risk_within.py`.
Runtime, tokenizer and weights are loaded at the first text, not at import.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from maieutic.reading import encoder as reading
from maieutic.reading.head import Head
from maieutic.reading.head import load as load_head

WEIGHTS: Final = Path(__file__).parent / "weights" / "risk_encoder.onnx"
WITHIN: Final = "safety/weights/within.npz"
LONGEST: Final = 96
"""Tokens of one window, as in training; a longer piece becomes several windows."""
OVERLAP: Final = 24
"""Tokens that two neighbouring windows share."""
WIDTH: Final = 384
"""Numbers of a text's vector."""
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Scored:
    """What the network makes of a text or a part of one.

    Attributes:
        danger: The probability of danger, 0 to 1; of a text read in pieces the highest, -1 for no piece.
        kind: The likeliest kind. piece: The words that were read.
        sense: (384,) their unit vector, which heads of others may read.
    """

    danger: float
    kind: str
    piece: str
    sense: Floats


@dataclass(frozen=True, slots=True)
class RiskEncoder:
    """Tokenizer, network and the two thresholds; `kinds` name the columns of the network's second output.

    `danger_within` and `kind_within` read a part of a text.
    """

    tokenizer: Any
    network: reading.Encoder
    kinds: tuple[str, ...]
    threshold: float
    certain: float
    danger_within: Head
    kind_within: Head

    def score(self, text: str, pieces: Sequence[str], parts: Sequence[str]) -> tuple[Scored, list[Scored | None]]:
        """The most dangerous of a text's pieces, and each of its parts, from the same passes.

        None for a part that is not found in the text letter by letter.
        """
        best = Scored(-1.0, self.kinds[0], "", np.zeros(WIDTH))
        spans, at = list(_spans(text, parts)), -1
        tokens: list[list[Floats]] = [[] for _ in parts]
        for piece in pieces:
            at = text.find(piece, at + 1)
            coded = self.tokenizer.encode(piece)
            for window in (coded, *coded.overflowing):
                danger, kinds, pooled, states = self.network(window.ids)
                if float(danger) > best.danger:
                    kind = self.kinds[int(np.argmax(kinds))]
                    best = Scored(float(danger), kind, piece, _unit(pooled.astype(np.float64)))
                for inside, (first, last) in zip(tokens, spans, strict=True):
                    if at >= 0:
                        own = [n for n, (a, b) in enumerate(window.offsets) if first <= a + at < b + at <= last]
                        inside.extend(states[own].astype(np.float64))
        return best, [self._part(part, inside) for part, inside in zip(parts, tokens, strict=True)]

    def _part(self, part: str, tokens: Sequence[Floats]) -> Scored | None:
        if not tokens:
            return None
        mean = np.mean(tokens, axis=0)
        kind = self.kind_within.read(mean).label or self.kinds[0]
        return Scored(float(self.danger_within.probabilities(mean)[0]), kind, part, _unit(mean))


def _spans(text: str, parts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where each part stands in a text, in order; (0, 0) for one that does not."""
    end = 0
    for part in parts:
        start = text.find(part, end)
        if start >= 0:
            end = start + len(part)
        yield (start, end) if start >= 0 else (0, 0)


def _unit(vector: Floats) -> Floats:
    return np.asarray(vector / np.linalg.norm(vector))


@lru_cache(maxsize=1)
def load_encoder() -> RiskEncoder:
    """The packaged encoder.

    Raises:
        UnreadableFile: a file is missing from the installation or is not the one the thresholds were chosen for.
    """
    network = reading.load(WEIGHTS)
    facts = network.facts
    return RiskEncoder(
        reading.tokenizer(LONGEST, OVERLAP),
        network,
        tuple(facts["kinds"]),
        float(facts["threshold"]),
        float(facts["certain"]),
        load_head(WITHIN, "danger"),
        load_head(WITHIN, "kind"),
    )
