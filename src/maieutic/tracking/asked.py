"""What a therapist turn did, by its form: what it asked about, whether it reflected, how hard it pushed.

The tracker's own reading of the therapist's side. It is not the patient's comprehension and not the coder: it has only to
say which of the fitted transition and observation tables an exchange belongs to.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

from maieutic.domain.episode import Turn
from maieutic.language.safety_questions import SAFETY_QUESTION
from maieutic.language.sentences import words
from maieutic.reading.drafts import asks_permission, attributions, questions, statements


class Target(StrEnum):
    """What the turn asks about; a turn that asks about several things takes the first of these that fits."""

    RISK = "risk"
    RATING = "rating"
    WEIGHING = "weighing"
    ALTERNATIVE = "alternative"
    PLAN = "plan"
    AGAINST = "against"
    SUPPORT = "support"
    FEELING = "feeling"
    THOUGHT = "thought"
    BACKGROUND = "background"
    GOAL = "goal"
    OPEN = "open"
    CLOSED = "closed"
    NOTHING = "nothing"


class Reflection(StrEnum):
    """Whether the turn gives something back."""

    NONE = "none"
    WORDS = "words"
    FEELING = "feeling"


class Push(StrEnum):
    """How hard the turn pushes."""

    NONE = "none"
    MILD = "mild"
    STRONG = "strong"


@dataclass(frozen=True, slots=True)
class Asked:
    """One therapist turn as the tracker sees it."""

    target: Target = Target.NOTHING
    reflection: Reflection = Reflection.NONE
    push: Push = Push.NONE
    permission: bool = False


_TARGETS: tuple[tuple[Target, re.Pattern[str]], ...] = tuple(
    (target, re.compile(pattern, re.I))
    for target, pattern in (
        (Target.RISK, r"suicid|end(?:ing)? (?:your|it all|your own)|kill(?:ing)? yourself|hurt(?:ing)? yourself|not (?:want(?:ing)? to be alive|be alive)|harm(?:ing)? yourself|wish(?:ed)? you were dead|tak(?:e|ing) your own life|an end to your (?:own )?life|planning your (?:own )?death|" + SAFETY_QUESTION),
        (Target.RATING, r"\b(?:0|nought|zero|nothing)\s*(?:to|and|–|-)\s*(?:100|a hundred|ten|10)\b|out of (?:100|a hundred|ten)|per ?cent|how (?:strongly|much|firmly|fully) (?:do|did|would|are) you (?:still )?(?:believe|hold|convinced)"),
        (Target.AGAINST, r"\b(?:speaks?|points?|counts?|goes|evidence|anything|something|facts?)\b.{0,25}\bagainst\b|been (?:a|any) (?:time|moment|day)s?|n't (?:quite |really |sit |fit|square|match|belong)|not (?:quite )?fit|does not|contradict|exception|differently|different from|less true|wasn't (?:true|so)|other way|otherwise|opposite|leaves? out|overlooks?|who knows you|people who know you|know you (?:well|best)|would (?:object|disagree|see it)|went (?:well|better|right)|gone (?:well|better|right)|managed|surprised you|proud|doubt|however small|miss(?:es|ing) from"),
        (Target.WEIGHING, r"side by side|\b(?:fit|sit|square|go|line up|compare)s?\b (?:together )?(?:with|alongside|beside|next to|against) (?:the |that |your |this )?(?:\w+ )?(?:thought|idea|belief|sentence|picture|conclusion|verdict|number|fear)|what (?:do|would) you make of (?:the |that |this |it|all|them|those|these|both)|what (?:does|do) (?:all|that|those|these|this|the two|both).{0,40}\b(?:tell|say|suggest|show|mean|leave)|(?:putting|taking|holding|looking at|laying) (?:all|both|everything|these|those|them|the two)|taken together|all together|how does .{0,60}\b(?:thought|belief|idea)\b (?:look|sound|seem|stand|hold)"),
        (Target.ALTERNATIVE, r"in your own words|fair(?:er|est)? (?:way|sentence|wording|version|account)|(?:another|other|different|balanced|kinder) (?:way|view|reading|explanation|angle|wording)|how (?:would|might|could) you (?:put|word|say|phrase)|say to a (?:friend|colleague|sister|brother)|truer sentence|rewrite|reword"),
        (Target.PLAN, r"\b(?:try|test|experiment|find out|check|step)\b.{0,60}\b(?:week|next|before|between|days|home|session)|(?:this|next) week\b.{0,60}\b(?:try|test|find out|do)|small (?:test|experiment|step)|what (?:could|might|would) you (?:try|do)"),
        (Target.SUPPORT, r"\b(?:speaks?|counts?|points?|evidence|facts?|reasons?) (?:there )?(?:is |are )?(?:most )?(?:for|in favour|towards?) |backs? (?:it|that|this) up|supports? (?:it|that|this|the)|makes? (?:it|that|the thought) (?:so )?(?:convincing|believable|ring true|feel true)|what convinces"),
        (Target.FEELING, r"\b(?:how|what) (?:do|did|does|are|were|was) (?:you|that|it|this)\b.{0,25}\b(?:feel|feeling|felt|emotion)|what (?:feeling|emotion)s?|how (?:was|is) (?:that|it) (?:for you|to)|in your body|where do you feel"),
        (Target.THOUGHT, r"through your (?:mind|head)|(?:thought|think|thinking|saying to yourself|telling yourself|tell yourself|said to yourself)\b.{0,40}\b(?:moment|then|just|happen|that|mean|say)|what (?:does|did|would) (?:that|it|this) (?:say|mean) (?:about|to) you|mean about you|worst (?:about|of)|what were you thinking|crossed your mind|flashed"),
        (Target.BACKGROUND, r"where (?:does|did|do) (?:that|this|it|you) .{0,20}(?:come|learn|pick)|(?:first|earliest) (?:time|remember|felt|learn|heard)|growing up|as a child|childhood|remind you|earlier in (?:your )?life|how far back|long ago|younger|when did you (?:first|begin|start)"),
        (Target.GOAL, r"what would you (?:like|want|hope)|hoping (?:for|to)|(?:most )?useful (?:to|for)|get (?:out of|from) (?:today|this|our)|work on today|focus"),
    )
)  # fmt: skip
_ADVICE = re.compile(
    r"\byou (?:should|must(?! (?:have|be|feel))|ought|need to|have to(?! (?:carry|bear|live|say))|could try|might want to|could start)\b|\b(?:try to|i(?:'d| would) (?:suggest|recommend|advise)|my advice|the best thing|make sure|"
    r"remember to|start by|just (?:try|stop|let|think)|don't (?:worry|be so|let)|stop (?:thinking|being|worrying))\b",
    re.I,
)
_DISPUTES = re.compile(
    r"\b(?:that(?:'s| is) (?:not true|wrong|irrational|a distortion|not logical|not realistic|simply)|you(?:'re| are) (?:wrong|exaggerating|catastrophi|overreacting|being (?:irrational|unfair))|"
    r"the (?:truth|fact|reality) is|in reality|actually,? you|studies show|research shows|it(?:'s| is) called)\b",
    re.I,
)
_SOOTHES = re.compile(
    r"\b(?:everything will|it will be (?:fine|all right|okay)|you'll be (?:fine|okay|all right)|don't worry|not your fault|nothing to worry|i'm sure|so (?:strong|brave|wonderful)|"
    r"(?:great|good|wonderful|excellent) (?:job|work|question|insight)|proud of you|you(?:'re| are) (?:amazing|doing))\b",
    re.I,
)
_GIVES_BACK = re.compile(r"\b(?:you(?:'re|'ve|'d|r)?|so)\b", re.I)
LONG_SPEECH = 45
"""Words told in statements from which a turn without a question is taken as a lecture."""


@lru_cache(maxsize=20_000)
def asked(text: str) -> Asked:
    """What a therapist turn did. Any text is accepted; one without words asks nothing."""
    found = questions(text)
    told = statements(text)
    main = [q for q in found if not q.advising]
    return Asked(_target([q.text for q in main], any(q.open for q in main)), _reflection(told, text), _push(text),
                 asks_permission(text))  # fmt: skip


def meant(turn: Turn) -> Asked:
    """What a therapist turn did: by its form, but its target as the speaker noted it where the trace is our own."""
    found = asked(turn.text)
    noted = turn.trace.get("target") if turn.trace else None
    if isinstance(noted, str) and noted in Target._value2member_map_:
        return replace(found, target=Target(noted))
    return found


def _target(texts: list[str], is_open: bool) -> Target:
    if not texts:
        return Target.NOTHING
    last = texts[-1]
    for target, pattern in _TARGETS:
        if pattern.search(last):
            return target
    return Target.OPEN if is_open else Target.CLOSED


def _reflection(told: tuple[str, ...], text: str) -> Reflection:
    if attributions(text):
        return Reflection.FEELING
    return Reflection.WORDS if any(_GIVES_BACK.search(s) and len(words(s)) >= 5 for s in told) else Reflection.NONE


def _push(text: str) -> Push:
    found = questions(text)
    told = [s for s in statements(text) if not attributions(s)]
    if any(q.advising or q.leading for q in found) or _ADVICE.search(text) or _DISPUTES.search(text):
        return Push.STRONG
    if not found and sum(len(words(s)) for s in told) >= LONG_SPEECH:
        return Push.STRONG
    if len([q for q in found if not q.advising]) > 1 or _SOOTHES.search(text):
        return Push.MILD
    return Push.NONE
