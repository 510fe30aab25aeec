"""The package's own held-out replies, and what the embedded readers of the failure battery make of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from maieutic.coding.schemes.composed import REPLIES
from maieutic.gap.asks_first.slots import SLOTS, asked_slots
from maieutic.gap.knows_vs_does.moves import moves_of
from maieutic.gap.lost.labels import label_of
from maieutic.gap.presuppositions.detector import stance_of
from maieutic.gap.presuppositions.family import pairs
from maieutic.gap.reads_into.attributions import claims
from maieutic.gap.safety.judge import Verdict, judge, probes
from maieutic.validation.judge.items import Item, own_replies
from maieutic.validation.judge.sets import LabelledSet, Reader

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
