"""Fine-tunes the risk encoder on the texts in `recipes/data`, prints by-set figures, writes weights and model card.

The training libraries are no dependency of the project. Make an environment of its own for them (Python 3.11, CPU):
torch, transformers, safetensors, tokenizers, onnx, onnxscript, onnxruntime, numpy, scipy, and this project with
`--no-deps`. Unpack the sentence encoder all-MiniLM-L6-v2 (Apache License 2.0) and run, from the repository root,

    python recipes/train_risk_encoder.py cv FOLDER OUT.npz b
    python recipes/train_risk_encoder.py fit FOLDER OUT.npz

where FOLDER holds its `config.json` and `model.safetensors`. `cv` trains on all sets but one and reads that one; it
takes the letters of the sets to leave out (none: each in turn; the shipped figures are those of `b`). `fit` takes the
thresholds from OUT.npz, trains on everything, keeps the plain weights beside it as OUT.pt (used again when there), and
writes weights and card. Afterwards `graph_pieces.py apart` and then `graph_pieces.py layers` make of the weights
what is shipped: smaller, and read layer by layer, bit for bit the same. Seeded; two runs on one machine agree up to the order of float sums. The held-out texts in
`tests/safety/data` are not read here, and nothing is chosen with them.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import nn

from graph_pieces import write_top
from int8_graph import write_int8
from maieutic.reading.encoder import BESIDE, Network, tokenizer
from maieutic.runs.files import read_lines
from maieutic.safety.patterns import normalise
from published_body import body
from risk_encoder_figures import figures

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "recipes" / "data"
TARGET = ROOT / "src" / "maieutic" / "safety"
SETS = {"a": "", "b": "_b", "c": "_c", "d": "_d", "e": "_e"}
SEED = 20
EPOCHS = {"cv": 4, "fit": 3}
"""About as many steps with three sets as with four."""
BATCH = 32
PEAK_RATE = 1e-4
LAYER_DECAY = 0.95
KIND_SHARE = 0.2
SMOOTHING = 0.03
LONGEST = 96
KINDS = {
    "suicide_active": "suicide_active", "active_ideation": "suicide_active", "suicide_passive": "suicide_passive",
    "passive_ideation": "suicide_passive", "self_harm": "self_harm", "harm_to_others": "harm_to_others",
    "abuse_danger": "abuse", "abuse": "abuse", "child_at_risk": "child_at_risk", "psychosis_commands": "psychosis",
    "psychosis": "psychosis", "mania_danger": "mania", "mania": "mania", "substance_danger": "substance",
    "intoxication": "substance", "postpartum_psychosis": "postpartum", "postpartum": "postpartum",
    "eating_danger": "eating", "eating": "eating",
}  # fmt: skip
NAMES = tuple(sorted(set(KINDS.values())))


class Encoder(nn.Module):
    """The sentence encoder with mean pooling under two linear heads: danger, and the kind of danger."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.body = body(folder)
        self.drop = nn.Dropout(0.1)
        self.danger = nn.Linear(self.body.config.hidden_size, 1)
        self.kind = nn.Linear(self.body.config.hidden_size, len(NAMES))

    def pooled(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        states = self.body(input_ids=ids, attention_mask=mask).last_hidden_state
        weight = mask.unsqueeze(-1).to(states.dtype)
        return (states * weight).sum(1) / weight.sum(1)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        pooled = self.drop(self.pooled(ids, mask))
        return self.danger(pooled).squeeze(-1), self.kind(pooled)


class Deployed(nn.Module):
    """What is exported: ids and mask in, probability of danger and of each kind out, and the pooled vector."""

    def __init__(self, trained: Encoder) -> None:
        super().__init__()
        self.trained = trained

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        pooled = self.trained.pooled(ids, mask)
        return (
            torch.sigmoid(self.trained.danger(pooled).squeeze(-1)),
            torch.softmax(self.trained.kind(pooled), -1),
            pooled,
        )


def read() -> list[dict[str, Any]]:
    """All training texts with their set, whether they are dangerous, and the number of their kind (-1: safe)."""
    rows = []
    for part, suffix in SETS.items():
        for name, danger in (("risk", True), ("safe", False)):
            for row in read_lines(DATA / f"{name}_train{suffix}.jsonl"):
                kind = NAMES.index(KINDS[row["kind"]]) if danger else -1
                rows.append({"text": row["text"], "part": part, "danger": danger, "kind": kind})
    return rows


def varied(text: str, rng: random.Random) -> str:
    """The text, now and then without punctuation or with two neighbouring letters swapped, as hurried people write."""
    if rng.random() < 0.15:
        text = "".join(c for c in text if c not in ".,!?;:'\"-")
    if rng.random() < 0.15 and len(text) > 8:
        at = rng.randrange(1, len(text) - 2)
        text = text[:at] + text[at + 1] + text[at] + text[at + 2 :]
    return text


def batch(tokens: Tokenizer, texts: list[str]) -> tuple[torch.Tensor, torch.Tensor]:
    """Ids and mask, padded to the longest text of the batch."""
    coded = [c.ids for c in tokens.encode_batch(texts)]
    width = max(len(c) for c in coded)
    mask = torch.tensor([[1] * len(c) + [0] * (width - len(c)) for c in coded])
    return torch.tensor([c + [0] * (width - len(c)) for c in coded]), mask


def train(folder: Path, tokens: Tokenizer, rows: list[dict[str, Any]], epochs: int) -> Encoder:
    """Fine-tunes every layer but the word table, lower layers more slowly; linear warm-up and decay."""
    torch.manual_seed(SEED)
    rng = random.Random(SEED)
    net = Encoder(folder).train()
    net.body.embeddings.requires_grad_(False)
    depth = len(net.body.encoder.layer)
    groups = [
        {"params": layer.parameters(), "lr": PEAK_RATE * LAYER_DECAY ** (depth - 1 - i)}
        for i, layer in enumerate(net.body.encoder.layer)
    ] + [{"params": [*net.danger.parameters(), *net.kind.parameters()], "lr": PEAK_RATE * 5}]
    optimiser = torch.optim.AdamW(groups, weight_decay=0.01)
    per_epoch = (len(rows) + BATCH - 1) // BATCH
    total, warm = per_epoch * epochs, per_epoch // 3
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min((step + 1) / warm, max(0.02, (total - step) / (total - warm)))
    )
    weight = torch.tensor(sum(not r["danger"] for r in rows) / sum(r["danger"] for r in rows))
    for epoch in range(epochs):
        began, seen = time.perf_counter(), 0.0
        order = sorted(range(len(rows)), key=lambda i: len(rows[i]["text"]) * rng.uniform(0.75, 1.25))
        batches = [order[i : i + BATCH] for i in range(0, len(order), BATCH)]
        rng.shuffle(batches)
        for chosen in batches:
            ids, mask = batch(tokens, [varied(normalise(rows[i]["text"]), rng) for i in chosen])
            truth = torch.tensor([float(rows[i]["danger"]) for i in chosen])
            kind = torch.tensor([rows[i]["kind"] for i in chosen])
            danger, kinds = net(ids, mask)
            aim = truth * (1 - 2 * SMOOTHING) + SMOOTHING
            loss = nn.functional.binary_cross_entropy_with_logits(danger.float(), aim, pos_weight=weight)
            if bool((kind >= 0).any()):
                loss = loss + KIND_SHARE * nn.functional.cross_entropy(kinds.float(), kind, ignore_index=-1)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            seen += float(loss.detach())
        print(f"  epoch {epoch + 1}: loss {seen / len(batches):.3f}, {time.perf_counter() - began:.0f} s", flush=True)
    return net.eval()


def probabilities(net: Encoder, tokens: Tokenizer, rows: list[dict[str, Any]]) -> NDArray[np.float64]:
    """Probability of danger for each text."""
    found: list[NDArray[np.float64]] = []
    with torch.inference_mode():
        for at in range(0, len(rows), 64):
            logits, _ = net(*batch(tokens, [normalise(row["text"]) for row in rows[at : at + 64]]))
            found.append(torch.sigmoid(logits).double().numpy())
    return np.concatenate(found)


def export(net: Encoder, tokens: Tokenizer, rows: list[dict[str, Any]], facts: dict[str, Any]) -> None:
    """Writes what stands on the shared embeddings in int8, and its facts; says what whole numbers cost on training texts."""
    small = TARGET / "weights" / "risk_encoder.onnx"
    for stale in (small.with_suffix(BESIDE), *small.parent.glob(f"{small.stem}_layer_*.onnx")):
        stale.unlink(missing_ok=True)
    graph = small.with_name("risk_whole.onnx")
    ids, mask = batch(tokens, [normalise(row["text"]) for row in rows[:4]])
    write_int8(Deployed(net), {"ids": ids, "mask": mask}, ("danger", "kinds", "pooled"), graph)
    network = Network(graph.read_bytes())
    some = rows[::10]
    whole = probabilities(net, tokens, some)
    coded = [batch(tokens, [normalise(row["text"])]) for row in some]
    narrow = np.array([network({"ids": i.numpy(), "mask": m.numpy()})[0][0] for i, m in coded])
    edge = facts["threshold"]
    print(f"int8: mean change {np.abs(whole - narrow).mean():.4f}, ", end="")
    print(f"verdicts changed {((whole >= edge) != (narrow >= edge)).sum()} of {len(some)}")
    facts |= {"kinds": list(NAMES), **write_top(0, graph, small)}
    graph.unlink()
    (TARGET / "weights" / "risk_encoder.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Cross-validate by set (`cv`, with the letters of the sets to leave out), or fit on everything (`fit`)."""
    mode, folder, out = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "2")))
    tokens = tokenizer(LONGEST)
    rows = read()
    if mode == "cv":
        unseen = np.full(len(rows), np.nan)
        for part in sys.argv[4] if len(sys.argv) > 4 else SETS:
            print(f"without part {part}", flush=True)
            net = train(folder, tokens, [row for row in rows if row["part"] != part], EPOCHS[mode])
            left = [i for i, row in enumerate(rows) if row["part"] == part]
            unseen[left] = probabilities(net, tokens, [rows[i] for i in left])
            np.savez(out, unseen=unseen)
        print("\n".join(figures(rows, unseen, NAMES)[1]))
        return
    facts, lines = figures(rows, np.load(out)["unseen"], NAMES)
    stored = out.with_suffix(".pt")
    if stored.exists():
        net = Encoder(folder).eval()
        net.load_state_dict(torch.load(stored))
    else:
        net = train(folder, tokens, rows, EPOCHS[mode])
        torch.save(net.state_dict(), stored)
    export(net, tokens, rows, facts)
    card = TARGET / "MODEL_CARD.md"
    before, _, rest = card.read_text(encoding="utf-8").partition("<!-- figures -->\n")
    _, _, after = rest.partition("<!-- end of figures -->\n")
    written = "\n".join(lines)
    card.write_text(f"{before}<!-- figures -->\n{written}\n<!-- end of figures -->\n{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
