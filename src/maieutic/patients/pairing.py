"""The learned half of reaching: a small encoder fine-tuned to lay a turn beside the fact it asks for.

Training is `recipes/train_reach_encoder.py`. Runtime, tokenizer and weights are loaded at the first text, not at import.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maieutic.domain.case import Evidence
from maieutic.errors import UnreadableFile

Vectors = NDArray[np.float32]
Floats = NDArray[np.float64]

LONGEST: Final = 96
"""Tokens, as in training."""
KEPT: Final = 20_000
"""Vectors kept, 1.5 kB each: facts and banks of questions come back in every session."""
SOFTNESS: Final = 0.05
"""How far the second best wording counts beside the best."""


@dataclass(frozen=True, slots=True)
class Paired:
    """What a fact is laid beside a turn by: its example questions, its wordings, and itself with its topics."""

    asks: Vectors
    said: Vectors
    fact: Vectors


@dataclass(frozen=True, slots=True)
class Pairing:
    """The encoder and the few numbers that weigh its likenesses.

    Attributes:
        vector: The unit vector of a text, (384,); it keeps the newest.
        weights: Of likeness to questions, wordings and fact.
        nothing, edge: The direction in which turns lie that ask for no fact, and its offset.
    """

    vector: Callable[[str], Vectors]
    weights: Floats
    nothing: Floats
    edge: float

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, one text at a time: the int8 graph scales its numbers by batch."""
        return np.array([self.vector(text) for text in texts], dtype=np.float32)

    def index(self, evidence: Evidence) -> Paired:
        whole = f"{evidence.fact} {', '.join(evidence.topics)}"
        return Paired(self.encode(list(evidence.asks)), self.encode(list(evidence.said)), self.encode([whole]))

    def likeness(self, turn: Vectors, facts: Sequence[Paired]) -> Floats:
        """(facts, 5): to questions, wordings and fact; the log odds against no fact; the probability among all and none."""
        near = np.array([[_soft(f.asks @ turn), _soft(f.said @ turn), float(f.fact[0] @ turn)] for f in facts])
        odds = near @ self.weights - (float(self.nothing @ turn) + self.edge)
        raised = np.exp(odds - max(0.0, float(odds.max())))
        chance = raised / (raised.sum() + np.exp(-max(0.0, float(odds.max()))))
        return np.column_stack([near, odds, chance])


def _soft(values: Vectors) -> float:
    best = float(values.max())
    return best + SOFTNESS * float(np.log(np.exp((values - best) / SOFTNESS).sum()))


@lru_cache(maxsize=1)
def packaged_pairing() -> Pairing:
    """The one that the package carries.

    Raises:
        UnreadableFile: a file is missing from the installation or is not the one the head was fitted with.
    """
    package = resources.files("maieutic")
    folder = package / "patients" / "weights"
    try:
        facts = json.loads((folder / "reach_encoder.json").read_text(encoding="utf-8"))
        weights = (folder / "reach_encoder.onnx").read_bytes()
        tokens = (package / "models" / "minilm" / "tokenizer.json").read_bytes()
    except FileNotFoundError as missing:
        raise UnreadableFile(
            f"a file of the reach encoder is missing ({missing.filename}); install maieutic again, "
            "or run recipes/train_reach_encoder.py"
        ) from missing
    for content, pin, name in ((weights, "sha256", "weights"), (tokens, "tokenizer_sha256", "tokenizer")):
        found = hashlib.sha256(content).hexdigest()
        if found != facts[pin]:
            raise UnreadableFile(
                f"the {name} of the reach encoder have sha256 {found}, expected {facts[pin]}. Install maieutic again, "
                "or run recipes/train_reach_encoder.py"
            )
    import onnxruntime
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(tokens.decode("utf-8"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(LONGEST)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])

    @lru_cache(maxsize=KEPT)
    def vector(text: str) -> Vectors:
        ids = np.array([tokenizer.encode(text).ids], dtype=np.int64)
        found: Vectors = session.run(None, {"ids": ids, "mask": np.ones_like(ids)})[0][0]
        return found

    return Pairing(vector, np.array(facts["weights"]), np.array(facts["nothing"]), float(facts["edge"]))
