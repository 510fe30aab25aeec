"""What a run of `score` found, as data that the terminal, the report and scores.json are made from."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from maieutic.scoring.catalogue import MEASURES, SessionMeasure
from maieutic.scoring.groups import Comparison, SessionValues
from maieutic.scoring.validity import NOT_VALIDATED, UNTESTED
from maieutic.stats import Interval
from maieutic.transcripts.opening import Unread
from maieutic.transcripts.source import Source


@dataclass(frozen=True, slots=True)
class NotScored:
    """A session that was read but lies outside what can be scored."""

    source: str
    session: str
    reason: str


@dataclass(frozen=True, slots=True)
class SessionPage:
    """The page of one session, with the codes of its turns."""

    source: str
    session: str
    file: str


@dataclass(frozen=True, slots=True)
class GroupValue:
    """Mean of a measure over the sessions of a group ('all' for every scored session)."""

    measure: str
    group: str
    mean: Interval
    missing: int


@dataclass(frozen=True, slots=True)
class ScoreSummary:
    """What a run of `score` found.

    Attributes:
        out: The run folder.
        sources: What was read.
        unread: Files that could not be read, with the reason.
        not_scored: Sessions out of scope, with the reason.
        sessions: Scored sessions with their values.
        groups: The two groups compared, or None.
        values: Means by measure and group.
        comparisons: One for each measure; empty without two groups.
        codes: Where the codes come from.
        notes: What must be known to read the numbers.
        in_sample: Scored sessions that were training data of the packaged coder.
        pages: Pages of single sessions, relative to the run folder.
        redacted: Whether names, emails, phone numbers and addresses were taken out of what is kept of the texts.
        cleaned: Utterances of scored sessions in which each kind of markup was cleaned before they were read.
        reasons: Why scored sessions have no value, by measure, with how many there are for each reason.
        every: Pages and the terminal show all measures, and not only those that `families.shown_of` names.
        measures: What was computed: the catalogue, and what was asked for besides.
    """

    out: Path
    sources: tuple[Source, ...]
    unread: tuple[Unread, ...]
    not_scored: tuple[NotScored, ...]
    sessions: tuple[SessionValues, ...]
    groups: tuple[str, str] | None
    values: tuple[GroupValue, ...]
    comparisons: tuple[Comparison, ...]
    codes: str
    notes: tuple[str, ...]
    in_sample: int = 0
    pages: tuple[SessionPage, ...] = ()
    redacted: bool = True
    cleaned: Mapping[str, int] = field(default_factory=dict)
    reasons: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    every: bool = False
    measures: tuple[SessionMeasure, ...] = MEASURES


def score_rows(summary: ScoreSummary) -> list[dict[str, Any]]:
    """The rows of scores.json: means by group, then AUCs ('auc.', 'auc_residual.', 'auc_matched.') of the
    comparison."""
    rows = [_json_row(one.measure, one.group, one.mean, one.mean.n, one.missing) for one in summary.values]
    for one in summary.comparisons:
        label = " vs ".join(one.groups)
        for prefix, interval in (("auc", one.raw), ("auc_residual", one.residual), ("auc_matched", one.matched)):
            rows.append(_json_row(f"{prefix}.{one.measure}", label, interval, sum(one.n), sum(one.missing)))
    return rows


def write_csv(summary: ScoreSummary, path: Path, measures: Sequence[SessionMeasure]) -> None:
    """One row a scored session, one column a measure; a value that is missing is an empty cell."""
    columns = [column_of(one) for one in measures]
    with path.open("w", newline="", encoding="utf-8-sig") as file:  # the mark tells Excel that it is UTF-8
        writer = csv.writer(file)
        writer.writerow(["source", "session", "group", "turns", "words", *columns])
        for one in summary.sessions:
            values = (one.values[measure.id] for measure in measures)
            cells = ["" if value is None else repr(value) for value in values]
            writer.writerow([one.source, one.session, one.group or "", one.turns, one.words, *cells])


def column_of(measure: SessionMeasure) -> str:
    """The name of a measure's column: nobody sorts by one that nothing speaks for without reading that."""
    return f"{measure.id} ({UNTESTED})" if NOT_VALIDATED in measure.validated else measure.id


def write_columns(path: Path, measures: Sequence[SessionMeasure]) -> None:
    """What each column of the tables is: its name on the pages, what a high value says, what is known of it."""
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        writer = csv.writer(file)
        writer.writerow(["column", "name on the pages", "family", "what a high value says", "written as", "validity"])
        for one in measures:
            unit = "share, 0 to 1" if one.percent else "number"
            writer.writerow([column_of(one), one.title, one.family, one.meaning, unit, one.validated])


def _json_row(measure: str, group: str, value: Interval, n: int, missing: int) -> dict[str, Any]:
    return {
        "measure": measure,
        "group": group,
        "value": value.estimate,
        "low": value.low,
        "high": value.high,
        "n": n,
        "missing": missing,
    }
