"""The table of constants on the page of the patients is what the code has."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_page_of_the_patients_has_every_constant_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "recipes"))
    monkeypatch.delitem(sys.modules, "constants", raising=False)
    table = importlib.import_module("constants").table

    assert table() in (ROOT / "docs" / "patients.md").read_text(encoding="utf-8")
    assert len(table().splitlines()) > 30
