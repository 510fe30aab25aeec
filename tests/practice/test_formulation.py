"""A formulation is scored by meaning: blank 0, the reference 1, somebody else's at chance, better ones higher."""

from __future__ import annotations

from pathlib import Path
from random import Random
from statistics import mean
from typing import Any

import pytest

from maieutic.library import case_ids, get_case
from maieutic.practice.formulation import THRESHOLD, diagram, likeness, score
from maieutic.practice.model import FIELDS, Formulation, FormulationScore
from maieutic.reading.yaml_text import read_yaml
from maieutic.runs.files import read_lines

DATA = Path(__file__).parent / "data"
WRITTEN: dict[str, Any] = read_yaml((DATA / "formulations.yaml").read_text(encoding="utf-8"))
CASES = tuple(WRITTEN)


def wanted(name: str) -> Formulation:
    return diagram(get_case(name), WRITTEN[name]["situation"], WRITTEN[name]["heard"])


def others(name: str) -> list[Formulation]:
    found = []
    for other in case_ids("dev")[:14]:
        case = get_case(other)
        here = case.situations[0]
        if other != name:
            found.append(diagram(case, here.id, [one.id for one in here.evidence][:3]))
    return found


def scored(name: str, given: Formulation) -> FormulationScore:
    return score(given, wanted(name), others(name), Random(0))


@pytest.mark.parametrize("name", CASES)
def test_a_blank_formulation_scores_0_and_the_reference_1(name: str) -> None:
    assert scored(name, Formulation()).f1 == 0.0
    full = scored(name, wanted(name))
    assert full.f1 == 1.0
    assert all(one.f1 == 1.0 and not one.missed for one in full.fields)


@pytest.mark.parametrize("name", CASES)
def test_the_reference_of_somebody_else_scores_at_chance(name: str) -> None:
    drawn = others(name)
    found = [score(one, wanted(name), [two for two in drawn if two is not one], Random(0)) for one in drawn]
    chance = mean(one.chance for one in found if one.chance is not None)
    assert mean(one.f1 for one in found) == pytest.approx(chance, abs=0.05)
    assert chance < 0.35


@pytest.mark.parametrize("name", CASES)
def test_a_reference_with_its_fields_shuffled_lies_far_below_the_reference(name: str) -> None:
    own = wanted(name)
    shifted = Formulation(**{field: own.entries(FIELDS[at - 4]) for at, field in enumerate(FIELDS)})
    assert scored(name, shifted).f1 < 0.5


@pytest.mark.parametrize("name", CASES)
def test_six_formulations_of_known_quality_come_in_the_right_order(name: str) -> None:
    found = [
        scored(name, Formulation(**{field: tuple(entries) for field, entries in one.items()})).f1
        for one in WRITTEN[name]["formulations"]
    ]
    assert found == sorted(found), found
    assert len({round(one, 2) for one in found}) == 6, found
    assert found[-1] > 0.8


def test_the_threshold_is_the_one_that_own_written_pairs_ask_for() -> None:
    pairs = read_lines(DATA / "formulation_pairs.jsonl")
    alike = [float(likeness([one["first"]], [one["second"]])[0, 0]) for one in pairs]

    def right(threshold: float) -> float:
        return float(mean((like >= threshold) == one["same"] for like, one in zip(alike, pairs, strict=True)))

    assert right(THRESHOLD) >= max(right(at / 100) for at in range(10, 90)) - 0.01
    assert right(THRESHOLD) > 0.85


def test_a_match_shows_the_words_that_matched_and_what_was_missed_is_named_apart() -> None:
    given = Formulation(core_beliefs=("He thinks he is worth nothing", "He is a famous painter"))
    field = next(one for one in scored("gethin", given).fields if one.field == "core_beliefs")
    assert [one.given for one in field.matched] == ["He thinks he is worth nothing"]
    assert "worth" in field.matched[0].words
    assert field.unmatched == ("He is a famous painter",)
    assert (field.precision, field.recall) == (0.5, 1.0)
    assert next(one for one in scored("gethin", given).fields if one.field == "coping").missed
