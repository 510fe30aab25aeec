"""`maieutic score`: real transcripts in, one after another; codes, measures, a comparison of groups and a report out."""

from __future__ import annotations

import hashlib
import platform
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from maieutic.domain.episode import Score
from maieutic.errors import InputError, UnreadableFile
from maieutic.scoring.catalogue import MEASURES, measure_transcript
from maieutic.scoring.coded import (
    CodedTranscript,
    CodesFile,
    Predict,
    code_transcript,
    packaged_coder,
    read_codes,
)
from maieutic.scoring.groups import Comparison, SessionValues, choose_groups, compare_groups
from maieutic.scoring.readers import Source, Unread, open_sources
from maieutic.scoring.rows import score_row, score_schema, session_row, session_schema, turn_rows, turn_schema
from maieutic.scoring.run_files import FORMAT, KIND, RowSpool, check_folder, staged, write_json
from maieutic.scoring.summary import GroupValue, NotScored, ScoreSummary, score_rows
from maieutic.scoring.transcripts import Transcript, out_of_scope
from maieutic.stats import bootstrap_mean

SEED = 0
DRAWS = 2000
IN_SAMPLE = (
    "Codes are in-sample here: the coder was fitted on these sessions, so its codes, and what is computed from them, look "
    "better than they would on new sessions. Give out-of-fold codes with --codes FILE."
)

Progress = Callable[[int, int, str], None]
"""Called after each session with the number done, the number in all, and the source's name."""


def score_paths(
    paths: Sequence[Path],
    *,
    out: Path,
    columns: Mapping[str, str] | None = None,
    codes: Path | Sequence[Path] | None = None,
    progress: Progress | None = None,
    keep_text: bool = False,
    predict: Predict | None = None,
) -> ScoreSummary:
    """Scores real transcripts and writes a run folder.

    Args:
        paths: Files or folders: CSV, JSON lines, ConvoKit, text with speaker labels.
        out: Run folder; an earlier run of `score` in it is replaced only when this one succeeds.
        columns: Column names by key (session, speaker, text, group) and speaker names by role (therapist, client).
        codes: File or files with codes to use instead of the packaged coder's.
        progress: Called after each session.
        keep_text: Also writes what was said into turns.parquet; off, since transcripts are private.
        predict: A coder to use instead of the packaged one.

    Raises:
        InputError: bad input; nothing has been written.
        StorageError: the folder cannot be written; what was there before is untouched.
    """
    check_folder(out)
    sources, unread = open_sources(paths, columns)
    files = (codes,) if isinstance(codes, Path) else tuple(codes or ())
    given = read_codes(files) if files else None
    coder = None if given else predict or packaged_coder()
    sessions: list[SessionValues] = []
    left_out: list[NotScored] = []
    total = sum(source.sessions for source in sources)
    with staged(out) as folder:
        with (
            RowSpool(folder / "turns.parquet", turn_schema(keep_text)) as turns,
            RowSpool(folder / "scores.parquet", score_schema()) as scores,
            RowSpool(folder / "sessions.parquet", session_schema()) as listed,
        ):
            for done, transcript in enumerate(_transcripts(sources), start=1):
                coded, reason = _coded(transcript, given, coder)
                if coded is None:
                    left_out.append(NotScored(transcript.source, transcript.id, str(reason)))
                else:
                    found = measure_transcript(coded)
                    sessions.append(_values(coded, found))
                    turns.add(turn_rows(coded, keep_text))
                    scores.add([score_row(transcript, score) for score in found])
                listed.add([session_row(transcript, reason)])
                if progress is not None:
                    progress(done, total, transcript.source)
        if not sessions:
            raise InputError(f"none of {total} sessions could be scored. " + _reasons(left_out))
        summary = _summarise(out, sources, unread, left_out, sessions, _origin(given, predict, sources))
        write_json(folder / "scores.json", score_rows(summary))
        from maieutic.scoring.report import render_score_report

        (folder / "report.html").write_text(render_score_report(summary), encoding="utf-8")
        write_json(folder / "manifest.json", _manifest(summary, columns, files, keep_text))
    return summary


def _transcripts(sources: Sequence[Source]) -> Iterator[Transcript]:
    for source in sources:
        yield from source.read()


def _coded(
    transcript: Transcript, given: CodesFile | None, coder: Predict | None
) -> tuple[CodedTranscript | None, str | None]:
    reason = out_of_scope(transcript)
    if reason is not None:
        return None, reason
    if given is not None:
        coded = given.apply(transcript)
        if all(turn.label is None for turn in coded.turns):
            return None, f"{given.name} holds no codes for this session"
        return coded, None
    assert coder is not None
    return code_transcript(transcript, coder), None


def _origin(given: CodesFile | None, predict: Predict | None, sources: Sequence[Source]) -> tuple[str, tuple[str, ...]]:
    if given is not None:
        return f"codes from {given.name}", ()
    if predict is not None:
        return "codes from the coder that was handed in", ()
    in_sample = any(source.kind == "annomi" for source in sources)
    return "codes predicted by the packaged AnnoMI coder", (IN_SAMPLE,) if in_sample else ()


def _values(coded: CodedTranscript, found: Sequence[Score]) -> SessionValues:
    one = coded.transcript
    return SessionValues(one.id, one.group, one.words, len(one.utterances), {s.measure: s.value for s in found})


def _summarise(
    out: Path,
    sources: tuple[Source, ...],
    unread: tuple[Unread, ...],
    left_out: Sequence[NotScored],
    sessions: Sequence[SessionValues],
    origin: tuple[str, tuple[str, ...]],
) -> ScoreSummary:
    groups = choose_groups(sessions)
    others = sorted({one.group for one in sessions if one.group is not None} - set(groups or ()))
    named: list[str] = [*(groups or ()), *others]
    ids = [one.id for one in MEASURES]
    values = [_group_value(sessions, measure, group) for measure in ids for group in ("all", *named)]
    lengths = frozenset(one.id for one in MEASURES if one.length)
    comparisons: tuple[Comparison, ...] = ()
    if groups is not None:
        comparisons = compare_groups(sessions, groups, measures=ids, length_measures=lengths, seed=SEED, draws=DRAWS)
    codes, notes = origin
    return ScoreSummary(
        out, sources, unread, tuple(left_out), tuple(sessions), groups, tuple(values), comparisons, codes, notes
    )


def _group_value(sessions: Sequence[SessionValues], measure: str, group: str) -> GroupValue:
    members = [one.values[measure] for one in sessions if group == "all" or one.group == group]
    have = [value for value in members if value is not None]
    rng = random.Random(f"{SEED}/{measure}/{group}")
    return GroupValue(measure, group, bootstrap_mean(have, rng=rng, draws=DRAWS), len(members) - len(have))


def _reasons(left_out: Sequence[NotScored]) -> str:
    counts = Counter(one.reason for one in left_out)
    return "; ".join(f"{count} × {reason}" for reason, count in counts.most_common(5))


def _manifest(
    summary: ScoreSummary, columns: Mapping[str, str] | None, files: Sequence[Path], keep_text: bool
) -> dict[str, Any]:
    packages = {name: version(name) for name in ("maieutic", "numpy", "polars", "scikit-learn")}
    return {
        "format": FORMAT,
        "kind": KIND,
        "versions": {"python": platform.python_version(), **packages},
        "inputs": [
            {"name": one.name, "sha256": one.sha256, "kind": one.kind, "sessions": one.sessions}
            for one in summary.sources
        ],
        "unread": [{"name": one.name, "reason": one.reason} for one in summary.unread],
        "codes": {"from": summary.codes, "files": {path.name: _sha256(path) for path in files}},
        "columns": dict(columns or {}),
        "groups": list(summary.groups) if summary.groups else None,
        "scored": len(summary.sessions),
        "not_scored": dict(Counter(one.reason for one in summary.not_scored)),
        "notes": list(summary.notes),
        "measures": [one.id for one in MEASURES],
        "bootstrap": {"seed": SEED, "draws": DRAWS},
        "keep_text": keep_text,
    }


def _sha256(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise UnreadableFile(f"{path.name}: cannot be opened ({error.strerror})") from error
