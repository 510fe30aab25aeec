"""Fine-tunes the encoder that hears intent told plainly: to end the own life, or to do grave harm to somebody else.

The training libraries are no dependency of the project: torch, transformers, onnx and onnxscript beside it. From the
repository root,

    python recipes/train_intent_encoder.py --without c f      # how hands that were left out are read
    python recipes/train_intent_encoder.py                    # the packaged one

What it learns: lines of many hands that say it plainly and lines in which the same words stand without danger
(`data/plain_danger_*`), the active and passive rows of the older sets, their harmless neighbours, what development
patients without risk say, and therapists' sentences, who name danger without being in it (`intent_rows.py`). Some lines come once
more without marks, or among harmless ones of the same hand. Only the upper three layers learn; they start from the published
ones, and no download is needed. Twenty-five minutes of one core; `python recipes/fit.py intent` fits the head above them.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import nn

from coder_network import Example, quick
from intent_rows import Row, rows
from maieutic.safety.intent import ENCODER, READ, text_ids
from train_reply_encoder import HEAD_RATE, RATE, SEED, SINGLE, SMOOTHED, WARM, Answers, export
from train_turn_encoder import near_in_length

EPOCHS = 3
BARE, AMONG = 0.25, 0.35
"""Share of the hands' lines that come once more without marks and capitals, and among others of the hand."""


def example(row: Row) -> Example:
    """What the layers are given of it."""
    return Example(*text_ids(row.text), {})


def bare(text: str) -> str:
    """As hurried people write."""
    return "".join(c for c in text.lower() if c not in ".,!?;:'\"-")


def varied(hands: Sequence[Row], rng: random.Random) -> list[Row]:
    """Some of the hands' lines once more: bare, or among harmless lines of the same hand."""
    found = []
    for row in hands:
        if rng.random() < BARE:
            found.append(replace(row, text=bare(row.text)))
        if rng.random() < AMONG:
            calm = [one.text for one in hands if one.hand == row.hand and one.label == "none" and one is not row]
            beside = rng.sample(calm, rng.choice((1, 2)))
            beside.insert(rng.randrange(len(beside) + 1), row.text)
            found.append(replace(row, text=" ".join(beside)))
    return found


def train(every: Sequence[Row]) -> Answers:
    """Learns."""
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    net = Answers({"intent": READ})
    examples = [example(row) for row in every]
    states = net.states(examples)
    body = list(net.top.layers.parameters())
    heads = {"params": net.top.heads.parameters(), "lr": HEAD_RATE}
    optimiser = torch.optim.AdamW([{"params": body, "lr": RATE}, heads], weight_decay=0.01)
    steps = EPOCHS * (len(every) // SINGLE + 1)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1.0, (step + 1) / WARM) * max(0.02, 1.0 - step / steps)
    )
    net.top.train()
    for number in range(EPOCHS):
        start, rng, seen = time.time(), random.Random(number), 0.0
        parts = near_in_length(examples, rng)
        for done, some in enumerate(parts, 1):
            with quick():
                scores = net.scores([states[at] for at in some], [examples[at] for at in some])
            right = torch.tensor([READ.index(every[at].label) for at in some])
            loss = nn.functional.cross_entropy(scores, right, label_smoothing=SMOOTHED)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(body, 1.0)
            optimiser.step()
            schedule.step()
            seen += float(loss.detach())
            if done % 50 == 0:
                print(f"  pass {number + 1}, {done} of {len(parts)}: {time.time() - start:.0f} s", flush=True)
        print(f"pass {number + 1}: loss {seen / len(parts):.3f}, {time.time() - start:.0f} s", flush=True)
    net.eval()
    return net


def figures(net: Answers, left: Sequence[Row], target: Path) -> None:
    """The share of each label that is told for likelier than not to be danger; chances are kept."""
    examples = [example(row) for row in left]
    with torch.inference_mode(), quick():
        states = net.states(examples)
        parts = [net.scores(states[at : at + 32], examples[at : at + 32]) for at in range(0, len(left), 32)]
    chances = torch.cat(parts).softmax(1).numpy()
    np.save(target, chances)
    told = np.array([row.label for row in left])
    for limit in (0.3, 0.5, 0.7, 0.9):
        danger = chances[:, 0] + chances[:, 1] >= limit
        print(limit, {label: f"{danger[told == label].mean():.3f} of {(told == label).sum()}" for label in READ})


def main() -> None:
    """Fits, shows how hands that were left out are read, and writes."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--without", nargs="*", default=(), help="hands or patients to learn nothing from; nothing is packed"
    )
    parser.add_argument(
        "--kept", type=Path, default=Path("build") / "intent_chances.npy", help="where chances are kept"
    )
    options = parser.parse_args()
    options.kept.parent.mkdir(parents=True, exist_ok=True)
    hands, others = rows()
    every = [*hands, *others]
    left = [row for row in every if row.hand in options.without]
    kept = [row for row in hands if row.hand not in options.without]
    learned = [*kept, *varied(kept, random.Random(SEED)), *(row for row in others if row.hand not in options.without)]
    print(f"{len(learned)} lines, {len(left)} left out", flush=True)
    net = train(learned)
    if left:
        figures(net, left, options.kept)
    else:
        torch.save(net.top.state_dict(), options.kept.with_suffix(".pt"))
        export(net, [example(row) for row in learned], {"intent": READ}, ENCODER)


if __name__ == "__main__":
    main()
