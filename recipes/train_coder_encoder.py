"""Fine-tunes the sentence encoder of the accurate coder and keeps its out-of-fold scores; torch is needed only here.

The training libraries are no dependency of the project. Make an environment of its own for them (Python 3.11, CPU):
torch, transformers, safetensors, tokenizers, onnx, onnxscript, onnxruntime, numpy, scipy, and this project with
`--no-deps`. Unpack the sentence encoder all-MiniLM-L6-v2 (Apache License 2.0) and run, from the repository root,

    python recipes/train_coder_encoder.py cv  --data ../shared/data --encoder FOLDER --task annomi --seeds 0 1
    python recipes/train_coder_encoder.py fit --data ../shared/data --encoder FOLDER --task packaged

where FOLDER holds its `config.json` and `model.safetensors`. `cv` writes scores by row id (numbers only) for
`train_coder.py`, which joins them with the word-gram heads, calibrates, and writes what the package holds. Tasks:
annomi (both speakers and the form of questions), socratic, epitome; `packaged` is the first two in one network. Only the two upper layers are trained: the states below are computed once, and a fold takes a third of the time.
HLQC, BOLT and ESConv are never read here, so that transfer to them stays a test.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import random
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import nn
from transformers import BertConfig, BertModel

from coder_folds import FOLDS, folds
from maieutic.coding.datasets import Gold, gold
from maieutic.coding.features import restyle
from maieutic.coding.pair_input import pair_ids

ROOT = Path(__file__).resolve().parent.parent
TOKENS = ROOT / "src" / "maieutic" / "models" / "minilm" / "tokenizer.json"
WEIGHTS = ROOT / "src" / "maieutic" / "coding" / "weights"
TASKS = {
    "annomi": ("annomi_therapist", "annomi_client", "annomi_question_form"),
    "socratic": ("socratic",),
    "epitome": ("epitome_er", "epitome_ip", "epitome_ex"),
}
TASKS["packaged"] = (*TASKS["annomi"], *TASKS["socratic"])
EPOCHS = {"annomi": 3, "socratic": 3, "epitome": 3, "packaged": 3}
BATCH = 32
FROZEN_LAYERS = 4
PEAK_RATE = 1.2e-4
SMOOTHING = 0.05
CLASS_WEIGHT_POWER = 0.5
BARE_SHARE = 0.4


@dataclass(frozen=True, slots=True)
class Example:
    """One input of the network: its tokens, the label number by head, and the place of its unpunctuated twin."""

    ids: tuple[int, ...]
    kinds: tuple[int, ...]
    targets: dict[str, int]
    bare: int | None = None


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


def lower_states(net: BertModel, examples: list[Example]) -> list[torch.Tensor]:
    """The states under the trained layers, half precision, one tensor (tokens, width) an example."""
    found: list[torch.Tensor] = [torch.empty(0)] * len(examples)
    order = sorted(range(len(examples)), key=lambda at: len(examples[at].ids))
    with torch.inference_mode():
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


def train(
    net: BertModel, states: list[torch.Tensor], examples: list[Example], chosen: list[int], sizes: dict[str, int],
    *, epochs: int, seed: int,
) -> Top:  # fmt: skip
    """Trains the upper layers and the heads on the chosen examples; linear warm-up and decay; seeded."""
    import copy

    torch.manual_seed(seed)
    rng = random.Random(seed)
    top = Top(copy.deepcopy(net.encoder.layer[FROZEN_LAYERS:]), net.config.hidden_size, sizes).train()
    weights = {}
    for head, size in sizes.items():
        seen = np.bincount(
            [examples[at].targets[head] for at in chosen if head in examples[at].targets], minlength=size
        )
        share = np.maximum(seen, 1) / seen.sum() * size
        weights[head] = torch.tensor(share**-CLASS_WEIGHT_POWER, dtype=torch.float32)
    optimiser = torch.optim.AdamW(
        [{"params": top.layers.parameters(), "lr": PEAK_RATE}, {"params": top.heads.parameters(), "lr": PEAK_RATE * 5}],
        weight_decay=0.02,
    )
    total = math.ceil(len(chosen) / BATCH) * epochs
    warm = total // 10
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min((step + 1) / warm, max(0.02, (total - step) / (total - warm)))
    )
    for epoch in range(epochs):
        began, seen_loss = time.perf_counter(), 0.0
        order = sorted(chosen, key=lambda at: len(examples[at].ids) * rng.uniform(0.7, 1.3))
        batches = [order[at : at + BATCH] for at in range(0, len(order), BATCH)]
        rng.shuffle(batches)
        for batch in batches:
            # Recognised speech has no punctuation: now and then an utterance is read without its own.
            seen = [bare if (bare := examples[at].bare) and rng.random() < BARE_SHARE else at for at in batch]
            _, mask, kinds = padded([examples[at] for at in seen])
            logits = top(stacked([states[at] for at in seen]), mask, kinds)
            loss = torch.zeros(())
            for head in sizes:
                target = torch.tensor([examples[at].targets.get(head, -1) for at in batch])
                if bool((target >= 0).any()):
                    share = (target >= 0).float().mean()
                    loss = loss + share * nn.functional.cross_entropy(
                        logits[head], target, weight=weights[head], ignore_index=-1, label_smoothing=SMOOTHING
                    )
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(top.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            seen_loss += float(loss.detach())
        print(f"  epoch {epoch + 1}: {seen_loss / len(batches):.3f}, {time.perf_counter() - began:.0f} s", flush=True)
    return top.eval()


def scores(top: Top, states: list[torch.Tensor], examples: list[Example], chosen: list[int]) -> dict[str, NDArray[Any]]:
    """Scores of the chosen examples by head, in their order."""
    found: dict[str, NDArray[Any]] = {
        head: np.zeros((len(chosen), linear.out_features), dtype=np.float32) for head, linear in top.heads.items()
    }
    places = sorted(range(len(chosen)), key=lambda place: len(examples[chosen[place]].ids))
    with torch.inference_mode():
        for start in range(0, len(places), 64):
            part = places[start : start + 64]
            _, mask, kinds = padded([examples[chosen[place]] for place in part])
            for head, logits in top(stacked([states[chosen[place]] for place in part]), mask, kinds).items():
                found[head][part] = logits.numpy()
    return found


def read(task: str, data: Path, tokens: Tokenizer) -> tuple[list[Example], list[Table]]:
    """Inputs (an utterance with two heads is one input) and the rows of each head."""
    place: dict[tuple[str, str], int] = {}
    inputs: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
    targets: list[dict[str, int]] = []
    tables = []
    for head in TASKS[task]:
        rows = gold(head, data)
        labels = tuple(sorted({one.labels[0] for one in rows}))
        at = []
        for one in rows:
            source = head.split("_")[0] if "client" not in head else "annomi"
            key = (source, one.id)
            if key not in place:
                place[key] = len(inputs)
                inputs.append(pair_ids(tokens, one.text, one.before))
                targets.append({})
            targets[place[key]][head] = labels.index(one.labels[0])
            at.append(place[key])
        tables.append(Table(head, rows, labels, at))
    examples = [Example(ids, kinds, t) for (ids, kinds), t in zip(inputs, targets, strict=True)]
    for table in tables:
        if not table.head.startswith("annomi"):
            continue
        for one, at in zip(table.rows, table.examples, strict=True):
            if examples[at].bare is None:
                bare = pair_ids(tokens, restyle(one.text, "bare"), [restyle(text, "bare") for text in one.before])
                examples[at] = replace(examples[at], bare=len(examples))
                examples.append(Example(*bare, examples[at].targets))
    return examples, tables


def grouped(examples: list[Example], tables: list[Table]) -> list[str]:
    """The group of every input; '' for unpunctuated twins, which follow their originals."""
    group = [""] * len(examples)
    for table in tables:
        for one, at in zip(table.rows, table.examples, strict=True):
            group[at] = one.group
    return group


def cross_validate(
    net: BertModel, task: str, examples: list[Example], tables: list[Table], seed: int
) -> dict[str, dict[str, NDArray[Any]]]:
    """Fold and out-of-fold scores of every row, by head; `bare`: the same without punctuation, where there are twins."""
    states = lower_states(net, examples)
    sizes = {table.head: len(table.labels) for table in tables}
    group = grouped(examples, tables)
    own = [at for at in range(len(examples)) if group[at]]
    fold = dict(zip(own, folds([group[at] for at in own], seed), strict=True))
    held = {head: np.zeros((len(examples), size), dtype=np.float32) for head, size in sizes.items()}
    for number in range(FOLDS):
        print(f"{task}, seed {seed}, fold {number + 1} of {FOLDS}", flush=True)
        training = [at for at in own if fold[at] != number]
        test = [at for at in own if fold[at] == number]
        top = train(net, states, examples, training, sizes, epochs=EPOCHS[task], seed=seed)
        test += [bare for at in test if (bare := examples[at].bare) is not None]
        for head, found in scores(top, states, examples, test).items():
            held[head][test] = found
    result = {}
    for table in tables:
        kept = {"fold": np.array([fold[at] for at in table.examples]), "scores": held[table.head][table.examples]}
        if (twins := table.twins(examples)) is not None:
            kept["bare"] = held[table.head][twins]
        result[table.head] = kept
    return result


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


def export(net: BertModel, top: Top, tables: list[Table], examples: list[Example], name: str, target: Path) -> None:
    """Writes the int8 graph and its facts, and says what whole numbers cost."""
    import onnx
    from onnxruntime import InferenceSession
    from onnxruntime.quantization import QuantType, quantize_dynamic

    plain, small = target / f"{name}_float.onnx", target / f"{name}.onnx"
    ids, mask, kinds = padded(examples[:4])
    axes = {0: torch.export.Dim("batch", max=4096), 1: torch.export.Dim("width", max=512)}
    deployed = Deployed(net, top).eval()
    torch.onnx.export(
        deployed, (ids, mask, kinds), str(plain), input_names=["ids", "mask", "kinds"], output_names=["scores", "pooled"],
        dynamic_shapes={"ids": axes, "mask": axes, "kinds": axes}, dynamo=True, external_data=False, opset_version=18,
    )  # fmt: skip
    graph = onnx.load(plain)
    del graph.graph.value_info[:]  # the exporter's notes on shapes contradict the quantiser's own
    for node in graph.graph.node:  # the exporter's stack traces name folders of this machine
        del node.metadata_props[:]
        node.doc_string = ""
    quantize_dynamic(graph, small, weight_type=QuantType.QInt8, per_channel=True)
    plain.unlink()
    session = InferenceSession(str(small), providers=["CPUExecutionProvider"])
    same = []
    for one in examples[::25]:
        inputs = padded([one])
        with torch.inference_mode():
            whole = deployed(*inputs)[0].numpy()[0]
        narrow = session.run(None, dict(zip(("ids", "mask", "kinds"), (x.numpy() for x in inputs), strict=True)))[0][0]
        start = 0
        for table in tables:
            stop = start + len(table.labels)
            if table.head in one.targets:
                same.append(whole[start:stop].argmax() == narrow[start:stop].argmax())
            start = stop
    print(f"int8: {small.stat().st_size / 1e6:.1f} MB; same label on {np.mean(same):.3f} of {len(same)}")
    facts = {
        "heads": {table.head: list(table.labels) for table in tables},
        "sha256": hashlib.sha256(small.read_bytes()).hexdigest(),
        "tokenizer_sha256": hashlib.sha256(TOKENS.read_bytes()).hexdigest(),
    }
    (target / f"{name}.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=["cv", "fit"])
    parser.add_argument("--data", type=Path, required=True, help="folder of research data")
    parser.add_argument("--encoder", type=Path, required=True, help="folder of the published encoder")
    parser.add_argument("--task", choices=list(TASKS), required=True)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--scores", type=Path, default=ROOT / "coder_scores", help="folder for out-of-fold scores")
    parser.add_argument("--out", type=Path, default=WEIGHTS, help="folder for the weights")
    given = parser.parse_args()
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "2")))
    tokens = Tokenizer.from_file(str(TOKENS))
    tokens.no_padding()
    tokens.no_truncation()
    examples, tables = read(given.task, given.data, tokens)
    print(f"{len(examples)} inputs, {sum(len(one.ids) for one in examples)} tokens", flush=True)
    net = body(given.encoder)
    if given.mode == "fit":
        states = lower_states(net, examples)
        sizes = {table.head: len(table.labels) for table in tables}
        own = [at for at, group in enumerate(grouped(examples, tables)) if group]
        top = train(net, states, examples, own, sizes, epochs=EPOCHS[given.task], seed=given.seeds[0])
        given.out.mkdir(parents=True, exist_ok=True)
        name = "coder_encoder" if given.task == "packaged" else f"{given.task}_encoder"
        export(net, top, tables, examples, name, given.out)
        return
    given.scores.mkdir(parents=True, exist_ok=True)
    for seed in given.seeds:
        for head, kept in cross_validate(net, given.task, examples, tables, seed).items():
            table = next(one for one in tables if one.head == head)
            truth = np.array([table.labels.index(one.labels[0]) for one in table.rows])
            for name in ("scores", "bare"):
                if name in kept:
                    print(f"{head} {name}: macro-F1 {macro_f1(truth, kept[name].argmax(1)):.3f}", flush=True)
            rows = np.array([one.id for one in table.rows])
            np.savez(given.scores / f"{head}_{seed}.npz", rows=rows, labels=np.array(table.labels), **kept)


def macro_f1(truth: NDArray[Any], hit: NDArray[Any]) -> float:
    """Mean F1 over the labels that occur."""
    each = [
        2 * ((hit == label) & (truth == label)).sum() / ((hit == label).sum() + (truth == label).sum())
        for label in set(truth.tolist())
    ]
    return float(np.mean(each))


if __name__ == "__main__":
    main()
