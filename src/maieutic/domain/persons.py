"""Persons whom a case names, and those among them whom nobody can ask about because no answer unit says who they
are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from string import punctuation

from maieutic.domain.case import Case
from maieutic.domain.memory import Memory

_MARKS = punctuation + "“”‘’…"
_ENDS = ".!?:…"
_AFTER_A_PERSON = frozenset(
    """said says told tells asked asks was is has had came comes went goes did does thinks thought looked
    looks wanted wants knew knows gave gives took takes made makes got gets put puts never always just
    still would could didn't doesn't wouldn't who sat sits stood called calls rang rings laughed laughs
    lives lived died wrote writes""".split()
)
_BEFORE_A_PERSON = frozenset(
    """mr mrs ms miss dr doctor professor auntie aunt uncle brother sister cousin daughter son husband wife
    friend nephew niece father mother dad mum teacher neighbour neighbor boss and with""".split()
)
_BEFORE_A_PLACE = frozenset(
    "in at from near to on over outside into the a off past through round around of this".split()
)
_NO_NAMES = frozenset(
    """I I'm I'd I'll I've Monday Tuesday Wednesday Thursday Friday Saturday Sunday Mondays Tuesdays
    Wednesdays Thursdays Fridays Saturdays Sundays January February March April May June July August
    September October November December God Christ Lord Christmas Easter Year English French Mr Mrs Ms Dr
    Mother Father Mum Mom Mommy Dad Daddy Mam Papa Mama Grandpa Uncle""".split()
)


def unknown_persons(case: Case, memory: Memory) -> tuple[str, ...]:
    """Names of persons in facts and units that no unit's item or questions hold, the most frequent first.

    A capitalised word within a sentence counts as a person where verbs and titles around it are a person's at least as
    often as prepositions before it are a place's. Blind to: persons without a name, and names that only begin
    sentences.
    """
    own = [(t, e.id) for s in case.situations for e in s.evidence for t in (e.fact, *e.said)]
    own += [(t, u.id) for u in memory.units for t in (u.said, u.again, u.moved or "")]
    person: Counter[str] = Counter()
    place: Counter[str] = Counter()
    for before, name, after in (found for text, _ in own for found in _named(text)):
        person[name] += after in _AFTER_A_PERSON or after == "'s" or before in _BEFORE_A_PERSON
        place[name] += before in _BEFORE_A_PLACE
    known = frozenset(word for unit in memory.units for text in (unit.item, *unit.asks) for word in _words(text))
    own_name = frozenset(case.id.split("-"))
    rest = (n for n, count in person.most_common() if count and count >= place[n] and n.lower() not in own_name)
    return tuple(name for name in rest if name not in known)


def _named(text: str) -> Iterator[tuple[str, str, str]]:
    """(word before, name, word after) of each capitalised word that begins no sentence; "'s" after a possessive."""
    spaced = text.split()
    for at, word in enumerate(spaced):
        name, owned = _bare(word)
        if at == 0 or spaced[at - 1].rstrip("\"'”’")[-1:] in _ENDS or not name[:1].isupper() or name in _NO_NAMES:
            continue
        after = "'s" if owned else _bare(spaced[at + 1])[0] if at + 1 < len(spaced) and word[-1] not in ",.;!?" else ""
        yield _bare(spaced[at - 1])[0].lower(), name, after.lower()


def _bare(word: str) -> tuple[str, bool]:
    """The word without marks, and whether it is a possessive."""
    plain = word.replace("’", "'").strip(_MARKS)
    return (plain[:-2], True) if plain.endswith("'s") else (plain, False)


def _words(text: str) -> Iterable[str]:
    return (_bare(word)[0] for word in text.split())
