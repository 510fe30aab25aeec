"""Fine-tunes the sentence encoder of the accurate coder and keeps its out-of-fold scores; torch is needed only here.

The training libraries are no dependency of the project. Make an environment of its own for them (Python 3.11, CPU):
torch, transformers, safetensors, tokenizers, onnx, onnxscript, onnxruntime, numpy, scipy, and this project with
`--no-deps`. Unpack the sentence encoder all-MiniLM-L6-v2 (Apache License 2.0) and run, from the repository root,

    python recipes/train_coder_encoder.py cv  --data ../shared/data --encoder FOLDER --task annomi --seeds 0 1
    python recipes/train_coder_encoder.py fit --data ../shared/data --encoder FOLDER --task annomi

where FOLDER holds its `config.json` and `model.safetensors`. `cv` writes scores by row id (numbers only) for
`train_coder.py`, which joins them with the word-gram heads, calibrates, and writes what the package holds. Tasks:
annomi (both speakers and the form of questions; own-written lines of typed chats are always among what it learns and never
tested on), socratic, epitome; `packaged` is AnnoMI's human codes and SoQG's in one network. Only the two upper layers are
trained, of EPITOME's encoder four: the states below are computed once, and a fold takes a third of the time. EPITOME's heads
also learn which words their annotators marked, and read those apart. HLQC, BOLT and ESConv are never read here, so that
transfer to them stays a test.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import nn
from transformers import BertModel

from coder_examples import own_lines
from coder_folds import FOLDS, folds
from coder_marks import token_marks
from coder_network import (
    FROZEN_LAYERS,
    ROOT,
    Example,
    Table,
    Top,
    export,
    lower_states,
    marks_loss,
    padded,
    quick,
    stacked,
)
from maieutic.coding.encoder import pair_ids
from maieutic.coding.features import restyle
from maieutic.reading.encoder import tokenizer
from maieutic.validation.coder.datasets import gold
from published_body import body

WEIGHTS = ROOT / "src" / "maieutic" / "coding" / "weights"
TASKS = {
    "annomi": ("annomi_therapist", "annomi_client", "annomi_question_form"),
    "socratic": ("socratic",),
    "epitome": ("epitome_er", "epitome_ip", "epitome_ex"),
}
TASKS["packaged"] = (*TASKS["annomi"], *TASKS["socratic"])
NOTHING = "0"  # the level of a mechanism that is not there: no word is evidence for it
READ_ON = ("annomi",)  # the state of the packaged encoder is read where no answer has come yet, too
MARKS_WEIGHT = 0.5
BATCH = 32
PEAK_RATE = 1.2e-4
SMOOTHING = 0.05
CLASS_WEIGHT_POWER = 0.5
BARE_SHARE = 0.4
UNPROMPTED_SHARE = 0.2
UNANSWERED_SHARE = 0.3


@dataclass(frozen=True, slots=True)
class SamplePlan:
    """How long a task is trained, and how many of the encoder's layers stay as published."""

    epochs: int = 3
    frozen: int = FROZEN_LAYERS


EXTENTS = {"epitome": SamplePlan(epochs=6, frozen=2)}


def train(
    net: BertModel, states: list[torch.Tensor], examples: list[Example], chosen: list[int], sizes: dict[str, int],
    *, seed: int, extent: SamplePlan,
) -> Top:  # fmt: skip
    """Trains the upper layers and the heads on the chosen examples; linear warm-up and decay; seeded."""
    import copy

    torch.manual_seed(seed)
    rng = random.Random(seed)
    marked = {head for at in chosen for head in examples[at].marks}
    top = Top(copy.deepcopy(net.encoder.layer[extent.frozen :]), net.config.hidden_size, sizes, marked).train()
    weights = {}
    for head, size in sizes.items():
        count = np.bincount(
            [examples[at].targets[head] for at in chosen if head in examples[at].targets], minlength=size
        )
        share = np.maximum(count, 1) / count.sum() * size
        weights[head] = torch.tensor(share**-CLASS_WEIGHT_POWER, dtype=torch.float32)
    optimiser = torch.optim.AdamW(
        [
            {"params": top.layers.parameters(), "lr": PEAK_RATE},
            {"params": [*top.heads.parameters(), *top.looks.parameters()], "lr": PEAK_RATE * 5},
        ],
        weight_decay=0.02,
    )
    total = math.ceil(len(chosen) / BATCH) * extent.epochs
    warm = total // 10
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min((step + 1) / warm, max(0.02, (total - step) / (total - warm)))
    )
    for epoch in range(extent.epochs):
        began, seen_loss = time.perf_counter(), 0.0
        order = sorted(chosen, key=lambda at: len(examples[at].ids) * rng.uniform(0.7, 1.3))
        batches = [order[at : at + BATCH] for at in range(0, len(order), BATCH)]
        rng.shuffle(batches)
        for batch in batches:
            seen = [twin(examples, at, rng) for at in batch]
            _, mask, kinds = padded([examples[at] for at in seen])
            with quick():
                logits, looked = top(stacked([states[at] for at in seen]), mask, kinds)
            loss = MARKS_WEIGHT * marks_loss(looked, [examples[at].marks for at in seen])
            for head in sizes:
                target = torch.tensor([examples[at].targets.get(head, -1) for at in batch])
                if bool((target >= 0).any()):
                    share = (target >= 0).float().mean()
                    loss = loss + share * nn.functional.cross_entropy(
                        logits[head].float(), target, weight=weights[head], ignore_index=-1, label_smoothing=SMOOTHING
                    )
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(top.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            seen_loss += float(loss.detach())
        print(f"  epoch {epoch + 1}: {seen_loss / len(batches):.3f}, {time.perf_counter() - began:.0f} s", flush=True)
    return top.eval()


def twin(examples: list[Example], at: int, rng: random.Random) -> int:
    """Now and then an input is read without punctuation, as in recognised speech, or without one of the turns about it."""
    if (bare := examples[at].bare) is not None and rng.random() < BARE_SHARE:
        at = bare
    one = examples[at]
    if one.unprompted is not None and rng.random() < UNPROMPTED_SHARE:
        return one.unprompted
    if one.unanswered is not None and rng.random() < UNANSWERED_SHARE:
        return one.unanswered
    return at


def scores(top: Top, states: list[torch.Tensor], examples: list[Example], chosen: list[int]) -> dict[str, NDArray[Any]]:
    """Scores of the chosen examples by head, in their order."""
    found: dict[str, NDArray[Any]] = {
        head: np.zeros((len(chosen), linear.out_features), dtype=np.float32) for head, linear in top.heads.items()
    }
    places = sorted(range(len(chosen)), key=lambda place: len(examples[chosen[place]].ids))
    with torch.inference_mode(), quick():
        for start in range(0, len(places), 64):
            part = places[start : start + 64]
            _, mask, kinds = padded([examples[chosen[place]] for place in part])
            for head, logits in top(stacked([states[chosen[place]] for place in part]), mask, kinds)[0].items():
                found[head][part] = logits.float().numpy()
    return found


def read(task: str, data: Path, tokens: Tokenizer) -> tuple[list[Example], list[Table]]:
    """Inputs (an utterance with two heads is one input) and the rows of each head."""
    place: dict[tuple[str, str], int] = {}
    inputs: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
    texts: list[str] = []
    targets: list[dict[str, int]] = []
    marks: list[dict[str, tuple[int, ...]]] = []
    tables = []
    for head in TASKS[task]:
        rows = [one if task in READ_ON else replace(one, following="") for one in gold(head, data)]
        labels = tuple(sorted({one.labels[0] for one in rows}))
        evidenced = any(one.marked for one in rows)
        at = []
        for one in rows:
            source = head.split("_")[0] if "client" not in head else "annomi"
            key = (source, one.id)
            if key not in place:
                place[key] = len(inputs)
                inputs.append(pair_ids(one.text, one.other, one.following))
                texts.append(one.text)
                targets.append({})
                marks.append({})
            targets[place[key]][head] = labels.index(one.labels[0])
            if evidenced:
                kinds, absent = inputs[place[key]][1], one.labels[0] == NOTHING
                marks[place[key]][head] = token_marks(tokens, texts[place[key]], one.marked, kinds, absent=absent)
            at.append(place[key])
        tables.append(Table(head, rows, labels, at))
    examples = [Example(*told, t, marks=m) for told, t, m in zip(inputs, targets, marks, strict=True)]
    for table in tables:
        if table.head.startswith("annomi"):
            for one, own in zip(table.rows, table.examples, strict=True):
                add_twins(examples, own, one.text, one.other, one.following)
    return examples, tables


def add_twins(examples: list[Example], at: int, text: str, before: str, after: str = "") -> None:
    """Adds the twins of an input that has none yet: unpunctuated, and both without the turn before and the one after."""
    if examples[at].bare is not None:
        return
    targets = examples[at].targets

    def added(*turns: str) -> int:
        examples.append(Example(*pair_ids(*turns), targets))
        return len(examples) - 1

    written = text, before, after
    bare = [restyle(one, "bare") for one in written]
    unpunctuated = added(*bare)
    examples[at] = replace(examples[at], bare=unpunctuated)
    for place, (own, earlier, later) in ((at, written), (unpunctuated, bare)):
        unprompted = added(own, "", later) if earlier else None
        unanswered = added(own, earlier) if later else None
        examples[place] = replace(examples[place], unprompted=unprompted, unanswered=unanswered)


def add_own(examples: list[Example], tables: Sequence[Table]) -> list[int]:
    """Adds the own-written lines of the heads, with their twins; the places of the lines."""
    places = []
    for table in tables:
        for _, before, text, labels in own_lines(table.head):
            places.append(len(examples))
            examples.append(Example(*pair_ids(text, before), {table.head: table.labels.index(labels[0])}))
            add_twins(examples, places[-1], text, before)
    return places


def grouped(examples: list[Example], tables: list[Table]) -> list[str]:
    """The group of every input; '' for twins, which follow their originals, and for own-written lines."""
    group = [""] * len(examples)
    for table in tables:
        for one, at in zip(table.rows, table.examples, strict=True):
            group[at] = one.group
    return group


def cross_validate(
    net: BertModel,
    states: list[torch.Tensor],
    task: str,
    examples: list[Example],
    tables: list[Table],
    written: list[int],
    seed: int,
    extent: SamplePlan,
) -> dict[str, dict[str, NDArray[Any]]]:
    """Fold and out-of-fold scores of every row, by head; `bare`: without punctuation; `unanswered`: before any answer."""
    sizes = {table.head: len(table.labels) for table in tables}
    group = grouped(examples, tables)
    own = [at for at in range(len(examples)) if group[at]]
    fold = dict(zip(own, folds([group[at] for at in own], seed), strict=True))
    held = {head: np.zeros((len(examples), size), dtype=np.float32) for head, size in sizes.items()}
    for number in range(FOLDS):
        print(f"{task}, seed {seed}, fold {number + 1} of {FOLDS}", flush=True)
        training = [at for at in own if fold[at] != number] + written
        test = [at for at in own if fold[at] == number]
        top = train(net, states, examples, training, sizes, seed=seed, extent=extent)
        twins = [(examples[at].bare, examples[at].unanswered) for at in test]
        test += [place for pair in twins for place in pair if place is not None]
        for head, found in scores(top, states, examples, test).items():
            held[head][test] = found
    result = {}
    for table in tables:
        kept = {"fold": np.array([fold[at] for at in table.examples]), "scores": held[table.head][table.examples]}
        if (bare := table.twins(examples)) is not None:
            kept["bare"] = held[table.head][bare]
        if task in READ_ON:
            twinned = [examples[at].unanswered for at in table.examples]
            places = [at if twin is None else twin for at, twin in zip(table.examples, twinned, strict=True)]
            kept["unanswered"] = held[table.head][places]
        result[table.head] = kept
    return result


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
    examples, tables = read(given.task, given.data, tokenizer())
    written = [] if given.task == "packaged" else add_own(examples, tables)
    print(f"{len(examples)} inputs, {sum(len(one.ids) for one in examples)} tokens", flush=True)
    net = body(given.encoder).eval()
    extent = EXTENTS.get(given.task, SamplePlan())
    states = lower_states(net, examples, extent.frozen)
    if given.mode == "fit":
        sizes = {table.head: len(table.labels) for table in tables}
        own = [at for at, group in enumerate(grouped(examples, tables)) if group]
        top = train(net, states, examples, own + written, sizes, seed=given.seeds[0], extent=extent)
        given.out.mkdir(parents=True, exist_ok=True)
        name = "coder_encoder" if given.task == "packaged" else f"{given.task}_encoder"
        export(net, top, tables, examples, name, given.out)
        return
    given.scores.mkdir(parents=True, exist_ok=True)
    for seed in given.seeds:
        for head, kept in cross_validate(net, states, given.task, examples, tables, written, seed, extent).items():
            table = next(one for one in tables if one.head == head)
            truth = np.array([table.labels.index(one.labels[0]) for one in table.rows])
            for name in ("scores", "bare"):
                if name in kept:
                    print(f"{head} {name}: macro-F1 {macro_f1(truth, kept[name].argmax(1)):.3f}", flush=True)
            rows = np.array([one.id for one in table.rows])
            arrays: Any = {"rows": rows, "labels": np.array(table.labels), **kept}
            np.savez(given.scores / f"{head}_{seed}.npz", **arrays)


def macro_f1(truth: NDArray[Any], hit: NDArray[Any]) -> float:
    """Mean F1 over the labels that occur."""
    each = [
        2 * ((hit == label) & (truth == label)).sum() / ((hit == label).sum() + (truth == label).sum())
        for label in set(truth.tolist())
    ]
    return float(np.mean(each))


if __name__ == "__main__":
    main()
