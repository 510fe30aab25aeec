"""The journal of a judge: nothing is lost by a kill, and no other file is touched."""

from __future__ import annotations

import pytest

from coding.judges import PLAIN, TALK, Judge, by_mark
from held import held_elsewhere
from maieutic.errors import RunFolderError, StorageError, UnreadableFile
from maieutic.judging.calls import HEADER, Answer, JudgeJournal, answer_key
from maieutic.judging.coder import JudgeCoder

ANSWER = Answer("{}", 1, 10, None, 0.5)


def filled(path, count=3):
    journal = JudgeJournal(path)
    for at in range(count):
        journal.keep(f"{at:032x}", ANSWER, model="m", seed=at)
    return journal


def test_answers_come_back(tmp_path):
    path = tmp_path / "new" / "answers.jsonl"
    filled(path).fail("f" * 32, "no answer", model="m", seed=0)
    again = JudgeJournal(path)
    assert len(again) == 3
    assert again[f"{1:032x}"] == ANSWER
    assert "f" * 32 not in again
    assert again.seconds == pytest.approx(0.5)


@pytest.mark.parametrize("cut", [1, 20, 5])
def test_a_line_that_was_cut_off_is_dropped_and_writing_goes_on(tmp_path, cut):
    path = tmp_path / "answers.jsonl"
    filled(path)
    path.write_bytes(path.read_bytes()[:-cut])
    again = JudgeJournal(path)
    assert len(again) == 2
    again.keep("a" * 32, ANSWER, model="m", seed=9)
    assert len(JudgeJournal(path)) == 3


@pytest.mark.parametrize("length", [0, 1, 12])
def test_a_header_that_was_cut_off(tmp_path, length):
    path = tmp_path / "answers.jsonl"
    filled(path)
    path.write_bytes(path.read_bytes()[:length])
    filled(path)
    assert len(JudgeJournal(path)) == 3


@pytest.mark.parametrize(
    "content", ["session,speaker,text\n1,client,hello", "{}", '{"kind":"judge journal","format":2}\n']
)
def test_another_file_is_refused_and_left_alone(tmp_path, content):
    path = tmp_path / "talk.csv"
    path.write_text(content)
    with pytest.raises(UnreadableFile, match="no journal"):
        JudgeJournal(path)
    assert path.read_text() == content


@pytest.mark.parametrize("line", ["{broken", '{"key": "x", "answer": "y"}', "[1]\x00"])
def test_a_damaged_line_is_named(tmp_path, line):
    path = tmp_path / "answers.jsonl"
    filled(path, 1)
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(UnreadableFile, match="line 3 is damaged"):
        JudgeJournal(path)


def test_a_folder_is_no_journal(tmp_path):
    with pytest.raises(UnreadableFile, match="cannot be read"):
        JudgeJournal(tmp_path)


def test_what_cannot_be_written_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot write"):
        filled(tmp_path / "file" / "answers.jsonl")


def test_the_key_hangs_on_all_that_decides_an_answer():
    messages = ({"role": "user", "content": "a"},)
    given = {"seed": 1, "temperature": 0.7, "max_tokens": 10}
    keys = {answer_key("m", messages, **given), answer_key("n", messages, **given)}
    keys |= {answer_key("m", messages, **{**given, name: 2}) for name in given}
    keys.add(answer_key("m", ({"role": "system", "content": "a"},), **given))
    assert len(keys) == 6
    assert answer_key("m", messages, **given) == answer_key("m", messages, **given)


def test_answers_that_another_process_is_filing_are_refused_before_a_call_is_paid_for(tmp_path):
    path = tmp_path / "answers.jsonl"
    model = Judge(by_mark)
    with held_elsewhere(path, HEADER), JudgeCoder(PLAIN, model, journal=path) as coder:
        assert len(coder.journal) == 0  # it may be read
        with pytest.raises(RunFolderError, match="is in use by another process"):
            coder.predict(TALK)
    assert not model.calls and path.read_bytes() == HEADER
    with JudgeCoder(PLAIN, model, journal=path) as coder:
        assert len(coder.predict(TALK)) == len(TALK)


def test_answers_that_came_from_another_process_meanwhile_are_not_asked_again(tmp_path):
    path = tmp_path / "answers.jsonl"
    with JudgeCoder(PLAIN, model := Judge(by_mark), journal=path) as late:
        with JudgeCoder(PLAIN, Judge(by_mark), journal=path) as other:
            found = other.predict(TALK)
        assert late.predict(TALK) == found
    assert not model.calls
