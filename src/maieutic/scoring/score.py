"""`maieutic score`: real transcripts in, one after another; codes, measures, a comparison of groups and a report out.

A session leaves memory as soon as it is in the journal; the tables, the comparison and the pages are made from there.
"""

from __future__ import annotations

import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from maieutic.errors import InputError, UnreadableFile
from maieutic.measures.catalogue import measures_with, scores_of
from maieutic.measures.coded import CodedTranscript, Predict, Tier, code_transcript, further_coder, packaged_coder
from maieutic.measures.codes import repeated_share
from maieutic.measures.definition import Measure
from maieutic.measures.material import packaged_embedder
from maieutic.reading.plain import in_order, in_words
from maieutic.runs.files import RowSpool, staged, write_json
from maieutic.runs.folder import FORMAT
from maieutic.runs.work import Watch
from maieutic.scoring.doubt import Forms, Readings, bounds, doubts_of, told, told_forms
from maieutic.scoring.given import known_session, read_codes
from maieutic.scoring.groups import Comparison, PackedValues, SessionValues, choose_groups, compare_groups
from maieutic.scoring.score_run import (
    KIND,
    PAGES,
    SEED,
    STAGING,
    ScoreJournal,
    ScoreOptions,
    check_folder,
    hash_file,
    make_plan,
    versions,
)
from maieutic.scoring.summary import (
    SCORE_COLUMNS,
    SESSION_COLUMNS,
    GroupValue,
    NotScored,
    ScoreSummary,
    SessionPage,
    compared_of,
    misleads,
    score_row,
    score_rows,
    session_row,
    shown_of,
    turn_columns,
    turn_rows,
    write_columns,
    write_csv,
)
from maieutic.stats import bootstrap_mean
from maieutic.transcripts.opening import Unread, open_sources
from maieutic.transcripts.redaction import redact_transcript
from maieutic.transcripts.source import Source
from maieutic.transcripts.utterance import Transcript, out_of_scope

DRAWS = 2000
FEWER_DRAWS = 500
MANY_SESSIONS = 2000  # from here on the interval's own noise is small with fewer draws
MAX_PAGES = 30
CANNED = 0.5
"""Share of a session's longer therapist turns, said before in it word for word, from which on the report warns."""
_MAX_NAMED = 3
IN_SAMPLE = (
    "Codes are in-sample for {count} of {total} sessions: the packaged coder was fitted on them, so its codes, and "
    "what is computed from them, look better than they would on new sessions. Give out-of-fold codes with --codes FILE."
)


def score_paths(
    paths: Sequence[Path],
    *,
    out: Path,
    options: ScoreOptions | None = None,
    resume: bool = False,
    progress: Watch | None = None,
    predict: Predict | None = None,
    spread: Spread | None = None,
) -> ScoreSummary:
    """Scores real transcripts and writes a run folder.

    Args:
        paths: Files or folders: CSV, JSON lines, ConvoKit, text with speaker labels.
        out: Run folder; refused where it holds a result already.
        options: What is asked for besides.
        resume: Go on with an unfinished run of the same inputs and options in `out`.
        progress: Called after each session.
        predict: A coder to use instead of the packaged one.
        spread: Scores sessions elsewhere than in this process (`workers.scoring`).

    Raises:
        InputError: bad input; nothing has been written.
        StorageError: the folder cannot be written; what was there before is untouched.
    """
    chosen = options or ScoreOptions()
    check_folder(out)
    measures = measures_with(chosen.measures)  # an unknown one is told before anything is read
    sources, unread = open_sources(paths, chosen.columns, chosen.encoding)
    total = _count(sources, chosen.sessions)
    run = Scorer(chosen, total <= MAX_PAGES or bool(chosen.sessions), predict)
    plan = make_plan(sources, unread, chosen, coder=run.origin, measures=[one.id for one in measures])
    with ScoreJournal(out, plan, resume=resume) as journal:
        made = run.lines if spread is None else spread(chosen, run.with_pages)
        late = _fill(journal, (sources, chosen.sessions, total), made, progress)
        try:
            check_folder(out)
            with staged(out, name=STAGING, replaces=True) as folder:
                summary = _finish(out, folder, journal, run, sources, (*unread, *late))
        except InputError:
            journal.discard()
            raise
        journal.discard()
    return summary


TWIN = "the same words as "
MAX_TWINS = 3
Numbered = tuple[int, Transcript]
Made = tuple[int, str, dict[str, Any], tuple[tuple[str, str], ...]]
"""The number of a session, its source, its line of the journal, and (file name, HTML) of its pages where it has any."""
Lines = Callable[[Iterator[Numbered]], Iterator[Made]]
Spread = Callable[[ScoreOptions, bool], Lines]
"""Options, and whether with pages → what makes lines of sessions, in their order."""


def _fill(
    journal: ScoreJournal, asked: tuple[Sequence[Source], Sequence[str], int], made: Lines, progress: Watch | None
) -> tuple[Unread, ...]:
    """Puts what is not in the journal yet into it; the files that broke on the way, which does not stop the rest."""
    sources, sessions, total = asked
    skip, late = journal.done, list[Unread]()

    def waiting() -> Iterator[Numbered]:
        done, known = 0, dict[bytes, str]()
        for source in sources:
            try:
                for transcript in map(partial(_alike, known), _asked(source.read(), sessions)):
                    done += 1
                    if done > skip:
                        yield done, transcript
                    elif done == skip and progress is not None:
                        progress(done, total, transcript.source)
            except UnreadableFile as error:
                late.append(Unread(source.name, str(error)))

    for done, source, line, pages in made(waiting()):
        for name, page in pages:
            journal.add_page(name, page)
        journal.add(line)
        if progress is not None:
            progress(done, total, source)
    return tuple(late)


def _alike(known: dict[bytes, str], transcript: Transcript) -> Transcript:
    """The session, with a note where an earlier one holds the same words."""
    words = " ".join(word for one in transcript.utterances for word in (one.speaker, *one.text.lower().split()))
    named = f"{transcript.id} of {transcript.source}"
    earlier = known.setdefault(sha256(words.encode()).digest(), named)
    if earlier == named:
        return transcript
    note = f"{TWIN}{earlier}: one session counts twice; leave one of the two out"
    return replace(transcript, notes=(*transcript.notes, note))


class Scorer:
    """Codes and measures sessions one after another.

    Attributes:
        origin: Where the codes come from, in words.
        with_pages: Whether each session gets a page.
        options, measures: What is asked for, and what is computed.
    """

    def __init__(self, options: ScoreOptions, with_pages: bool, predict: Predict | None = None) -> None:
        """`predict` is a coder to use instead of the packaged one. Raises `UnreadableFile` for a file with codes."""
        tier: Tier = "accurate" if options.accurate else "fast"
        self.with_pages = with_pages
        self.options = options
        self._given = read_codes(options.codes) if options.codes else None
        self._coder = None if self._given else predict or packaged_coder(tier)
        self._further = further_coder(tier) if self._given and predict is None else None
        self._embedder = packaged_embedder() if options.alliance else None
        self.measures = measures_with(options.measures)
        if self._given is not None:
            self.origin = f"codes from {self._given.name}"
        elif predict is not None:
            self.origin = getattr(predict, "origin", "codes from the coder that was handed in")
        else:
            self.origin = f"codes predicted by the packaged AnnoMI coder ({tier})"

    def lines(self, sessions: Iterator[Numbered]) -> Iterator[Made]:
        """What the journal keeps of each session."""
        for number, transcript in sessions:
            yield self.line(number, transcript)

    def line(self, number: int, transcript: Transcript) -> Made:
        """What the journal keeps of one session, and its pages."""
        coded, reason = self._coded(transcript)
        line: dict[str, Any] = {"session": session_row(transcript, reason)}
        if coded is None:
            return number, transcript.source, line, ()
        if transcript.cleaned:
            line["cleaned"] = transcript.cleaned
        found = scores_of(replace(coded, embedder=self._embedder), self.measures)
        kept = transcript
        if self.options.redact and (self.options.keep_text or self.with_pages):
            kept = redact_transcript(transcript, self.options.names)
        texts = [said.text for said in kept.utterances]
        line["turns"] = turn_rows(coded, texts if self.options.keep_text else None)
        line["scores"] = [score_row(transcript, score) for score in found]
        readings, forms = doubts_of(coded)
        line["doubt"] = bounds(readings, forms)
        line["readings"] = [*Counter(readings).items()]
        line["forms"] = [(sorted(one), count) for one, count in Counter(forms).items()]
        if (share := repeated_share(coded)) >= CANNED:
            line["canned"] = share
        line["in_sample"] = in_sample = self._given is None and known_session(transcript) is not None
        pages: tuple[tuple[str, str], ...] = ()
        if self.with_pages:
            from maieutic.scoring.session_page import page_name, render_session_pages

            line["page"] = page_name(transcript.source, transcript.id, number)
            pages = tuple(
                render_session_pages(
                    line["page"],
                    coded,
                    found,
                    kept.utterances,
                    self.options,
                    codes=self.origin,
                    in_sample=in_sample,
                    doubt=line["doubt"],
                    measures=self.measures,
                )
            )
        return number, transcript.source, line, pages

    def _coded(self, transcript: Transcript) -> tuple[CodedTranscript | None, str | None]:
        reason = out_of_scope(transcript)
        if reason is not None:
            return None, reason
        if self._given is not None:
            try:
                coded = self._given.apply(transcript, self._further)
            except UnreadableFile as error:
                return None, str(error)
            if all(turn.label is None for turn in coded.turns):
                return None, f"{self._given.name} holds no codes for this session"
            return coded, None
        assert self._coder is not None
        return code_transcript(transcript, self._coder), None


def _asked(transcripts: Iterator[Transcript], sessions: Sequence[str]) -> Iterator[Transcript]:
    return (one for one in transcripts if not sessions or one.id in sessions)


def _count(sources: Sequence[Source], sessions: Sequence[str]) -> int:
    """Sessions to score; refuses ids that no source has."""
    if not sessions:
        return sum(source.sessions for source in sources)
    found = Counter(one.id for source in sources for one in source.read() if one.id in sessions)
    missing = [one for one in sessions if one not in found]
    if missing:
        some = [one.id for one, _ in zip(sources[0].read(), range(6), strict=False)]
        raise InputError(f"no session {missing[0]!r} in the input; sessions of {sources[0].name}: {', '.join(some)}, …")
    return found.total()


def _finish(
    out: Path,
    folder: Path,
    journal: ScoreJournal,
    run: Scorer,
    sources: tuple[Source, ...],
    unread: tuple[Unread, ...],
) -> ScoreSummary:
    """Writes tables, numbers and pages from the journal."""
    options, measures = run.options, run.measures
    sessions: list[SessionValues] = []
    left_out: list[NotScored] = []
    pages: list[SessionPage] = []
    in_sample, cleaned, twice = 0, Counter[str](), list[str]()
    reasons: dict[str, Counter[str]] = {one.id: Counter() for one in compared_of(measures)}
    canned: list[tuple[str, float]] = []
    read, asked = Counter[Readings](), Counter[Forms]()
    places = {one.id: place for place, one in enumerate(measures)}
    with (
        RowSpool(folder / "turns.parquet", turn_columns(options.keep_text)) as turns,
        RowSpool(folder / "scores.parquet", SCORE_COLUMNS) as scores,
        RowSpool(folder / "sessions.parquet", SESSION_COLUMNS) as listed,
    ):
        for line in journal.lines():
            source, session, group, scored, reason, length, words, own = line["session"]
            listed.add([tuple(line["session"])])
            if not scored:
                left_out.append(NotScored(source, session, reason))
                continue
            turns.add(list(map(tuple, line["turns"])))
            scores.add(list(map(tuple, line["scores"])))
            values = PackedValues(places, [row[4] for row in line["scores"]])
            doubt = {measure: (low, high) for measure, (low, high) in line["doubt"].items()}
            sessions.append(SessionValues(session, group, words, length, values, source, doubt))
            read.update({tuple(one): count for one, count in line["readings"]})
            asked.update({frozenset(one): count for one, count in line["forms"]})
            twice += [f"{session} of {source} holds {note}." for note in own if note.startswith(TWIN)]
            in_sample += line["in_sample"]
            cleaned.update(line.get("cleaned", {}))
            for _, _, _, measure, value, _, reason, _ in line["scores"]:
                if value is None and measure in reasons:
                    reasons[measure][reason] += 1
            if "canned" in line:
                canned.append((session, line["canned"]))
            if "page" in line:
                pages.append(SessionPage(source, session, f"{PAGES}/{line['page']}"))
    if not sessions:
        which = "the session" if len(left_out) == 1 else f"none of {len(left_out)} sessions"
        raise InputError(f"{which} could {'not ' * (len(left_out) == 1)}be scored: " + _reasons(left_out))
    if pages:
        shutil.copytree(journal.folder / PAGES, folder / PAGES)
    notes = [IN_SAMPLE.format(count=in_sample, total=len(sessions))] if in_sample else []
    notes += [*twice[:MAX_TWINS], *([f"So do {len(twice) - MAX_TWINS} more."] if len(twice) > MAX_TWINS else [])]
    if cleaned:
        notes.append(f"Made plain before it was read: {in_words(in_order(cleaned), 'utterances')}.")
    if canned:
        notes.append(_canned(canned))
    if unsure := told(read, accurate=options.accurate):
        notes.append(unsure)
    if either := told_forms(asked):
        notes.append(either)
    notes += [f"{one.name}: {note}." for one in sources for note in one.told]
    groups = choose_groups(sessions)
    values_by_group, comparisons = _compare(sessions, groups, measures)
    why = misleads(comparisons)
    notes += [why] if why and options.every else []
    summary = ScoreSummary(
        out,
        sources,
        unread,
        tuple(left_out),
        tuple(sessions),
        groups,
        values_by_group,
        comparisons,
        run.origin,
        tuple(notes),
        in_sample,
        tuple(pages),
        in_order(cleaned),
        reasons,
        options,
        measures,
    )
    write_json(folder / "scores.json", score_rows(summary))
    write_csv(summary, folder / "scores.csv", shown_of(measures, every=summary.options.every))
    write_csv(summary, folder / "scores-all.csv", measures)
    write_columns(folder / "columns.csv", measures)
    from maieutic.scoring.report import render_one_page, render_score_report

    (folder / "summary.html").write_text(render_one_page(summary), encoding="utf-8")
    (folder / "report.html").write_text(render_score_report(summary), encoding="utf-8")
    write_json(folder / "manifest.json", _manifest(summary))
    return summary


def _compare(
    sessions: Sequence[SessionValues], groups: tuple[str, str] | None, known: Sequence[Measure]
) -> tuple[tuple[GroupValue, ...], tuple[Comparison, ...]]:
    others = sorted({one.group for one in sessions if one.group is not None} - set(groups or ()))
    ids = [one.id for one in known]
    values = [_group_value(sessions, measure, group) for measure in ids for group in ("all", *(groups or ()), *others)]
    if groups is None:
        return tuple(values), ()
    compared = compared_of(known)
    lengths = frozenset(one.id for one in compared if one.length)
    draws = _draws(len(sessions))
    return tuple(values), compare_groups(
        sessions, groups, measures=[one.id for one in compared], length_measures=lengths, seed=SEED, draws=draws
    )


def _draws(sessions: int) -> int:
    return DRAWS if sessions <= MANY_SESSIONS else min(DRAWS, FEWER_DRAWS)


def _group_value(sessions: Sequence[SessionValues], measure: str, group: str) -> GroupValue:
    members = [one.values[measure] for one in sessions if group == "all" or one.group == group]
    have = [value for value in members if value is not None]
    rng = random.Random(f"{SEED}/{measure}/{group}")
    mean = bootstrap_mean(have, rng=rng, draws=_draws(len(sessions)))
    return GroupValue(measure, group, mean, len(members) - len(have))


def _canned(found: Sequence[tuple[str, float]]) -> str:
    told = ", ".join(f"{session} ({100 * share:.0f} % of them)" for session, share in found[:_MAX_NAMED])
    more = f" and {len(found) - _MAX_NAMED:,} more" if len(found) > _MAX_NAMED else ""
    return (
        "Canned talk: turns of the therapist repeat, word for word, what was said before in the session: "
        f"{told}{more}. The measures count such turns as any others."
    )


def _reasons(left_out: Sequence[NotScored]) -> str:
    counts = Counter(one.reason for one in left_out)
    if len(left_out) == 1:
        return left_out[0].reason
    return "; ".join(f"{count} times {reason}" for reason, count in counts.most_common(5))


def _manifest(summary: ScoreSummary) -> dict[str, Any]:
    options = summary.options
    return {
        "format": FORMAT,
        "kind": KIND,
        "versions": versions(),
        "inputs": [
            {"name": one.name, "sha256": one.sha256, "kind": one.kind, "sessions": one.sessions}
            for one in summary.sources
        ],
        "unread": [{"name": one.name, "reason": one.reason} for one in summary.unread],
        "codes": {"from": summary.codes, "files": {path.name: hash_file(path) for path in options.codes}},
        "columns": dict(options.columns),
        "groups": list(summary.groups) if summary.groups else None,
        "scored": len(summary.sessions),
        "not_scored": dict(Counter(one.reason for one in summary.not_scored)),
        "in_sample": summary.in_sample,
        "notes": list(summary.notes),
        "measures": [one.id for one in summary.measures],
        "bootstrap": {"seed": SEED, "draws": _draws(len(summary.sessions))},
        "keep_text": options.keep_text,
        "redacted": options.redact,
        "asked_for": list(options.sessions),
        "accurate": options.accurate,
        "alliance": options.alliance,
    } | ({"cleaned": dict(summary.cleaned)} if summary.cleaned else {})
