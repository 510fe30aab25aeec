"""The work of `maieutic code`: reads a table with one utterance a row, codes it, and writes the table with the codes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from maieutic.coding.book import Scheme
from maieutic.coding.schemes import get_scheme
from maieutic.errors import InputError, StorageError, UnreadableFile
from maieutic.scoring.code_layout import CodeLayout, find_code_layout, given_speaker
from maieutic.scoring.speakers import recognise
from maieutic.scoring.tables import check_columns, csv_header, csv_rows

if TYPE_CHECKING:
    import polars as pl

    from maieutic.coding.contract import Coding, Utterance

SPEAKERS = ("therapist", "client")
READABLE = (".csv", ".tsv", ".txt", ".parquet")
WRITABLE = (".csv", ".parquet")
REASON = "not_coded_because"


@dataclass(frozen=True, slots=True)
class CodedSummary:
    """What was coded.

    Attributes:
        rows: Rows of the table.
        coded: Rows with a code.
        abstained: Coded rows on which the coder is among its least certain.
        not_coded: Number of rows by reason.
        sessions: Number of sessions the table was split into.
        out: The file that was written.
    """

    rows: int
    coded: int
    abstained: int
    not_coded: Mapping[str, int]
    sessions: int
    out: Path


def code_file(
    path: Path,
    *,
    scheme: str,
    out: Path,
    columns: Mapping[str, str] | None = None,
    speaker: str | None = None,
) -> CodedSummary:
    """Codes every therapist and client utterance of a table under a published scheme.

    Writes every input column (one that has the name of a new column gets the suffix `_input`), then `predicted`
    (several codes joined by `|`, the likeliest first), `abstain`, `p_<label>` for each label of both speakers, and
    `not_coded_because` for rows that are nobody's or hold no text. Rows that repeat an utterance of a session (several
    annotators) are coded once and filled alike.

    Args:
        path: CSV (UTF-8) or Parquet; AnnoMI, HLQC and BOLT are recognised by their columns.
        scheme: 'annomi' or 'bolt'.
        out: CSV or Parquet file, by its suffix. It is written beside and moved into place when whole.
        columns: Column names by role (session, speaker, text) and speaker names (therapist, client).
        speaker: Who speaks in every row, for a table without a speaker column.

    Raises:
        InputError: The scheme, an option, the input or the name of the output cannot be used.
        StorageError: The output cannot be written.
    """
    path, out = Path(path), Path(out)
    book = get_scheme(scheme)
    if out.suffix.lower() not in WRITABLE:
        raise InputError(f"--out {out}: expected a file name that ends in .csv or .parquet")
    chosen = check_columns(columns)
    if speaker is not None and speaker not in SPEAKERS:
        raise InputError(f"--speaker {speaker!r}: expected therapist or client")
    frame = read_frame(path)
    if out.exists() and out.samefile(path):
        raise InputError(f"--out {out} is the input itself; choose another name")
    layout = find_code_layout(frame.columns, path.name, chosen, speaker=speaker)
    sessions, reasons = _sessions(frame, layout, chosen, book, path.name)
    codings = _code(book, sessions)
    _write(_with_codes(frame, book, codings, reasons), out)
    return CodedSummary(
        rows=frame.height,
        coded=len(codings),
        abstained=sum(coding.abstain for coding in codings.values()),
        not_coded=dict(Counter(reasons.values())),
        sessions=len(sessions),
        out=out,
    )


def read_frame(path: Path) -> pl.DataFrame:
    """A CSV table with every cell as text (an empty one is missing), or a Parquet table as it is."""
    import polars as pl

    name, suffix = path.name, path.suffix.lower()
    if not path.exists():
        raise UnreadableFile(f"{path}: no such file")
    if path.is_dir():
        raise UnreadableFile(f"{path} is a folder; `code` expects one CSV or Parquet table")
    if suffix not in READABLE:
        raise UnreadableFile(f"{name}: expected a table that ends in {', '.join(READABLE)}")
    try:
        if path.stat().st_size == 0:
            raise UnreadableFile(f"{name} is empty; expected a header line and one utterance a row")
        if suffix == ".parquet":
            frame = pl.read_parquet(path)
        else:
            header, delimiter = csv_header(path, name)
            cells = [tuple(cell or None for cell in row.values()) for _, row in csv_rows(path, name, delimiter)]
            frame = pl.DataFrame(cells, schema=dict.fromkeys(header, pl.String), orient="row")
    except UnicodeDecodeError as error:
        raise UnreadableFile(
            f"{name} is not UTF-8 text (byte {error.start}); save it as UTF-8 and try again"
        ) from error
    except pl.exceptions.PolarsError as error:
        raise UnreadableFile(f"{name}: not readable as a table ({str(error).splitlines()[0]})") from error
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read ({error.strerror or error})") from error
    if not frame.height:
        raise UnreadableFile(f"{name} has a header but no row; expected one utterance a row")
    return frame


_Session = tuple[list["Utterance"], list[list[int]]]


def _sessions(
    frame: pl.DataFrame, layout: CodeLayout, chosen: Mapping[str, str], book: Scheme, name: str
) -> tuple[list[_Session], dict[int, str]]:
    """The dialogues with the table rows of each utterance, and why other rows hold none."""
    from maieutic.coding.contract import Utterance

    def cells(column: str | None) -> Sequence[str]:
        if column is None:
            return [""] * frame.height
        return ["" if value is None else str(value) for value in frame[column]]

    named = {role: chosen[role] for role in SPEAKERS if role in chosen}
    everyone = layout.everyone or (given_speaker(name, cells(layout.labels)) if layout.speaker is None else None)
    found: dict[str, _Session] = {}
    places: dict[tuple[str, str], list[int]] = {}
    reasons: dict[int, str] = {}
    lines = zip(cells(layout.session), cells(layout.turn), cells(layout.speaker), cells(layout.text), strict=True)
    for at, (session, turn, raw, text) in enumerate(lines):
        voice = None if everyone else recognise(raw, named)
        role = everyone or (voice.role if voice else "other")
        if role not in SPEAKERS:
            reasons[at] = f"speaker {raw!r} is neither therapist nor client" if raw.strip() else "no speaker"
            continue
        if not text.strip():
            reasons[at] = "no text"
            continue
        # A multi-label head reads each utterance by itself, so that one call serves the whole table.
        dialogue = str(at) if layout.is_loose and not book.multi_label else session
        if turn and (dialogue, turn) in places:
            places[dialogue, turn].append(at)
            continue
        utterances, rows = found.setdefault("" if book.multi_label else dialogue, ([], []))
        places[dialogue, turn] = [at]
        utterances.append(Utterance(role, text))
        rows.append(places[dialogue, turn])
    return list(found.values()), reasons


def _code(book: Scheme, sessions: Sequence[_Session]) -> dict[int, Coding]:
    from maieutic.coding.embedded import EmbeddedCoder

    coder = EmbeddedCoder(book.id)
    codings: dict[int, Coding] = {}
    for utterances, rows in sessions:
        for coding, alike in zip(coder.predict(utterances), rows, strict=True):
            codings.update(dict.fromkeys(alike, coding))
    return codings


def _with_codes(
    frame: pl.DataFrame, book: Scheme, codings: Mapping[int, Coding], reasons: Mapping[int, str]
) -> pl.DataFrame:
    import polars as pl

    rows = range(frame.height)
    given = [codings.get(at) for at in rows]
    new = [
        pl.Series("predicted", [None if one is None else "|".join(one.predicted) for one in given], pl.String),
        pl.Series("abstain", [None if one is None else one.abstain for one in given], pl.Boolean),
    ]
    for label in (*book.therapist, *book.client):
        numbers = [None if one is None else one.probabilities.get(label.id) for one in given]
        new.append(pl.Series(f"p_{label.column}", numbers, pl.Float64).round(6))
    new.append(pl.Series(REASON, [reasons.get(at) for at in rows], pl.String))
    taken = {series.name for series in new}
    renamed: list[str] = []
    for column in frame.columns:
        kept = column
        while kept in taken:
            kept += "_input"
        taken.add(kept)
        renamed.append(kept)
    return frame.rename(dict(zip(frame.columns, renamed, strict=True))).with_columns(new)


def _write(frame: pl.DataFrame, out: Path) -> None:
    import polars as pl

    unfinished = out.with_name(f".{out.name}.unfinished")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        try:
            if out.suffix.lower() == ".parquet":
                _whole_numbers(frame).write_parquet(unfinished)
            else:
                frame.write_csv(unfinished)
            unfinished.replace(out)
        finally:
            unfinished.unlink(missing_ok=True)
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
        raise StorageError(f"cannot write {out} ({reason}); what was there before is untouched") from error


def _whole_numbers(frame: pl.DataFrame) -> pl.DataFrame:
    """Text columns that hold nothing but plain whole numbers, as integers: a CSV cannot say what a Parquet can."""
    import polars as pl

    changed = []
    for column in frame.iter_columns():
        if column.dtype == pl.String and column.null_count() < len(column):
            numbers = column.cast(pl.Int64, strict=False)
            if numbers.cast(pl.String).equals(column, null_equal=True, check_names=False):
                changed.append(numbers)
    return frame.with_columns(changed)
