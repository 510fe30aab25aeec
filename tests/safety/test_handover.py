"""Pins what the fixed hand-over text must and must not say."""

from __future__ import annotations

import re

import pytest

from maieutic.safety.handover import DISCLAIMER, HANDOVER

COUNTRIES = (
    "america", "american", "states", "usa", "u.s.", "uk", "u.k.", "kingdom", "britain", "british", "england", "scotland", "wales", "ireland", "canada", "australia",
    "zealand", "germany", "austria", "switzerland", "france", "spain", "italy", "netherlands", "belgium", "india", "china", "japan", "nigeria", "kenya",
    "africa", "brazil", "mexico", "europe", "norway", "sweden", "denmark", "finland", "poland", "samaritans", "nhs", "lifeline",
)  # fmt: skip


@pytest.mark.parametrize("text", [HANDOVER, DISCLAIMER])
def test_holds_no_number_and_no_country(text: str) -> None:
    assert not re.search(r"\d", text)
    words = set(re.findall(r"[a-z.]+", text.lower()))
    assert not words & set(COUNTRIES)
    assert "http" not in text.lower() and "www" not in text.lower()


@pytest.mark.parametrize(
    "part",
    [
        "research and training program",
        "for adults",
        "not a service",
        "cannot help in an emergency",
        "local emergency number now",
        "nearest emergency department",
        "a person you trust",
        "crisis line where you live",
    ],
)
def test_says_what_it_must(part: str) -> None:
    assert part in HANDOVER


def test_is_short_and_no_safety_plan() -> None:
    assert len(HANDOVER.split()) <= 140
    assert "?" not in HANDOVER
    assert not re.search(r"\b(?:plan|coping|step|warning signs|reasons? to live|promise|contract)\b", HANDOVER.lower())


def test_the_disclaimer_is_one_line() -> None:
    assert "\n" not in DISCLAIMER
    assert "treats nobody" in DISCLAIMER
