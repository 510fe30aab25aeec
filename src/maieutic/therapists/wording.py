"""Words from the patient's own words: second-person clauses, handles to follow, feelings to name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from maieutic.domain.episode import Session
from maieutic.language.feelings import LEXICON, disclosed_feelings
from maieutic.language.sentences import STOP_WORDS, sentences, words
from maieutic.therapists.hearing import heard

TO_YOU: Final = {
    "i": "you",
    "i'm": "you're",
    "i've": "you've",
    "i'd": "you'd",
    "i'll": "you'll",
    "me": "you",
    "my": "your",
    "mine": "yours",
    "myself": "yourself",
}
"""Words of the first person, said to who said them."""
_SWAP = TO_YOU | {
    "am": "are",
    "was": "was",
    "we": "you",
    "us": "you",
    "our": "your",
    "ours": "yours",
    "you": "me",
    "your": "my",
}
TOKEN: Final = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)?|[^A-Za-z]+")
"""A word, or what stands between two."""
_KINDS = frozenset("older younger little big old best new eldest late next first own".split())
"""Words between 'my' and a person."""
_TITLES = frozenset({"Mr", "Mrs", "Ms", "Dr", "Aunt", "Uncle", "Auntie"})
_EVENTS = frozenset(
    """letter call meeting dinner lunch party message text email visit class course exam choir club church
    wedding funeral birthday interview review report neighbour neighbor doctor hospital school shop garden
    workshop trip holiday weekend game match photo song rota notebook group team office kitchen train bus
    allotment library market evening morning night nurse teacher manager boss colleague friend student
    baby children kids boy girl woman man""".split()
)
"""What a patient may be asked more about when it stood after 'the', 'that' or 'this'."""
_NOT_NAMES = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    "september october november december english yes okay well and but then what when god christmas easter".split()
)
_STARTERS = frozenset(
    "something somebody someone once everything everybody everyone nothing nobody half one two three "
    "four five six maybe perhaps honestly yesterday today tonight last these those part sometimes "
    "since another most put every each eleven twelve seven eight nine ten twenty monday mondays mommy daddy".split()
)
_NOT_HANDLES = frozenset(
    "mind head life thing way own self fault feelings thoughts time turn hands eyes heart stomach "
    "chest face voice place part ribs throat head back stuff question point".split()
)


def second_person(clause: str) -> str:
    """Turn a first-person clause into the second person ("my sister saw me" → "your sister saw you")."""
    out: list[str] = []
    previous = ""
    for token in TOKEN.findall(clause):
        low = token.lower().replace("’", "'")
        swapped = _SWAP.get(low, token)
        if low == "was" and previous == "i":
            swapped = "were"
        elif low == "wasn't" and previous == "i":
            swapped = "weren't"
        elif low in ("you", "your") and token in ("You", "Your"):
            swapped = swapped.capitalize()
        out.append(swapped)
        if low.strip():
            previous = low
    return "".join(out)


def keyphrases(texts: Sequence[str]) -> tuple[str, ...]:
    """People, places and events the patient has mentioned, in order of first mention, in the second person."""
    found: dict[str, None] = {}
    for text in texts:
        for sentence in sentences(text):
            for handle in _in_sentence(sentence):
                found.setdefault(handle, None)
    return tuple(found)


def _in_sentence(sentence: str) -> Iterator[str]:
    tokens = [token.strip("\"“”‘’'()") for token in sentence.split()]
    bare = [token.rstrip(".,;:!?…").removesuffix("'s").removesuffix("’s") for token in tokens]
    for place, token in enumerate(bare):
        low, after = token.lower(), bare[place + 1 : place + 3]
        # A mark after a word parts it from what it could have belonged to.
        after = after[: 1 + (tokens[place + 1 : place + 2] == after[:1])] if tokens[place] == token else []
        if low in ("my", "our"):
            yield from _mine(after)
        elif low in ("the", "that", "this"):
            yield from _an_event(after)
        elif (
            place
            and may_name(token)
            and bare[place - 1] not in _TITLES
            and bare[place - 1].lower() not in ("my", "our")
        ):
            yield f"{tokens[place]} {bare[place + 1]}" if token in _TITLES and place + 1 < len(bare) else token


def may_name(token: str) -> bool:
    """A word with a capital that is no day, month or the like."""
    long = len(token) > 2 or token in _TITLES
    low = token.lower()
    return long and token.istitle() and token.isalpha() and low not in _NOT_NAMES | _STARTERS | STOP_WORDS


def _mine(after: Sequence[str]) -> Iterator[str]:
    """ "your sister", "your older sister", "your friend Ann", from what stands after 'my'."""
    noun = after[1:2] if after[:1] and after[0] in _KINDS else after[:1]
    if not noun or not (noun[0].isalpha() and noun[0].islower() and len(noun[0]) > 2):
        return
    if noun[0] not in STOP_WORDS | _NOT_HANDLES and not noun[0].endswith("ing"):
        said = after[:2] if after[0] in _KINDS or (len(after) > 1 and after[1].istitle()) else after[:1]
        yield f"your {' '.join(said)}"


def _an_event(after: Sequence[str]) -> Iterator[str]:
    """ "the meeting", "the Sunday lunch", from what stands after 'the'."""
    for number, word in enumerate(after):
        if word.lower() in _EVENTS and all(other.isalpha() for other in after[:number]):
            yield f"the {' '.join(after[: number + 1]).lower()}"
            return


def named_feeling(session: Session) -> str | None:
    """The feeling word the patient used last about themselves, or None."""
    for turn in reversed(session.by("patient")):
        groups = disclosed_feelings(turn.text)
        if groups:
            tokens = set(words(turn.text))
            for group in sorted(groups):
                for word in LEXICON[group]:
                    if word in tokens:
                        return word
    return None


def key_clause(text: str, *, longest: int = 18) -> str | None:
    """The most telling short clause of an utterance, in the second person, or None."""
    best: tuple[float, str] | None = None
    for sentence in sentences(text):
        if sentence.endswith("?"):
            continue
        for clause in _clauses(sentence):
            tokens = words(clause)
            if {"you", "your", "you're"} & set(tokens):
                continue
            if not 4 <= len(tokens) <= longest or _asks_something(clause):
                continue
            matter = sum(token not in STOP_WORDS for token in tokens)
            own = any(token in ("i", "i'm", "i've", "i'd", "me", "my") for token in tokens)
            score = matter + (2.0 if own else 0.0) - 0.1 * len(tokens)
            if best is None or score > best[0]:
                best = (score, clause.strip(" ,.!\"'“”"))
    if best is None:
        return None
    return _inside(second_person(without_filler(best[1])))


def _clauses(sentence: str) -> list[str]:
    """The parts of a sentence between strong marks, and before a word that joins."""
    for mark in (";", ":", "—", "–", " - ", ". ", *(f", {word} " for word in _JOINS)):
        sentence = sentence.replace(mark, "|")
    return sentence.split("|")


def _inside(clause: str) -> str:
    """A clause as it stands inside a sentence: its first word small, unless it may be a name."""
    first = clause.replace("’", "'").replace("'", " ").partition(" ")[0]
    return clause[:1].lower() + clause[1:] if first.lower() in STOP_WORDS | _STARTERS else clause


_JOINS = ("and", "but", "so", "because", "which", "who", "when", "while", "as")
_FILLERS = frozenset("and but so well because then or hm oh look now no yes right okay".split())
_ABOUT_TALK = (
    "where do i start",
    "the way it went",
    "long story",
    "speaking of which",
    "what's the use",
    "let me think",
    "going over it",
    "queer thing is",
    "stupid thing is",
    "what you meant",
    "say it another way",
    "i lost you",
    "the question",
    "i don't know",
    "what you want to hear",
    "everything i remember",
    "i told you",
    "i've told you",
    "kindly put",
    "kind of you",
    "good of you",
    "nice of you",
    "lost the thread",
    "more to that one",
)
_REQUESTS = (
    "please ",
    "don't ",
    "do not ",
    "let's ",
    "let me ",
    "if i have to ",
    "if i had to ",
    "ask ",
    "tell ",
    "look ",
    "listen ",
    "wait ",
    "stop ",
)
"""Clauses that ask for something or talk about the talk: giving them back says nothing about the patient."""


def _asks_something(clause: str) -> bool:
    first, _, rest = clause.strip().lower().partition(" ")
    return f"{rest if first in ('and', 'but', 'so') else f'{first} {rest}'} ".startswith(_REQUESTS)


def about_the_talk(sentence: str) -> bool:
    """It speaks about the talk itself, or asks for something: giving it back says nothing about the patient."""
    return _asks_something(sentence) or any(phrase in sentence.lower() for phrase in _ABOUT_TALK)


def without_filler(clause: str) -> str:
    """The clause without the "and", "well", "oh" that it opens with."""
    first, _, rest = clause.partition(" ")
    return without_filler(rest.lstrip()) if rest and first.rstrip(",.").lower() in _FILLERS else clause


def sounds_guarded(text: str) -> bool:
    """A short, vague or dismissive answer that tells little."""
    length = len(words(text))
    return length < 9 or (length < 30 and heard("manner", text) == "guarded")
