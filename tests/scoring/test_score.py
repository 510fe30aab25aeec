"""`score` from files to run folder: what it writes, what it leaves out, and that a failure harms nothing."""

from __future__ import annotations

import hashlib
import io
import json
import re
import subprocess
import sys
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from own_sessions import PUSHY, TALK, annomi_file, as_text, chat_line, stand_in, write_csv
from rich.console import Console

from maieutic.errors import InputError, RunFolderError, StorageError
from maieutic.measures.catalogue import OF_TRANSCRIPTS
from maieutic.runs import figures
from maieutic.runs.folder import free_folder
from maieutic.scoring import given as in_sample
from maieutic.scoring import report as charts
from maieutic.scoring import score as module
from maieutic.scoring import session_page
from maieutic.scoring.given import hash_words
from maieutic.scoring.groups import Comparison, verdict
from maieutic.scoring.report import render_one_page
from maieutic.scoring.score import score_paths
from maieutic.scoring.score_run import ScoreOptions
from maieutic.scoring.summary import ScoreSummary, format_table, misleads
from maieutic.stats import Interval

DATA = Path(__file__).resolve().parents[2] / ".." / "shared" / "data"
FILES = {
    "manifest.json",
    "report.html",
    "summary.html",
    "scores-all.csv",
    "columns.csv",
    "scores.csv",
    "scores.json",
    "scores.parquet",
    "sessions.parquet",
    "turns.parquet",
}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few bootstrap draws and no drawing; a test that needs the real thing calls `monkeypatch.undo()`."""
    monkeypatch.setattr(module, "DRAWS", 100)
    monkeypatch.setattr(figures, "drawn", lambda *chart, **size: "<svg></svg>")


def run(
    *paths: Path, out: Path, predict: Any = stand_in, progress: Any = None, resume: bool = False, **more: Any
) -> ScoreSummary:
    return score_paths(paths, out=out, options=ScoreOptions(**more), predict=predict, progress=progress, resume=resume)


def shown(summary: ScoreSummary) -> str:
    console = Console(width=200, file=io.StringIO())
    console.print(format_table(summary))
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def test_a_run_folder_holds_everything_and_no_word_that_was_said(tmp_path: Path) -> None:
    source = annomi_file(tmp_path / "in.csv", sessions=6)
    summary = run(source, out=tmp_path / "run")
    assert {path.name for path in (tmp_path / "run").iterdir()} == FILES | {"sessions"}
    turns = pl.read_parquet(tmp_path / "run" / "turns.parquet")
    assert turns.height == 3 * len(TALK) + 3 * len(PUSHY)
    assert "text" not in turns.columns
    assert turns.row(0, named=True)["predicted"] == "question"
    assert turns.row(0, named=True)["p_question"] == 0.9
    assert turns.row(0, named=True)["p_reflection"] is None
    scores = pl.read_parquet(tmp_path / "run" / "scores.parquet")
    assert scores.height == 6 * len(OF_TRANSCRIPTS)
    assert (scores["value"].is_null() == scores["reason"].is_not_null()).all()
    reflected = scores.filter(measure="reflection_rate", session="0").row(0, named=True)
    assert (reflected["value"], reflected["evidence"]) == (pytest.approx(1 / 3), [2])
    for name, content in contents(tmp_path / "run").items():
        assert name.startswith("sessions/") or b"garden" not in content, name
        assert str(tmp_path).encode() not in content, name
    assert summary.groups == ("high", "low")


def test_the_manifest_names_inputs_by_hash_and_versions(tmp_path: Path) -> None:
    source = annomi_file(tmp_path / "in.csv")
    run(source, out=tmp_path / "run")
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text("utf-8"))
    assert (manifest["format"], manifest["kind"]) == (1, "score")
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    assert manifest["inputs"] == [{"name": "in.csv", "sha256": digest, "kind": "annomi", "sessions": 3}]
    assert {"maieutic", "python", "numpy"} <= set(manifest["versions"])


def test_scores_json_has_means_and_aucs_in_one_shape(tmp_path: Path) -> None:
    run(annomi_file(tmp_path / "in.csv", sessions=8), out=tmp_path / "run")
    rows = json.loads((tmp_path / "run" / "scores.json").read_text("utf-8"))
    assert all(set(row) == {"measure", "group", "value", "low", "high", "n", "missing"} for row in rows)
    by_key = {(row["measure"], row["group"]): row for row in rows}
    assert by_key["therapist_input_rate", "high"]["value"] == pytest.approx(1 / 3)
    assert by_key["therapist_input_rate", "all"]["n"] == 4
    assert by_key["therapist_input_rate", "low"]["missing"] == 4  # two therapist turns are too few
    assert by_key["auc.therapist_talk_share", "high vs low"]["value"] in (0.0, 1.0)


def test_two_runs_are_alike_byte_for_byte(tmp_path: Path) -> None:
    source = annomi_file(tmp_path / "in.csv", sessions=8)
    for name in ("a", "b"):
        run(source, out=tmp_path / name)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_every_format_gives_the_same_scores(tmp_path: Path) -> None:
    rows = [["s", who, text] for who, text in TALK]
    files = [
        write_csv(tmp_path / "s.csv", ["session", "speaker", "text"], rows),
        tmp_path / "c.jsonl",
        tmp_path / "t.txt",
    ]
    files[1].write_text(chat_line("s"), "utf-8")
    files[2].write_text(as_text(names=("T", "C")), "utf-8")
    values = [run(path, out=tmp_path / path.suffix[1:]).sessions[0].values for path in files]
    assert values[0] == values[1] == values[2]


def test_what_is_left_out_is_counted_named_and_not_scored(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_text(as_text(), "utf-8")
    (folder / "group.txt").write_text("T: Hi.\nClient A: Hi.\nClient B: Hi.\nT: So.\n", "utf-8")
    (folder / "short.txt").write_text("T: Hi.\nC: Hi.\n", "utf-8")
    (folder / "bad.csv").write_bytes(b"\xff\xfe")
    seen: list[tuple[int, int, str]] = []
    summary = run(folder, out=tmp_path / "run", progress=lambda done, total, name: seen.append((done, total, name)))
    assert [(done, total) for done, total, _ in seen] == [(1, 3), (2, 3), (3, 3)]
    assert len(summary.sessions) == 1
    assert [one.source for one in summary.not_scored] == ["group.txt", "short.txt"]
    listed = pl.read_parquet(tmp_path / "run" / "sessions.parquet")
    assert listed["scored"].to_list() == [True, False, False]
    for place in (shown(summary), (tmp_path / "run" / "report.html").read_text("utf-8")):
        assert "3 speakers" in place and "bad.csv: the file is empty" in place
    assert json.loads((tmp_path / "run" / "manifest.json").read_text("utf-8"))["unread"][0]["name"] == "bad.csv"


def test_nothing_in_scope_is_an_error_and_leaves_no_folder(tmp_path: Path) -> None:
    path = tmp_path / "short.txt"
    path.write_text("T: Hi.\nC: Hi.\n", "utf-8")
    with pytest.raises(InputError, match=r"the session could not be scored: too short \(2 turns"):
        run(path, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_one_session_in_two_files_is_told(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        annomi_file(tmp_path / name, sessions=1)
    summary = run(tmp_path / "a.csv", tmp_path / "b.csv", out=tmp_path / "run")
    (note,) = [one for one in summary.notes if "same words" in one]
    assert note == "0 of b.csv holds the same words as 0 of a.csv: one session counts twice; leave one of the two out."


def test_training_sessions_are_known_by_their_words_whatever_file_they_stand_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "packaged_coder", lambda tier: stand_in)
    words = hash_words(text for _, text in TALK)
    monkeypatch.setattr(in_sample, "_known", lambda: {words: "AnnoMI"})
    shouted = [(who, text.upper().replace(",", "")) for who, text in TALK]
    (tmp_path / "known.jsonl").write_text(chat_line("k", shouted) + "\n" + chat_line("p", PUSHY), "utf-8")
    known = score_paths([tmp_path / "known.jsonl"], out=tmp_path / "a")
    assert known.in_sample == 1
    for place in (shown(known), (tmp_path / "a" / "report.html").read_text("utf-8")):
        assert "Codes are in-sample for 1 of 2 sessions" in place
    pages = [(tmp_path / "a" / one.file).read_text("utf-8") for one in known.pages]
    assert ["fitted on this session" in page for page in pages] == [True, False]
    own = score_paths(
        [annomi_file(tmp_path / "in.csv", sessions=1)], out=tmp_path / "b", options=ScoreOptions(accurate=True)
    )
    assert own.in_sample == 1  # by the words, not by the header
    (tmp_path / "new.txt").write_text(as_text(PUSHY), "utf-8")
    assert score_paths([tmp_path / "new.txt"], out=tmp_path / "c").notes == ()


@pytest.mark.skipif(not DATA.is_dir(), reason="the research data (../shared/data) is not here")
def test_every_session_of_the_training_data_is_known() -> None:
    for name, count in (("AnnoMI-simple.csv", 88), ("AnnoMI-full.csv", 88)):
        source = module.open_sources([DATA / "annomi" / name])[0][0]
        assert sum(in_sample.known_session(one) == "AnnoMI" for one in source.read()) == count
    other = module.open_sources([DATA / "hlqc" / "HLQC.csv"])[0][0]
    assert not any(in_sample.known_session(one) for one in other.read())


def test_the_packaged_coder_itself(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text(as_text(), "utf-8")
    summary = score_paths([tmp_path / "one.txt"], out=tmp_path / "run", options=ScoreOptions())
    turns = pl.read_parquet(tmp_path / "run" / "turns.parquet")
    assert turns["predicted"][0] == "question"
    probabilities = turns.select("p_question", "p_reflection", "p_therapist_input", "p_other").row(0)
    assert sum(probabilities) == pytest.approx(1.0)
    assert summary.codes == "codes predicted by the packaged AnnoMI coder (fast)"


def test_text_is_kept_only_when_asked_for(tmp_path: Path) -> None:
    run(annomi_file(tmp_path / "in.csv"), out=tmp_path / "run", keep_text=True)
    assert pl.read_parquet(tmp_path / "run" / "turns.parquet")["text"][0] == TALK[0][1]


@pytest.mark.slow
def test_the_page_is_whole_in_itself_and_escapes_what_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    rows = [[s, who, text, "<b>x</b>" if s % 2 else "high"] for s in range(4) for who, text in TALK]
    source = write_csv(tmp_path / "<i>.csv", ["session", "speaker", "text", "group"], rows)
    run(source, out=tmp_path / "run", all_measures=True)
    page = (tmp_path / "run" / "report.html").read_text("utf-8")
    assert "<b>x" not in page and "<i>.csv" not in page
    assert "<script" not in page and "src=" not in page and "@import" not in page
    assert page.count("<svg") >= 20 and 'role="img"' in page
    for link in ('href="http', "url(http"):
        assert link not in page
    assert "Likeness to MI demonstrations is not shown" in page  # these groups differ in nothing but letters
    for measure in (one for one in OF_TRANSCRIPTS if not one.id.startswith("mi_demonstration_likeness")):
        assert measure.title.replace("'", "&#39;") in page
        assert measure.detail or measure.meaning.replace("'", "&#39;") in page


def test_a_single_group_is_described_and_not_compared(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text(as_text(), "utf-8")
    summary = run(tmp_path / "one.txt", out=tmp_path / "run")
    assert summary.groups is None and summary.comparisons == ()
    assert shown(summary).startswith("one session")
    assert "AUC" not in (tmp_path / "run" / "report.html").read_text("utf-8")


def test_other_run_folders_are_not_overwritten(tmp_path: Path) -> None:
    source = annomi_file(tmp_path / "in.csv")
    for manifest, told in (
        ({"format": 2, "kind": "score"}, "reads formats up to 1"),
        ({"format": 1, "kind": "evaluate"}, "a run of kind 'evaluate'"),
        ({}, "names no format"),
    ):
        out = tmp_path / f"run {told[:5]}"
        out.mkdir()
        (out / "manifest.json").write_text(json.dumps(manifest), "utf-8")
        before = contents(out)
        with pytest.raises(RunFolderError, match=told):
            run(source, out=out)
        assert contents(out) == before
    with pytest.raises(RunFolderError, match="is a file"):
        run(source, out=source)
    run(source, out=tmp_path / "first")
    before = contents(tmp_path / "first")
    with pytest.raises(
        RunFolderError, match=r"earlier result, which is not replaced; choose another --out, such as .*first-2"
    ):
        run(source, out=tmp_path / "first")
    assert contents(tmp_path / "first") == before
    assert free_folder(tmp_path / "first") == tmp_path / "first-2"


def test_scores_come_as_a_table_with_one_row_a_session(tmp_path: Path) -> None:
    run(annomi_file(tmp_path / "in.csv", sessions=4), out=tmp_path / "run")
    table = pl.read_csv(tmp_path / "run" / "scores.csv")
    assert table["session"].to_list() == [0, 1, 2, 3] and table["group"].to_list() == ["high", "low"] * 2
    assert table["session_turns"].to_list() == [len(TALK), len(PUSHY)] * 2
    assert table["reflection_rate"].null_count() == 2  # too few therapist turns: an empty cell, not a 0
    assert pl.read_csv(tmp_path / "run" / "scores-all.csv")["client_first_share (not validated)"].null_count() == 4


def long_sessions(path: Path) -> Path:
    rows = [
        [number, who, text, "low" if number % 2 else "high"]
        for number in range(16)
        for who, text in (PUSHY * (4 + number // 4) if number % 2 else TALK * (3 + number // 4))
    ]
    return write_csv(path, ["session", "speaker", "text", "group"], rows)


def test_mi_demonstration_likeness_is_not_shown_where_the_number_of_words_parts_the_groups_as_well(
    tmp_path: Path,
) -> None:
    summary = run(long_sessions(tmp_path / "in.csv"), out=tmp_path / "run", all_measures=True)

    def parted(words: float) -> ScoreSummary:
        found = {
            "mi_demonstration_likeness": Interval(0.75, 0.6, 0.9, 16),
            "session_words": Interval(words, 0.1, 0.95, 16),
        }
        comparisons = tuple(replace(one, raw=found.get(one.measure, one.raw)) for one in summary.comparisons)
        return replace(summary, comparisons=comparisons)

    assert parted(0.7).families()[-1][0] == "Likeness to MI demonstrations"
    for words in (0.8, 0.2):
        assert "Likeness to MI demonstrations" not in dict(parted(words).families())
        told = misleads(parted(words).comparisons)
        assert told is not None and "the number of words alone parts these groups as well or better" in told
        assert "Likeness to MI demonstrations" not in shown(parted(words)).partition("sessions scored")[0]
        assert "Likeness to MI demonstrations" not in render_one_page(parted(words))


def test_the_table_fits_eighty_columns_with_every_name_whole_and_its_legend_is_shorter(tmp_path: Path) -> None:
    summary = run(long_sessions(tmp_path / "in.csv"), out=tmp_path / "run", all_measures=True)
    console = Console(width=80, file=io.StringIO())
    console.print(format_table(summary))
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert "…" not in "".join(lines) and max(map(len, lines)) <= 80
    end = next(at for at, line in enumerate(lines) if "sessions scored from" in line)
    assert len(lines) - end < end


def test_a_long_session_is_paged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_page, "TURNS", 20)
    (tmp_path / "long.txt").write_text(as_text(TALK * 10), "utf-8")
    run(tmp_path / "long.txt", out=tmp_path / "run")
    pages = sorted((tmp_path / "run" / "sessions").iterdir())
    assert [page.name for page in pages] == ["01-long-long-2.html", "01-long-long-3.html", "01-long-long.html"]
    first = pages[2].read_text("utf-8")
    assert 'id="t19"' in first and 'id="t20"' not in first
    assert "Turns 1 to 20, page 1 of 3" in first and 'href="01-long-long-2.html">next' in first
    assert "on this page" in first and "60 turns, " in first


@pytest.mark.full
@pytest.mark.timeout(600)
def test_the_pages_of_twenty_thousand_turns_are_each_small(tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text(as_text((TALK * 3_334)[:20_000]), "utf-8")
    run(tmp_path / "long.txt", out=tmp_path / "run")
    pages = list((tmp_path / "run" / "sessions").iterdir())
    assert len(pages) == -(-20_000 // session_page.TURNS)
    assert max(page.stat().st_size for page in pages) < 1_000_000
    assert sum(page.read_text("utf-8").count('id="t') for page in pages) >= 20_000


FULL_DISK = """
import resource, sys

sys.dont_write_bytecode = True  # a file cut off at the limit would be read by the next test
from pathlib import Path
sys.path.insert(0, {tests!r})
from own_sessions import stand_in
from maieutic.errors import StorageError
from maieutic.scoring.report import render_one_page
from maieutic.runs.folder import free_folder
from maieutic.scoring.score import score_paths
from maieutic.scoring.score_run import ScoreOptions
resource.setrlimit(resource.RLIMIT_FSIZE, ({most}, {most}))
try:
    score_paths([Path({source!r})], out=Path({out!r}), predict=stand_in)
except StorageError as error:
    print(error)
    sys.exit(2)
"""


@pytest.mark.parametrize("most", [100, 20_000])
def test_a_write_error_of_the_system_leaves_no_half_result(tmp_path: Path, most: int) -> None:
    source = annomi_file(tmp_path / "in.csv")
    script = FULL_DISK.format(
        tests=str(Path(__file__).parent), most=most, source=str(source), out=str(tmp_path / "run")
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 2, done.stderr
    assert "cannot write to" in done.stdout
    left = contents(tmp_path / "run") if (tmp_path / "run").exists() else {}
    assert all(name.startswith("journal/") for name in left)


def test_an_unwritable_place_is_a_storage_error(tmp_path: Path) -> None:
    source = annomi_file(tmp_path / "in.csv")
    with pytest.raises(StorageError, match="cannot write to"):
        run(source, out=source / "below" / "a" / "file")


@pytest.mark.slow
def test_memory_does_not_grow_with_the_number_of_sessions(tmp_path: Path) -> None:
    def peak(sessions: int) -> int:
        talk = [(who, text * 20) for who, text in TALK]
        path = tmp_path / f"{sessions}.jsonl"
        path.write_text("\n".join(chat_line(str(i), talk) for i in range(sessions)), "utf-8")
        tracemalloc.start()
        for source in module.open_sources([path])[0]:
            for transcript in source.read():
                stand_in(transcript)
        top = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return top

    peak(5)
    assert peak(1_000) < 2 * peak(50) + 1_000_000


HIGH, LOW, WIDE = (0.9, 0.8, 0.95), (0.2, 0.1, 0.3), (0.6, 0.4, 0.8)


def comparison(
    raw: tuple[float, float, float],
    residual: tuple[float, float, float],
    matched: tuple[float | None, float | None, float | None],
    n: int = 25,
) -> Comparison:
    intervals = [Interval(*bounds, n=2 * n) for bounds in (raw, residual, matched)]
    return Comparison("m", ("high", "low"), (1, 0), (n, n), (0, 0), *intervals, 0, 0.01)


@pytest.mark.parametrize(
    ("one", "told", "tone"),
    [
        (comparison(HIGH, HIGH, HIGH), "Higher in high, also at like length.", "holds"),
        (comparison(LOW, LOW, LOW), "Higher in low, also at like length.", "holds"),
        (comparison(HIGH, WIDE, HIGH), "at like length the difference is not certain", "open"),
        (comparison(HIGH, HIGH, WIDE), "at like length the difference is not certain", "open"),
        (comparison(HIGH, LOW, HIGH), "at like length the difference is not certain", "open"),
        (comparison(HIGH, HIGH, (None, None, None)), "too few pairs of like length", "open"),
        (comparison(HIGH, HIGH, HIGH, n=7), "only 7 sessions with a value", "open"),
        (comparison(WIDE, HIGH, HIGH), "Does not tell the groups apart", "none"),
    ],
)
def test_the_sentence_on_a_measure_follows_from_its_intervals(one: Comparison, told: str, tone: str) -> None:
    assert told in verdict(one)[0]
    assert verdict(one)[1] == tone


@pytest.mark.full
@pytest.mark.skipif(not DATA.is_dir(), reason="the research data (../shared/data) is not here")
def test_advice_and_reflections_tell_high_from_low_demonstrations_by_annotators_codes(tmp_path: Path) -> None:
    frame = pl.read_csv(DATA / "annomi" / "AnnoMI-simple.csv")
    codes = frame.select(
        "transcript_id", "utterance_id", predicted=pl.coalesce("main_therapist_behaviour", "client_talk_type")
    )
    codes.write_csv(tmp_path / "gold.csv")
    summary = run(DATA / "annomi" / "AnnoMI-simple.csv", out=tmp_path / "run", codes=(tmp_path / "gold.csv",))
    auc = {one.measure: one for one in summary.comparisons}
    # Known from the annotators' labels: reflections 0.90 (high), advice and input 0.91 (low), length alone 0.74.
    assert auc["reflection_rate"].raw.estimate == pytest.approx(0.90, abs=0.02)
    assert auc["therapist_input_rate"].raw.estimate == pytest.approx(1 - 0.91, abs=0.02)
    assert auc["session_turns"].raw.estimate == pytest.approx(0.74, abs=0.02)
    assert auc["open_question_share"].raw.excludes(0.5)  # from three questions a session on


def sessions_of(path: Path, *talks: tuple[str, int]) -> Path:
    """Sessions by what the therapist says, turn by turn ('{n}' is the turn), and how often."""
    rows = [
        [f"s{number}", who, text.format(n=n)]
        for number, (said, turns) in enumerate(talks)
        for n in range(turns)
        for who, text in (("therapist", said), ("client", "I ruin everything, I thought in week {n}."))
    ]
    return write_csv(path, ["session", "speaker", "text"], rows)


ASKED = "What went through your mind in week {n}?"


def text_of(page: Path) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page.read_text(encoding="utf-8")).split())


def test_the_report_has_every_measure_in_every_session(tmp_path: Path) -> None:
    summary = run(sessions_of(tmp_path / "in.csv", (ASKED, 4), (ASKED, 12)), out=tmp_path / "run", all_measures=True)
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    table = page.partition('aria-label="Every measure in every session"')[2].partition("</table>")[0]
    heads = re.findall(r'<th scope="col">(.*?)</th>', table)
    assert heads == ["measure", "s0", "s1"]
    rows = {
        title: re.findall("<td>(.*?)</td>", cells)
        for title, cells in re.findall(r'<th scope="row">(.*?)</th>(.*?)</tr>', table)
    }
    assert rows["Session length in turns"] == ["8.0", "24.0"]
    assert rows["Guided discovery"] == ["–", "6.0"]
    assert "Bond, therapist" not in rows and len(summary.sessions) == 2


def test_with_many_sessions_the_report_names_the_table_for_a_spreadsheet(tmp_path: Path) -> None:
    run(sessions_of(tmp_path / "in.csv", *[(ASKED, 2)] * 31), out=tmp_path / "run")
    assert "With more than 30 sessions the table of every measure in every session is scores-all.csv" in text_of(
        tmp_path / "run" / "report.html"
    )


def test_the_report_says_why_an_item_of_competence_is_missing_in_a_short_session(tmp_path: Path) -> None:
    run(sessions_of(tmp_path / "in.csv", (ASKED, 4), (ASKED, 12)), out=tmp_path / "run", all_measures=True)
    told = "4 discovering or telling therapist turns; at least 10 are needed: below that one turn more would move it too far"
    assert f"No value: 1 of all ({told})." in text_of(tmp_path / "run" / "report.html")
    (short,) = (tmp_path / "run").rglob("*s0.html")
    assert f"no value: {told}" in text_of(short)


def test_what_was_not_held_against_human_codes_is_in_the_table_and_on_no_page(tmp_path: Path) -> None:
    summary = run(sessions_of(tmp_path / "in.csv", (ASKED, 12)), out=tmp_path / "run")
    (session,) = (tmp_path / "run").rglob("*s0.html")
    pages = [text_of(tmp_path / "run" / one) for one in ("report.html", "summary.html")]
    for told in (*pages, text_of(session), " ".join(shown(summary).split())):
        for title in (
            "Likeness to MI",
            "Guided discovery",
            "Client voices it first",
            "Positive feeling",
            "Change talk",
        ):
            assert title not in told
        assert "sustain talk" not in told and "bolt:" not in told
    assert all("--all-measures" in told for told in (pages[0], " ".join(shown(summary).split())))
    every, told = (set(pl.read_csv(tmp_path / "run" / name).columns) for name in ("scores-all.csv", "scores.csv"))
    less = {"mi_demonstration_likeness", "guided_discovery", "client_first_share"}
    assert {f"{one} (not validated)" for one in less} | {"change_talk_share"} <= every
    assert not any(one.partition(" ")[0] in {*less, "change_talk_share"} for one in told)
    assert {"session_words", "open_question_share"} <= told
    explained = pl.read_csv(tmp_path / "run" / "columns.csv")
    assert every - set(explained["column"]) == {"source", "session", "group", "turns", "words"}
    assert explained["validity"].null_count() == 0


def test_empty_cells_of_speakers_are_told_as_such_and_not_as_a_third_person(tmp_path: Path) -> None:
    rows = [[("T", "C", "")[at % 3], f"I said this and that, number {at}."] for at in range(12)]
    path = write_csv(tmp_path / "half.csv", ["speaker", "text"], rows)
    with pytest.raises(InputError, match="4 turns have no speaker's name beside 2 speakers that have one; fill in"):
        run(path, out=tmp_path / "run")


def test_a_mean_of_few_sessions_has_no_interval_in_the_terminal(tmp_path: Path) -> None:
    two = sessions_of(tmp_path / "in.csv", (ASKED, 2), (ASKED, 3))
    told = " ".join(shown(run(two, out=tmp_path / "run")).split())
    assert "fewer than 6, so no interval" in told and "smallest largest" in told and "95 % interval" not in told


def test_measures_of_motivational_interviewing_say_so_wherever_they_are_shown(tmp_path: Path) -> None:
    summary = run(sessions_of(tmp_path / "in.csv", (ASKED, 12)), out=tmp_path / "run", all_measures=True)
    (session,) = (tmp_path / "run").rglob("*s0.html")
    pages = [text_of(tmp_path / "run" / "report.html"), text_of(session)]
    for told in (*pages, " ".join(shown(summary).split())):
        assert "Change talk (MI)" in told or "Reflections per question (MI)" in told
        assert "MI: from motivational interviewing" in told and "in CBT or another therapy" in told
        assert told.rindex("Synchrony") < told.rindex("Only for motivational interviewing") < told.rindex("(MI)")
    assert "(MI)" not in text_of(tmp_path / "run" / "summary.html")  # the page that is read alone


def test_a_therapist_who_says_the_same_whatever_is_said_is_named(tmp_path: Path) -> None:
    same = "Tell me more about how that makes you feel."
    summary = run(sessions_of(tmp_path / "in.csv", (ASKED, 8), (same, 8), ("Mm.", 8)), out=tmp_path / "run")
    told = "Canned talk: turns of the therapist repeat, word for word, what was said before in the session: s1 (88 % of them)."
    assert any(note.startswith(told) for note in summary.notes)
    assert told in text_of(tmp_path / "run" / "report.html") and told in text_of(tmp_path / "run" / "summary.html")


def test_no_axis_is_labelled_with_a_power_of_ten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    for values in ([8.0, 14.0, 0.0], [0.0, 20.0], [0.05, 0.1], [120.0, 2400.0]):
        drawn = charts.value_strip([("all", value) for value in values], ["all"], percent=False, log=values[0] > 100)
        labels = re.findall(r">([^<>]+)</text>", drawn)
        assert labels and not [label for label in labels if "e" in label.replace("all", "")], labels


def test_the_one_page_says_which_lines_were_taken_to_go_on_with_a_turn(tmp_path: Path) -> None:
    lines = [f"{'T' if at % 2 == 0 else 'C'}: I said this and that to them, at {at}." for at in range(6)]
    (tmp_path / "notes.txt").write_text("\n".join([*lines, "some note", "another note"]), encoding="utf-8")
    run(tmp_path / "notes.txt", out=tmp_path / "run")
    assert "2 of 8 lines name no speaker" in text_of(tmp_path / "run" / "summary.html")
