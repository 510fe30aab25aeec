"""A labelled set with its readers: what a judge is asked, what the embedded reader says of the same, what experts agree
on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from maieutic.coding.book import Scheme
from maieutic.validation.judge.items import Item

Figure = Literal["macro-F1", "weighted kappa", "rank correlation"]
Codes = tuple[str, ...]
"""Labels of one utterance; empty where a reader gives none."""


@dataclass(frozen=True, slots=True)
class Experts:
    """How far people agree among themselves.

    Attributes:
        value: On the figure that `what` names; None where nobody has measured it.
        what: Which figure, of whom, from where.
    """

    value: float | None
    what: str


NOBODY = Experts(None, "labelled once, by the writer")


@dataclass(frozen=True, slots=True)
class Reader:
    """One question that a judge may answer in place of an embedded reader.

    Attributes:
        id: Name in `admitted.json`.
        title: In plain words.
        figure: What is compared.
        facet: The question of the code book; None where the codes themselves are compared.
        used_by: The commands that a judge admitted here reads for; empty where none does.
        experts: Agreement of people.
        values: Labels in order; they decide the columns of the macro-F1 and the distances of a kappa.
    """

    id: str
    title: str
    figure: Figure
    facet: str | None
    values: Codes
    used_by: Codes = ()
    experts: Experts = NOBODY


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """Items that are asked about with one code book, one request each.

    Attributes:
        id, title: Which.
        scheme: The code book.
        items: In the order of the set.
        readers: Measured on it.
        embedded: What the embedded reader gives, by reader and item, one coding a repeat (seeds of the folds); a reader
            without an embedded counterpart is left out.
        source: Where the labels come from.
    """

    id: str
    title: str
    scheme: Scheme
    items: tuple[Item, ...]
    readers: tuple[Reader, ...]
    embedded: Mapping[str, Mapping[str, Sequence[Codes]]] = field(default_factory=dict)
    source: str = "own-written"

    def spread(self, limit: int | None) -> LabelledSet:
        """The same with at most so many items, spread over the set."""
        if limit is None or limit >= len(self.items):
            return self
        places = np.unique(np.linspace(0, len(self.items) - 1, limit).round().astype(int))
        kept = tuple(self.items[at] for at in places)
        return LabelledSet(self.id, self.title, self.scheme, kept, self.readers, self.embedded, self.source)
