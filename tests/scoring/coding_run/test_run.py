"""`maieutic code`: every input column comes back, the codes beside it, and bad input writes nothing."""

from __future__ import annotations

import json
import os
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from plain_coder import PlainCoder

from maieutic.coding.schemes import get_scheme
from maieutic.errors import InputError, StorageError, UnknownName, UnreadableFile
from maieutic.scoring.coding_run.run import CodedSummary, rows_asked
from maieutic.scoring.coding_run.run import code_file as code_any
from maieutic.transcripts.layout import given_speaker

TALK = """session,speaker,text,note
a,therapist,"Good morning. What has the week been like, and how did you sleep?",1
a,client,"Bad, really. I lay awake most nights.",2
a,therapist,"So the nights are long, and you are worn out by the morning.",3
a,narrator,A door closes.,4
a,client,,5
b,Counsellor,How are things at home?,6
b,Patient,"I want to stop shouting at the children, I will try.",7
"""

EARLIER = "text,predicted,abstain\nA dog.,neutral,false\n"
"""A file of an earlier run, which a newer one may replace."""


def code_file(path: Path, *, scheme: str, out: Path, **options: Any) -> CodedSummary:
    """As the real one, with a coder that is quick and gives the first label to utterances of less than 40 letters."""
    return code_any(path, scheme=scheme, out=out, coder=PlainCoder(scheme), **options)


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    path = tmp_path / "talk.csv"
    path.write_text(TALK, encoding="utf-8")
    return path


def test_every_column_comes_back_with_the_codes(talk: Path, tmp_path: Path) -> None:
    summary = code_file(talk, scheme="annomi", out=tmp_path / "new" / "coded.csv")
    coded = pl.read_csv(tmp_path / "new" / "coded.csv", infer_schema=False)
    before = pl.read_csv(talk, infer_schema=False)
    labels = [
        f"p_{one}" for one in ("question", "reflection", "therapist_input", "other", "change", "neutral", "sustain")
    ]
    forms = [one for one in coded.columns if one.startswith("p_question_form_")]
    assert coded.columns == [
        *before.columns, "predicted", "abstain", "predicted_question_form", *labels, *forms, "not_coded_because",
    ]  # fmt: skip
    assert coded.select(before.columns).equals(before)
    assert coded["predicted"].to_list()[:3] == ["other", "change", "other"]
    assert set(coded["abstain"].drop_nulls()) <= {"true", "false"}
    assert (summary.rows, summary.coded, summary.sessions) == (7, 5, 2)


def test_the_packaged_coder_is_the_default(talk: Path, tmp_path: Path) -> None:
    summary = code_any(talk, scheme="annomi", out=tmp_path / "coded.csv")
    predicted = pl.read_csv(tmp_path / "coded.csv")["predicted"].to_list()
    assert predicted[0] == "question" and predicted[2] == "reflection" and predicted[6] == "change"
    assert summary.coder.startswith("embedded")


def test_rows_get_the_codes_of_their_speaker(talk: Path, tmp_path: Path) -> None:
    code_file(talk, scheme="annomi", out=tmp_path / "coded.parquet")
    coded = pl.read_parquet(tmp_path / "coded.parquet")
    client = {label.id for label in get_scheme("annomi").client}
    assert coded["predicted"][1] in client and coded["predicted"][6] == "sustain"
    assert coded["p_question"][1] is None and coded["p_change"][0] is None
    assert sum(coded[f"p_{label}"][1] for label in client) == pytest.approx(1, abs=1e-5)
    assert coded["note"].dtype == pl.Int64


def test_rows_that_are_nobodys_say_why(talk: Path, tmp_path: Path) -> None:
    summary = code_file(talk, scheme="annomi", out=tmp_path / "coded.parquet")
    coded = pl.read_parquet(tmp_path / "coded.parquet")
    assert coded["predicted"][3] is None and coded["abstain"][3] is None
    assert coded["not_coded_because"].to_list()[3:5] == [
        "speaker 'narrator' is neither therapist nor client",
        "no text",
    ]
    assert coded["not_coded_because"][0] is None
    assert summary.not_coded == {"speaker 'narrator' is neither therapist nor client": 1, "no text": 1}


def test_several_codes_are_joined(talk: Path, tmp_path: Path) -> None:
    code_file(talk, scheme="bolt", out=tmp_path / "coded.parquet")
    coded = pl.read_parquet(tmp_path / "coded.parquet")
    scheme = get_scheme("bolt")
    known = {label.id for label in (*scheme.therapist, *scheme.client)}
    given = [code.split("|") for code in coded["predicted"].drop_nulls()]
    assert all(set(codes) <= known and codes for codes in given)
    assert coded.width == 4 + 3 + len(known)


def test_columns_of_the_same_name_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "again.csv"
    path.write_text("speaker,text,predicted,predicted_input\ntherapist,How so?,mine,older\n", encoding="utf-8")
    code_file(path, scheme="annomi", out=tmp_path / "coded.csv")
    (line,) = pl.read_csv(tmp_path / "coded.csv").to_dicts()
    assert line["predicted"] == "question"
    assert {line["predicted_input"], line["predicted_input_input"]} == {"mine", "older"}


def test_rows_that_repeat_an_utterance_are_coded_once(tmp_path: Path) -> None:
    header = "transcript_id,utterance_id,interlocutor,utterance_text,annotator_id\n"
    said = ["0,0,therapist,Why did you come today?", "0,1,client,My doctor sent me."]
    once, twice = tmp_path / "once.csv", tmp_path / "twice.csv"
    once.write_text(header + "".join(f"{line},1\n" for line in said), encoding="utf-8")
    twice.write_text(header + "".join(f"{line},{rater}\n" for line in said for rater in (1, 2)), encoding="utf-8")
    for path in (once, twice):
        code_file(path, scheme="annomi", out=path.with_suffix(".parquet"))
    single, double = pl.read_parquet(once.with_suffix(".parquet")), pl.read_parquet(twice.with_suffix(".parquet"))
    assert double.gather_every(2).drop("annotator_id").equals(single.drop("annotator_id"))
    assert double.gather_every(2, 1).drop("annotator_id").equals(single.drop("annotator_id"))


def test_tables_without_speakers(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("prompt,completion\nwhat was it that made you angry,Questions on Experiences\n", encoding="utf-8")
    code_file(path, scheme="bolt", out=tmp_path / "coded.parquet")
    assert pl.read_parquet(tmp_path / "coded.parquet")["p_gained_insights"][0] is None
    told = rows_asked(None, None).codes
    assert given_speaker("x.csv", ["Gained Insights"], told) == "client"
    assert given_speaker("my_client_rows.csv", [""], told) == "client"
    with pytest.raises(UnreadableFile, match="--speaker"):
        given_speaker("x.csv", ["?"], told)


def test_one_speaker_for_every_row(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("text\nWhat was it that made you angry?\n", encoding="utf-8")
    with pytest.raises(UnreadableFile, match="--speaker therapist"):
        code_file(path, scheme="annomi", out=tmp_path / "coded.csv")
    code_file(path, scheme="annomi", out=tmp_path / "coded.csv", speaker="therapist")
    assert pl.read_csv(tmp_path / "coded.csv")["predicted"][0] == "question"


def test_chosen_columns_and_names(tmp_path: Path) -> None:
    path = tmp_path / "ours.csv"
    path.write_text("wer;was\nAnna;Where does it hurt?\nBen;Here.\nDog;Woof.\n", encoding="utf-8")
    columns = {"speaker": "wer", "text": "was", "therapist": "Anna", "client": "Ben"}
    summary = code_file(path, scheme="annomi", out=tmp_path / "coded.csv", columns=columns)
    assert summary.coded == 2 and pl.read_csv(tmp_path / "coded.csv")["predicted"][0] == "question"


def test_sessions_do_not_see_each_other(talk: Path, tmp_path: Path) -> None:
    lone = tmp_path / "lone.csv"
    lines = TALK.splitlines(keepends=True)
    lone.write_text("".join([lines[0], *lines[6:]]), encoding="utf-8")
    for path in (talk, lone):
        code_file(path, scheme="annomi", out=path.with_suffix(".parquet"))
    both, alone = pl.read_parquet(talk.with_suffix(".parquet")), pl.read_parquet(lone.with_suffix(".parquet"))
    assert both.tail(2).equals(alone)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("none.csv", None, "no such file"),
        ("empty.csv", b"", "is empty"),
        ("header.csv", b"speaker,text\n", "no row"),
        ("short.csv", b"speaker,text\nclient,hello,again\n", "line 2: 3 cells"),
        ("missing.csv", b"speaker,words\nclient,hello\n", "no column for text. Found: speaker, words"),
        ("broken.parquet", b"PAR1 and nothing more", "not readable as a table"),
        ("slides.docx", b"PK", "not readable as a Word document"),
        ("slides.pptx", b"PK", "expected a file that ends in"),
    ],
)
def test_bad_input_writes_nothing(tmp_path: Path, name: str, content: bytes | None, message: str) -> None:
    path, out = tmp_path / name, tmp_path / "coded.csv"
    if content is not None:
        path.write_bytes(content)
    out.write_text(EARLIER, encoding="utf-8")
    with pytest.raises(UnreadableFile, match=message):
        code_file(path, scheme="annomi", out=out)
    assert out.read_text(encoding="utf-8") == EARLIER
    assert {one.name for one in tmp_path.iterdir()} <= {name, "coded.csv"}


def test_bad_options(talk: Path, tmp_path: Path) -> None:
    out = tmp_path / "coded.csv"
    with pytest.raises(UnknownName, match="Did you mean 'bolt'"):
        code_file(talk, scheme="blot", out=out)
    with pytest.raises(InputError, match=r"\.csv or \.parquet"):
        code_file(talk, scheme="annomi", out=tmp_path / "coded.xlsx")
    with pytest.raises(InputError, match="expected therapist or client"):
        code_file(talk, scheme="annomi", out=out, speaker="doctor")
    with pytest.raises(InputError, match="is the input itself"):
        code_file(talk, scheme="annomi", out=talk)
    with pytest.raises(UnreadableFile, match="'words' was asked for"):
        code_file(talk, scheme="annomi", out=out, columns={"text": "words"})
    assert not out.exists()


@pytest.mark.parametrize("place", ["write_parquet", "write_csv"])
def test_a_failed_write_leaves_earlier_work(
    talk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    out = tmp_path / "coded.csv"
    code_file(talk, scheme="annomi", out=out)
    earlier = out.read_text(encoding="utf-8")

    def full(self: pl.DataFrame, file: object, **options: object) -> None:
        raise OSError(28, os.strerror(28))

    with monkeypatch.context() as patch:
        patch.setattr(pl.DataFrame, place, full)
        with pytest.raises(StorageError, match="the disk is full"):
            code_file(talk, scheme="annomi", out=out)
    assert out.read_text(encoding="utf-8") == earlier
    code_file(talk, scheme="annomi", out=out)
    assert pl.read_csv(out).height == 7 and not list(tmp_path.glob(".coded*"))


def test_tables_of_other_kinds(tmp_path: Path) -> None:
    """JSON lines and lists with one utterance an object, and Parquet with types of its own."""
    rows = [{"speaker": "therapist", "text": "How so?", "n": 1}, {"speaker": "client", "text": "Well.", "tags": ["a"]}]
    lines, array = tmp_path / "rows.jsonl", tmp_path / "rows.json"
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    array.write_text(json.dumps(rows, indent=2), encoding="utf-8")
    for path in (lines, array):
        code_file(path, scheme="annomi", out=tmp_path / "coded.csv")
        coded = pl.read_csv(tmp_path / "coded.csv", infer_schema=False)
        assert coded.columns[:4] == ["speaker", "text", "n", "tags"]
        assert coded.select("n", "tags").rows() == [("1", None), (None, '["a"]')]
    table = tmp_path / "rows.parquet"
    pl.DataFrame({"speaker": ["client"], "text": ["Well."], "when": [date(2020, 1, 2)], "n": [7]}).write_parquet(table)
    code_file(table, scheme="annomi", out=tmp_path / "coded.parquet")
    (row,) = pl.read_parquet(tmp_path / "coded.parquet").select("when", "n").rows()
    assert row == (date(2020, 1, 2), 7)


def test_columns_that_look_like_numbers_stay_what_they_are(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("speaker,text,zip,empty,n\nclient,Well.,007,,1\nclient,So.,12,,\n", encoding="utf-8")
    code_file(path, scheme="annomi", out=tmp_path / "coded.parquet")
    coded = pl.read_parquet(tmp_path / "coded.parquet")
    assert coded["zip"].to_list() == ["007", "12"] and coded["n"].to_list() == [1, None]
    assert coded["empty"].dtype == pl.String


def test_lines_that_cannot_be_read_are_skipped_named_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "some.csv"
    path.write_bytes(b"speaker,text,note\n" + "client,café,é\n".encode() * 12 + b"client,fine,caf\xe9\nclient,hm\n")
    summary = code_file(path, scheme="annomi", out=tmp_path / "coded.csv")
    assert (summary.rows, summary.coded) == (12, 12)
    (note,) = summary.notes
    assert "2 lines skipped (some.csv, line 14: holds bytes that are not UTF-8" in note
    assert "line 15: 2 cells where the header has 3" in note


def test_speakers_that_nobody_knows(tmp_path: Path) -> None:
    path = tmp_path / "names.csv"
    path.write_text("speaker,text\nAnna,Hello.\nBen,Hi.\n", encoding="utf-8")
    with pytest.raises(UnreadableFile, match=r"names\.csv, column 'speaker'.*'Anna' \(line 2\), 'Ben' \(line 3\)"):
        code_file(path, scheme="annomi", out=tmp_path / "coded.csv")
    columns = {"therapist": "Anna", "client": "Ben"}
    assert code_file(path, scheme="annomi", out=tmp_path / "coded.csv", columns=columns).coded == 2


def test_a_file_that_holds_no_codes_is_not_replaced(talk: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes.csv"
    notes.write_text("my note\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"notes\.csv: this file is there already and holds no codes"):
        code_file(talk, scheme="annomi", out=notes)
    assert notes.read_text(encoding="utf-8") == "my note\n"
    again = tmp_path / "coded.csv"
    assert code_file(talk, scheme="annomi", out=again).coded == code_file(talk, scheme="annomi", out=again).coded
