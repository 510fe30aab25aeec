"""What each sentence of a turn does to what the patient has just said, and which of the patient's sentences matters
most.

An encoder that was fine-tuned on turns in their moments reads a sentence with the whole turn around it and what the
patient had just said; a head reads the sentences of the patient. What is not surely read is told as what it may be
heard as, or as the family that it surely belongs to, or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np

from maieutic.language.questions import ends_as_question, joined, opens_with_verb, parted
from maieutic.language.sentences import content_words, opened_large, sentences, words
from maieutic.measures.material import Exchange
from maieutic.measures.moves import leads, questions_at_once
from maieutic.reading import moves
from maieutic.reading.bag import bag
from maieutic.reading.ear import Question
from maieutic.reading.encoder import bare_ids, marks
from maieutic.reading.encoder import load as load_encoder
from maieutic.reading.head import Floats, load
from maieutic.reading.minilm import shared_minilm

TURN_ENCODER: Final = Path(__file__).parent / "weights" / "turn_encoder.onnx"
"""`recipes/train_turn_encoder.py` makes it."""
HEARD, EARLIER, OWN, LATER = 70, 40, 70, 25
"""Tokens at most of what the patient said (its end), of the turn before the sentence (its end), of the sentence and of
the turn after it."""
WARMTH: Final = 1.0
"""What its log chances are divided by."""


@lru_cache(maxsize=4_000)
def sentence_chances(sentence: str, heard: str, earlier: str, later: str) -> dict[str, float]:
    """Chance of each kind of `practice.moves.KINDS`, and of a question for danger; together 1."""
    encoder = load_encoder(TURN_ENCODER)
    scores = encoder(*turn_ids(sentence, heard, earlier, later))[0].astype(np.float64) / WARMTH
    shares = np.exp(scores - scores.max())
    return dict(zip(encoder.facts["heads"]["kinds"], (shares / shares.sum()).tolist(), strict=True))


def turn_ids(sentence: str, heard: str, earlier: str, later: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Token ids and kinds (1: the sentence and its end mark, 0: all else)."""
    begin, end = marks()
    own = _ids(sentence)[:OWN]
    before = (begin, *_ids(heard)[-HEARD:], end, *_ids(earlier)[-EARLIER:], end)
    after = _ids(later)[:LATER]
    return (*before, *own, end, *after), (*_kinds(0, before), *_kinds(1, own), 1, *_kinds(0, after))


def _kinds(kind: int, ids: Sequence[int]) -> tuple[int, ...]:
    return (kind,) * len(ids)


def _ids(text: str) -> tuple[int, ...]:
    return bare_ids(text.replace("’", "'"))


WEIGHTS: Final = "practice/weights/moves.npz"
KINDS: Final[Mapping[str, str]] = {
    "simple_reflection": "simple reflection",
    "complex_reflection": "complex reflection",
    "summary": "summary",
    "empathy": "empathy",
    "minimising": "making it smaller",
    "reassurance": "reassurance",
    "arguing": "arguing with the thought",
    "interpreting": "interpretation told as a fact",
    "guess": "idea offered as a guess",
    "telling_off": "a reproach",
    "self_disclosure": "self-disclosure",
    "advice": "advice",
    "information": "information",
    "affirmation": "affirmation",
    "applause": "praise that names nothing",
    "repair": "a repair",
    "room": "leaving them free",
    "process": "a word about the talk itself",
    "other": "",
    "open_question": "open question",
    "closed_question": "closed question",
    "leading_question": "leading question",
}
"""What a sentence may do, by label, in the field's words; labels exclude each other."""
SAFETY: Final = "safety"
"""What a sentence does that asks about danger or brings help."""
TELLING: Final = "telling instead of asking"
FAMILIES: Final[Mapping[str, tuple[str, ...]]] = {
    "reflection": ("simple_reflection", "complex_reflection", "summary"),
    "comfort": ("minimising", "reassurance"),
    "praise": ("affirmation", "applause"),
    "pressing": ("arguing", "interpreting", "telling_off", "leading_question"),
    TELLING: (
        "minimising",
        "reassurance",
        "arguing",
        "interpreting",
        "telling_off",
        "advice",
        "information",
    ),
}
"""What can be told of a sentence when it is not sure which of these it is, the narrowest first."""
MAY_BE: Final = 0.5
"""Chance from which a question is told as open, or as leading where the measures count it so."""
AS_WELL: Final = 0.35
"""Chance from which something else may well be true of a sentence, too."""
REFLECTIVE: Final = (*FAMILIES["reflection"], "reflection")
COSTS: Final = (
    "telling_off",
    "interpreting",
    "minimising",
    "arguing",
    "advice",
    "comfort",
    "reassurance",
    "leading_question",
    TELLING,
    "self_disclosure",
    "information",
    "applause",
    "pressing",
)
"""Kinds of sentence that cost something in most moments, the dearest first."""
SOFT: Final = ("comfort", "reassurance", TELLING, "self_disclosure", "information", "applause")
"""Costs that are often kindly meant and mostly small: no other way is shown for them where the patient went on well."""
SHORT: Final = 6
NEAR: Final = 0.4
"""Cosine from which a statement is near to a sentence that the patient has just said."""
CLOSED: Final = 0.6
"""Chance from which a question is told as closed."""
DOUBTED: Final = 0.35
"""Chance of the family from which nothing kinder is said of a sentence either."""
TELLS: Final = 0.75
"""Chance of the family from which it is told that a sentence tells instead of asking."""
HALF: Final = 0.5
MOST: Final = 0.8
"""Shares of a sentence's words that the patient has just said."""
UNPRESSED: Final = 0.12
"""Chance that a sentence presses from which it is told neither as a repair nor as giving back."""
PUSHES: Final = 0.5
"""Chance of the family from which it is told that a sentence may be heard as pressing; out of fold two in three were
labelled so, and most others were near to it. A lower limit after a turn that pressed called kind remarks so."""
GIVES_BACK: Final = 0.65
"""Chance of the family from which a sentence is told as a reflection."""
PERHAPS: Final = 0.4
"""Chance of a kind from which it is named beside the family as what it perhaps is."""
NAMED: Final[Mapping[str, float]] = {
    "minimising": 0.5,
    "reassurance": 0.55,
    "arguing": 0.6,
    "interpreting": 0.8,
    "telling_off": 0.6,
    "advice": 0.65,
    "information": 0.7,
    "self_disclosure": 0.6,
    "guess": 0.5,
    "leading_question": 0.6,
    "empathy": 0.65,
    "affirmation": 0.7,
    "summary": 0.6,
    "repair": 0.8,
    "room": 0.6,
    "process": 0.7,
}
"""Chance from which a kind is told as such: where about nine of ten were right in a round of talks that had been left
out of the training. Which reflection it is was too seldom right to be named, a summary apart; empty praise
and closed questions have no limit of their own here."""
COMFORTS: Final = 0.6
"""Chance of the family from which a sentence is told as comfort."""
FRAGMENT: Final = 3
"""Words up to which a statement is too little to be called a fault."""
QUOTED: Final = 14
"""Words of a sentence that are quoted at most."""
HELD_AS_QUESTION: Final = ("advice", "guess", "interpreting", "leading_question")
"""What a question may do besides asking."""
TAUGHT: Final[Mapping[str, str]] = {
    "minimising": "it can leave somebody alone with what they feel",
    "comfort": "it is kind, and it can close what was just opened",
    "reassurance": "it is kind, and it can take a worry away before it has been looked at",
    "arguing": "a thought that is argued with is mostly defended",
    "interpreting": "it goes beyond what the patient has said",
    "telling_off": "it can be heard as blame",
    "advice": "the way out comes from you and not from them",
    "information": "it answers before they were asked what they know",
    "self_disclosure": "the talk turns to you for a moment",
    "applause": "they cannot tell what was good",
    "leading_question": "your own answer can be heard in it",
    TELLING: "it comes from you and not from them",
    "pressing": "it can sound like an argument, a reproach, or an answer put to them",
    "guess": "it leaves them free to say no",
    "repair": "what went wrong between you is said, and not left with them",
    "room": "it takes the pressure off",
}
"""What a kind of sentence does to a conversation, as the field teaches it, said beside its name."""
_COUNTS: Final = {2: "two questions at once", 3: "three questions at once"}


_TITLE: Final = re.compile(r"\b(Mrs|Mr|Ms|Dr|St|Prof|Rev)\.(?=\s)")


@lru_cache(maxsize=20_000)
def spoken(text: str) -> str:
    """The text without the point of a title, at which no sentence ends."""
    return _TITLE.sub(r"\1", text)


@lru_cache(maxsize=20_000)
def kinds(sentence: str, heard: str, turn: str = "") -> Mapping[str, float]:
    """Chance of each label of `KINDS`, and of each family, for a sentence of a turn said after what the patient has
    said."""
    earlier, found, later = turn.partition(sentence)
    around = (earlier.strip(), later.strip()) if found else ("", "")
    return with_families(sentence_chances(sentence, heard, *around))


def with_families(chances: Mapping[str, float]) -> Mapping[str, float]:
    """Chances of single kinds with those of the families."""
    single = {one: chances[one] for one in KINDS}
    return {**single, **{name: sum(single[one] for one in members) for name, members in FAMILIES.items()}}


def matter_row(at: int, said: tuple[str, ...], vocabulary: Mapping[str, int]) -> Floats:
    """What the head sees of one of the patient's sentences: itself beside the whole of what was said, its place in it,
    and its length."""
    vectors = shared_minilm()(list(said)).astype(np.float64)
    length = min(len(words(said[at])), 30) / 30
    place = (at / max(len(said) - 1, 1), float(at == len(said) - 1), 1 / len(said), length)
    return np.concatenate([2.0 * vectors[at], vectors.mean(axis=0), place, 2.0 * bag(said[at], vocabulary)])


@lru_cache(maxsize=20_000)
def matters(said: str) -> Mapping[str, float]:
    """For each sentence of a patient's turn, the chance that it carries what was meant, felt or believed."""
    head = load(WEIGHTS, "practice_matters")
    parts = sentences(spoken(said))
    return {one: head(matter_row(at, parts, head.places))["matters"] for at, one in enumerate(parts)}


@dataclass(frozen=True, slots=True)
class Part:
    """One sentence of a turn.

    Attributes:
        text: Its words.
        kind: A label of `KINDS`, or a family of `FAMILIES`.
        sure: Its reading is sure; else it may be heard as that.
        other: What else it may be heard as.
    """

    text: str
    kind: str
    sure: bool
    other: str | None = None

    @property
    def name(self) -> str:
        """In the field's words."""
        return "a question or a step for safety" if self.kind == SAFETY else KINDS.get(self.kind, self.kind)

    @property
    def told(self) -> str:
        """The name with its article, where it has one, and what else it perhaps is."""
        name = _one(self.name)
        return name if self.other is None else f"{name}, perhaps {_one(KINDS[self.other])}"


def _one(name: str) -> str:
    counts = name.endswith(("question", "reflection", "summary", "fact", "guess"))
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}" if counts else name


@lru_cache(maxsize=5_000)
def parts_of_turn(text: str, heard: str, earlier: str = "") -> tuple[Part, ...]:
    """What the sentences of a turn do, in order, as far as it can be told.

    Args:
        text: The turn.
        heard: What the patient has just said.
        earlier: What they said before that; their own words held up to them are no fault.
    """
    text, heard = spoken(text), spoken(heard)
    asked = {one.text: one for one in moves.questions(text)}
    found: list[Part] = []
    for sentence in sentences(text):
        chances = kinds(sentence, heard, text)
        own = [one for part, one in asked.items() if part in sentence]
        gives_back = chances["reflection"] >= GIVES_BACK and not ends_as_question(sentence)
        if own and not gives_back:
            found += _asked(sentence, own, chances)
        elif (
            chances["reflection"] >= _needed(sentence, heard)
            and max(chances[one] for one in (TELLING, "other", "room", "process", "repair")) < AS_WELL
            and not _speaks_of_self(sentence, heard)
        ):
            found.append(Part(sentence, "reflection", sure=True))
        else:
            part = statement_part(sentence, chances)
            if part is None or (part.kind in COSTS and is_theirs(sentence, f"{heard} {earlier}")):
                continue
            if part.kind in ("repair", "empathy", "room", "process") and len(words(sentence)) < FRAGMENT:
                continue
            takes_up = _takes_up(sentence, f"{heard} {earlier}") and not _speaks_of_self(sentence, heard)
            if part.kind not in REFLECTIVE or part.kind == "summary" or takes_up:
                found.append(part)
    return tuple(found)


def best_question(text: str, heard: str) -> str | None:
    """The question of a turn that is best kept: an open one before others, one for a thought or a feeling before those,
    the last of its like; None where none is free of advice and of its own answer."""
    text, heard = spoken(text), spoken(heard)
    asked = [one for one in moves.questions(text) if not (one.advising or one.leading)]
    rated = [
        ((one.open, one.open and moves.reaches_for(one.text) != "none", at), _first(sentence))
        for at, one in enumerate(asked)
        for sentence in sentences(text)
        if one.text in sentence
    ]
    if not rated:
        return None
    kept = max(rated)[1].strip(" \"'“”‘’")
    while kept.split(" ")[0].strip(",").lower() in _LED_IN and " " in kept:
        kept = kept.split(" ", 1)[1]
    return opened_large(kept)


def _first(sentence: str) -> str:
    """The first of the questions that a sentence joins."""
    parts = parted(sentence)
    return sentence if len(parts) == 1 else f"{parts[0].rstrip(' ,;.?!')}?"


_LED_IN: Final = frozenset("and but so okay ok well oh".split())


def _counted(count: int) -> str:
    return _COUNTS.get(count, f"{count} questions at once")


def short(text: str) -> str:
    """A sentence as it is quoted, cut where it is long."""
    told = text.strip(" \"'“”‘’").split()
    return " ".join(told).rstrip(".\"'”’") if len(told) <= QUOTED else f"{' '.join(told[:QUOTED])} …"


def is_theirs(sentence: str, heard: str) -> bool:
    """A fragment, or half of what it says the patient has just said: it gives back, whatever it sounds like."""
    own = content_words(sentence)
    return len(words(sentence)) <= FRAGMENT or 0 < len(own) <= 2 * len(own & content_words(heard))


def _speaks_of_self(sentence: str, heard: str) -> bool:
    """It is a word alone, or says "I" where the patient has not said just that: it gives nothing back."""
    own = words(sentence)
    return len(own) < 2 or ("i" in own and f" {' '.join(own)} " not in f" {' '.join(words(heard))} ")


def _needed(sentence: str, heard: str) -> float:
    """The chance that a reflection needs, the less the more of its words the patient has just said."""
    own = content_words(sentence)
    share = len(own & content_words(heard)) / len(own) if own else 0.0
    return AS_WELL if share >= MOST else GIVES_BACK if share >= HALF else 1.0


def _takes_up(sentence: str, heard: str) -> bool:
    """More than a third of its words are theirs, it is near to a sentence of theirs, or is too short for either."""
    own = content_words(sentence)
    if len(words(sentence)) <= SHORT or 3 * len(own & content_words(heard)) > len(own):
        return True
    vectors = shared_minilm()([sentence, *sentences(heard)])
    return len(vectors) > 1 and float((vectors[1:] @ vectors[0]).max()) >= NEAR


def _asked(sentence: str, own: list[Question], chances: Mapping[str, float]) -> list[Part]:
    """How a sentence asks, where measures and head agree, and what else it surely does by asking."""
    asking = [one for one in own if not one.advising]
    found = []
    echo = len(words(sentence)) < FRAGMENT or sentence[:1].islower()
    if any(one.open for one in asking):
        opens = chances["open_question"] >= max(MAY_BE, chances["closed_question"])
        found += [Part(sentence, "open_question", sure=True)] if opens and not echo else []
    elif asking and not echo and chances["closed_question"] >= CLOSED:
        found.append(Part(sentence, "closed_question", sure=True))
    best = max(HELD_AS_QUESTION, key=lambda kind: chances[kind])
    if not echo and chances[best] >= max(NAMED[best], chances["closed_question"]):
        found.append(Part(sentence, best, sure=True))
    elif any(one.leading for one in own) and chances["leading_question"] >= MAY_BE:
        found.append(Part(sentence, "leading_question", sure=True))
    elif not echo and chances["pressing"] >= PUSHES and chances["open_question"] < MAY_BE:
        found.append(Part(sentence, "pressing", sure=False))
    return found


def statement_part(sentence: str, chances: Mapping[str, float]) -> Part | None:
    """The narrowest name that is sure, else the family, else what it may be heard as."""
    best = max(KINDS, key=lambda kind: chances[kind])
    surely = chances[best] >= NAMED.get(best, 1.0)
    if best in FAMILIES[TELLING]:
        if surely:
            return Part(sentence, best, sure=True)
        if chances["comfort"] >= COMFORTS:
            return Part(sentence, "comfort", sure=True)
        if chances[TELLING] >= TELLS:
            return Part(sentence, TELLING, sure=True, other=best if chances[best] >= PERHAPS else None)
    if chances["pressing"] >= PUSHES:
        return Part(sentence, "pressing", sure=False)
    if best in FAMILIES[TELLING] or (best == "repair" and chances["pressing"] >= UNPRESSED):
        return None
    if best == "summary" and surely:
        return Part(sentence, best, sure=True)
    if chances["reflection"] >= GIVES_BACK and best in FAMILIES["reflection"] and chances["pressing"] < UNPRESSED:
        return Part(sentence, "reflection", sure=True, other="summary" if chances["summary"] >= PERHAPS else None)
    if surely:
        return Part(sentence, best, sure=True)
    praised = best in FAMILIES["praise"] and chances["praise"] >= NAMED["affirmation"]
    return Part(sentence, "praise", sure=True) if praised else None


def was(text: str, parts: Sequence[Part], once: bool | None, good: str = "", aim: str | None = None) -> tuple[str, ...]:
    """In sentences what a turn did: each kind once, with the words it rests on where the turn has others.

    Args:
        parts: What its sentences do.
        once: It asks one question; False: several; None: that cannot be told, or it asks none.
        good: What is praised in it; what was named there is not named again.
        aim: What its last question does, where that is known.
    """
    found: dict[str, str] = {}
    whole = len(sentences(spoken(text))) == 1
    led = {part.text for part in parts if part.kind == "leading_question" and part.sure}
    asked = ([one for one in sentences(spoken(text)) if ends_as_question(one)] or [*sentences(spoken(text))])[-1:]
    for part in parts:
        if (
            part.name in found
            or (part.sure and part.name in good)
            or (
                part.kind in ("open_question", "closed_question")
                and (part.text in led or (joined(part.text) > 1 and not once))
            )
        ):
            continue
        rests = "It" if whole else f"“{short(part.text)}”"
        cost = f": {TAUGHT[part.other or part.kind]}" if (part.other or part.kind) in TAUGHT else ""
        own = aim if part.text in asked else None
        cost = f"; it {own}" if own is not None and part.kind == "open_question" else cost
        if part.kind == "closed_question" and own is None and joined(part.text) > 1 and not opens_with_verb(part.text):
            continue
        if part.kind == "closed_question" and (own is not None or not opens_with_verb(part.text)):
            found[part.name] = f"{rests} {own or 'asks for one particular thing'}."
            continue
        how = "was" if whole and part.sure else "is" if part.sure else "may be heard as"
        found[part.name] = f"{rests} {how} {part.told}{cost}."
    priced = {part.text for part in parts if part.kind in COSTS}
    if aim is not None and asked and asked[0] not in priced and not any(aim in one for one in (good, *found.values())):
        found["aim"] = f"“{short(asked[0])}” {aim}."
    if once is False:
        found["several"] = "Several questions at once: it is hard to know which to answer."
    return tuple(found.values())


def did(exchange: Exchange) -> tuple[str, ...]:
    """Names of what a turn surely did: questions and their number as the measures count them, statements as their head
    reads them."""
    asked = [one for one in moves.questions(exchange.text) if not one.advising]
    names = ["open question"] if any(one.open for one in asked) else []
    names += ["closed question"] if any(not one.open for one in asked) else []
    parts = parts_of_turn(exchange.text, exchange.heard)
    names += [part.name for part in parts if part.sure and not part.kind.endswith("question")]
    names += ["leading question"] if leads(exchange.text) else []
    count = questions_at_once(exchange.text)
    names += [_counted(count)] if count > 1 else []
    return tuple(dict.fromkeys(names))
