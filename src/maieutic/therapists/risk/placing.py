"""The question about suicide at a natural place: right after something painful was told, in words that take that up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Final

from maieutic.language.feelings import PLAIN, disclosed_feelings, feelings_in, named_feelings
from maieutic.language.sentences import content_words, opened_large, sentences, words
from maieutic.therapists.agent.echoing import felt_back
from maieutic.therapists.hearing import held_in
from maieutic.therapists.risk.after_stop import DESPAIRING, despair, despairing, quotable
from maieutic.therapists.risk.answers import short
from maieutic.therapists.risk.grades import Ask
from maieutic.therapists.risk.wording import picked

PAINFUL: Final = 0.6
"""Probability of a thought or a feeling from which a reply tells something painful. Of 599 replies of development
patients 24 of 24 feelings and 45 of 79 thoughts reach it, no scene, plan, memory or fact, and 1 of 34 wishes."""

NAMED: Final = 0.3
"""The same of a feeling where one is named as the speaker's own. *Assumption.*"""
LONGEST_LED: Final = 20
SHORTEST_LED: Final = 4
"""Words of a sentence that the question is led in by."""
CONTENT: Final = 2
"""Words of content that such a sentence has where there is one."""
_JOINED: Final = frozenset({"and", "but", "so", "because"})
"""Words in front that only join a sentence to the one before."""
STIRRED: Final = frozenset({"angry", "suspicious", "jealous"})
"""Feelings that are not well met by "that sounds painful"."""


@dataclass(frozen=True, slots=True)
class Question:
    """The question about suicide.

    Attributes:
        lead: What takes up what was told. asks: Why it is asked, and the question: fixed, word for word.
    """

    lead: str
    asks: str

    @property
    def text(self) -> str:
        """The whole turn."""
        return f"{self.lead} {self.asks}"


@lru_cache(maxsize=5_000)
def painful(reply: str) -> bool:
    """A reply tells a feeling that hurts, or a thought; what went well, a wish, a plan or a scene is none."""
    held = held_in(reply)
    named = bool(felt_back(reply)) or bool(disclosed_feelings(reply) and held["feeling"] >= NAMED)
    return named or held["feeling"] + held["thought"] >= PAINFUL


def tells_thought(reply: str) -> bool:
    """A reply may tell a thought or a feeling: the work on it would begin here, and no number was given yet."""
    held = held_in(reply)
    return held["feeling"] + held["thought"] >= NAMED


def asking(told: Sequence[str], said: Sequence[str], rng: Random, *, sign: bool = False, shown: str = "") -> Question:
    """The question with what leads up to it: the feeling that was just told by its word, the painful sentence as it was
    said, the last painful thing told before, or, where nothing painful was told, what was just said.

    Args:
        told: What the patient said so far.
        said: The therapist's turns so far.
        sign: It is asked because of a sign: nothing is said of everybody. shown: The sentence of the latest reply that
            is a likely one.
    """
    key, quote = _taken_up(told, said)
    if shown and quotable(shown):
        key, quote = "shown", shown.strip(' "“”.')
    elif sign and key in ("told", "else"):
        key, quote = "heard", ""  # quoted beside the question, what says nothing of it would be read as if it did
    lead = picked(f"risk_check_{key}", said, rng)
    form = Ask.FAINT.value if sign else "risk_check_first" if key in ("told", "else") else Ask.ROUTINE.value
    asks = picked(form, said, rng)
    return Question(lead.format(quote=quote) if quote else lead, asks)


def led_in(told: Sequence[str], said: Sequence[str], rng: Random) -> str:
    """What takes up the latest reply before another question; empty where it tells nothing that can be."""
    if not (painful(told[-1]) or despairing(told[-1]) or hurting(told[-1])):
        return ""
    key, quote = _taken_up(told, said)
    if key in ("before", "told", "else"):
        return ""
    return picked(f"risk_check_{key}", said, rng).format(quote=quote)


def _taken_up(told: Sequence[str], said: Sequence[str]) -> tuple[str, str]:
    """Which lead, and what it quotes."""
    reply = told[-1]
    if painful(reply) or despair(reply) >= DESPAIRING:
        if felt := felt_back(reply).rstrip("."):
            return "felt", felt
        if (word := feeling_word(reply)) and not _given(word, said):
            return "word", word
        quote = hurting(reply)
        if not quote or _given(quote, said):
            return "painful", ""
        return "stirred" if feelings_in(quote) & STIRRED else "thought", quote
    quote = next((found for text in reversed(told[:-1]) if painful(text) and (found := hurting(text))), "")
    if quote:
        return "before", quote
    quote = telling(reply)
    return ("told", quote) if quote and not _given(quote, said) else ("else", "")


def feeling_word(reply: str) -> str:
    """A feeling given as an answer by its bare word ("Hurt."), as it was said; empty where there is none, or more than
    one."""
    if len({word for _, word, _ in named_feelings(reply)}) != 1:
        return ""
    bare = (part.strip(" .!,;…") for part in sentences(reply) if disclosed_feelings(part))
    return next((one for one in bare if len(words(one)) < SHORTEST_LED and PLAIN & set(words(one))), "")


def hurting(reply: str) -> str:
    """The sentence of a reply that tells the most of a feeling or a thought, as it was said; empty where none can be
    given back."""
    hurts = [part for part in _sayable(reply) if _hurts(part) >= NAMED]
    best = max(hurts, key=lambda part: (len(content_words(part)) >= CONTENT, _hurts(part)), default="")
    return _opened(best) if best else ""


def telling(reply: str) -> str:
    """The sentence of a reply that says most, as it was said; empty where none can be given back."""
    best = max(_sayable(reply), key=lambda part: len(content_words(part)), default="")
    return _opened(best) if best else ""


def _sayable(reply: str) -> list[str]:
    """Sentences that can be given back."""
    return [
        part
        for part in sentences(reply)
        if not part.rstrip().endswith("?") and quotable(part) and SHORTEST_LED <= len(words(short(part))) <= LONGEST_LED
    ]


def _opened(sentence: str) -> str:
    first, _, rest = short(sentence).strip(' "“”').partition(" ")
    return opened_large(rest) if first.lower() in _JOINED else f"{first} {rest}"


def _hurts(sentence: str) -> float:
    held = held_in(sentence)
    return held["feeling"] + held["thought"]


def _given(quote: str, said: Sequence[str]) -> bool:
    return any(quote in turn for turn in said)
