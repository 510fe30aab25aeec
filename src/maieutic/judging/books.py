"""The code books of rated sets: what a tutor's reply does, how empathic a helper is, how good a session is."""

from __future__ import annotations

from importlib.resources import files

from maieutic.coding.book import book_of
from maieutic.reading.yaml_text import read_yaml

TUTOR, TELLS, EMPATHY, SESSION = map(
    book_of, read_yaml((files("maieutic") / "judging" / "books.yaml").read_text(encoding="utf-8"))
)
