"""Reads answers: a letter, yes or no, a number, a confidence. What cannot be read goes missing with its reason.

A grammar over marks, no patterns over text: an answer is what is announced as one ("Answer: B", `{"answer": "B"}`), what a
line holds by itself, what the first word says, or the only thing of its kind in the text. A table of real-style answers
(`tests/gap/data/closed_answers.yaml`) proves it.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, TypeVar

from maieutic.gap.recording_client import Unusable
from maieutic.language.sentences import words

T = TypeVar("T")

_NOUNS: Final = frozenset(
    "answer answers choice choose chose pick select option letter response reply verdict boxed final".split()
)
_CUES: Final = _NOUNS | frozenset(
    "say it's its it'd that's is be with towards toward to think lean put vote definitely probably".split()
)
_JOINTS: Final = frozenset(
    "is be : = - – — would the a an clear most likely best option letter statement number therefore so here >".split()
)
_NOT: Final = frozenset("not than isn't over neither nor without against excluding".split())
_HOLDS: Final = frozenset("is would seems fits looks sounds".split())
_BETWEEN: Final = frozenset("or and / nor".split())
_YES: Final = frozenset("yes y yeah yep yup true correct affirmative absolutely definitely certainly indeed".split())
_NO: Final = frozenset("no n nope nah false incorrect negative not".split())
_PLAIN_YES: Final = frozenset("yes y yeah yep yup true".split())
_PLAIN_NO: Final = frozenset("no n nope nah false".split())
_LEADING: Final = frozenset(
    "most likely well hmm hm um uh so ok okay sure honestly i i'd i'm would say think my view in the a an it's it is "
    "that's clear clearly probably answer response to of course here".split()
)
_ORDINALS: Final[Mapping[str, int]] = {
    "first": 0,
    "second": 1,
    "third": 2,
    "fourth": 3,
    "fifth": 4,
    "1": 0,
    "2": 1,
    "3": 2,
    "4": 3,
    "5": 4,
}
_ENDS: Final = frozenset(".,;:!?)")
_ALONE: Final = frozenset('()[]{}<>"“”:=,;.!?\\$/–—-\n>*|`')
_SCALES: Final = (
    (("from", "0", "to", "100")),
    (("of", "0", "to", "100")),
    ("0", "to", "100"),
    ("0", "-", "100"),
    ("0", "–", "100"),
)


@dataclass(frozen=True, slots=True)
class _Mark:
    """One word or sign of an answer: as written, in small letters, and whether it stands first or last on its line."""

    text: str
    low: str
    first: bool
    last: bool


def lettered(options: Sequence[str]) -> str:
    """The options as lines 'A) …'."""
    return "\n".join(f"{chr(65 + n)}) {option}" for n, option in enumerate(options))


def choice_of(text: str, options: Sequence[str]) -> int:
    """The index of the option that an answer names by its letter, its number or its words alone.

    Raises:
        Unusable: it names none, or several.
    """
    marks = _marks(text)
    letters = {chr(65 + n): n for n in range(len(options))}
    found = _announced(marks, lambda at: _letter(marks, at, letters, announced=True))
    opening = {} if found is not None else _by_itself(marks, letters)
    if len(opening) == 1:
        (found,) = opening
    if found is None and not opening:
        found = _only(letters[one.text] for at, one in enumerate(marks) if _bare(marks, at, letters))
    if found is None and not opening and not any(_paired(marks, at, letters) for at in range(len(marks))):
        found = _by_words(text, options)
        found = _by_number(marks, len(options)) if found is None else found
    if found is None:
        raise Unusable(f"no one of the {len(options)} options can be read from {text[:60]!r}")
    return found


def yes_no_of(text: str) -> bool:
    """True for yes. Raises `Unusable` where an answer says neither, or both."""
    marks = _without(_marks(text), (("yes", "or", "no"), ("yes", "/", "no")))
    if [one.low for one in marks[:3]] in (["yes", "and", "no"], ["no", "and", "yes"]):
        marks = []
    if [one.low for one in marks[:4]] == ["i", "don't", "think", "so"]:
        return False
    found = _announced(marks, lambda at: _polar(marks, at))
    if found is None:
        found = next((_polar(marks, at, whole=True) for at in range(len(marks)) if _opens(marks, at)), None)
    if found is None:
        found = _only(said for at in range(len(marks)) if (said := _stated_polar(marks, at)) is not None)
    if found is None:
        raise Unusable(f"neither yes nor no can be read from {text[:60]!r}")
    return bool(found)


def number_of(text: str) -> float:
    """The number from 0 to 100 that is announced, else the first; '7 out of 10' is 70. Raises `Unusable` without
    one."""
    marks = _without(_marks(text), _SCALES)
    found = _announced(marks, lambda at: _number(marks, at))
    if found is None:
        found = next((said for at in range(len(marks)) if (said := _number(marks, at)) is not None), None)
    if found is None:
        raise Unusable(f"no number from 0 to 100 can be read from {text[:60]!r}")
    return found


def confidence_of(text: str) -> float:
    """A stated confidence as a probability, 0 to 1; '0.85' is one already. Raises `Unusable` where none is stated."""
    marks = _marks(text)
    at = _confidence(marks)
    found = None if at is None else _number(marks, at)
    if at is None or found is None:
        raise Unusable(f"no confidence from 0 to 100 can be read from {text[:60]!r}")
    return found if marks[at].text.startswith("0.") else found / 100


def without_confidence(text: str) -> str:
    """The answer less the number that states a confidence and what follows an announced one, so that no number is read
    twice."""
    marks = _marks(text)
    at = _confidence(marks)
    told = next((n for n, one in enumerate(marks) if one.low.startswith("confiden")), len(marks))
    end = told if at is None or told < at else len(marks)
    return " ".join(one.text for n, one in enumerate(marks[:end]) if n != at)


def _marks(text: str) -> list[_Mark]:
    """Words and signs, each sign by itself; points inside numbers and apostrophes inside words stay."""
    found: list[_Mark] = []
    for line in text.replace("’", "'").replace("*", " ").splitlines():
        parts: list[str] = []
        for at, sign in enumerate(line):
            before, after = line[at - 1 : at], line[at + 1 : at + 2]
            inside = (sign in ".," and before.isdigit() and after.isdigit()) or (
                sign == "'" and before.isalpha() and after.isalpha()
            )
            if sign.isspace() or (sign == "'" and not inside):
                parts.append(" ")
            elif (
                (sign.isalnum() or inside)
                and parts
                and parts[-1] != " "
                and (parts[-1][-1].isalnum() or parts[-1][-1] in ".,'")
            ):
                parts[-1] += sign
            elif sign.isalnum() or sign in _ALONE or sign == "%":
                parts.append(sign)
        held = [part for part in parts if part != " "]
        spoken = [n for n, part in enumerate(held) if part[0].isalnum()]
        found += [
            _Mark(part, part.lower(), n == (spoken or [0])[0], n == (spoken or [0])[-1]) for n, part in enumerate(held)
        ]
    return [one for one in found if one.text not in '"“”[]{}<>`$\\|']


def _announced(marks: Sequence[_Mark], read: Callable[[int], T | None]) -> T | None:
    """The last thing that is announced as the answer: a noun for answers, words that join, then the thing."""
    found: T | None = None
    for start, one in enumerate(marks):
        if one.low not in _NOUNS:
            continue
        at, told = start + 1, one.low == "boxed"
        while at < len(marks) and (marks[at].low in _JOINTS or marks[at].text == "("):
            told = told or marks[at].low in ("is", "be", ":", "=", "-", "–", "—")
            if read(at) is not None and marks[at].low not in ("a", "i"):
                break
            if marks[at].text in "AI" and told:
                break
            at += 1
        told = told or one.low in ("choose", "pick", "select", "option")
        if at < len(marks) and told and (said := read(at)) is not None:
            found = said
    return found


def _letter(marks: Sequence[_Mark], at: int, letters: Mapping[str, int], *, announced: bool = False) -> int | None:
    """The option whose letter stands there, unless it is one of several, denied, or only a word."""
    one = marks[at]
    if one.text not in letters and not (one.text.upper() in letters and (announced or _closed(marks, at))):
        return None
    if one.text not in letters and marks[at + 1 : at + 2] and marks[at + 1].text == ":":
        return None
    if one.text in ("a", "i") and not _closed(marks, at) and not one.last:
        return None
    return None if _paired(marks, at, letters) else letters[one.text.upper()]


def _closed(marks: Sequence[_Mark], at: int) -> bool:
    return marks[at].last or (at + 1 < len(marks) and marks[at + 1].text in _ENDS)


def _paired(marks: Sequence[_Mark], at: int, letters: Mapping[str, int]) -> bool:
    """Whether it is one of two letters with 'or' or 'and' between them."""
    here = [one.text for one in marks]
    if here[at] not in letters:
        return False
    after = here[at + 1 : at + 3]
    before = here[max(0, at - 2) : at]
    return bool(
        (len(after) == 2 and after[0].lower() in _BETWEEN and after[1] in letters)
        or (len(before) == 2 and before[1].lower() in _BETWEEN and before[0] in letters)
    )


def _by_itself(marks: Sequence[_Mark], letters: Mapping[str, int]) -> set[int]:
    """The letters that open a line with a sign behind them, or are all of a line."""
    return {
        place
        for at, one in enumerate(marks)
        if (one.first or _numbered(marks, at))
        and (_closed(marks, at) or _signed(marks, at))
        and (place := _letter(marks, at, letters)) is not None
    }


def _numbered(marks: Sequence[_Mark], at: int) -> bool:
    return at >= 2 and marks[at - 2].first and marks[at - 2].text.isdigit() and marks[at - 1].text in ".)"


def _signed(marks: Sequence[_Mark], at: int) -> bool:
    return at + 1 < len(marks) and marks[at + 1].text in "-–—("


def _bare(marks: Sequence[_Mark], at: int, letters: Mapping[str, int]) -> bool:
    """A capital by itself, not denied; 'A' and 'I' only behind a word that says what is chosen, or closed by a sign."""
    one = marks[at]
    before = marks[at - 1].low if at else ""
    if one.text not in letters or before in _NOT or _paired(marks, at, letters):
        return False
    if (at and before == "of") or (at >= 2 and marks[at - 2].low in ("of", "between")):
        return False
    after = marks[at + 1].low if at + 1 < len(marks) else ""
    return (
        one.text not in ("A", "I")
        or before in _CUES
        or (one.text == "A" and after in _HOLDS)
        or (_closed(marks, at) and not one.first)
    )


def _by_words(text: str, options: Sequence[str]) -> int | None:
    flat = _flat(text)
    named = [n for n, option in enumerate(options) if words(option) and _flat(option) in flat]
    return named[0] if len(named) == 1 else None


def _by_number(marks: Sequence[_Mark], count: int) -> int | None:
    """'Option 3', 'the second one', 'the last option'; None where several are named."""
    named = {"last": count - 1, **_ORDINALS}
    found = [
        named[number.low]
        for pair in pairwise(marks)
        for noun, number in (pair, pair[::-1])
        if number.low in named and noun.low in ("option", "statement", *(("one",) if noun is pair[1] else ()))
    ]
    place = _only(found)
    return place if place is not None and place < count else None


def _polar(marks: Sequence[_Mark], at: int, *, whole: bool = False) -> bool | None:
    """Yes or no where it stands; 'absolutely not' is no, 'no doubt' neither."""
    low = marks[at].low
    after = marks[at + 1].low if at + 1 < len(marks) else ""
    if low in _YES:
        return after != "not"
    if (
        low == "no"
        and not _closed(marks, at)
        and after not in ("i", "it", "this", "that", "they", "not", "because", "since")
    ):
        return None
    return False if low in _NO and (whole or low != "not") else None


def _opens(marks: Sequence[_Mark], at: int) -> bool:
    """Whether only words that open an answer stand before it."""
    return marks[at].low in _YES | _NO and all(one.low in _LEADING or not one.text[0].isalnum() for one in marks[:at])


def _stated_polar(marks: Sequence[_Mark], at: int) -> bool | None:
    """Yes or no in the middle of a text: alone on its line, at the end of a clause, or behind a word that announces
    it."""
    low, before = marks[at].low, marks[at - 1].low if at else ""
    if low not in _PLAIN_YES | _PLAIN_NO:
        return None
    told = (
        before in _CUES | {"a", "clear", "so", "therefore"}
        or marks[at].first
        or (before in ".,:;?!" and _closed(marks, at))
    )
    return low in _PLAIN_YES if told and (low != "no" or _closed(marks, at) or before in ("a", "say")) else None


def _number(marks: Sequence[_Mark], at: int) -> float | None:
    try:
        found = float(marks[at].text)
    except ValueError:
        return None
    behind = [one.low for one in marks[at + 1 : at + 4]]
    if (behind[:3] == ["out", "of", "10"] or behind[:2] == ["/", "10"]) and found <= 10:
        found *= 10
    return found if 0 <= found <= 100 else None


def _confidence(marks: Sequence[_Mark]) -> int | None:
    """Where the number of a stated confidence stands: behind the word, before 'sure', or by itself behind the
    answer."""
    sure = ("sure", "certain", "confident", "confidence")
    numbers = [at for at in range(len(marks)) if _number(marks, at) is not None]
    for at in numbers:
        earlier = [one.low for one in marks[max(0, at - 7) : at]]
        if any(low.startswith(("confiden", "sureness", "certainty")) for low in earlier):
            return at
    for at in numbers:
        after = [one.low for one in marks[at + 1 : at + 9]]
        before = marks[at - 1].low if at else ""
        own = (
            at == 0
            or not before[0].isalnum()
            or before in ("i'm", "am", "about", "around", "roughly", "some", "say", "at")
        )
        near = [low for low in after[:3] if low not in ("%", "per", "cent", "percent")]
        if own and ((near[:1] and near[0] in sure) or {"how", "sure"} <= set(after)):
            return at
    for at in numbers:
        stands = marks[at].first and (marks[at].last or (marks[at + 1 : at + 2] and marks[at + 1].text == "%"))
        bracketed = at and marks[at - 1].text == "(" and any(one.low in sure for one in marks[:at])
        if at and (stands or bracketed):
            return at
    return None


def _without(marks: Sequence[_Mark], phrases: Sequence[tuple[str, ...]]) -> list[_Mark]:
    kept: list[_Mark] = []
    at = 0
    while at < len(marks):
        here = next((p for p in phrases if tuple(one.low for one in marks[at : at + len(p)]) == p), ())
        at += len(here) or 1
        kept += [] if here else [marks[at - 1]]
    return kept


def _only(found: Iterable[T]) -> T | None:
    """What all agree on; None where there is nothing, or several."""
    several = set(found)
    return several.pop() if len(several) == 1 else None


def _flat(text: str) -> str:
    return f" {' '.join(words(text.replace('_', ' ')))} "
