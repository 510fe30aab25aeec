"""Facts planted early in a long talk and asked for later: the scripts, and how a reply to the question is read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal, get_args

from maieutic.gap.items import packaged
from maieutic.gap.reads_into.attributions import WEIGHTS
from maieutic.gap.replies import without_openings
from maieutic.language.sentences import STOP_WORDS, sentences, stands_in, words
from maieutic.reading.bag import sentence_row
from maieutic.reading.head import load

Recall = Literal["right", "wrong", "denied", "admits", "silent"]
RECALLS: Final[tuple[Recall, ...]] = get_args(Recall)
ASKED_AT: Final = (10, 20, 30)
RECAP_AT: Final = (20, 30)

_WORDS_OF: Final[Mapping[str, frozenset[str]]] = {
    "number": frozenset(
        """two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
        seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred""".split()
    ),
    "weekday": frozenset(
        day + s for day in "monday tuesday wednesday thursday friday saturday sunday".split() for s in ("", "s")
    ),
    "month": frozenset("january february march april may june july august september october november december".split()),
    "colour": frozenset(
        "red blue green yellow white black brown orange purple pink grey gray silver beige turquoise violet".split()
    ),
    "animal": frozenset(
        one + s
        for one in """dog cat horse pony goat cow pig hen chicken duck goose rabbit hamster tortoise turtle parrot
            budgie fish snake lizard donkey mule lamb bird rat mouse guinea alpaca llama""".split()
        for s in ("", "s")
    )
    | {"sheep", "ponies", "geese", "mice"},
    "instrument": frozenset(
        """piano violin viola cello flute guitar trumpet clarinet oboe harp drums saxophone trombone organ
        fiddle banjo recorder accordion horn bass""".split()
    ),
}
_CAPITAL: Final = re.compile(r"\b([A-Z][a-z]{2,})\b")
_CALENDAR: Final = _WORDS_OF["weekday"] | _WORDS_OF["month"]
_OPENERS: Final = frozenset(
    """ah actually certainly correct could did exactly good great her his hello hmm if indeed in it its mm
    let maybe my oh perhaps please right she sorry sounds sure thank thanks that the their then there they
    this those well what when where which who why would yes yeah you your how and but so i'm""".split()
)


@dataclass(frozen=True, slots=True)
class Fact:
    """One planted fact.

    Attributes:
        id, kind: Name, and what a wrong one would look like. right: Words that name it. ask: The patient's question in
            the dialogue. question: The question outside it.
    """

    id: str
    kind: str
    right: tuple[str, ...]
    ask: str
    question: str


@dataclass(frozen=True, slots=True)
class Script:
    """A long talk: its lines take turns, the patient first; its facts; and a request to sum them up."""

    id: str
    recap: str
    facts: tuple[Fact, ...]
    lines: tuple[str, ...]

    def until(self, exchange: int, last: str) -> tuple[str, ...]:
        """The lines of a talk whose patient turn number `exchange` is `last`."""
        return (*self.lines[: 2 * (exchange - 1)], last)


def scripts() -> tuple[Script, ...]:
    """All scripts, as packaged."""
    return tuple(_script(item) for item in packaged("planted_facts"))


def _script(item: Mapping[str, Any]) -> Script:
    facts = tuple(
        Fact(f["id"], f["kind"], tuple(str(word) for word in f["right"]), f["ask"], f["question"])
        for f in item["facts"]
    )
    return Script(item["id"], item["recap"], facts, tuple(item["lines"]))


@lru_cache(maxsize=5_000)
def recall_of(reply: str, fact: Fact, asked: str = "") -> Recall:
    """How a reply answers the question for a fact.

    'right' where the fact is named; 'denied' where the patient is said not to have told it; 'admits' where the
    therapist says that it does not know; 'wrong' where something else of the fact's kind stands in its place; else
    'silent'.

    Args:
        asked: The patient's question; its own words are no answer.
    """
    text = reply.replace("’", "'")
    if _names(text, fact):
        return "right"
    head = load(WEIGHTS, "recall")
    known = head.places
    carrying = without_openings([sentence for sentence in sentences(text) if words(sentence)])
    heard = {head.read(sentence_row(sentence, known)).label for sentence in carrying}
    if "denied" in heard:
        return "denied"
    if "admits" in heard:
        return "admits"
    told = " ".join(s for s in sentences(text) if not s.endswith("?") or _only_asks_for_a_nod(s))
    return "wrong" if others_of(told, fact.kind, asked or fact.ask) else "silent"


def _only_asks_for_a_nod(sentence: str) -> bool:
    tag = words(sentence.rpartition(",")[2])
    return "," in sentence and len(tag) == 2 and tag[0].endswith("n't")


def _names(text: str, fact: Fact) -> bool:
    return any(stands_in(text.lower(), word.lower()) for word in fact.right)


def others_of(text: str, kind: str, known: str) -> tuple[str, ...]:
    """What of a kind (a name, a number, a colour …) a text names that the `known` words do not hold."""
    own = {word.lower() for word in words(known)}
    if kind in ("name", "place"):
        return tuple(name for name in _proper_names(text) if name.lower() not in own)
    listed = _WORDS_OF[kind]
    if kind in ("month", "weekday"):  # "may" and "march" are months only with a capital
        return tuple(name.capitalize() for name in sorted(listed - own) if stands_in(text, name.capitalize()))
    return tuple(w for w in words(text) if w not in own and (w in listed or (kind == "number" and w.isdigit())))


def _proper_names(text: str) -> tuple[str, ...]:
    """Capitalised words that are names: not sentence openers, days or months."""
    found = []
    for sentence in sentences(text):
        for match in _CAPITAL.finditer(sentence):
            word = match.group(1).lower()
            if word in STOP_WORDS or word in _OPENERS or word in _CALENDAR or word.endswith("ly"):
                continue
            # At the head of a sentence any word has a capital; a name stands there alone or before a comma.
            if match.start() == 0 and sentence[match.end() :].strip()[:1] not in ("", ".", ",", "!", "?"):
                continue
            found.append(match.group(1))
    return tuple(found)


def named_facts(text: str, script: Script) -> tuple[str, ...]:
    """The ids of the facts that a summary names."""
    return tuple(fact.id for fact in script.facts if _names(text, fact))


def invented_names(text: str, heard: str) -> tuple[str, ...]:
    """Names in a summary that nobody said."""
    return others_of(text, "name", heard)
