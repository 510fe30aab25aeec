"""Utterances that people coded under a published scheme, with the embedded coder's stored out-of-fold codes beside
them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from maieutic.coding.schemes import get_scheme
from maieutic.transcripts.utterance import Utterance
from maieutic.validation.coder import figures, stored
from maieutic.validation.coder.datasets import Gold, gold
from maieutic.validation.coder.human import agreements
from maieutic.validation.judge.items import Item
from maieutic.validation.judge.sets import Codes, Experts, LabelledSet, Reader

EPITOME: Final = ("er", "ip", "ex")
_PUBLISHED: Final = Experts(0.69, "mean pairwise kappa of two annotators over the three mechanisms, Sharma et al. 2020")
_BOLT: Final = Experts(None, "not published for single utterances of this part")


def coded_sets(data: Path) -> list[LabelledSet]:
    """BOLT, EPITOME and AnnoMI, as far as their files are in the folder. Raises `InputError` for other data."""
    found = []
    if (data / "bolt").is_dir():
        found.append(_plain("bolt", "BOLT, therapist codes", ("bolt_therapist",), data, {"bolt_therapist": _BOLT}))
    if (data / "epitome").is_dir():
        found.append(_epitome(data))
    if (data / "annomi").is_dir():
        heads = ("annomi_therapist", "annomi_client")
        human = {
            one.head: Experts(one.macro_f1.estimate, "macro-F1, annotator against annotator, 7 sessions")
            for one in agreements(data)
        }
        found.append(_plain("annomi", "AnnoMI, both speakers", heads, data, human))
    return found


def _plain(scheme: str, title: str, heads: Sequence[str], data: Path, experts: Mapping[str, Experts]) -> LabelledSet:
    items: list[Item] = []
    embedded: dict[str, dict[str, Sequence[Codes]]] = {}
    readers = []
    for head in heads:
        rows = gold(head, data)
        embedded[head], labels = _stored(head, data)
        used = ("score",) if scheme in ("annomi", "bolt") else ()
        readers.append(Reader(head, head.replace("_", " "), "macro-F1", None, labels, used, experts[head]))
        items += [_item(head, row, {head: row.labels}) for row in rows if row.id in embedded[head]]
    prefixed = {head: {f"{head}/{id}": codes for id, codes in told.items()} for head, told in embedded.items()}
    # Heads are interleaved, so that a few of the items are a few of each.
    items.sort(key=lambda item: hash_of(item.id))
    return LabelledSet(scheme, title, get_scheme(scheme), tuple(items), tuple(readers), prefixed, "research data")


def hash_of(text: str) -> int:
    """An order that has nothing to do with the set's own."""
    from maieutic.domain.randomness import derive_seed

    return derive_seed("judging", text)


def _epitome(data: Path) -> LabelledSet:
    heads = {f"epitome_{mechanism}": mechanism for mechanism in EPITOME}
    rows = {head: gold(head, data) for head in heads}
    by_text: dict[tuple[str, str], dict[str, Gold]] = {}
    for head, mine in rows.items():
        for row in mine:
            by_text.setdefault((row.other, row.text), {})[head] = row
    embedded: dict[str, dict[str, Sequence[Codes]]] = {}
    readers, items = [], []
    told = {head: _stored(head, data) for head in heads}
    for number, ((other, text), labelled) in enumerate(by_text.items()):
        if len(labelled) == len(heads) and text.strip():
            id = f"epitome/{number}"
            one = next(iter(labelled.values()))
            said = (Utterance("therapist", text, context=(other,) if other.strip() else ()),)
            items.append(Item(id, one.group, said, {head: row.labels for head, row in labelled.items()}))
            for head, row in labelled.items():
                embedded.setdefault(head, {})[id] = told[head][0][row.id]
    for head, mechanism in heads.items():
        readers.append(Reader(head, head.replace("_", " "), "macro-F1", mechanism, told[head][1], (), _PUBLISHED))
    items.sort(key=lambda item: hash_of(item.id))
    return LabelledSet(
        "epitome",
        "EPITOME, three mechanisms",
        get_scheme("epitome"),
        tuple(items),
        tuple(readers),
        embedded,
        "research data",
    )


def _stored(head: str, data: Path) -> tuple[dict[str, Sequence[Codes]], Codes]:
    """The embedded coder's codes of each row, one a seed, and the labels; nothing where nothing is stored."""
    kept = stored.read(head)
    if kept is None:
        return {}, ()
    stored.check_data(kept, data)
    given = figures.chosen(kept.probabilities, kept.threshold)
    return {
        row: [tuple(label for label, is_so in zip(kept.labels, one[at], strict=True) if is_so) for one in given]
        for at, row in enumerate(kept.rows)
    }, kept.labels


def _item(head: str, row: Gold, gold: Mapping[str, Codes]) -> Item:
    before = tuple(text for text in (row.same, row.other) if text.strip()) if row.other.strip() else ()
    said = Utterance("client" if row.speaker == "client" else "therapist", row.text, context=before)
    return Item(f"{head}/{row.id}", row.group, (said,), gold)
