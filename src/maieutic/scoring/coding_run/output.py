"""Writes coded rows piece by piece beside the file they will become, so that a break loses little and can be
resumed."""

from __future__ import annotations

import filecmp
import shutil
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maieutic.coding.book import Coding, Scheme
from maieutic.errors import StorageError, why
from maieutic.reading.plain import in_order
from maieutic.runs.journal import Journal, entries, is_foreign, packed
from maieutic.scoring.coding_run.window import CodedRow

if TYPE_CHECKING:
    import polars as pl

Value = Callable[[Coding], Any]


@dataclass(frozen=True, slots=True)
class Column:
    """One new column: name, type, how it follows from a coding, and whether it is left out when nothing stands in
    it."""

    name: str
    type: str
    value: Value
    may_lack: bool = False


def code_columns(book: Scheme, mechanism: str | None = None) -> tuple[Column, ...]:
    """The new columns of a scheme, without the reason.

    Args:
        book: The scheme.
        mechanism: The one facet that a file is about, whose value then stands in `predicted`.
    """
    columns = [
        Column("predicted", "String", lambda coding: _predicted(coding, mechanism)),
        Column("abstain", "Boolean", lambda coding: coding.abstain),
    ]
    for facet in book.facets:
        columns.append(Column(f"predicted_{facet.id}", "String", _facet_value(facet.id)))
    for label in (*book.therapist, *book.client):
        columns.append(Column(f"p_{label.column}", "Float64", _probability(label.id)))
    names = {column.name for column in columns}
    for facet in book.facets:
        for value in facet.values:
            name = f"p_{facet.id}_{value.column}"
            if name not in names:
                columns.append(Column(name, "Float64", _facet_probability(facet.id, value.id), True))
    columns.append(Column("quote", "String", lambda coding: coding.quote, True))
    return tuple(columns)


def _predicted(coding: Coding, mechanism: str | None) -> str:
    if mechanism is not None:
        if mechanism in coding.facets:
            return coding.facets[mechanism].value
        levels = {label: p for label, p in coding.probabilities.items() if label.startswith(f"{mechanism}=")}
        named = [label for label in coding.predicted if label in levels]
        return (named or [max(levels, key=lambda label: levels[label])])[0].partition("=")[2]
    # A coder that finds no code fitting still leans somewhere.
    likeliest = max(coding.probabilities, key=lambda label: coding.probabilities[label], default="")
    return "|".join(coding.predicted or (likeliest,))


def _facet_value(facet: str) -> Value:
    return lambda coding: coding.facets[facet].value if facet in coding.facets else None


def _probability(label: str) -> Value:
    return lambda coding: _rounded(coding.probabilities.get(label))


def _facet_probability(facet: str, value: str) -> Value:
    return lambda coding: _rounded(coding.facets[facet].probabilities.get(value)) if facet in coding.facets else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(float(value), 6)


REASON = "not_coded_because"
PIECE_ROWS = 5_000
PIECE_SECONDS = 10.0
_IN = "in:"
_PROGRESS = "progress.jsonl"
_GO_ON = "what was there before is untouched: free some space and give the same command again"
_UNFINISHED = ".{}.unfinished"


@dataclass(frozen=True, slots=True)
class Tally:
    """What was written of a file, or of several.

    Attributes:
        rows: Rows written.
        coded: Rows with a code.
        abstained: Coded rows on which the coder is among its least certain.
        not_coded: Number of rows by reason.
        sessions: Number of sessions the rows were split into; a row without a dialogue counts as one.
        cleaned: Rows in which each kind of markup was cleaned before they were coded.
    """

    rows: int
    coded: int
    abstained: int
    not_coded: Mapping[str, int]
    sessions: int = 0
    cleaned: Mapping[str, int] = field(default_factory=dict)

    @staticmethod
    def total(several: Sequence[Tally]) -> dict[str, Any]:
        """The fields of them all together."""
        not_coded, cleaned = (
            sum((Counter(counts) for counts in each), Counter[str]())
            for each in ([one.not_coded for one in several], [one.cleaned for one in several])
        )
        added = {
            name: sum(getattr(one, name) for one in several) for name in ("rows", "coded", "abstained", "sessions")
        }
        return {**added, "not_coded": dict(not_coded), "cleaned": in_order(cleaned)}


def anything_kept(out: Path) -> bool:
    """Whether a run that was broken off left codes to go on from, in a file's pieces or a folder; what is empty is
    removed."""
    pieces = [*out.parent.glob(_unfinished(out).name), *(out.rglob(_UNFINISHED.format("*")) if out.is_dir() else ())]
    empty = [folder for folder in pieces if not any(folder.glob("*.parquet"))]
    for folder in empty:
        shutil.rmtree(folder, ignore_errors=True)
    if len(empty) < len(pieces):
        return True
    if out.is_dir() and not any(out.iterdir()):
        out.rmdir()
    return out.is_dir()


def holds_codes(path: Path) -> bool:
    """Whether a CSV or Parquet file has the columns of coded rows, so that it may be replaced by newer ones."""
    import polars as pl

    try:
        return {"predicted", "abstain"} <= {*_scanned(path).collect_schema().names()}
    except (pl.exceptions.PolarsError, OSError, ValueError):
        return False


def holds_codes_of(path: Path, columns: Sequence[str], rows: int, first: Mapping[str, Any]) -> bool:
    """Whether a file of coded rows is of this input: all of its columns, no more rows, and the same first row."""
    import polars as pl

    try:
        found = _scanned(path)
        if not {*columns} <= {*found.collect_schema().names()}:
            return False
        head = found.head(1).select(columns).collect().to_dicts()
        held = int(found.select(pl.len()).collect().item())
    except (pl.exceptions.PolarsError, OSError, ValueError):
        return False
    return held <= rows and all(str(one[name] or "") == str(first.get(name) or "") for one in head for name in columns)


def _scanned(path: Path) -> pl.LazyFrame:
    import polars as pl

    return pl.scan_parquet(path) if path.suffix.lower() == ".parquet" else pl.scan_csv(path, infer_schema=False)


def _unfinished(out: Path) -> Path:
    return out.with_name(_UNFINISHED.format(out.name))


class CodedWriter:
    """Takes coded rows in order and, at the end, puts the whole file in its place.

    The pieces lie in a folder beside the target, with a note of which input, scheme and coder they belong to; a later
    writer with the same note goes on where they end. The target itself is replaced at the very end.
    """

    def __init__(
        self, out: Path, note: Mapping[str, Any], columns: Sequence[Column], inputs: Mapping[str, Any | None]
    ) -> None:
        """Opens the unfinished output, or starts one.

        Args:
            out: CSV or Parquet file to become.
            note: What the output depends on; pieces with another note are thrown away.
            columns: New columns.
            inputs: Input columns with their Polars types; None where every cell is text.

        Raises:
            RunFolderError: Another process codes into it.
            StorageError: The folder of the output cannot be written.
        """
        self.out, self.note, self.columns, self.inputs = out, dict(note), tuple(columns), dict(inputs)
        self.folder = _unfinished(out)
        self._header = packed({"note": self.note})
        self.held: list[CodedRow] = []
        self.earlier: Path | None = None
        self.since = time.monotonic()
        self.rows = self._take_up()

    def _take_up(self) -> int:
        """How many rows a writer with the same note left; what it wrote after it noted them is removed."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            # Taken before anything in the folder is looked at or removed, and never let go: two commands can be begun
            # at once.
            self._progress = Journal(self.folder / _PROGRESS, go_on=_GO_ON)
            path = self.folder / _PROGRESS
            lines = entries(path, lambda line: int(line["rows"]), damaged=lambda _: None, header=self._header)
            noted = [] if is_foreign(path, self._header) else [*lines]
        except (OSError, StorageError) as error:
            raise self._failed(error) from error
        if not noted:
            return self.start_over()
        self._drop_pieces(noted[-1])
        return noted[-1]

    def start_over(self) -> int:
        """Throws away what was taken up."""
        self._progress.clear()
        self._progress.write(self._header)
        self._drop_pieces(0)
        self.rows = 0
        return 0

    def _drop_pieces(self, since: int) -> None:
        """Removes the pieces from this row on, which the note of how far the output has come does not know."""
        try:
            for piece in self._pieces():
                if int(piece.stem) >= since:
                    piece.unlink()
        except OSError as error:
            raise self._failed(error) from error

    def add(self, row: CodedRow) -> bool:
        """Takes one row; says whether a piece was written."""
        self.held.append(row)
        if len(self.held) < PIECE_ROWS and time.monotonic() - self.since < PIECE_SECONDS:
            return False
        self.flush()
        return True

    def flush(self) -> None:
        """Writes the rows at hand as one piece, then the note of how far the output has come."""
        if not self.held:
            return
        import polars as pl

        frame = self._frame(self.held)
        piece = self.folder / f"{self.rows:012d}.parquet"
        try:
            unfinished = piece.with_suffix(".part")
            frame.write_parquet(unfinished, compression="lz4")
            unfinished.replace(piece)
        except (OSError, pl.exceptions.PolarsError) as error:
            raise self._failed(error) from error
        self.rows, self.held, self.since = self.rows + frame.height, [], time.monotonic()
        self._progress.write(packed({"rows": self.rows}))
        self._progress.sync()

    def _frame(self, rows: Sequence[CodedRow]) -> pl.DataFrame:
        import polars as pl

        given = [row.coding for row in rows]
        new = [
            pl.Series(one.name, [None if it is None else one.value(it) for it in given], getattr(pl, one.type))
            for one in self.columns
        ]
        new.append(pl.Series(REASON, [row.reason for row in rows], pl.String))
        old = []
        for name, kind in self.inputs.items():
            cells = [row.row.get(name) for row in rows]
            cells = cells if kind is not None else [cell or None for cell in cells]
            old.append(pl.Series(_IN + name, cells, kind if kind is not None else pl.String))
        return pl.DataFrame([*old, *new])

    def finish(self) -> Tally:
        """Writes the last piece, puts the whole file in its place and clears the pieces away."""
        import polars as pl

        self.flush()
        whole = self.folder / f"whole{self.out.suffix.lower()}"
        try:
            pieces = pl.scan_parquet(self._pieces())
            filled = self._filled(pieces)
            names = self._names(filled)
            shaped = [pl.col(name).alias(shown) for name, shown in names.items()]
            if self.out.suffix.lower() == ".parquet":
                numbers = [names[name] for name in filled if name.startswith(_IN) and self._is_whole(pieces, name)]
                # A CSV cannot say that a column holds numbers; a Parquet file can.
                typed = pieces.select(shaped).with_columns(pl.col(numbers).cast(pl.Int64))
                typed.sink_parquet(whole, row_group_size=20_000)
            else:
                with whole.open("wb") as file:
                    for number, piece in enumerate(self._pieces()):
                        rows = pl.scan_parquet(piece).select(shaped).collect()
                        rows.write_csv(file, include_header=number == 0)
            tally = _tally(pieces)
            self._keep_earlier(whole)
            whole.replace(self.out)
        except (OSError, pl.exceptions.PolarsError) as error:
            raise self._failed(error) from error
        shutil.rmtree(self.folder, ignore_errors=True)
        self._progress.close()
        return tally

    def _keep_earlier(self, whole: Path) -> None:
        """Codes that somebody may have corrected by hand are not lost: what differs from the new file gets another
        name."""
        if self.out.is_file() and not filecmp.cmp(self.out, whole, shallow=False):
            marks = (f".earlier{'' if number == 1 else f'-{number}'}{self.out.suffix}" for number in count(1))
            names = (self.out.with_name(self.out.stem + mark) for mark in marks)
            self.earlier = next(path for path in names if not path.exists())
            self.out.replace(self.earlier)

    def _filled(self, pieces: pl.LazyFrame) -> list[str]:
        """Columns in which something stands, of those that may be left out and the text columns of the input."""
        import polars as pl

        lacking = [one.name for one in self.columns if one.may_lack]
        texts = [_IN + name for name, kind in self.inputs.items() if kind is None]
        counts = pieces.select(pl.col([*lacking, *texts]).count()).collect().row(0, named=True)
        return [name for name, count in counts.items() if count]

    def _is_whole(self, pieces: pl.LazyFrame, name: str) -> bool:
        """Whether every cell of a text column that holds one is a plain whole number."""
        import polars as pl

        column = pl.col(name)
        other = (column != column.cast(pl.Int64, strict=False).cast(pl.String)).fill_null(value=True)
        return self.inputs[name.removeprefix(_IN)] is None and not bool(
            pieces.select((column.is_not_null() & other).any()).collect().item()
        )

    def _names(self, filled: Collection[str]) -> dict[str, str]:
        """Columns as they stand in the pieces and as they are shown: new names go first, equal ones get a suffix."""
        new = [one.name for one in self.columns if not one.may_lack or one.name in filled] + [REASON]
        taken = {*new}
        names: dict[str, str] = {}
        for name in self.inputs:
            shown = name
            while shown in taken:
                shown += "_input"
            taken.add(shown)
            names[_IN + name] = shown
        return names | {name: name for name in new}

    def _pieces(self) -> list[Path]:
        return sorted(self.folder.glob("[0-9]*.parquet"))

    def _failed(self, error: Exception) -> StorageError:
        reason = why(error) if isinstance(error, OSError) else str(error).splitlines()[0]
        return StorageError(
            f"cannot write {self.out} ({reason}); what was there before is untouched, and what was coded so far is "
            "kept for the next try"
        )


def _tally(pieces: pl.LazyFrame) -> Tally:
    import polars as pl

    reasons = pieces.select(REASON).drop_nulls().group_by(REASON, maintain_order=True).len().collect()
    counts = pieces.select(pl.len(), pl.col("abstain").count().alias("coded"), pl.col("abstain").sum()).collect()
    rows, coded, abstained = map(int, counts.row(0))
    return Tally(rows, coded, abstained, dict(reasons.iter_rows()))
