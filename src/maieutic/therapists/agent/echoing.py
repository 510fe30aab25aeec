"""What of a reply is given back before the question: a whole sentence or clause, or a feeling, true as it was said.

Four forms. A feeling that was told as one's own is said back by its word. Without first or second person a clause is
said again as it stands ("He fell asleep after ten minutes."). In the first person it is put to the patient only where
nothing but pronouns and "am" and "I was" have to change, and where it claims nothing ("You drove him, every Sunday.").
A claim is never said as if it were so: it stands in quotation marks, or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from maieutic.language.feelings import named_feelings
from maieutic.language.sentences import content_words, opened_large, sentences, words
from maieutic.therapists.agent.giving_back import read_back
from maieutic.therapists.agent.quoting import (
    CLAIMED,
    DOES,
    STARTS,
    TITLES,
    WHOLE,
    Phrase,
    claims,
    phrases,
    sets_scene,
    whole_sentences,
)
from maieutic.therapists.wording import TO_YOU, TOKEN

FITS: Final = 0.6
"""How likely readers find that a part of a reply fits where it is given back, from which it is."""
UNTRUE: Final = 0.06
"""How likely it would be untrue if it were said as so, from which it stands in quotation marks. What both thresholds
leave of wrong ones, by left-out case, is told by `python recipes/giving_back.py`."""
LONGEST_CLAIM: Final = 14
"""Words of what is quoted before a question."""
TELLING: Final = 3
"""Content words of a clause about a place, a thing or an hour from which it is given back."""
_SECOND: Final = frozenset(
    "you your yours yourself yourselves you're you've you'd you'll we us our ours we're we've we'd we'll".split()
)
_HEDGES: Final = frozenset(
    """think thought guess suppose mean hope wonder wondered believe reckon dunno know knew tell sorry maybe perhaps
    probably should could might ought must please thanks thank""".split()
)
"""Words with which a clause tells a reading, a wish or courtesy, and no fact."""
_REPORTS: Final = frozenset("said say says told tells asked asks goes went thinking".split())
_TELLS: Final = frozenset(
    """say said says saying think thought thinking goes went tell told tells ask asked asks me him her them was if
    that because""".split()
)
"""Words after which a part of a sentence is what somebody said or thought, or what may be."""
_BEFORE_WAS: Final = frozenset("it he she that there this which who everything nobody nothing everybody".split())
_OPENS_HALF: Final = frozenset(
    """if when where while because since until till though although unless whether than that which who whose whom as
    so then or nor like except besides instead not even just only either neither both what why how""".split()
)
_WHO: Final = frozenset("i they people we who children kids others".split())
_MARKS: Final = re.compile(r"[\"“”‘:;…?!()—–]|(?<!\w)'|'(?!\w)| - ")
_NUMBERED: Final = re.compile(r"\d")
_FELT: Final = tuple(
    """sad lonely miserable depressed hopeless unhappy anxious worried afraid scared fearful nervous tense frightened
    uneasy angry furious irritated annoyed resentful frustrated ashamed embarrassed humiliated mortified disappointed
    discouraged jealous envious guilty hurt rejected betrayed abandoned suspicious wary""".split()
)
"""Words for feelings that can stand after "you felt"."""
_ONLY_FELT: Final = frozenset("depressed tense guilty hurt rejected betrayed abandoned suspicious wary".split())
"""Of these, words that after "I was" may tell what happened, and no feeling."""
_TELLS_FELT: Final = re.compile(
    r"(?:^|\b(?:and|but|then|so)\s+)I (felt|was)"
    rf"(?: (?:so|just|very|quite|really|mostly|only|rather|a bit))* ({'|'.join(_FELT)})\b"
)
"""A feeling told as the speaker's own, not as what was wished, asked, or thought by somebody."""
_NOT_SO: Final = _REPORTS | frozenset(
    "thought told if when whenever would could as though like no nobody nothing none never".split()
)
"""Words in whose sentence a feeling may be another's, or none."""
_SPLICED: Final = re.compile(r", (?:i|i'm|i've|i'd|he|she|they|it|we)\b", re.I)
"""Two sentences with nothing but a comma between."""


@dataclass(frozen=True, slots=True)
class Echo:
    """What is given back.

    Attributes:
        text: Its words as they are said, with a full stop.
        of: The phrase it gives back.
        quoted: It stands in quotation marks.
    """

    text: str
    of: Phrase
    quoted: bool = False


def echo_of(phrase: Phrase, reply: str, *, quoted: bool = False) -> Echo | None:
    """The phrase of a reply as it is given back, or None where it cannot be without changing more than is sure.

    A claim is `quoted` in any case.
    """
    if _told_within(phrase.text, reply):
        return None
    clause = phrase.text.replace("’", "'").strip(" ,.")
    spoken = words(clause)
    if not spoken or len(spoken) > WHOLE or _MARKS.search(clause) or _NUMBERED.search(clause):
        return None
    if spoken[0] in _OPENS_HALF or _SECOND.intersection(spoken) or _SPLICED.search(clause):
        return None
    if spoken[-1] in _REPORTS or clause.rstrip(".").split()[-1] in TITLES:
        return None
    if not _opens_whole(clause, spoken):
        whole = clause in (one.strip(" .").replace("’", "'") for one in sentences(reply))
        quoted = len(spoken) <= LONGEST_CLAIM and whole and not _orders(spoken)
        return Echo(f"“{opened_large(clause)}.”", phrase, quoted=True) if quoted else None
    if spoken[:2] in (("i", "said"), ("i", "say")):
        return None
    if sets_scene(clause) and len(content_words(clause)) < TELLING:
        return None
    if quoted or claims(phrase) >= CLAIMED:
        return Echo(f"“{opened_large(clause)}.”", phrase, quoted=True) if len(spoken) <= LONGEST_CLAIM else None
    if _orders(spoken) or _HEDGES.intersection(spoken) or ("," in clause and _REPORTS.intersection(spoken)):
        return None
    turned = to_you(clause) if phrase.own else clause
    return Echo(f"{opened_large(turned)}.", phrase) if turned is not None else None


def told_back(parts: Iterable[Phrase], reply: str) -> Iterator[Echo]:
    """Of phrases of a reply those that can be given back and that readers would find worth it, the surest first."""
    ranked = sorted(((*read_back(one.text, reply), one) for one in parts), key=lambda ranked: -ranked[0])
    for fits, untrue, phrase in ranked:
        if fits >= FITS and (echo := echo_of(phrase, reply, quoted=untrue >= UNTRUE)) is not None:
            yield echo


def echoes(reply: str, turn: int = 1) -> Iterator[Echo]:
    """What of a reply can be given back and is worth it, clauses and whole sentences, the surest first."""
    return told_back((*phrases(reply, turn), *whole_sentences(reply, turn)), reply)


def said_as_so(reply: str) -> Iterator[str]:
    """What of a reply can be given back as it is, without quotation marks, the surest first."""
    return (echo.text for echo in echoes(reply) if not echo.quoted)


def _opens_whole(clause: str, spoken: tuple[str, ...]) -> bool:
    """It opens with its subject: the second half of a sentence often has none of its own ("put his bag down")."""
    first = clause.split()[0]
    named = first[:1].isupper() and spoken[1:2] and spoken[1] in DOES
    return spoken[0] in STARTS or bool(named)


def _told_within(part: str, text: str) -> bool:
    """The part is what somebody said or thought, told after "She said," and the like: by itself it says more."""
    before = words(text.partition(part)[0])
    return bool(before) and before[-1] in _TELLS


def felt_back(reply: str) -> str:
    """A feeling that the reply tells as the speaker's own, said back as it was told; empty where there is none, or more
    than one is told, whoever's they are: half of what was felt is worse than none."""
    if len({word for _, word, _ in named_feelings(reply)}) > 1:
        return ""
    for sentence in sentences(reply):
        told = _TELLS_FELT.search(sentence)
        if told is None or sentence.endswith("?") or _NOT_SO.intersection(words(sentence)):
            continue
        if told[1] == "felt" or told[2] not in _ONLY_FELT:
            return f"You felt {told[2]}."
    return ""


def _orders(spoken: tuple[str, ...]) -> bool:
    """A "don't" with nobody before it asks for something."""
    return any(word == "don't" and not _WHO.intersection(spoken[max(0, at - 2) : at]) for at, word in enumerate(spoken))


def to_you(clause: str) -> str | None:
    """A first-person clause put to the speaker, or None where more than pronouns would have to change."""
    spoken = words(clause)
    for place, word in enumerate(spoken):
        before = spoken[place - 1] if place else ""
        if word in ("am", "was", "wasn't") and before != "i" and (word == "am" or before not in _BEFORE_WAS):
            return None
        if word == "i" and ((before == "and" and "i" not in spoken[: place - 1]) or place == len(spoken) - 1):
            return None
    out: list[str] = []
    previous = ""
    for token in TOKEN.findall(clause):
        low = token.lower().replace("’", "'")
        if previous == "i" and low in ("am", "was", "wasn't"):
            token = {"am": "are", "was": "were", "wasn't": "weren't"}[low]
        out.append(TO_YOU.get(low, token))
        previous = low if low.strip() else previous
    return "".join(out)
