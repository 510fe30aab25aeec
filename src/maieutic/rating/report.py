"""Reads the filled-in sheets of a rating kit back and writes what they say: `agreement.json` and `agreement.html`."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from maieutic.agreement import Figure
from maieutic.measures.validity import NOT_VALIDATED
from maieutic.rating.kit import MIN_SESSIONS, RATERS_FOLDER, render
from maieutic.rating.kit import PAGE as SESSIONS_PAGE
from maieutic.rating.results import MIN_ALPHA, KitKey, KitResult, Sheet, compare_sheets, read_key, read_sheets
from maieutic.runs.files import write_whole

RESULT = "agreement.json"
PAGE = "agreement.html"
SEED = 0
_COPY_FROM = 20  # ratings that must all be equal before two sheets look copied


def read_kit(folder: Path, sheets: Sequence[Path], *, rng: random.Random | None = None) -> KitResult:
    """Reads the sheets of two or more raters back; writes `agreement.json` and `agreement.html` into the folder.

    Args:
        folder: The folder that the kit was exported to, with its key.
        sheets: The filled-in sheets, one a rater.
        rng: Seed of the bootstrap; a fixed one when not given, so that a second reading gives equal numbers.

    Raises:
        InputError: a key or sheet that cannot be used; names file, row and column.
        StorageError: the results cannot be written.
    """
    key = read_key(folder)
    read = read_sheets(sheets, key)
    result = compare_sheets(key, read, rng=rng or random.Random(SEED), notes=_notes(folder, key, read))
    told = json.dumps(_as_json(result), indent=1, ensure_ascii=False, allow_nan=False)
    write_whole(folder / RESULT, f"{told}\n".encode())
    write_whole(folder / PAGE, _page(result).encode())
    return result


def _notes(folder: Path, key: KitKey, sheets: Sequence[Sheet]) -> list[str]:
    notes = list(key.caveats)
    notes += [
        f"{sheet.name}: no row for {', '.join(sheet.absent[:6])}{' …' if len(sheet.absent) > 6 else ''} "
        f"({len(sheet.absent)} of {len(key.sessions)}); counted as not rated"
        for sheet in sheets
        if sheet.absent
    ]
    for one, other in combinations(sheets, 2):
        cells = [
            (value, other.ratings.get(name, {}).get(item))
            for name, row in one.ratings.items()
            for item, value in row.items()
            if value is not None
        ]
        if len(cells) >= _COPY_FROM and all(a == b for a, b in cells):
            notes.append(f"{one.name} and {other.name} are equal in every rating; make sure that none was copied")
    page = folder / RATERS_FOLDER / SESSIONS_PAGE
    if not page.is_file():
        notes.append(
            f"{RATERS_FOLDER}/{SESSIONS_PAGE} is not there, so it was not checked whether raters saw what was exported"
        )
    elif hashlib.sha256(page.read_bytes()).hexdigest() != key.files.get(SESSIONS_PAGE):
        notes.append(
            f"{RATERS_FOLDER}/{SESSIONS_PAGE} was changed after the export; raters may have read something else"
        )
    return notes


def _figure(figure: Figure) -> dict[str, Any]:
    one = figure.interval
    return {"value": one.estimate, "low": one.low, "high": one.high, "n": one.n, "reason": figure.reason}


def _as_json(result: KitResult) -> dict[str, Any]:
    return {
        "format": 1,
        "kit": result.kit,
        "raters": list(result.raters),
        "rule": {"alpha": MIN_ALPHA, "sessions": MIN_SESSIONS},
        "notes": list(result.notes),
        "items": {
            one.item.id: {
                "level": one.item.level,
                "alpha": _figure(one.alpha),
                "icc_2_1": _figure(one.icc.single),
                "icc_2_k": _figure(one.icc.mean),
                "icc_3_1": _figure(one.icc.consistency),
                "given": one.given,
                "missing": one.missing,
                "rater_means": dict(one.rater_means),
                "group_means": {group: _figure(Figure(mean)) for group, mean in one.group_means},
                "human_validated": one.human_validated,
                "reason": one.reason,
            }
            for one in result.items
        },
        "correlations": [
            {
                "item": one.item,
                "measure": one.measure,
                "same_construct": one.same_construct,
                "n": one.n,
                "pearson": _figure(one.found.pearson),
                "spearman": _figure(one.found.spearman),
                "spearman_length_constant": _figure(one.found.adjusted),
                "human_validated": one.human_validated,
                "reason": one.reason,
            }
            for one in result.links
        ],
        "sessions": {
            one.kit_id: {"session": one.session, "source": one.source, "group": one.group, "means": dict(one.means)}
            for one in result.sessions
        },
    }


def _page(result: KitResult) -> str:
    titles = {one.item.id: one.item.title for one in result.items}
    return render(
        "rating_agreement.html.j2",
        result=result,
        titles=titles,
        same=[one for one in result.links if one.same_construct],
        rest=[one for one in result.links if not one.same_construct],
        rated=sum(any(value is not None for value in one.means.values()) for one in result.sessions),
        least_alpha=MIN_ALPHA,
        fewest=MIN_SESSIONS,
        not_validated=NOT_VALIDATED,
        show=lambda figure: figure.interval.shown(),
        number=lambda value: "–" if value is None else f"{value:.2f}",
    )
