"""Reads free replies: does one ask which reading is meant or pick one, and does one bring up what joins "A so B"?"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from maieutic.domain.asking import Question
from maieutic.domain.episode import Session
from maieutic.gap.desk import Desk, Unusable
from maieutic.gap.items import packaged
from maieutic.gap.unusable import fault_of
from maieutic.language.questions import questions
from maieutic.language.sentences import content_words, sentences

Met = Literal["asks", "picks", "neither"]

_CLARIFIES: Final = re.compile(
    r"\b(?:(?:do|did) (?:you|she|he|they) mean|can i check|(?:what|who|whom|which|how|where) (?:do|did|would) you mean|mean (?:by|when you|that|the first|one|it)|in what (?:sense|way)|which (?:of (?:the|those|these)|one|way|do you|is it|was it)"
    r"|who (?:was|is|were|had) (?:it|the one)|(?:am|was) i (?:right|hearing|understanding)|can (?:you|we) be (?:more )?(?:clear|specific)|(?:not|n't) (?:quite |sure |certain )*(?:sure |clear |certain |tell )(?:whether|which|if|who|what|i)"
    r"|help me (?:understand|be clear|get)|when you say|say (?:a (?:little|bit) )?more about (?:what|which|who)|could (?:mean|be) (?:two|either|different|more)|either .{3,80}\bor\b|is (?:it|that|this) (?:more )?(?:that|because|a) .{3,90}\bor\b)",
    re.I | re.S,
)
_UNSURE: Final = re.compile(r"(?:\bnot|n't) (?:quite |yet |at all )*(?:sure|clear|certain|tell|follow)", re.I)
_WHO: Final = re.compile(r"^(?:and |so |then |but )*who(?:m|se)?\b(?! else)", re.I)
_OR_ASKED: Final = re.compile(r"\bor\b", re.I)
_SIDE_BY_SIDE: Final = re.compile(
    r"(?:^|[:;,–—]\s*)(?:and |so |then |but )*(?:is|are|was|were|do|does|did|has|have|in the sense|closer to|more)\b.{3,140}\bor\b",
    re.I | re.S,
)
_WHICH_ONE: Final = re.compile(
    r"\b(?:since|about|with|from) (?:what|whom|which)\b|\bwhat (?:does|did) .{2,40} (?:look like|mean)\b|\bwhat (?:is|was) (?:the |this |that )?['\"‘“]",
    re.I,
)
_LINK: Final = re.compile(
    r"\b(?:what (?:would|does|did|do|might|is it about|was it about|makes?|made|tells?|told|joins?|links?|connects?|gets? you|took you|takes you|leads?|led|lies|has to be true|would have to be true|must be true)"
    r"|how (?:do|does|did|would|are|is) .{0,60}(?:mean|follow|add up|lead|connect|tell|show|prove|get|fit|come|linked|related|decide|turn|go)|(?:mean|say|show|tell|prove)s? about|says? (?:to|that)|in between|(?:from|between) .{2,60}\b(?:to|and)\b"
    r"|the (?:step|link|rule|jump|bridge|join)|if (?:that|it|this|so) (?:is|were|was|really|happens|did)|what if .{0,40}true|stand(?:s)? for|assum(?:e|es|ing|ption)|take (?:it|that) to mean|underneath|behind that)",
    re.I | re.S,
)
_MEANING: Final = re.compile(
    r"\bwhat (?:would|does|did|do|might) (?:it|that|this|not|her|his|their|the|a|you|one|being|having|\w+ing)\b.{0,60}\b(?:mean|say|tell|show|prove)s?\b|(?:mean|say|show|tell|prove)s? (?:to you )?about (?:you|him|her|them)"
    r"|what (?:has|have|had|would have|must|needs?) to be true|how (?:do|did) you get from|what (?:tells|told|makes|made|takes|took|leads|led|gets) you (?:that|to|from|think|so|believe|sure|certain|conclude)|what (?:joins|links|connects)"
    r"|\bdoes .{2,60}\b(?:mean|prove|show)\b|\b(?:step|link|rule|jump|bridge|assumption) (?:between|from|that|behind|there|here|in)",
    re.I | re.S,
)  # fmt: skip
_OTHER_MATTER: Final = re.compile(
    r"\bhow (?:do|does|did) (?:that|it|this) make you feel|what (?:could|can|will|are) you (?:do|going)|how (?:long|often|old|many)|what (?:evidence|else|other)|how (?:true|likely|sure|strongly)|what would you (?:say|tell) (?:to )?(?:a|your) friend",
    re.I,
)


async def words_of(desk: Desk, question: Question, session: Session) -> str:
    """The words of an answer. Raises `Unusable` also for data instead of words, another language and a refusal."""
    text = (await desk.answer(question, session)).text
    fault = fault_of(text) if re.search(r"[^\W\d_]", text) else None  # a bare number is an answer
    if fault:
        raise Unusable(fault)
    return text


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """Words with two intended readings and a third that they cannot have; `cues` show which a reply has taken."""

    id: str
    kind: str
    said: str
    readings: tuple[str, str]
    cues: tuple[re.Pattern[str], re.Pattern[str]]
    foil: str


@dataclass(frozen=True, slots=True)
class Argument:
    """ "A, so B": the words, the content words of both parts, and how a reply would name what joins them."""

    id: str
    kind: str
    said: str
    a: frozenset[str]
    b: frozenset[str]
    warrant: str
    cues: re.Pattern[str]


@lru_cache(maxsize=1)
def ambiguities() -> tuple[Ambiguous, ...]:
    """The packaged items, in their order."""
    return tuple(
        Ambiguous(
            i["id"], i["kind"], i["said"], (i["readings"][0]["means"], i["readings"][1]["means"]),
            (_cue(i["readings"][0]["cues"]), _cue(i["readings"][1]["cues"])), i["foil"],
        )
        for i in packaged("ambiguity")
    )  # fmt: skip


@lru_cache(maxsize=1)
def arguments() -> tuple[Argument, ...]:
    """The packaged items, in their order."""
    return tuple(
        Argument(
            i["id"], i["kind"], i["said"], content_words(i["a"]), content_words(i["b"]), i["warrant"], _cue(i["cues"])
        )
        for i in packaged("warrants")
    )


def _cue(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{pattern})", re.I | re.S)


def met(reply: str, item: Ambiguous) -> Met:
    """Whether a reply asks which reading is meant, goes on from one of them, or does neither.

    Asks: a question (or an admission of not being sure) about what is meant, or one that sets both readings side by side.
    Picks: no such question, and words of exactly one reading; of both, where the words of one stand outside any question.
    """
    spoken = sentences(reply)
    asking = [s for s in spoken if s.rstrip("\"'”’) ").endswith("?")]
    asked = " ".join(asking)
    told = " ".join(s for s in spoken if s not in asking)
    hit = [bool(cue.search(reply)) for cue in item.cues]
    both_asked = all(cue.search(asked) for cue in item.cues) and bool(_OR_ASKED.search(asked))
    plain = any(_SIDE_BY_SIDE.search(s) or _CLARIFIES.search(s) or _WHICH_ONE.search(s) for s in asking)
    whose = item.kind == "reference" and any(_WHO.search(s) for s in asking)
    if both_asked or plain or whose or any(_CLARIFIES.search(s) for s in spoken if _UNSURE.search(s)):
        return "asks"
    if hit[0] != hit[1] or (all(hit) and any(cue.search(told) for cue in item.cues)):
        return "picks"
    return "neither"


def brings_up(reply: str, item: Argument) -> bool:
    """Whether a reply names the missing warrant or asks for it (the downward-arrow move).

    Asks: a question after what A means, shows or has to do with B; a question about something else (feelings, what to do,
    evidence, other explanations, how sure) is none. Names: words of the warrant itself, in a question or a statement.
    """
    if item.cues.search(reply):
        return True
    for question in questions(reply):
        if question.advising or _OTHER_MATTER.search(question.text):
            continue
        if _MEANING.search(question.text):
            return True
        held = content_words(question.text)
        if _LINK.search(question.text) and held & item.a and held & item.b:
            return True
    return False


__all__ = ["Ambiguous", "Argument", "Met", "ambiguities", "arguments", "brings_up", "met", "words_of"]
