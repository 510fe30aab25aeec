"""Sheets that come back from raters: read and checked, and what they say: agreement, and scores held against
ratings."""

from __future__ import annotations

import csv
import difflib
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

from maieutic.agreement import (
    Correlations,
    Figure,
    IntraclassCorrelations,
    Ratings,
    correlations,
    intraclass_correlations,
    krippendorff_alpha,
)
from maieutic.errors import InputError, UnreadableFile
from maieutic.rating.kit import FORMAT, ITEMS, KEY_FOLDER, MIN_SESSIONS, NO, YES, Item
from maieutic.stats import Interval, bootstrap_mean
from maieutic.transcripts.text_file import check_bytes

_FIXED = ("kit", "rater", "session")
_NOTES = "notes"
_MAX_FAULTS = 10


@dataclass(frozen=True, slots=True)
class KeySession:
    """What the key says of one session: where it came from, its group, its length in words, and our measures."""

    session: str
    source: str
    group: str | None
    words: int
    measures: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class KitKey:
    """The unblinding key.

    Attributes:
        kit: Code of the kit.
        sessions: What stands behind each blind name.
        files: sha256 of the exported files by name.
        caveats: Why this kit cannot validate the measures in it, for example that their coder was trained on the
            sessions.
    """

    kit: str
    sessions: Mapping[str, KeySession]
    files: Mapping[str, str]
    caveats: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sheet:
    """What one rater wrote.

    Attributes:
        name: File name.
        rater: Name of the rater, as the sheet has it.
        ratings: Rating (None where the cell is empty) by session and item.
        absent: Sessions of the kit that have no row.
    """

    name: str
    rater: str
    ratings: Mapping[str, Mapping[str, float | None]]
    absent: tuple[str, ...]


def read_key(folder: Path) -> KitKey:
    """The key of a kit. Raises `UnreadableFile` when it is missing, broken, newer, or made with other items."""
    path = folder / KEY_FOLDER / "key.json"
    if not path.is_file():
        raise UnreadableFile(
            f"no {KEY_FOLDER}/key.json in {folder}; expected the folder that the kit was exported to, with its key"
        )
    check_bytes(path, path.name)
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if found["format"] > FORMAT:
            raise UnreadableFile(
                f"{path.name} was written in format {found['format']}, newer than {FORMAT}; update maieutic"
            )
        if found["items"] != {item.id: [item.low, item.high] for item in ITEMS}:
            raise UnreadableFile(
                f"{path.name}: the kit was made with another code book; read it back with the version that wrote it"
            )
        sessions = {
            name: KeySession(one["session"], one["source"], one["group"], int(one["words"]), dict(one["measures"]))
            for name, one in found["sessions"].items()
        }
        return KitKey(found["kit"], sessions, dict(found["files"]), tuple(found["caveats"]))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UnreadableFile(
            f"{path.name} is no key of a rating kit ({error}); take the one that was exported"
        ) from error


def read_sheets(paths: Sequence[Path], key: KitKey) -> tuple[Sheet, ...]:
    """The sheets of two or more raters.

    Raises:
        InputError: fewer than two sheets, or two of the same rater.
        UnreadableFile: a sheet that cannot be read or holds what it must not; names file, row and column.
    """
    if len(paths) < 2:
        raise InputError(f"{len(paths)} sheet given; agreement needs the sheets of at least two raters")
    sheets = [read_sheet(path, key) for path in paths]
    by_rater: dict[str, str] = {}
    for sheet in sheets:
        if sheet.rater in by_rater:
            raise InputError(
                f"{by_rater[sheet.rater]} and {sheet.name} are both of rater {sheet.rater!r}; expected one sheet a "
                "rater (if two people used the same sheet, give one of them another name in the column 'rater')"
            )
        by_rater[sheet.rater] = sheet.name
    return tuple(sorted(sheets, key=lambda one: one.rater))


def read_sheet(path: Path, key: KitKey) -> Sheet:
    """One sheet, checked cell by cell; an empty cell is a missing rating."""
    name = path.name
    if not path.is_file():
        raise UnreadableFile(f"no such sheet: {path}")
    if path.suffix.lower() not in (".csv", ".tsv", ".txt"):
        raise UnreadableFile(f"{name}: expected a CSV file; save the sheet as CSV (UTF-8) in the spreadsheet program")
    check_bytes(path, name)
    rows = list(_rows(path, name))
    if not rows:
        raise UnreadableFile(f"{name}: the file is empty")
    columns = _columns(rows[0][1], name)
    faults: list[str] = []
    raters: dict[str, int] = {}
    first_rows: dict[str, int] = {}
    ratings: dict[str, dict[str, float | None]] = {}
    for number, cells in rows[1:]:
        row = {column: cells[place].strip() if place < len(cells) else "" for column, place in columns.items()}
        spare = [cell for place, cell in enumerate(cells) if place not in columns.values() and cell.strip()]
        if spare:
            faults.append(f"row {number}: {spare[0]!r} stands outside the columns; check for a comma or quote too many")
        if row["kit"] != key.kit:
            faults.append(f"row {number}, column kit: {row['kit']!r}, expected {key.kit!r} (a sheet of this kit)")
        if not row["rater"]:
            faults.append(f"row {number}, column rater: empty, expected the rater's name")
        raters.setdefault(row["rater"], number)
        session = row["session"]
        if session not in key.sessions:
            faults.append(f"row {number}, column session: {_unknown(session, key)}")
            continue
        if session in first_rows:
            faults.append(
                f"row {number}, column session: {session} has a row already (row {first_rows[session]}); expected "
                "one each"
            )
            continue
        first_rows[session] = number
        ratings[session] = {}
        for item in ITEMS:
            try:
                ratings[session][item.id] = parse_rating(row[item.id], item)
            except ValueError:
                faults.append(f"row {number}, column {item.id}: {row[item.id]!r}, expected {item.allowed} or nothing")
    if len(raters) > 1:
        named = ", ".join(f"{rater!r} (row {number})" for rater, number in list(raters.items())[:4])
        faults.append(f"column rater: several raters in one sheet: {named}; expected one sheet a rater")
    if not ratings and not faults:
        faults.append("a header but no rows; expected one row a session")
    if faults:
        more = f"\n{len(faults) - _MAX_FAULTS} more" if len(faults) > _MAX_FAULTS else ""
        raise UnreadableFile("\n".join(f"{name}, {fault}" for fault in faults[:_MAX_FAULTS]) + more)
    absent = tuple(session for session in key.sessions if session not in ratings)
    return Sheet(name, next(iter(raters)), ratings, absent)


def parse_rating(cell: str, item: Item) -> float | None:
    """The value of a cell; None when it is empty. Raises ValueError for anything the item does not allow."""
    text = cell.strip().lower()
    if not text:
        return None
    if item.yes_no:
        if text not in YES | NO:
            raise ValueError(text)
        return float(text in YES)
    value = float(text)
    # Spreadsheets may write 4 as 4.0; not-a-number fails the comparison too.
    if not item.low <= value <= item.high or value != int(value):
        raise ValueError(text)
    return value


def _rows(path: Path, name: str) -> Iterator[tuple[int, list[str]]]:
    """Rows with their number as a spreadsheet shows it (the header is row 1); rows without any text are passed over."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        header = file.readline()
        delimiter = max(",;\t", key=header.count)
        file.seek(0)
        reader = csv.reader(file, delimiter=delimiter, strict=True)
        number = 0
        try:
            for number, cells in enumerate(reader, start=1):
                if any(cell.strip() for cell in cells):
                    yield number, cells
        except csv.Error as error:
            raise UnreadableFile(
                f"{name}, row {number + 1}: not readable as CSV ({error}); check the quotes"
            ) from error


def _columns(header: Sequence[str], name: str) -> dict[str, int]:
    """Place of every column by its name without the range; any order will do."""
    known = [*_FIXED, *(item.id for item in ITEMS), _NOTES]
    places: dict[str, int] = {}
    for place, title in enumerate(header):
        column = title.partition("(")[0].strip().lower()
        if not column:
            continue
        if column not in known:
            close = difflib.get_close_matches(column, known, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"expected {', '.join(known)}"
            raise UnreadableFile(f"{name}, row 1, column {place + 1}: no column {title!r} is known; {hint}")
        if column in places:
            raise UnreadableFile(f"{name}, row 1, column {place + 1}: {column!r} is there twice; expected it once")
        places[column] = place
    missing = [column for column in known if column not in places and column != _NOTES]
    if missing:
        raise UnreadableFile(
            f"{name}, row 1: no column for {', '.join(missing)}; expected the header that the sheet was exported with"
        )
    return places


def _unknown(session: str, key: KitKey) -> str:
    close = difflib.get_close_matches(session, key.sessions, n=1, cutoff=0.5)
    names = list(key.sessions)
    hint = f"; did you mean {close[0]}?" if close else ""
    return f"no session {session!r} in this kit, expected one of {names[0]} to {names[-1]}{hint}"


MIN_ALPHA = 0.67
"""Krippendorff (2004, Content Analysis, 2nd ed., ch. 11): the least alpha at which tentative conclusions may be
drawn."""

DRAWS = 2000
LINK_DRAWS = 1000  # there is one interval for every item and measure


@dataclass(frozen=True, slots=True)
class ItemResult:
    """One item over all sessions and raters.

    Attributes:
        item: The item.
        alpha: Krippendorff's alpha over sessions that two raters rated.
        icc: Intraclass correlations; None-valued for a yes/no item.
        given, missing: Cells filled and left empty (sessions without a row count as empty).
        rater_means: Mean rating by rater: who is mild and who severe.
        group_means: Mean of the sessions' mean ratings by group, with interval.
        human_validated: Alpha is at least 0.67 over at least 20 sessions.
        reason: Why not; None when it is.
    """

    item: Item
    alpha: Figure
    icc: IntraclassCorrelations
    given: int
    missing: int
    rater_means: tuple[tuple[str, float | None], ...]
    group_means: tuple[tuple[str, Interval], ...]
    human_validated: bool
    reason: str | None


@dataclass(frozen=True, slots=True)
class Link:
    """The mean rating of an item beside one of our measures.

    Attributes:
        item: Id of the item.
        measure: Id of the measure.
        same_construct: The measure is meant to show the same thing.
        n: Sessions with both (a mean rating needs two raters).
        found: The correlations; `adjusted` holds the length of the session in words constant.
        reason: Why the measure is not human-validated; None when it is.
    """

    item: str
    measure: str
    same_construct: bool
    n: int
    found: Correlations
    reason: str | None

    @property
    def human_validated(self) -> bool:
        """The construct is, and over enough new sessions Spearman lies above 0, also with length held constant."""
        return self.reason is None


@dataclass(frozen=True, slots=True)
class SessionMeans:
    """The mean ratings of one session, unblinded; None where fewer than two raters rated."""

    kit_id: str
    session: str
    source: str
    group: str | None
    means: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class KitResult:
    """Everything that came back from the raters."""

    kit: str
    raters: tuple[str, ...]
    items: tuple[ItemResult, ...]
    links: tuple[Link, ...]
    sessions: tuple[SessionMeans, ...]
    notes: tuple[str, ...]

    @property
    def human_validated(self) -> dict[str, bool]:
        """Per construct: whether humans agreed on it over enough sessions."""
        return {one.item.id: one.human_validated for one in self.items}


def compare_sheets(key: KitKey, sheets: Sequence[Sheet], *, rng: random.Random, notes: Sequence[str] = ()) -> KitResult:
    """Agreement of the sheets per item, and their mean ratings beside the measures in the key."""
    tables = {item.id: _table(item, sheets, key) for item in ITEMS}
    means = {item: {one: _mean(row) for one, row in table.items()} for item, table in tables.items()}
    items = tuple(
        _item_result(item, list(tables[item.id].values()), means[item.id], sheets, key, rng) for item in ITEMS
    )
    validated = {one.item.id: one.human_validated for one in items}
    return KitResult(
        kit=key.kit,
        raters=tuple(sheet.rater for sheet in sheets),
        items=items,
        links=_links(key, means, validated, rng),
        sessions=tuple(
            SessionMeans(name, one.session, one.source, one.group, {item: means[item][name] for item in means})
            for name, one in key.sessions.items()
        ),
        notes=tuple(notes),
    )


def _table(item: Item, sheets: Sequence[Sheet], key: KitKey) -> dict[str, list[float | None]]:
    return {name: [sheet.ratings.get(name, {}).get(item.id) for sheet in sheets] for name in key.sessions}


def _mean(row: Sequence[float | None]) -> float | None:
    given = [value for value in row if value is not None]
    return fmean(given) if len(given) >= 2 else None


def _item_result(
    item: Item,
    table: Ratings,
    means: Mapping[str, float | None],
    sheets: Sequence[Sheet],
    key: KitKey,
    rng: random.Random,
) -> ItemResult:
    alpha = krippendorff_alpha(table, item.level, rng=rng, draws=DRAWS)
    if item.yes_no:
        none = Figure(Interval(None, None, None, alpha.interval.n), "not computed for a yes/no item; see alpha")
        icc = IntraclassCorrelations(none, none, none, alpha.interval.n, len(sheets))
    else:
        icc = intraclass_correlations(table, rng=rng, draws=DRAWS)
    given = sum(value is not None for row in table for value in row)
    by_rater = [[value for row in table if (value := row[place]) is not None] for place in range(len(sheets))]
    reason = _why_not(alpha)
    return ItemResult(
        item=item,
        alpha=alpha,
        icc=icc,
        given=given,
        missing=len(table) * len(sheets) - given,
        rater_means=tuple(
            (sheet.rater, fmean(got) if got else None) for sheet, got in zip(sheets, by_rater, strict=True)
        ),
        group_means=tuple(_group_means(means, key, rng)),
        human_validated=reason is None,
        reason=reason,
    )


def _why_not(alpha: Figure) -> str | None:
    if alpha.value is None:
        return alpha.reason
    if alpha.interval.n < MIN_SESSIONS:
        return f"{alpha.interval.n} sessions were rated by two raters; at least {MIN_SESSIONS} are needed"
    if alpha.value < MIN_ALPHA:
        return f"the raters agree too little: alpha {alpha.value:.2f}, at least {MIN_ALPHA} is needed"
    return None


def _group_means(means: Mapping[str, float | None], key: KitKey, rng: random.Random) -> list[tuple[str, Interval]]:
    groups = sorted({one.group or "no group" for one in key.sessions.values()})
    rated = {
        group: [
            value
            for name, one in key.sessions.items()
            if (one.group or "no group") == group and (value := means[name]) is not None
        ]
        for group in groups
    }
    return [(group, bootstrap_mean(values, rng=rng, draws=DRAWS)) for group, values in rated.items()]


def _links(
    key: KitKey,
    means: Mapping[str, Mapping[str, float | None]],
    validated: Mapping[str, bool],
    rng: random.Random,
) -> tuple[Link, ...]:
    """Every item beside every measure that has a value in some session."""
    named = dict.fromkeys(
        measure for one in key.sessions.values() for measure, value in one.measures.items() if value is not None
    )
    found: list[Link] = []
    for item in ITEMS:
        for measure in named:
            pairs = [
                (rating, value, one.words)
                for name, one in key.sessions.items()
                if (rating := means[item.id][name]) is not None and (value := one.measures.get(measure)) is not None
            ]
            columns = [[float(pair[place]) for pair in pairs] for place in range(3)]
            got = correlations(columns[0], columns[1], third=columns[2], rng=rng, draws=LINK_DRAWS)
            link = Link(item.id, measure, item.shows(measure), len(pairs), got, None)
            found.append(replace(link, reason=_why_not_linked(link, validated[item.id], key)))
    return tuple(found)


def _why_not_linked(link: Link, construct: bool, key: KitKey) -> str | None:
    if not link.same_construct:
        return "the measure is not meant to show this"
    if not construct:
        return "the construct is not"
    if key.caveats:
        return "the sessions are not new to it, see above"
    if link.n < MIN_SESSIONS:
        return f"{link.n} sessions have both; at least {MIN_SESSIONS} are needed"
    if not _above_zero(link.found.spearman):
        return "its interval is not above 0"
    if not _above_zero(link.found.adjusted):
        return "with length held constant its interval is not above 0"
    return None


def _above_zero(figure: Figure) -> bool:
    return figure.interval.low is not None and figure.interval.low > 0
