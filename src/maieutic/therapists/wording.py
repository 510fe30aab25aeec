"""Words from the patient's own words: second-person clauses, handles to follow, feelings to name."""

from __future__ import annotations

import re
from collections.abc import Sequence

from maieutic.domain.episode import Session
from maieutic.language.feelings import LEXICON, disclosed_feelings
from maieutic.language.sentences import STOP_WORDS, sentences, words

_SWAP = {
    "i": "you", "i'm": "you're", "i've": "you've", "i'd": "you'd", "i'll": "you'll", "me": "you", "my": "your",
    "mine": "yours", "myself": "yourself", "am": "are", "was": "was", "we": "you", "us": "you", "our": "your",
    "ours": "yours", "you": "me", "your": "my",
}  # fmt: skip
_TOKEN = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)?|[^A-Za-z]+")
_MY = re.compile(
    r"\b(?:[Mm]y|[Oo]ur)\s+((?:(?:older|younger|little|big|old|best|new|eldest|late|next|first|own)\s+)?[a-z]{3,}(?:\s(?:in law|[A-Z][a-z]+))?)"
)
_NAME = re.compile(r"(?<![.!?…]\s)(?<!^)(?<![\"“'‘])\b((?:Mr|Mrs|Ms|Dr|Aunt|Uncle|Auntie)?\.?\s?[A-Z][a-z]{2,})\b")
_THE = re.compile(
    r"\b(?:the|that|this)\s+((?:[a-z]+\s)?(?:letter|call|phone call|meeting|dinner|lunch|party|message|text|email|visit|class|course|exam|choir|club|church|wedding|funeral|birthday|interview|review|report|neighbou?r|doctor|hospital|school|"
    r"shop|garden|workshop|trip|holiday|weekend|game|match|photo|song|rota|notebook|group|team|office|kitchen|train|bus|allotment|library|market|evening|morning|night|nurse|teacher|manager|boss|colleague|friend|student|baby|children|kids|boy|girl|woman|man))\b",
    re.I,
)
_NOT_NAMES = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december english yes okay well and but then what when god christmas easter".split()
)
_STARTERS = frozenset(
    "something somebody someone once everything everybody everyone nothing nobody half one two three four five six maybe perhaps honestly yesterday today tonight last these those part sometimes since another most put".split()
)
_NOT_HANDLES = frozenset(
    "mind head life thing way own self fault feelings thoughts time turn hands eyes heart stomach chest face voice place part ribs throat head back stuff question point".split()
)


def second_person(clause: str) -> str:
    """Turn a first-person clause into the second person ("my sister saw me" → "your sister saw you")."""
    out: list[str] = []
    previous = ""
    for token in _TOKEN.findall(clause):
        low = token.lower().replace("’", "'")
        swapped = _SWAP.get(low, token)
        if low == "was" and previous == "i":
            swapped = "were"
        elif low == "wasn't" and previous == "i":
            swapped = "weren't"
        elif low in ("you", "your") and token in ("You", "Your"):
            swapped = swapped.capitalize()
        out.append(swapped)
        if low.strip():
            previous = low
    return "".join(out)


def handles(texts: Sequence[str]) -> tuple[str, ...]:
    """People, places and events the patient has mentioned, in order of first mention, in the second person."""
    found: dict[str, None] = {}
    for text in texts:
        for sentence in sentences(text):
            spots: list[tuple[int, str]] = []
            for match in _MY.finditer(sentence):
                noun = match.group(1).strip()
                if noun.lower() not in STOP_WORDS | _NOT_HANDLES and not noun.lower().endswith("ing"):
                    spots.append((match.start(), f"your {noun}"))
            for match in _NAME.finditer(sentence):
                name = match.group(1).strip()
                if name.lower() not in _NOT_NAMES and match.start() > 0:
                    spots.append((match.start(), name))
            spots += [(m.start(), f"the {m.group(1).lower()}") for m in _THE.finditer(sentence)]
            for _, handle in sorted(spots):
                found.setdefault(handle, None)
    return tuple(found)


def named_feeling(session: Session) -> str | None:
    """The feeling word the patient used last about themselves, or None."""
    for turn in reversed(session.by("patient")):
        groups = disclosed_feelings(turn.text)
        if groups:
            tokens = set(words(turn.text))
            for group in sorted(groups):
                for word in LEXICON[group]:
                    if word in tokens:
                        return word
    return None


def key_clause(text: str, *, longest: int = 18) -> str | None:
    """The most telling short clause of an utterance, in the second person, or None."""
    best: tuple[float, str] | None = None
    for sentence in sentences(text):
        if sentence.endswith("?"):
            continue
        for clause in re.split(r"[;:—–]| - |, (?:and|but|so|because|which|who|when|while|as) |\. ", sentence):
            tokens = words(clause)
            if {"you", "your", "you're"} & set(tokens):
                continue
            if not 4 <= len(tokens) <= longest or _NO_TELLING.match(clause.strip()):
                continue
            matter = sum(token not in STOP_WORDS for token in tokens)
            own = any(token in ("i", "i'm", "i've", "i'd", "me", "my") for token in tokens)
            score = matter + (2.0 if own else 0.0) - 0.1 * len(tokens)
            if best is None or score > best[0]:
                best = (score, clause.strip(" ,.!\"'“”"))
    if best is None:
        return None
    clause = re.sub(r"^(?:and|but|so|well|because|then|or)\s+", "", second_person(best[1]), flags=re.I)
    return _inside(clause)


def retelling(text: str, *, longest: int = 16) -> str | None:
    """The most telling sentence of an utterance, or its beginning, with its neighbours where they fit, in the second person.

    For summaries: the one most telling clause of `key_clause` may leave out what the patient would know it by. At most
    `longest` words; None where nothing can be retold.
    """
    found: dict[int, tuple[float, str]] = {}
    for place, sentence in enumerate(sentences(_TITLE.sub(r"\1", text))):
        begun = _begun(_FILLER.sub("", sentence.strip(" \"'“”")).strip(" .!…\"'“”"), longest)
        if sentence.endswith("?") or not _can_be_retold(begun):
            continue
        matter = sum(token not in STOP_WORDS for token in words(begun))
        found[place] = matter + len(_NAME.findall(begun)), begun
    if not found:
        return key_clause(text, longest=longest)
    best = max(found, key=lambda place: found[place][0])
    kept, room = [best], longest - len(words(found[best][1]))
    for place in sorted(found, key=lambda place: abs(place - best)):
        length = len(words(found[place][1]))
        if any(abs(place - other) == 1 for other in kept) and place not in kept and length <= room:
            kept, room = sorted([*kept, place]), room - length
    return second_person(", and ".join(_inside(found[place][1]) for place in kept))


def _can_be_retold(sentence: str) -> bool:
    tokens = words(sentence)
    return (
        len(tokens) >= 4
        and not {"you", "your", "you're"} & set(tokens)
        and not _NO_TELLING.match(sentence)
        and not _ABOUT_TALK.search(sentence)
    )


def _begun(sentence: str, longest: int) -> str:
    """A sentence, or as many of its first parts between commas as fit; asides are left out."""
    kept: list[str] = []
    for part in re.split(r"[,;:—–]\s+", sentence):
        if _ASIDE.fullmatch(part.strip()):
            continue
        if len(words(", ".join([*kept, part]))) > longest:
            break
        kept.append(part.strip())
    return ", ".join(kept)


def _inside(clause: str) -> str:
    """A clause as it stands inside a sentence: its first word small, unless it may be a name."""
    first = re.split(r"[ '’]", clause, maxsplit=1)[0]
    return clause[:1].lower() + clause[1:] if first.lower() in STOP_WORDS | _STARTERS else clause


_TITLE = re.compile(r"\b(Dr|Mr|Mrs|Ms|St)\.(?=\s)")
_FILLER = re.compile(r"^(?:(?:and|but|so|well|because|then|or|hm|oh|look|now|no|yes|right|okay)\b[,.]?\s+)+", re.I)
_ASIDE = re.compile(
    r"(?:i grant you|if i'm (?:truthful|honest)|to be honest|i must say|i suppose|matter of fact|mind you|as i say|you see|you know|i mean"
    r"|if i have to|honestly|funnily enough|let me think|i think|i'd say)",
    re.I,
)
_ABOUT_TALK = re.compile(
    r"\b(?:where do i start|the way it went|long story|speaking of which|what's the use|let me think|going over it|queer thing is|stupid thing is)\b",
    re.I,
)
_NO_TELLING = re.compile(
    r"(?:and |but |so )?(?:please|don't|do not|let's|let me|if i (?:have|had) to|ask|tell|look|listen|wait|stop)\b",
    re.I,
)
"""Clauses that ask for something or talk about the talk: giving them back says nothing about the patient."""


def sounds_guarded(text: str) -> bool:
    """A short, vague or dismissive answer that tells little."""
    tokens = words(text)
    vague = re.search(
        r"\b(?:i don't know|don't know|not sure|no idea|it's just|it is what it is|rather not|don't want to|what's the (?:use|point)|leave it|nothing (?:really|much)|does it matter|if you say so|hard to say|hard one|couldn't (?:tell|say)|can't (?:think|say)|never thought|nothing (?:is |'s )?(?:coming|comes)|no answer|have to (?:think|go away)|draw(?:ing)? a blank)\b",
        text,
        re.I,
    )
    return len(tokens) < 9 or (vague is not None and len(tokens) < 30)
