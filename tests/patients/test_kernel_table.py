"""The table of constants on the page of the patients is what the code has."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_of_the_patients_has_every_constant_as_it_is(monkeypatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "recipes"))
    from constants import table

    assert table() in (ROOT / "docs" / "patients.md").read_text(encoding="utf-8")
    assert len(table().splitlines()) > 30
    sys.modules.pop("constants")
