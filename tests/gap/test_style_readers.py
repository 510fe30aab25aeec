"""What the readers reach on answers in four styles must not be lost: the figures of `benchmarks/reply_styles.py`."""

from __future__ import annotations

from types import ModuleType
from typing import Any
from unittest.mock import patch

import pytest

from benchmark_modules import benchmark
from maieutic.gap.presuppositions import detector as presuppositions_detector
from maieutic.gap.presuppositions.detector import stance_of
from maieutic.gap.reads_into.attributions import claims
from maieutic.reading.plain import plain


@pytest.fixture(scope="module")
def styles() -> ModuleType:
    return benchmark("reply_styles")


@pytest.fixture(scope="module")
def found(styles: ModuleType) -> list[Any]:
    return list(styles.readings())


def test_no_style_is_read_worse_than_it_was(styles: ModuleType, found: list[Any]) -> None:
    assert len(found) >= 49 and all(len(one.read) == len(styles.STYLES) for one in found)
    for at, floor in enumerate((0.97, 0.97, 0.97, 0.97)):
        assert sum(one.read[at] == one.right for one in found) / len(found) >= floor, styles.STYLES[at]


def test_pressed_replies_are_read_in_nine_of_ten(found: list[Any]) -> None:
    rows = [(one.right, read) for one in found if one.reader.startswith("pressed") for read in one.read]
    assert sum(label == read for label, read in rows) / len(rows) >= 0.9


def test_one_answer_of_twelve_turns_round_at_most(found: list[Any]) -> None:
    assert sum(len(set(map(str, one.read))) > 1 for one in found) <= 4


def test_what_is_sure_is_read_in_one_way_and_most_is_sure(found: list[Any]) -> None:
    mine = [one for one in found if not one.reader.startswith("attributions")]
    assert sum(len({*one.sure} - {None}) > 1 for one in mine) == 0
    assert 0 < sum(told is None for one in mine for told in one.sure) / (4 * len(mine)) < 0.2


@pytest.mark.full
def test_answers_by_another_hand_are_read_no_worse_than_they_were(styles: ModuleType) -> None:
    found = styles.by_another_hand()
    assert len(found) == 220
    for at, floor in enumerate((0.91, 0.89, 0.92, 0.88)):
        assert sum(one.read[at] == one.right for one in found) / len(found) >= floor, styles.STYLES[at]
    assert sum(len(set(map(str, one.read))) > 1 for one in found) <= 60
    assert sum(len({*one.sure} - {None}) > 1 for one in found) <= 9


@pytest.mark.full
def test_reply_and_turn_read_whole_help_where_a_reply_is_long(styles: ModuleType) -> None:
    long = styles.STYLES.index("long, hedged")
    rows = [row | {"texts": [row["texts"][long]]} for row in styles.left_out() if "item" in row]

    def right() -> int:
        stance_of.cache_clear()
        return sum(one.read == [one.right] for one in styles.answers(rows))

    whole = right()
    with patch.object(presuppositions_detector, "WHOLE", 0.0):
        by_clauses = right()
    stance_of.cache_clear()
    assert len(rows) == 260 and whole > by_clauses


@pytest.mark.parametrize("text", ["Ashamed, maybe?", "**Hurt**, I guess? 💔", "Frightened, would you say?"])
def test_a_feeling_guessed_at_in_two_words_is_heard(text: str) -> None:
    found = claims(plain(text).text)
    assert found and all(claim.tentative for claim in found)


@pytest.mark.full
@pytest.mark.timeout(120)
def test_a_question_behind_a_conclusion_hides_it_no_more_than_it_did(styles: ModuleType) -> None:
    found = styles.answers([row for rows in styles.latest() for row in rows if row["question"] == "end"])
    for label, right, wrong in (("yes", 78, 8), ("no", 90, 2)):
        mine = [one for one in found if one.right == label]
        assert sum(read == label for one in mine for read in one.read) >= right
        assert sum(told is not None and told != label for one in mine for told in one.sure) <= wrong
