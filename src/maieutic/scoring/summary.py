"""What a run of `score` found, as data that the terminal, the pages and the tables of the run folder are made from,
which of its measures are shown, and how the terminal shows them."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from maieutic.domain.episode import Score
from maieutic.measures.catalogue import OF_TRANSCRIPTS, by_family
from maieutic.measures.coded import LABELS, CodedTranscript
from maieutic.measures.definition import Measure
from maieutic.measures.validity import NOT_VALIDATED, UNTESTED
from maieutic.runs.folder import row_of_scores
from maieutic.runs.shown import Table
from maieutic.scoring.doubt import open_of
from maieutic.scoring.groups import Comparison, SessionValues, verdict
from maieutic.scoring.score_run import ScoreOptions
from maieutic.stats import MIN_CASES, Interval
from maieutic.transcripts.opening import Unread
from maieutic.transcripts.source import Source
from maieutic.transcripts.utterance import Transcript

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table as OnScreen


MI_NOTE = (
    "MI: from motivational interviewing, held against its demonstrations alone; in CBT or another therapy a high or "
    "low value says nothing good or bad."
)
QUALITY = "Likeness to MI demonstrations"
LAST = ("Only for motivational interviewing", QUALITY)
"""What sums up, or is for one method alone, must not be read first."""


def compared_of(measures: Sequence[Measure]) -> list[Measure]:
    """Measures that groups are compared on; those of detail are many views of one thing, and are described only."""
    return [one for one in measures if not one.detail]


def details_of(measures: Sequence[Measure]) -> list[Measure]:
    """Those that are described only."""
    return [one for one in measures if one.detail]


def shown_of(measures: Sequence[Measure], *, every: bool) -> list[Measure]:
    """Those that a page tells: all of them, or what was asked for by name, plain counts and what was held against human
    codes, and nothing of one therapy alone."""
    return [
        one for one in measures if every or one.asked or (NOT_VALIDATED not in one.validated and one.family not in LAST)
    ]


def quality_last(families: Sequence[tuple[str, list[Measure]]]) -> list[tuple[str, list[Measure]]]:
    """Families with those of `LAST` at the end."""
    return sorted(families, key=lambda family: LAST.index(family[0]) + 1 if family[0] in LAST else 0)


LESS = (
    "Not shown: what was not compared with human coders, or failed that comparison, and what is for motivational "
    "interviewing only; it is in scores-all.csv (columns.csv says what each column is), or add --all-measures."
)


class NotScored(NamedTuple):
    """A session that was read but lies outside what can be scored."""

    source: str
    session: str
    reason: str


class SessionPage(NamedTuple):
    """The page of one session, with the codes of its turns."""

    source: str
    session: str
    file: str


class GroupValue(NamedTuple):
    """Mean of a measure over the sessions of a group ('all' for every scored session)."""

    measure: str
    group: str
    mean: Interval
    missing: int


@dataclass(frozen=True, slots=True)
class Row:
    """One measure over the sessions, as the terminal and the pages show it.

    Attributes:
        measure: What was measured.
        means: Its mean in each group, and in all.
        compared: How the two groups differ in it, or None.
    """

    measure: Measure
    means: Mapping[str, GroupValue]
    compared: Comparison | None

    @property
    def verdict(self) -> tuple[str, str]:
        """What the comparison says in a sentence, and its tone: 'holds', 'open' or 'none'."""
        return ("", "none") if self.compared is None else verdict(self.compared, is_length=self.measure.length)

    @property
    def medians(self) -> list[str]:
        """Median by group, as it is shown."""
        return [self.measure.show(value) for value in (self.compared.medians if self.compared else ())]

    def mean(self, group: str) -> str:
        """The mean of a group, as it is shown."""
        return self.measure.show(self.means[group].mean.estimate)

    def has_figure(self, *, compared: bool) -> bool:
        """Whether there is anything to show of it: an AUC, or without groups a mean."""
        found = self.compared.raw if compared and self.compared else self.means["all"].mean
        return found.estimate is not None


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
        cleaned: Utterances of scored sessions in which each kind of markup was cleaned before they were read.
        reasons: Why scored sessions have no value, by measure, with how many there are for each reason.
        options: What was asked for: whether texts are redacted, whether all measures are shown.
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
    cleaned: Mapping[str, int] = field(default_factory=dict)
    reasons: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    options: ScoreOptions = field(default_factory=ScoreOptions)
    measures: tuple[Measure, ...] = OF_TRANSCRIPTS

    @property
    def shown_groups(self) -> tuple[str, ...]:
        """The groups whose means are shown: the two that are compared, or all sessions together."""
        return self.groups or ("all",)

    def rows(self, measures: Sequence[Measure]) -> list[Row]:
        """A row for each of these measures."""
        means: dict[str, dict[str, GroupValue]] = {}
        for value in self.values:
            means.setdefault(value.measure, {})[value.group] = value
        compared = {one.measure: one for one in self.comparisons}
        return [Row(one, means[one.id], compared.get(one.id)) for one in measures]

    def families(self) -> list[tuple[str, list[Row]]]:
        """What is shown under the headings of its families; likeness comes last, and not at all where it misleads."""
        left_out = QUALITY if misleads(self.comparisons) else None
        shown = quality_last(by_family(shown_of(compared_of(self.measures), every=self.options.every)))
        return [(family, self.rows(own)) for family, own in shown if family != left_out]


def misleads(comparisons: Sequence[Comparison]) -> str | None:
    """Why session quality is not shown for these groups: the number of words alone parts them as well. Else None."""
    by_id = {one.measure: one for one in comparisons}
    quality, words = by_id.get("mi_demonstration_likeness"), by_id.get("session_words")
    if quality is None or words is None or quality.raw.estimate is None or words.raw.estimate is None:
        return None
    if abs(words.raw.estimate - 0.5) < abs(quality.raw.estimate - 0.5):
        return None
    return (
        "Likeness to MI demonstrations is not shown: the number of words alone parts these groups as well or better "
        f"(AUC {words.raw.estimate:.2f} against {quality.raw.estimate:.2f}). Its values are in scores-all.csv."
    )


def score_rows(summary: ScoreSummary) -> list[dict[str, Any]]:
    """The rows of scores.json: means by group, then AUCs ('auc.', 'auc_residual.', 'auc_matched.') of the
    comparison."""
    rows = [row_of_scores(one.measure, one.group, one.mean, missing=one.missing) for one in summary.values]
    for one in summary.comparisons:
        label = " vs ".join(one.groups)
        for prefix, interval in (("auc", one.raw), ("auc_residual", one.residual), ("auc_matched", one.matched)):
            name, missing = f"{prefix}.{one.measure}", sum(one.missing)
            rows.append(row_of_scores(name, label, interval, n=sum(one.n), missing=missing))
    return rows


def write_csv(summary: ScoreSummary, path: Path, measures: Sequence[Measure]) -> None:
    """One row a scored session, one column a measure; a value that is missing is an empty cell."""
    rows: list[Sequence[object]] = [["source", "session", "group", "turns", "words", *map(column_of, measures)]]
    for one in summary.sessions:
        values = (one.values[measure.id] for measure in measures)
        cells = ["" if value is None else repr(value) for value in values]
        rows.append([one.source, one.session, one.group or "", one.turns, one.words, *cells])
    _write(path, rows)


def column_of(measure: Measure) -> str:
    """The name of a measure's column: nobody sorts by one that nothing speaks for without reading that."""
    return f"{measure.id} ({UNTESTED})" if NOT_VALIDATED in measure.validated else measure.id


def write_columns(path: Path, measures: Sequence[Measure]) -> None:
    """What each column of the tables is: its name on the pages, what a high value says, what is known of it."""
    rows = [["column", "name on the pages", "family", "what a high value says", "written as", "validity"]]
    for one in measures:
        unit = "share, 0 to 1" if one.percent else "number"
        rows.append([column_of(one), one.title, one.family, one.meaning, unit, one.validated])
    _write(path, rows)


def _write(path: Path, rows: Sequence[Sequence[object]]) -> None:
    with path.open("w", newline="", encoding="utf-8-sig") as file:  # the mark tells Excel that it is UTF-8
        csv.writer(file).writerows(rows)


_OF = dict.fromkeys(("source", "session"), "String")
SCORE_COLUMNS: Mapping[str, str] = {
    **_OF,
    **dict.fromkeys(("group", "measure"), "String"),
    "value": "Float64",
    **dict.fromkeys(("unit", "reason"), "String"),
    "evidence": "List(Int32)",
}
"""Columns of scores.parquet."""
SESSION_COLUMNS: Mapping[str, str] = {
    **_OF,
    "group": "String",
    "scored": "Boolean",
    "reason": "String",
    **dict.fromkeys(("turns", "words"), "Int32"),
    "notes": "List(String)",
}
"""Columns of sessions.parquet: every session that was read, scored or not."""


def turn_columns(keep_text: bool) -> dict[str, str]:
    """Columns of turns.parquet; what was said only where it was asked for."""
    first = {**_OF, "index": "Int32", "speaker": "String", "words": "Int32", "predicted": "String", "sure": "Boolean"}
    chances = dict.fromkeys((*(f"p_{label}" for label in LABELS), "p_open"), "Float64")
    return first | chances | ({"text": "String"} if keep_text else {})


def turn_rows(coded: CodedTranscript, texts: Sequence[str] | None) -> list[tuple[Any, ...]]:
    """One row a turn, in the order of the columns; `texts` is what is to be kept of what was said, or None."""
    one = coded.transcript
    return [
        (one.source, one.id, turn.index, turn.speaker, turn.words, turn.label, turn.sure)
        + tuple(turn.probabilities.get(label) for label in LABELS)
        + (open_of(turn),)
        + (() if texts is None else (texts[place],))
        for place, turn in enumerate(coded.turns)
    ]


def score_row(one: Transcript, score: Score) -> tuple[Any, ...]:
    """One row a measure."""
    evidence = list(score.evidence)
    return one.source, one.id, one.group, score.measure, score.value, score.unit, score.reason, evidence


def session_row(one: Transcript, reason: str | None) -> tuple[Any, ...]:
    """One row a session."""
    return one.source, one.id, one.group, reason is None, reason, len(one.utterances), one.words, list(one.notes)


DEMONSTRATION = "Numbers describe how sessions differ; they do not rate a therapist's competence."
LEGEND = (
    "AUC: the chance that a {first} session has the higher value; 0.5 is no difference. Differs: yes, also among "
    "sessions of like length; unsure, where like length or few sessions leave it open; no."
)
_DIFFERS = {"holds": "yes", "open": "unsure", "none": "no"}

MAX_NAMED = 3
"""Sessions that a reason is shown with; the report names more."""


def format_table(summary: ScoreSummary) -> RenderableType:
    """The summary as something that a rich console prints."""
    from rich.console import Group
    from rich.text import Text

    return Group(_compared(summary) if summary.groups else _described(summary), *map(Text, closing_lines(summary)))


def closing_lines(summary: ScoreSummary) -> list[str]:
    """What stands below the table: counts, what was left out and why, notes, and where the report is."""
    sessions, files = len(summary.sessions), len(summary.sources)
    lines = [
        f"{sessions:,} session{'s' * (sessions != 1)} scored from {files:,} file{'s' * (files != 1)}; {summary.codes}."
    ]
    if summary.not_scored:
        lines.append(f"Not scored ({len(summary.not_scored)}):")
        lines += [_named(reason, summary) for reason in dict.fromkeys(one.reason for one in summary.not_scored)]
    if summary.unread:
        lines.append(f"Not read ({len(summary.unread)}):")
        lines += [f"  {one.reason}" for one in summary.unread]
    if any(NOT_VALIDATED in row.measure.validated for _, own in summary.families() for row in own):
        lines.append("*: not compared with human coders here, or that comparison failed; the report says which.")
    if summary.groups:
        lines.append(LEGEND.format(first=summary.groups[0]))
    lines += [*_without_value(summary), *summary.notes, MI_NOTE if summary.options.every else LESS, DEMONSTRATION]
    places = ("One page: summary.html", "Report: report.html", "Scores: scores.csv")
    lines += [f"{place.partition(': ')[0]}: {summary.out / place.partition(': ')[2]}" for place in places]
    return lines


def _title(row: Row) -> str:
    return row.measure.title + " *" * (NOT_VALIDATED in row.measure.validated)


def _named(reason: str, summary: ScoreSummary) -> str:
    """A reason with the first sessions that it holds for."""
    held = [f"{one.source}: {one.session}" for one in summary.not_scored if one.reason == reason]
    more = f" and {len(held) - MAX_NAMED:,} more" if len(held) > MAX_NAMED else ""
    return f"  {len(held)} × {reason}: {', '.join(held[:MAX_NAMED])}{more}"


def _compared(summary: ScoreSummary) -> OnScreen:
    first, second = summary.groups or ("", "")

    def cells(row: Row) -> Sequence[str]:
        assert row.compared is not None
        return (*row.medians, row.compared.raw.shown(), _DIFFERS[row.verdict[1]])

    heads = ("measure", first, second, "AUC [95 %]", "differs")
    return _by_family(summary, f"{first} against {second}, medians", heads, cells, whole=(3,))


def _described(summary: ScoreSummary) -> OnScreen:
    one_alone, few = len(summary.sessions) == 1, len(summary.sessions) < MIN_CASES
    title = "mean over sessions" + (
        f"; fewer than {MIN_CASES}, so no interval" if few else "; low and high: its 95 % interval"
    )
    many = ("mean", *(("smallest", "largest") if few else ("low", "high")), "n")

    def cells(row: Row) -> Sequence[str]:
        mean = row.means["all"].mean
        found = [value for each in summary.sessions if (value := each.values[row.measure.id]) is not None]
        bounds = (min(found), max(found)) if few else (mean.low, mean.high)
        shown = [row.measure.show(value) for value in (mean.estimate, *bounds)]
        return shown[:1] if one_alone else (*shown, str(mean.n))

    heads = ("measure", *(("value",) if one_alone else many))
    return _by_family(summary, "one session" if one_alone else title, heads, cells)


def _by_family(
    summary: ScoreSummary,
    title: str,
    heads: Sequence[str],
    cells: Callable[[Row], Sequence[str]],
    whole: Sequence[int] = (),
) -> OnScreen:
    """A row a measure that has figures, under the name of its family."""
    rows: list[Sequence[str]] = []
    tones = {}
    for family, shown in summary.families():
        own = [(f"  {_title(row)}", *cells(row)) for row in shown if row.has_figure(compared=bool(summary.groups))]
        if own:
            tones[len(rows)] = "bold"
            rows += [(family, *[""] * (len(heads) - 1)), *own]
    return Table(title, heads, rows).on_screen(right=range(1, len(heads)), whole=whole, close=True, tones=tones)


def _without_value(summary: ScoreSummary) -> list[str]:
    """Measures that have no figure in this table, with the report that says why."""
    lacking = []
    for family, own in summary.families():
        without = [row.measure.title for row in own if not row.has_figure(compared=bool(summary.groups))]
        lacking += [f"all of {family!r}"] if len(without) == len(own) else [f"{title!r}" for title in without]
    return [f"Without a figure (the report says why): {', '.join(lacking)}."] if lacking else []
