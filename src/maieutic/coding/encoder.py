"""The fine-tuned sentence encoder of the accurate coder: reads an utterance with the turns about it, without torch."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maieutic.coding.features import Said
from maieutic.coding.pair_input import pair_ids
from maieutic.errors import ModelUnavailable

BODY = Path(__file__).parent / "weights" / "coder_body.onnx"


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
    """all-MiniLM-L6-v2 (Wang et al. 2020) whose upper layers were fine-tuned on behaviour codes; int8, one thread.

    The four layers below are as published and shared by all packaged encoders (`coder_body.onnx`); their files of weights
    hold the two upper layers and the heads. A local encoder may hold the whole, as its facts then say.

    Attributes:
        labels: Label ids by head, in the order of the columns.
        reads_on: Whether it was trained to read the turn after the utterance, too.
        sha256: Hash of the weights.
    """

    def __init__(self, weights: Path) -> None:
        """Loads an exported graph and the facts beside it (same name, ending in .json).

        Raises:
            ModelUnavailable: A file is missing, or the graph or the tokenizer is not the one the facts name.
        """
        from tokenizers import Tokenizer

        try:
            facts = json.loads(weights.with_suffix(".json").read_text(encoding="utf-8"))
            graph = weights.read_bytes()
            body, body_sha256 = (None, None) if facts.get("whole") else _body()
        except OSError as error:
            raise ModelUnavailable(
                f"{weights.name} is not in {weights.parent}; recipes/train_coder_encoder.py makes it from the research data"
            ) from error
        tokens = files("maieutic.models").joinpath("minilm/tokenizer.json").read_bytes()
        found = {"sha256": _sha256(graph), "body_sha256": body_sha256, "tokenizer_sha256": _sha256(tokens)}
        if any(facts.get(kind) != value for kind, value in found.items()):
            raise ModelUnavailable(
                f"{weights.name}, {BODY.name} or the tokenizer is not the one it was made with; reinstall maieutic"
            )
        self.sha256: str = facts["sha256"]
        self.labels: dict[str, tuple[str, ...]] = {head: tuple(labels) for head, labels in facts["heads"].items()}
        self.reads_on: bool = bool(facts.get("reads_on"))
        self._tokens: Any = Tokenizer.from_str(tokens.decode("utf-8"))
        self._tokens.no_padding()
        self._tokens.no_truncation()
        self._body, self._top = body, _session(graph)

    def __call__(self, said: Sequence[Said]) -> Encoded:
        """Reads utterances, each with the other speaker's turn before it and, where it learned to, the one after it."""
        width = sum(map(len, self.labels.values()))
        scores = np.zeros((len(said), width))
        states = []
        # One by one: a batch on one thread is no faster, and whole-number weights would make a code depend on its batch.
        for row, one in enumerate(said):
            ids, kinds = pair_ids(self._tokens, one.text, one.other, one.following if self.reads_on else "")
            told = {"mask": np.ones((1, len(ids)), dtype=np.int64), "kinds": np.array([kinds])}
            given = {"ids": np.array([ids])}
            if self._body is not None:
                given = {"states": self._body.run(None, {**given, **told})[0]}
            raw, state = self._top.run(None, {**given, **told})
            scores[row] = raw[0]
            states.append(state[0])
        by_head, start = {}, 0
        for head, labels in self.labels.items():
            by_head[head] = log_shares(scores[:, start : start + len(labels)])
            start += len(labels)
        return Encoded(by_head, np.array(states, dtype=np.float32))


def log_shares(scores: NDArray[Any]) -> NDArray[np.float64]:
    """Scores as log probabilities: (n, labels)."""
    raised = np.asarray(scores, dtype=np.float64)
    raised = raised - raised.max(axis=1, keepdims=True)
    return np.asarray(raised - np.log(np.exp(raised).sum(axis=1, keepdims=True)))


def _session(graph: bytes) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


@cache
def _body() -> tuple[Any, str]:
    """The shared lower layers and their hash, read once a process."""
    graph = BODY.read_bytes()
    return _session(graph), _sha256(graph)


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@cache
def shared_encoder(weights: Path) -> PairEncoder:
    """The encoder of a file, loaded once a process."""
    return PairEncoder(weights)


def packaged_encoder() -> PairEncoder:
    """The encoder in the package."""
    return shared_encoder(BODY.with_name("coder_encoder.onnx"))
