"""The spread of every deciding figure over the reference therapists, which the principal failure is measured with.

    python recipes/reference_spread.py --out refs                   # runs the therapists, tells, writes what is packaged
    python recipes/reference_spread.py --out refs --resume --told   # goes on with that run; tells, writes nothing

The reference therapists are the control and the twelve constructed failures at full strength in both implementations.
It also tells which of them are found, how often the principal failure is one that was expected of them, which families
are flagged in therapists that were built to fail otherwise, and the matrix of both implementations at full strength.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import stdev
from typing import Any

from maieutic.gap import battery, deciding
from maieutic.gap.constructed import CONTROL, IMPLEMENTATIONS, constructed
from maieutic.gap.constructed.therapist import Implementation
from maieutic.gap.family import Profile, Value
from maieutic.gap.known_groups import Cell, cells_of, expected, table, tasks, verdict
from maieutic.gap.processes import Task, run_tasks

OF = (
    "the control and the twelve constructed failures at full strength in both implementations, a quarter of the items, "
    "six cases, seed 0 (recipes/reference_spread.py)"
)


@dataclass(frozen=True, slots=True)
class Row:
    """One family of one reference therapist, with every figure that has a limit, whether it decides there or not."""

    failure: str
    implementation: Implementation
    family: str
    values: tuple[Mapping[str, Any], ...]
    deciding: tuple[str, ...] | None

    @property
    def profile(self) -> Profile:
        """The profile, without its worst turns and tables."""
        values = tuple(Value(**{**one, "span": tuple(one["span"]), "references": ()}) for one in self.values)
        return Profile(self.family, values, deciding=None if self.deciding is None else tuple(self.deciding))


def rows_of(task: Task) -> list[Row]:
    """What every family says of one therapist."""
    name, strength, way = task.made_of
    therapist = constructed(name, strength, way)
    found = asyncio.run(battery.profile(therapist, battery.families(task.families), task.extent))
    return [
        Row(
            name,
            way,
            one.family,
            tuple(map(asdict, dict.fromkeys((one.headline, *(v for v in one.values if v.limit is not None))))),
            one.deciding,
        )
        for one in found
    ]


def spreads(rows: Sequence[Row]) -> dict[str, tuple[float, int]]:
    """The standard deviation of each figure with a limit, and how many therapists have it; none that
    all have alike."""
    seen: defaultdict[str, list[float]] = defaultdict(list)
    for row in rows:
        for value in row.profile.values:
            if value.value is not None and value.limit is not None:
                seen[f"{row.family}.{value.id}"].append(value.value)
    return {name: (round(stdev(some), 4), len(some)) for name, some in seen.items() if stdev(some) > 0}


def tell(rows: Sequence[Row]) -> None:
    """Prints what is flagged and what comes first for every reference therapist."""
    kinds: Mapping[tuple[str, str], Cell] = expected()
    whole: defaultdict[tuple[str, Implementation], list[Profile]] = defaultdict(list)
    for row in rows:
        whole[row.failure, row.implementation].append(row.profile)
    right = wrong = untold = 0
    beside: defaultdict[str, list[bool]] = defaultdict(list)
    for (name, way), found in whole.items():
        lead = deciding.leading(found)
        due = [p.family for p in found if kinds[name, p.family] == "flag"]
        flagged = [p.family for p in found if p.flagged]
        missed = [family for family in due if family not in flagged]
        extra = [family for family in flagged if kinds[name, family] == "clean"]
        if name != CONTROL:
            for one in found:
                if one.family not in due:
                    beside[one.family].append(one.family in flagged)
            right += lead.first is not None and lead.first.family in due
            wrong += lead.first is not None and lead.first.family not in due
            untold += lead.first is None
        chances = ", ".join(f"{p.family} {chance:.2f}" for p, chance in lead.chances if chance >= deciding.LISTED)
        sys.stdout.write(
            f"{name} {way}: principal {lead.first.family if lead.first else 'not told'} ({chances}); "
            f"due {', '.join(due)}; flagged {', '.join(flagged) or 'none'}; "
            f"missed {', '.join(missed) or 'none'}; false {', '.join(extra) or 'none'}\n"
        )
    sys.stdout.write(f"principal failure: {right} as expected, {untold} not told, {wrong} another\n")
    often = sorted(beside.items(), key=lambda one: -sum(one[1]) / len(one[1]))
    told = ", ".join(f"{family} {sum(some)} of {len(some)}" for family, some in often)
    sys.stdout.write(f"flagged beside what was built: {told}\n")
    cells = [one for (name, way), found in whole.items() for one in cells_of(name, float(name != CONTROL), way, found)]
    summed = verdict(cells)
    sys.stdout.write(f"found {summed.hits[1.0]}, false flags {summed.false_flags}\n")
    for way in IMPLEMENTATIONS:
        for line in table(cells, implementation=way, severities=False):
            sys.stdout.write(f"| {' | '.join(line)} |\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="folder of the run")
    parser.add_argument("--resume", action="store_true", help="go on with the run that is there")
    parser.add_argument("--told", action="store_true", help="write nothing into the package")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    work = [one for one in tasks(quick=False) if one.made_of[1] in (0.0, 1.0)]
    rows = run_tasks(
        work, rows_of, given.out / "references.jsonl", plain=asdict, made=Row, resume=given.resume,
        tick=lambda done, of, key: print(f"{done} of {of}: {key}", file=sys.stderr, flush=True),
    )  # fmt: skip
    if not given.told:
        path = Path(deciding.__file__).with_name("reference_spread.json")
        lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(one)}" for name, one in spreads(rows).items())
        path.write_text(f'{{"of": {json.dumps(OF)},\n "spread": {{\n{lines}\n}}}}\n', encoding="utf-8")
    tell(rows)


if __name__ == "__main__":
    main()
