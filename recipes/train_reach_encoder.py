"""Fine-tunes the encoder that says which fact of a life a therapist turn asks for; writes weights and the head.

Training libraries as for `train_risk_encoder.py` (an environment of its own). From the repository root,

    python recipes/train_reach_encoder.py cv FOLDER OUT.npz
    python recipes/train_reach_encoder.py fit FOLDER OUT.npz

where FOLDER holds `config.json` and `model.safetensors` of all-MiniLM-L6-v2 (Apache License 2.0). Texts: the labelled
turns in `recipes/data/comprehension_*.jsonl` and the questions of the development cases themselves; no text on a test
case is read. One step takes the turns and the facts of one situation; each turn is drawn to the wordings of its fact and
away from those of the other facts, and a turn that asks for no fact to a threshold of its own. `cv` leaves whole cases
out (three folds) and keeps their vectors in OUT.npz; `fit` trains on everything, writes int8 weights, and fits the head
(`maieutic.patients.reaching`) on the vectors that `cv` kept, so that the head meets turns as a stranger does.
"""

from __future__ import annotations

import hashlib
import json
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
from transformers import BertConfig, BertModel

from maieutic.domain.case import Situation
from maieutic.library import case_ids, get_case

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "recipes" / "data"
WEIGHTS = ROOT / "src" / "maieutic" / "models" / "reach"
TOKENS = ROOT / "src" / "maieutic" / "models" / "minilm" / "tokenizer.json"
SEED, EPOCHS, PEAK_RATE, LAYER_DECAY, SCALE, LONGEST, FOLDS = 11, 5, 6e-5, 0.9, 14.0, 96, 3
OWN_QUESTIONS = 0.5
"""Weight of a case's own question as a turn: they are plainer than people's."""


class Encoder(nn.Module):
    """all-MiniLM-L6-v2 with mean pooling and unit length, and a learned threshold for turns that ask for no fact."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        from safetensors.torch import load_file

        config = BertConfig.from_pretrained(folder, attn_implementation="eager")
        self.body = BertModel(config, add_pooling_layer=False)
        stored = {k: v for k, v in load_file(folder / "model.safetensors").items() if not k.startswith("pooler.")}
        self.body.load_state_dict(stored, strict=False)
        self.none = nn.Parameter(torch.tensor(0.45))

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        states = self.body(input_ids=ids, attention_mask=mask).last_hidden_state
        weight = mask.unsqueeze(-1).to(states.dtype)
        return nn.functional.normalize((states * weight).sum(1) / weight.sum(1), dim=-1)


def batch(tokens: Tokenizer, texts: list[str]) -> tuple[torch.Tensor, torch.Tensor]:
    """Ids and mask, padded to the longest text."""
    coded = [c.ids for c in tokens.encode_batch(texts)]
    width = max(len(c) for c in coded)
    mask = torch.tensor([[1] * len(c) + [0] * (width - len(c)) for c in coded])
    return torch.tensor([c + [0] * (width - len(c)) for c in coded]), mask


def read() -> list[dict[str, Any]]:
    """The labelled turns; leading ones are left out, since they are told by their form."""
    rows = [
        json.loads(line)
        for path in sorted(DATA.glob("comprehension_*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    known = set(case_ids("dev"))
    assert all(row["case"] in known for row in rows), "a labelled turn on a case that is not for development"
    return [row for row in rows if row["kind"] != "leading"]


def situation_of(row: dict[str, Any]) -> Situation:
    return next(s for s in get_case(row["case"]).situations if s.id == row["situation"])


def train(folder: Path, tokens: Tokenizer, rows: list[dict[str, Any]], cases: list[str]) -> Encoder:
    """One step a situation and epoch; every layer but the word table moves, lower ones more slowly."""
    torch.manual_seed(SEED)
    rng = random.Random(SEED)
    net = Encoder(folder).train()
    net.body.embeddings.requires_grad_(False)
    depth = len(net.body.encoder.layer)
    groups = [
        {"params": layer.parameters(), "lr": PEAK_RATE * LAYER_DECAY ** (depth - 1 - i)}
        for i, layer in enumerate(net.body.encoder.layer)
    ] + [{"params": [net.none], "lr": 5e-3}]
    optimiser = torch.optim.AdamW(groups, weight_decay=0.01)
    places = [(case, s) for case in cases for s in get_case(case).situations]
    total = EPOCHS * len(places)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min((step + 1) / 20, max(0.02, 1 - step / total))
    )
    for epoch in range(EPOCHS):
        began, seen = time.perf_counter(), 0.0
        rng.shuffle(places)
        for case, situation in places:
            own = [r for r in rows if r["case"] == case and r["situation"] == situation.id]
            loss = step_loss(net, tokens, situation, own, rng)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            seen += float(loss.detach())
        print(f"  epoch {epoch + 1}: loss {seen / len(places):.3f}, {time.perf_counter() - began:.0f} s", flush=True)
    return net.eval()


def step_loss(
    net: Encoder, tokens: Tokenizer, situation: Situation, own: list[dict[str, Any]], rng: random.Random
) -> torch.Tensor:
    """Cross-entropy over the facts of the situation and 'none'; two questions a fact stand for the patient's asks."""
    facts = list(situation.evidence)
    asks = {e.id: rng.sample(list(e.asks), len(e.asks)) for e in facts}
    turns = [(r["text"], r["fact"], 1.0) for r in own] + [(asks[e.id][-1], e.id, OWN_QUESTIONS) for e in facts]
    texts = [t for t, _, _ in turns]
    wordings = [w for e in facts for w in (*asks[e.id][:2], rng.choice(e.said), e.fact)]
    vectors = net(*batch(tokens, texts + wordings))
    turn, word = vectors[: len(texts)], vectors[len(texts) :].view(len(facts), 4, -1)
    alike = torch.einsum("td,fwd->tfw", turn, word)
    scores = 0.5 * alike[:, :, :2].max(-1).values + 0.5 * alike[:, :, 2:].max(-1).values
    logits = SCALE * torch.cat([scores, net.none.expand(len(texts), 1)], dim=1)
    names = [e.id for e in facts]
    aim = torch.tensor([len(facts) if fact is None else names.index(fact) for _, fact, _ in turns])
    weight = torch.tensor([w for _, _, w in turns])
    return (nn.functional.cross_entropy(logits, aim, reduction="none") * weight).sum() / weight.sum()


def vectors_of(net: Encoder, tokens: Tokenizer, texts: list[str]) -> NDArray[np.float32]:
    """Unit vectors, one text at a time, as the package computes them."""
    with torch.inference_mode():
        return np.concatenate([net(*batch(tokens, [text])).numpy() for text in texts]).astype(np.float32)


def texts_of(rows: list[dict[str, Any]], cases: list[str]) -> list[str]:
    """Every text whose vector the head needs for these cases."""
    from maieutic.patients.reaching import texts_to_index, texts_of_turn

    found: dict[str, None] = {}
    for case in cases:
        for situation in get_case(case).situations:
            found.update(dict.fromkeys(texts_to_index(get_case(case), situation)))
    for row in rows:
        if row["case"] in cases:
            found.update(dict.fromkeys(texts_of_turn(row["text"])))
    return list(found)


def export(net: Encoder, tokens: Tokenizer) -> None:
    """Writes the int8 graph and its hash."""
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    WEIGHTS.mkdir(parents=True, exist_ok=True)
    plain, small = ROOT / "reach_float.onnx", WEIGHTS / "reach_encoder.onnx"
    axes = {0: torch.export.Dim("batch", max=4096), 1: torch.export.Dim("width", max=512)}
    ids, mask = batch(tokens, ["What happened?", "Who was there with you that day?"])
    torch.onnx.export(
        net.eval(), (ids, mask), str(plain), input_names=["ids", "mask"], output_names=["vectors"],
        dynamic_shapes={"ids": axes, "mask": axes}, dynamo=True, external_data=False, opset_version=18,
    )  # fmt: skip
    graph = onnx.load(plain)
    del graph.graph.value_info[:]  # the exporter's notes on shapes contradict the quantiser's own
    quantize_dynamic(graph, small, weight_type=QuantType.QInt8, per_channel=True)
    plain.unlink()
    facts = {
        "sha256": hashlib.sha256(small.read_bytes()).hexdigest(),
        "megabytes": round(small.stat().st_size / 1e6, 1),
    }
    (WEIGHTS / "reach_encoder.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    print(facts)


def main() -> None:
    """`cv` keeps the vectors of left-out cases; `fit` writes the weights."""
    mode, folder, out = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    torch.set_num_threads(2)
    tokens = Tokenizer.from_file(str(TOKENS))
    tokens.no_padding()
    tokens.enable_truncation(LONGEST)
    rows, cases = read(), list(case_ids("dev"))
    if mode == "cv":
        kept: dict[str, NDArray[np.float32]] = {}
        for fold in range(FOLDS):
            left = [c for i, c in enumerate(cases) if i % FOLDS == fold]
            print(f"fold {fold}: {len(left)} cases left out", flush=True)
            net = train(folder, tokens, rows, [c for c in cases if c not in left])
            texts = texts_of(rows, left)
            vectors = vectors_of(net, tokens, texts)
            kept |= {f"{fold}|{text}": vector for text, vector in zip(texts, vectors, strict=True)}
            np.savez(out, texts=np.array(list(kept)), vectors=np.stack(list(kept.values())))
        return
    export(train(folder, tokens, rows, cases), tokens)


if __name__ == "__main__":
    main()
