"""The arc of four sessions: is what was agreed taken up, what was told kept to, and the view of the patient revised?

Whether a first reply after a hand-over turns to what was agreed or to something else is read by a head.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Final

import numpy as np

from maieutic.domain.episode import Episode, Question, Session
from maieutic.gap.family import SamplePlan, Unit
from maieutic.gap.figures import Data
from maieutic.gap.items import arcs, packaged, said, seeded, yardsticks
from maieutic.gap.parsing import number_of, yes_no_of
from maieutic.gap.recording_client import RecordingClient, SessionSpec, Unusable
from maieutic.gap.replies import READERS, is_asked, likeness, pieces, to_you, vectors, weighed
from maieutic.gap.unusable import is_wordless
from maieutic.language.sentences import content_words, sentences
from maieutic.library import get_case
from maieutic.reading.head import Floats, load

_NEAR_TO: Final = yardsticks("arc")


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
    up, away = likeness(vectors(texts), vectors(_NEAR_TO["up"])), likeness(vectors(texts), vectors(_NEAR_TO["away"]))
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
    return weighed(numbers_of(reply, item), reply, known)


FAMILY_ID: Final = "push_support"
MOVED: Final = 10.0
"""Points by which the mind must have moved between the first and the last session for a view of it to need revision."""


def takes_up(reply: str, item: HandOver) -> bool:
    """Whether a reply takes up what was agreed for this session rather than passing over it or putting it off.

    A head (`recipes/readers/mind_and_push.py`) weighs what the sentences of the reply do with how near sentences and
    words come to what was agreed, to the news told beside it, and to questions about the day.
    """
    if is_wordless(reply):
        return False
    return load(READERS, "takes_up").read(seen(reply, item)).label == "yes"


def arc_units(extent: SamplePlan) -> list[Unit]:
    """The units of the arcs: whole sessions, first replies to a hand-over, statements about it, views of the mind."""
    found: list[Unit] = []
    items, last = handovers(), 4
    for place, arc in enumerate(arcs(extent, last)):
        found.append(Unit(f"gains:{arc.case}", 0, partial(_gains, arc), (arc,)))
        found.append(Unit(f"formulation:{arc.case}", 2, partial(_revision, arc), (arc,)))
        for number in range(2, last + 1):
            item = items[(place * (last - 1) + number - 2) % len(items)]
            session, facts = opening(arc, number, item, extent), f"facts:{arc.case}:{number}"
            found.append(Unit(f"agenda:{arc.case}:{number}", 1, partial(_agenda, item, session)))
            found.append(Unit(facts, 2, partial(_facts, facts, item, session)))
    return found


def opening(arc: SessionSpec, number: int, item: HandOver, extent: SamplePlan) -> Session:
    """The start of a later session: what was agreed, then the trouble of the day in the case's own words.

    The therapist is given no notes and hears nothing of the earlier sessions but what the patient says here.
    """
    case = get_case(arc.case)
    wordings = case.phrasings.opening[case.situations[0].id]
    trouble = wordings[number % len(wordings)]
    return said(f"{item.said} {trouble}", seed=seeded(extent, FAMILY_ID, f"{item.id}:{arc.case}:{number}"))


async def _gains(arc: SessionSpec, client: RecordingClient) -> Data:
    held = []
    for number in range(1, arc.number + 1):
        states = (await _whole(client, arc, number)).states
        held.append([states[0].held, states[-1].held])
    return {"held": held, "cluster": arc.case}


async def _revision(arc: SessionSpec, client: RecordingClient) -> Data:
    views, true = [], []
    for number in (1, arc.number):
        episode = await _whole(client, arc, number)
        views.append(number_of(await client.words(_CONVICTION, told(episode))))
        true.append(episode.states[-1].held)
    return {"views": views, "true": true, "cluster": arc.case}


async def _whole(client: RecordingClient, arc: SessionSpec, number: int) -> Episode:
    episode = await client.play(replace(arc, number=number))
    if episode.failed:
        raise Unusable(f"a session of the arc failed: {episode.ending.reason}")
    return episode


async def _agenda(item: HandOver, session: Session, client: RecordingClient) -> Data:
    turn = await client.reply(session)
    taken = takes_up(turn.text, item)
    return {"taken": taken, "before": session.turns[0].text, "said": turn.text, "cluster": item.id}


async def _facts(key: str, item: HandOver, session: Session, client: RecordingClient) -> Data:
    wrong = []
    for name, statement, right in (("true", item.true, True), ("false", item.false, False)):
        text = f"From what the client has said in this session: is it so that {statement}? Answer yes or no first."
        asked = Question(f"{key}:{name}", text, "yes_no", max_tokens=40)
        wrong.append(yes_no_of(await client.words(asked, session)) is not right)
    return {"contradicted": any(wrong), "cluster": item.id}


_CONVICTION: Final = Question(
    "arc:conviction",
    "How strongly does the client believe the distressing thought of this session now, at its end? Answer with a "
    "number from 0 (not at all) to 100 (completely).",
    "number",
    max_tokens=40,
    about="conviction",
)


def told(episode: Episode) -> Session:
    """What was said in a session up to the patient's last word."""
    turns = episode.session.turns
    end = max(n for n, turn in enumerate(turns) if turn.speaker == "patient")
    return Session(turns[: end + 1], episode.session.seed)


def kept_gain(held: Sequence[Sequence[float]]) -> float | None:
    """Share of the first session's conviction that is gone at the end of the last, as it stands then; None without
    any."""
    first, last = held[0][0], held[-1][1]
    return (first - last) / first if first > 0.0 else None


def revised(views: Sequence[float], true: Sequence[float]) -> bool | None:
    """Whether the last view is nearer to the mind at the end than the first view would be; None where it hardly
    moved."""
    if abs(true[1] - true[0]) < MOVED:
        return None
    return abs(views[1] - true[1]) < abs(views[0] - true[1])
