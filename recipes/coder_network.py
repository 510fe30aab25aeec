"""The network behind the accurate coder: how it is loaded, fed and exported."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from transformers import BertConfig, BertModel

from int8_graph import write_int8
from maieutic.coding.datasets import Gold
from maieutic.coding.encoder import BODY

ROOT = Path(__file__).resolve().parent.parent
TOKENS = ROOT / "src" / "maieutic" / "models" / "minilm" / "tokenizer.json"
FROZEN_LAYERS = 4
INPUTS = ("ids", "mask", "kinds")


@dataclass(frozen=True, slots=True)
class Example:
    """One input of the network.

    Attributes:
        ids: Its tokens.
        kinds: Their kinds.
        targets: Label number by head.
        bare: Place of its unpunctuated twin.
        unprompted: Place of its twin without the turn before it.
        unanswered: Place of its twin without the turn after it.
    """

    ids: tuple[int, ...]
    kinds: tuple[int, ...]
    targets: dict[str, int]
    bare: int | None = None
    unprompted: int | None = None
    unanswered: int | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of one head."""

    head: str
    rows: list[Gold]
    labels: tuple[str, ...]
    examples: list[int]

    def twins(self, examples: list[Example]) -> list[int] | None:
        """Places of the unpunctuated twins of the rows, or None when the set has none."""
        found = [examples[at].bare for at in self.examples]
        return [at for at in found if at is not None] if all(at is not None for at in found) else None


class Top(nn.Module):
    """The upper layers of the encoder under one linear head for each code book; mean over the utterance's own tokens."""

    def __init__(self, layers: nn.ModuleList, width: int, sizes: dict[str, int]) -> None:
        super().__init__()
        self.layers = layers
        self.drop = nn.Dropout(0.15)
        self.heads = nn.ModuleDict({head: nn.Linear(2 * width, size) for head, size in sizes.items()})

    def pool(self, states: torch.Tensor, mask: torch.Tensor, kinds: torch.Tensor) -> torch.Tensor:
        """State of the first mark beside the mean over the utterance: (n, 2 * width)."""
        bias = (1.0 - mask[:, None, None, :].to(states.dtype)) * torch.finfo(states.dtype).min
        for layer in self.layers:
            states = layer(states, attention_mask=bias)
            states = states[0] if isinstance(states, tuple) else states
        own = (mask * kinds).unsqueeze(-1).to(states.dtype)
        return torch.cat([states[:, 0], (states * own).sum(1) / own.sum(1).clamp(min=1)], dim=1)

    def forward(self, states: torch.Tensor, mask: torch.Tensor, kinds: torch.Tensor) -> dict[str, torch.Tensor]:
        pooled = self.drop(self.pool(states, mask, kinds))
        return {head: linear(pooled) for head, linear in self.heads.items()}


def body(folder: Path) -> BertModel:
    """The encoder with its published weights."""
    from safetensors.torch import load_file

    net = BertModel(BertConfig.from_pretrained(folder, attn_implementation="eager"), add_pooling_layer=False)
    stored = {k: v for k, v in load_file(folder / "model.safetensors").items() if not k.startswith("pooler.")}
    missing, _ = net.load_state_dict(stored, strict=False)
    if [name for name in missing if "position_ids" not in name]:
        raise SystemExit(f"{folder} holds no whole encoder; missing {missing[:3]}")
    return net.eval()


def padded(examples: list[Example]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Ids, mask and token kinds, padded to the longest."""
    width = max(len(one.ids) for one in examples)

    def filled(rows: list[tuple[int, ...]]) -> torch.Tensor:
        return torch.tensor([[*row, *([0] * (width - len(row)))] for row in rows])

    mask = filled([(1,) * len(one.ids) for one in examples])
    return filled([one.ids for one in examples]), mask, filled([one.kinds for one in examples])


def quick() -> torch.autocast:
    """Products in bfloat16: where the processor has them, a fold takes less than half the time, at like figures."""
    return torch.autocast("cpu", dtype=torch.bfloat16)


def lower_states(net: BertModel, examples: list[Example]) -> list[torch.Tensor]:
    """The states under the trained layers, half precision, one tensor (tokens, width) an example."""
    found: list[torch.Tensor] = [torch.empty(0)] * len(examples)
    order = sorted(range(len(examples)), key=lambda at: len(examples[at].ids))
    with torch.inference_mode(), quick():
        for start in range(0, len(order), 64):
            chosen = order[start : start + 64]
            ids, mask, kinds = padded([examples[at] for at in chosen])
            states = net.embeddings(input_ids=ids, token_type_ids=kinds)
            bias = (1.0 - mask[:, None, None, :].float()) * torch.finfo(torch.float32).min
            for layer in net.encoder.layer[:FROZEN_LAYERS]:
                states = layer(states, attention_mask=bias)
                states = states[0] if isinstance(states, tuple) else states
            for row, at in enumerate(chosen):
                found[at] = states[row, : len(examples[at].ids)].half().clone()
    return found


def stacked(states: list[torch.Tensor]) -> torch.Tensor:
    return nn.utils.rnn.pad_sequence(states, batch_first=True).float()


class Deployed(nn.Module):
    """What is exported: ids, mask and token kinds in; scores of all heads side by side, and the state behind them, out."""

    def __init__(self, net: BertModel, top: Top) -> None:
        super().__init__()
        self.embeddings, self.low, self.top = net.embeddings, net.encoder.layer[:FROZEN_LAYERS], top

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, kinds: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        states = self.embeddings(input_ids=ids, token_type_ids=kinds)
        bias = (1.0 - mask[:, None, None, :].to(states.dtype)) * torch.finfo(torch.float32).min
        for layer in self.low:
            states = layer(states, attention_mask=bias)
            states = states[0] if isinstance(states, tuple) else states
        pooled = self.top.pool(states, mask, kinds)
        return torch.cat([linear(pooled) for linear in self.top.heads.values()], dim=1), pooled


def split(whole: Any, below: Path, upper: Path) -> None:
    """Cuts a graph above the frozen layers: what all encoders share, and what is this one's own."""
    import onnx
    from onnx.utils import Extractor

    norms = [node for node in whole.graph.node if node.op_type == "LayerNormalization"]
    cut = norms[2 * FROZEN_LAYERS].output[0]  # one after the embeddings, two in a layer
    for node in whole.graph.node:
        for names in (node.input, node.output):
            for at, name in enumerate(names):
                if name == cut:
                    names[at] = "states"
        if node.op_type == "Shape" and node.input[0] == "ids":
            node.input[0] = "mask"  # of the same shape, and the upper part is given it
    for value in whole.graph.value_info:
        value.name = "states" if value.name == cut else value.name
    parts = Extractor(whole)
    for path, given, told in (
        (below, list(INPUTS), ["states"]),
        (upper, ["states", "mask", "kinds"], ["scores", "pooled"]),
    ):
        part = parts.extract_model(given, told)
        onnx.checker.check_model(part)
        onnx.save(part, path)


def export(net: BertModel, top: Top, tables: list[Table], examples: list[Example], name: str, target: Path) -> None:
    """Writes the int8 graph above the shared layers and its facts, and says what whole numbers cost.

    The layers below are written where there are none yet; those that are there must tell the same.
    """
    import onnx
    from onnxruntime import InferenceSession

    small, below, upper = (target / f"{name}{end}.onnx" for end in ("_int8", "_body", ""))
    deployed = Deployed(net, top).eval()
    write_int8(deployed, dict(zip(INPUTS, padded(examples[:4]), strict=True)), ("scores", "pooled"), small)
    split(onnx.load(small), below, upper)
    if not BODY.is_file():
        below.replace(BODY)
    sessions = [
        InferenceSession(path.read_bytes(), providers=["CPUExecutionProvider"]) for path in (BODY, upper, small)
    ]
    for path in (small, below):
        path.unlink(missing_ok=True)
    same = []
    for one in examples[::25]:
        inputs = padded([one])
        with torch.inference_mode():
            whole = deployed(*inputs)[0].numpy()[0]
        told = dict(zip(INPUTS, (x.numpy() for x in inputs), strict=True))
        states = sessions[0].run(None, told)[0]
        narrow = sessions[1].run(None, {"states": states, "mask": told["mask"], "kinds": told["kinds"]})[0][0]
        if not np.array_equal(narrow, sessions[2].run(None, told)[0][0]):
            raise SystemExit(f"{BODY} is not the published encoder of this run; remove it and make all encoders anew")
        start = 0
        for table in tables:
            stop = start + len(table.labels)
            if table.head in one.targets:
                same.append(whole[start:stop].argmax() == narrow[start:stop].argmax())
            start = stop
    print(f"int8: {upper.stat().st_size / 1e6:.1f} MB; same label on {np.mean(same):.3f} of {len(same)}")
    facts = {
        "heads": {table.head: list(table.labels) for table in tables},
        "reads_on": any(one.unanswered is not None for one in examples),
        "sha256": hashlib.sha256(upper.read_bytes()).hexdigest(),
        "body_sha256": hashlib.sha256(BODY.read_bytes()).hexdigest(),
        "tokenizer_sha256": hashlib.sha256(TOKENS.read_bytes()).hexdigest(),
    }
    (target / f"{name}.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
