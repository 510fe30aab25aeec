"""What a first reply after a hand-over looks like in numbers: does it turn to what was agreed, or to something else?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from maieutic.gap.items import packaged
from maieutic.gap.reply_likeness import Floats, form_of, is_asked, likeness, pieces, to_you, vectors
from maieutic.language.sentences import content_words, sentences

_TAKES_UP: Final = re.compile(
    r"\b(?:(?:what|as) (?:we|you) (?:agreed|said|planned|wanted)|(?:where|which) we left off|we (?:had )?(?:agreed|planned|said we)|you (?:were going|had agreed|had planned|promised) to"
    r"|(?:begin|start) (?:there|with (?:that|it|what))|pick (?:that|it) (?:back )?up)\b",
    re.I,
)
_PUT_OFF: Final = re.compile(
    r"\b(?:leave (?:that|it|the \w+) (?:for (?:now|later|another)|aside)|(?:not|rather than|instead of) (?:the|your|that|talk\w* about|begin\w* with) \w+|come back to (?:that|it|the|this)(?: \w+)? (?:later|another|some)|set (?:that|it) aside|forget (?:about )?(?:the|that)|never mind)",
    re.I,
)
_PUTS_OFF: Final = re.compile(
    r"\b(?:(?:leave|put|park|skip|drop|set|shelve|save|keep|hold off|postpone|move past|push)\b.{0,60}\b(?:for (?:now|later|another|next|the (?:moment|time|end))|aside|to one side|today|till|until|to (?:the )?(?:side|next)|on hold|since|on)|(?:hold off on|skip|park|postpone|shelve|set aside|leave aside)\b|(?:come|get|go|return|turn|circle) (?:back )?(?:to|on to) .{0,40}\b(?:later|another|some other|in a (?:bit|while|moment|minute)|next (?:time|week|session)|after(?:wards)?|eventually|if there)|(?:can|could|may|might|will|'ll) (?:wait|keep)\b|(?:more (?:pressing|urgent|important)|not (?:the|now|today)|never mind|forget (?:about )?(?:the|that)|instead of|chang(?:e|ing) (?:course|tack|of plan)|something else (?:seems|is|looks)|rather (?:not|than|ask|hear|talk)|next week|another (?:time|day|week|session)))",
    re.I | re.S,
)
_AGREED: Final = re.compile(
    r"\b(?:(?:as|like|what|which|that) (?:we|you)(?:'d| had)? (?:agreed|said|planned|wanted|set|asked|decided|meant)|we(?:'d| had)? (?:agreed|planned|said|put|were going|set out|meant)|(?:our|the|your) (?:plan|agenda|list|experiment|homework|agreement|task|assignment)|left off|last (?:time|week|session)|you (?:were going|had agreed|had planned|promised|wanted|asked|meant|were saying|set out|said you) |pick\w* .{0,30}up|first (?:things|on|up)|begin|start|(?:come|coming|go|going|get|getting) back to|return(?:ing)? to|carry on|i (?:do )?remember|(?:i've|i) (?:been wondering|made a note))\b",
    re.I,
)
_ASKS_HOW_IT_WENT: Final = re.compile(
    r"\b(?:how (?:did|was|has|have) (?:it|that|this|things|you)\b.{0,20}\b(?:go|gone|get on|turn out|find|been|doing|do)|how (?:was|is) it\b|how did (?:it|that|you|the)|did you (?:\w+ )?(?:do|try|manage|go|get|make|bring|have|notice)|were you able|have you (?:\w+ )?(?:managed|done|got|decided|come)|what (?:did you|have you) (?:notice|find|learn|decide)\w*|where are you with|what (?:stopped|held|kept|got in)|surprised? you)\b",
    re.I,
)
_OF_THE_DAY: Final = re.compile(
    r"\b(?:what (?:happened|went through|did (?:you|she|he|they) (?:say|do|think|tell|make)|was (?:the|it|going)|upset|hurt|made|else|next)|at that moment|right then|just then|at that point|when (?:that|it|they|she|he|you)|that thought|believe that|how strongly|evidence|step by step|sounds? (?:so |really |very |like )?(?:hard|painful|hurtful|tough|as if|difficult)|i'm (?:so )?sorry|that must|you felt|feel(?:ing)? that way|i understand|this happened|happened)\b",
    re.I,
)
_ADVISES: Final = re.compile(r"\b(?:you (?:should|could)|try to|can help|have you (?:thought|considered))\b", re.I)
_UP: Final = (
    "Let's begin with what we agreed.",
    "How did it go?",
    "How did you get on with it?",
    "Did you do it in the end?",
    "Let's pick up where we left off last time.",
    "What was it like to try it?",
    "What have you decided?",
    "What did you notice when you tried it?",
    "We planned to look at this first.",
)
_AWAY: Final = (
    "What happened today?",
    "What went through your mind just then?",
    "How did that make you feel?",
    "We'll come back to that later.",
    "Let's leave that for now and talk about this.",
    "That sounds really hard.",
    "What did they say to you?",
    "How strongly do you believe that?",
    "How long have you felt like this?",
    "What did you think at that moment?",
    "You could try something that does you good.",
)


@dataclass(frozen=True, slots=True)
class HandOver:
    """What a patient brings along from the session before, told in the first words of the next.

    Attributes:
        said: The words: what was agreed, and in the last sentence some news beside it.
        about: What a reply speaks of that takes the agenda up, part by part.
        cues: Pattern of words by which a reply often takes the agenda up.
        true, false: A statement that the words bear out, and one that they contradict.
    """

    id: str
    said: str
    about: tuple[str, ...]
    cues: re.Pattern[str]
    true: str
    false: str


@lru_cache(maxsize=1)
def handovers() -> tuple[HandOver, ...]:
    """The packaged ones, in their order."""
    return tuple(
        HandOver(
            i["id"], i["said"], tuple(part.strip() for part in i["about"].split(",")),
            re.compile(rf"\b(?:{i['cues']})", re.I), i["asks"][0]["holds"], i["asks"][0]["fails"],
        )
        for i in packaged("arc")
    )  # fmt: skip


def _to_agenda(texts: Sequence[str], item: HandOver) -> Floats:
    """How near each text is to what was agreed. (texts,)"""
    if not texts:
        return np.zeros(1)
    agreed = [to_you(s) for s in sentences(item.said)[:-1]]
    to = likeness(vectors(texts), vectors([" ".join(agreed), ", ".join(item.about), *agreed, *item.about]))
    return np.asarray(0.5 * to.max(axis=1) + 0.5 * np.sort(to, axis=1)[:, -3:].mean(axis=1))


def _to_news(texts: Sequence[str], item: HandOver) -> Floats:
    """How near each text is to the news told beside. (texts,)"""
    return np.asarray(
        likeness(vectors(texts), vectors([to_you(sentences(item.said)[-1]), to_you(item.true)])).max(axis=1)
    )


def _turns(texts: Sequence[str]) -> tuple[Floats, Floats]:
    """How much nearer each text is to taking something up than to turning to the day: the nearest, the three nearest."""
    up, away = likeness(vectors(texts), vectors(_UP)), likeness(vectors(texts), vectors(_AWAY))
    widely = np.sort(up)[:, -3:].mean(axis=1) - np.sort(away)[:, -3:].mean(axis=1)
    return np.asarray(up.max(axis=1) - away.max(axis=1)), np.asarray(widely)


def numbers_of(reply: str, item: HandOver) -> dict[str, float]:
    """What rules and likenesses say of a reply; sentences that put the agenda off do not count as speaking of it."""
    spoken = sentences(reply)
    asked = [s for s in spoken if is_asked(s)]
    last = (asked or list(spoken))[-1:]
    live = [s for s in spoken if not puts_off(s)]
    news = content_words(sentences(item.said)[-1])
    agenda = content_words(" ".join((*sentences(item.said)[:-1], *item.about))) - news
    words = content_words(reply)
    each = vectors(sorted(words))
    like_agenda, like_news = (likeness(each, vectors(sorted(some))).max(axis=1) for some in (agenda, news))
    parts = pieces(reply)
    near, aside = _to_agenda(parts, item), _to_news(parts, item)
    (up, widely), (last_up, _) = _turns(spoken), _turns(last)
    last_near, last_aside = float(_to_agenda(last, item)[0]), float(_to_news(last, item)[0])
    return {
        "puts_off": len(live) < len(spoken),
        "agreed": any(_AGREED.search(s) for s in live),
        "how_it_went": any(_ASKS_HOW_IT_WENT.search(s) for s in asked),
        "of_the_day": any(_OF_THE_DAY.search(s) for s in spoken),
        "asks_of_the_day": any(_OF_THE_DAY.search(s) for s in asked),
        "cue": any(item.cues.search(s) for s in live),
        "cue_asked": any(item.cues.search(s) for s in asked if s in live),
        "cue_last": any(item.cues.search(s) for s in last if s in live),
        "takes_up": bool(_TAKES_UP.search(reply)),
        "near": float(near.max()),
        "aside": float(aside.max()),
        "nearer_than_aside": float((near - aside).max()),
        "live_near": float(_to_agenda(live, item).max()),
        "last_near": last_near,
        "last_aside": last_aside,
        "last_nearer": last_near - last_aside,
        "turns_up": float(up.max()),
        "turns_up_widely": float(widely.max()),
        "last_turns_up": float(last_up[0]),
        "like_agenda": float(like_agenda.max()),
        "like_news": float(like_news.max()),
        "words_ahead": float((like_agenda - like_news).max()),
        "words_behind": float((like_news - like_agenda).max()),
        "agenda_words": bool(words & agenda),
        "news_words": bool(words & news),
        "asks": bool(asked),
        "advises": bool(_ADVISES.search(reply)),
    }


def puts_off(sentence: str) -> bool:
    """The sentence leaves something for later or for never."""
    return bool(_PUTS_OFF.search(sentence) or _PUT_OFF.search(sentence))


def seen(reply: str, item: HandOver) -> Floats:
    """What the head reads: the numbers, and the reply's form."""
    known = content_words(" ".join((item.said, *item.about)))
    return np.concatenate([list(map(float, numbers_of(reply, item).values())), form_of(reply, known)])


__all__ = ["HandOver", "handovers", "numbers_of", "puts_off", "seen"]
