"""The fine-tuned sentence encoder of the accurate coder: reads an utterance with the turns about it, without torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from maieutic.coding.features import Said
from maieutic.reading import encoder as reading
from maieutic.reading.encoder import bare_ids, marks
from maieutic.reading.head import log_shares

PACKAGED = Path(__file__).parent / "weights" / "coder_encoder.onnx"
AT_ONCE = 32
"""Utterances that go through the layers together; the states of more would not stay in the processor's cache."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """What the encoder says of some utterances.

    Attributes:
        scores: Log probabilities by head, (n, labels of the head).
        pooled: State behind the heads, (n, d) float32.
    """

    scores: Mapping[str, NDArray[np.float64]]
    pooled: NDArray[np.float32]


class PairEncoder:
    """Upper layers fine-tuned on behaviour codes, on the shared body; a local encoder may hold the whole, as its facts
    say.

    Attributes:
        labels: Label ids by head, in the order of the columns.
        reads_on: Whether it was trained to read the turn after the utterance, too.
        sha256: Hash of the weights.
    """

    def __init__(self, weights: Path) -> None:
        """Loads an exported graph and the facts beside it (same name, ending in .json).

        Raises:
            UnreadableFile: A file is missing, or the graph or the tokenizer is not the one the facts name.
        """
        self._network = reading.load(weights)
        facts = self._network.facts
        parts = [facts["sha256"], *(part["sha256"] for part in facts.get("own_layers", {}).values())]
        self.sha256: str = parts[0] if len(parts) == 1 else reading.sha256("".join(parts).encode())
        self.labels: dict[str, tuple[str, ...]] = {head: tuple(labels) for head, labels in facts["heads"].items()}
        self.reads_on: bool = bool(facts.get("reads_on"))

    def __call__(self, said: Sequence[Said]) -> Encoded:
        """Reads utterances, each with the other speaker's turn before it and, where it learned to, the one after it."""
        width = sum(map(len, self.labels.values()))
        scores = np.zeros((len(said), width))
        states = []
        for start in range(0, len(said), AT_ONCE):
            ids = [
                pair_ids(one.text, one.other, one.following if self.reads_on else "")
                for one in said[start : start + AT_ONCE]
            ]
            for row, (found, state) in enumerate(self._network.each(ids), start):
                scores[row] = found
                states.append(state)
        by_head, start = {}, 0
        for head, labels in self.labels.items():
            by_head[head] = log_shares(scores[:, start : start + len(labels)])
            start += len(labels)
        return Encoded(by_head, np.array(states, dtype=np.float32))


@cache
def shared_encoder(weights: Path) -> PairEncoder:
    """The encoder of a file, loaded once a process."""
    return PairEncoder(weights)


def packaged_encoder() -> PairEncoder:
    """The encoder in the package."""
    return shared_encoder(PACKAGED)


MAX_BEFORE = 40
MAX_OWN = 88
MAX_AFTER = 24


def pair_ids(text: str, before: str = "", after: str = "") -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Token ids and kinds (1: the utterance and its end mark, 0: all else).

    Args:
        text: The utterance.
        before: What the other speaker said before it, or empty.
        after: What the other speaker said next, or empty.

    Returns:
        Two tuples of equal length, at most MAX_BEFORE + MAX_OWN + MAX_AFTER + 4.
    """
    begin, end = marks()
    earlier, own, later = _ids(before), _ids(text), _ids(after)
    # A long turn often asks at its end: its head and its tail are kept.
    if len(own) > MAX_OWN:
        own = own[: MAX_OWN // 2] + own[-MAX_OWN // 2 :]
    first = (begin, *earlier[-MAX_BEFORE:], end)
    second = (*own, end)
    third = (*later[:MAX_AFTER], end) if later else ()
    return (*first, *second, *third), (*((0,) * len(first)), *((1,) * len(second)), *((0,) * len(third)))


@lru_cache(maxsize=512)
def _ids(text: str) -> tuple[int, ...]:
    """Tokens without marks; every turn of a session is read three times, as itself and beside its neighbours."""
    return bare_ids(text)
