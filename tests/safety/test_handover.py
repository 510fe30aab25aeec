"""Pins what the fixed hand-over text must and must not say."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from maieutic.safety.handover import DISCLAIMER, HANDOVER, HANDOVERS, handover_for, holds_handover
from maieutic.safety.kinds import Kind, kind_of

HERE = Path(__file__).parent
TEXTS = [HANDOVER, *HANDOVERS.values()]

COUNTRIES = (
    "america", "american", "states", "usa", "u.s.", "uk", "u.k.", "kingdom", "britain", "british", "england", "scotland", "wales", "ireland", "canada", "australia",
    "zealand", "germany", "austria", "switzerland", "france", "spain", "italy", "netherlands", "belgium", "india", "china", "japan", "nigeria", "kenya",
    "africa", "brazil", "mexico", "europe", "norway", "sweden", "denmark", "finland", "poland", "samaritans", "nhs", "lifeline",
)  # fmt: skip


@pytest.mark.parametrize("text", [*TEXTS, DISCLAIMER])
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


@pytest.mark.parametrize("kind", Kind)
def test_each_kind_has_a_text_that_leads_to_people_and_to_an_emergency_number(kind: Kind) -> None:
    text = HANDOVERS[kind]
    for part in (
        "research and training program",
        "for adults",
        "not a service",
        "cannot help in an emergency",
        "local emergency number",
    ):
        assert part in text
    assert "doctor" in text or "crisis line where you live" in text
    assert text.count("\n\n") >= 3 and holds_handover(f"{text} And more.")


@pytest.mark.parametrize("text", TEXTS)
def test_no_text_tells_somebody_who_may_be_watched_to_keep_or_show_what_they_wrote(text: str) -> None:
    lower = text.lower()
    assert not re.search(r"\b(?:show|keep|save|send|print)\b[^.]{0,40}\b(?:words|wrote|page|screen|message)", lower)
    assert "feel safe with" in lower or "an adult you trust" in lower or "that person" in lower


def test_violence_at_home_is_told_of_safe_ways_and_of_the_device() -> None:
    text = HANDOVERS[Kind.VIOLENCE]
    for part in (
        "not your fault",
        "a phone that nobody else looks at",
        "you decide what happens",
        "need not know",
        "Close this page",
    ):
        assert part in text
    assert "close this page" in HANDOVER


def test_a_kind_in_doubt_gets_the_general_text_and_an_earlier_turn_can_settle_it() -> None:
    assert handover_for("It's bad today.") == HANDOVER
    hit = "He hit me again last night and he checks my phone."
    assert handover_for(hit) == handover_for(hit, "Please.") == HANDOVERS[Kind.VIOLENCE]
    assert handover_for("I want to kill myself tonight.") == HANDOVERS[Kind.SUICIDE]


def test_kinds_are_told_apart_in_lines_that_no_head_was_fitted_on() -> None:
    rows = [
        json.loads(line) for line in (HERE / "data" / "danger_kinds.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    found = [(row["kind"], kind_of(row["text"])) for row in rows]
    right = sum(kind == seen for kind, seen in found)
    in_doubt = sum(seen is None for _, seen in found)
    assert right >= 0.6 * len(rows)
    assert len(rows) - right - in_doubt <= 0.1 * len(rows)


def test_is_short_and_no_safety_plan() -> None:
    assert len(HANDOVER.split()) <= 140
    assert all(len(text.split()) <= 220 for text in TEXTS)
    for text in TEXTS:
        assert "?" not in text
        assert not re.search(r"\b(?:plan|coping|step|warning signs|reasons? to live|promise|contract)\b", text.lower())


def test_the_disclaimer_is_one_line() -> None:
    assert "\n" not in DISCLAIMER
    assert "treats nobody" in DISCLAIMER
