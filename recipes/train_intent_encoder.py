"""Fine-tunes the encoder that hears intent told plainly: to end the own life, or to do grave harm to somebody else.

The training libraries are no dependency of the project: torch, transformers, onnx and onnxscript beside it. From the
repository root,

    python recipes/train_intent_encoder.py --without c f      # how hands that were left out are read
    python recipes/train_intent_encoder.py                    # the packaged one

What it learns: lines of many hands that say it plainly and lines in which the same words stand without danger
(`data/plain_danger_*`), the active and passive rows of the older sets, their harmless neighbours, what development
patients without risk say, and therapists' sentences, who name danger without being in it. Some lines come once more without marks, or among harmless ones of the same hand. Only the
upper three layers learn; they start from the published ones, and no download is needed.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import nn

from coder_network import Example, quick
from fit import RECIPES, own_lines
from maieutic.library import case_ids, get_case
from maieutic.patients.template_voice import every_line
from maieutic.runs.files import files_of_lines
from maieutic.safety.intent import ENCODER, READ, text_ids
from train_reply_encoder import HEAD_RATE, RATE, SEED, SINGLE, SMOOTHED, WARM, Answers, export

DATA = RECIPES / "data"
EPOCHS = 3
NEAR = 20
"""Batches whose lines are sorted by length together."""
OF_HANDS = {"suicide": "suicide", "others": "others", "past": "none", "none": "none"}
OF_TRAINING = {
    "suicide_active": "suicide", "active_ideation": "suicide", "suicide_passive": "wish", "passive_ideation": "wish",
    "harm_to_others": "others", "abuse_danger": "none", "abuse": "none",
}  # fmt: skip
"""Labels by the kinds that the writers named; rows of other kinds are left out."""
SAFE, LIFE, ASKED = 3, 6, 6
"""Of the harmless rows of the older sets every third, of a patient's lines and of therapists' sentences every
sixth."""
BARE, AMONG = 0.25, 0.35
"""Share of the hands' lines that come once more without marks and capitals, and among others of the hand."""


@dataclass(frozen=True)
class Row:
    """A line, what it tells, and who wrote it."""

    text: str
    label: str
    hand: str

    @property
    def example(self) -> Example:
        return Example(*text_ids(self.text), {})


def bare(text: str) -> str:
    """As hurried people write."""
    return "".join(c for c in text.lower() if c not in ".,!?;:'\"-")


def rows() -> tuple[list[Row], list[Row]]:
    """The lines of the hands, and all others."""
    hands = [
        Row(row["text"], OF_HANDS[row["kind"]], path.stem.partition(".")[0].rpartition("_")[2])
        for path in files_of_lines(DATA, "plain_danger_*.jsonl")
        for row in own_lines(path.stem)
    ]
    found = []
    for path in files_of_lines(DATA, "risk_train*.jsonl"):
        of_kind = [(row["text"], OF_TRAINING.get(row["kind"])) for row in own_lines(path.stem)]
        found += [Row(text, label, path.stem) for text, label in of_kind if label]
    for path in files_of_lines(DATA, "safe_train*.jsonl"):
        found += [Row(row["text"], "none", path.stem) for row in own_lines(path.stem)[::SAFE]]
    for path in files_of_lines(DATA, "risk_grades_*.jsonl"):
        for number, row in enumerate(own_lines(path.stem)):
            if row["grade"] == "active" and row["kind"] in ("suicide", "violence"):
                found.append(Row(row["text"], "suicide" if row["kind"] == "suicide" else "others", path.stem))
            elif row["grade"] == "passive" or (row["grade"] == "none" and number % SAFE):
                found.append(Row(row["text"], "wish" if row["grade"] == "passive" else "none", path.stem))
    for name in ("risk_hands", "risk_signs_dev"):
        found += [Row(row["text"], "none", name) for row in own_lines(name) if row["grade"] == "none"]
    found += [Row(row["text"], "none", "asking") for row in own_lines("risk_questions")]
    found += [Row(row["text"], "none", "asking") for row in own_lines("turn_sentences")[::ASKED]]
    found += [Row(row["text"], "none", "replying") for row in own_lines("safety_replies")[::2]]
    for name in case_ids("dev"):
        if get_case(name).risk.level == "none":
            found += [Row(line, "none", name) for line in sorted(every_line(get_case(name)))[::LIFE]]
    return hands, found


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
    examples = [row.example for row in every]
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
        order = rng.sample(range(len(every)), len(every))
        near = [order[at : at + NEAR * SINGLE] for at in range(0, len(order), NEAR * SINGLE)]
        ordered = [sorted(some, key=lambda at: len(examples[at].ids)) for some in near]
        parts = [some[at : at + SINGLE] for some in ordered for at in range(0, len(some), SINGLE)]
        rng.shuffle(parts)
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
    examples = [row.example for row in left]
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
        export(net, [row.example for row in learned], {"intent": READ}, ENCODER)


if __name__ == "__main__":
    main()
