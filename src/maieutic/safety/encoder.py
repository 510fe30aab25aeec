"""The learned half of the risk detector: six layers and two heads of its own on the package's shared embeddings.

Training is `recipes/train_risk_encoder.py`. Runtime, tokenizer and weights are loaded at the first text, not at import.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from maieutic.reading import encoder as reading
from maieutic.reading.store import Store

WEIGHTS: Final = Path(__file__).parent / "weights" / "risk_encoder.onnx"
LONGEST: Final = 96
"""Tokens of one window, as in training; a longer piece becomes several windows."""
OVERLAP: Final = 24
"""Tokens that two neighbouring windows share."""
WIDTH: Final = 384
"""Numbers of a text's vector."""
KEPT: Final = 512
"""Windows remembered, 2 kB each: about a session of sentences, some of which come back."""
CUT: Final = 512
"""Pieces whose windows are remembered: some kB for a sentence, a number for each token of an overlong one."""
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Scored:
    """What the network makes of a text, read in pieces.

    Attributes:
        danger: The highest probability of danger among the pieces, 0 to 1; -1 for no piece.
        kind: Its likeliest kind. piece: The piece itself.
        sense: (384,) unit vector of that piece, which heads of others may read.
    """

    danger: float
    kind: str
    piece: str
    sense: Floats


@dataclass(frozen=True, slots=True)
class RiskEncoder:
    """Tokenizer, network and the two thresholds; `kinds` name the columns of the network's second output.

    `_read` keeps what the network made of a window, `_cut` the windows of a piece of text.
    """

    tokenizer: Any
    network: reading.Encoder
    kinds: tuple[str, ...]
    threshold: float
    certain: float
    _read: Store[tuple[int, ...], list[NDArray[np.float32]]] = field(
        default_factory=lambda: Store(KEPT), repr=False, compare=False
    )
    _cut: Store[str, list[tuple[int, ...]]] = field(default_factory=lambda: Store(CUT), repr=False, compare=False)

    def read_together(self, pieces: Sequence[str]) -> None:
        """Reads pieces that are going to be scored: all of them through one layer before the next.

        That costs less than one after another, and tells the same.
        """
        new = [
            ids for ids in dict.fromkeys(ids for one in pieces for ids in self._windows(one)) if ids not in self._read
        ]
        for ids, told in zip(new, self.network.each([(one, (0,) * len(one)) for one in new]), strict=True):
            self._read.put(ids, told)

    def score(self, pieces: Sequence[str]) -> Scored:
        """The most dangerous of the pieces."""
        best = Scored(-1.0, self.kinds[0], "", np.zeros(WIDTH))
        self.read_together(pieces)
        for piece in pieces:
            for window in self._windows(piece):
                danger, kinds, pooled = self._read.get(window) or self.network(window)
                if float(danger) > best.danger:
                    sense = pooled.astype(np.float64)
                    kind = self.kinds[int(np.argmax(kinds))]
                    best = Scored(float(danger), kind, piece, sense / np.linalg.norm(sense))
        return best

    def _windows(self, piece: str) -> list[tuple[int, ...]]:
        found = self._cut.get(piece)
        if found is None:
            coded = self.tokenizer.encode(piece)
            found = [tuple(window.ids) for window in (coded, *coded.overflowing)]
            self._cut.put(piece, found)
        return found


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
    )
