"""Turns a profile's sentence about a person into something that person could say, by plain rules of English.

A rule of thumb for placeholders, not a translator: where it is unclear whom a pronoun means, the sentence is quoted
as it stands instead of being turned.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Pronoun = Literal["he", "she", "they"]
_FORMS: dict[Pronoun, tuple[str, str, str, str]] = {
    "he": ("he", "him", "his", "himself"),
    "she": ("she", "her", "her", "herself"),
    "they": ("they", "them", "their", "themselves"),
}
_OTHERS: dict[Pronoun, str] = {
    "he": r"father|dad|brother|son|husband|boyfriend|uncle|grandfather|nephew|man|boy|boss|friend|colleague|therapist",
    "she": r"mother|mom|mum|sister|daughter|wife|girlfriend|aunt|grandmother|niece|woman|girl|boss|friend|colleague|therapist",
    "they": r"parents|friends|people|others|children|colleagues|girls|boys|family",
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
_ADVERB = r"(?:(?:always|never|often|sometimes|also|then|still|now|only|just|once|[a-z]+ly) )*"
_FOLLOWS = r"(?= (?:to|about|on|from|off|over|with|at|in|into|for|up|down|out|back|his|her|their|my|the|a|an|that|what|how|myself|himself|herself|themselves|[a-z]+ing)\b)"
_OWN = re.compile(r"\b(?:I|me|my|myself|I'm|I've|I'd|I'll)\b")


@dataclass(frozen=True, slots=True)
class Who:
    """Whom a profile's sentences are about: the name, and the pronoun when it is known."""

    name: str = ""
    pronoun: Pronoun | None = None

    @classmethod
    def of(cls, name: str, gender: str, texts: Sequence[str]) -> Who:
        """The pronoun by gender, else the one that is alone in all of the profile's texts."""
        if re.match(r"(?:male|man|boy)\b", gender, re.I):
            return cls(name, "he")
        if re.match(r"(?:female|woman|girl)\b", gender, re.I):
            return cls(name, "she")
        every = " ".join(texts).lower()
        used: list[Pronoun] = [p for p in ("he", "she") if re.search(rf"\b{p}\b", every)]
        if not used and re.search(r"\b(?:the |)(?:client|patient)\b.*\bthe(?:y|ir|m)\b", every):
            used = ["they"]
        return cls(name, used[0] if len(used) == 1 else None)


def in_first_person(text: str, who: Who) -> str:
    """One sentence as the patient could say it, with a full stop; in quotation marks where the rules do not reach."""
    sentence = text.strip().rstrip(".;, ")
    if not sentence:
        return ""
    if not _OWN.search(sentence):
        turned = _from_second(sentence) if re.search(r"\byou\b", sentence, re.I) else _from_third(sentence, who)
        if turned is None:
            return f'The way it would be put about me is, "{_ended(sentence)}"'
        sentence = turned
    return _ended(sentence[0].upper() + sentence[1:])


def _from_second(sentence: str) -> str:
    for pattern, own in (
        (r"\byou(?:'re| are)\b", "I am"), (r"\byou were\b", "I was"), (r"\byourself\b", "myself"), (r"\byours\b", "mine"),
        (r"\byour\b", "my"), (r"\b(to|for|with|at|on|makes?|made|of|about|from) you\b", r"\1 me"), (r"\byou\b", "I"),
    ):  # fmt: skip
        sentence = re.sub(pattern, own, sentence, flags=re.I)
    return sentence


def _from_third(sentence: str, who: Who) -> str | None:
    names = [r"the (?:client|patient)", *([re.escape(who.name)] if who.name else [])]
    subject = "|".join(names)
    sentence = re.sub(rf"\b(?:{subject})['’]s\b", "my", sentence, flags=re.I)
    sentence = re.sub(rf"\b(?:{subject})\b", "I", sentence, flags=re.I)
    present = {p for p, forms in _FORMS.items() if re.search(rf"\b(?:{'|'.join(forms)})\b", sentence, re.I)}
    if present and who.pronoun not in present:
        return sentence if _OWN.search(sentence) and not (present - {"they"}) else None
    if who.pronoun in present:
        he, him, his, himself = _FORMS[who.pronoun]
        both = he != "she" and re.search(rf"\b{he}\b", sentence, re.I) and re.search(rf"\b{him}\b", sentence, re.I)
        if both or re.search(rf"\b(?:{_OTHERS[who.pronoun]})\b", sentence, re.I):
            return None
        sentence = re.sub(rf"\b{himself}\b", "myself", sentence, flags=re.I)
        if he == "she":
            sentence = re.sub(
                r"\bher\b(?=[.,;]|$| (?:to|that|and|or|but|so|for|with|by|from|in|on|at|as|a|an|the|alone|because|feeling)\b)",
                "me",
                sentence,
                flags=re.I,
            )
        elif he != "they":
            sentence = re.sub(rf"\b{him}\b", "me", sentence, flags=re.I)
        sentence = re.sub(rf"\b{his}\b", "my", sentence, flags=re.I)
        sentence = re.sub(rf"\b{he}\b", "I", sentence, flags=re.I)
        sentence = re.sub(r"\bthem\b", "me", sentence) if he == "they" else sentence
    return _conjugated(sentence)


def _conjugated(sentence: str) -> str:
    """First-person verbs after 'I', and an 'I' before a sentence that begins with its verb."""
    sentence = re.sub(rf"\b(I {_ADVERB})([a-z]+(?:n't)?)\b", lambda m: m.group(1) + _base(m.group(2)), sentence)
    begins = re.match(rf"([A-Z][a-z]+(?:s|ed)){_FOLLOWS}", sentence)
    if (
        begins
        and ":" not in sentence
        and begins.group(1).lower() not in ("always", "perhaps", "memories", "thoughts", "fears")
    ):
        word = begins.group(1).lower()
        sentence = f"I {_base(word)}{sentence[len(word) :]}"
    if re.match(r"I\b", sentence):
        sentence = re.sub(
            rf"((?:;|,|\band|\bbut|\bor)(?: then)? )([a-z]+s){_FOLLOWS}",
            lambda m: m.group(1) + _base(m.group(2)),
            sentence,
        )
    return sentence


def _base(verb: str) -> str:
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if re.search(r"[^aeiou]ies$", verb) and len(verb) > 4:
        return f"{verb[:-3]}y"
    if re.search(r"(?:ss|sh|ch|x|zz|[^aeiou]o)es$", verb):
        return verb[:-2]
    return verb[:-1] if re.search(r"[^su]s$", verb) and len(verb) > 3 else verb


def _ended(sentence: str) -> str:
    return sentence if sentence[-1] in ".?!" else f"{sentence}."
