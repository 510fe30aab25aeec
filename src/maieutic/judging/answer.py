"""Reads what a judge answered: forgiving about the wrapping, never about the content."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from maieutic.coding.book import Label, Scheme
from maieutic.judging.prompt import codes_of, facets_of
from maieutic.language.sentences import slug
from maieutic.reading.plain import without_reasoning

LONGEST_SHOWN = 60
MAX_OPENINGS = 200
"""Brackets in an answer that may turn out to open no JSON before the reader stops looking."""
_PLAIN = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "“": '"', "”": '"', "„": '"', "–": "-", "—": "-", "…": "..."})
_EDGES = " .\"'"


@dataclass(frozen=True, slots=True)
class Reading:
    """What one answer says of one utterance.

    Attributes:
        labels: Label ids in code-book order; empty where the judge found that none fits.
        quote: The evidence, as it stands in the utterance.
        facets: Value ids by facet id; a facet that the judge found not to arise is left out.
    """

    labels: tuple[str, ...]
    quote: str
    facets: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why one answer says nothing of one utterance.

    Attributes:
        reason: In words.
    """

    reason: str


def read_answer(scheme: Scheme, speaker: str, texts: Sequence[str], answer: str) -> list[Reading | Unreadable]:
    """What an answer says of each utterance that was asked about.

    Code fences, words around the JSON, thinking aloud in tags, other letter case and the readable name of a code are
    taken. A code that the scheme does not have, a quote that is not in the utterance, an item that is missing or stands
    there twice make the answer unreadable for that utterance.

    Args:
        scheme: The code book.
        speaker: Whose utterances they are.
        texts: The utterances, in the order of their numbers.
        answer: The model's words.
    """
    items: dict[int, list[Mapping[str, Any]]] = {}
    unnumbered = False
    for item in _items(without_reasoning(answer)):
        number = _number(item.get("n", 1 if len(texts) == 1 else None))
        if number is None:
            unnumbered = True
        else:
            items.setdefault(number, []).append(item)
    found: list[Reading | Unreadable] = []
    for number, text in enumerate(texts, start=1):
        here = items.get(number, [])
        if len(here) == 1:
            found.append(_read(scheme, speaker, text, here[0]))
        elif here:
            found.append(Unreadable(f"item {number} stands there {len(here)} times"))
        elif unnumbered:
            found.append(Unreadable(f"no item {number}, and an item without a number"))
        elif items:
            found.append(Unreadable(f"no item {number}"))
        else:
            found.append(Unreadable("no JSON with codes in the answer"))
    return found


def find_quote(quote: str, text: str) -> str | None:
    """The passage of a text that a quote repeats, whole words only; None when there is none.

    Letter case, kinds of quotation marks and dashes, white space and the marks at the quote's ends do not count.
    """
    wanted = _plain(quote)[0].strip()
    for form in (wanted, wanted.strip(_EDGES)):
        if not form:
            continue
        plain, origin = _plain(text)
        at = plain.find(form)
        while at >= 0:
            end = at + len(form)
            if not (_inside(plain, at) or _inside(plain, end)):
                return text[origin[at] : origin[end - 1] + 1]
            at = plain.find(form, at + 1)
    return None


def _inside(text: str, edge: int) -> bool:
    """Whether a place between two letters lies within a word."""
    return 0 < edge < len(text) and text[edge - 1].isalnum() and text[edge].isalnum()


def _plain(text: str) -> tuple[str, list[int]]:
    """A text as it is compared, and for each of its letters the place in the original."""
    letters: list[str] = []
    origin: list[int] = []
    for at, raw in enumerate(text):
        for letter in unicodedata.normalize("NFKC", raw.translate(_PLAIN)).translate(_PLAIN).casefold():
            plain = " " if letter.isspace() else letter
            if plain == " " and letters[-1:] == [" "]:
                continue
            letters.append(plain)
            origin.append(at)
    return "".join(letters), origin


def _items(answer: str) -> Iterator[Mapping[str, Any]]:
    """Every object with codes in the outermost JSON values of an answer."""
    decoder = json.JSONDecoder()
    at = tries = 0
    while tries < MAX_OPENINGS and (opening := _next_opening(answer, at)) is not None:
        try:
            value, at = decoder.raw_decode(answer, opening)
        except RecursionError:
            return
        except ValueError:
            at, tries = opening + 1, tries + 1
            continue
        yield from _coded(value)


def _coded(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, dict):
        if "labels" in value or "facets" in value:
            yield value
        else:
            yield from _coded(value.get("codes"))
    elif isinstance(value, list):
        for one in value:
            if isinstance(one, dict):
                yield from _coded(one)


def _next_opening(answer: str, at: int) -> int | None:
    return min((place for sign in "{[" if (place := answer.find(sign, at)) >= 0), default=None)


def _number(value: Any) -> int | None:
    if isinstance(value, str):
        bare = value.strip().removeprefix("[").removesuffix("]")
        return int(bare) if bare.isdecimal() and len(bare) <= 4 else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _read(scheme: Scheme, speaker: str, text: str, item: Mapping[str, Any]) -> Reading | Unreadable:
    labels = _labels(scheme, speaker, item)
    if isinstance(labels, Unreadable):
        return labels
    quote = item.get("quote")
    if not isinstance(quote, str) or not quote.strip():
        return Unreadable("no quote")
    passage = find_quote(quote, text)
    if passage is None:
        return Unreadable(f"the quote {_shown(quote)} is not in the utterance")
    facets = _facets(scheme, speaker, item.get("facets"))
    return facets if isinstance(facets, Unreadable) else Reading(labels, passage, facets)


def _labels(scheme: Scheme, speaker: str, item: Mapping[str, Any]) -> tuple[str, ...] | Unreadable:
    book = codes_of(scheme, speaker)
    if not book:
        return ()
    if "labels" not in item:
        return Unreadable("no codes in the item")
    given = item["labels"]
    if isinstance(given, str | int):
        given = [given]
    if not isinstance(given, list):
        return Unreadable(f"the codes are {_shown(given)}, not a list")
    chosen = [_match(book, one) for one in given]
    if None in chosen:
        return Unreadable(f"no code named {_shown(given[chosen.index(None)])} in {scheme.id}")
    named = set(chosen)
    if not scheme.multi_label and len(named) != 1:
        return Unreadable(f"{len(named)} codes where one was asked for")
    return tuple(label.id for label in book if label.id in named)


def _facets(scheme: Scheme, speaker: str, given: Any) -> dict[str, str] | Unreadable:
    found: dict[str, str] = {}
    always = not codes_of(scheme, speaker)
    for facet in facets_of(scheme, speaker):
        if not isinstance(given, dict) or facet.id not in given:
            return Unreadable(f"no answer to {facet.id}")
        if given[facet.id] is None and not always:
            continue
        value = _match(facet.values, given[facet.id])
        if value is None:
            return Unreadable(f"no value named {_shown(given[facet.id])} in {facet.id}")
        found[facet.id] = value
    return found


def _match(book: Sequence[Label], given: Any) -> str | None:
    """The id of the one label that was named, by its id or else by its readable name."""
    if isinstance(given, bool):
        forms = ["true", "yes"] if given else ["false", "no"]
    elif isinstance(given, str | int):
        forms = [str(given).strip()]
    else:
        return None
    for same in (str.casefold, _key):
        for name_of in (_id, _name):
            found = [label.id for label in book if same(name_of(label)) in map(same, forms)]
            if len(found) == 1 and any(map(same, forms)):
                return found[0]
    return None


def _id(label: Label) -> str:
    return label.id


def _name(label: Label) -> str:
    return label.name


def _key(text: str) -> str:
    return slug(text.casefold())


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "…"
