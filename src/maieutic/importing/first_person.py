"""Sentences about a person as the person would say them, and what stands where a source says nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

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


UNTOLD: Mapping[str, Any] = {
    "person.name": "Unnamed",
    "person.gender": "not said",
    "person.culture": "not said",
    "person.work": "not said",
    "person.household": "not said",
    "problem": "[filled by rule] The source names no problem apart from the situations.",
    "severity": "moderate",
    "history": "[filled by rule] The source tells nothing of the life so far.",
    "style": "plain",
    "core_beliefs": [{"category": "helpless", "statement": "I can't do anything about it."}],
    "intermediate_beliefs": {"attitudes": [], "rules": [], "assumptions": []},
    "coping": ["[filled by rule] not said"],
    "goals": ["to understand what keeps going round", "to find a next step"],
    "risk": {"level": "none"},
    "risk.disclosure": "only_when_asked",
    "risk.disclosures": ["Yes. There are times when I think about not being alive any more."],
}
TOLD: Sequence[str] = ("There's this much.", "Since you ask.")
SPOKEN: Mapping[str, Sequence[str]] = {
    "thought": ("It's always the same with me.",),
    "happened": ("It was an ordinary day, with the same trouble as always.",),
    "behaviour": ("I did what I usually do.",),
    "remark": ("The bus was late again on the way here, so I walked the last bit.",),
    "background": ("There isn't much to tell about before.", "I've had a life like other people, on the whole."),
    "deflecting": (
        "I'd rather not go into that yet.",
        "I don't know where to begin with that.",
        "Can we leave that for now?",
    ),
    "resisting": (
        "That's easy to say from where you're sitting.",
        "People have told me that before, and it changed nothing.",
        "I don't see how that helps.",
    ),
    "warmed": (
        "Yes, that's how it is.",
        "It does me good to have that understood.",
        "Thank you, that's just about it.",
    ),
    "agreeing": ("Yes, you're probably right.", "I suppose so."),
    "not_knowing": ("I can't think of anything.", "I'd have to think about that one.", "Nothing comes to me just now."),
    "tangents": ("I had trouble finding the door downstairs.", "I must remember to buy bread on the way home."),
    "conceding": ("Well, that does count for something.", "I hadn't put those two together. It doesn't quite fit, no."),
    "unmoved": ("That's so, but it changes little.", "I hear it. It still looks the same to me."),
}


def _fact(
    name: str, fact: str, said: Sequence[str], topics: Sequence[str], asks: Sequence[str], guard: float
) -> dict[str, Any]:
    return {
        "id": name,
        "bearing": "for",
        "fact": fact,
        "said": list(said),
        "topics": list(topics),
        "asks": list(asks),
        "guard": guard,
        "weight": 0.5,
    }


FOR: Sequence[Mapping[str, Any]] = (
    _fact(
        "long-felt",
        "It has felt true for a long time.",
        ("It has felt that way for as long as I can think back.", "I've carried this around for years."),
        ("a long time", "years"),
        (
            "How long has it felt that way?",
            "What has it been like over the years?",
            "What makes it feel true after all this time?",
        ),
        0.2,
    ),
    _fact(
        "said-by-somebody",
        "Somebody once said as much.",
        ("Somebody said it to my face once.", "I've been told as much, in so many words."),
        ("what somebody said", "being told"),
        (
            "Who has said that to you?",
            "What were you told, and by whom?",
            "Where have you heard it from somebody else?",
        ),
        0.4,
    ),
)
AGAINST: Sequence[Mapping[str, Any]] = tuple(
    {**fact, "bearing": "against"}
    for fact in (
        _fact(
            "once-otherwise",
            "On one occasion it went otherwise than the thought says.",
            (
                "There was one time it went otherwise, now that I look for it.",
                "It hasn't been like that every time. Once it came out well.",
            ),
            ("one time", "occasion"),
            (
                "When did it go otherwise?",
                "On what occasion did it come out well?",
                "What about the times when it was different?",
            ),
            0.2,
        ),
        _fact(
            "seen-otherwise",
            "Somebody who knows the person sees it otherwise.",
            (
                "Somebody who knows me wouldn't put it like that.",
                "There's one person who sees me in another light, I think.",
            ),
            ("somebody who knows me", "another light"),
            (
                "How would somebody who knows you well put it?",
                "Who sees you in another light?",
                "What would the person closest to you say?",
            ),
            0.45,
        ),
        _fact(
            "had-a-share",
            "Circumstances that were in nobody's hands had a share in it.",
            (
                "Some of it was just how things fell, and nobody's doing.",
                "There was more to it than me. The circumstances were against it.",
            ),
            ("circumstances", "how things fell"),
            (
                "What share did the circumstances have?",
                "What else played a part in how things fell?",
                "Apart from you, what went into it?",
            ),
            0.6,
        ),
    )
)
