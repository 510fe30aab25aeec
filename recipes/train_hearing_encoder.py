"""Fine-tunes the encoder that hears a therapist turn in its dialogue: what it asks about, and what kind of answer it asks for.

The training libraries are no dependency of the project: torch, transformers, safetensors, tokenizers, onnx, onnxscript,
onnxruntime, numpy, scipy, scikit-learn, pydantic, and this project with `--no-deps`, in an environment of their own (Python
3.11, CPU). Unpack the sentence encoder all-MiniLM-L6-v2 (Apache License 2.0) and run, from the repository root,

    python recipes/train_hearing_encoder.py cv FOLDER OUT.npz     # vectors of left-out cases, for recipes/fit_hearing.py OUT.npz
    python recipes/train_hearing_encoder.py fit FOLDER            # trains on all development cases and writes weights

where FOLDER holds its `config.json`, `tokenizer.json` and `model.safetensors`. The upper layers learn. A batch is a situation:
some of its items with their example questions and wordings, and the turns about them (the question itself hidden from its
own item), each to be told among the items and "nothing", and to be given its form.
"""

from __future__ import annotations

import json
import random
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import nn
from transformers import BertConfig, BertModel

from fit_hearing import PARTS, Row, rows
from graph_pieces import write_top
from int8_graph import write_int8
from maieutic.library import select_cases
from maieutic.patients.hearing.forms import LABELS
from maieutic.patients.hearing.items import Item, items_of
from maieutic.patients.hearing.learned import LONGEST, SHARPNESS, SOFTNESS
from maieutic.reading.encoder import tokenizer

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "src" / "maieutic" / "patients" / "weights"
EPOCHS, RATE, HEAD_RATE, FROZEN, SEED = 2, 7e-5, 5e-3, 3, 7
WARM, DROPPED, ITEMS, TURNS, FORM_SHARE = 30, 0.1, 40, 40, 0.5


class Encoder(nn.Module):
    """The sentence encoder with mean pooling, the weights of its likenesses, and the form of a question."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        from safetensors.torch import load_file

        self.body = BertModel(BertConfig.from_pretrained(folder, attn_implementation="eager"), add_pooling_layer=False)
        stored = {k: v for k, v in load_file(folder / "model.safetensors").items() if not k.startswith("pooler.")}
        self.body.load_state_dict(stored, strict=False)
        width = self.body.config.hidden_size
        self.weights = nn.Parameter(torch.tensor([10.0, 6.0, 4.0]))
        self.nothing, self.forms = nn.Linear(width, 1), nn.Linear(width, len(LABELS))
        self.edge = nn.Parameter(torch.tensor(11.0))
        nn.init.zeros_(self.nothing.weight)
        nn.init.zeros_(self.nothing.bias)
        self.body.embeddings.requires_grad_(False)
        for layer in self.body.encoder.layer[:FROZEN]:
            layer.requires_grad_(False)
        self.learning = False
        self.body.encoder.layer[FROZEN - 1].register_forward_hook(self._dropped)

    def _dropped(self, _layer: nn.Module, _given: Any, states: Any) -> Any:
        if not self.learning:
            return states
        first, *rest = states if isinstance(states, tuple) else (states,)
        first = nn.functional.dropout(first, DROPPED)
        return (first, *rest) if isinstance(states, tuple) else first

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        states = self.body(input_ids=ids, attention_mask=mask).last_hidden_state
        weight = mask.unsqueeze(-1).to(states.dtype)
        return nn.functional.normalize((states * weight).sum(1) / weight.sum(1), dim=-1)


def encoded(net: Encoder, tokens: Tokenizer, texts: list[str], size: int = 24) -> torch.Tensor:
    """Vectors in the order of the texts; batches of like length."""
    coded = [c.ids for c in tokens.encode_batch(texts)]
    order = sorted(range(len(texts)), key=lambda i: len(coded[i]))
    found: list[torch.Tensor] = [torch.empty(0)] * len(texts)
    for at in range(0, len(order), size):
        part = order[at : at + size]
        width = max(len(coded[i]) for i in part)
        ids = torch.tensor([coded[i] + [0] * (width - len(coded[i])) for i in part])
        mask = torch.tensor([[1] * len(coded[i]) + [0] * (width - len(coded[i])) for i in part])
        for i, vector in zip(part, net(ids, mask), strict=True):
            found[i] = vector
    return torch.stack(found)


@dataclass(frozen=True)
class Batch:
    """Items of one situation and turns about them."""

    items: list[Item]
    turns: list[Row]


def batches(every: list[Row], cases: set[str], order: random.Random) -> list[Batch]:
    """One pass: each situation in parts, and turns of no case in between."""
    found = []
    for case in select_cases(("dev",)):
        if case.id not in cases or case.memory is None:
            continue
        for situation in case.situations:
            items = list(items_of(situation, case.memory))
            mine = [r for r in every if (r.case, r.situation) == (case.id, situation.id) and r.about is not None]
            order.shuffle(items)
            for at in range(0, len(items), ITEMS):
                part = items[at : at + ITEMS]
                names = {item.id for item in part}
                turns = [r for r in mine if (r.about & names) or not r.about or r.kind != "ask"]
                turns = [r for r in turns if r.kind != "ask" or r.about & names]
                order.shuffle(turns)
                talks = [r for r in turns if r.kind != "ask" and (not r.about or r.about & names)]
                asks = [r for r in turns if r.kind == "ask"]
                found.append(Batch(part, talks[:TURNS] + asks[: max(TURNS // 2, TURNS - len(talks))]))
    loose = [r for r in every if r.kind == "slot"]
    order.shuffle(loose)
    found += [Batch([], loose[at : at + TURNS]) for at in range(0, len(loose), TURNS)]
    order.shuffle(found)
    return [one for one in found if one.turns]


def loss_of(net: Encoder, tokens: Tokenizer, batch: Batch) -> torch.Tensor:
    items = batch.items
    asks = [(ask, n, place) for n, item in enumerate(items) for place, ask in enumerate(item.asks)]
    said = [item.said[0] for item in items]
    names = [item.name for item in items]
    texts = [[r.heard.whole for r in batch.turns], [ask for ask, _, _ in asks], said, names]
    turns, ask, say, name = encoded(net, tokens, [t for part in texts for t in part]).split([len(t) for t in texts])
    total = torch.zeros(())
    formed = [i for i, r in enumerate(batch.turns) if r.forms and r.forms <= set(LABELS)]
    if formed:
        logits = SHARPNESS * net.forms(turns[formed])
        marks = torch.tensor([[label in batch.turns[i].forms for label in LABELS] for i in formed])
        total = total - FORM_SHARE * torch.logsumexp(logits.log_softmax(1).masked_fill(~marks, -30.0), 1).mean()
    if not items:
        return total
    near = turns @ ask.T
    hidden = torch.zeros_like(near, dtype=torch.bool)
    where = {(items[n].id, place): i for i, (_, n, place) in enumerate(asks)}
    for i, row in enumerate(batch.turns):
        if row.own is not None and row.own in where:
            hidden[i, where[row.own]] = True
    near = near.masked_fill(hidden, -1.0)
    owner = torch.tensor([n for _, n, _ in asks])
    best = torch.stack([torch.logsumexp(near[:, owner == n] / SOFTNESS, 1) * SOFTNESS for n in range(len(items))], 1)
    likeness = torch.stack([best, turns @ say.T, turns @ name.T], 2)
    logits = torch.cat([likeness @ net.weights, 10.0 * net.nothing(turns) + net.edge], 1)
    right = torch.tensor([[*(item.id in r.about for item in items), not (r.about or ())] for r in batch.turns])
    weight = torch.tensor([1.0 if r.kind == "ask" else 2.0 for r in batch.turns])
    each = -torch.logsumexp(logits.log_softmax(1).masked_fill(~right, -30.0), 1)
    return total + (each * weight).sum() / weight.sum()


def train(folder: Path, tokens: Tokenizer, every: list[Row], cases: set[str], seed: int) -> Encoder:
    torch.manual_seed(seed)
    order = random.Random(seed)
    net = Encoder(folder).eval()
    net.learning = True
    body = [p for p in net.body.parameters() if p.requires_grad]
    small = [net.weights, net.edge, *net.nothing.parameters(), *net.forms.parameters()]
    optimiser = torch.optim.AdamW([{"params": body, "lr": RATE}, {"params": small, "lr": HEAD_RATE}], weight_decay=0.01)
    steps = EPOCHS * len(batches(every, cases, random.Random(seed)))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1.0, (step + 1) / WARM) * max(0.02, 1.0 - step / steps)
    )
    for epoch in range(EPOCHS):
        seen, start, parts = 0.0, time.time(), batches(every, cases, order)
        for number, batch in enumerate(parts):
            loss = loss_of(net, tokens, batch)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(body, 1.0)
            optimiser.step()
            schedule.step()
            seen += float(loss.detach())
            if number % 10 == 9:
                print(
                    f"    {number + 1} of {len(parts)}: {seen / (number + 1):.3f}, {time.time() - start:.0f} s",
                    flush=True,
                )
        print(f"  epoch {epoch + 1}: loss {seen / len(parts):.3f}", flush=True)
    net.learning = False
    return net


def vectors(net: Encoder, tokens: Tokenizer, every: list[Row], cases: set[str]) -> dict[str, np.ndarray]:
    """The vector of every text that concerns these cases."""
    texts = {r.heard.whole for r in every if r.case in cases or not r.case}
    for case in select_cases(("dev",)):
        if case.id in cases:
            for situation in case.situations:
                for item in items_of(situation, case.memory):
                    texts.update((*item.asks, *item.said, item.name))
    listed = sorted(texts)
    with torch.inference_mode():
        made = encoded(net, tokens, listed).numpy().astype(np.float16)
    return dict(zip(listed, made, strict=True))


def numbers(net: Encoder) -> dict[str, Any]:
    """What is noted beside the weights: see `Learned`."""
    return {
        "weights": net.weights.tolist(),
        "nothing": (10.0 * net.nothing.weight[0]).tolist(),
        "edge": float(10.0 * net.nothing.bias[0] + net.edge),
        "forms": [[round(v, 5) for v in row] for row in net.forms.weight.tolist()],
        "forms_edge": net.forms.bias.tolist(),
    }


def export(net: Encoder, tokens: Tokenizer) -> None:
    """Writes the layers that learned in int8."""
    small = TARGET / "hearing_encoder.onnx"
    whole = small.with_name("hearing_whole.onnx")
    ids = torch.tensor(
        [tokens.encode(t).ids[:6] for t in ("What did the teacher say?", "What was in the letter then?")]
    )
    write_int8(net, {"ids": ids, "mask": torch.ones_like(ids)}, ("vector",), whole)
    facts = {**numbers(net), **write_top(FROZEN, whole, small)}
    whole.unlink()
    (TARGET / "hearing_encoder.json").write_text(json.dumps(facts) + "\n", encoding="utf-8")


def main() -> None:
    mode, folder = sys.argv[1], Path(sys.argv[2])
    torch.set_num_threads(1)
    tokens = tokenizer(LONGEST)
    every = rows()
    named = sorted({r.case for r in every if r.case})
    print(f"{len(every)} rows, {len(named)} cases", flush=True)
    if mode == "fit":
        export(train(folder, tokens, every, set(named), SEED), tokens)
        return
    deep = [case.id for case in select_cases(("dev",)) if case.memory is not None]
    found: dict[str, Any] = {}
    for part in range(PARTS):
        left = set(deep[part::PARTS])
        net = train(folder, tokens, every, set(named) - left, SEED + part)
        made = vectors(net, tokens, every, left)
        found |= {f"{part}.cases": np.array(sorted(left)), f"{part}.texts": np.array(list(made))}
        found |= {f"{part}.vectors": np.array(list(made.values())), f"{part}.facts": np.array(json.dumps(numbers(net)))}
        np.savez_compressed(sys.argv[3], **found)


if __name__ == "__main__":
    main()
