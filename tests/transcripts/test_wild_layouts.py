"""Transcripts in the layouts that people really have: each is read as the same session, or refused with what to do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import docx
import pytest
from own_sessions import TALK, as_text

from maieutic.errors import UnreadableFile
from maieutic.transcripts.opening import open_sources
from maieutic.transcripts.tables import read_book
from maieutic.transcripts.utterance import Transcript, out_of_scope

NAMES = {"therapist": "Therapist", "client": "Client"}
ROWS = [("speaker", "text"), *TALK]


def text(content: str, suffix: str, encoding: str = "utf-8") -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        path = folder / f"talk{suffix}"
        path.write_bytes(content.encode(encoding))
        return path

    return write


def paragraphs(lines: list[str]) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        document = docx.Document()
        document.add_heading("Session 3", level=1)
        for line in lines:
            document.add_paragraph(line)
        document.save(str(folder / "talk.docx"))
        return folder / "talk.docx"

    return write


def word_table(rows: list[tuple[str, ...]]) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        document = docx.Document()
        table = document.add_table(rows=0, cols=len(rows[0]))
        for row in rows:
            for cell, said in zip(table.add_row().cells, row, strict=True):
                cell.text = said
        document.save(str(folder / "talk.docx"))
        return folder / "talk.docx"

    return write


def sheet(*pages: tuple[str, list[tuple[str, ...]]]) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        from openpyxl import Workbook

        book = Workbook()
        book.remove(book.active)
        for title, rows in pages:
            page = book.create_sheet(title)
            for row in rows:
                page.append(row)
        book.save(folder / "talk.xlsx")
        return folder / "talk.xlsx"

    return write


def merged(rows: list[tuple[str, ...]]) -> Callable[[Path], Path]:
    """A spreadsheet whose first row is one cell over all columns."""

    def write(folder: Path) -> Path:
        from openpyxl import Workbook

        book = Workbook()
        page = book.active
        page.append(("Interview with the client",))
        page.merge_cells(start_row=1, start_column=1, end_row=1, end_column=len(rows[0]))
        for row in rows:
            page.append(row)
        book.save(folder / "talk.xlsx")
        return folder / "talk.xlsx"

    return write


def cues(kind: str, line: Callable[[str, str], str]) -> str:
    comma = "," if kind == "srt" else "."
    blocks = [
        f"{at + 1}\n00:00:{at:02}{comma}000 --> 00:00:{at + 1:02}{comma}000\n{line(NAMES[who], said)}\n"
        for at, (who, said) in enumerate(TALK)
    ]
    return ("WEBVTT\n\n" if kind == "vtt" else "") + "\n".join(blocks)


def table(delimiter: str = ",", header: str = "speaker,text") -> str:
    quoted = [delimiter.join((who, f'"{said}"')) for who, said in TALK]
    return "\n".join([header.replace(",", delimiter), *quoted]) + "\n"


MESSAGES = [{"role": "user" if who == "client" else "assistant", "content": said} for who, said in TALK]
TIMED = [(f"00:0{at}", NAMES[who], said) for at, (who, said) in enumerate(TALK)]
CURLY = tuple((who, said.replace("'", "’")) for who, said in TALK)
READ: dict[str, Callable[[Path], Path]] = {
    "text with labels": text(as_text(), ".txt"),
    "labels in Markdown": text("\n\n".join(f"**{NAMES[who]}:** {said}" for who, said in TALK), ".md"),
    "times before labels": text("\n".join(f"[{at}] {who}: {said}" for at, who, said in TIMED), ".txt"),
    "name and time above the words": text("\n".join(f"{who}  {at}\n{said}\n" for at, who, said in TIMED), ".txt"),
    "labels in lines of their own": text("\n".join(f"{NAMES[who].upper()}\n{said}\n" for who, said in TALK), ".txt"),
    "Windows text": text(as_text(CURLY).replace("\n", "\r\n"), ".txt", "cp1252"),
    "Mac text": text(as_text(CURLY), ".txt", "mac_roman"),
    "UTF-16 text": text(as_text(), ".txt", "utf-16"),
    "UTF-16 without a mark": text(as_text(), ".txt", "utf-16-le"),
    "a byte order mark": text(as_text(), ".txt", "utf-8-sig"),
    "WebVTT with voices": text(cues("vtt", lambda who, said: f"<v {who}>{said}</v>"), ".vtt"),
    "WebVTT with labels": text(cues("vtt", lambda who, said: f"{who}: {said}"), ".vtt"),
    "SubRip with labels": text(cues("srt", lambda who, said: f"{who}: {said}"), ".srt"),
    "a Word document": paragraphs(as_text().splitlines()),
    "a Word document with names alone": paragraphs([part for who, said in TALK for part in (NAMES[who], said)]),
    "a Word table with a header": word_table([("Time", "Speaker", "Text"), *TIMED]),
    "a Word table without a header": word_table(list(TIMED)),
    "a spreadsheet": sheet(("Sheet1", ROWS)),
    "messages, one a line": text("\n".join(map(json.dumps, MESSAGES)), ".jsonl"),
    "messages in one object": text(json.dumps({"messages": MESSAGES}, indent=1), ".json"),
    "messages in one list": text(json.dumps(MESSAGES), ".json"),
    "a list of conversations": text(json.dumps([{"id": "talk", "messages": MESSAGES}]), ".json"),
    "headers in words": text(
        "Session ID,Speaker Role,Utterance Text\n" + "".join(f'talk,{who},"{said}"\n' for who, said in TALK), ".csv"
    ),
    "Excel's own CSV": text("sep=;\n" + table(";"), ".csv"),
    "a CSV with times and nameless columns": text(
        "time,speaker,text,,\n" + "".join(f'{at},{who},"{said}",,\n' for at, who, said in TIMED), ".csv"
    ),
    "tabs": text(table("\t"), ".tsv"),
    "a semicolon CSV from Windows": text(table(";").replace("'", "’"), ".csv", "cp1252"),
    "a CSV in UTF-16": text(table(), ".csv", "utf-16"),
    "HTML in cells": text(
        "speaker,text\n" + "".join(f'{who},"<p>{said.replace(chr(39), "&#39;")}<br/></p>"\n' for who, said in TALK),
        ".csv",
    ),
    "Markdown in cells": text("speaker,text\n" + "".join(f'{who},"**{said}**"\n' for who, said in TALK), ".csv"),
    "empty rows": text(table().replace("\n", "\n,\n\n"), ".csv"),
    "empty rows of a spreadsheet": sheet(("Sheet1", [row for one in ROWS for row in (one, ("", ""))])),
    "a title over the header": sheet(("Sheet1", [("Session 3, 12 May", ""), *ROWS])),
    "messages with a session": text(
        "\n".join(json.dumps({"session": "talk", **message}) for message in MESSAGES), ".jsonl"
    ),
    "times after labels": text("\n".join(f"{who} ({at}): {said}" for at, who, said in TIMED), ".txt"),
    "a merged header": merged(ROWS),
}


@pytest.mark.parametrize("write", READ.values(), ids=READ)
def test_every_layout_is_read_as_the_same_session(tmp_path: Path, write: Callable[[Path], Path]) -> None:
    (source,), _ = open_sources([write(tmp_path)])
    (one,) = source.read()
    assert [(said.speaker, said.text.replace("’", "'")) for said in one.utterances] == list(TALK)
    assert source.survey().skipped == 0
    assert out_of_scope(one) is None


def test_several_sheets_with_one_header_are_sessions_and_others_are_named(tmp_path: Path) -> None:
    path = sheet(("first", ROWS), ("second", ROWS), ("codes", [("a", "b"), ("1", "2")]))(tmp_path)
    (source,), _ = open_sources([path])
    assert [one.id for one in source.read()] == ["first", "second"]
    assert source.told == ("sheets with other columns left out: codes",)


REFUSED = {
    "subtitles without speakers": (text(cues("srt", lambda _, said: said), ".srt"), "none says who speaks"),
    "a PDF": (text("%PDF-1.7", ".pdf"), "copy its text into a .txt or .docx file"),
    "an old Word file": (text("x", ".doc"), "save it as .docx"),
    "a recording": (text("x", ".mp3"), "transcribe it"),
    "a page": (text("<p>T: Hi</p>", ".html"), "save the page as text"),
    "a German header": (text(table(header="Sprecher,Text"), ".csv"), "Found: Sprecher, Text.*--column speaker="),
    "a French header": (
        text(table(";", "locuteur,texte"), ".csv", "latin-1"),
        "Found: locuteur, texte.*--column text=",
    ),
    "a chat export with dates": (
        text(
            "\n".join(f"[12/05/2026, 14:{at:02}:10] {NAMES[who]}: {said}" for at, (who, said) in enumerate(TALK)),
            ".txt",
        ),
        "a date or number before the names is to be taken out first",
    ),
    "prose": (paragraphs(["It was a dark night.", "It rained."]), "no line begins with a speaker label"),
}


@pytest.mark.parametrize(("write", "told"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_read_says_what_to_do(tmp_path: Path, write: Callable[[Path], Path], told: str) -> None:
    with pytest.raises(UnreadableFile, match=told):
        open_sources([write(tmp_path)])


@pytest.mark.parametrize("header", ["Sprecher,Text", "locuteur,texte"])
def test_a_header_in_another_language_is_read_with_the_options_that_were_told(tmp_path: Path, header: str) -> None:
    speaker, words = header.split(",")
    one = read(text(table(header=header), ".csv")(tmp_path), session="-", speaker=speaker, text=words)
    assert [(said.speaker, said.text) for said in one.utterances] == list(TALK)


def test_a_sheet_of_one_column_and_a_note_beside_it_keeps_its_header(tmp_path: Path) -> None:
    path = sheet(("Sheet1", [("text",), ("How are you?",), ("Why?", "ask Ann")]))(tmp_path)
    assert read_book(path, path.name).columns[0] == "text"


def test_strange_names_are_listed_with_the_options_to_type(tmp_path: Path) -> None:
    path = text(as_text(names=("Dr Anna Weber", "Ben")), ".txt")(tmp_path)
    told = out_of_scope(read(path))
    assert told is not None
    assert "'Dr Anna Weber' (3 turns), 'Ben' (3 turns)" in told
    assert "--column 'therapist=Dr Anna Weber' --column client=Ben, or the other way round" in told
    assert out_of_scope(read(path, therapist="Dr Anna Weber", client="Ben")) is None
    half = out_of_scope(read(text(as_text(names=("Therapist", "Ben")), ".txt")(tmp_path)))
    assert half is not None and half.endswith("Add --column client=Ben")


def read(path: Path, **columns: str) -> Transcript:
    (source,), _ = open_sources([path], columns)
    (one,) = source.read()
    return one


def test_a_quote_that_is_never_closed_costs_its_own_line_only(tmp_path: Path) -> None:
    lines = table().splitlines()
    lines.insert(3, 'client,"and so it goes on')
    path = tmp_path / "quote.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    (source,), _ = open_sources([path])
    (one,) = source.read()
    assert [said.text for said in one.utterances] == [said for _, said in TALK]
    assert "1 line skipped (quote.csv, line 4: not readable as CSV" in source.told[-1]


def test_a_line_of_signs_or_of_a_remark_is_nobodys_and_told(tmp_path: Path) -> None:
    said = [f"{'T' if who == 'therapist' else 'C'}: {what}" for who, what in TALK]
    path = tmp_path / "talk.txt"
    path.write_text("\n".join([*said[:4], "[door slams] 12:03", "0:31", *said[4:]]) + "\n", "utf-8")
    (source,), _ = open_sources([path])
    (one,) = source.read()
    assert [line.text for line in one.utterances] == [what for _, what in TALK]
    assert "1 line skipped (talk.txt, line 5: '[door slams] 12:03' is nobody's utterance" in source.told[-1]


def test_a_line_that_is_nobodys_joins_no_turn_in_a_word_document(tmp_path: Path) -> None:
    document = docx.Document()
    for line in ("T: How was it?", "C: Bad.", "[door slams] 12:03", "T: What was bad?", "C: All of it."):
        document.add_paragraph(line)
    document.save(tmp_path / "talk.docx")
    (source,), _ = open_sources([tmp_path / "talk.docx"])
    (session,) = source.read()
    assert [one.text for one in session.utterances] == ["How was it?", "Bad.", "What was bad?", "All of it."]
    assert "talk.docx, line 3: '[door slams] 12:03' is nobody's utterance" in source.told[-1]


def test_lines_of_a_damaged_text_keep_their_numbers(tmp_path: Path) -> None:
    lines = [
        "T: Wie war es? Schön?".encode(),
        b"C: B\xffd.",
        "C: Übel, öde.".encode(),
        b"### @@@ 0101",
        b"T: What was?",
    ]
    more = [f"{who}: And then, {number}?".encode() for number in range(20) for who in "CT"]
    (tmp_path / "talk.txt").write_bytes(b"\n".join([*lines, *more]))
    (source,), _ = open_sources([tmp_path / "talk.txt"])
    told = " ".join(source.told)
    assert "line 2: holds bytes" in told and "line 4: '### @@@ 0101' is nobody's utterance" in told


def test_many_lines_without_a_speaker_are_told(tmp_path: Path) -> None:
    lines = ["T: How was it?", "C: Bad.", "And what did you do then?", "I went home.", "T: And now?", "C: Better."]
    (tmp_path / "talk.txt").write_text("\n".join(lines), "utf-8")
    (source,), _ = open_sources([tmp_path / "talk.txt"])
    assert "2 of 6 lines name no speaker and were taken to go on with the turn before" in " ".join(source.told)
