"""Does the agent make the right move where a talk stands still? Moments of sessions labelled by three hands.

    python benchmarks/frozen_moments.py

`data/frozen_moments.jsonl` holds talks with test cases up to a reply of the patient, said by the agent, the oracle and two
scripts, and what three labellers, who had seen neither code nor cases, would do next: the best of the moves of `therapists/agent/moves.py`,
and up to two others as good. A move counts as right for a labeller who names it at all. One labeller is held against the other two in the same way, so
that the agent's rate can be read beside what one labeller reaches (`agent by labeller`, with everybody's question about suicide set
aside). The agent was not tuned on these moments.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from statistics import fmean
from typing import Any

from maieutic.domain.episode import Session, Turn
from maieutic.stats import student_mean
from maieutic.therapists.agent.memory import remembered
from maieutic.therapists.agent.moves import move_of
from maieutic.therapists.agent.steps import Step
from maieutic.therapists.socratic import SocraticTherapist

HERE = Path(__file__).parent
MOMENTS = HERE / "data" / "frozen_moments.jsonl"
RESULT = HERE / "results" / "frozen_moments.json"


def agents_moves(agent: SocraticTherapist, row: Mapping[str, Any]) -> tuple[str, str]:
    """What the agent does next in a moment, and what it does where everybody's question about suicide is set aside.

    Nobody has put that question in talks with other therapists, so that it is due, or a weak sign asked about, in half of
    the moments.
    """
    turns = tuple(Turn("patient" if who == "p" else "therapist", text) for who, text in row["turns"])
    session = Session(turns, 21)
    found = agent.consider(session)
    besides = found
    if found.plan.step in (Step.RISK_CHECK, Step.RISK_FAINT):
        tracker = agent.tracker
        besides = agent.planned(session, remembered(session), tracker.belief(session), tracker.heard(session), None)
    return move_of(found.plan.step, found.plan.lead), move_of(besides.plan.step, besides.plan.lead)


def right(move: str, label: Mapping[str, Any]) -> float:
    """Whether a labeller names a move as best or as good."""
    return float(move == label["best"] or move in label["also"])


def scored(rows: Sequence[Mapping[str, Any]], moves: Sequence[str], besides: Sequence[str]) -> dict[str, Any]:
    """The agent's rate, each labeller's against the others, and the ratio; intervals over moments."""

    def by_moment(chosen: Sequence[str]) -> list[float]:
        return [fmean(right(move, label) for label in row["labels"]) for move, row in zip(chosen, rows, strict=True)]

    agent, set_aside = by_moment(moves), by_moment(besides)
    by_one = [
        [
            fmean(right(row["labels"][one]["best"], other) for n, other in enumerate(row["labels"]) if n != one)
            for row in rows
        ]
        for one in range(len(rows[0]["labels"]))
    ]
    one_labeller = [fmean(values) for values in zip(*by_one, strict=True)]
    same = [fmean(a["best"] == b["best"] for a, b in _pairs(row["labels"])) for row in rows]
    commonest = Counter(label["best"] for row in rows for label in row["labels"]).most_common(1)[0][0]
    always = [fmean(right(commonest, label) for label in row["labels"]) for row in rows]
    found = {
        "agent": agent,
        "routine set aside": set_aside,
        "one labeller": one_labeller,
        "same best move": same,
        f"always {commonest!r}": always,
    }
    rates = {
        name: [None if one is None else round(one, 3) for one in (value.estimate, value.low, value.high)]
        for name, value in ((name, student_mean(values)) for name, values in found.items())
    }
    return {"moments": len(rows), "rates": rates, "agent by labeller": round(fmean(set_aside) / fmean(one_labeller), 3)}


def _pairs(labels: Sequence[Mapping[str, Any]]) -> list[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    return [(a, b) for place, a in enumerate(labels) for b in labels[place + 1 :]]


def main() -> None:
    """Asks the agent, prints, and writes the result."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--no-write", action="store_true")
    asked.add_argument("--each", action="store_true", help="print what was done in each moment")
    told = asked.parse_args()
    rows = [json.loads(line) for line in MOMENTS.read_text(encoding="utf-8").splitlines()]
    agent = SocraticTherapist()
    moves, besides = zip(*(agents_moves(agent, row) for row in rows), strict=True)
    if told.each:
        for row, move, other in zip(rows, moves, besides, strict=True):
            print(
                row["id"],
                move,
                other,
                "|",
                *(" ".join([label["best"], *label["also"]]) + ";" for label in row["labels"]),
            )
    found = {"date": str(date.today())} | scored(rows, moves, besides) | {"moves": dict(Counter(besides).most_common())}
    for name, (value, low, high) in found["rates"].items():
        print(f"{name:20}{value} [{low}, {high}]")
    print(f"agent by one labeller: {found['agent by labeller']} (asked ≥ 0.9), {found['moments']} moments")
    if not told.no_write:
        RESULT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
