"""The words behind the risk rules: regular expressions for danger, and for the frames that make such words harmless.

Everything works on normalised text (see `normalise`): lower case, straight quotes, single spaces. The expressions are
our own; they name dangers only as far as it takes to recognise them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

Grade = Literal["none", "hint", "passive", "active"]

_QUOTES: Final = str.maketrans({"’": "'", "‘": "'", "´": "'", "`": "'", "“": '"', "”": '"'})
_LONGEST_WORD: Final = 40
_APOSTROPHES: Final = re.compile(
    r"\b(?:(i)(m|ve|ll)|(don|won|can|didn|doesn|wouldn|couldn|isn|wasn|haven|hasn|shouldn|aren|weren)(t))\b"
)


def normalise(text: str) -> str:
    """Lower case, straight quotes, single spaces; `im`, `dont` and their kin get their apostrophe back."""
    flat = " ".join(word[:_LONGEST_WORD] for word in text.translate(_QUOTES).lower().split())
    flat = _APOSTROPHES.sub(lambda m: f"{m[1] or m[3]}'{m[2] or m[4]}" if m[1] else f"{m[3]}'t", flat)
    return flat.replace("gonna", "going to").replace("wanna", "want to").replace("anymore", "any more")


NEGATION: Final = re.compile(
    r"\b(?:no|not|never|nor|without|neither|none|nope|denied|deny|zero|hardly|(?:do|did|does|is|are"
    r"|was|were|have|has|had|would|"
    r"wo|could|should|ca|ai)n't|cannot|far from|instead of|stopped|anything but)\b[^.!?;]{0,45}$"
)
NOT_A_NEGATION: Final = re.compile(
    r"(?:can't|cannot|couldn't|don't) (?:stop|help|shake|control|cope|go on)|(?:not|no) (?:sure|only"
    r"|just|longer|reason|point)|"
    r"(?:don't|didn't) (?:know|care)|nothing|wouldn't (?:mind|care)"
)
DISTANT: Final = re.compile(
    r"\b(?:years?|decades?) (?:ago|back|clean|since|now)\b|\bused to\b|\bwhen i was (?:a |an |in |at |young|little|"
    r"\w+teen|twelve|eleven|ten|nine|twenty|thirty|\d)|\bback (?:then|when)\b|\bin (?:19|20)\d\d\b"
    r"|\bas a (?:teen|child|kid|boy|girl|"
    r"student|young)|\blong (?:time )?ago\b|\bin the past\b|\bmy first (?:husband|wife|marriage)"
)
RECENT: Final = re.compile(
    r"\b(?:tonight|today|now|yesterday|last night|this (?:morning|week|evening|weekend|minute)|again"
    r"|still|lately|tomorrow|"
    r"any more|every (?:day|night)|on (?:mon|tues|wednes|thurs|fri|satur|sun)day|last week|these days)\b"
)
MEDIA: Final = re.compile(r"\b(?:film|movie|series|documentary|novel|book|song|podcast|game|article|headline)\b")


@dataclass(frozen=True, slots=True)
class Rule:
    """One family of sentences: what it says about the kind of danger, how grave it is, and how to see it."""

    kind: str
    grade: Grade
    pattern: re.Pattern[str]
    own_past: bool = False
    """True where the words only count when they are recent, such as an injury or an attempt."""
