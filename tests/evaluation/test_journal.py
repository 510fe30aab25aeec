"""The journal: what is written comes back, a kill loses at most a line, damage and a full disk are named."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maieutic.dialogue import converse
from maieutic.domain.episode import Episode
from maieutic.errors import RunFolderError, StorageError
from maieutic.evaluation.journal import EpisodeJournal, read_journal
from maieutic.models.scripted import ScriptedModel
from maieutic.patients.published import make_static
from maieutic.registry import load_therapist
from talks import Speaker, make_patient, make_talk


def record(folder: Path, therapist: Any, patient: Any = None, *, end: bool = True, **more: Any) -> Episode:
    journal = EpisodeJournal(folder)
    episode = asyncio.run(converse(make_talk(therapist, patient, observer=journal.turn, **more), guarded=True))
    if end:
        journal.end(episode)
    journal.close()
    return episode


def back(folder: Path, episode: Episode) -> Episode:
    return read_journal(folder)[episode.key].episode(episode.key, episode.session.seed)


@pytest.mark.parametrize(
    "therapist",
    [
        Speaker(),
        Speaker(ends_at=2),
        Speaker(ends_at=0),
        Speaker(breaks_at=3),
        Speaker(breaks_at=0),
        Speaker(turns=("", "🙂", '"quoted" \\ and\nlines\u2028 of \x00 it')),
        load_therapist("oracle"),
        load_therapist("socratic"),
        load_therapist("no_session"),
    ],
    ids=[
        "limit",
        "closes",
        "closes-at-once",
        "breaks",
        "breaks-at-once",
        "strange",
        "oracle",
        "socratic",
        "no-session",
    ],
)
@pytest.mark.parametrize("case", ["gethin", "hester"])
def test_an_episode_comes_back_as_it_was(tmp_path: Path, therapist: Any, case: str) -> None:
    episode = record(tmp_path, therapist, make_patient(case))
    assert back(tmp_path, episode) == episode


def test_a_patient_that_leaves_comes_back_as_it_was(tmp_path: Path) -> None:
    rude = Speaker(turns=("You should stop whining. You need to grow up. Here are ten things you have to do today.",))
    for seed in range(8):
        episode = record(tmp_path, rude, make_patient("denise-farrugia"), turns=40, seed=seed)
        assert back(tmp_path, episode) == episode
        if episode.ending.kind == "patient_left":
            return
    pytest.fail("nobody left")


def test_a_patient_that_says_nothing_comes_back_as_it_was(tmp_path: Path) -> None:
    patient = make_static(make_patient().case, "job-centre", embed=None, model=ScriptedModel(["", "Well.", ""]))  # type: ignore[arg-type]
    episode = record(tmp_path, Speaker(), patient)
    assert [t.text for t in episode.session.by("patient")][:3] == ["", "Well.", ""]
    assert back(tmp_path, episode) == episode


def test_an_unfinished_dialogue_gives_its_progress(tmp_path: Path) -> None:
    episode = record(tmp_path, Speaker(), end=False)
    found = read_journal(tmp_path)[episode.key]
    assert not found.closed
    assert found.progress(7).session.turns == episode.session.turns
    assert found.progress(7).session.seed == 7
    assert found.progress(7).states == episode.states


def test_an_empty_or_missing_journal_holds_nothing(tmp_path: Path) -> None:
    assert read_journal(tmp_path / "none") == {}
    EpisodeJournal(tmp_path / "new").close()
    assert read_journal(tmp_path / "new") == {}


def test_each_process_writes_a_file_of_its_own(tmp_path: Path) -> None:
    for _ in range(3):
        EpisodeJournal(tmp_path).close()
    assert sorted(p.name for p in tmp_path.glob("*")) == ["0001.jsonl", "0002.jsonl", "0003.jsonl"]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("journal")
    record(folder, Speaker(), turns=3)
    return (folder / "0001.jsonl").read_bytes()


@given(st.data())
@settings(max_examples=40)
def test_a_cut_at_any_byte_loses_the_last_line_only(
    written: bytes, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(written)))
    folder = tmp_path_factory.mktemp("cut")
    (folder / "0001.jsonl").write_bytes(written[:cut])
    whole = written[:cut].count(b"\n")
    found = read_journal(folder)
    assert sum(len(r.turns) for r in found.values()) == min(whole, 7)
    assert [r.closed for r in found.values()] == ([whole == 8] if whole else [])


@pytest.mark.parametrize("damage", [b"{broken", b"\x00\x00\x00", b'{"kind": "turn"', b"\xff\xfe"])
def test_a_damaged_line_in_the_middle_is_refused_by_name(written: bytes, tmp_path: Path, damage: bytes) -> None:
    lines = written.split(b"\n")
    lines[2] = damage
    (tmp_path / "0001.jsonl").write_bytes(b"\n".join(lines))
    with pytest.raises(RunFolderError, match=r"0001\.jsonl, line 3"):
        read_journal(tmp_path)


@pytest.mark.parametrize(
    "line", [b"[]", b"{}", b"7", b'{"kind": "turn", "key": ["a", "b", 0]}', b'{"kind": "x", "key": 3}']
)
def test_a_whole_line_that_is_no_record_is_refused_by_name(written: bytes, tmp_path: Path, line: bytes) -> None:
    lines = written.split(b"\n")
    lines[2] = line
    (tmp_path / "0001.jsonl").write_bytes(b"\n".join(lines))
    with pytest.raises(RunFolderError, match=r"0001\.jsonl, line 3"):
        read_journal(tmp_path)


def test_a_full_disk_is_named(tmp_path: Path) -> None:
    journal = EpisodeJournal(tmp_path)
    journal.close()
    journal._file = Path("/dev/full").open("wb")  # noqa: SIM115
    with pytest.raises(StorageError, match="the disk is full"):
        asyncio.run(converse(make_talk(Speaker(), observer=journal.turn), guarded=True))
    journal.close()


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StorageError, match="cannot write to"):
        EpisodeJournal(tmp_path / "file" / "journal")
