"""The code books of rated sets: what a tutor's reply does, how empathic a helper is, how good a session is."""

from __future__ import annotations

from maieutic.coding.book import book_of
from maieutic.reading.yaml_text import packaged_yaml

TUTOR, TELLS, EMPATHY, SESSION = map(book_of, packaged_yaml("judging", "books.yaml"))
