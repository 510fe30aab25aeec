"""The network behind the accurate coder: how it is loaded, fed and exported."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from transformers import BertModel

from coder_marks import NOT_KNOWN
from graph_pieces import write_top
from int8_graph import write_int8
from maieutic.reading.encoder import BOUND, Network, facts_of_body
from maieutic.validation.coder.datasets import Gold
from maieutic.validation.coder.stored import sha256

ROOT = Path(__file__).resolve().parent.parent
FROZEN_LAYERS = 4
INPUTS = ("ids", "mask", "kinds")
SOME_TOKEN = 0.5  # so that a head that looks at nothing reads next to nothing


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
        marks: By head what the coders marked (`coder_marks.py`), one number a token.
    """

    ids: tuple[int, ...]
    kinds: tuple[int, ...]
    targets: dict[str, int]
    bare: int | None = None
    unprompted: int | None = None
    unanswered: int | None = None
    marks: dict[str, tuple[int, ...]] = field(default_factory=dict)


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


def through(layers: Iterable[nn.Module], states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """The states above some layers of the encoder: (n, tokens, width)."""
    bias = (1.0 - mask[:, None, None, :].to(states.dtype)) * torch.finfo(states.dtype).min
    for layer in layers:
        states = layer(states, attention_mask=bias)
        states = states[0] if isinstance(states, tuple) else states
    return states


class Top(nn.Module):
    """The upper layers of the encoder under one linear head for each code book; mean over the utterance's own tokens.

    A head whose evidence was marked also reads the mean over the tokens that it looks at, which it learns from the marks.
    """

    def __init__(self, layers: nn.ModuleList, width: int, sizes: dict[str, int], marked: Collection[str] = ()) -> None:
        super().__init__()
        self.layers = layers
        self.drop = nn.Dropout(0.15)
        self.heads = nn.ModuleDict(
            {head: nn.Linear((3 if head in marked else 2) * width, size) for head, size in sizes.items()}
        )
        self.looks = nn.ModuleDict({head: nn.Linear(width, 1) for head in sizes if head in marked})

    def pool(self, states: torch.Tensor, own: torch.Tensor) -> torch.Tensor:
        """State of the first mark beside the mean over the utterance: (n, 2 * width)."""
        own = own.unsqueeze(-1).to(states.dtype)
        return torch.cat([states[:, 0], (states * own).sum(1) / own.sum(1).clamp(min=1)], dim=1)

    def judge(
        self, states: torch.Tensor, pooled: torch.Tensor, own: torch.Tensor
    ) -> tuple[dict[str, torch.Tensor], dict[str, torch.Tensor]]:
        """Scores by head, and how much each token is evidence for it, before the sigmoid: (n, tokens)."""
        pooled = self.drop(pooled)
        looked = {head: linear(self.drop(states)).squeeze(-1) for head, linear in self.looks.items()}
        scores = {}
        for head, linear in self.heads.items():
            read = pooled
            if head in looked:
                share = (torch.sigmoid(looked[head]) * own.to(states.dtype)).unsqueeze(-1)
                passage = (states * share).sum(1) / (share.sum(1) + SOME_TOKEN)
                read = torch.cat([pooled, self.drop(passage)], dim=1)
            scores[head] = linear(read)
        return scores, looked

    def forward(
        self, states: torch.Tensor, mask: torch.Tensor, kinds: torch.Tensor
    ) -> tuple[dict[str, torch.Tensor], dict[str, torch.Tensor]]:
        states, own = through(self.layers, states, mask), mask * kinds
        return self.judge(states, self.pool(states, own), own)


def marks_loss(looked: Mapping[str, torch.Tensor], marks: Sequence[Mapping[str, tuple[int, ...]]]) -> torch.Tensor:
    """Cross-entropy of where the heads look, (n, tokens) a head, against what was marked; unknown tokens do not count."""
    loss = torch.zeros(())
    for head, scores in looked.items():
        told = torch.full(scores.shape, NOT_KNOWN)
        for row, one in enumerate(marks):
            known = one.get(head, ())
            told[row, : len(known)] = torch.tensor(known, dtype=told.dtype)
        said = told != NOT_KNOWN
        if bool(said.any()):
            loss = loss + nn.functional.binary_cross_entropy_with_logits(scores.float()[said], told[said].float())
    return loss


def padded(examples: list[Example]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Ids, mask and token kinds, padded to the longest."""
    width = max(len(one.ids) for one in examples)

    def filled(rows: list[tuple[int, ...]]) -> torch.Tensor:
        return torch.tensor([[*row, *([0] * (width - len(row)))] for row in rows])

    mask = filled([(1,) * len(one.ids) for one in examples])
    return filled([one.ids for one in examples]), mask, filled([one.kinds for one in examples])


def quick() -> torch.autocast:
    """Products in bfloat16 where the processor has them: a fold takes less than half the time, at like figures, and
    elsewhere many times as long."""
    has_them = torch.backends.cpu.get_cpu_capability() != "AVX2"
    return torch.autocast("cpu", dtype=torch.bfloat16, enabled=has_them)


def lower_states(net: BertModel, examples: list[Example], frozen: int) -> list[torch.Tensor]:
    """The states above the frozen layers, half precision, one tensor (tokens, width) an example."""
    found: list[torch.Tensor] = [torch.empty(0)] * len(examples)
    order = sorted(range(len(examples)), key=lambda at: len(examples[at].ids))
    with torch.inference_mode(), quick():
        for start in range(0, len(order), 64):
            chosen = order[start : start + 64]
            ids, mask, kinds = padded([examples[at] for at in chosen])
            states = net.embeddings(input_ids=ids, token_type_ids=kinds)
            states = through(net.encoder.layer[:frozen], states, mask)
            for row, at in enumerate(chosen):
                found[at] = states[row, : len(examples[at].ids)].half().clone()
    return found


def stacked(states: list[torch.Tensor]) -> torch.Tensor:
    return nn.utils.rnn.pad_sequence(states, batch_first=True).float()


class Deployed(nn.Module):
    """What is exported: ids, mask and token kinds in; scores of all heads side by side, and the state behind them, out."""

    def __init__(self, net: BertModel, top: Top) -> None:
        super().__init__()
        below = len(net.encoder.layer) - len(top.layers)
        self.embeddings, self.low, self.top = net.embeddings, net.encoder.layer[:below], top

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, kinds: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        states = self.embeddings(input_ids=ids, token_type_ids=kinds)
        states = through([*self.low, *self.top.layers], states, mask)
        own = mask * kinds
        pooled = self.top.pool(states, own)
        return torch.cat(list(self.top.judge(states, pooled, own)[0].values()), dim=1), pooled


def export(net: BertModel, top: Top, tables: list[Table], examples: list[Example], name: str, target: Path) -> None:
    """Writes the int8 graph and its facts, and says what whole numbers cost.

    Where the frozen layers are some that tops are bound to, only what stands above them is written, otherwise the whole.
    """
    graph, whole = target / f"{name}.onnx", target / f"{name}_whole.onnx"
    deployed = Deployed(net, top).eval()
    write_int8(deployed, dict(zip(INPUTS, padded(examples[:4]), strict=True)), ("scores", "pooled"), whole)
    chosen = examples[::25]
    narrow = answers(whole, [dict(zip(INPUTS, (x.numpy() for x in padded([one])), strict=True)) for one in chosen])
    facts: dict[str, Any] = {
        "heads": {table.head: list(table.labels) for table in tables},
        "reads_on": any(one.unanswered is not None for one in examples),
    }
    if len(deployed.low) in BOUND:
        facts |= write_top(len(deployed.low), whole, graph)
        whole.unlink()
    else:
        whole.replace(graph)
        facts |= {
            "whole": True,
            "sha256": sha256(graph),
            "tokenizer_sha256": facts_of_body(0)["tokenizer_sha256"],
        }
    same = []
    for one, low in zip(chosen, narrow, strict=True):
        with torch.inference_mode():
            high = deployed(*padded([one]))[0].numpy()[0]
        start = 0
        for table in tables:
            stop = start + len(table.labels)
            if table.head in one.targets:
                same.append(high[start:stop].argmax() == low[start:stop].argmax())
            start = stop
    print(f"int8: {graph.stat().st_size / 1e6:.1f} MB; same label on {np.mean(same):.3f} of {len(same)}")
    (target / f"{name}.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


def answers(graph: Path, told: list[dict[str, Any]]) -> list[Any]:
    """The first output of a graph for each input, without the batch."""
    network = Network(graph.read_bytes())
    return [network(one)[0][0] for one in told]
