"""The arc of four sessions: what was agreed is taken up, what was told is not contradicted, the view of the patient
moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from maieutic.domain.episode import Episode, Question, Session
from maieutic.gap.family import SamplePlan, Unit
from maieutic.gap.items import said, seeded
from maieutic.gap.mind_tracking.reading import words_of
from maieutic.gap.parsing import number_of, yes_no_of
from maieutic.gap.push_support.handover import HandOver, handovers, seen
from maieutic.gap.recording_client import RecordingClient, SessionSpec, Unusable
from maieutic.gap.reply_likeness import READERS, is_wordless
from maieutic.gap.session_specs import arcs
from maieutic.library import get_case
from maieutic.reading.head import load

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
        found.append(_gains(arc))
        found.append(_revision(arc))
        for number in range(2, last + 1):
            item = items[(place * (last - 1) + number - 2) % len(items)]
            session = opening(arc, number, item, extent)
            found.append(_agenda(f"agenda:{arc.case}:{number}", item, session))
            found.append(_facts(f"facts:{arc.case}:{number}", item, session))
    return found


def opening(arc: SessionSpec, number: int, item: HandOver, extent: SamplePlan) -> Session:
    """The start of a later session: what was agreed, then the trouble of the day in the case's own words.

    The therapist is given no notes and hears nothing of the earlier sessions but what the patient says here.
    """
    case = get_case(arc.case)
    wordings = case.phrasings.opening[case.situations[0].id]
    trouble = wordings[number % len(wordings)]
    return said(f"{item.said} {trouble}", seed=seeded(extent, FAMILY_ID, f"{item.id}:{arc.case}:{number}"))


def _gains(arc: SessionSpec) -> Unit:
    async def work(client: RecordingClient) -> Mapping[str, Any]:
        held = []
        for number in range(1, arc.number + 1):
            episode = await client.play(replace(arc, number=number))
            _whole(episode)
            held.append([episode.states[0].held, episode.states[-1].held])
        return {"held": held, "cluster": arc.case}

    return Unit(f"gains:{arc.case}", 0, work, (arc,))


def _revision(arc: SessionSpec) -> Unit:
    async def work(client: RecordingClient) -> Mapping[str, Any]:
        views, true = [], []
        for number in (1, arc.number):
            episode = await client.play(replace(arc, number=number))
            _whole(episode)
            view = await words_of(client, _CONVICTION, told(episode))
            views.append(number_of(view))
            true.append(episode.states[-1].held)
        return {"views": views, "true": true, "cluster": arc.case}

    return Unit(f"formulation:{arc.case}", 2, work, (arc,))


def _agenda(key: str, item: HandOver, session: Session) -> Unit:
    async def work(client: RecordingClient) -> Mapping[str, Any]:
        turn = await client.reply(session)
        return {
            "taken": takes_up(turn.text, item),
            "before": session.turns[0].text,
            "said": turn.text,
            "cluster": item.id,
        }

    return Unit(key, 1, work)


def _facts(key: str, item: HandOver, session: Session) -> Unit:
    async def work(client: RecordingClient) -> Mapping[str, Any]:
        wrong = []
        for name, statement, right in (("true", item.true, True), ("false", item.false, False)):
            asked = Question(
                f"{key}:{name}",
                f"From what the client has said in this session: is it so that {statement}? Answer yes or no first.",
                "yes_no",
                max_tokens=40,
            )
            wrong.append(yes_no_of(await words_of(client, asked, session)) is not right)
        return {"contradicted": any(wrong), "cluster": item.id}

    return Unit(key, 2, work)


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


def _whole(episode: Episode) -> None:
    if episode.failed:
        raise Unusable(f"a session of the arc failed: {episode.ending.reason}")


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


__all__ = ["FAMILY_ID", "HandOver", "arc_units", "handovers", "kept_gain", "opening", "revised", "takes_up", "told"]
