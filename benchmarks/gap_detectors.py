"""How well the gap battery's readers of free text agree with labels: accuracy, precision and recall of each.

    python benchmarks/gap_detectors.py              # the held-out replies, which no rule was written against
    python benchmarks/gap_detectors.py --part dev   # those that were seen while rules were written

Replies and labels are own-written (`tests/gap/data`); held-out ones were written by a reader who had not seen the rules.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from maieutic.gap.asks_first.questions import MARKS, asked_slots, marks_of
from maieutic.gap.items import packaged
from maieutic.gap.knows_vs_does.moves import holds as is_example
from maieutic.gap.knows_vs_does.moves import moves_of
from maieutic.gap.lost.cases import sharded
from maieutic.gap.lost.formulation import holds
from maieutic.gap.lost.labels import ATTEMPTS, label_of
from maieutic.gap.mind_tracking.left_open import ambiguities, arguments
from maieutic.gap.mind_tracking.pragmatics import brings_up, met
from maieutic.gap.presuppositions.detector import stance_of
from maieutic.gap.presuppositions.family import pairs
from maieutic.gap.push_support.arc import handovers, takes_up
from maieutic.gap.reads_into.attributions import claims
from maieutic.gap.reads_into.memory import recall_of, scripts
from maieutic.gap.safety.judge import judge, probes
from maieutic.gap.single_vs_session.tasks import scored
from maieutic.reading.plain import plain
from maieutic.stats import wilson

DATA = Path(__file__).parents[1] / "tests" / "gap" / "data"
Line = tuple[str, str, int, int]
"""(reader, figure, right, of)."""


def _labelled(family: str) -> Any:
    return _as_heard(yaml.safe_load((DATA / f"{family}_detector.yaml").read_text(encoding="utf-8")))


def _as_heard(value: Any) -> Any:
    """Every text made plain, as the battery hears it."""
    if isinstance(value, str):
        return plain(value).text
    if isinstance(value, dict):
        return {key: _as_heard(one) for key, one in value.items()}
    return [_as_heard(one) for one in value] if isinstance(value, list) else value


def _binary(reader: str, found: Sequence[bool], true: Sequence[bool]) -> Iterator[Line]:
    hits = sum(f and t for f, t in zip(found, true, strict=True))
    yield reader, "precision", hits, sum(found)
    yield reader, "recall", hits, sum(true)


def _sets(reader: str, found: Sequence[set[str]], true: Sequence[set[str]]) -> Iterator[Line]:
    hits = sum(len(f & t) for f, t in zip(found, true, strict=True))
    yield reader, "precision", hits, sum(map(len, found))
    yield reader, "recall", hits, sum(map(len, true))


def _classes(reader: str, found: Sequence[str], true: Sequence[str]) -> Iterator[Line]:
    count = Counter(zip(true, found, strict=True))
    yield reader, "accuracy", sum(n for (t, f), n in count.items() if t == f), len(true)
    for name in sorted(set(true)):
        yield from _binary(f"{reader}: {name}", [f == name for f in found], [t == name for t in true])


def lines(part: str) -> Iterator[Line]:
    """Every reader's figures on one part, 'dev' or 'held_out'."""
    known = {p.id: p for p in probes()}
    rows = _labelled("safety")[part]
    verdicts = [judge(known[r["probe"]].rule, known[r["probe"]].text, r["reply"]) for r in rows]
    yield from _binary("safety: not safe", [not v.safe for v in verdicts], [not r["safe"] for r in rows])
    critical = [v.critical is not None for v in verdicts]
    yield from _binary("safety: critical", critical, [r["critical"] != "none" for r in rows])

    items = {p.id: p for p in pairs()}
    rows = _labelled("presuppositions")[part]
    stances = [stance_of(r["text"], items[r["item"]].loaded, items[r["item"]].belief).stance for r in rows]
    yield from _classes("presuppositions", stances, [r["label"] for r in rows])

    asks = _labelled("asks_first")
    rows = asks["asks"][part]
    wanted = [set() if r["slot"] == "none" else {str(r["slot"])} for r in rows]
    yield from _sets("asks_first: slot asked for", [{str(s) for s in asked_slots(r["said"])} for r in rows], wanted)
    rows = asks["attributes"][part]
    for at, mark in enumerate(MARKS):
        right = [(m := marks_of(r["q"], r["b"])) is not None and m[mark] == (r["marks"][at] == "1") for r in rows]
        yield f"asks_first: {mark}", "accuracy", sum(right), len(rows)

    lost = _labelled("lost")
    rows = lost["labels"][part]
    labels = [label_of(r["said"]) for r in rows]
    yield "lost: seven labels", "accuracy", sum(x == r["label"] for x, r in zip(labels, rows, strict=True)), len(rows)
    yield from _binary("lost: concludes", [x in ATTEMPTS for x in labels], [r["label"] in ATTEMPTS for r in rows])
    rows = lost["matches"][part]
    yield from _binary(
        "lost: line holds the piece",
        [holds(r["said"], r["slot"], sharded(r["case"])) for r in rows],
        [r["holds"] for r in rows],
    )

    reads = _labelled("reads_into")
    rows = reads[part]
    found = [
        {f"{c.sort}:{c.name}:{'tentative' if c.tentative else 'asserted'}" for c in claims(r["text"])} for r in rows
    ]
    for sort in ("feeling", "motive"):
        mine = [{one for one in some if one.startswith(sort)} for some in found]
        yield from _sets(f"reads_into: {sort}s", mine, [{x for x in r["found"] if x.startswith(sort)} for r in rows])
    rows = reads[f"memory_{part}"]
    facts = {f"{script.id}/{fact.id}": fact for script in scripts() for fact in script.facts}
    right = sum(recall_of(r["text"], facts[r["fact"]]) == r["label"] for r in rows)
    yield "reads_into: planted facts", "accuracy", right, len(rows)

    mind = _labelled("mind_tracking")
    unclear, links = {i.id: i for i in ambiguities()}, {i.id: i for i in arguments()}
    rows = mind["ambiguity"][part]
    yield from _classes("mind_tracking: ambiguity", [met(t, unclear[n]) for n, _, t in rows], [x for _, x, _ in rows])
    rows = mind["warrants"][part]
    yield from _binary("mind_tracking: warrant", [brings_up(t, links[n]) for n, _, t in rows], [x for _, x, _ in rows])

    knows = _labelled("knows_vs_does")[part]
    rows = knows["moves"]
    moves = [set(map(str, moves_of(t, b))) for _, b, t in rows]
    yield from _sets("knows_vs_does: moves", moves, [set(k) for k, _, _ in rows])
    # The two that sentences which carry nothing look like most: leaving those out could cost them.
    for kind in ("step_back", "reassure"):
        yield from _binary(f"knows_vs_does: {kind}", [kind in one for one in moves], [kind in k for k, _, _ in rows])
    rows = knows["concepts"]
    yield from _binary("knows_vs_does: concepts", [is_example(n, t) for n, _, t in rows], [x for _, x, _ in rows])

    given = {i.id: i for i in handovers()}
    rows = _labelled("push_support")[part]
    yield from _binary("push_support: takes up", [takes_up(t, given[n]) for n, _, t in rows], [x for _, x, _ in rows])

    vignettes = {v["id"]: v for v in packaged("scenarios")["vignettes"]}
    rows = _labelled("single_vs_session")[part]
    good = [scored(s, t, vignettes[n]) >= 0.5 for s, n, _, t in rows]
    yield from _binary("single_vs_session: good answers", good, [x for _, _, x, _ in rows])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--part", choices=("held_out", "dev"), default="held_out")
    part = parser.parse_args().part
    print(f"{'reader':<34} {'figure':<10} {'value [95 %]':<20} of")
    for reader, figure, right, of in lines(part):
        found = wilson(right, of)
        shown = "missing" if found.estimate is None else f"{found.estimate:.2f} [{found.low:.2f}, {found.high:.2f}]"
        print(f"{reader:<34} {figure:<10} {shown:<20} {right}/{of}")


if __name__ == "__main__":
    main()
