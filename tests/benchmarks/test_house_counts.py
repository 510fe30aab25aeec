"""How text is read, and how much lies in the house, is counted by a command; what was reached must not be lost."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import ModuleType

import pytest

from benchmark_modules import benchmark

CHARACTERS, EXPRESSIONS = 19_600, 136
WEIGHTS, ARCHIVE = 31e6, 60e6


@pytest.fixture(scope="module")
def house() -> ModuleType:
    return benchmark("house")


def test_patterns_and_heads_formed_by_hand_do_not_grow_again(house: ModuleType) -> None:
    modules = house.house()
    assert house.by_hand(modules) == []
    assert sum(one.characters for one in modules) <= CHARACTERS
    assert sum(one.expressions for one in modules) <= EXPRESSIONS


def test_weights_do_not_grow_again(house: ModuleType) -> None:
    weights = house.weight_files()
    assert {path.parts[-3] for path in weights} >= {"reading", "coding", "patients", "safety", "tracking", "gap"}
    assert sum(path.stat().st_size for path in weights) <= WEIGHTS


def test_the_archive_does_not_grow_again(house: ModuleType) -> None:
    if not (house.ROOT / ".git").exists():
        pytest.skip("an unpacked archive: git cannot say which files belong to it")
    assert house.archive_size() <= ARCHIVE


def test_an_archive_is_as_large_as_git_makes_it(
    house: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(house, "ROOT", tmp_path)
    for name, size in {"a.txt": 1, "in/full.txt": 512, "in/deep/long.txt": 70_000, "empty.txt": 0}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"x" * size)
    who = ("-c", "user.name=x", "-c", "user.email=x@localhost", "-c", "commit.gpgsign=false")
    for command in (("init", "-q"), ("add", "."), (*who, "commit", "-qm", "x")):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    packed = subprocess.run(["git", "archive", "HEAD"], cwd=tmp_path, check=True, capture_output=True).stdout
    assert house.archive_size() == len(packed)


def test_a_pattern_put_together_from_names_is_counted(
    house: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(house, "PACKAGE", tmp_path)
    (tmp_path / "reader.py").write_text(
        '"""Reads \\\\b."""\nimport re\nPART = r"\\bso"\nFOUND = re.compile("x" + PART)\n'
    )
    (one,) = house.house()
    assert (one.characters, one.expressions, one.by_hand) == (len(r"\bso") + 1, 1, False)
