"""Plain text first: whatever a model, a file or a person writes becomes words before anybody reads it; what was done is
told, and what a speaker wrote stays beside its turn."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from maieutic.domain.episode import Answer, Turn
from maieutic.errors import ModelRefused
from maieutic.reading.markup import STAND_INS, without_html, without_markdown

_IN_WORDS: Final = {"characters": "odd or invisible characters"}
KINDS: Final = ("reasoning", "HTML", "Markdown", "role prefix", "quotes", "emoji", "characters")
"""What can be cleaned, in the order in which it is told."""
_EMOJI: Final = (
    r"(?:[\U0001F000-\U0001FAFF\u2600-\u27BF\u2B1B\u2B1C\u2B50\u2B55\u231A\u231B\u23E9-\u23FA\uFE0F\u20E3"
    r"\U000E0020-\U000E007F]|(?<![\w:]):[a-z][a-z_]+:(?![\w:]))"
)
_EMOJIS: Final = re.compile(rf"[ \t]*{_EMOJI}(?:[ \t]*{_EMOJI})*[ \t]*")
_CHARACTERS: Final = (
    rf"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\xa0\xad\u0300-\u036f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000{STAND_INS}"
    r"\ufeff\uff01-\uff5e"
)
_ODD: Final = re.compile(rf"[\n:*_`<>&~#|\[{_CHARACTERS}{_EMOJI[4 : _EMOJI.index(']')]}]")
_OPENINGS: Final = ('"', "“", "„", "«", "-", "+", "•", "◦", "▪", "●", "‣")
"""A text without any odd sign that begins with none of these holds nothing to clean."""
_ODD_CHARACTERS: Final = re.compile(f"[{_CHARACTERS}]")
_THINKS: Final = "(?i:think|thinking|reasoning|scratchpad|analysis)"
_REASONING: Final = re.compile(
    rf"<({_THINKS})\b[^<>]*>.*?(?:</\1\s*>|\Z)|\[THINK\].*?(?:\[/THINK\]|\Z)"
    rf"|<\|channel\|>.*<\|message\|>|<\|[^<>|]*\|>",
    re.S,
)
_LEAKED: Final = re.compile(rf".*(?:</{_THINKS}\s*>|\[/THINK\])", re.S)
_ROLE: Final = re.compile(
    r"\s*[\[(]?(?:(?i:therapist|counsell?or|psychologist|psychotherapist|clinician|interviewer"
    r"|assistant|helper|coach|ai|"
    r"chatbot|bot|patient|client|user|seeker)(?: (?i:reply|response))?|T)[\])]?\s*:\s+(?=\S)"
)
_QUOTES: Final = (('"', '"'), ("“", "”"), ("„", "“"), ("«", "»"))
_MAX_PASSES: Final = 12


@dataclass(frozen=True, slots=True)
class Plain:
    """A text as it is read.

    Attributes:
        text: The words.
        original: What came; the same object where nothing was cleaned.
        cleaned: Kinds of what was cleaned, in the order of `KINDS`.
    """

    text: str
    original: str
    cleaned: tuple[str, ...] = ()


def plain(text: str, *, lines: bool = False) -> Plain:
    """The words of a reply or a cell. Prose comes back as it is; reading what came back changes nothing more.

    Args:
        text: What came.
        lines: For answers that are read line by line: lists keep their marks, and lines stay apart.
    """
    if _ODD.search(text) is None and not text.startswith(_OPENINGS):
        return Plain(text, text)
    found: set[str] = set()
    now = text
    for _ in range(_MAX_PASSES):
        before = now
        for kind, clean in _STEPS:
            after = clean(now, lines)
            if after != now:
                found.add(kind)
                now = after
        if now == before:
            break
    return Plain(now if found else text, text, tuple(kind for kind in KINDS if kind in found))


def without_reasoning(text: str) -> str:
    """A model's reply without what it thought aloud: tags that are closed or were cut off, and all before a lone
    closing one."""
    if "<" not in text and "[/" not in text and "[T" not in text:
        return text
    spoken = _LEAKED.sub("", _REASONING.sub(" ", text), count=1)
    return text if spoken == text else spoken.strip()


def counted(kinds: Iterable[Iterable[str]]) -> dict[str, int]:
    """How many texts each kind was cleaned in, in the order of `KINDS`."""
    return in_order(Counter(kind for one in kinds for kind in one))


def in_order(counts: Mapping[str, int]) -> dict[str, int]:
    """Counts by kind in the order of `KINDS`, without those that are none."""
    return {kind: counts[kind] for kind in KINDS if counts.get(kind)}


def in_words(counts: Mapping[str, int], of: str) -> str:
    """'Markdown in 12 utterances, HTML in 3'; empty where nothing was cleaned."""
    counts = {_IN_WORDS.get(kind, kind): count for kind, count in counts.items()}
    first = of.removesuffix("s") if " " not in of and next(iter(counts.values()), 0) == 1 else of
    return ", ".join(f"{kind} in {count:,}{'' if n else f' {first}'}" for n, (kind, count) in enumerate(counts.items()))


def _without_role(text: str, lines: bool) -> str:
    found = _ROLE.match(text)
    # 'T: because …' may be an answer.
    return text if found is None or (lines and found.group().lstrip()[1:2] == ":") else text[found.end() :]


def _without_quotes(text: str, lines: bool) -> str:
    bare = text.strip()
    inner = bare[1:-1]
    whole = (bare[:1], bare[-1:]) in _QUOTES and inner.strip() and not any(mark in inner for mark in '"“”„«»')
    return inner.strip() if whole else text


def _without_emoji(text: str, lines: bool) -> str:
    bare = _EMOJIS.sub(_between, text)
    return bare if bare.strip() else text


def _between(found: re.Match[str]) -> str:
    """What stands where an emoji stood; one between two sentences ends the first."""
    text = found.string
    before, after = text[found.start() - 1 : found.start()], text[found.end() : found.end() + 1]
    if not before.strip() or not after.strip() or after in ".,!?;:)…":
        return ""
    return ". " if before.isalnum() and after.isupper() else " "


def _with_usual_characters(text: str, lines: bool) -> str:
    if _ODD_CHARACTERS.search(text) is None:
        return text
    return unicodedata.normalize("NFC", text.translate(_usual()))


@cache
def _usual() -> dict[int, str | None]:
    """Unusual characters and what stands for them: spaces, line ends, full-width forms, leftovers of Windows; others
    go."""
    table: dict[int, str | None] = dict.fromkeys((*range(0x09), *range(0x0E, 0x20), 0x7F, 0xAD, *map(ord, STAND_INS)))
    table |= dict.fromkeys((*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0xFEFF))
    table |= {code: bytes([code]).decode("cp1252", errors="ignore") for code in range(0x80, 0xA0)}
    table |= dict.fromkeys((0xA0, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000), " ")
    table |= dict.fromkeys((0x0B, 0x0C, 0x2028, 0x2029), "\n")
    return table | {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}


_STEPS: Final[tuple[tuple[str, Callable[[str, bool], str]], ...]] = (
    ("characters", _with_usual_characters),
    ("reasoning", lambda text, lines: without_reasoning(text)),
    ("HTML", lambda text, lines: without_html(text, lines=lines)),
    ("Markdown", lambda text, lines: without_markdown(text, lines=lines)),
    ("role prefix", _without_role),
    ("quotes", _without_quotes),
    ("emoji", _without_emoji),
)


def plain_turn(turn: Turn) -> Turn:
    """A turn as the other side hears it; the same turn where there is nothing to clean.

    Raises:
        ModelRefused: Nothing is left to be heard, such as of a reply that was cut off while the model still reasoned.
    """
    found = plain(turn.text)
    if not found.text.strip() and (found.original.strip() or turn.original) and turn.ending is None:
        why = ", ".join(plain(turn.original or turn.text).cleaned)
        raise ModelRefused(
            f"the {turn.speaker}'s turn holds no words, only {why}; has its model room to end its reply?"
        )
    if not found.cleaned:
        return turn
    return replace(turn, text=found.text, original=turn.original or turn.text)


def plain_answer(answer: Answer) -> Answer:
    """An answer outside the dialogue as it is read, line by line; the same answer where there is nothing to clean."""
    found = plain(answer.text, lines=True)
    return replace(answer, text=found.text, original=answer.original or answer.text) if found.cleaned else answer


def cleaned_in(turns: Iterable[Turn]) -> dict[str, int]:
    """How many of the turns each kind was cleaned in."""
    return counted(plain(turn.original).cleaned for turn in turns if turn.original is not None)
