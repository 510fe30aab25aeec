"""Puts the words of published profiles into our categories: core beliefs, emotions, styles, severity, risk, ages.

By wording only: what fits no category is left out and reported, never guessed. The 19 core beliefs and nine emotion
groups are those of PATIENT-Ψ's diagram (Wang et al., EMNLP 2024); the patterns are our own.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from maieutic.domain.case import STYLES, CoreBeliefCategory
from maieutic.language.feelings import feelings_in
from maieutic.language.sentences import content_words, sentences, words

_BELIEFS: Mapping[CoreBeliefCategory, str] = {
    "does_not_deserve_to_live": r"(?:not|n't|no right|un)\s?\w* ?deserv\w+ (?:to live|to be alive|life)|undeserving (?:to live|of life)|right to live",
    "bound_to_be_rejected": r"\breject(?:ed|ion)?\b",
    "bound_to_be_abandoned": r"\babandon(?:ed|ment)?\b|\bleft behind\b",
    "bound_to_be_alone": r"\b(?:bound|going|destined|doomed|meant) to be alone\b|\balways be alone\b|\bend up alone\b",
    "out_of_control": r"\bout of control\b|\bno control\b|\black(?:s|ing)? (?:of )?control\b",
    "incompetent": r"\bincompeten\w+|\binadequate\b|\bincapable\b|\bstupid\b",
    "powerless": r"\bpowerless\b|\bweak\b|\bvulnerable\b",
    "victim": r"\bvictim\b",
    "needy": r"\bneedy\b",
    "trapped": r"\btrapped\b",
    "failure": r"\bfailure\b|\bloser\b",
    "defective": r"\bdefective\b|\bflawed\b",
    "unattractive": r"\bunattractive\b|\bugly\b",
    "undesired": r"\bundesir(?:ed|able)\b|\bunwanted\b",
    "unlovable": r"\bunlov(?:e)?able\b(?! beliefs?)|\bunloved\b",
    "immoral": r"\bimmoral\b",
    "bad": r"\b(?:a )?bad(?: person)?\b|\bdangerous\b|\btoxic\b|\bevil\b",
    "worthless": r"\bworthless\b(?! beliefs?)|\ba waste\b",
    "helpless": r"\bhelpless\b(?! beliefs?)",
}  # fmt: skip
_VOCABULARY = (
    "incompetent", "powerless", "vulnerable", "victim", "needy", "trapped", "failure", "loser", "defective", "unlovable",
    "unattractive", "undesired", "undesirable", "unwanted", "rejected", "abandoned", "worthless", "immoral", "helpless",
)  # fmt: skip
_STATEMENTS = re.compile(r"(?<=[.!?;])\s+|;\s*|,\s+(?=I(?:'m| am| do| can|'ll| will)\b)")
_EMOTION_PARTS = re.compile(r"[,/;.]|\band\b")
_RULE = re.compile(r"\b(?:must|should|ought|have to|has to|need(?:s)? to|always|never)\b", re.I)
_ASSUMPTION = re.compile(r"\bif\b|\bunless\b|\bas long as\b|\bassum\w+", re.I)
_LABEL = re.compile(r"\[[^\]]*\]|\(\d+\)|\bduring depression:\s*", re.I)
_UNKNOWN = re.compile(r"^\W*(?:cannot be identified|not specified|unknown|n/?a|none|unclear|-1)?\W*$", re.I)
_SEVERITY = re.compile(r"\b(minimal|mild|moderate|severe)\b", re.I)
_RISK = {"mild": "passive", "moderate": "active", "severe": "active"}
OLDEST, YOUNGEST = 100, 18


def text_of(value: Any) -> str:
    """A profile's value as one line of text; '' for nothing, and for the ways profiles say that nothing is known."""
    if isinstance(value, list | tuple):
        return " ".join(part for part in map(text_of, value) if part)
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        return ""
    flat = " ".join(str(value).split())
    return "" if _UNKNOWN.match(flat) else flat


def texts_of(value: Any) -> list[str]:
    """The sentences or entries of a value, in order, none twice."""
    parts = value if isinstance(value, list) else [value]
    return list(dict.fromkeys(s for part in parts for s in sentences(text_of(part)) if len(s) > 1))


def belief_categories(statement: str) -> tuple[CoreBeliefCategory, ...]:
    """The categories that a statement's wording names, most particular first; a slip of the pen is forgiven."""
    mended = " ".join(
        next(iter(get_close_matches(w, _VOCABULARY, n=1, cutoff=0.88)), w) if len(w) > 5 else w
        for w in words(statement)
    )
    found = [c for c, pattern in _BELIEFS.items() if re.search(pattern, statement, re.I) or re.search(pattern, mended)]
    return tuple(found)


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
    """Attitudes, rules and assumptions, told apart by wording: 'if' makes an assumption, 'must' and its kin a rule. {} for none."""
    kinds: dict[str, list[str]] = {"attitudes": [], "rules": [], "assumptions": []}
    for value in values:
        for part in value if isinstance(value, list) else [value]:
            for sentence in sentences(_LABEL.sub("\n", text_of(part))):
                kind = (
                    "assumptions"
                    if _ASSUMPTION.search(sentence)
                    else "rules"
                    if _RULE.search(sentence)
                    else "attitudes"
                )
                if len(sentence) > 1 and sentence not in kinds[kind]:
                    kinds[kind].append(sentence)
    return kinds if any(kinds.values()) else {}


def emotion_groups(value: Any) -> list[str]:
    """Our nine groups in the order in which a text names them."""
    found = [g for part in _EMOTION_PARTS.split(text_of(value)) for g in sorted(feelings_in(part))]
    return list(dict.fromkeys(found))


def style_of(value: Any) -> str | None:
    """One of our styles when the profile names it."""
    name = text_of(value).lower()
    return name if name in STYLES else None


def severity_of(value: Any) -> str | None:
    """mild, moderate or severe; the mildest word of a profile's own scale, minimal, counts as mild."""
    match = _SEVERITY.search(text_of(value))
    return match.group(1).lower().replace("minimal", "mild") if match else None


def risk_level(value: Any) -> str | None:
    """none, passive or active by a profile's word for suicidal thoughts; never imminent, which no profile states."""
    said = text_of(value).lower()
    if re.match(r"(?:no\b|not exhibited)", said):
        return "none"
    match = _SEVERITY.search(said)
    return _RISK.get(match.group(1)) if match else None


def age_of(value: Any) -> tuple[int | None, str | None]:
    """(age in years, why there is none). A band of ages or a child is no age of a case."""
    said = text_of(value)
    if not said:
        return None, None
    if not re.fullmatch(r"\d{1,3}", said):
        return None, f"the source says {said!r}, which is not one number"
    age = int(said)
    return (
        (age, None) if YOUNGEST <= age <= OLDEST else (None, f"the source says {age}; a case is {YOUNGEST} to {OLDEST}")
    )


def is_child(value: Any) -> bool:
    """The profile gives an age in years below 18."""
    said = text_of(value)
    return bool(re.fullmatch(r"\d{1,2}", said)) and int(said) < YOUNGEST


def slug(text: str, *, most: int = 4, whole: bool = True) -> str:
    """A short id: a-z, 0-9 and hyphens, beginning with a letter; '' when nothing is left.

    With `whole=False`, for sentences, only the words that carry matter are taken.
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower().replace("'", "")
    tokens = re.findall(r"[a-z0-9]+", plain)
    carrying = [] if whole else [t for t in tokens if content_words(t)]
    return re.sub(r"^[^a-z]+", "", "-".join((carrying or tokens)[:most]))
