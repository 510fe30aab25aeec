"""Which columns a coded table gets, and how each follows from the code of an utterance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from maieutic.coding.book import Scheme
from maieutic.coding.contract import Coding

Value = Callable[[Coding], Any]


@dataclass(frozen=True, slots=True)
class Column:
    """One new column: name, type, how it follows from a coding, and whether it is left out when nothing stands in
    it."""

    name: str
    type: str
    value: Value
    may_lack: bool = False


def code_columns(book: Scheme, mechanism: str | None = None) -> tuple[Column, ...]:
    """The new columns of a scheme, without the reason.

    Args:
        book: The scheme.
        mechanism: The one facet that a file is about, whose value then stands in `predicted`.
    """
    columns = [
        Column("predicted", "String", lambda coding: _predicted(coding, mechanism)),
        Column("abstain", "Boolean", lambda coding: coding.abstain),
    ]
    for facet in book.facets:
        columns.append(Column(f"predicted_{facet.id}", "String", _facet_value(facet.id)))
    for label in (*book.therapist, *book.client):
        columns.append(Column(f"p_{label.column}", "Float64", _probability(label.id)))
    names = {column.name for column in columns}
    for facet in book.facets:
        for value in facet.values:
            name = f"p_{facet.id}_{value.column}"
            if name not in names:
                columns.append(Column(name, "Float64", _facet_probability(facet.id, value.id), True))
    columns.append(Column("quote", "String", lambda coding: coding.quote, True))
    return tuple(columns)


def _predicted(coding: Coding, mechanism: str | None) -> str:
    if mechanism is not None:
        if mechanism in coding.facets:
            return coding.facets[mechanism].value
        levels = {label: p for label, p in coding.probabilities.items() if label.startswith(f"{mechanism}=")}
        named = [label for label in coding.predicted if label in levels]
        return (named or [max(levels, key=lambda label: levels[label])])[0].partition("=")[2]
    # A coder that finds no code fitting still leans somewhere.
    likeliest = max(coding.probabilities, key=lambda label: coding.probabilities[label], default="")
    return "|".join(coding.predicted or (likeliest,))


def _facet_value(facet: str) -> Value:
    return lambda coding: coding.facets[facet].value if facet in coding.facets else None


def _probability(label: str) -> Value:
    return lambda coding: _rounded(coding.probabilities.get(label))


def _facet_probability(facet: str, value: str) -> Value:
    return lambda coding: _rounded(coding.facets[facet].probabilities.get(value)) if facet in coding.facets else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(float(value), 6)
