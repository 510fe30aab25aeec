"""What a reply to "A, so B" looks like in numbers: general forms of asking what joins the two, and nearness to that."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from maieutic.gap.items import packaged
from maieutic.gap.mind_tracking_ambiguity import cue
from maieutic.gap.reply_likeness import Floats, bare, form_of, likeness, pieces, to_you, vectors
from maieutic.language.questions import questions
from maieutic.language.sentences import content_words, sentences

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
_FORMS: Final = {
    name: re.compile(pattern, re.I | re.S)
    for name, pattern in {
        "how": r"\bhow (?:come|(?:do|does|did|would|is|are|can|could|might)\b.{0,80}\b(?:mean|shows?|tells?|prove|make|turn|come|lead|get|got|follow|decide|cancel|become|says?|work|go|went|add up|connect|linked|related|judge|cover|determine|translate|define))\b",
        "link": r"\b(?:link|connect\w*|logic|jump|leap|step|bridge|gap between|reasoning|assum\w+|conclu\w+|underneath|behind (?:that|this|it)|between those|follows?|add up|lead[s]? (?:you )?(?:from|to)|takes you from|get(?:ting)? from|go(?:ne)? from|went from|got from)\b",
        "why": r"\bwhy (?:would|does|do|did|must|should|has|is)\b",
        "says": r"\b(?:says?|said|tells?|shows?|proves?|means?|mean|stands? for|measures?|decides?|determines?|defines?|equals?|signals?|indicates?|counts?|makes?|judges?) (?:you |us |me )?(?:something |anything |everything |that |about |for |the same |to |as )",
        "whatis": r"\bwhat(?:'s| is| was| makes| gives| has| have| must| would| does| do| did)\b.{0,90}\b(?:about|mean|tell|say|that|prove|show|decide|stand|measure|sign|turn|into|hold|be true|have to)\b",
        "sign": r"\b(?:a sign|signs?|proof|verdict|message|measure|gauge|evidence that|the same (?:as|thing)|mean(?:s|ing)?)\b",
        "rule": r"\b(?:rules?|standards?|ideas?|belief|principle|law|expectation|notion|equation|thinking|in your (?:mind|eyes|book|view|head|family|world|experience)|as you see it|the way you see it|for you|to you|according to)\b",
        "if": r"\b(?:if|when|once|whenever|every time)\b.{3,90}\b(?:does|is|would|then|that|they|must|it|has)\b",
        "still": r"\b(?:can|could|may|might)\b.{3,80}\b(?:and still|without|and yet|be)\b",
        "univ": r"\b(?:always|never|every\w*|only|must|has to|have to|had to|any\w*|all|whoever|automatically|necessarily|no one|nobody|one)\b",
        "gen": r"\b(?:someone|somebody|anyone|anybody|people|(?:an?|one|another|single) \w+|whoever|others)\b",
        "so": r"^(?:and |but )?(?:so|then|it sounds (?:like|as)|it's as|you seem|you take|you've taken|you believe|you hold|in your|is it that)\b",
        "adv": r"\b(?:try|should|could you|you could|have you (?:considered|tried|thought|ever|told|talked|spoken)|next time|why don't|let's|might help)\b",
        "reass": r"\b(?:i'm sure|i am sure|don't (?:worry|be)|you're (?:not|nothing)|you are not|normal|common|believe me|plenty|nothing wrong)\b",
        "feel": r"\b(?:feel(?:ing|s)?|felt|sounds? (?:so |really |very |like (?:a|that))?(?:hard|tough|painful|difficult|scary|awful|heavy)|hurts?|painful|that must|i hear|i can hear)\b",
        "fact": r"\b(?:how (?:often|long|many|much|old|are|is|was)|when (?:did|is|was|will|do)|when's|where (?:did|was|were|is)|who (?:was|else|were|is)|what (?:happened|did (?:s?he|they|you|the)|else|were|kind|had)|did (?:s?he|they|you|the)|has (?:s?he|any)|have you|was there|how's|which)\b",
    }.items()
}
_ASKS_LINK: Final = (
    "How do you get from one to the other?",
    "What does that mean to you?",
    "What does it say about you?",
    "What is the rule behind that?",
    "Does one always mean the other?",
    "What makes it a sign of that?",
    "In your mind, one follows from the other.",
    "How does the one prove the other?",
    "Why would that have to mean that?",
)
_ASKS_ELSE: Final = (
    "What happened next?",
    "How did that feel?",
    "What could you do about it?",
    "How long has it been like this?",
    "What did they say?",
    "That sounds very hard.",
    "You could try something else.",
    "Who was there?",
    "Have you talked to anyone about it?",
    "I'm sure that isn't true.",
    "What evidence is there for that?",
)
_LINKING: Final = (
    "How does it follow from {a} that {b}?",
    "What does it say about you that {a}?",
    "Does {a} always mean that {b}?",
    "What makes you go from {a} to {b}?",
)
_OTHERWISE: Final = (
    "What happened when {a}?",
    "I'm sure it is not true that {b}.",
    "How did you feel when {a}?",
    "What can you do about it now that {a}?",
    "How long have you thought that {b}?",
)


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

    @property
    def sides(self) -> tuple[str, str]:
        """A and B, as said to the patient."""
        fact, _, conclusion = self.said.rpartition(", so ")
        return to_you(fact), to_you(conclusion.rstrip("."))


@lru_cache(maxsize=1)
def arguments() -> tuple[Argument, ...]:
    """The packaged items, in their order."""
    return tuple(
        Argument(
            i["id"], i["kind"], i["said"], content_words(i["a"]), content_words(i["b"]), i["warrant"], cue(i["cues"])
        )
        for i in packaged("warrants")
    )


def numbers_of(reply: str, item: Argument) -> dict[str, float]:
    """What rules and likenesses say of a reply."""
    spoken, asked = sentences(reply), [q.text for q in questions(reply)]
    held = [content_words(s) for s in spoken]
    found: dict[str, float] = {name: any(p.search(s) for s in spoken) for name, p in _FORMS.items()}
    linking = [content_words(q) for q in asked if _LINK.search(q)]
    found |= {
        "questions": len(asked[:3]),
        "cue": bool(item.cues.search(reply)),
        "meaning": any(_MEANING.search(q) for q in asked),
        "links": bool(linking),
        "links_both": any(words & item.a and words & item.b for words in linking),
        "other_matter": any(_OTHER_MATTER.search(q) for q in asked),
        "both_sides": any(words & item.a and words & item.b for words in held),
        "fact_words": any(words & item.a for words in held),
        "conclusion_words": any(words & item.b for words in held),
    }
    return found | _nearness(reply, item)


def _nearness(reply: str, item: Argument) -> dict[str, float]:
    """How near sentences and words come to the warrant, to both sides, and to questions that join them."""
    said, parts = vectors(sentences(reply)), vectors(pieces(reply))
    fact, conclusion = item.sides
    to_warrant = likeness(parts, vectors([item.warrant, to_you(item.warrant)])).max(axis=1)
    to_sides = likeness(parts, vectors([fact, conclusion]))
    known = _known(item)
    form = vectors([bare(s, known) for s in sentences(reply)])
    asks, other = likeness(form, vectors(_ASKS_LINK)), likeness(form, vectors(_ASKS_ELSE))
    joined, apart = (
        likeness(said, vectors([t.format(a=fact, b=conclusion) for t in some])).max(axis=1)
        for some in (_LINKING, _OTHERWISE)
    )
    words = vectors(sorted(content_words(reply)))
    sides = [float(likeness(words, vectors(sorted(side))).max()) for side in (item.a, item.b)]
    unsaid = likeness(words, vectors(sorted(content_words(item.warrant) - content_words(item.said)))).max(axis=0)
    return {
        "warrant": float(to_warrant.max()),
        "warrant_over_sides": float((to_warrant - to_sides.max(axis=1)).max()),
        "fact": float(to_sides[:, 0].max()),
        "conclusion": float(to_sides[:, -1].max()),
        "fact_and_conclusion": float(to_sides.min(axis=1).max()),
        "joins": float((joined - apart).max()),
        "asks_link": float((asks.max(axis=1) - other.max(axis=1)).max()),
        "asks_link_widely": float((np.sort(asks)[:, -3:].mean(axis=1) - np.sort(other)[:, -3:].mean(axis=1)).max()),
        "like_fact": sides[0],
        "like_conclusion": sides[1],
        "like_both": min(sides),
        "like_unsaid": float(np.sort(unsaid)[-2:].mean()),
    }


def _known(item: Argument) -> frozenset[str]:
    return content_words(item.said) | item.a | item.b | content_words(item.warrant)


def seen(reply: str, item: Argument) -> Floats:
    """What the head reads: the numbers, and the reply's form."""
    return np.concatenate([list(map(float, numbers_of(reply, item).values())), form_of(reply, _known(item))])


__all__ = ["Argument", "arguments", "numbers_of", "seen"]
