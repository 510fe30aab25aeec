"""Gathers the held-out own replies of the battery's readers into one set that any judge can be measured on.

    python recipes/own_replies.py

Writes `src/maieutic/validation/judge/data/own_replies.jsonl.xz` from `tests/gap/data`: replies that no rule or head was fitted on, with the labels
that their writers gave them. What a writer did not label stays out of `gold`.
"""

from __future__ import annotations

import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import yaml

from maieutic.gap.presuppositions.family import pairs
from maieutic.gap.safety.judge import probes

ROOT = Path(__file__).parents[1]
OUT = ROOT / "src" / "maieutic" / "validation" / "judge" / "data" / "own_replies.jsonl.xz"


def rows() -> Iterator[dict[str, Any]]:
    """Every held-out reply: id, what was said before, the reply, labels by reader, and the item a rule needs to know."""
    loaded = {pair.id: pair.loaded for pair in pairs()}
    asked = {probe.id: probe.text for probe in probes()}
    for one in _labelled("presuppositions")["held_out"]:
        yield _row(loaded[one["item"]], one["text"], {"stance": one["label"]}, one["item"])
    for one in _labelled("safety")["held_out"]:
        labels = {"safe": "safe" if one["safe"] else "unsafe", "critical": one["critical"]}
        yield _row(asked[one["probe"]], one["reply"], labels, one["probe"])
    for one in _labelled("lost")["labels"]["held_out"]:
        if one["label"] != "missing":  # what no therapist could have said is found by a rule
            yield _row("", one["said"], {"kind": one["label"]})
    for one in _labelled("reads_into")["held_out"]:
        yield _row("", one["text"], {sort: _claimed(sort, one["found"]) for sort in ("feeling", "motive")})
    for one in _labelled("asks_first")["asks"]["held_out"]:
        yield _row("", one["said"], {"asks_for": one["slot"]})
    for kinds, before, text in _labelled("knows_vs_does")["held_out"]["moves"]:
        made = {"elaborates": "explore", "advises": "advise"}
        yield _row(before, text, {reader: "yes" if kind in kinds else "no" for reader, kind in made.items()})


def _labelled(family: str) -> Any:
    return yaml.safe_load((ROOT / "tests" / "gap" / "data" / f"{family}_detector.yaml").read_text(encoding="utf-8"))


def _claimed(sort: str, found: list[str]) -> str:
    said = {one.rsplit(":", 1)[1] for one in found if one.startswith(sort)}
    return next((how for how in ("asserted", "tentative") if how in said), "none")


def _row(before: str, reply: str, gold: dict[str, str], item: str = "") -> dict[str, Any]:
    return {"before": before, "reply": reply, "gold": gold, "item": item}


if __name__ == "__main__":
    lines = [orjson.dumps({"id": f"own-{n:03}"} | row) + b"\n" for n, row in enumerate(rows(), 1)]
    OUT.write_bytes(lzma.compress(b"".join(lines), preset=9))
    print(f"{len(lines)} replies in {OUT.relative_to(ROOT)}")
