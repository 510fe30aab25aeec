"""The code books are whole, consistent and found by name."""

from __future__ import annotations

import pytest

from maieutic.coding.schemes import get_scheme, scheme_names
from maieutic.errors import UnknownName


@pytest.mark.parametrize(("name", "therapist", "client"), [("annomi", 4, 3), ("bolt", 13, 6)])
def test_numbers_of_codes(name: str, therapist: int, client: int) -> None:
    scheme = get_scheme(name)
    assert (len(scheme.therapist), len(scheme.client)) == (therapist, client)


@pytest.mark.parametrize("name", scheme_names())
def test_labels_and_columns_are_unique_and_defined(name: str) -> None:
    scheme = get_scheme(name)
    labels = (*scheme.therapist, *scheme.client)
    assert len({label.id for label in labels}) == len({label.column for label in labels}) == len(labels)
    for label in labels:
        assert label.column.replace("_", "").isalnum() and label.column == label.column.lower()
        assert label.definition.endswith(".") and len(label.definition.split()) >= 4


def test_labels_of_a_speaker() -> None:
    assert [label.id for label in get_scheme("annomi").labels("client")] == ["change", "neutral", "sustain"]
    assert get_scheme("bolt").labels("therapist")[0].column == "reflections_on_needs"


def test_an_unknown_scheme_gets_a_proposal() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'annomi'"):
        get_scheme("anomi")
