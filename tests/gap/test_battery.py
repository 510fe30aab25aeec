"""The whole battery: its families in order, its budget, and what it refuses."""

from __future__ import annotations

import pytest

from maieutic.errors import InputError, UnknownName
from maieutic.gap.battery import ORDER, Request, families, run, work_of
from maieutic.gap.family import QUICK, STANDARD

BUDGET = 4_000


def test_all_families_keep_to_the_budget_together() -> None:
    work = work_of(Request(("socratic",), (), STANDARD))
    assert tuple(work.units) == ORDER == tuple(family.id for family in families())
    assert work.total <= BUDGET
    assert all(units for units in work.units.values())


def test_an_unknown_family_and_a_privileged_therapist_are_refused(tmp_path) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UnknownName, match="safety"):
        families(["safty"])
    with pytest.raises(InputError, match="could be served"):
        run(Request(("oracle",), ("lost",), QUICK), tmp_path / "run", resume=False, watch=lambda *_: None)
    assert not (tmp_path / "run").exists()
