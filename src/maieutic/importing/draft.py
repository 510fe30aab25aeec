"""A draft of a case, what of it a source does not hold, and the source's words as our categories."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from maieutic.domain.case import STYLES, TODO, Case, CoreBeliefCategory, Situation
from maieutic.language.feelings import feelings_in
from maieutic.language.sentences import content_words, sentences, words

Place = tuple[str | int, ...]
Draft = dict[str, Any]

_PERSON = {
    "name": "the patient's name",
    "age": "age in years, 18 to 100",
    "gender": "gender in a word",
    "culture": "where the patient comes from, in a few words",
    "work": "what the patient does or did for a living",
    "household": "who the patient lives with",
}
_TOP = {
    "problem": "what brings the patient, in one or two sentences",
    "severity": "mild, moderate or severe",
    "history": "the life so far, in the third person",
    "style": "plain, upset, verbose, reserved, tangent or pleasing",
}
_SITUATION = {
    "happened": "what happened, in the third person",
    "automatic_thought": "the hot thought, in the first person",
    "emotions": "one to three of the nine emotion groups with an intensity of 0 to 100",
    "behaviour": "what the patient did",
    "conviction": "how strongly the thought is held at the start, 60 to 95",
    "warranted": "how strongly the facts warrant the thought, 0 to 100, at most the conviction",
    "warranted_reason": "why that much and no less",
    "balanced_thought": "what the facts together would let the patient say instead, in the first person",
}
_EVIDENCE = (
    "five or more facts of this life, at least one for and one against the thought, each with id, bearing, fact, said "
    "(two wordings), topics (two), asks (three questions), guard and weight (0 to 1)"
)
KEYED = {
    "opening": (2, "how the patient begins"),
    "details": (3, "what more the patient tells of it"),
    "thought": (3, "how the patient words the hot thought"),
    "feeling": (2, "how the patient words the feeling"),
    "conceding": (2, "what the patient says when a fact has moved the thought"),
    "unmoved": (2, "what the patient says when it has not"),
    "insight": (2, "how the patient words the balanced thought"),
}
FLAT = {
    "background": (2, "what the patient tells of the life so far"),
    "deflecting": (3, "how the patient puts off a question"),
    "resisting": (3, "how the patient answers being pushed"),
    "warmed": (3, "what the patient says when it feels understood"),
    "agreeing": (2, "how the patient agrees without meaning much by it"),
    "not_knowing": (3, "how the patient says that nothing comes to mind"),
    "tangents": (2, "where the patient's talk strays to"),
}
_NUMBER = {2: "two", 3: "three"}


@dataclass(frozen=True, slots=True)
class Missing:
    """A required part that the source does not hold.

    Attributes:
        path: Where it belongs in the case.
        expected: What has to stand there.
        why: Why the source has none.
    """

    path: Place
    expected: str
    why: str

    @property
    def field(self) -> str:
        return dotted(self.path)


@dataclass(frozen=True, slots=True)
class Imported:
    """One profile as a draft of a case.

    Attributes:
        name: The profile's name, or what stands for it.
        source: Name of the format.
        draft: Our YAML layout, holding only what the source says (and id, version and split, which the importer sets).
        missing: Required parts that are not in the draft, in the order of the layout.
        notes: What was chosen, split or left out on the way.
        refused: Why no case can be made of it at all, such as a child's age; None for most.
    """

    name: str
    source: str
    draft: Draft
    missing: tuple[Missing, ...]
    notes: tuple[str, ...] = ()
    refused: str | None = None


@dataclass
class Reading:
    """What a format's reader collects about one profile, before it is known what is missing.

    Attributes:
        name: The profile's name, '' when it has none.
        draft: The parts found so far; empty values are dropped.
        reasons: Why a part is missing, by dotted field name, where there is more to say than that the format has none.
    """

    name: str
    draft: Draft
    reasons: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    refused: str | None = None


def dotted(path: Place) -> str:
    return ".".join(map(str, path))


def finish(readings: Sequence[Reading], source: str) -> list[Imported]:
    """Give every profile an id of its own and say what each lacks."""
    taken: set[str] = set()
    found = []
    for number, reading in enumerate(readings, start=1):
        own = slug(reading.name) or f"{source.replace('_', '-')}-{number}"
        name, count = own, 2
        while name in taken:
            name, count = f"{own}-{count}", count + 1
        taken.add(name)
        draft = ordered({"id": name, "version": 1, "split": "dev", **_without_empty(reading.draft)})
        _name_situations(draft)
        missing = tuple(Missing(path, expected, _why(path, reading.reasons, source)) for path, expected in gaps(draft))
        title = reading.name or f"profile {number}"
        found.append(Imported(title, source, draft, missing, tuple(reading.notes), reading.refused))
    return found


def gaps(draft: Draft) -> Iterator[tuple[Place, str]]:
    """Every required part that a draft lacks, with what is expected there."""
    for key, expected in _PERSON.items():
        if _empty(draft, "person", key):
            yield ("person", key), expected
    for key, expected in _TOP.items():
        if _empty(draft, key):
            yield (key,), expected
    if _empty(draft, "core_beliefs"):
        yield ("core_beliefs",), "one or more core beliefs, each with category and statement"
    for number, belief in enumerate(draft.get("core_beliefs", ())):
        if "category" not in belief:
            yield ("core_beliefs", number, "category"), f"the category of {belief['statement']!r}, one of the 19"
    if "intermediate_beliefs" not in draft:
        yield ("intermediate_beliefs",), "attitudes, rules and assumptions, a list each"
    if _empty(draft, "coping"):
        yield ("coping",), "one or more ways of coping"
    if len(draft.get("goals", ())) < 2:
        yield ("goals",), "two or more goals of the work"
    situations = draft.get("situations", [])
    for number, situation in enumerate(situations):
        yield from _situation_gaps(situation, number)
    for number in range(len(situations), 2):
        yield ("situations", number), "a whole situation with id, happened, automatic_thought and the rest; two or more"
    if _empty(draft, "overreadings"):
        yield ("overreadings",), "one or more remarks, each with tempting_but_false and false_emotion"
    if "risk" not in draft:
        yield ("risk",), "the level of risk (none, passive, active or imminent) and, above none, how it is told"
    elif draft["risk"]["level"] != "none":
        for key, expected in (
            ("disclosure", "open, hint or only_when_asked"),
            ("disclosures", "how the patient tells it"),
        ):
            if _empty(draft, "risk", key):
                yield ("risk", key), expected
    ids = ", ".join(s["id"] for s in situations) or "each"
    for key, (least, expected) in KEYED.items():
        if _empty(draft, "phrasings", key):
            yield (
                ("phrasings", key),
                f"under the id of each situation ({ids}) {_NUMBER[least]} or more texts: {expected}",
            )
    for key, (least, expected) in FLAT.items():
        if _empty(draft, "phrasings", key):
            yield ("phrasings", key), f"{_NUMBER[least]} or more texts: {expected}"


def _situation_gaps(situation: Mapping[str, Any], number: int) -> Iterator[tuple[Place, str]]:
    here: Place = ("situations", number)
    for key, expected in _SITUATION.items():
        if situation.get(key) in (None, "", []):
            yield (*here, key), expected
    for index, emotion in enumerate(situation.get("emotions", ())):
        if "intensity" not in emotion:
            yield (*here, "emotions", index, "intensity"), f"how strong {emotion['group']} was, 0 to 100"
    if not situation.get("evidence"):
        yield (*here, "evidence"), _EVIDENCE


def marked(imported: Imported) -> Draft:
    """The draft with a marker wherever something is missing; such a file is refused until they are all replaced."""
    draft = deepcopy(imported.draft)
    for gap in imported.missing:
        put(draft, gap.path, f"{TODO} {gap.expected}")
    return ordered(draft)


def put(draft: Draft, path: Place, value: Any) -> None:
    """Set a value in nested dicts and lists, making dicts on the way; an index just past the end appends."""
    place: Any = draft
    for part in path[:-1]:
        place = place.setdefault(part, {}) if isinstance(place, dict) else place[part]
    last = path[-1]
    if isinstance(place, list) and last == len(place):
        place.append(value)
    else:
        place[last] = value


def ordered(draft: Draft) -> Draft:
    """The draft in the order of the schema."""
    whole = {key: draft[key] for key in Case.model_fields if key in draft}
    if isinstance(whole.get("person"), dict):
        whole["person"] = {key: whole["person"][key] for key in _PERSON if key in whole["person"]}
    whole["situations"] = [
        {key: s[key] for key in Situation.model_fields if key in s} if isinstance(s, dict) else s
        for s in whole.get("situations", [])
    ]
    return whole


def _name_situations(draft: Draft) -> None:
    taken: set[str] = set()
    for number, situation in enumerate(draft["situations"], start=1):
        own = slug(situation.get("happened", ""), most=3, whole=False) or f"situation-{number}"
        situation["id"] = own if own not in taken else f"{own}-{number}"
        taken.add(situation["id"])
    draft["situations"] = ordered(draft)["situations"]


def _why(path: Place, reasons: Mapping[str, str], source: str) -> str:
    """The reason given for the field or the nearest one above it; with none, the format holds no such thing."""
    for end in range(len(path), 0, -1):
        for name in (dotted(path[:end]), dotted(tuple("*" if isinstance(p, int) else p for p in path[:end]))):
            if name in reasons:
                return reasons[name]
    return f"{source} profiles hold no such thing"


def _empty(draft: Draft, *path: str) -> bool:
    place: Any = draft
    for part in path:
        place = place.get(part) if isinstance(place, dict) else None
    return place in (None, "", [], {})


def _without_empty(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {key: _without_empty(part) for key, part in value.items()}
        return {
            key: part
            for key, part in kept.items()
            if part not in (None, "", [], {}) or key in ("attitudes", "rules", "assumptions")
        }
    if isinstance(value, list):
        return [_without_empty(part) for part in value]
    return value


_BELIEFS: Mapping[CoreBeliefCategory, tuple[str, ...]] = {
    "does_not_deserve_to_live": (
        "deserve to live",
        "deserving to live",
        "deserve to be alive",
        "deserve life",
        "undeserving to live",
        "undeserving of life",
        "right to live",
    ),
    "bound_to_be_rejected": ("reject", "rejected", "rejection"),
    "bound_to_be_abandoned": ("abandon", "abandoned", "abandonment", "left behind"),
    "bound_to_be_alone": (
        "bound to be alone",
        "going to be alone",
        "destined to be alone",
        "doomed to be alone",
        "meant to be alone",
        "always be alone",
        "end up alone",
    ),
    "out_of_control": (
        "out of control",
        "no control",
        "lack control",
        "lack of control",
        "lacks control",
        "lacking control",
    ),
    "incompetent": ("incompetent", "incompetence", "inadequate", "incapable", "stupid"),
    "powerless": ("powerless", "weak", "vulnerable"),
    "victim": ("victim",),
    "needy": ("needy",),
    "trapped": ("trapped",),
    "failure": ("failure", "loser"),
    "defective": ("defective", "flawed"),
    "unattractive": ("unattractive", "ugly"),
    "undesired": ("undesired", "undesirable", "unwanted"),
    "unlovable": ("unlovable", "unloveable", "unloved"),
    "immoral": ("immoral",),
    "bad": ("bad", "dangerous", "toxic", "evil"),
    "worthless": ("worthless", "a waste"),
    "helpless": ("helpless",),
}
"""Words that name a category, by the names that the published profiles use."""
_DENIED = frozenset({"not", "no", "undeserving", "never"})
_VOCABULARY = (
    "incompetent",
    "powerless",
    "vulnerable",
    "victim",
    "needy",
    "trapped",
    "failure",
    "loser",
    "defective",
    "unlovable",
    "unattractive",
    "undesired",
    "undesirable",
    "unwanted",
    "rejected",
    "abandoned",
    "worthless",
    "immoral",
    "helpless",
)
_STATEMENTS = re.compile(r"(?<=[.!?;])\s+|;\s*|,\s+(?=I(?:'m| am| do| can|'ll| will)\b)")
_RULE = frozenset("must should ought have has need needs always never".split())
_ASSUMPTION = frozenset("if unless assume assumes assumed assuming assumption".split())
_LABEL = re.compile(r"\[[^\]]*\]|\(\d+\)|\bduring depression:\s*", re.I)
_UNKNOWN = frozenset({"cannot be identified", "not specified", "unknown", "n/a", "na", "none", "unclear", "-1"})
_SEVERITIES = ("minimal", "mild", "moderate", "severe")
_RISK = {"mild": "passive", "moderate": "active", "severe": "active"}
OLDEST, YOUNGEST = 100, 18


def text_of(value: Any) -> str:
    """A profile's value as one line of text; '' for nothing, and for the ways profiles say that nothing is known."""
    if isinstance(value, list | tuple):
        return " ".join(part for part in map(text_of, value) if part)
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        return ""
    flat = " ".join(str(value).split())
    said = flat.strip(" .,;:!?()[]\"'").lower()
    return flat if said not in _UNKNOWN and any(c.isalnum() for c in said) else ""


def texts_of(value: Any) -> list[str]:
    """The sentences or entries of a value, in order, none twice."""
    parts = value if isinstance(value, list) else [value]
    return list(dict.fromkeys(s for part in parts for s in sentences(text_of(part)) if len(s) > 1))


def belief_categories(statement: str) -> tuple[CoreBeliefCategory, ...]:
    """The categories that a statement's wording names, most particular first; a slip of the pen is forgiven."""
    said = words(statement)
    mended = [next(iter(get_close_matches(w, _VOCABULARY, n=1, cutoff=0.88)), w) if len(w) > 5 else w for w in said]
    return tuple(c for c in _BELIEFS if _names(c, said) or _names(c, mended))


def _names(category: CoreBeliefCategory, said: Sequence[str]) -> bool:
    """The words name the category of the person; "a helpless belief" names a belief."""
    line = f" {' '.join(said)} "
    if category == "does_not_deserve_to_live" and not (_DENIED & set(said) or "n't" in line):
        return False
    return any(f" {name} " in line.replace(f" {name} belief", " ") for name in _BELIEFS[category])


def core_beliefs(value: Any) -> list[dict[str, str]]:
    """Core beliefs, one for each category named; a statement that names none keeps an open category."""
    found: list[dict[str, str]] = []
    for part in value if isinstance(value, list) else [value]:
        for statement in filter(None, (s.strip(" ,") for s in _STATEMENTS.split(text_of(part)))):
            fresh = [c for c in belief_categories(statement) if c not in {b.get("category") for b in found}]
            found.extend({"category": category, "statement": statement} for category in fresh)
            if not belief_categories(statement):
                found.append({"statement": statement})
    return found


def intermediate_beliefs(*values: Any) -> dict[str, list[str]]:
    """Attitudes, rules and assumptions, told apart by wording: 'if' makes an assumption, 'must' and its kin a rule. {}
    for none."""
    kinds: dict[str, list[str]] = {"attitudes": [], "rules": [], "assumptions": []}
    for value in values:
        for part in value if isinstance(value, list) else [value]:
            for sentence in sentences(_LABEL.sub("\n", text_of(part))):
                kind = (
                    "assumptions"
                    if _ASSUMPTION.intersection(words(sentence)) or "as long as" in sentence.lower()
                    else "rules"
                    if _RULE.intersection(words(sentence))
                    else "attitudes"
                )
                if len(sentence) > 1 and sentence not in kinds[kind]:
                    kinds[kind].append(sentence)
    return kinds if any(kinds.values()) else {}


def emotion_groups(value: Any) -> list[str]:
    """Our nine groups in the order in which a text names them."""
    parts = text_of(value).replace(" and ", ",").translate(str.maketrans("/;.", ",,,")).split(",")
    found = [g for part in parts for g in sorted(feelings_in(part))]
    return list(dict.fromkeys(found))


def style_of(value: Any) -> str | None:
    """One of our styles when the profile names it."""
    name = text_of(value).lower()
    return name if name in STYLES else None


def severity_of(value: Any) -> str | None:
    """mild, moderate or severe; the mildest word of a profile's own scale, minimal, counts as mild."""
    found = _severity(text_of(value))
    return "mild" if found == "minimal" else found


def _severity(text: str) -> str | None:
    return next((word for word in words(text) if word in _SEVERITIES), None)


def risk_level(value: Any) -> str | None:
    """none, passive or active by a profile's word for suicidal thoughts; never imminent, which no profile states."""
    said = text_of(value).lower()
    if words(said)[:1] == ("no",) or said.startswith("not exhibited"):
        return "none"
    return _RISK.get(_severity(said) or "")


def age_of(value: Any) -> tuple[int | None, str | None]:
    """(age in years, why there is none). A band of ages or a child is no age of a case."""
    said = text_of(value)
    if not said:
        return None, None
    if not said.isdecimal() or len(said) > 3:
        return None, f"the source says {said!r}, which is not one number"
    age = int(said)
    return (
        (age, None) if YOUNGEST <= age <= OLDEST else (None, f"the source says {age}; a case is {YOUNGEST} to {OLDEST}")
    )


def is_child(value: Any) -> bool:
    """The profile gives an age in years below 18."""
    said = text_of(value)
    return said.isdecimal() and int(said) < YOUNGEST


def slug(text: str, *, most: int = 4, whole: bool = True) -> str:
    """A short id: a-z, 0-9 and hyphens, beginning with a letter; '' when nothing is left.

    With `whole=False`, for sentences, only the words that carry matter are taken.
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower().replace("'", "")
    tokens = re.findall(r"[a-z0-9]+", plain)
    carrying = [] if whole else [t for t in tokens if content_words(t)]
    return "-".join((carrying or tokens)[:most]).lstrip("0123456789-")
