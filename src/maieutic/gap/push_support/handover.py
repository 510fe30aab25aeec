"""What a first reply after a hand-over looks like in numbers: does it turn to what was agreed, or to something else?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from maieutic.gap.items import packaged
from maieutic.gap.reply_likeness import Floats, form_of, is_asked, likeness, pieces, to_you, vectors
from maieutic.language.sentences import content_words, sentences

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
        true, false: A statement that the words bear out, and one that they contradict.
    """

    id: str
    said: str
    about: tuple[str, ...]
    true: str
    false: str


@lru_cache(maxsize=1)
def handovers() -> tuple[HandOver, ...]:
    """The packaged ones, in their order."""
    return tuple(
        HandOver(
            i["id"],
            i["said"],
            tuple(part.strip() for part in i["about"].split(",")),
            i["asks"][0]["holds"],
            i["asks"][0]["fails"],
        )
        for i in packaged("arc")
    )


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
    """How much nearer each text is to taking something up than to turning to the day: the nearest, the three
    nearest."""
    up, away = likeness(vectors(texts), vectors(_UP)), likeness(vectors(texts), vectors(_AWAY))
    widely = np.sort(up)[:, -3:].mean(axis=1) - np.sort(away)[:, -3:].mean(axis=1)
    return np.asarray(up.max(axis=1) - away.max(axis=1)), np.asarray(widely)


def numbers_of(reply: str, item: HandOver) -> dict[str, float]:
    """What likenesses say of a reply, and which words it takes up."""
    spoken = sentences(reply)
    asked = [s for s in spoken if is_asked(s)]
    last = (asked or list(spoken))[-1:]
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
        "near": float(near.max()),
        "aside": float(aside.max()),
        "nearer_than_aside": float((near - aside).max()),
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
    }


def seen(reply: str, item: HandOver) -> Floats:
    """What the head reads: the numbers, what the sentences do, and the reply's form."""
    known = content_words(" ".join((item.said, *item.about)))
    return np.concatenate([list(map(float, numbers_of(reply, item).values())), form_of(reply, known)])
