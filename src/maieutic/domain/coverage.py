"""What is wrong with a memory of a case, and where it has gaps, persons whom nobody can ask about among them: the
checker's hints for writers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from string import punctuation
from typing import Literal

from maieutic.domain.appraisal import QuestionForm
from maieutic.domain.case import Case
from maieutic.domain.memory import LIFE, Memory

_EVERYDAY = tuple(
    f for f in QuestionForm if f.value in "who what when where how_many yes_no how_come sequence said".split()
)
_ASKED_OF_A_THOUGHT: tuple[tuple[QuestionForm, int], ...] = (
    (QuestionForm.THOUGHT, 1),
    (QuestionForm.FEELING, 1),
    (QuestionForm.BODY, 1),
    (QuestionForm.MEANING, 2),
    (QuestionForm.ORIGIN, 1),
    (QuestionForm.OTHER_VIEW, 3),
    (QuestionForm.DOUBLE_STANDARD, 1),
    (QuestionForm.ALTERNATIVE, 2),
    (QuestionForm.HOW_KNOW, 2),
    (QuestionForm.WORST, 1),
    (QuestionForm.LIKELY, 1),
    (QuestionForm.COST_BENEFIT, 2),
    (QuestionForm.SCALE_REST, 1),
    (QuestionForm.NOW, 1),
)
MIN_UNITS = 100
MIN_EVERYDAY = 3
LINKS_TO_A_FACT = 2
Severity = Literal["wrong", "gap"]


def faults(case: Case, memory: Memory) -> tuple[tuple[Severity, str], ...]:
    """What is wrong with a memory of this case, and where it has gaps, each as one sentence."""
    found: list[tuple[Severity, str]] = []
    situations = {s.id for s in case.situations}
    facts = {e.id for s in case.situations for e in s.evidence}
    known = {u.id for u in memory.units} | facts
    if memory.case != case.id:
        found.append(("wrong", f"the memory is of {memory.case!r}, the case is {case.id!r}"))
    found += [
        ("wrong", f"unit {u.id}: `of` is {u.of!r}, must be 'life' or one of {sorted(situations)}")
        for u in memory.units
        if u.of not in situations | {LIFE}
    ]
    found += [
        ("wrong", f"unit {u.id}: links to unknown {name!r}")
        for u in memory.units
        for name in u.links
        if name not in known
    ]
    found += [("wrong", f"unit {u.id} has the id of a fact") for u in memory.units if u.id in facts]
    missing = facts - {f.id for f in memory.facts}
    found += [("wrong", f"fact {name}: no entry under `facts`") for name in sorted(missing)]
    found += [("wrong", f"facts: unknown {f.id!r}") for f in memory.facts if f.id not in facts]
    said = [t for u in memory.units for t in (u.said, u.again, u.moved) if t]
    said += [t for f in memory.facts for t in (f.again, f.unmoved, f.moved)]
    found += [("wrong", f"said twice: {text!r}") for text in sorted({t for t in said if said.count(t) > 1})]
    if len(memory.units) < MIN_UNITS:
        found.append(("gap", f"{len(memory.units)} units; at least {MIN_UNITS} make a person who can be asked"))
    for situation in sorted(situations):
        found += [("gap", f"{situation}: {text}") for text in _thin(memory, situation)]
    for name in sorted(facts):
        near = sum(name in unit.links for unit in memory.units)
        if near < LINKS_TO_A_FACT:
            found.append(("gap", f"fact {name}: {near} unit(s) lead to it, at least {LINKS_TO_A_FACT} should"))
    found += [("gap", f"{name} is named, and no unit says who that is") for name in unknown_persons(case, memory)]
    return tuple(found)


def _thin(memory: Memory, situation: str) -> list[str]:
    own = [unit for unit in memory.units if unit.of == situation]
    within = memory.within(situation)
    found = []
    for form, least in _ASKED_OF_A_THOUGHT:
        count = sum(form in unit.forms for unit in own)
        if count < least:
            found.append(f"{count} unit(s) answer {form.value!r}, at least {least} should")
    for form in _EVERYDAY:
        count = sum(form in unit.forms for unit in within)
        if count < MIN_EVERYDAY:
            found.append(f"{count} unit(s) answer {form.value!r}, at least {MIN_EVERYDAY} should")
    return found


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
    friend nephew niece father mother dad mum teacher neighbour neighbor boss""".split()
)
_PERHAPS_BEFORE_A_PERSON = frozenset("and with".split())
_BEFORE_A_PLACE = frozenset("in at near over outside into the through round around saint st st. san santa".split())
_PERHAPS_BEFORE_A_PLACE = frozenset("from to on a off past of this".split())
_NO_NAMES = frozenset(
    """I I'm I'd I'll I've Monday Tuesday Wednesday Thursday Friday Saturday Sunday Mondays Tuesdays
    Wednesdays Thursdays Fridays Saturdays Sundays January February March April May June July August
    September October November December God Christ Lord Christmas Easter Year English French Mr Mrs Ms Dr
    Mother Father Mum Mom Mommy Mummy Dad Daddy Mam Papa Papá Mama Mamá Grandpa Grandma Grandmother Grandfather Uncle
    Señor Señora Signora Signor Doña Don Frau Herr Madame Monsieur""".split()
)
_CLITICS = ("'s", "'d", "'ll", "'ve", "'re")
_ABBREVIATION = 3
"""Letters up to which a word all in capitals is an abbreviation or an initial and no name."""


def unknown_persons(case: Case, memory: Memory) -> tuple[str, ...]:
    """Names of persons in facts and units that no unit's item or questions hold, the most frequent first.

    A capitalised word within a sentence counts as a person where more words around it are those of a person (verbs,
    titles) than of a place (prepositions); a possessive or "and", which towns and firms have, too, make a person where
    nothing speaks for a place. No name is a word that stands in small letters elsewhere in the case, an abbreviation,
    or one beside a name that is known ("Nurse Pryce", where one may ask who Pryce is). Blind to: persons without a
    name, names that only begin sentences, and whether everybody knows who that is (a singer, a brand).
    """
    own = [(t, e.id) for s in case.situations for e in s.evidence for t in (e.fact, *e.said)]
    own += [(t, u.id) for u in memory.units for t in (u.said, u.again, u.moved or "")]
    person: Counter[str] = Counter()
    perhaps: Counter[str] = Counter()
    place: Counter[str] = Counter()
    either: Counter[str] = Counter()
    beside: dict[str, set[str]] = {}
    for before, name, after in (found for text, _ in own for found in _named(text)):
        person[name] += after.lower() in _AFTER_A_PERSON or before.lower().rstrip(",") in _BEFORE_A_PERSON
        perhaps[name] += after == "'s" or before.lower() in _PERHAPS_BEFORE_A_PERSON
        place[name] += before.lower() in _BEFORE_A_PLACE
        either[name] += before.lower() in _PERHAPS_BEFORE_A_PLACE
        beside.setdefault(name, set()).update((before, after))
    small = frozenset(word for text, _ in own for word in _words(text) if word.islower())
    known = frozenset(word for unit in memory.units for text in (unit.item, *unit.asks) for word in _words(text))
    own_name = frozenset(case.id.split("-"))
    return tuple(
        name
        for name, _ in (person + perhaps).most_common()
        if _is_a_person(person[name], perhaps[name], place[name], either[name])
        and not known & ({name} | (beside[name] & beside.keys()))
        and name.lower() not in own_name | small
        and not _abbreviated(name)
    )


def _is_a_person(person: int, perhaps: int, place: int, either: int) -> bool:
    """By how often the words around a name are those of a person, likely so, of a place, and of either."""
    if not place:
        return person + perhaps >= max(1, either)
    return person > place + either or person + perhaps > 2 * (place + either)


def _named(text: str) -> Iterator[tuple[str, str, str]]:
    """(word before with its comma, name, word after) of capitalised words within sentences; "'s" after a possessive."""
    spaced = text.split()
    for at, word in enumerate(spaced):
        name, owned = _bare(word)
        if at == 0 or spaced[at - 1].rstrip("\"'”’")[-1:] in _ENDS or not name[:1].isupper() or name in _NO_NAMES:
            continue
        after = "'s" if owned else _bare(spaced[at + 1])[0] if at + 1 < len(spaced) and word[-1] not in ",.;!?" else ""
        yield _bare(spaced[at - 1])[0] + "," * (spaced[at - 1][-1] in ",;"), name, after


def _bare(word: str) -> tuple[str, bool]:
    """The word without marks, and whether it is a possessive."""
    plain = word.replace("’", "'").strip(_MARKS)
    clitic = next((end for end in _CLITICS if plain.endswith(end)), "")
    return plain.removesuffix(clitic), clitic == "'s"


def _abbreviated(name: str) -> bool:
    return name.isupper() and len(name) <= _ABBREVIATION


def _words(text: str) -> Iterable[str]:
    return (_bare(word)[0] for word in text.split())
