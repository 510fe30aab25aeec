"""What a case remembers: packaged memories are whole, and the checker names what is wrong and where there are gaps."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from maieutic.domain.coverage import faults
from maieutic.domain.memory import Memory, Unit
from maieutic.errors import InvalidCase
from maieutic.library import CASES, MEMORY, case_ids, get_case, read_case

CASE = get_case("gethin")
REMEMBERING = [name for name in case_ids() if (CASES / MEMORY / f"{name}.yaml").exists()]


def memory() -> Memory:
    assert CASE.memory is not None
    return CASE.memory


def test_more_than_forty_cases_remember_and_all_starters_do() -> None:
    assert len(REMEMBERING) >= 40
    assert set(case_ids("starter")) <= set(REMEMBERING)


@pytest.mark.parametrize("name", REMEMBERING)
def test_packaged_memories_have_no_fault(name: str) -> None:
    case = get_case(name)
    assert case.memory is not None
    assert [text for severity, text in faults(case, case.memory) if severity == "wrong"] == []
    assert len(case.memory.units) >= 100
    assert {fact.id for fact in case.memory.facts} == {e.id for s in case.situations for e in s.evidence}


def test_what_points_nowhere_or_is_said_twice_is_wrong() -> None:
    units = memory().units
    broken = units[0].model_copy(update={"links": ("nowhere",), "said": units[1].said, "of": "elsewhere"})
    found = faults(CASE, memory().model_copy(update={"units": (broken, *units[1:]), "facts": memory().facts[1:]}))
    told = " ".join(text for severity, text in found if severity == "wrong")
    assert "links to unknown 'nowhere'" in told
    assert "said twice" in told
    assert "`of` is 'elsewhere'" in told
    assert f"fact {memory().facts[0].id}: no entry" in told


def test_a_thin_memory_has_gaps_that_are_named() -> None:
    thin = memory().model_copy(update={"units": memory().units[:10]})
    told = " ".join(text for severity, text in faults(CASE, thin) if severity == "gap")
    assert "10 units; at least 100" in told
    assert "answer 'other_view'" in told
    assert "unit(s) lead to it" in told


def test_work_on_the_thought_needs_an_answer_for_when_it_has_loosened() -> None:
    plain = memory().units[0].model_dump() | {"forms": ["double_standard"], "moved": None}
    with pytest.raises(ValidationError, match="needs `moved`"):
        Unit.model_validate(plain)


def test_units_of_another_situation_are_not_within_this_one() -> None:
    here, there = (s.id for s in CASE.situations)
    assert {unit.of for unit in memory().within(here)} == {here, "life"}
    assert there not in {unit.of for unit in memory().within(here)}


def test_a_broken_memory_is_refused_with_its_file_and_field(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "gethin.yaml").write_bytes((CASES / "gethin.yaml").read_bytes())
    text = (CASES / "memory" / "gethin.yaml").read_text(encoding="utf-8")
    (tmp_path / "memory" / "gethin.yaml").write_text(
        text.replace("forms: [", "forms: [whatever, ", 1), encoding="utf-8"
    )
    with pytest.raises(InvalidCase, match=r"^gethin\.yaml: units\.\d+\.forms"):
        read_case(tmp_path / "gethin.yaml")
