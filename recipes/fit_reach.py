"""Fits which fact a turn asks for, the facts of a situation set against each other and against none of them.

    python recipes/fit_reach.py              # figures on writers and cases left out, then weights; about ten minutes
    python recipes/fit_reach.py --figures    # figures only, nothing is written

Learns from the labelled turns about facts (`comprehension_a` to `_d`, one writer and other cases each), interviews and example
questions of development cases. What it sees of the facts was not learned on any case; of none of them it sees the form of the
turn and one number of the learned encoder too, so that the figures flatter. Where a case has no memory, no units
stand beside its facts: such cases have weights of their own, fitted on all rows with one more feature that marks them, which is
then folded in.
"""

from __future__ import annotations

import argparse
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from fit_hearing import DATA, EMBED, left_out, lines, solved, talks, without_ask
from maieutic.domain.case import Case
from maieutic.library import select_cases
from maieutic.patients.ear import Heard, heard_as
from maieutic.patients.hearing.hearing import Hearing
from maieutic.patients.hearing.ranker import Ranker
from maieutic.patients.hearing.reach import Facts
from maieutic.reading.head import Floats, packed_network
from maieutic.runs.files import files_of_lines

TARGET = Path(__file__).parents[1] / "src" / "maieutic" / "patients" / "weights" / "reach.npz"
LABELLED = frozenset({"fitting", "two", "near", "told", "generic", "wide", "other_life"})
"""Kinds of labelled turns that teach; those that no form lets through (advice, piles, leading) are not needed."""
JUDGED = LABELLED - {"two"}
OF_NO_FACT, ASKED, UNITS, PENALTY, STEPS = (0.15, 0.6), 0.5, 8, 5e-3, 200
"""Share taken of the interview turns about no fact (more of the five cases that the encoder of turns never saw, as with
example questions), weight of example questions, tanh units, L2, steps."""


@dataclass(frozen=True)
class Row:
    """One turn: where, what was heard and told, which facts it asks for, of which kind, by which writer."""

    case: str
    situation: str
    heard: Heard
    told: tuple[str, ...]
    about: frozenset[str]
    own: tuple[str, int] | None
    kind: str
    writer: str


@dataclass(frozen=True)
class Table:
    """A turn as the ranker of facts sees it: facts not told yet, none of them, and which is right (none last)."""

    facts: Floats
    none: Floats
    right: np.ndarray
    bare: bool
    row: Row


def rows(cases: dict[str, Case]) -> list[Row]:
    draw, found, away = Random(3), [], left_out()
    for one in talks():
        facts = {fact.id for fact in cases[one.case].situation(one.situation).evidence}
        about = one.about or frozenset()
        if about & facts or draw.random() < OF_NO_FACT[one.case in away]:
            found.append(Row(one.case, one.situation, one.heard, one.told, about, None, "talk", "talk"))
    for path in files_of_lines(DATA, "comprehension_*.jsonl"):
        for line in lines(path.name):
            if line["kind"] in LABELLED:
                opening = cases[line["case"]].phrasings.opening[line["situation"]][0]
                about = frozenset({line["fact"]}) - {None}
                heard = heard_as(line["text"], opening)
                found.append(Row(line["case"], line["situation"], heard, (), about, None, line["kind"], path.stem))
    for case in cases.values():
        for situation in case.situations:
            opening = case.phrasings.opening[situation.id][0]
            for fact in situation.evidence:
                for at in (0, 2) if case.id in away else (1,):
                    if at >= len(fact.asks):
                        continue
                    heard = heard_as(fact.asks[at], opening)
                    found.append(
                        Row(case.id, situation.id, heard, (), frozenset({fact.id}), (fact.id, at), "ask", "ask")
                    )
    return found


def without_own(facts: Facts, name: str, ask: int) -> Facts:
    """The same without one example question, which a turn to be learned from is."""
    own, place = copy(facts), [facts.items[at].id for at in facts.places].index(name)
    own.asks = [some[:ask] + some[ask + 1 :] if at == place else some for at, some in enumerate(facts.asks)]
    return own


def tables(some: list[Row], cases: dict[str, Case]) -> list[Table]:
    """In the order of the cases, so that each situation is made once."""
    found, here = [], None
    ears: Any = None
    for row in sorted(some, key=lambda row: (row.case, row.situation)):
        if here != (row.case, row.situation):
            here = (row.case, row.situation)
            ears = Hearing.of(cases[row.case], cases[row.case].situation(row.situation), EMBED)
        form = ears.forms(row.heard, EMBED)
        index, own = (
            (without_ask(ears.index, *row.own), without_own(ears.facts, *row.own))
            if row.own
            else (ears.index, ears.facts)
        )
        table = index.features(row.heard, form, row.told, EMBED)
        facts = own.features(row.heard, table)
        nothing = ears.index.of_nothing(row.heard, form, table)
        none = ears.facts.of_none(row.heard, form, facts, table, nothing)
        names = [ears.index.items[at].id for at in ears.facts.places]
        keep = [at for at, name in enumerate(names) if name not in row.told]
        if keep:
            right = np.array([names[at] in row.about for at in keep])
            bare = cases[row.case].memory is None
            found.append(Table(facts[keep], none, np.append(right, not right.any()), bare, row))
    return found


def marked(one: Table) -> Table:
    """With a feature that says that the case has no memory, and with the features of none once more where so."""
    flag = np.full((len(one.facts), 1), float(one.bare))
    none = np.concatenate([one.none, one.none * one.bare])
    return replace(one, facts=np.hstack([one.facts, flag]), none=none)


def folded(ranker: Ranker) -> Ranker:
    """The same for cases without a memory, without the mark."""
    mark = (1.0 - ranker.centre[-1]) / ranker.spread[-1]
    k = len(ranker.nothing) // 2
    nothing = ranker.nothing[:k] + ranker.nothing[k:]
    nothing[0] -= ranker.line[-1] * mark  # the first feature of none is 1
    return replace(
        ranker,
        centre=ranker.centre[:-1],
        spread=ranker.spread[:-1],
        line=ranker.line[:-1],
        hidden=ranker.hidden[:-1],
        hidden_bias=ranker.hidden_bias + mark * ranker.hidden[-1],
        nothing=nothing,
    )


def fit(some: list[Table]) -> Ranker:
    every = np.concatenate([one.facts for one in some])
    centre, spread = every.mean(axis=0), every.std(axis=0)
    spread[spread < 1e-6] = 1.0
    most = max(len(one.facts) for one in some)
    x = np.zeros((len(some), most, every.shape[1]))
    right, there = np.zeros((len(some), most + 1)), np.zeros((len(some), most + 1), dtype=bool)
    for at, one in enumerate(some):
        n = len(one.facts)
        x[at, :n] = (one.facts - centre) / spread
        right[at, :n], right[at, -1] = one.right[:-1], one.right[-1]
        there[at, :n], there[at, -1] = True, True
    weight = np.array([ASKED if one.row.kind == "ask" else 1.0 for one in some])
    none = np.array([one.none for one in some])
    line, hidden, bias, out, nothing = solved(
        x,
        none,
        right,
        there,
        weight,
        np.random.default_rng(0),
        units=UNITS,
        penalty=PENALTY,
        on_nothing=True,
        steps=STEPS,
    )
    return Ranker(centre, spread, line, hidden, bias, out, nothing, np.array(1.0))


def report(some: list[Table], *, bare: bool) -> None:
    """Prints what is found on the labelled turns of each writer by what was fitted without writer and cases."""
    found = []
    for writer in sorted({one.row.writer for one in some if one.row.kind in LABELLED}):
        own = [one for one in some if one.row.writer == writer]
        cases = {one.row.case for one in own}
        ranker = fit([one for one in some if one.row.case not in cases])
        judged = [one for one in own if one.bare == bare and one.row.kind in JUDGED]
        found += [(one, ranker.chances(one.facts, one.none)[:-1]) for one in judged]
    asking = sum(one.row.kind == "fitting" for one, _ in found)
    for edge in (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8):
        hits = [(bool(one.right[chances.argmax()]), one.row) for one, chances in found if chances.max() >= edge]
        right = [hit for hit, _ in hits]
        by = {w: np.mean([h for h, r in hits if r.writer == w]) for w in sorted({r.writer for _, r in hits})}
        wrong = {
            kind: np.mean([c.max() >= edge for one, c in found if one.row.kind == kind])
            for kind in ("near", "other_life", "generic")
        }
        print(
            f"{'without' if bare else 'with'} a memory, from {edge}: precision {np.mean(right):.3f} (by writer"
            f" {', '.join(f'{value:.2f}' for value in by.values())}), recall {sum(right) / asking:.3f}; turns that reach one:"
            f" {', '.join(f'{kind} {share:.3f}' for kind, share in wrong.items())}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--figures", action="store_true", help="print figures on writers left out, write nothing")
    given = parser.parse_args()
    cases = {case.id: case for case in select_cases(("dev",))}
    every = tables(rows(cases), cases)
    print(f"{len(every)} rows", flush=True)
    both = [marked(one) for one in every]
    report(every, bare=False)
    report(both, bare=True)
    if given.figures:
        return
    arrays = packed_network(fit(every), "memory") | packed_network(folded(fit(both)), "bare")
    np.savez_compressed(TARGET, **arrays)
    print(f"written: {TARGET.name}, {TARGET.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
