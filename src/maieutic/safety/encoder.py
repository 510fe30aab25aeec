"""The learned half of the risk detector: a small fine-tuned sentence encoder, run on one CPU thread without torch.

Training is `recipes/train_risk_encoder.py`. Runtime, tokenizer and weights are loaded at the first text, not at import.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from maieutic.errors import UnreadableFile

LONGEST: Final = 96
"""Tokens of one window, as in training; a longer piece becomes several windows."""
OVERLAP: Final = 24
"""Tokens that two neighbouring windows share."""
WIDTH: Final = 384
"""Numbers of a text's vector."""
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
class Encoder:
    """Tokenizer, network and the two thresholds; `kinds` name the columns of the network's second output."""

    tokenizer: Any
    session: Any
    kinds: tuple[str, ...]
    threshold: float
    certain: float

    def score(self, pieces: Sequence[str]) -> Scored:
        """The most dangerous of the pieces."""
        best = Scored(-1.0, self.kinds[0], "", np.zeros(WIDTH))
        for piece in pieces:
            coded = self.tokenizer.encode(piece)
            # One by one: the int8 graph scales its numbers by batch, so company would change a window's score.
            for window in (coded, *coded.overflowing):
                ids = np.array([window.ids], dtype=np.int64)
                danger, kinds, pooled = self.session.run(None, {"ids": ids, "mask": np.ones_like(ids)})
                if float(danger[0]) > best.danger:
                    sense = pooled[0].astype(np.float64)
                    kind = self.kinds[int(np.argmax(kinds[0]))]
                    best = Scored(float(danger[0]), kind, piece, sense / np.linalg.norm(sense))
        return best


@lru_cache(maxsize=1)
def load_encoder() -> Encoder:
    """The packaged encoder.

    Raises:
        UnreadableFile: a file is missing from the installation or is not the one the thresholds were chosen for.
    """
    package = resources.files("maieutic")
    folder = package / "safety" / "weights"
    try:
        facts = json.loads((folder / "risk_encoder.json").read_text(encoding="utf-8"))
        weights = (folder / "risk_encoder.onnx").read_bytes()
        tokens = (package / "models" / "minilm" / "tokenizer.json").read_bytes()
    except FileNotFoundError as missing:
        raise UnreadableFile(
            f"a file of the risk encoder is missing ({missing.filename}); expected risk_encoder.json, risk_encoder.onnx "
            "and tokenizer.json inside the package. Install maieutic again, or run recipes/train_risk_encoder.py"
        ) from missing
    for content, pin, name in ((weights, "sha256", "weights"), (tokens, "tokenizer_sha256", "tokenizer")):
        found = hashlib.sha256(content).hexdigest()
        if found != facts[pin]:
            raise UnreadableFile(
                f"the {name} of the risk encoder have sha256 {found}, expected {facts[pin]}. Install maieutic again, "
                "or run recipes/train_risk_encoder.py"
            )
    import onnxruntime
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(tokens.decode("utf-8"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(LONGEST, stride=OVERLAP)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
    return Encoder(tokenizer, session, tuple(facts["kinds"]), float(facts["threshold"]), float(facts["certain"]))
