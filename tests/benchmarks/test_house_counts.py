"""How text is read is counted by a command; what was reached must not be lost."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

CHARACTERS, EXPRESSIONS = 19_600, 136


@pytest.fixture(scope="module")
def house() -> ModuleType:
    path = Path(__file__).parents[2] / "benchmarks" / "house.py"
    spec = importlib.util.spec_from_file_location("house", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["house"] = module
    spec.loader.exec_module(module)
    return module


def test_patterns_do_not_grow_again(house: ModuleType) -> None:
    modules = house.house()
    assert sum(one.characters for one in modules) <= CHARACTERS
    assert sum(one.expressions for one in modules) <= EXPRESSIONS


def test_no_head_is_formed_by_hand_outside_the_reading_room(house: ModuleType) -> None:
    assert house.by_hand(house.house()) == []


def test_a_pattern_put_together_from_names_is_counted(
    house: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(house, "PACKAGE", tmp_path)
    (tmp_path / "reader.py").write_text(
        '"""Reads \\\\b."""\nimport re\nPART = r"\\bso"\nFOUND = re.compile("x" + PART)\n'
    )
    (one,) = house.house()
    assert (one.characters, one.expressions, one.by_hand) == (len(r"\bso") + 1, 1, False)
