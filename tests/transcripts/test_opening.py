"""Every format comes in as the same sessions; what cannot be read is named with file, place and remedy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from own_sessions import TALK, annomi_file, as_text, chat_line, write_csv

from maieutic.errors import InputError, UnreadableFile
from maieutic.transcripts.opening import open_sources
from maieutic.transcripts.utterance import Transcript, Utterance, english_rate, out_of_scope

DATA = Path(__file__).resolve().parents[2] / ".." / "shared" / "data"


def read(*paths: Path, **columns: str) -> list[Transcript]:
    sources, _ = open_sources(paths, columns)
    transcripts = [transcript for source in sources for transcript in source.read()]
    assert len(transcripts) == sum(source.sessions for source in sources)
    return transcripts


def said(transcript: Transcript) -> tuple[tuple[str, str], ...]:
    return tuple((one.speaker, one.text) for one in transcript.utterances)


def test_annomi_is_recognised_by_its_header_with_labels_and_groups(tmp_path: Path) -> None:
    sources, _ = open_sources([annomi_file(tmp_path / "anything.csv")])
    first, second, _third = sources[0].read()
    assert sources[0].kind == "annomi"
    assert (first.id, first.group, second.group) == ("0", "high", "low")
    assert said(first) == TALK
    assert first.utterances[0].labels == {"main_therapist_behaviour": "question"}


def test_rows_of_several_annotators_are_read_once(tmp_path: Path) -> None:
    header = ["mi_quality", "transcript_id", "utterance_id", "interlocutor", "utterance_text", "annotator_id",
              "question_subtype"]  # fmt: skip
    rows = [["high", 7, i, who, text, a, "open"] for i, (who, text) in enumerate(TALK) for a in (1, 2)]
    (only,) = read(write_csv(tmp_path / "full.csv", header, rows))
    assert said(only) == TALK
    assert "read once" in only.notes[0]


def test_hlqc_takes_its_group_from_the_conversation_id(tmp_path: Path) -> None:
    rows = [[i, f"{group}_001", "counsellor" if who == "therapist" else who, text]
            for group in ("high", "low") for i, (who, text) in enumerate(TALK)]  # fmt: skip
    sources, _ = open_sources([write_csv(tmp_path / "x.csv", ["corp_vol_idx", "conv_id", "speaker", "vol_text"], rows)])
    assert sources[0].kind == "hlqc"
    assert [one.group for one in sources[0].read()] == ["high", "low"]


def test_other_tables_by_guessed_and_by_given_columns(tmp_path: Path) -> None:
    rows = [["s1", "P" if who == "client" else "Dr", text, "a"] for who, text in TALK]
    guessed = write_csv(tmp_path / "guessed.csv", ["Session", "Role", "Message", "Condition"], rows)
    (one,) = read(guessed)
    assert (one.id, one.group, said(one)) == ("s1", "a", TALK)
    odd = write_csv(tmp_path / "odd.csv", ["visit", "voice", "line", "site"], rows)
    (two,) = read(odd, session="visit", speaker="voice", text="line", group="site")
    assert (two.group, said(two)) == ("a", TALK)
    (three,) = read(odd, session="-", speaker="voice", text="line")
    assert (three.id, said(three)) == ("odd", TALK)


def test_semicolons_byte_order_mark_and_quoted_line_breaks(tmp_path: Path) -> None:
    path = tmp_path / "excel.csv"
    body = "session;speaker;text\n" + "".join(f'1;{who};"{text}\nand so on; yes"\n' for who, text in TALK)
    path.write_text(body, encoding="utf-8-sig")
    (one,) = read(path)
    assert one.utterances[0].text == TALK[0][1] + "\nand so on; yes"


def test_interleaved_sessions_are_put_together(tmp_path: Path) -> None:
    rows = [[session, who, text] for who, text in TALK for session in ("a", "b")]
    first, second = read(write_csv(tmp_path / "mixed.csv", ["session", "speaker", "text"], rows))
    assert said(first) == said(second) == TALK


def test_chat_lines_drop_system_messages_and_keep_groups(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text(
        chat_line("a", group="x") + "\n\n" + chat_line("a", metadata={"group": "y"}) + "\n", encoding="utf-8"
    )
    first, second = read(path)
    assert said(first) == said(second) == TALK
    assert (first.group, second.group) == ("x", "y")
    assert first.id != second.id
    assert [one.index for one in first.utterances] == [1, 2, 3, 4, 5, 6]


def test_one_utterance_a_line(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text(
        "\n".join(json.dumps({"conversation_id": 3, "role": who, "content": text}) for who, text in TALK), "utf-8"
    )
    (one,) = read(path)
    assert (one.id, said(one)) == ("3", TALK)


def test_convokit_corpus_with_roles_and_groups_in_its_tables(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    names = {"therapist": "u1", "client": "u2"}
    lines = [
        json.dumps({"id": f"m{i}", "conversation_id": "m0", "speaker": names[who], "text": text, "timestamp": i})
        for i, (who, text) in enumerate(TALK)
    ]
    (corpus / "utterances.jsonl").write_text("\n".join(reversed(lines)), "utf-8")
    (corpus / "speakers.json").write_text(
        json.dumps({"u1": {"meta": {"role": "Counselor"}}, "u2": {"meta": {"role": "seeker"}}}), "utf-8"
    )
    (corpus / "conversations.json").write_text(json.dumps({"m0": {"meta": {"quality": "high"}}}), "utf-8")
    sources, unread = open_sources([corpus])
    (one,) = sources[0].read()
    assert (sources[0].kind, unread) == ("convokit", ())
    assert (one.group, one.people, said(one)) == ("high", 2, TALK)


@pytest.mark.parametrize("names", [("Therapist", "Client"), ("T", "C"), ("T1", "C1"), ("COUNSELLOR", "Patient")])
def test_labelled_text(tmp_path: Path, names: tuple[str, str]) -> None:
    path = tmp_path / "one.txt"
    path.write_text("Session notes\n\n" + as_text(names=names), "utf-8")
    (one,) = read(path)
    assert (one.id, said(one)) == ("one", TALK)


def test_labelled_text_parts_sessions_by_rules_or_blank_lines(tmp_path: Path) -> None:
    ruled, blank, spaced = tmp_path / "ruled.txt", tmp_path / "blank.txt", tmp_path / "spaced.txt"
    ruled.write_text(as_text() + "\n---\n" + as_text() + "\n---\n", "utf-8")
    blank.write_text(as_text() + "\n\n" + as_text(), "utf-8")
    spaced.write_text(as_text().replace("\n", "\n\n"), "utf-8")
    assert [said(one) for one in read(ruled)] == [TALK, TALK]
    assert [one.id for one in read(blank)] == ["blank-1", "blank-2"]
    assert [said(one) for one in read(spaced)] == [TALK]


def test_lines_without_a_label_go_on_and_colons_in_speech_are_no_labels(tmp_path: Path) -> None:
    path = tmp_path / "one.txt"
    path.write_text("T: So then he said\nI quote: never again.\nC: Yes.\nT: Mm.\nC: Well.\n", "utf-8")
    (one,) = read(path)
    assert one.utterances[0].text == "So then he said I quote: never again."
    assert len(one.utterances) == 4


def test_own_names_can_be_given_for_the_speakers(tmp_path: Path) -> None:
    path = tmp_path / "names.txt"
    path.write_text(as_text(names=("Anna", "Ben")), "utf-8")
    (unnamed,) = read(path)
    assert "Add --column therapist=Anna --column client=Ben" in str(out_of_scope(unnamed))
    (named,) = read(path, therapist="Anna", client="Ben")
    assert out_of_scope(named) is None
    assert said(named) == TALK


def test_a_folder_takes_groups_from_sub_folders_and_names_what_is_corrupt(tmp_path: Path) -> None:
    for group in ("high", "low"):
        (tmp_path / group).mkdir()
        (tmp_path / group / "one.txt").write_text(as_text(), "utf-8")
    (tmp_path / "broken.csv").write_bytes(b"session,speaker,text\n1,t\n")
    (tmp_path / "notes.pdf").write_bytes(b"%PDF-1.7")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    sources, unread = open_sources([tmp_path])
    assert [source.name for source in sources] == ["high/one.txt", "low/one.txt"]
    assert [one.group for source in sources for one in source.read()] == ["high", "low"]
    assert [one.name for one in unread] == ["notes.pdf", "broken.csv"]
    assert unread[0].reason == "notes.pdf: .pdf is not read; copy its text into a .txt or .docx file"
    assert "line 2: 2 cells where the header has 3" in unread[1].reason


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("empty.csv", b"", "empty.csv: the file is empty"),
        ("blank.jsonl", b"\xef\xbb\xbf \n\n", "blank.jsonl: the file is empty"),
        ("header.csv", b"session,speaker,text\n", "a header but no rows"),
        ("wide.csv", "session,speaker,text\n".encode("utf-16"), "a header but no rows"),
        ("binary.txt", b"T: \x00\x01\x02\x81\x00", "binary.txt"),
        ("one.csv", b"who,line_of_talk\nt,hello\n", "add --column 'text=line_of_talk'"),
        ("columns.csv", b"when,who,what\n1,t,hello\n", "no column for session, text. Found: when, who, what"),
        ("twice.csv", b"text,text\n1,2\n", "two columns have the same name"),
        ("short.csv", b"session,speaker,text\n1,t\n", "short.csv, line 2: 2 cells where the header has 3"),
        ("quote.csv", b'session,speaker,text\n1,t,"hello\n', "quote.csv, line 2: not readable as CSV"),
        ("nosession.csv", b"session,speaker,text\n,t,hello\n", "line 2: the session column 'session' is empty"),
        ("cut.jsonl", b'{"messages": [{"role": "user"', "cut.jsonl, line 1, column 30: not JSON"),
        ("list.jsonl", b"[1, 2]\n", "expected a JSON object, found list"),
        ("mixed.jsonl", chat_line("a", TALK[:1]).encode() + b'\n{"text": 1}\n', "line 2: no list of messages"),
        ("role.jsonl", b'{"messages": [{"content": "hi"}]}', "names no speaker. Found keys: content"),
        ("prose.txt", b"It was a dark night.\n", "no line begins with a speaker label"),
        ("sheet.xlsx", b"PK", "sheet.xlsx: not readable as a spreadsheet"),
        ("notes.docx", b"PK", "notes.docx: not readable as a Word document"),
        ("notes.pdf", b"%PDF", "notes.pdf: .pdf is not read; copy its text"),
        ("notes.xyz", b"?", "cannot tell the format"),
    ],
)
def test_bad_files_are_told_in_one_line(tmp_path: Path, name: str, content: bytes, told: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(UnreadableFile) as caught:
        open_sources([path])
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_other_bad_input(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="no such file or folder"):
        open_sources([tmp_path / "none.csv"])
    with pytest.raises(InputError, match="no transcripts in"):
        open_sources([tmp_path])
    with pytest.raises(InputError, match="no transcripts were named"):
        open_sources([])
    path = annomi_file(tmp_path / "a.csv")
    with pytest.raises(InputError, match="has no 'speker'"):
        open_sources([path], {"speker": "x"})
    with pytest.raises(UnreadableFile, match="speaker \\('voice' was asked for\\)"):
        open_sources([path], {"session": "transcript_id", "speaker": "voice", "text": "utterance_text"})
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "a.csv").write_bytes(b"\xff")
    with pytest.raises(UnreadableFile, match="none of the files could be read"):
        open_sources([tmp_path / "bad"])


def test_files_of_one_name_are_told_apart(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "s.txt").write_text(as_text(), "utf-8")
    one, two = read(tmp_path / "a" / "s.txt", tmp_path / "b" / "s.txt")
    assert (one.source, two.source) == ("s.txt", "s.txt#2")


GERMAN = "Ich weiß nicht, ob ich das so will, und was er in all den Jahren hat, war mir am Ende egal."
DUTCH = "Ik weet niet of ik dat zo wil en wat hij in al die jaren heeft gedaan was me op het einde om het even."


def test_what_lies_outside_the_scope_is_named() -> None:
    def made(*turns: tuple[str, str], people: int = 2) -> Transcript:
        spoken = tuple(Utterance(who, text, index=i) for i, (who, text) in enumerate(turns))  # type: ignore[arg-type]
        return Transcript("x", None, spoken, "x", people)

    assert out_of_scope(made(*TALK)) is None
    assert (
        out_of_scope(made(*TALK, people=3)) == "3 speakers; only sessions of one therapist with one client are scored"
    )
    assert "at least 4" in str(out_of_scope(made(*TALK[:3])))
    assert "one speaker only (client)" in str(out_of_scope(made(*[("client", "I am here.")] * 5, people=1)))
    for text in (GERMAN, DUTCH, "これは日本語です", "12 34 56"):
        assert "not English" in str(out_of_scope(made(*[("therapist", text), ("client", text)] * 2)))


def test_english_rate_parts_english_from_other_tongues() -> None:
    def rate(text: str) -> float | None:
        return english_rate(Transcript("x", None, (Utterance("client", text),), "x", 1))

    english, german, dutch = rate(TALK[3][1]), rate(GERMAN), rate(DUTCH)
    assert english is not None and german is not None and dutch is not None
    assert english > 0.55 and german < 0.3 and dutch < 0.3
    assert rate("…") is None


def test_three_labelled_people_count_as_three(tmp_path: Path) -> None:
    path = tmp_path / "group.txt"
    path.write_text("T: Hello both.\nClient A: Hi there.\nClient B: Hi.\nT: So.\nClient A: Well.\n", "utf-8")
    (one,) = read(path)
    assert one.people == 3


@pytest.mark.skipif(not DATA.is_dir(), reason="the research data (../shared/data) is not here")
def test_research_data_is_read_as_it_is() -> None:
    annomi = read(DATA / "annomi" / "AnnoMI-simple.csv")
    full = read(DATA / "annomi" / "AnnoMI-full.csv")
    hlqc = read(DATA / "hlqc" / "HLQC.csv")
    assert [len(annomi), len(full), len(hlqc)] == [88, 88, 60]
    assert sum(len(one.utterances) for one in annomi) == 5688
    assert {said(one) for one in annomi} == {said(one) for one in full}
    assert {one.group for one in annomi + hlqc} == {"high", "low"}
    assert [out_of_scope(one) for one in annomi + hlqc] == [None] * 148
