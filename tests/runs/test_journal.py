"""The one journal: a line is whole or was never said, whoever wrote it and whoever goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from held import held_elsewhere
from maieutic.errors import RunFolderError, StorageError
from maieutic.runs.journal import Checkpoint, Journal, entries, is_foreign, packed

HEADER = packed({"kind": "try"})


def refused(number: int) -> RunFolderError:
    return RunFolderError(f"line {number}")


def filled(path: Path, numbers: range, header: bytes = b"") -> None:
    journal = Journal(path, header=header)
    for number in numbers:
        journal.write(packed({"n": number}))
    journal.close()


def read(path: Path, header: bytes = b"") -> list[int]:
    return list(entries(path, lambda line: line["n"], damaged=refused, header=header))


@given(cut=st.integers(0, 200), header=st.sampled_from([b"", HEADER]))
@settings(max_examples=80)
def test_a_cut_at_any_byte_loses_the_last_line_only_and_writing_goes_on(
    tmp_path_factory: pytest.TempPathFactory, cut: int, header: bytes
) -> None:
    path = tmp_path_factory.mktemp("cut") / "a.jsonl"
    filled(path, range(20), header)
    whole = path.read_bytes()
    path.write_bytes(whole[:cut])
    kept = read(path, header)
    assert kept == list(range(max(0, whole[:cut].count(b"\n") - bool(header))))
    filled(path, range(len(kept), 20), header)
    assert path.read_bytes() == whole and read(path, header) == list(range(20))


def test_a_last_line_longer_than_a_block_is_cut_off_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    filled(path, range(1))
    path.write_bytes(path.read_bytes() + b'{"n": "' + b"x" * 300_000)
    filled(path, range(1, 2))
    assert read(path) == [0, 1]


@pytest.mark.parametrize("line", ["{broken", '{"m": 1}', "[1]", "7", '{"n": 1}{"n": 2}'])
def test_a_whole_line_that_cannot_be_read_is_named_or_passed_over(tmp_path: Path, line: str) -> None:
    path = tmp_path / "a.jsonl"
    filled(path, range(1), HEADER)
    path.write_bytes(path.read_bytes() + line.encode() + b"\n" + packed({"n": 2}))
    with pytest.raises(RunFolderError, match="line 3"):
        read(path, HEADER)
    assert list(entries(path, lambda line: line["n"], damaged=lambda _: None, header=HEADER)) == [0, 2]


def test_another_header_is_seen_before_anything_is_touched(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"session,speaker\n")
    assert is_foreign(path, HEADER)
    for length in range(len(HEADER) + 1):
        path.write_bytes(HEADER[:length])
        assert not is_foreign(path, HEADER)
    assert not is_foreign(tmp_path / "none.jsonl", HEADER)


def test_a_file_that_must_be_new_is_not_written_over(tmp_path: Path) -> None:
    filled(tmp_path / "a.jsonl", range(2))
    with pytest.raises(StorageError, match="cannot write to"):
        Journal(tmp_path / "a.jsonl", is_new=True)
    assert read(tmp_path / "a.jsonl") == [0, 1]


def test_a_full_disk_is_told_with_what_to_do(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "a.jsonl", go_on="call Ann")
    journal.close()
    journal._file = Path("/dev/full").open("wb")  # noqa: SIM115
    with pytest.raises(StorageError, match=r"disk is full.*kept; call Ann"):
        journal.write(packed({"n": 1}))
    journal.close()


def kept(path: Path, *, resume: bool) -> Checkpoint[int]:
    return Checkpoint(path, "name", lambda line: int(line["value"]), resume=resume)


def test_a_checkpoint_takes_over_what_is_whole_and_makes_the_rest_again(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.jsonl"
    first = kept(path, resume=False)
    for number in range(3):
        first.write({"name": str(number), "value": number})
    # A torn line that an earlier version closed with a newline, and one that a kill left.
    path.write_bytes(path.read_bytes() + b'{"name": "x", "va\n' + b'{"name": "3", "value": 3}')
    again = kept(path, resume=True)
    assert again.found == {"0": 0, "1": 1, "2": 2}
    again.write({"name": "3", "value": 4})
    assert kept(path, resume=True).found == {"0": 0, "1": 1, "2": 2, "3": 4}
    assert kept(path, resume=False).found == {} and path.read_bytes() == b""


@pytest.mark.parametrize("entry", [{"name": "a"}, {"name": "a", "value": "b"}, {"value": 1}, []])
def test_a_line_of_another_form_is_made_again(tmp_path: Path, entry: Any) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(packed(entry))
    assert kept(path, resume=True).found == {}


def test_a_journal_is_one_processs_at_a_time_and_free_after_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    with held_elsewhere(path):
        with pytest.raises(RunFolderError, match="is in use by another process"):
            Journal(path)
        with pytest.raises(RunFolderError, match="is in use by another process"):
            Checkpoint(path, "name", dict, resume=False)
        assert path.read_bytes() == b"{}\n"
    Journal(path).close()


def test_what_a_process_has_opened_twice_it_has_until_both_are_closed(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    first, second = Journal(path), Journal(path)
    first.write(b'{"a":1}\n')
    second.write(b'{"b":2}\n')
    first.close()
    with pytest.raises(AssertionError), held_elsewhere(path):
        pass
    second.write(b'{"c":3}\n')
    assert path.read_bytes() == b'{"a":1}\n{"b":2}\n{"c":3}\n'
    second.close()
    with held_elsewhere(path):
        pass
