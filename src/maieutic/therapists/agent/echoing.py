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

from maieutic.language.feelings import PLAIN, disclosed_feelings, named_feelings
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
    trimmed,
    whole_sentences,
)
from maieutic.therapists.hearing import held_in
from maieutic.therapists.wording import TO_YOU, TOKEN, about_the_talk
from maieutic.tracking.feelings import ADJECTIVES

FITS: Final = 0.6
"""How likely readers find that a part of a reply fits where it is given back, from which it is."""
UNTRUE: Final = 0.06
"""How likely it would be untrue if it were said as so, from which it stands in quotation marks. What both thresholds
leave of wrong ones, by left-out case, is told by `python recipes/giving_back.py`."""
LAST_WORDS: Final = (2, 12)
"""Words of a last sentence that is given back by itself, least and most."""
TELLS_LITTLE: Final = 0.4
"""P(it tells hardly anything) from which it is not."""
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
    that because though""".split()
)
"""Words after which a part of a sentence is what somebody said or thought, or what may be."""
_SEEMS: Final = frozenset("feel feels felt feeling".split())
"""Words before "like" that tell a thought, and no likeness."""
_BEFORE_WAS: Final = frozenset("it he she that there this which who everything nobody nothing everybody".split())
_OPENS_HALF: Final = frozenset(
    """if when where while because since until till though although unless whether than that which who whose whom as
    so then or nor like except besides instead not even just only either neither both what why how""".split()
)
_WHO: Final = frozenset("i you they people we who children kids others".split())
_MARKS: Final = re.compile(r"[\"“”‘:;…?!()—–]|(?<!\w)'|'(?!\w)| - ")
_NUMBERED: Final = re.compile(r"\d")
_NOT_SO: Final = _REPORTS | frozenset(
    "thought told if when whenever would could as though like no nobody nothing none never".split()
)
"""Words in whose sentence a feeling may be another's, or none."""
MAX_FELT: Final = 3
"""Feelings that are said back at once."""
_OTHERS_TOO: Final = frozenset("he he's she she's they they're his her their".split())
_SPEAKS: Final = frozenset("i i'm i've i'd".split())
_OWNED: Final = frozenset("my our his her their".split())
_IS: Final = frozenset("was were is are got looked sounded seemed felt".split())
_IT: Final = frozenset("it it's that that's there what".split())
_ONLY_FELT: Final = frozenset("depressed tense hurt rejected betrayed abandoned suspicious wary".split())
"""Words that say what happened, and no feeling, where they don't stand after "felt"."""
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


def given_back(reply: str, turn: int = 1) -> Iterator[Echo]:
    """What of a reply is given back, best first: its last sentence where that is short (there the point mostly lies),
    then what readers would find worth it. In quotation marks where it cannot be said as so."""
    last = _last_sentence(reply, turn)
    if last is not None:
        yield last
    parts = (*phrases(reply, turn), *whole_sentences(reply, turn))
    ranked = sorted(((*read_back(one.text, reply), one) for one in parts), key=lambda ranked: -ranked[0])
    for fits, untrue, phrase in ranked:
        if fits < FITS:
            return
        echo = echo_of(phrase, reply, quoted=untrue >= UNTRUE) or _quoted(phrase)
        if echo is not None:
            yield echo


def _last_sentence(reply: str, turn: int) -> Echo | None:
    """The last sentence by itself, where it is short, tells something and asks nothing."""
    parts = sentences(reply)
    text = parts[-1] if parts else ""
    bare = next(trimmed(text.strip(" .!…\"'“”")), "")
    if text.endswith("?") or not LAST_WORDS[0] <= len(words(bare)) <= LAST_WORDS[1] or len(content_words(bare)) < 2:
        return None
    holds = held_in(text)
    if about_the_talk(text) or holds["little"] >= TELLS_LITTLE or len(named_feelings(text)):
        return None
    phrase = Phrase(bare, holds, turn, 0.0)
    untrue = read_back(bare, reply)[1] >= UNTRUE
    return (None if untrue else echo_of(phrase, reply)) or _quoted(phrase)


def _quoted(phrase: Phrase) -> Echo | None:
    """A phrase in quotation marks, where it can stand so by itself."""
    clause = phrase.text.replace("’", "'").strip(" ,.")
    spoken = words(clause)
    if len(spoken) > LONGEST_CLAIM or _MARKS.search(clause) or _orders(spoken) or spoken[0] in _OPENS_HALF:
        return None
    if spoken[-1] in _REPORTS or spoken[0] in DOES or clause.split()[-1] in TITLES:
        return None
    return Echo(f"“{opened_large(clause)}.”", phrase, quoted=True)


def _opens_whole(clause: str, spoken: tuple[str, ...]) -> bool:
    """It opens with its subject: the second half of a sentence often has none of its own ("put his bag down")."""
    first = clause.split()[0]
    named = first[:1].isupper() and spoken[1:2] and spoken[1] in DOES
    return spoken[0] in STARTS or bool(named)


def _told_within(part: str, text: str) -> bool:
    """The part is what somebody said or thought, told after "She said," and the like, or what something was like: by
    itself it says more."""
    led = text.partition(part)[0].rstrip()
    before = words(led)
    if led.lower().endswith("like"):
        return not _SEEMS.intersection(before[-2:-1])
    return bool(before) and before[-1] in _TELLS


def felt_back(reply: str) -> str:
    """The feelings that the reply tells as the speaker's own, said back by a word for each kind, in order.

    Empty where one of them may be another's, denied, or none.
    """
    groups = disclosed_feelings(reply)
    told = [
        (group, word, group not in groups or _may_not_be_felt(word, before, sentence))
        for sentence in sentences(reply)
        for group, word, before in named_feelings(sentence)
        if word in PLAIN
    ]
    if any(may_not for *_, may_not in told):
        return ""
    first = {group: ADJECTIVES.get(word, word) for group, word, _ in reversed(told)}
    felt = list(reversed(first.values()))
    if not felt or len(felt) > MAX_FELT:
        return ""
    if len(felt) == 1:
        return f"You felt {felt[0]}."
    return f"{opened_large(', '.join(felt[:-1]))}, and {felt[-1]}."


def _may_not_be_felt(word: str, before: tuple[str, ...], sentence: str) -> bool:
    """It is asked, denied, told of somebody else or of what might be, or is a manner of speaking."""
    spoken = words(sentence)
    others = _OTHERS_TOO.intersection(spoken) and not _SPEAKS.intersection(spoken)
    others = others or _is_anothers(before)
    if sentence.endswith("?") or others or _NOT_SO.intersection(spoken) or any(one.endswith("n't") for one in spoken):
        return True
    return "not" in before or (word in _ONLY_FELT and "felt" not in before) or before[-1:] == ("i'm",)


def _is_anothers(before: tuple[str, ...]) -> bool:
    """Since the speaker was last named before it, somebody or something of theirs was: "my wife was" angry."""
    spoke = max((place for place, word in enumerate(before) if word in _SPEAKS), default=-1)
    since = set(before[spoke + 1 :])
    if since & _OWNED:
        return spoke < 0 or bool(since & _IS)
    return spoke < 0 and bool(since & _IS) and not since & _IT


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
