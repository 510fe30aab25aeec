"""Fine-tunes the encoder that lays a therapist turn beside the fact it asks for, and writes weights.

The training libraries are no dependency of the project: torch, transformers, safetensors, tokenizers, onnx, onnxscript,
onnxruntime, numpy, pydantic, and this project with `--no-deps`, in an environment of their own (Python 3.11, CPU). Unpack the
sentence encoder all-MiniLM-L6-v2 (Apache License 2.0) and run, from the repository root,

    python recipes/train_reach_encoder.py cv FOLDER OUT.npz
    python recipes/train_reach_encoder.py fit FOLDER
    uv run python recipes/fit_reach_head.py OUT.npz

where FOLDER holds its `config.json`, `tokenizer.json` and `model.safetensors`. `cv` leaves every third development case out in turn and stores what the encoder
makes of the turns about them; the head is fitted on that. `fit` trains on all development cases and writes weights. One
core trains a third in about four minutes. The three upper layers learn; a situation is a batch: its labelled turns, and
its own example questions with the question itself hidden from the fact, each to be told among its facts and "none".
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import nn

from graph_pieces import write_top
from int8_graph import write_int8
from maieutic.domain.case import Situation
from maieutic.library import case_ids, get_case
from maieutic.reading.encoder import tokenizer
from published_body import body

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "recipes" / "data"
TARGET = ROOT / "src" / "maieutic" / "patients" / "weights"
PARTS, EPOCHS, RATE, HEAD_RATE, FROZEN, SEED, LONGEST = 3, 3, 7e-5, 7e-3, 3, 7, 96
SOFTNESS, SMOOTHING, OWN_SHARE, WARM, DROPPED = 0.05, 0.03, 0.5, 20, 0.1
KINDS = ("fitting", "two", "near", "generic", "wide", "other_life")
Row = dict[str, Any]


class Encoder(nn.Module):
    """The sentence encoder with mean pooling, and the weights of its likenesses."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.body = body(folder)
        self.weights = nn.Parameter(torch.tensor([8.0, 5.0, 7.0]))
        self.nothing = nn.Linear(self.body.config.hidden_size, 1)
        self.edge = nn.Parameter(torch.tensor(9.0))
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


def read() -> list[Row]:
    """The labelled turns, in the order in which the head's recipe reads them."""
    paths = sorted(DATA.glob("comprehension_*.jsonl"))
    rows = [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    return [{**row, "row": i} for i, row in enumerate(r for r in rows if r["kind"] != "leading")]


def encoded(net: Encoder, tokens: Tokenizer, texts: list[str], size: int = 16) -> torch.Tensor:
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


def judged(
    net: Encoder, tokens: Tokenizer, situation: Situation, rows: list[Row], *, own: bool
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """(likenesses, logits with "none" last, truth) of the turns, and with `own` of the situation's own questions after them."""
    facts = situation.evidence
    asks = [(t, n) for n, e in enumerate(facts) for t in e.asks]
    said = [(t, n) for n, e in enumerate(facts) for t in e.said]
    whole = [f"{e.fact} {', '.join(e.topics)}" for e in facts]
    texts = [[r["text"] for r in rows], [t for t, _ in asks], [t for t, _ in said], whole]
    turns, ask, say, fact = encoded(net, tokens, [t for part in texts for t in part]).split([len(t) for t in texts])
    asking = torch.cat([turns, ask]) if own else turns
    to_asks = asking @ ask.T
    if own:
        hidden = torch.zeros_like(to_asks, dtype=torch.bool)
        hidden[len(rows) :] = torch.eye(len(asks), dtype=torch.bool)
        to_asks = to_asks.masked_fill(hidden, -1.0)

    def soft(values: torch.Tensor, owners: list[int]) -> torch.Tensor:
        place = torch.tensor(owners)
        columns = [torch.logsumexp(values[:, place == n] / SOFTNESS, 1) * SOFTNESS for n in range(len(facts))]
        return torch.stack(columns, 1)

    near = torch.stack(
        [soft(to_asks, [n for _, n in asks]), soft(asking @ say.T, [n for _, n in said]), asking @ fact.T], 2
    )
    logits = torch.cat([near @ net.weights, 10.0 * net.nothing(asking) + net.edge], 1)
    names = [e.id for e in facts]
    truth = [names.index(r["fact"]) if r["fact"] else len(facts) for r in rows] + ([n for _, n in asks] if own else [])
    return near, logits, torch.tensor(truth)


def train(folder: Path, tokens: Tokenizer, rows: list[Row], cases: list[str], seed: int) -> Encoder:
    torch.manual_seed(seed)
    order = random.Random(seed)
    net = Encoder(folder).eval()
    net.learning = True
    body = [p for p in net.body.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(
        [{"params": body, "lr": RATE}, {"params": [net.weights, net.edge, *net.nothing.parameters()], "lr": HEAD_RATE}],
        weight_decay=0.01,
    )
    batches = [(case, s) for case in cases for s in get_case(case).situations]
    total = EPOCHS * len(batches)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1.0, (step + 1) / WARM) * max(0.02, 1.0 - step / total)
    )
    for epoch in range(EPOCHS):
        order.shuffle(batches)
        seen = 0.0
        for case, situation in batches:
            own = [r for r in rows if (r["case"], r["situation"]) == (case, situation.id) and r["kind"] in KINDS]
            _, logits, truth = judged(net, tokens, situation, own, own=True)
            share = torch.ones(len(truth))
            share[len(own) :] = OWN_SHARE
            each = nn.functional.cross_entropy(logits, truth, reduction="none", label_smoothing=SMOOTHING)
            loss = (each * share).sum() / share.sum()
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(body, 1.0)
            optimiser.step()
            schedule.step()
            seen += float(loss.detach())
        print(f"  epoch {epoch + 1}: loss {seen / len(batches):.3f}", flush=True)
    net.learning = False
    return net


def unseen(net: Encoder, tokens: Tokenizer, rows: list[Row], cases: list[str]) -> dict[str, np.ndarray]:
    """What `Pairing.likeness` gives for each turn about these cases, by row."""
    found = {}
    for case in cases:
        for situation in get_case(case).situations:
            own = [r for r in rows if (r["case"], r["situation"]) == (case, situation.id)]
            if not own:
                continue
            with torch.inference_mode():
                near, logits, _ = judged(net, tokens, situation, own, own=False)
            odds, chance = logits[:, :-1] - logits[:, -1:], logits.softmax(1)[:, :-1]
            values = torch.cat([near, odds.unsqueeze(2), chance.unsqueeze(2)], 2).double().numpy()
            found |= {str(r["row"]): v for r, v in zip(own, values, strict=True)}
    return found


def export(net: Encoder, tokens: Tokenizer) -> None:
    """Writes the layers that learned in int8, and the numbers beside them."""
    small = TARGET / "reach_encoder.onnx"
    whole = small.with_name("reach_whole.onnx")
    ids = torch.tensor(
        [tokens.encode(t).ids[:6] for t in ("What did the teacher say?", "What was in the letter then?")]
    )
    write_int8(net, {"ids": ids, "mask": torch.ones_like(ids)}, ("vector",), whole)
    facts = {
        "weights": net.weights.tolist(),
        "nothing": (10.0 * net.nothing.weight[0]).tolist(),
        "edge": float(10.0 * net.nothing.bias[0] + net.edge),
        **write_top(FROZEN, whole, small),
    }
    whole.unlink()
    (TARGET / "reach_encoder.json").write_text(json.dumps(facts) + "\n", encoding="utf-8")


def main() -> None:
    mode, folder = sys.argv[1], Path(sys.argv[2])
    torch.set_num_threads(1)
    tokens = tokenizer(LONGEST)
    rows, cases = read(), list(case_ids("dev"))
    if mode == "fit":
        export(train(folder, tokens, rows, cases, SEED), tokens)
        return
    found: dict[str, np.ndarray] = {}
    for part in range(PARTS):
        left = cases[part::PARTS]
        net = train(folder, tokens, rows, [c for c in cases if c not in left], SEED + part)
        found |= unseen(net, tokens, rows, left)
    np.savez(sys.argv[3], **found)


if __name__ == "__main__":
    main()
