"""Finds the questions in an utterance and says whether each is open, leading, or advice in a question's clothes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from maieutic.language.sentences import sentences

_CHECK_BACK = re.compile(
    r"^(?:(?:have|did|do|am) i (?:got|get|have|understand|understood|hear|heard|right).*|is that (?:right|it|fair|so|about right)"
    r"|does that (?:sound|fit|seem)(?: about)? (?:right|fair|ok(?:ay)?)|(?:is|would) (?:it|that) (?:be )?(?:ok(?:ay)?|all right|alright) .*"
    r"|(?:may|can|could|shall|might) (?:i|we) (?:ask (?!what|how|who|whose|when|where|which|why|about)|ask$|share|say|stay|check|go|look|just|try|come).*|right|ok(?:ay)?|yes|no|you know"
    r"|how does that sound|what do you (?:make of|think about) that|does that make sense|is that okay with you)\W*$",
    re.I,
)
_INVITATION = re.compile(
    r"^(?:and |so |well |okay |then |please |now )*(?:(?:can|could|would|will) you )?(?:please )?(?:tell me|describe|give me (?:a|the|one|some)|show me"
    r"|(?:walk|talk|bring|take|lead|guide) me (?:back |along |on |right )?(?:through|to|into|along|over|back|with)|help me (?:to )?(?:understand|see)|say (?:a (?:little|bit) )?more"
    r"|i(?:'m| am| find myself)? (?:wonder(?:ing)?|curious)(?: about)? (?:what|how|who|whose|when|where|which|why|whether|if)"
    r"|let's look at (?:what|how|who|when)|i(?:'d| would) (?:(?:really )?(?:like|love) to (?:hear|understand|know)|be (?:interested|curious|glad|grateful)) (?:in |to (?:hear|know) |of |if )?(?:what|how|who|when|where|why|which|more|about|the|you)"
    r"|may i ask (?:what|how|who|when|where|why|which|about))\b",
    re.I,
)
_LEADING = re.compile(
    r"\b(?:don't|do not|wouldn't|won't|aren't|isn't|doesn't|didn't|shouldn't|couldn't|can't|haven't|hasn't|wasn't|weren't) "
    r"(?:you|it|that|this|they|he|she|there|we)\b(?! know (?:what|how|why))|\b(?:surely|obviously|clearly)\b"
    r"|,\s*(?:right|correct|no|yes|yeah|agreed|surely|or am i wrong|is(?: that)? not so)\?$|\bor am i wrong\b|\bdo you not (?:see|think)\b|^is not\b"
    r"|,\s*(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|must)(?:n't)?\s+(?:it|you|he|she|they|there|we|that)(?: not| now)?(?:,[^?]*)?\?$|,\s*(?:now )?(?:does|did|is|was|can|could) (?:he|she|it|they|you)(?: now)?\?$|,\s*(?:eh|i suppose|di ba)\?$"
    r"|\bwould you agree\b|(?<!who do )(?<!whom do )(?<!what do )(?<!how do )(?<!how did )(?<!as )\byou (?:do )?(?:know|realise|realize|see) (?:that|it)'?s?\b.*\?$"
    r"|\bdoes(?:n't| not) that (?:mean|show|prove)\b|\bso (?:that|it) (?:means|shows|proves)\b",
    re.I,
)
_ADVISING = re.compile(
    r"\b(?:why don't (?:you|we)|why not (?:just )?\w+|(?<!what )(?<!how )have you (?:ever )?(?:tried|considered|thought (?:about|of))|what about \w+ing|how about|"
    r"couldn't you|(?<!what )(?<!how )(?<!when )(?<!where )(?:could you (?:not )?(?:try|start|just|maybe|perhaps)|can you (?:try|start|just))|would(?:n't)? it (?:be better|help|make sense)"
    r"|what if you|shouldn't you|should you not)\b"
    r"|^(?:and |so |but |well,? |then )?(?:might|would|could|should|can|will) you (?:not|perhaps|maybe|ever)\b|^(?:maybe|perhaps)\b|^suppose you (?!had\b|were\b|could\b)|^you (?:could|might|may|should|ought)\b"
    r"|\b(?:would|might|could)(?:n't)? (?:it|that) (?:not )?(?:be (?:better|wiser|good|helpful|worth|easier|kinder|an idea)|help|make sense|do you good)\b|^wouldn't an?\b|^should you\b"
    r"|\b(?:do|don't) you (?:not )?think you (?:could|should|might|ought)|\bwould you (?:consider|be (?:willing|open|prepared))\b|\bis(?:n't| not)? it (?:not )?(?:perhaps |maybe |high )*time\b"
    r"|\bwhat (?:would|might) (?:happen|it be like|it take) if you\b|\bany reason (?:not to|why you (?:couldn't|shouldn't))|\bwould it (?:hurt|do any harm)\b|^(?:can't|couldn't) you\b|^why (?:don't|not)\b",
    re.I,
)
_ASKED_OF_DANGER = re.compile(
    r"\bhave you (?:ever )?(?:tried|considered|thought (?:about|of)) (?:(?:\w+ ){0,4}?(?:(?:to )?(?:kill|hurt|harm|cut)(?:ing|ting)? yourself|suicide|your own death"
    r"|dying|being dead|(?:end|ending|take|taking) (?:your (?:own )?life|it all))|a (?:particular|certain) (?:way|method|moment|time|place)|how you would do it)\b",
    re.I,
)
"""Suicide, and a plan for it, are asked about in the words in which advice is given otherwise."""
_CLOSED_WH = re.compile(
    r"^(?:how (?:old|many|much|often|long|far)|what (?:time|day|year|age)|which (?:day|one)|when (?:was|is|did))\b",
    re.I,
)
_OPENER = re.compile(
    r"^(?:(?:and|so|but|well|okay|ok|now|then|right|hm+|mm+|when you \w+[^,?]*,|if [^,?]*,|as you [^,?]*,|looking back,?|at that moment,?"
    r"|in that moment,?|back then,?|just then,?|since then,?|apart from [^,?]*,|besides [^,?]*,|thinking of [^,?]*,|with [^,?]{1,60},|on [^,?]{1,40},"
    r"|of [^,?]{1,60},|from [^,?]{1,40},|outside [^,?]{1,40},|over [^,?]{1,40},|in [^,?]{1,60},|about [^,?]{1,40},|to|from|in|at|for|of|with|on)\s+)*",
    re.I,
)
_WH = re.compile(r"^(?:what|how|why|who|whose|whom|where|when|which)\b", re.I)
_JOINED = re.compile(
    r"(?:,|;|\band|\bor)\s+(?:and\s+|or\s+|also\s+)?(?=(?:what|how|why|who|where|when|which|do|does|did|are|is|was|were|have|has|can|could|would|will)\s"
    r"(?:you|your|it|that|this|the|he|she|they|there|is|was|did|do|does|are|were|would|could|happened|made|went|else)\b)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Question:
    """One question.

    Attributes:
        text: Its wording.
        open: It cannot be answered with yes, no or one fact.
        leading: It carries its own answer.
        advising: It is advice in the form of a question.
    """

    text: str
    open: bool
    leading: bool
    advising: bool


@lru_cache(maxsize=20_000)
def questions(text: str) -> tuple[Question, ...]:
    """The questions of an utterance in order; check-backs ("is that right?") and requests for permission do not count."""
    found: list[Question] = []
    for sentence in sentences(text):
        asked = sentence.rstrip("\"'”’) ").endswith("?")
        if not asked and not _INVITATION.match(sentence):
            continue
        if _CHECK_BACK.match(sentence.strip(" \"'“”‘’")):
            continue
        found.extend(_question(part, whole=sentence) for part in (_parts(sentence) if asked else (sentence,)))
    return tuple(found)


def _parts(sentence: str) -> tuple[str, ...]:
    """The questions joined in one sentence; a subordinate clause before the first of them belongs to it."""
    parts: list[str] = []
    for part in _JOINED.split(sentence):
        bare = _OPENER.sub("", part.strip(" \"'“”‘’"))
        previous_asks = bool(parts) and _starts_a_question(_OPENER.sub("", parts[-1].strip(" \"'“”‘’")))
        if previous_asks and _starts_a_question(bare):
            parts.append(part)
        elif parts:
            parts[-1] = f"{parts[-1]} {part}"
        else:
            parts.append(part)
    return tuple(parts)


def statements(text: str) -> tuple[str, ...]:
    """The sentences that ask nothing."""
    return tuple(s for s in sentences(text) if not s.rstrip("\"'”’) ").endswith("?") and not _INVITATION.match(s))


def asks_permission(text: str) -> bool:
    """The turn asks leave or offers a choice."""
    return bool(
        re.search(
            r"\b(?:would it be (?:ok(?:ay)?|all right|alright)|is it (?:ok(?:ay)?|all right|alright)|may i|if you(?:'d| would) like|would you like"
            r"|would you be willing|shall we|where would you like|what would you like)\b",
            text[:2_000],
            re.I,
        )
    )


_SUBORDINATE = re.compile(
    r"(?:when|if|as|while|since|where) (?:you|i|we|he|she|they|it|that|this|those|the|your)\b", re.I
)


def _starts_a_question(part: str) -> bool:
    when = re.match(r"(?:when|where|while|since|if|as)\s+(\w+(?:n't)?)", part, re.I)
    if when and not _AUXILIARY.match(when.group(1)):
        return False
    return not _SUBORDINATE.match(part) and bool(
        re.match(
            r"(?:what|how|why|who|where|when|which|do|does|did|are|is|was|were|have|has|can|could|would|will)\b",
            part,
            re.I,
        )
    )


def _question(part: str, *, whole: str) -> Question:
    bare = _OPENER.sub("", part.strip(" \"'“”‘’"))
    invited = bool(_INVITATION.match(part))
    closed = bool(_AUXILIARY.match(bare)) and not _WH_LATER.search(part)
    asks_what = bool(_WH.match(bare)) or (not closed and bool(_WH_ANYWHERE.search(part)))
    is_open = invited or (asks_what and not _CLOSED_WH.match(bare))
    advises = bool(_ADVISING.search(part)) and not _ASKED_OF_DANGER.search(part)
    return Question(part.strip(), is_open, bool(_LEADING.search(whole)), advises)


_AUXILIARY = re.compile(
    r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|might|am)(?:n't)?\b", re.I
)
_WH_ANYWHERE = re.compile(r"\b(?:what|how|who|whose|whom|which|where|why)\b", re.I)
_WH_LATER = re.compile(
    r"(?:^|[,;:–—-]\s*|\b(?:to|from|in|at|for|of|with)\s)(?:what|how|who|which)\s(?:\w+\s){1,}", re.I
)
