"""Sentences about a person as the person would say them, and what stands where a source says nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from maieutic.reading.yaml_text import packaged_yaml

Pronoun = Literal["he", "she", "they"]
_FORMS: dict[Pronoun, tuple[str, str, str, str]] = {
    "he": ("he", "him", "his", "himself"),
    "she": ("she", "her", "her", "herself"),
    "they": ("they", "them", "their", "themselves"),
}
_OTHERS: dict[Pronoun, frozenset[str]] = {
    "he": frozenset(
        """father dad brother son husband boyfriend uncle grandfather nephew man boy boss friend colleague
        therapist""".split()
    ),
    "she": frozenset(
        """mother mom mum sister daughter wife girlfriend aunt grandmother niece woman girl boss friend colleague
        therapist""".split()
    ),
    "they": frozenset("parents friends people others children colleagues girls boys family".split()),
}
_IRREGULAR = {
    "is": "am",
    "are": "am",
    "has": "have",
    "does": "do",
    "was": "was",
    "isn't": "am not",
    "doesn't": "don't",
    "hasn't": "haven't",
    "were": "was",
}
_ADVERBS = frozenset("always never often sometimes also then still now only just once".split())
_FOLLOWS = frozenset(
    """to about on from off over with at in into for up down out back his her their my the a an that what how
    myself himself herself themselves""".split()
)
"""Words after a verb, besides those in -ing; they tell a verb in -s from a noun."""
_AFTER_HER = frozenset("""to that and or but so for with by from in on at as a an the alone because feeling""".split())
"""Words after 'her' where it is no possessive."""
_NO_VERBS = frozenset({"always", "perhaps", "memories", "thoughts", "fears"})
_OWN = frozenset({"I", "me", "my", "myself"})
_SECOND = {
    "you're": "I am",
    "you are": "I am",
    "you were": "I was",
    "yourself": "myself",
    "yours": "mine",
    "your": "my",
    "you": "I",
    **{f"{word} you": f"{word} me" for word in "to for with at on make makes made of about from".split()},
}


@dataclass(frozen=True, slots=True)
class Who:
    """Whom a profile's sentences are about: the name, and the pronoun when it is known."""

    name: str = ""
    pronoun: Pronoun | None = None

    @classmethod
    def of(cls, name: str, gender: str, texts: Sequence[str]) -> Who:
        """The pronoun by gender, else the one that is alone in all of the profile's texts."""
        told = gender.lower().split()[:1]
        if told and told[0] in ("male", "man", "boy"):
            return cls(name, "he")
        if told and told[0] in ("female", "woman", "girl"):
            return cls(name, "she")
        every = _spoken(" ".join(texts).lower())
        used: list[Pronoun] = [p for p in ("he", "she") if p in every]
        if not used and every & {"client", "patient"} and every & {"they", "their", "them"}:
            used = ["they"]
        return cls(name, used[0] if len(used) == 1 else None)


def in_first_person(text: str, who: Who) -> str:
    """One sentence as the patient could say it, with a full stop; in quotation marks where the rules do not reach."""
    sentence = text.strip().rstrip(".;, ")
    if not sentence:
        return ""
    if not _OWN & _spoken(sentence):
        second = "you" in _spoken(sentence.lower())
        turned = _swapped(sentence, _SECOND) if second else _from_third(sentence, who)
        if turned is None:
            return f'The way it would be put about me is, "{_ended(sentence)}"'
        sentence = turned
    return _ended(sentence[0].upper() + sentence[1:])


def _spoken(text: str) -> frozenset[str]:
    """The words of a text as they are written, parted at anything that is no letter."""
    return frozenset("".join(c if c.isalpha() else " " for c in text).split())


def _swapped(sentence: str, own: Mapping[str, str]) -> str:
    """The sentence with the speaker's words in place of others, in whatever case they stand; longer phrases first."""
    names = "|".join(re.escape(name) for name in sorted(own, key=len, reverse=True))
    return re.sub(rf"\b({names})\b", lambda m: own[m[0].lower()], sentence, flags=re.I)


def _from_third(sentence: str, who: Who) -> str | None:
    names = ["the client", "the patient", *([who.name.lower()] if who.name else [])]
    sentence = _swapped(sentence, {f"{name}{end}": "my" if end else "I" for name in names for end in ("", "'s", "’s")})
    spoken = _spoken(sentence.lower())
    present = {p for p, forms in _FORMS.items() if spoken.intersection(forms)}
    if present and who.pronoun not in present:
        return sentence if _OWN & _spoken(sentence) and not (present - {"they"}) else None
    if who.pronoun in present:
        he, him, his, himself = _FORMS[who.pronoun]
        if (he != "she" and {he, him} <= spoken) or spoken & _OTHERS[who.pronoun]:
            return None
        sentence = _with_me(sentence) if he == "she" else sentence
        sentence = _swapped(sentence, {him: "me", himself: "myself", his: "my", he: "I"})
    return _conjugated(sentence)


def _with_me(sentence: str) -> str:
    """'me' for a 'her' that owns nothing."""
    tokens = sentence.split(" ")
    for place, (token, after) in enumerate(zip(tokens, [*tokens[1:], ""], strict=True)):
        bare = token.rstrip(".,;")
        if bare.lower() == "her" and (bare != token or not after or _spoken(after) & _AFTER_HER):
            tokens[place] = f"me{token[len(bare) :]}"
    return " ".join(tokens)


def _conjugated(sentence: str) -> str:
    """First-person verbs after 'I', and an 'I' before a sentence that begins with its verb."""
    tokens = sentence.split(" ")
    for place in [place for place, token in enumerate(tokens) if token.lstrip('"“‘(') == "I"]:
        at = place + 1
        while at + 1 < len(tokens) and (tokens[at] in _ADVERBS or (tokens[at].endswith("ly") and tokens[at].isalpha())):
            at += 1
        if at < len(tokens) and tokens[at][:1].islower():
            tokens[at] = _based(tokens[at])
    first = tokens[0]
    begins = first.isalpha() and first.istitle() and first.endswith(("s", "ed")) and first.lower() not in _NO_VERBS
    if begins and _is_verb(tokens, 0) and ":" not in sentence:
        tokens[:1] = ["I", _base(first.lower())]
    if tokens[0] == "I":
        for place in range(2, len(tokens) - 1):
            before = tokens[place - 2 if tokens[place - 1] == "then" else place - 1]
            joined = before.endswith((",", ";")) or before in ("and", "but", "or")
            if joined and tokens[place].endswith("s") and tokens[place].islower() and _is_verb(tokens, place):
                tokens[place] = _base(tokens[place])
    return " ".join(tokens)


def _is_verb(tokens: Sequence[str], place: int) -> bool:
    """What follows tells a verb."""
    after = "".join(tokens[place + 1 : place + 2]).rstrip(".,;")
    return after in _FOLLOWS or (after.endswith("ing") and after.islower())


def _based(token: str) -> str:
    """A verb in the first person, with the marks after it."""
    bare = token.rstrip(".,;:!?")
    return _base(bare) + token[len(bare) :]


def _base(verb: str) -> str:
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb.endswith("ies") and verb[-4:-3] not in "aeiou" and len(verb) > 4:
        return f"{verb[:-3]}y"
    if verb.endswith(("sses", "shes", "ches", "xes", "zzes")) or (verb.endswith("oes") and verb[-4:-3] not in "aeiou"):
        return verb[:-2]
    return verb[:-1] if verb.endswith("s") and verb[-2:-1] not in "su" and len(verb) > 3 else verb


def _ended(sentence: str) -> str:
    return sentence if sentence[-1] in ".?!" else f"{sentence}."


_PLACEHOLDERS: Final[Mapping[str, Any]] = packaged_yaml("importing", "placeholders.yaml")
UNTOLD: Final[Mapping[str, Any]] = _PLACEHOLDERS["untold"]
"""What stands in a field that the source leaves empty, by its dotted name."""
TOLD: Final[Sequence[str]] = _PLACEHOLDERS["told"]
"""What is said before a sentence of the source."""
SPOKEN: Final[Mapping[str, Sequence[str]]] = _PLACEHOLDERS["spoken"]
"""Ways of speaking."""
FOR, AGAINST = (
    [fact for fact in _PLACEHOLDERS["facts"] if fact["bearing"] == bearing] for bearing in ("for", "against")
)
"""Neutral facts on the thought."""
