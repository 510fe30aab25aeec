"""Fine-tunes the encoder that reads a sentence of a trainee's turn in its moment.

The training libraries are no dependency of the project: torch, transformers, onnx and onnxscript beside it. From the
repository root,

    python recipes/train_turn_encoder.py --without r11          # how turns of a round that was left out are read
    python recipes/train_turn_encoder.py                        # the packaged one

What it learns: every sentence of practice's moments with its one label, and older sentences without a moment, of which
only some labels are known. Only the upper three layers learn; they start from the published ones, and no download is
needed. Ten minutes on an idle core.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn

from coder_network import Example, quick
from fit import RECIPES, own_lines
from maieutic.practice.moves import KINDS, SAFETY, turn_ids
from readers.practice import OF_GIVEN_BACK, OF_MARKS, PLAYED, moments
from train_reply_encoder import HEAD_RATE, RATE, SEED, SINGLE, SMOOTHED, WARM, Answers, export

TARGET = RECIPES.parent / "src" / "maieutic" / "practice" / "weights" / "turn_encoder.onnx"
LABELS = (*KINDS, SAFETY)
EPOCHS = 4
NEAR = 20
"""Batches whose sentences are sorted by length together."""


@dataclass(frozen=True)
class Row:
    """A sentence in its moment.

    Attributes:
        kinds: What it is, or what it may be where only that is known.
        group: The talk or the hand.
    """

    sentence: str
    heard: str
    earlier: str
    later: str
    kinds: tuple[str, ...]
    group: str
    weight: float = 1.0

    @property
    def example(self) -> Example:
        return Example(*turn_ids(self.sentence, self.heard, self.earlier, self.later), {})


def rows() -> list[Row]:
    """Every labelled sentence."""
    found = []
    for moment in moments():
        group, weight = moment.get("talk", f"hand {moment['hand']}"), PLAYED if "talk" in moment else 1.0
        heard = " ".join(moment["patient"])
        for turn in moment["turns"]:
            said = [text for text, _ in turn]
            found += [
                Row(text, heard, " ".join(said[:at]), " ".join(said[at + 1 :]), (kind,), group, weight)
                for at, (text, kind) in enumerate(turn)
                if kind in LABELS
            ]
    for old in own_lines("given_back"):
        if old["label"] in OF_GIVEN_BACK:
            found.append(Row(old["text"], "", "", "", OF_GIVEN_BACK[old["label"]], old["topic"]))
    for old in own_lines("turn_sentences"):
        known = [OF_MARKS[mark] for mark in old["marks"] if mark in OF_MARKS]
        if len(known) == 1 and "question" not in old["marks"]:
            found.append(Row(old["text"], "", "", "", known[0], old["style"]))
    return found


def loss_of(scores: torch.Tensor, some: Sequence[Row]) -> torch.Tensor:
    """Cross-entropy, softened; where several kinds are possible, of their sum."""
    may = torch.tensor([[label in row.kinds for label in LABELS] for row in some])
    weights = torch.tensor([row.weight for row in some])
    chances = scores.log_softmax(1)
    soft = (1 - SMOOTHED) * may / may.sum(1, keepdim=True) + SMOOTHED / len(LABELS)
    one, several = -(chances * soft).sum(1), -torch.logsumexp(chances.masked_fill(~may, -1e9), 1)
    return (torch.where(may.sum(1) == 1, one, several) * weights).sum() / weights.sum()


def is_of(group: str, names: Collection[str]) -> bool:
    """A talk of one of these rounds (`r11-3` of `r11`), or a talk or a hand that is named itself."""
    return group in names or group.rpartition("-")[0] in names


def near_in_length(examples: Sequence[Example], rng: random.Random) -> list[list[int]]:
    """One pass: every example once, in batches of others of about its length."""
    order = rng.sample(range(len(examples)), len(examples))
    near = [order[at : at + NEAR * SINGLE] for at in range(0, len(order), NEAR * SINGLE)]
    ordered = [sorted(some, key=lambda at: len(examples[at].ids)) for some in near]
    parts = [some[at : at + SINGLE] for some in ordered for at in range(0, len(some), SINGLE)]
    rng.shuffle(parts)
    return parts


def train(every: Sequence[Row], kept: Path, without: Sequence[str]) -> Answers:
    """Learns, from the last whole pass of an earlier run that was cut off; anew where that run left out other rows."""
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    net = Answers({"kinds": LABELS})
    examples = [row.example for row in every]
    states = net.states(examples)
    body = list(net.top.layers.parameters())
    heads = {"params": net.top.heads.parameters(), "lr": HEAD_RATE}
    optimiser = torch.optim.AdamW([{"params": body, "lr": RATE}, heads], weight_decay=0.01)
    steps = EPOCHS * (len(every) // SINGLE + 1)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1.0, (step + 1) / WARM) * max(0.02, 1.0 - step / steps)
    )
    learning = {"top": net.top, "optimiser": optimiser, "schedule": schedule}
    begun = 0
    if kept.is_file():
        stored = torch.load(kept)
        if (stored.get("without"), stored.get("rows")) == (list(without), len(every)):
            for name, part in learning.items():
                part.load_state_dict(stored[name])
            begun = stored["passes"]
        else:
            print(f"{kept} is of other rows: begun anew", flush=True)
    net.top.train()
    for number in range(begun, EPOCHS):
        start, rng, seen = time.time(), random.Random(number), 0.0
        parts = near_in_length(examples, rng)
        for some in parts:
            with quick():
                scores = net.scores([states[at] for at in some], [examples[at] for at in some])
            loss = loss_of(scores, [every[at] for at in some])
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(body, 1.0)
            optimiser.step()
            schedule.step()
            seen += float(loss.detach())
        whole = {"passes": number + 1, "without": list(without), "rows": len(every)}
        torch.save({name: one.state_dict() for name, one in learning.items()} | whole, kept)
        print(f"pass {number + 1}: loss {seen / len(parts):.3f}, {time.time() - start:.0f} s", flush=True)
    return net.eval()


def figures(net: Answers, left: Sequence[Row], target: Path) -> None:
    """The share whose likeliest label is the right one; scores are kept."""
    examples = [row.example for row in left]
    with torch.inference_mode(), quick():
        states = net.states(examples)
        parts = [net.scores(states[at : at + 32], examples[at : at + 32]) for at in range(0, len(left), 32)]
    scores = torch.cat(parts).numpy()
    right = [LABELS[best] in row.kinds for best, row in zip(scores.argmax(1).tolist(), left, strict=True)]
    np.save(target, scores)
    print(f"left out: {np.mean(right):.3f} of {len(left)}", flush=True)


def main() -> None:
    """Fits, shows how a round that was left out is read, and writes."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--without", nargs="*", default=(), help="rounds or hands to learn nothing from; nothing is packed"
    )
    parser.add_argument("--kept", type=Path, default=Path("build") / "turn_passes.pt", help="where passes are kept")
    options = parser.parse_args()
    options.kept.parent.mkdir(parents=True, exist_ok=True)
    without = sorted(set(options.without))
    found = rows()
    if unknown := [name for name in without if not any(is_of(row.group, [name]) for row in found)]:
        parser.error(f"no round, talk or hand is named {', '.join(unknown)}")
    left = [row for row in found if is_of(row.group, without)]
    every = [row for row in found if not is_of(row.group, without)]
    print(f"{len(every)} sentences, {len(left)} left out", flush=True)
    net = train(every, options.kept, without)
    if left:
        figures(net, left, options.kept.with_suffix(".npy"))
    else:
        export(net, [row.example for row in every], {"kinds": LABELS}, TARGET)
        options.kept.unlink()


if __name__ == "__main__":
    main()
