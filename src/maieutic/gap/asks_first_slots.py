"""Which missing thing a therapist turn asks for: sure phrases of each slot, and the patients' trained slot head beside them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal, get_args

from maieutic.domain.appraisal import Slot as Asked
from maieutic.gap.lost_labels import SAFETY
from maieutic.gap.lost_patient import encoder
from maieutic.language.questions import Question, questions
from maieutic.patients.slots import asked_about, packaged_slots

Slot = Literal["situation", "thought", "feeling", "against", "duration", "change", "safety", "background"]
SLOTS: Final[tuple[Slot, ...]] = get_args(Slot)

_PHRASES: Final[dict[Slot, re.Pattern[str]]] = {
    "situation": re.compile(
        r"\bwhat (?:exactly |actually |else )?(?:happened|took place|went on|occurred|was (?:said|going on|happening)|did (?:he|she|they|the \w+|your \w+) (?:do|say|write|tell))\b|\bwhat was it (?:that )?(?:he|she|they|your \w+)\b"
        r"|\b(?:take|walk|talk|bring) me (?:back )?(?:through|to)\b|\btell me (?:about )?what (?:happened|went on)|\bdescribe (?:the|that|what)\b|\bwhere were you\b|\bwho (?:else )?was (?:there|with you)\b|\bhow did (?:it|that) (?:begin|come about|happen)\b",
        re.I,
    ),
    "thought": re.compile(
        r"\b(?:went|go(?:es|ing)?|gone|came|comes?|ran|runs|running|shot|flash\w*|crossed|passed) (?:through|to|into|across)? ?(?:your )?(?:mind|head)\b|\bwhat (?:were|are|was|did) you (?:thinking|think|tell(?:ing)? yourself|say(?:ing)? to yourself|conclude|make of)\b"
        r"|\bwhat (?:did|does|would|do) (?:it|that|this|\w+ \w+) (?:mean|say|tell)\b.{0,12}\b(?:to|about|you)\b|\bwhat (?:did|do) you (?:take|make) \w+|\bwhat (?:was|is) the thought\b|\btell yourself\b|\bwhat (?:do|did) you (?:picture|imagine|fear|believe|expect)\b",
        re.I,
    ),
    "feeling": re.compile(
        r"\b(?:what|how|which)\b.{0,30}\b(?:feel|feels|felt|feeling|feelings|emotions?)\b|\bhow (?:was|is) (?:that|it) for you\b|\bwhat (?:was|is) (?:that|it) like\b(?! (?:in|at|when you were|growing))",
        re.I,
    ),
    "against": re.compile(
        r"\b(?:speaks?|speaking|points?|pointing|counts?|counting|goes|going|went|weighs|said|evidence|proof) (?:against|the other|otherwise|in the other|another|for the other)|\b(?:doesn't|does not|didn't|don't|do not|not quite) (?:fit|match|sit|square|agree|go with)\b"
        r"|\bother side\b|\b(?:make|makes|made) you doubt\b|\bsaw it differently\b|\bexceptions?\b|\bthe other way\b|\b(?:speak|say|tell) otherwise\b|\bdisagree\w* with (?:that|the)\b|\bwhat else could (?:it|that)\b",
        re.I,
    ),
    "duration": re.compile(
        r"\b(?:for )?how long\b|\bhow many (?:days|weeks|months|years|nights)\b|\bsince when\b|\bwhen (?:did|was|have) .{0,25}\b(?:start|begin|began|notice|first|set in|come on)\w*|\bhow (?:old|recent) is (?:this|that)\b|\bhow far back\b",
        re.I,
    ),
    "change": re.compile(
        r"\bwhat(?:'s| is| was| has|'s been)? (?:\w+ )?(?:changed|different|new|other)\b|\bwhat makes? the difference\b|\bdifference between\b|\b(?:anything|something|what) (?:\w+ ){0,2}(?:changed?|happen(?:ed)?|going on)\b.{0,40}\b(?:before|around|then|since|at that time|in (?:january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|winter))\b"
        r"|\bhow (?:are|were|is|do) (?:the|those|these|other) .{0,30}\bdiffer|\bwhen (?:is|was) it (?:better|worse|easier|harder|not like)\b|\bwhat (?:makes|made) it (?:better|worse|turn|shift)\b|\bwhat happened (?:in|around|before|just before|at the time)\b",
        re.I,
    ),
    "safety": SAFETY,
    "background": re.compile(
        r"\b(?:child|childhood|young(?:er)?|small|little|growing up|grew up|grown up|as a (?:boy|girl|kid)|at school|your (?:family|parents|mother|father|upbringing)|family (?:home|life)|first (?:learn|learned|learnt|meet|met)|earlier in (?:your )?life|in your life|in the past|remind\w*|learn(?:t|ed)? (?:that|it|this)|home you)\b"
        r"|\bwhere (?:do|did|does|might) (?:you|that|this|it|the)\b.{0,40}\b(?:know|come|get|learn)\b.{0,25}\b(?:from|it|that|this)\b",
        re.I,
    ),
}
_WH: Final = re.compile(r"^\W*(?:(?:and|so|but|well)[ ,]+)*(?:where|when|how|what|since when)\b", re.I)
_FROM_HEAD: Final[dict[Asked, Slot]] = {
    Asked.SITUATION: "situation", Asked.THOUGHT: "thought", Asked.FEELING: "feeling", Asked.BACKGROUND: "background",
    Asked.RISK: "safety", Asked.ALTERNATIVE: "against",
}  # fmt: skip


def genuine(text: str) -> tuple[Question, ...]:
    """The questions of a turn that want to know something: advice in a question's clothes is none, asking after danger is one."""
    return tuple(q for q in questions(text) if not q.advising or SAFETY.search(q.text))


@lru_cache(maxsize=20_000)
def asked_slots(text: str) -> frozenset[Slot]:
    """The slots that the questions of a turn ask for; advice and assent-seeking questions ask for none."""
    asked = tuple(q.text for q in genuine(text) if not q.leading or _WH.match(q.text))
    if not asked:
        return frozenset()
    found: set[Slot] = {slot for slot, pattern in _PHRASES.items() if any(pattern.search(q) for q in asked)}
    about = asked_about(text, asked, packaged_slots(), encoder())
    from_head: set[Slot] = {_FROM_HEAD[slot] for slot in about.slots if slot in _FROM_HEAD}
    if about.wide:
        from_head.add("against")
    # The head knows nothing of time and change: where a phrase is sure of these, its reading is another's.
    if not found & {"duration", "change"}:
        found |= from_head
    return frozenset(found)


__all__ = ["SLOTS", "Slot", "asked_slots", "genuine"]
