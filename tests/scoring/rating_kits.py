"""Own-made sessions, kits and filled sheets for the tests of the rating kit."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Callable
from pathlib import Path

from own_sessions import PUSHY, TALK

from maieutic.rating.kit import ITEMS, KitSummary, export_kit
from maieutic.rating.report import read_kit
from maieutic.rating.results import KitResult
from maieutic.transcripts.utterance import Transcript, Utterance


def session(number: int, group: str | None = None, **more: str) -> Transcript:
    talk = (PUSHY if group == "zzlow" else TALK) * (1 + number % 3)
    said = tuple(Utterance(who, text, index=place) for place, (who, text) in enumerate(talk))  # type: ignore[arg-type]
    return Transcript(f"secret-{number}", group, said, more.get("source", "clinic-file.csv"), 2)


def sessions(count: int) -> list[Transcript]:
    return [session(number, "zzlow" if number % 4 == 0 else "zzhigh") for number in range(count)]


def export(out: Path, count: int = 24, **more: object) -> KitSummary:
    pool = sessions(count * 2)
    given = {"number": count, "rng": random.Random(4), **more}
    return export_kit(pool, out, **given)  # type: ignore[arg-type]


def key_of(out: Path) -> dict[str, dict[str, dict[str, str]]]:
    return json.loads((out / "key" / "key.json").read_text())  # type: ignore[no-any-return]


def fill(sheet: Path, rate: Callable[[str, str], str]) -> list[list[str]]:
    """Fills a sheet in place; `rate` gives the cell for a session and an item."""
    with sheet.open(newline="") as file:
        rows = list(csv.reader(file))
    for row in rows[1:]:
        row[3 : 3 + len(ITEMS)] = [rate(row[2], item.id) for item in ITEMS]
    return save(sheet, rows)


def save(sheet: Path, rows: list[list[str]], delimiter: str = ",") -> list[list[str]]:
    with sheet.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=delimiter).writerows(rows)
    return rows


def simulated(out: Path, noise: float, seed: int = 1) -> dict[str, dict[str, float]]:
    """Raters who see the truth with noise; returns the truth by kit id and item, on a scale from 0 to 1."""
    rng = random.Random(seed)
    truth = {one: {item.id: rng.random() for item in ITEMS} for one in key_of(out)["sessions"]}
    spans = {item.id: item for item in ITEMS}

    def rate(kit_id: str, item: str) -> str:
        seen = min(1.0, max(0.0, truth[kit_id][item] + rng.gauss(0, noise)))
        if spans[item].yes_no:
            return "yes" if seen > 0.5 else "no"
        return str(round(seen * spans[item].high))

    for sheet in sorted((out / "raters").glob("sheet-*.csv")):
        fill(sheet, rate)
    return truth


def read(out: Path) -> KitResult:
    return read_kit(out, sorted((out / "raters").glob("sheet-*.csv")))
