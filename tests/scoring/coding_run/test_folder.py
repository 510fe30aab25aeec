"""A folder is coded file by file, a bad file is named and the rest is done, and a break is taken up where it happened."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from plain_coder import PlainCoder

from maieutic.errors import InputError, UnreadableFile
from maieutic.scoring.coding_run import output
from maieutic.scoring.coding_run.run import code_file

TALK = "session,speaker,text\n{0},therapist,What was the week like?\n{0},client,It was {0} and rather long for all of us.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "in"
    (place / "deeper").mkdir(parents=True)
    for name in ("a", "b", "deeper/c"):
        (place / f"{name}.csv").write_text(TALK.format(name), encoding="utf-8")
    lines = [
        {"id": "x", "messages": [{"role": "assistant", "content": "Hello."}, {"role": "user", "content": "Hi."}]},
        {"id": "y", "messages": [{"role": "user", "content": "I can't sleep."}]},
    ]
    (place / "chat.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    (place / "talk.txt").write_text("Therapist: How are you?\nClient: Well.\nTherapist: Good.\n", encoding="utf-8")
    corpus = place / "corpus"
    corpus.mkdir()
    said = [{"conversation_id": "k", "speaker": who, "text": text} for who, text in (("T", "How so?"), ("C", "So."))]
    (corpus / "utterances.jsonl").write_text("".join(json.dumps(one) + "\n" for one in said), encoding="utf-8")
    (place / "README.md").write_text("nothing to code", encoding="utf-8")
    return place


def test_every_kind_of_file_gets_a_coded_one(folder: Path, tmp_path: Path) -> None:
    seen: list[tuple[int, int, str]] = []
    out = tmp_path / "out"
    summary = code_file(folder, scheme="annomi", out=out, coder=PlainCoder("annomi"),
                        progress=lambda *told: seen.append(told))  # fmt: skip
    names = {path.relative_to(out).as_posix() for path in out.rglob("*.csv")}
    assert names == {"a.csv", "b.csv", "deeper/c.csv", "chat.jsonl.csv", "talk.txt.csv", "corpus.convokit.csv"}
    assert (summary.files, summary.rows, summary.coded, summary.failed) == (6, 14, 14, ())
    chat = pl.read_csv(out / "chat.jsonl.csv", infer_schema=False)
    assert chat.columns[:4] == ["session", "index", "speaker", "text"]
    assert chat.select("session", "index", "speaker", "text").rows() == [
        ("x", "0", "therapist", "Hello."), ("x", "1", "client", "Hi."), ("y", "0", "client", "I can't sleep."),
    ]  # fmt: skip
    assert pl.read_csv(out / "corpus.convokit.csv")["speaker"].to_list() == ["therapist", "client"]
    assert seen[0][:2] == (0, 6) and seen[-1][:2] == (6, 6)
    assert [path.name for path in out.rglob(".*")] == [".coded.jsonl"]


def test_one_corrupt_file_among_many_is_named_and_the_rest_is_done(folder: Path, tmp_path: Path) -> None:
    (folder / "bad.csv").write_bytes("session,speaker,text\n1,client,né\n".encode() + b"1,client,caf\xe9 noir\n")
    (folder / "cut.csv").write_text('session,speaker,text\n1,client,"and then', encoding="utf-8")
    (folder / "short.csv").write_text("session,speaker,text\n1,client\n", encoding="utf-8")
    (folder / "empty.csv").write_bytes(b"")
    (folder / "strangers.csv").write_text("session,who,text\n1,Anna,Hi\n1,Ben,Ho\n", encoding="utf-8")
    (folder / "cut.jsonl").write_text('{"id": "x", "messages": [{"role": "user", "cont', encoding="utf-8")
    (folder / "list.json").write_text('[{"speaker": "client", "text": "one"}, {"speaker"', encoding="utf-8")
    out = tmp_path / "out"
    summary = code_file(folder, scheme="annomi", out=out, coder=PlainCoder("annomi"))
    reasons = {one.name: one.reason for one in summary.failed}
    assert set(reasons) == {"bad.csv", "cut.csv", "short.csv", "empty.csv", "strangers.csv", "cut.jsonl", "list.json"}
    assert "bad.csv, line 3: holds bytes that are not UTF-8" in reasons["bad.csv"]
    assert "cut.csv, line 2" in reasons["cut.csv"] and "short.csv, line 2: 2 cells" in reasons["short.csv"]
    assert "is empty" in reasons["empty.csv"]
    assert "column 'who': none of the speakers is known" in reasons["strangers.csv"]
    assert (
        "'Anna' (line 2)" in reasons["strangers.csv"]
        and "--column therapist=Anna --column client=Ben" in reasons["strangers.csv"]
    )
    assert (
        "cut.jsonl, line 1" in reasons["cut.jsonl"]
        and "not JSON" in reasons["cut.jsonl"]
        and "list.json, item 2" in reasons["list.json"]
    )
    assert summary.files == 6 and (out / "deeper" / "c.csv").is_file()
    record = [json.loads(line) for line in (out / ".coded.jsonl").read_text(encoding="utf-8").splitlines()]
    failed = [line["name"] for line in record if "failed" in line]
    assert set(failed) == set(reasons) and len(record) == len(failed) + 6
    assert not [path for path in out.rglob("*") if "bad" in path.name]


def test_finished_files_are_kept(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = code_file(folder, scheme="annomi", out=out, coder=PlainCoder("annomi"))
    coder = PlainCoder("annomi")
    (folder / "b.csv").write_text(TALK.format("new"), encoding="utf-8")
    (out / "a.csv").unlink()
    second = code_file(folder, scheme="annomi", out=out, coder=coder)
    assert second.kept == 4 and second.files == 6 and (second.rows, second.coded) == (first.rows, first.coded)
    assert {call[0].text for call in coder.asked} == {"What was the week like?"} and len(coder.asked) == 2
    assert "new" in (out / "b.csv").read_text(encoding="utf-8")
    other = PlainCoder("bolt")
    assert code_file(folder, scheme="bolt", out=out, coder=other).kept == 0


def test_the_output_may_lie_in_the_input(folder: Path) -> None:
    out = folder / "coded"
    for _ in range(2):
        summary = code_file(folder, scheme="annomi", out=out, coder=PlainCoder("annomi"))
        assert summary.files == 6
    assert not (out / "coded").exists()


def test_folders_that_cannot_be_coded(folder: Path, tmp_path: Path) -> None:
    coder = PlainCoder("annomi")
    with pytest.raises(InputError, match="expected the name of a folder"):
        code_file(folder, scheme="annomi", out=tmp_path / "coded.csv", coder=coder)
    (tmp_path / "hollow").mkdir()
    with pytest.raises(InputError, match="nothing to code"):
        code_file(tmp_path / "hollow", scheme="annomi", out=tmp_path / "out", coder=coder)
    (tmp_path / "hollow" / "x.csv").write_text("words\nhello\n", encoding="utf-8")
    with pytest.raises(UnreadableFile, match="none of the files could be coded"):
        code_file(tmp_path / "hollow", scheme="annomi", out=tmp_path / "out", coder=coder)
    with pytest.raises(InputError, match="follows 'annomi'"):
        code_file(folder, scheme="bolt", out=tmp_path / "out", coder=coder)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_break_is_taken_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str) -> None:
    monkeypatch.setattr(output, "PIECE_ROWS", 7)
    path, out = tmp_path / "talk.csv", tmp_path / f"coded{suffix}"
    rows = [
        f"s{at // 6},{('therapist', 'client')[at % 2]},row number {at} {'x' * (at % 50)},{at}\n" for at in range(120)
    ]
    path.write_text("session,speaker,text,number\n" + "".join(rows), encoding="utf-8")
    whole = tmp_path / f"whole{suffix}"
    code_file(path, scheme="annomi", out=whole, coder=PlainCoder("annomi"))
    with pytest.raises(KeyboardInterrupt):
        code_file(path, scheme="annomi", out=out, coder=PlainCoder("annomi", breaks_at=9))
    assert not out.exists() and (tmp_path / f".coded{suffix}.unfinished").is_dir()
    rest = PlainCoder("annomi")
    told: list[tuple[int, int, str]] = []
    summary = code_file(path, scheme="annomi", out=out, coder=rest, progress=lambda *one: told.append(one))
    assert summary.resumed == 54 and len(rest.asked) == 20 - 9
    assert told[0] == (54, 120, "talk.csv") and told[-1] == (120, 120, "talk.csv")
    assert out.read_bytes() == whole.read_bytes()
    assert (summary.rows, summary.coded, summary.sessions) == (120, 120, 20)
    assert sorted(one.name for one in tmp_path.iterdir()) == sorted(["talk.csv", out.name, whole.name])


def test_a_break_is_not_taken_up_with_other_input(tmp_path: Path) -> None:
    path, out = tmp_path / "talk.csv", tmp_path / "coded.csv"
    path.write_text(TALK.format("a") + TALK.format("b").partition("\n")[2], encoding="utf-8")
    with pytest.raises(KeyboardInterrupt):
        code_file(path, scheme="annomi", out=out, coder=PlainCoder("annomi", breaks_at=1))
    path.write_text(TALK.format("z") + TALK.format("b").partition("\n")[2], encoding="utf-8")
    summary = code_file(path, scheme="annomi", out=out, coder=PlainCoder("annomi"))
    assert summary.resumed == 0 and "It was z" in out.read_text(encoding="utf-8")


def test_a_broken_folder_goes_on(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        code_file(folder, scheme="annomi", out=out, coder=PlainCoder("annomi", breaks_at=2))
    assert (out / "a.csv").is_file()
    summary = code_file(folder, scheme="annomi", out=out, coder=PlainCoder("annomi"))
    assert summary.kept == 2 and summary.files == 6
