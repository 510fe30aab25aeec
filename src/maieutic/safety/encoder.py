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

from maieutic.errors import UnreadableFile

LONGEST: Final = 96
"""Tokens of one window, as in training; a longer piece becomes several windows."""
OVERLAP: Final = 24
_BATCH: Final = 16


@dataclass(frozen=True, slots=True)
class Encoder:
    """Tokenizer, network and the two thresholds; `kinds` name the columns of the network's second output."""

    tokenizer: Any
    session: Any
    kinds: tuple[str, ...]
    threshold: float
    certain: float

    def score(self, pieces: Sequence[str]) -> tuple[float, str, str]:
        """The highest probability of danger (0 to 1) among the pieces, its likeliest kind, and the piece itself."""
        windows: list[tuple[list[int], str]] = []
        for piece in pieces:
            coded = self.tokenizer.encode(piece)
            windows += [(part.ids, piece) for part in (coded, *coded.overflowing)]
        best = (-1.0, self.kinds[0], "")
        for at in range(0, len(windows), _BATCH):
            group = windows[at : at + _BATCH]
            ids = np.zeros((len(group), max(len(found) for found, _ in group)), dtype=np.int64)
            mask = np.zeros_like(ids)
            for row, (found, _) in enumerate(group):
                ids[row, : len(found)] = found
                mask[row, : len(found)] = 1
            danger, kinds = self.session.run(None, {"ids": ids, "mask": mask})
            row = int(np.argmax(danger))
            if float(danger[row]) > best[0]:
                best = float(danger[row]), self.kinds[int(np.argmax(kinds[row]))], group[row][1]
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
