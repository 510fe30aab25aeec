"""What is read of a turn as a whole: what it asks for, by a head, and whether it asks one question or several; what
it may do to the patient though no sentence of it is surely named so, what it does for safety, and the question about
a sentence of which no reading is sure; what an answer can be about, and whether a next step would only ask it again.

A rewording, an echo with the question that it leads to, and a choice of two answers are one question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import combinations, pairwise
from typing import Final

import numpy as np

from maieutic.domain.appraisal import QuestionForm
from maieutic.domain.state import Act
from maieutic.language.feelings import named_feelings
from maieutic.language.questions import ends_as_question, opens_with_verb, parted
from maieutic.language.sentences import content_words, sentences, words
from maieutic.measures.moves import leads
from maieutic.practice import steps
from maieutic.practice.moves import (
    COSTS,
    DOUBTED,
    FAMILIES,
    HALF,
    KINDS,
    SAFETY,
    TELLING,
    WEIGHTS,
    is_theirs,
    kinds,
    parts_of_turn,
    short,
    spoken,
)
from maieutic.reading import moves
from maieutic.reading.bag import bag
from maieutic.reading.head import Floats, load
from maieutic.reading.minilm import shared_minilm
from maieutic.reading.moves import questions


class About(StrEnum):
    """What an answer is about, as the record knows it."""

    EVENT = "event"
    LIFE = "life"
    FEELING = "feeling"
    BELIEF = "belief"
    VIEW = "view"
    WISH = "wish"


_F = QuestionForm
OF_FORM: Final[Mapping[QuestionForm, About]] = {
    **dict.fromkeys((_F.WHO, _F.WHAT, _F.WHEN, _F.WHERE, _F.HOW_MANY, _F.YES_NO, _F.SEQUENCE), About.EVENT),
    **dict.fromkeys((_F.SAID, _F.DESCRIBE, _F.NOW), About.EVENT),
    **dict.fromkeys((_F.FEELING, _F.BODY), About.FEELING),
    **dict.fromkeys((_F.THOUGHT, _F.MEANING, _F.ORIGIN, _F.HOW_COME, _F.WORST, _F.LIKELY), About.BELIEF),
    **dict.fromkeys((_F.SUPPORT, _F.HOW_KNOW, _F.SCALE), About.BELIEF),
    **dict.fromkeys((_F.OTHER_VIEW, _F.DOUBLE_STANDARD, _F.ALTERNATIVE, _F.BEST, _F.COST_BENEFIT), About.VIEW),
    **dict.fromkeys((_F.SCALE_REST, _F.COMPARE, _F.AGAINST), About.VIEW),
    **dict.fromkeys((_F.GOAL, _F.PLAN), About.WISH),
}
OF_ACT: Final[Mapping[Act, About]] = {
    Act.DETAIL: About.EVENT,
    Act.BACKGROUND: About.LIFE,
    Act.FEELING: About.FEELING,
    Act.THOUGHT: About.BELIEF,
    Act.GAP: About.BELIEF,
    Act.GOAL: About.WISH,
}


@dataclass(frozen=True, slots=True)
class Danger:
    """What has been said of danger in a conversation before a turn.

    Attributes:
        raised: The patient told of it or hinted at it, or the therapist asked.
        unasked: The patient hinted at it, and nobody has asked about it since.
        asked: What was asked more closely since it was raised (`patients.risk_talk`).
        ago: Turns since it was last told of or asked about.
    """

    raised: bool = False
    unasked: bool = False
    asked: frozenset[str] = frozenset()
    ago: int = 0


TOLD: Final[Mapping[str, tuple[str, float]]] = {
    "feeling": ("asks for the feeling", 0.7),
    "thought": ("asks for the thought", 0.6),
    "meaning": ("asks what it means to them", 0.7),
    "grounds": ("asks what they go by", 0.6),
    "against": ("asks for what does not fit the thought", 0.6),
    "other_view": ("asks how somebody else would see it", 0.6),
    "double_standard": ("asks how they would judge it in somebody else", 0.8),
    "alternative": ("asks for another way to see it", 0.7),
    "belief": ("asks how firmly they believe it", 0.45),
    "prediction": ("asks what they expect would happen", 0.62),
    "weigh": ("has them set things side by side", 0.72),
    "worth": ("asks what it gives them and what it costs", 0.8),
    "view": ("asks what they make of it", 0.6),
    "clarify": ("asks what they mean", 0.9),
    "origin": ("asks where it comes from", 0.9),
    "wish": ("asks what they want", 0.8),
    "plan": ("asks for a step, or for what may get in its way", 0.6),
    "check": ("asks whether you have understood them", 0.65),
    "leave": ("lets them say where to go, or whether", 0.6),
    "here": ("asks how it is for them to talk here", 0.4),
    "take_away": ("asks what they take from the talk", 0.4),
}
"""By what a turn may ask for: how that is told, and the chance from which it is."""
UNTOLD: Final = ("rating", "moment", "detail", "go_on", "safety", "urge", "several", "none")
"""What else it may ask for, or be."""
HEARD_TOO: Final[Mapping[QuestionForm, tuple[str, float]]] = {
    _F.FEELING: ("feeling", 0.5),
    _F.BODY: ("feeling", 0.5),
    _F.MEANING: ("meaning", 0.25),
    _F.SUPPORT: ("grounds", 0.25),
    _F.HOW_KNOW: ("grounds", 0.25),
    _F.AGAINST: ("against", 0.4),
    _F.OTHER_VIEW: ("other_view", 0.4),
    _F.DOUBLE_STANDARD: ("double_standard", 0.3),
    _F.ALTERNATIVE: ("alternative", 0.15),
    _F.COMPARE: ("weigh", 0.5),
    _F.COST_BENEFIT: ("worth", 0.25),
}
"""By the form of question that the patient heard: what it asks for, and the chance from which that is told."""
TELL_ON: Final = frozenset({"moment", "go_on", "none", "leave", "urge"})
"""What is asked for by turns to which a piece of the tale is an answer."""


def asks_row(text: str, vocabulary: Mapping[str, int]) -> Floats:
    """What the head sees of a turn: its last question, all of them, and what other readers make of the last."""
    asked = [one for one in sentences(text) if ends_as_question(one)] or list(sentences(text)[-1:]) or [text]
    vectors = shared_minilm()(asked).astype(np.float64)
    marks = moves.chances(asked[-1])
    plain = (len(words(text)) / 40, len(asked) / 3, len(words(asked[-1])) / 20, float(ends_as_question(asked[-1])))
    read = [marks[one] for one in sorted(marks)]
    return np.concatenate([2.0 * vectors[-1], vectors.mean(axis=0), read, plain, 2.0 * bag(asked[-1], vocabulary)])


@lru_cache(maxsize=5_000)
def _asks(text: str) -> Mapping[str, float]:
    head = load(WEIGHTS, "practice_asks")
    return head(asks_row(text, head.places))


def asked_for(text: str, least: float = 0.0) -> str | None:
    """What a turn most likely asks for, of `TOLD` or `UNTOLD`; None where its chance is less."""
    best, chance = max(_asks(text).items(), key=lambda one: one[1])
    return best if chance >= least else None


def aim_of(text: str, form: QuestionForm | None) -> str | None:
    """What a turn asks for, as it is told; None where that is not sure.

    Args:
        text: The turn.
        form: The form of question that the patient's ear heard in it.
    """
    best, chance = max(_asks(text).items(), key=lambda one: one[1])
    if best in TOLD and chance >= TOLD[best][1]:
        return TOLD[best][0]
    heard, least = HEARD_TOO.get(form, ("", 1.0)) if form is not None else ("", 1.0)
    return TOLD[heard][0] if heard and _asks(text)[heard] >= least else None


ASKED: Final[Mapping[str, tuple[str, ...]]] = {
    steps.VIEW: ("What do you make of that yourself?",),
    steps.HARDEST: ("What weighs most in that?", "Which of them weighs more?"),
    steps.OWN_WORDS: ("How would you put it in your own words?",),
    steps.GO_ON: ("Where would you like to go on?", "What would you rather talk about?"),
    steps.TOOK: ("What did that mean to you?",),
    steps.STAY: ("What does that mean to you?",),
    steps.MOMENT: ("What was that moment like for you?", "How was that for you?"),
    steps.LIFE: ("What did you learn from that?",),
    steps.INNER: ("When is that feeling stronger, and when weaker?",),
    steps.BEHIND: ("What thought goes with that feeling?",),
    steps.CARRY: ("What makes you think so?", "How do you know?"),
    steps.STRONGEST: ("What speaks for it?", "What is the evidence for that thought?"),
    steps.CLOSER: ("How firmly do you believe that, from 0 to 100?",),
    steps.FEELING: ("What did you feel at that moment?",),
    steps.THOUGHT: ("What went through your mind at that moment?",),
    steps.WISHED: ("How would you notice that you are getting there?",),
    steps.HELP: ("What would help you now?",),
    steps.CHOOSE: ("Where would you like to go on?", "What would you rather talk about?"),
    steps.AFTER[Act.NO_MORE]: ("Where would you like to go on?", "What would you rather talk about?"),
}
"""By kind of step, wordings of the question that it would have the trainee ask."""
SAME: Final = 0.62
"""Cosine from which a question of the turn is taken for the question of a step."""
OF_BELIEF: Final = (
    "How firmly do you believe that, from 0 to 100?",
    "How sure are you of that thought now?",
    "How true does that feel as you sit here?",
    "How sure are you now?",
    "Where is that number now?",
)
OF_ELSE: Final = (
    "How strong is that feeling now, from 0 to 100?",
    "How much of that feeling is here with you now?",
    "How anxious are you?",
    "How likely is it that you will do it?",
)
BELIEVED: Final = 0.5
"""Cosine from which a question for a number is taken for one about the belief."""


@lru_cache(maxsize=2_000)
def _near(text: str, wordings: tuple[str, ...]) -> float:
    asked = [one.text for one in questions(text)]
    if not asked:
        return 0.0
    vectors = shared_minilm()([*asked, *wordings])
    return float((vectors[: len(asked)] @ vectors[len(asked) :].T).max())


def asks_again(kind: str, text: str) -> bool:
    """A step of this kind would ask what the turn has just asked."""
    return kind in ASKED and _near(text, ASKED[kind]) >= SAME


def of_the_belief(text: str) -> bool:
    """A turn that got a number surely asked how firmly something is believed."""
    belief = _near(text, OF_BELIEF)
    return belief >= BELIEVED and belief > _near(text, OF_ELSE) and not _feels(text)


def of_something_else(text: str) -> bool:
    """A turn that got a number more likely asked for another one."""
    return _feels(text) or (_near(text, OF_ELSE) >= max(BELIEVED, _near(text, OF_BELIEF)))


def _feels(text: str) -> bool:
    return any(named_feelings(one.text) for one in questions(text))


SEVERAL: Final = 0.7
"""Chance from which a turn is told to ask several questions; about nine of ten were right out of fold."""
PERHAPS: Final = 0.6
"""Chance from which it is told that a turn may ask several; about half do."""
ONE: Final = 0.3
"""Chance up to which a turn that joins or follows up questions is taken to ask one."""
ECHO: Final = 4
"""Words up to which a question can be an echo of what was just said."""
MIN_SEVERAL: Final = 3
"""Questions of `ECHO` words or more from which a turn is told to ask several; 34 of 37 did."""


def pieces(text: str) -> tuple[str, ...]:
    """The questions of a turn, those that one sentence joins apart, before it is known which belong together."""
    text = spoken(text)
    asking = [one.text for one in moves.questions(text) if not one.advising]
    return tuple(piece for one in _asking(text, asking) for piece in parted(one))


def _asking(text: str, asked: list[str]) -> list[str]:
    return [one for one in sentences(text) if ends_as_question(one) or any(part in one for part in asked)]


def several_row(text: str, heard: str) -> Floats:
    """What the head sees of a turn with two questions or more: how many, how long, how alike, which echo or offer."""
    text, heard = spoken(text), spoken(heard)
    every = moves.questions(text)
    asking = [one for one in every if not one.advising]
    own = _asking(text, [one.text for one in asking])
    parts = [piece for one in own for piece in parted(one)]
    lengths = sorted(len(words(one)) for one in parts)
    near = shared_minilm()(parts).astype(np.float64)
    cosines = [float(near[a] @ near[b]) for a, b in combinations(range(len(parts)), 2)]
    running = [float(near[at] @ near[at + 1]) for at in range(len(parts) - 1)]
    known = content_words(heard)
    bare = [content_words(one) for one in parts]
    shared = [len(one & two) / max(1, min(len(one), len(two))) for one, two in pairwise(bare)]
    return np.array(
        [
            len(asking),
            len(every) - len(asking),
            len(own),
            len(parts),
            len(parts) > 2,
            len(asking) > 2,
            len(own) > 2,
            lengths[0] / 10,
            lengths[-1] / 20,
            sum(length >= ECHO for length in lengths),
            min(cosines),
            max(cosines),
            float(np.mean(cosines)),
            max(running),
            sum(len(words(one)) <= ECHO and own <= known for one, own in zip(parts, bare, strict=True)),
            float(np.mean(shared)),
            any(one.lower().startswith("or ") for one in parts[1:]),
            any(" or " in one for one in parts),
            sum(one.open for one in asking),
            sum(not one.open for one in asking),
            any(one.leading for one in asking),
            len(words(text)) / 50,
            any(opens_with_verb(one) for one in parts[1:]),
            sum(opens_with_verb(one) for one in parts),
        ],
        dtype=np.float64,
    )


@lru_cache(maxsize=20_000)
def asks_once(text: str, heard: str) -> bool | None:
    """A turn asks one question; False: several; None: that cannot be told, or it asks none."""
    if not any(not one.advising for one in moves.questions(spoken(text))):
        return None
    parts = pieces(text)
    if len(parts) < 2:
        return True
    if sum(len(words(one)) >= ECHO for one in parts) >= MIN_SEVERAL:
        return False
    chance = _chance(text, heard)
    return False if chance >= SEVERAL else True if chance <= ONE else None


def may_ask_several(text: str, heard: str) -> bool:
    """It more likely than not asks several questions, and that is not sure enough to say so."""
    return asks_once(text, heard) is None and len(pieces(text)) > 1 and _chance(text, heard) >= PERHAPS


@lru_cache(maxsize=20_000)
def _chance(text: str, heard: str) -> float:
    return load(WEIGHTS, "practice_several")(several_row(text, heard))["several"]


SAFE: Final = 0.6
"""Chance from which a sentence is one that asks about danger or brings help; more must speak for it to be credited."""
SAFE_IN_DANGER: Final = 0.5
"""The same while danger is the subject."""
PERHAPS_SAFE: Final = 0.1
"""Chance below which a question is no closer one about danger."""
PRESSED: Final = 0.6
"""Chance of a fault from which a turn counts as one that surely pressed."""
PRESSES: Final[tuple[float, float]] = (0.25, 0.05)
"""Chance of a fault from which nothing is praised in a turn, where none before surely pressed and where one did. In
talks that nothing had been fitted on, 16 of 411 turns below the first had one, and 7 of 113 below the second."""
FAULTS: Final = (*FAMILIES["pressing"], "minimising")
"""What counts as pressing here."""
SHARP: Final = 0.15
"""Chance of a reproach from which a question is not praised."""


def doubtful(text: str, heard: str, earlier: str = "") -> bool:
    """A statement is as likely as not to tell instead of asking, and is not surely read."""
    text, heard = spoken(text), spoken(heard)
    read = {part.text for part in parts_of_turn(text, heard, earlier)}
    return any(
        kinds(one, heard, text)[TELLING] >= DOUBTED
        for one in sentences(text)
        if one not in read and not ends_as_question(one) and not is_theirs(one, f"{heard} {earlier}")
    )


def pressing(text: str, heard: str, least: float) -> tuple[str, ...]:
    """The sentences of the turn that may argue, blame, interpret, lead or make something smaller."""
    text, heard = spoken(text), spoken(heard)
    return tuple(one for one in sentences(text) if sum(kinds(one, heard, text)[kind] for kind in FAULTS) >= least)


def safety_row(sentence: str, vocabulary: Mapping[str, int]) -> Floats:
    """What the head sees of a sentence that may ask about danger or bring help."""
    vector = shared_minilm()([sentence]).astype(np.float64)[0]
    return np.concatenate([2.0 * vector, 2.0 * bag(sentence, vocabulary)])


@lru_cache(maxsize=20_000)
def _safety(sentence: str) -> float:
    head = load(WEIGHTS, "practice_safety")
    return head(safety_row(sentence, head.places))[SAFETY]


def safe_sentences(text: str, least: float = SAFE) -> tuple[str, ...]:
    """The sentences of a turn that ask about danger or bring help in it."""
    return tuple(one for one in sentences(spoken(text)) if _safety(one) >= least)


def surely_pressed(text: str, heard: str) -> bool:
    """A sentence of the turn surely pressed, and is no question about danger or help in it that leaves the answer
    open."""
    safe = safe_sentences(text)
    return any(one not in safe or leads(one) for one in pressing(text, heard, PRESSED))


def without_courtesies(text: str, heard: str) -> str:
    """The turn without questions that are about the talk itself or leave the patient free, if something is left."""
    own = sentences(spoken(text))
    kept = [
        one
        for one in own
        if not ends_as_question(one)
        or kinds(one, spoken(heard), spoken(text))["process"] + kinds(one, spoken(heard), spoken(text))["room"] < HALF
    ]
    return " ".join(kept) if kept and len(kept) < len(own) else text


def asks_sharply(text: str, heard: str) -> bool:
    """A question of the turn may be a reproach."""
    text, heard = spoken(text), spoken(heard)
    return any(kinds(one, heard, text)["telling_off"] >= SHARP for one in sentences(text) if ends_as_question(one))


ASKED_OF: Final = 0.7
"""Share of the costly kinds from which a sentence is asked about."""
AFTER_IT: Final = 0.5
"""The same where the patient turned away right after it."""


@lru_cache(maxsize=5_000)
def asked_of(text: str, heard: str, earlier: str = "", *, turned: bool = False) -> tuple[str, str] | None:
    """The statement that likeliest cost something and is not surely read, and the question about it; None: none.

    Args:
        text: The turn.
        heard: What the patient has just said.
        earlier: What they said before that.
        turned: They turned away from the turn.
    """
    text, heard = spoken(text), spoken(heard)
    read = {part.text for part in parts_of_turn(text, heard, earlier)}
    shares = {
        one: cost_share(kinds(one, heard, text))
        for one in sentences(text)
        if one not in read and not ends_as_question(one) and not is_theirs(one, f"{heard} {earlier}")
    }
    best = max(shares, key=lambda one: shares[one], default=None)
    if best is None or shares[best] < (AFTER_IT if turned else ASKED_OF):
        return None
    return best, _of(best)


def asked_about(pressing: Sequence[str], text: str, heard: str, earlier: str) -> tuple[str, str] | None:
    """The longest statement of those that may press, and the question about it; None: all are read or theirs.

    Args:
        pressing: Sentences of the turn.
        text: The turn.
        heard: What the patient has just said.
        earlier: What they said before that.
    """
    read = {part.text for part in parts_of_turn(spoken(text), spoken(heard), earlier)}
    own = [one for one in pressing if not ends_as_question(one) and one not in read]
    best = max((one for one in own if not is_theirs(one, f"{heard} {earlier}")), key=len, default=None)
    return None if best is None else (best, _of(best))


def _of(sentence: str) -> str:
    return f"Ask yourself of “{short(sentence)}”: did it stay with what they had said, or bring in something of yours?"


def cost_share(chances: Mapping[str, float]) -> float:
    """The share of the costly kinds in what a sentence may do."""
    return sum(chances[kind] for kind in COSTS if kind in KINDS) / sum(chances[kind] for kind in KINDS)
