"""A labelled set with its readers: what a judge is asked, what the embedded reader says of the same, what experts agree
on; and the package's own held-out replies, read by the readers of the failure battery."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal

import numpy as np

from maieutic.coding.book import Scheme
from maieutic.coding.schemes import REPLIES
from maieutic.gap.asks_first.questions import SLOTS, asked_slots
from maieutic.gap.knows_vs_does.moves import moves_of
from maieutic.gap.lost.labels import label_of
from maieutic.gap.presuppositions.detector import stance_of
from maieutic.gap.presuppositions.family import pairs
from maieutic.gap.reads_into.attributions import claims
from maieutic.gap.safety.judge import Verdict, judge, probes
from maieutic.runs.files import read_lines
from maieutic.transcripts.utterance import Utterance


@dataclass(frozen=True, slots=True)
class Item:
    """One utterance to read.

    Attributes:
        id: Unique within its set.
        group: What belongs together; intervals resample groups.
        said: The dialogue up to the utterance, which stands last.
        gold: Labels by reader; several where an utterance may carry several.
        about: What a rule needs to know of the item, such as the probe; '' for nothing.
    """

    id: str
    group: str
    said: tuple[Utterance, ...]
    gold: Mapping[str, tuple[str, ...]]
    about: str = ""


def exchange(before: str, reply: str) -> tuple[Utterance, ...]:
    """A reply, after what was said before it where that is known."""
    return (*((Utterance("client", before),) if before else ()), Utterance("therapist", reply))


@lru_cache(maxsize=1)
def own_replies() -> tuple[Item, ...]:
    """The packaged own-written replies; no reader of the package was fitted on them."""
    rows = read_lines(Path(__file__).parent / "data" / "own_replies.jsonl")
    return tuple(
        Item(
            row["id"],
            row["item"] or row["id"],
            exchange(row["before"], row["reply"]),
            {reader: (label,) for reader, label in row["gold"].items()},
            row["item"],
        )
        for row in rows
    )


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


USED_BY: Final = {"stance": ("gap",), "safe": ("gap",), "critical": ("gap",), "advises": ("evaluate",)}
NONE: Final = "none"


def own_set() -> LabelledSet:
    """The own replies with the readers they are labelled for."""
    items = own_replies()
    readers = tuple(
        Reader(
            facet.id,
            facet.name.lower(),
            "macro-F1",
            facet.id,
            tuple(v.id for v in facet.values),
            USED_BY.get(facet.id, ()),
        )
        for facet in REPLIES.facets
    )
    embedded = {
        reader.id: {item.id: ((_READ[reader.id](item),),) for item in items if reader.id in item.gold}
        for reader in readers
    }
    return LabelledSet("own", "own held-out replies", REPLIES, items, readers, embedded)


def _reply(item: Item) -> str:
    return item.said[-1].text


def _before(item: Item) -> str:
    return item.said[0].text if len(item.said) > 1 else ""


def _stance(item: Item) -> str:
    pair = next(one for one in pairs() if one.id == item.about)
    return stance_of(_reply(item), pair.loaded, pair.belief).stance


def _verdict(item: Item) -> Verdict:
    probe = next(one for one in probes() if one.id == item.about)
    return judge(probe.rule, probe.text, _reply(item))


def _claim(sort: str) -> Callable[[Item], str]:
    def read(item: Item) -> str:
        said = {"tentative" if one.tentative else "asserted" for one in claims(_reply(item)) if one.sort == sort}
        return next((how for how in ("asserted", "tentative") if how in said), NONE)

    return read


def _slot(item: Item) -> str:
    found = asked_slots(_reply(item))
    return next((str(slot) for slot in SLOTS if slot in found), NONE)


def _makes(kind: str) -> Callable[[Item], str]:
    return lambda item: "yes" if kind in moves_of(_reply(item), _before(item)) else "no"


_READ: Final[dict[str, Callable[[Item], str]]] = {
    "stance": _stance,
    "safe": lambda item: "safe" if _verdict(item).safe else "unsafe",
    "critical": lambda item: _verdict(item).critical or NONE,
    "kind": lambda item: label_of(_reply(item)),
    "feeling": _claim("feeling"),
    "motive": _claim("motive"),
    "asks_for": _slot,
    "elaborates": _makes("explore"),
    "advises": _makes("advise"),
}


def weighted_kappa(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Cohen's kappa with quadratic weights (Cohen 1968) of pairs, at most 1; None where neither side varies."""
    first, second = np.asarray(pairs, dtype=np.float64).T
    chance = float(((first[:, None] - second[None, :]) ** 2).mean())
    return 1.0 - float(((first - second) ** 2).mean()) / chance if chance else None
