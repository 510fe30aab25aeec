"""Fine-tunes the encoder of turns: what a therapist turn in its dialogue asks about, and what kind of answer it asks for.

    uv run --with torch --with transformers --with onnx --with onnxscript python recipes/train_hearing_encoder.py
    uv run … python recipes/train_hearing_encoder.py --without 1 --to FOLDER/1

Some ten minutes on one core that multiplies in bfloat16. Only turns go through the upper three layers of the shared body
that learn; the memory keeps the shared encoder's vectors, turned by one matrix a kind of text, so that every turn is told
among all items of its situation. Every fifth development case is left out, beginning with the first or with the one given:
`fit_hearing.py` fits what joins this reading with the others on turns of cases that the encoder at hand never met.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import nn

from fit_hearing import EMBED, Row, left_out, rows
from graph_pieces import write_apart, write_top
from int8_graph import write_int8
from maieutic.library import select_cases
from maieutic.patients.hearing.asked import FORMS
from maieutic.patients.hearing.items import Item, items_of
from maieutic.patients.hearing.ranker import MAX_TOKENS, SHARPNESS, SOFTNESS
from maieutic.reading.encoder import tokenizer
from maieutic.reading.minilm import kept_vectors
from published_body import shared_body

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "src" / "maieutic" / "patients" / "weights"
EPOCHS, RATE, TURNING_RATE, HEAD_RATE, FROZEN, SEED = 5, 1e-4, 2e-4, 5e-3, 3, 0
WARM, DROPPED, BATCH, FORM_SHARE, LOOSE = 50, 0.1, 32, 0.5, 700
WIDTH = 384


@dataclass(frozen=True)
class Scene:
    """What turns of one situation are told among: frozen vectors of each kind of text, and whose each is."""

    items: tuple[Item, ...]
    vectors: tuple[torch.Tensor, ...]
    owners: tuple[torch.Tensor, ...]

    @classmethod
    def of(cls, items: tuple[Item, ...]) -> Scene:
        kinds = ([one.asks for one in items], [one.said for one in items], [(one.name,) for one in items])
        texts = [[text for own in kind for text in own] for kind in kinds]
        vectors = tuple(torch.tensor(kept_vectors(EMBED.name, some, EMBED)) for some in texts)
        owners = tuple(torch.tensor([at for at, own in enumerate(kind) for _ in own]) for kind in kinds)
        return cls(items, vectors, owners)

    def hidden(self, some: list[Row]) -> torch.Tensor:
        """The example question that a row is, hidden from its own item."""
        first = {item.id: int((self.owners[0] < at).sum()) for at, item in enumerate(self.items)}
        found = torch.zeros(len(some), len(self.owners[0]), dtype=torch.bool)
        for at, row in enumerate(some):
            if row.own is not None:
                found[at, first[row.own[0]] + row.own[1]] = True
        return found


class Encoder(nn.Module):
    """The sentence encoder with mean pooling; the matrices, weights and directions of `learned.Turning`."""

    def __init__(self) -> None:
        super().__init__()
        self.body = shared_body()
        self.adapt = nn.ParameterList([nn.Parameter(torch.eye(WIDTH)) for _ in range(3)])
        self.weights = nn.Parameter(torch.tensor([10.0, 6.0, 4.0]))
        self.nothing, self.forms = nn.Linear(WIDTH, 1), nn.Linear(WIDTH, len(FORMS))
        self.edge = nn.Parameter(torch.tensor(11.0))
        nn.init.zeros_(self.nothing.weight)
        nn.init.zeros_(self.nothing.bias)
        self.body.requires_grad_(False)
        for layer in self.body.encoder.layer[FROZEN:]:
            layer.requires_grad_(True)

    def lower(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """States above the layers that do not learn."""
        return self._through(self.body.embeddings(input_ids=ids), mask, 0, FROZEN)

    def upper(self, states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Unit vectors from the states of `lower`."""
        states = self._through(states, mask, FROZEN, len(self.body.encoder.layer))
        weight = mask.unsqueeze(-1).to(states.dtype)
        return nn.functional.normalize((states * weight).sum(1) / weight.sum(1), dim=-1)

    def _through(self, states: torch.Tensor, mask: torch.Tensor, start: int, end: int) -> torch.Tensor:
        away = (1.0 - mask[:, None, None, :].to(states.dtype)) * -1e9
        for layer in self.body.encoder.layer[start:end]:
            told = layer(states, attention_mask=away)
            states = told[0] if isinstance(told, tuple) else told
        return states

    def logits(self, turns: torch.Tensor, scene: Scene, hidden: torch.Tensor | None = None) -> torch.Tensor:
        """(turns, items + 1), nothing last."""
        near = []
        for kind, (vectors, owner) in enumerate(zip(scene.vectors, scene.owners, strict=True)):
            likeness = turns @ (vectors @ self.adapt[kind]).T
            if kind == 0 and hidden is not None:
                likeness = likeness.masked_fill(hidden, -1.0)
            if kind < 2:
                raised = torch.exp((likeness - 1.0) / SOFTNESS)
                total = torch.zeros(len(turns), len(scene.items)).index_add(1, owner, raised)
                likeness = 1.0 + SOFTNESS * torch.log(total + 1e-12)
            near.append(likeness)
        items = torch.stack(near, 2) @ self.weights
        return torch.cat([items, 10.0 * self.nothing(turns) + self.edge], 1)


class Whole(nn.Module):
    """From token ids to the vector, for export."""

    def __init__(self, net: Encoder) -> None:
        super().__init__()
        self.net = net

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return self.net.upper(self.net.lower(ids, mask), mask)


def padded(some: list[torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    width = max(len(one) for one in some)
    states, mask = torch.zeros(len(some), width, WIDTH), torch.zeros(len(some), width)
    for at, one in enumerate(some):
        states[at, : len(one)] = one.float()
        mask[at, : len(one)] = 1.0
    return states, mask


def lower_states(net: Encoder, tokens: Tokenizer, texts: list[str]) -> dict[str, torch.Tensor]:
    """The states that never change, once for all passes."""
    coded = dict(zip(texts, (c.ids for c in tokens.encode_batch(texts)), strict=True))
    order, found = sorted(texts, key=lambda text: len(coded[text])), {}
    with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16):
        for at in range(0, len(order), 64):
            part = order[at : at + 64]
            width = max(len(coded[text]) for text in part)
            ids = torch.tensor([coded[text] + [0] * (width - len(coded[text])) for text in part])
            mask = torch.tensor([[1] * len(coded[text]) + [0] * (width - len(coded[text])) for text in part])
            for text, states in zip(part, net.lower(ids, mask), strict=True):
                found[text] = states[: len(coded[text])].half().clone()
    return found


Place = tuple[str, str]


def batches(every: list[Row], scenes: dict[Place, Scene], order: random.Random) -> list[tuple[Place | None, list[Row]]]:
    """One pass: the turns of each situation, half as many of its example questions, and questions of no case."""
    by_place: dict[Place | None, list[Row]] = defaultdict(list)
    for row in every:
        where = (row.case, row.situation)
        by_place[where if row.about is not None and where in scenes else None].append(row)
    found: list[tuple[Place | None, list[Row]]] = []
    for place, some in by_place.items():
        order.shuffle(some)
        talk, rest = [row for row in some if row.kind == "talk"], [row for row in some if row.kind != "talk"]
        mine = some[:LOOSE] if place is None else talk + rest[: max(40, len(talk) // 2)]
        order.shuffle(mine)
        found += [(place, mine[at : at + BATCH]) for at in range(0, len(mine), BATCH)]
    order.shuffle(found)
    return found


def loss_of(net: Encoder, turns: torch.Tensor, some: list[Row], scene: Scene | None) -> torch.Tensor:
    total = torch.zeros(())
    formed = [at for at, row in enumerate(some) if row.forms and row.forms <= set(FORMS)]
    if formed:
        chances = (SHARPNESS * net.forms(turns[formed])).log_softmax(1)
        right = torch.tensor([[label in some[at].forms for label in FORMS] for at in formed])
        total = total - FORM_SHARE * torch.logsumexp(chances.masked_fill(~right, -30.0), 1).mean()
    if scene is None:
        return total
    chances = net.logits(turns, scene, scene.hidden(some)).log_softmax(1)
    right = torch.tensor([[*(one.id in (row.about or ()) for one in scene.items), not row.about] for row in some])
    weight = torch.tensor([1.0 if row.kind == "ask" else 2.0 for row in some])
    each = -torch.logsumexp(chances.masked_fill(~right, -30.0), 1)
    return total + (each * weight).sum() / weight.sum()


def train(tokens: Tokenizer, every: list[Row], scenes: dict[Place, Scene]) -> Encoder:
    torch.manual_seed(SEED)
    net, order = Encoder().eval(), random.Random(SEED)
    states = lower_states(net, tokens, sorted({row.heard.whole for row in every}))
    body = [p for p in net.body.parameters() if p.requires_grad]
    small = [net.weights, net.edge, *net.nothing.parameters(), *net.forms.parameters()]
    optimiser = torch.optim.AdamW(
        [
            {"params": body, "lr": RATE},
            {"params": list(net.adapt), "lr": TURNING_RATE, "weight_decay": 0.0},
            {"params": small, "lr": HEAD_RATE},
        ],
        weight_decay=0.01,
    )
    steps = EPOCHS * len(batches(every, scenes, random.Random(1)))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1.0, (step + 1) / WARM) * max(0.02, 1.0 - step / steps)
    )
    for epoch in range(EPOCHS):
        seen, start, parts = 0.0, time.time(), batches(every, scenes, order)
        for place, some in parts:
            below, mask = padded([states[row.heard.whole] for row in some])
            with torch.autocast("cpu", dtype=torch.bfloat16):
                turns = net.upper(nn.functional.dropout(below, DROPPED), mask).float()
            loss = loss_of(net, turns, some, scenes[place] if place else None)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(body, 1.0)
            optimiser.step()
            schedule.step()
            seen += float(loss.detach())
        print(f"pass {epoch + 1}: loss {seen / len(parts):.3f}, {time.time() - start:.0f} s", flush=True)
    return net


def export(net: Encoder, tokens: Tokenizer, target: Path) -> None:
    """Writes the layers that learned in int8, and the numbers beside them."""
    target.mkdir(parents=True, exist_ok=True)
    small = target / "hearing_encoder.onnx"
    whole = small.with_name("hearing_whole.onnx")
    ids = torch.tensor(
        [tokens.encode(t).ids[:6] for t in ("What did the teacher say?", "What was in the letter then?")]
    )
    write_int8(Whole(net), {"ids": ids, "mask": torch.ones_like(ids)}, ("vector",), whole)
    facts: dict[str, Any] = write_top(FROZEN, whole, small)
    whole.unlink()
    small.with_suffix(".json").write_text(json.dumps(facts) + "\n", encoding="utf-8")
    asks, said, names = (matrix.detach().numpy() for matrix in net.adapt)
    numbers = {
        "asks": asks,
        "said": said,
        "names": names,
        "weights": net.weights.detach().numpy(),
        "nothing": 10.0 * net.nothing.weight.detach().numpy()[0],
        "edge": (10.0 * net.nothing.bias + net.edge).detach().numpy(),
        "forms": net.forms.weight.detach().numpy(),
        "forms_edge": net.forms.bias.detach().numpy(),
    }
    packed = {f"turning.{name}": value.astype(np.float16) for name, value in numbers.items()}
    np.savez_compressed(target / "hearing_turning.npz", **packed)
    write_apart(small)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--without", type=int, default=0, help="the first case to leave out, 0 to 4")
    parser.add_argument("--to", type=Path, default=TARGET, help="a folder; default: the package")
    given = parser.parse_args()
    torch.set_num_threads(1)
    tokens, away = tokenizer(MAX_TOKENS), left_out(given.without)
    scenes = {
        (case.id, situation.id): Scene.of(items_of(case, situation))
        for case in select_cases(("dev",))
        for situation in case.situations
        if situation.evidence and case.id not in away
    }
    every = [row for row in rows() if row.case not in away]
    print(f"{len(every)} rows, {len(away)} cases left out", flush=True)
    export(train(tokens, every, scenes), tokens, given.to)


if __name__ == "__main__":
    main()
