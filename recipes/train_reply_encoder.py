"""Fine-tunes the encoder that reads replies whole: which stance one takes to a loaded turn, and whether it concludes.

The training libraries are no dependency of the project: torch, transformers, onnx and onnxscript beside it. From the
repository root,

    python recipes/train_reply_encoder.py --without m w5 w7 w8 w9 w10 w11 w12 w13 w14 w15 w17 w18

makes one like the packaged one, whose fit was begun under a schedule of three passes and ended under one of two, after 1.5:
no run repeats its weights. Hands named there are not learned from, and are read at the end: its weights beside the heads and
the chances that count as sure were chosen on them (`reply_chances.py`). Only the upper three layers learn; they start
from the published ones, and no download is needed. Eight minutes on an idle core.

    python recipes/train_reply_encoder.py --without m w5 w7 w8 w9 w10 w11 w12 w14 w18 --asked --target build/trial/reply_encoder.onnx

is the trial of the afternoon of 29 November 2026, which learns from hands that wrote acts with and without a question, too
(w13, w15 and w17), and was not kept.

    python recipes/train_reply_encoder.py --without m w5 w7 --agree 2 --lists --target build/trial/reply_encoder.onnx

is the trial of 29 November 2026, which learns from the five newest hands, too, and was not kept (`docs/gap/readers.md`).

What it learns: every labelled reply of the heads of stances and of kinds of turn (`readers/presuppositions.py`,
`readers/lost.py`), answers by several hands in four styles each (`data/reply_hands.jsonl.xz`), and replies that fit any
belief (`data/stance_wraps.json`), some of them put behind openings, before closings, into lists or after thinking
aloud. What is put around a reply stands beside every label alike. Styles of one answer are pulled together.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import get_args

import numpy as np
import torch
from torch import nn

from coder_network import INPUTS, Deployed, Example, Top, padded, quick, through
from fit import RECIPES, own_lines
from graph_pieces import coarsen, write_apart, write_top
from int8_graph import write_int8
from maieutic.coding.head_plan import REPLY_ENCODER
from maieutic.coding.whole_reply import alone_ids, pair_ids
from maieutic.gap.lost.labels import ATTEMPTS
from maieutic.gap.presuppositions.detector import Stance, turned
from maieutic.reading.plain import plain
from maieutic.runs.files import read_lines
from published_body import shared_body
from readers.lost import told as told_turns
from readers.presuppositions import items, lowered, told

LABELS = get_args(Stance)
ROUNDABOUT = RECIPES.parent / "benchmarks" / "data" / "roundabout_agreement.jsonl.xz"
HEADS = {"stances": LABELS, "concludes": ("no", "yes")}
FROZEN, EPOCHS, RATE, HEAD_RATE, WARM, SEED = 3, 2, 2e-4, 2e-3, 60, 0
SMOOTHED, AGREE, DROPPED = 0.05, 1.0, 0.1
STEP = 5
"""What the numbers learned differ by from the published ones is kept in multiples of this."""
DRESSED = 0.4
"""Share of the older replies that come a second time in another style."""
ASKED, ASKED_OLD, FIRST = 0.4, 0.15, 0.2
"""Share of the hands' and of the older replies that come once more with a plain question, and of these before it."""
SAVED = 15
"""Batches after which it is kept where a run stands, so that one that was cut off goes on."""
SINGLE, TOGETHER = 32, 6
"""Replies of a batch; answers of a batch, each in all its styles."""
FITS_ALL = json.loads((RECIPES / "data" / "stance_wraps.json").read_text(encoding="utf-8"))
FRAMES = json.loads((RECIPES / "data" / "style_frames.json").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Row:
    """A reply; those of one answer tell the same in other styles."""

    item: str
    loaded: str
    belief: str
    heard: str
    text: str
    label: str
    answer: str
    hand: str
    style: str = ""

    @property
    def head(self) -> str:
        return "stances" if self.loaded else "concludes"

    @property
    def example(self) -> Example:
        said = (
            pair_ids(self.text, self.loaded, turned(self.belief), self.heard) if self.loaded else alone_ids(self.text)
        )
        return Example(*said, {self.head: HEADS[self.head].index(self.label)})


def dressed(text: str, rng: random.Random, *, lists: bool = False) -> str:
    """The same reply in another style; with `lists` as often in markdown as long."""
    style = rng.choice(("long", "long", "markdown" if lists else "long", "markdown", "warm", "leaked"))
    before, after = rng.choice(FITS_ALL["before"]), rng.choice(FITS_ALL["after"])
    if style == "leaked":
        return f"{rng.choice(FITS_ALL['leaked'])} {text}"
    if style == "warm":
        return " ".join([*([before] if rng.random() < 0.7 else []), text, *([after] if rng.random() < 0.6 else [])])
    if style == "markdown":
        head = f"## {rng.choice(FITS_ALL['headings'])}" if rng.random() < 0.6 else f"**{before}** "
        body = f"- {text}" if rng.random() < 0.5 else f"**{text}**"
        return plain("\n".join([head, body, *([f"- {after} 🌱"] if rng.random() < 0.4 else [])])).text
    opener = rng.choice(FITS_ALL["openers"] + FRAMES["openers"])
    closer = rng.choice(FITS_ALL["closers"] + FRAMES["closers"])
    text = f"{opener} {lowered(text)}"
    text = f"{text[:-1]}, {closer}." if text.endswith(".") and rng.random() < 0.5 else text
    return f"{before} {text}" if rng.random() < 0.3 else text


def listed(text: str, rng: random.Random) -> str:
    """The same reply as a list of its sentences, some of it in bold, below a heading or none."""
    points = re.split(r"(?<=[.!?])\s+", text)
    mark, bold = rng.choice(("-", "*", "1.")), rng.randrange(-1, len(points))
    lines = [f"{mark} {f'**{point}**' if at == bold else point}" for at, point in enumerate(points)]
    if rng.random() < 0.3:
        lines[-1] = f"\n{points[-1]}"
    title, before = rng.choice(FITS_ALL["headings"]), rng.choice(FITS_ALL["before"])
    head = rng.choice((f"## {title}\n", f"**{title}**\n", f"**{before}**\n", ""))
    return plain("\n".join([head, *lines]).strip()).text


def by_hands() -> list[Row]:
    """Answers in several styles by several hands."""
    known = {name: (one["loaded"], one["belief"]) for name, one in items().items()}
    found = []
    for number, row in enumerate(own_lines("reply_hands")):
        item = row.get("item", "")
        about = (item, *known.get(item, ("", "")), row.get("heard", ""))
        for text, style in zip(row["texts"], ("terse", "plain", "markdown", "long", "more"), strict=False):
            answer = f"{row['hand']} {number}"
            found.append(Row(*about, plain(text).text, row["label"], answer, row["hand"], style))
    return found


def asked(every: Sequence[Row], rng: random.Random) -> list[Row]:
    """Some of the replies once more with a question that tells nothing: no label may hang on what is asked behind it."""
    found = []
    for row in every:
        if rng.random() < (ASKED_OLD if row.hand == "old" else ASKED):
            question = rng.choice(FITS_ALL["asked"])
            question = question.lower() if row.text[:1].islower() else question
            parts = (question, row.text) if rng.random() < FIRST else (row.text, question)
            found.append(replace(row, text=" ".join(parts), style="asked"))
    return found


def roundabout(every: Sequence[Row], rng: random.Random) -> list[Row]:
    """One hand's agreement in idioms, and courtesies that sound like it, each to an item drawn for it."""
    lines = [row for row in read_lines(ROUNDABOUT) if row["hand"] == "first"]
    return [
        replace(rng.choice(every), heard="", text=row["text"], label="accommodates" if row["agrees"] else "neither",
                answer=f"roundabout {number}", hand="any")
        for number, row in enumerate(lines)
    ]  # fmt: skip


def fitting_all(every: Sequence[Row], rng: random.Random, *, lists: bool) -> list[Row]:
    """Replies that fit any belief, each to an item drawn for it, as it stands and dressed."""
    pressed = sorted({row.heard for row in every if row.heard})
    found = []
    for label in LABELS:
        for number, text in enumerate(FITS_ALL[label]):
            about = rng.choice(every)
            said = turned(about.belief)
            text = text.replace("{b}", said).replace("{B}", said[:1].upper() + said[1:])
            heard = rng.choice(pressed) if rng.random() < 0.5 else ""
            for one in (text, dressed(text, rng, lists=lists)):
                row = replace(about, heard=heard, text=one, label=label, answer=f"{label} {number}", hand="any")
                found.append(row)
    return found


def rows(without: Sequence[str] = (), *, lists: bool = False, questions: bool = False) -> tuple[list[Row], list[Row]]:
    """What is learned, and what is left out; with `lists` every plain answer of a hand as a list, too, with `questions`
    some of all before a plain question, and one hand's agreement in idioms."""
    rng = random.Random(SEED)
    old = [
        Row(row["item"], row["loaded"], row["belief"], row.get("heard", ""), row["text"], row["label"], f"old {n}", "old")
        for n, row in enumerate(told())
    ]  # fmt: skip
    fits_all = fitting_all(old, rng, lists=lists)
    old += [
        Row("", "", "", "", text, "yes" if label in ATTEMPTS else "no", f"turn {group}", "old")
        for text, label, group in told_turns()
    ]
    hands = by_hands()
    again = [
        replace(row, text=dressed(row.text, rng, lists=lists))
        for row in old
        if rng.random() < DRESSED and len(row.text) < 260
    ]
    kept = [row for row in hands if row.hand not in without]
    if lists:
        kept += [replace(row, text=listed(row.text, rng), style="listed") for row in kept if row.style == "plain"]
    kept += fits_all
    if questions:
        kept += roundabout([row for row in old if row.loaded], rng)
        kept += asked([*old, *kept], rng)
    return [*old, *again, *kept], [row for row in hands if row.hand in without]


class Answers(nn.Module):
    """The layers that learn, below their one head; states of the frozen layers are kept."""

    def __init__(self, heads: Mapping[str, Sequence[str]] = HEADS) -> None:
        super().__init__()
        self.body = shared_body()
        self.body.requires_grad_(False)
        layers = self.body.encoder.layer[FROZEN:].requires_grad_(True)
        self.top = Top(layers, self.body.config.hidden_size, {head: len(labels) for head, labels in heads.items()})
        self.top.drop.p = DROPPED

    def states(self, examples: Sequence[Example]) -> list[torch.Tensor]:
        """States above the frozen layers, of each example alone."""
        found: list[torch.Tensor] = [torch.empty(0)] * len(examples)
        order = sorted(range(len(examples)), key=lambda at: len(examples[at].ids))
        with torch.inference_mode(), quick():
            for start in range(0, len(order), 32):
                some = order[start : start + 32]
                ids, mask, kinds = padded([examples[at] for at in some])
                embedded = self.body.embeddings(input_ids=ids, token_type_ids=kinds)
                below = through(self.body.encoder.layer[:FROZEN], embedded, mask)
                for row, at in enumerate(some):
                    found[at] = below[row, : len(examples[at].ids)].bfloat16().clone()
        return found

    def scores(self, states: Sequence[torch.Tensor], examples: Sequence[Example]) -> torch.Tensor:
        """Log odds; the shorter and the longer half each by itself, which saves the filling up."""
        order = sorted(range(len(examples)), key=lambda at: len(examples[at].ids))
        parts: list[torch.Tensor] = [torch.empty(0)] * len(examples)
        for half in (order[: len(order) // 2], order[len(order) // 2 :]):
            if half:
                _, mask, kinds = padded([examples[at] for at in half])
                below = nn.utils.rnn.pad_sequence([states[at] for at in half], batch_first=True).float()
                below = nn.functional.dropout(below, DROPPED, self.training)
                told = torch.cat(list(self.top(below, mask, kinds)[0].values()), dim=1)
                for at, one in zip(half, told, strict=True):
                    parts[at] = one
        return torch.stack(parts).float()


def batches(every: Sequence[Row], rng: random.Random) -> list[list[int]]:
    """One pass: answers in several styles whole, single replies with others of their length."""
    by_answer = defaultdict(list)
    for at, row in enumerate(every):
        by_answer[row.answer].append(at)
    answers = list(by_answer.values())
    rng.shuffle(answers)
    single = [some[0] for some in answers if len(some) == 1]
    single.sort(key=lambda at: len(every[at].text) + rng.random() * 60)
    several = [some for some in answers if len(some) > 1]
    found = [single[at : at + SINGLE] for at in range(0, len(single), SINGLE)]
    found += [list(chain.from_iterable(several[at : at + TOGETHER])) for at in range(0, len(several), TOGETHER)]
    rng.shuffle(found)
    return found


def read_of(scores: torch.Tensor, head: str) -> torch.Tensor:
    """The log odds of one head among those of all."""
    start = 0
    for name, labels in HEADS.items():
        if name == head:
            return scores[:, start : start + len(labels)]
        start += len(labels)
    raise KeyError(head)


def loss_of(scores: torch.Tensor, some: Sequence[Row], agree: float = AGREE) -> torch.Tensor:
    """Cross-entropy, and how far the styles of one answer are read apart (Jensen and Shannon's distance)."""
    losses, apart = [], []
    for head, labels in HEADS.items():
        places = [at for at, row in enumerate(some) if row.head == head]
        if not places:
            continue
        own = read_of(scores[places], head)
        right = torch.tensor([labels.index(some[at].label) for at in places])
        losses.append(nn.functional.cross_entropy(own, right, label_smoothing=SMOOTHED, reduction="none"))
        chances, by_answer = own.log_softmax(1), defaultdict(list)
        for at, place in enumerate(places):
            by_answer[some[place].answer].append(at)
        for group in by_answer.values():
            if len(group) > 1:
                one = chances[group]
                apart.append((one.exp() * (one - one.exp().mean(0).clamp_min(1e-8).log())).sum(1).mean())
    loss = torch.cat(losses).mean()
    return loss + agree * torch.stack(apart).mean() if apart else loss


def train(every: Sequence[Row], kept: Path, agree: float = AGREE) -> Answers:
    """Learns, from where an earlier run was cut off."""
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    net = Answers()
    examples = [row.example for row in every]
    below = kept.with_suffix(".below.pt")
    if not below.is_file():
        torch.save(net.states(examples), below)
    states = torch.load(below)
    body = [p for p in net.top.layers.parameters() if p.requires_grad]
    heads = {"params": net.top.heads.parameters(), "lr": HEAD_RATE}
    optimiser = torch.optim.AdamW([{"params": body, "lr": RATE}, heads], weight_decay=0.01)
    steps = EPOCHS * len(batches(every, random.Random(1)))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1.0, (step + 1) / WARM) * max(0.02, 1.0 - step / steps)
    )
    learning = {"top": net.top, "optimiser": optimiser, "schedule": schedule}
    begun, within = 0, 0
    if kept.is_file():
        stored = torch.load(kept)
        for name, part in learning.items():
            part.load_state_dict(stored[name])
        begun, within = stored["passes"], stored.get("batches", 0)
    net.top.train()
    for number in range(begun, EPOCHS):
        start, seen = time.time(), 0.0
        parts = batches(every, random.Random(SEED + 10 + number))[within:]
        for done, some in enumerate(parts, 1):
            with quick():
                scores = net.scores([states[at] for at in some], [examples[at] for at in some])
            loss = loss_of(scores, [every[at] for at in some], agree)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(body, 1.0)
            optimiser.step()
            schedule.step()
            seen += float(loss.detach())
            if done % SAVED == 0 or done == len(parts):
                whole = done == len(parts)
                where = {"passes": number + whole, "batches": 0 if whole else within + done}
                torch.save({name: one.state_dict() for name, one in learning.items()} | where, kept)
        within = 0
        print(f"pass {number + 1}: loss {seen / len(parts):.3f}, {time.time() - start:.0f} s", flush=True)
    return net.eval()


def figures(net: Answers, left: Sequence[Row]) -> None:
    """Right by style, and turned round, on what was left out."""
    examples = [row.example for row in left]
    with torch.inference_mode(), quick():
        states = net.states(examples)
        scores = torch.cat([
            net.scores(states[at : at + 32], examples[at : at + 32]) for at in range(0, len(left), 32)
        ])  # fmt: skip
    for head, labels in HEADS.items():
        read = read_of(scores, head).argmax(1).tolist()
        right, by_answer = defaultdict(list), defaultdict(list)
        for row, at in zip(left, read, strict=True):
            if row.head == head:
                right[row.style].append(labels[at] == row.label)
                by_answer[row.answer].append(at)
        if right:
            told = ", ".join(f"{style} {np.mean(some):.3f} of {len(some)}" for style, some in right.items())
            turned = np.mean([len(set(some)) > 1 for some in by_answer.values()])
            print(f"{head}: {told}; turned round {turned:.3f} of {len(by_answer)}", flush=True)


def export(net: Answers, examples: list[Example], heads: Mapping[str, Sequence[str]], target: Path) -> None:
    """Writes the layers that learned in int8, and on what they stand."""
    whole = target.with_name("whole.onnx")
    deployed = Deployed(net.body, net.top).eval()
    shown = dict(zip(INPUTS, padded(examples[:4]), strict=True))
    write_int8(deployed, shown, ("scores", "pooled"), whole)
    coarsen(whole, STEP)
    facts = {"heads": {head: list(labels) for head, labels in heads.items()}} | write_top(FROZEN, whole, target)
    whole.unlink()
    target.with_suffix(".json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    write_apart(target)


def main() -> None:
    """Fits, shows how a hand that was left out is read, and writes."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--without", nargs="*", default=(), help="hands to learn nothing from, and to be read at the end"
    )
    parser.add_argument("--kept", type=Path, default=Path("build") / "reply_passes.pt", help="where passes are kept")
    parser.add_argument(
        "--agree", type=float, default=AGREE, help="how strongly styles of an answer are pulled together"
    )
    parser.add_argument("--lists", action="store_true", help="plain answers of the hands as lists, too")
    parser.add_argument("--asked", action="store_true", help="replies before a plain question and in idioms, too")
    parser.add_argument("--target", type=Path, default=REPLY_ENCODER, help="where the encoder is written")
    options = parser.parse_args()
    options.target.parent.mkdir(parents=True, exist_ok=True)
    options.kept.parent.mkdir(parents=True, exist_ok=True)
    every, left = rows(options.without, lists=options.lists, questions=options.asked)
    print(f"{len(every)} rows, {len(left)} left out", flush=True)
    net = train(every, options.kept, options.agree)
    if left:
        figures(net, left)
    export(net, [row.example for row in every], HEADS, options.target)


if __name__ == "__main__":
    main()
