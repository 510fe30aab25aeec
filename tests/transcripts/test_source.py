"""One source has two faces, rows and sessions, and both hold the same utterances whatever the format."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from own_sessions import PUSHY, TALK, annomi_file, as_text, chat_line, write_csv

import maieutic.transcripts
from maieutic.errors import UnreadableFile
from maieutic.scoring.coding_run.run import code_file
from maieutic.transcripts.layout import Asked, find_layout
from maieutic.transcripts.opening import open_source, open_sources
from maieutic.transcripts.text_file import check_bytes
from maieutic.transcripts.utterance import Transcript

ROWS = [[session, who, text] for session, talk in (("a", TALK), ("b", PUSHY)) for who, text in talk]
HEADER = ["session", "speaker", "text"]


def csv_file(folder: Path) -> Path:
    return write_csv(folder / "talk.csv", HEADER, ROWS)


def tsv_file(folder: Path) -> Path:
    path = folder / "talk.tsv"
    path.write_text("\n".join("\t".join(row) for row in [HEADER, *ROWS]), "utf-8")
    return path


def table_in_text(folder: Path) -> Path:
    return csv_file(folder).rename(folder / "talk.txt")


def json_lines(folder: Path) -> Path:
    path = folder / "talk.jsonl"
    path.write_text("\n".join(json.dumps(dict(zip(HEADER, row, strict=True))) for row in ROWS), "utf-8")
    return path


def json_list(folder: Path) -> Path:
    path = folder / "talk.json"
    path.write_text(json.dumps([dict(zip(HEADER, row, strict=True)) for row in ROWS], indent=1), "utf-8")
    return path


def parquet_file(folder: Path) -> Path:
    path = folder / "talk.parquet"
    pl.DataFrame(ROWS, schema=HEADER, orient="row").write_parquet(path)
    return path


def support_list(folder: Path) -> Path:
    path = folder / "support.json"
    names = {"therapist": "sys", "client": "usr"}
    dialogs = [{"dialog": [{"speaker": names[who], "text": text} for who, text in talk]} for talk in (TALK, PUSHY)]
    path.write_text(json.dumps([{"text": json.dumps(one)} for one in dialogs]), "utf-8")
    return path


def chat_file(folder: Path) -> Path:
    path = folder / "talk.jsonl"
    path.write_text(chat_line("a") + "\n" + chat_line("b", PUSHY), "utf-8")
    return path


def corpus(folder: Path) -> Path:
    said = [json.dumps({"conversation_id": row[0], "speaker": row[1], "text": row[2]}) for row in ROWS]
    path = folder / "corpus"
    path.mkdir()
    (path / "utterances.jsonl").write_text("\n".join(said), "utf-8")
    return path


def labelled_text(folder: Path) -> Path:
    path = folder / "talk.txt"
    path.write_text(as_text() + "\n---\n" + as_text(PUSHY), "utf-8")
    return path


FORMATS = [
    csv_file, tsv_file, table_in_text, json_lines, json_list, parquet_file, support_list, chat_file, corpus,
    labelled_text,
]  # fmt: skip


@pytest.mark.parametrize("make", FORMATS)
def test_rows_and_sessions_hold_the_same_utterances(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    path = make(tmp_path)
    (source,), _ = open_sources([path])
    sessions = list(source.read())
    assert [[(one.speaker, one.text) for one in session.utterances] for session in sessions] == [
        list(TALK), list(PUSHY),
    ]  # fmt: skip
    assert source.sessions == source.survey().sessions == 2
    rows = open_source(path, path.name, Asked())
    said = [one for _, _, one in rows.lines()]
    whole = [one for session in sessions for one in session.utterances]
    assert [(one.session, one.speaker, one.text, one.name, one.person) for one in said] == [
        (one.session, one.speaker, one.text, one.name, one.person) for one in whole
    ]
    assert {one.session for one in said} == {session.id for session in sessions}
    assert rows.survey().rows == len(said) == 10


def test_every_reader_makes_its_utterances_in_one_place() -> None:
    room = Path(maieutic.transcripts.__file__).parent
    made = [path.name for path in room.rglob("*.py") if re.search(r"\bUtterance\(", path.read_text("utf-8"))]
    assert made == ["utterance.py"]


def test_the_single_utterance_goes_before_its_turn_where_rows_are_asked_for() -> None:
    columns = ["conv_id", "speaker", "vol_text", "utt_text"]
    assert find_layout(columns, "x.csv", Asked()).text == "utt_text"
    assert find_layout(columns, "x.csv", Asked(sessions=True)).text == "vol_text"


def test_annomi_without_its_quality_is_read_once_by_both(tmp_path: Path) -> None:
    header = ["transcript_id", "utterance_id", "interlocutor", "utterance_text", "annotator_id"]
    rows = [[7, at, who, text, rater] for at, (who, text) in enumerate(TALK) for rater in (1, 2)]
    (source,), _ = open_sources([write_csv(tmp_path / "full.csv", header, rows)])
    (one,) = source.read()
    assert source.kind == "annomi" and source.layout.turn == "utterance_id"
    assert [said.index for said in one.utterances] == list(range(len(TALK)))


def test_utterances_that_no_number_tells_apart_are_all_kept(tmp_path: Path) -> None:
    header = ["transcript_id", "mi_quality", "utterance_id", "interlocutor", "utterance_text"]
    (source,), _ = open_sources([write_csv(tmp_path / "x.csv", header, [[7, "high", "", *turn] for turn in TALK])])
    (one,) = source.read()
    assert len(one.utterances) == len(TALK) and one.notes == ()


def test_tables_of_single_replies_are_no_sessions(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "pairs.csv", ["thought", "question"], [["I fail.", "At what?"]])
    with pytest.raises(UnreadableFile, match=r"no column for session, speaker, text\. Found: thought, question"):
        open_sources([path])
    prompts = tmp_path / "feedback.json"
    prompts.write_text(json.dumps([{"text": "Helper: So?", "helper_index": 0, "conv_index": 0}]), "utf-8")
    with pytest.raises(UnreadableFile, match="no column for session, speaker"):
        open_sources([prompts])


def test_tables_of_an_earlier_run_in_a_folder_are_no_transcripts(tmp_path: Path) -> None:
    annomi_file(tmp_path / "talk.csv")
    parquet_file(tmp_path)
    (tmp_path / "run").mkdir()
    for name in ("manifest.json", "some.json"):
        (tmp_path / "run" / name).write_text("{}")
    sources, unread = open_sources([tmp_path])
    assert [one.name for one in sources] == ["talk.csv"] and unread == ()
    json_list(tmp_path)
    assert [one.name for one in open_sources([tmp_path])[1]] == ["talk.json"]  # it may hold sessions, and is named


def test_strangers_in_a_chat_are_told_by_their_names(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    messages = [{"role": name, "content": "Well then."} for name in ("Anna", "Ben")]
    path.write_text(json.dumps({"messages": messages}), "utf-8")
    with pytest.raises(
        UnreadableFile,
        match=r"chat\.jsonl, column 'speaker'.*'Anna'.*'Ben'.*--column therapist=Anna --column client=Ben",
    ):
        code_file(path, scheme="annomi", out=tmp_path / "coded.csv")


@pytest.mark.parametrize("read", ["rows", "sessions"])
def test_an_encoding_that_is_not_utf8_is_found_and_told_or_taken_as_asked(tmp_path: Path, read: str) -> None:
    path = tmp_path / "latin.csv"
    path.write_bytes('session;speaker;"the text"\n1;t;"fine;\nso far"\n1;t;“caf\xe9”\n'.encode("cp1252"))
    asked = Asked({"text": "the text"}, sessions=read == "sessions")
    found = open_source(path, path.name, asked)
    assert [said.text for _, _, said in found.lines()] == ["fine;\nso far", "caf\xe9"]
    assert found.told == ("read as windows-1252, as its bytes look; if not, name it with --encoding",)
    path.write_bytes("session;speaker;text\n1;t;caf\xe9\n".encode("cp850"))
    (row,) = open_source(path, path.name, Asked(sessions=read == "sessions", encoding="cp850")).lines()
    assert row[2].text == "caf\xe9"


def test_the_check_of_bytes_goes_on_behind_the_first_piece(tmp_path: Path) -> None:
    path = tmp_path / "late.csv"
    path.write_bytes(b"session,speaker,text\n" + b"1,t,so it goes on\n" * 80_000 + b"1,t,caf\xe9\n")
    with pytest.raises(UnreadableFile, match=r"late\.csv, line 80002, column 'text'"):
        check_bytes(path, path.name)
    assert check_bytes(path, path.name, is_text=False)


def test_groups_that_differ_within_a_session_are_noted(tmp_path: Path) -> None:
    rows = [["a", *turn, "x" if at < 3 else "y"] for at, turn in enumerate(TALK)]
    (source,), _ = open_sources([write_csv(tmp_path / "x.csv", [*HEADER, "group"], rows)])
    (one,) = source.read()
    assert isinstance(one, Transcript) and one.group == "x"
    assert one.notes == ("rows of this session name 2 groups; the first was taken",)
