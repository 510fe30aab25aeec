"""`read_profiles()`: a file of published profiles in, drafts of cases out; the format is told by the content.

What a source lacks is filled by plain rules, so that an imported profile can be played; every such field is named.
Nothing of that is knowledge about the person: facts for the thought repeat the profile's own sentences; facts against
it, numbers and ways of speaking are neutral placeholders, the same for every profile, labelled as filled.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

from maieutic.domain.case import EMOTION_GROUPS, TODO, Case
from maieutic.errors import InputError, InvalidCase, UnknownName, UnreadableFile, why
from maieutic.importing.draft import (
    FLAT,
    OLDEST,
    YOUNGEST,
    Draft,
    Imported,
    Place,
    dotted,
    finish,
    gaps,
    marked,
    ordered,
    put,
    slug,
    texts_of,
)
from maieutic.importing.first_person import AGAINST, FOR, SPOKEN, TOLD, UNTOLD, Who, in_first_person
from maieutic.importing.formats import SOURCES
from maieutic.language.sentences import STOP_WORDS, words
from maieutic.runs.files import staged

LABEL = "[filled by rule]"
CONVICTION, WARRANTED, INTENSITY, AGE = 75, 50, 60, 40
_NAMED = re.compile(r"'(\d{1,3})\s*[-–~]\s*(\d{1,3})'")
_MAX_OWN = 3


def filled(imported: Imported) -> tuple[Draft, tuple[str, ...]]:
    """The draft with everything missing filled by rule, and the names of the fields that were filled.

    Raises:
        InvalidCase: the profile cannot become a case (`refused`), or what came out is none.
    """
    if imported.refused:
        raise InvalidCase(f"{imported.name}: no case can be made of this profile: {imported.refused}")
    draft = deepcopy(imported.draft)
    named: list[str] = []
    while left := list(gaps(draft)):
        first = min(_turn(path) for path, _ in left)
        for path in (path for path, _ in left if _turn(path) == first):
            put(draft, path, _value(draft, path, imported))
            named.append(dotted(path))
        draft = ordered(draft)
    try:
        Case.model_validate(draft)
    except ValueError as error:
        raise InvalidCase(f"{imported.name}: the filled profile is no valid case: {error}") from error
    return draft, tuple(named)


def _turn(path: Place) -> int:
    """Which places come first: the rules for later ones read the earlier ones."""
    if path[0] in ("phrasings", "overreadings"):
        return 3
    if path[0] == "situations" and len(path) > 2:
        return 2 if path[2] in ("evidence", "balanced_thought", "warranted") else 1
    return 0


def _value(draft: Draft, path: Place, imported: Imported) -> Any:
    """What the rules put into one empty place."""
    if path[0] == "phrasings":
        return _phrasings(draft, str(path[1]))
    if path[0] == "situations":
        return _in_situation(draft, path)
    if path[0] == "core_beliefs" and len(path) == 3:
        return _nearest_belief(draft, int(path[1]))
    if path == ("person", "age"):
        return _age(imported)
    if path == ("overreadings",):
        felt = {e["group"] for s in draft["situations"] for e in s["emotions"]}
        false = next(g for g in EMOTION_GROUPS if g not in felt)
        told = f"{LABEL} One might hear {false} in this; the source names no such feeling."
        return [{"remark": SPOKEN["remark"][0], "tempting_but_false": told, "false_emotion": false}]
    value = UNTOLD[dotted(path)]
    return [*draft.get("goals", []), *value] if path == ("goals",) else deepcopy(value)


def _age(imported: Imported) -> int:
    """The middle of a band of ages that the source gives, within what a case allows; else the placeholder."""
    band = next((m for gap in imported.missing if gap.field == "person.age" and (m := _NAMED.search(gap.why))), None)
    if band is None:
        return AGE
    low, high = (min(OLDEST, max(YOUNGEST, int(edge))) for edge in band.groups())
    return (low + high) // 2


def _nearest_belief(draft: Draft, number: int) -> str:
    """The category of another belief of the profile, else the widest one."""
    others = [b["category"] for b in draft["core_beliefs"] if "category" in b]
    return others[0] if others and number >= 0 else "helpless"


def _in_situation(draft: Draft, path: Place) -> Any:
    number = int(path[1])
    if len(path) == 2:
        return _situation(draft, number)
    here, key = draft["situations"][number], path[2]
    who = _who(draft)
    if key == "evidence":
        return _evidence(draft, here, who)
    if key == "emotions":
        return INTENSITY if len(path) == 5 else [{"group": "sad", "intensity": INTENSITY}]
    if key == "balanced_thought":
        return f"Part of it may be so and part of it not, I would have to look at both sides: {_thought(draft, here)}"
    own: dict[str, Callable[[], Any]] = {
        "happened": lambda: next(iter(_own(draft["problem"])), f"{LABEL} An ordinary day with the same trouble."),
        "automatic_thought": lambda: next((b["statement"] for b in draft["core_beliefs"]), SPOKEN["thought"][0]),
        "behaviour": lambda: f"{LABEL} Did what is usual for this person at such times.",
        "conviction": lambda: CONVICTION,
        "warranted": lambda: min(WARRANTED, here.get("conviction", WARRANTED)),
        "warranted_reason": lambda: f"{LABEL} Not known; {WARRANTED} stands for an even weight of the facts.",
    }
    return own[str(key)]()


def _situation(draft: Draft, number: int) -> dict[str, Any]:
    """A second situation is the first one's trouble come up again; a first one is left to the rules for its parts."""
    taken = {s["id"] for s in draft["situations"]}
    name = next(n for n in (f"placeholder-{k}" for k in range(1, 9)) if n not in taken)
    first = draft["situations"][0] if number else {}
    happened = f"{LABEL} The same trouble came up again on another, ordinary day."
    kept = {k: deepcopy(first[k]) for k in ("automatic_thought", "emotions", "behaviour") if k in first}
    return {"id": name, **({"happened": happened} if number else {}), **kept}


def _evidence(draft: Draft, here: dict[str, Any], who: Who) -> list[dict[str, Any]]:
    """Facts for the thought from the profile's own sentences; three neutral facts against it, and for it if need be."""
    every = [s for s in _own(here["happened"], draft["history"]) if _topics(s)]
    own = sorted(every, key=lambda s: "put about me" in in_first_person(s, who))[:_MAX_OWN]  # sayable ones first
    facts = []
    for number, sentence in enumerate(own, start=1):
        topics = _topics(sentence)
        said = in_first_person(sentence, who)
        facts.append(
            {
                "id": f"{slug(sentence, most=2, whole=False) or 'own'}-{number}",
                "bearing": "for",
                "fact": sentence,
                "said": [f"{lead} {said}" for lead in TOLD],
                "topics": topics,
                "asks": [
                    f"What can you tell me about {topics[0]}?",
                    f"What was it like for you with {topics[1]}?",
                    f"How do {topics[0]} and {topics[1]} come into this?",
                ],
                "guard": round(0.2 + 0.15 * (number - 1), 2),
                "weight": 0.5,
            }
        )
    generic = [*FOR[: max(0, 2 - len(facts))], *AGAINST]
    facts += [{**deepcopy(f), "fact": f"{LABEL} {f['fact']}"} for f in generic]
    return facts


def _own(*texts: str) -> list[str]:
    """The source's own sentences in texts that may have been filled by rule."""
    return texts_of([text for text in texts if not text.startswith(LABEL)])


def _topics(sentence: str) -> list[str]:
    """Three or four words of a sentence that carry matter; [] when there are fewer than three."""
    carrying = [w for w in words(sentence) if w not in STOP_WORDS and len(w) > 3 and "'" not in w]
    chosen = list(dict.fromkeys(carrying))[:4]
    return chosen if len(chosen) > 2 else []


def _who(draft: Draft) -> Who:
    person = draft["person"]
    texts = [draft["history"], *(f"{s.get('happened', '')} {s.get('behaviour', '')}" for s in draft["situations"])]
    return Who.of(person["name"], person["gender"], texts)


def _thought(draft: Draft, here: dict[str, Any]) -> str:
    return " ".join(in_first_person(s, _who(draft)) for s in texts_of(here["automatic_thought"]))


def _phrasings(draft: Draft, key: str) -> Any:
    who = _who(draft)
    if key == "background":
        own = [f"{TOLD[n % 2]} {in_first_person(s, who)}" for n, s in enumerate(_own(draft["history"])[:3])]
        return [*own, *SPOKEN["background"]][: max(2, len(own))]
    if key in FLAT:
        return list(SPOKEN[key])
    return {s["id"]: _worded(draft, s, key, who) for s in draft["situations"]}


def _worded(draft: Draft, here: dict[str, Any], key: str, who: Who) -> list[str]:
    """The wordings of one kind for one situation, made from its own texts."""
    happened = " ".join(in_first_person(s, who) for s in _own(here["happened"])) or SPOKEN["happened"][0]
    did = " ".join(in_first_person(s, who) for s in _own(here["behaviour"])) or SPOKEN["behaviour"][0]
    thought, felt = _thought(draft, here), " and ".join(e["group"] for e in here["emotions"])
    forms: dict[str, tuple[str, ...]] = {
        "opening": ("What I have on my mind is this. {happened}", "I'd like to talk about one thing today. {happened}"),
        "details": (
            "As for what I did then. {did}",
            "It was like this. {happened}",
            "There's not much more to it. {did}",
        ),
        "thought": (
            'What went through my mind was, "{thought}"',
            'I kept thinking, "{thought}"',
            '"{thought}" That was the thought.',
        ),
        "feeling": ("I felt {felt}.", "It made me {felt}, more than anything."),
        "insight": (
            'I used to say, "{thought}" Now I\'d say there are two sides to it.',
            'It isn\'t settled, is it? "{thought}" is only one way to see it.',
        ),
    }
    if key in forms:
        return [form.format(happened=happened, did=did, thought=thought, felt=felt) for form in forms[key]]
    return list(SPOKEN[key])


def as_yaml(imported: Imported, *, fill: bool = False) -> str:
    """One draft as a case file: with markers where parts are missing, or with those parts filled by rule."""
    import yaml

    head = [
        f"# Imported from a {imported.source} profile ({imported.name}). Texts of the source stay under its licence."
    ]
    draft: Draft
    if fill:
        draft, named = filled(imported)
        head.append(f"# Filled by rule, not from the source ({len(named)} fields):")
        head += [f"#   {name}" for name in named]
    else:
        draft = marked(imported)
        head.append(f"# {len(imported.missing)} parts are missing; each stands below as {TODO!r} with what to write.")
    head += [f"# Note: {note}" for note in imported.notes]
    body = yaml.safe_dump(draft, sort_keys=False, allow_unicode=True, width=120)
    return "\n".join((*(line.replace("\n", " ") for line in head), body))


def write_drafts(profiles: Sequence[Imported], folder: Path, *, fill: bool = False) -> list[Path]:
    """Write `<id>.yaml` for every profile that is not refused; nothing is written when one of them cannot be.

    Raises:
        InputError: a file of that name is there already.
        InvalidCase: a filled profile is no valid case.
        StorageError: the folder cannot be written.
    """
    texts = {folder / f"{p.draft['id']}.yaml": as_yaml(p, fill=fill) for p in profiles if p.refused is None}
    taken = [path for path in texts if path.exists()]
    if taken:
        raise InputError(f"{taken[0]} is there already; move it away or choose another --out (nothing was written)")
    if not texts:
        return []
    with staged(folder, name=".import-unfinished", told="{} cannot be written: {}") as half:
        for path, text in texts.items():
            (half / path.name).write_text(text, encoding="utf-8")
    return list(texts)


def read_profiles(path: Path, source: str | None = None) -> list[Imported]:
    """The profiles of a JSON file as drafts, each with what the source does not hold.

    Args:
        path: A JSON file: a list of profiles, or one profile.
        source: 'patient_psi', 'eeyore' or 'patienthub'; None to tell it by the content.

    Raises:
        UnreadableFile: no such file, or no JSON in it.
        UnknownName: no such source.
        InvalidCase: a format that none of the importers knows, or not that of `source`.
    """
    if source is not None and source not in SOURCES:
        raise UnknownName("source", source, SOURCES)
    records = _records(path)
    names = [source] if source else list(SOURCES)
    found = next((name for name in names if SOURCES[name][0](records[0])), None)
    if found is None:
        keys = ", ".join(sorted(map(str, records[0]))[:8])
        wanted = f"a profile of {source}" if source else f"a profile format we can read ({', '.join(SOURCES)})"
        raise InvalidCase(f"{path.name}: not {wanted}; its first profile has the keys {keys or 'none'}")
    odd = next((n for n, record in enumerate(records, 1) if not SOURCES[found][0](record)), None)
    if odd is not None:
        raise InvalidCase(
            f"{path.name}: profile {odd} is not of the format of the first ({found}); split the file by format"
        )
    try:
        return finish(SOURCES[found][1](records), found)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InvalidCase(f"{path.name}: a {found} profile with a part of an unexpected form: {error!r}") from error


def _records(path: Path) -> Sequence[Mapping[str, Any]]:
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError as error:
        raise UnreadableFile(f"no file {str(path)!r} with profiles") from error
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read: {why(error)}") from error
    except (UnicodeDecodeError, ValueError) as error:
        raise UnreadableFile(f"{path.name} is not JSON in UTF-8: {error}") from error
    except RecursionError as error:
        raise UnreadableFile(f"{path.name} is nested too deeply to be a file of profiles") from error
    records = data if isinstance(data, list) else [data]
    if not records or not all(isinstance(record, dict) and record for record in records):
        raise InvalidCase(f"{path.name}: expected a list of profiles (JSON objects), or one profile")
    return records
