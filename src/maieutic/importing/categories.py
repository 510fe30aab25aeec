"""Puts the words of published profiles into our categories: core beliefs, emotions, styles, severity, risk, ages.

By wording only: what fits no category is left out and reported, never guessed. The 19 core beliefs and nine emotion
groups are those of PATIENT-Ψ's diagram (Wang et al., EMNLP 2024); the words are our own.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from maieutic.domain.case import STYLES, CoreBeliefCategory
from maieutic.language.feelings import feelings_in
from maieutic.language.sentences import content_words, sentences, words

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
