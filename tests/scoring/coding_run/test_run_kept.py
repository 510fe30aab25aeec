"""`code` replaces codes of the same file only: somebody may have corrected those of another by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from held import held_elsewhere
from maieutic.errors import InputError, MaieuticError
from maieutic.scoring.coding_run.run import code_file

TALK = [
    ("Therapist", "What happened then?"),
    ("Client", "He left."),
    ("Therapist", "How was that?"),
    ("Client", "Bad."),
]


def written(path: Path, turns: list[tuple[str, str]]) -> Path:
    path.write_text("speaker,text\n" + "".join(f"{who},{said}\n" for who, said in turns), encoding="utf-8")
    return path


@pytest.mark.parametrize("other", [TALK[1:], [*TALK[:2], ("Therapist", "And now?")], TALK * 2])
def test_codes_of_another_file_are_not_replaced(tmp_path: Path, other: list[tuple[str, str]]) -> None:
    mine, out = written(tmp_path / "mine.csv", TALK), tmp_path / "coded.csv"
    code_file(written(tmp_path / "other.csv", other), scheme="annomi", out=out)
    before = out.read_bytes()
    if other[0] == TALK[0] and len(other) <= len(TALK):
        code_file(mine, scheme="annomi", out=out)  # the same file, grown by a turn
        assert out.read_bytes() != before
        return
    with pytest.raises(InputError, match=r"holds codes of another file than mine\.csv"):
        code_file(mine, scheme="annomi", out=out)
    assert out.read_bytes() == before


def test_codes_that_were_corrected_by_hand_are_kept_under_another_name(tmp_path: Path) -> None:
    mine, out = written(tmp_path / "mine.csv", TALK), tmp_path / "coded.csv"
    code_file(mine, scheme="annomi", out=out)
    code_file(mine, scheme="annomi", out=out)
    assert not list(tmp_path.glob("*.earlier*")), "nothing differed"
    corrected = out.read_text(encoding="utf-8").replace("question", "by hand", 1)
    out.write_text(corrected, encoding="utf-8")
    found = code_file(mine, scheme="annomi", out=out)
    assert (tmp_path / "coded.earlier.csv").read_text(encoding="utf-8") == corrected != out.read_text(encoding="utf-8")
    assert any("is kept as coded.earlier.csv" in note for note in found.notes)


@pytest.mark.parametrize("name", ["talk.csv", "other.csv"])
def test_what_another_command_codes_is_neither_removed_nor_written(tmp_path: Path, name: str) -> None:
    mine, folder = written(tmp_path / name, TALK), tmp_path / ".coded.csv.unfinished"
    with held_elsewhere(folder / "progress.jsonl", b'{"note":{"source":"talk.csv"}}\n'):
        (folder / "000000000000.parquet").touch()
        before = {one.name: one.read_bytes() for one in folder.iterdir()}
        with pytest.raises(MaieuticError, match="is in use by another process"):
            code_file(mine, scheme="annomi", out=tmp_path / "coded.csv")
        assert {one.name: one.read_bytes() for one in folder.iterdir()} == before
    code_file(mine, scheme="annomi", out=tmp_path / "coded.csv")
    assert (tmp_path / "coded.csv").is_file() and not folder.exists()
