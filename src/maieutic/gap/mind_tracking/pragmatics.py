"""The units on what words leave open: two readings, what a weak word implies, and what joins "A so B"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from maieutic.domain.episode import Question, Session
from maieutic.gap.family import SamplePlan, Unit
from maieutic.gap.items import packaged, said, seeded, share_of
from maieutic.gap.mind_tracking.reading import Ambiguous, Argument, ambiguities, arguments, brings_up, met, words_of
from maieutic.gap.parsing import number_of, yes_no_of
from maieutic.gap.recording_client import RecordingClient

FAMILY_ID: Final = "mind_tracking"


def pragmatic_units(extent: SamplePlan) -> list[Unit]:
    """Readings (three yes-or-no questions), replies to ambiguous words, implicature pairs, arguments."""
    found: list[Unit] = []
    for item in share_of(ambiguities(), extent, lambda i: i.kind):
        session = said(item.said, seed=seeded(extent, FAMILY_ID, item.id))
        found += [_readings(item, session), _reply(item, session)]
    for pair in share_of(packaged("implicature"), extent, lambda i: str(i["word"]) if extent.items == 1.0 else ""):
        found.append(_implied(pair, extent))
    for argument in share_of(arguments(), extent, lambda i: i.kind):
        found.append(_warrant(argument, said(argument.said, seed=seeded(extent, FAMILY_ID, argument.id))))
    return found


def _readings(item: Ambiguous, session: Session) -> Unit:
    async def work(client: RecordingClient) -> Mapping[str, Any]:
        said_yes = []
        for number, reading in enumerate((*item.readings, item.foil)):
            text = (
                f"Taken by themselves, could the client's words mean that {reading}? Several meanings may be possible. "
                "Answer yes or no first."
            )
            question = Question(f"reading:{item.id}:{number}", text, "yes_no", max_tokens=30)
            said_yes.append(yes_no_of(await words_of(client, question, session)))
        return {"seen": sum(said_yes[:2]), "foil": said_yes[2], "cluster": item.id}

    return Unit(f"readings:{item.id}", 3, work)


def _reply(item: Ambiguous, session: Session) -> Unit:
    async def work(client: RecordingClient) -> Mapping[str, Any]:
        turn = await client.reply(session)
        return {"met": met(turn.text, item), "before": item.said, "said": turn.text, "cluster": item.id}

    return Unit(f"ambiguity:{item.id}", 1, work)


def _implied(pair: Mapping[str, str], extent: SamplePlan) -> Unit:
    async def work(client: RecordingClient) -> Mapping[str, Any]:
        found = {}
        for context in ("high", "low"):
            session = said(pair["opening"], pair[context], pair["said"], seed=seeded(extent, FAMILY_ID, pair["id"]))
            text = (
                f"From how the client put it just now: how likely is it that {pair['claim']}? Answer with a number "
                "from 0 (not at all) to 100 (certain)."
            )
            question = Question(f"implicature:{pair['id']}:{context}", text, "number", max_tokens=30)
            found[context] = number_of(await words_of(client, question, session)) / 100.0
        return {**found, "cluster": pair["id"]}

    return Unit(f"implicature:{pair['id']}", 2, work)


def _warrant(item: Argument, session: Session) -> Unit:
    async def work(client: RecordingClient) -> Mapping[str, Any]:
        turn = await client.reply(session)
        return {
            "elicited": brings_up(turn.text, item),
            "before": item.said,
            "said": turn.text,
            "cluster": item.id,
            "warrant": item.warrant,
        }

    return Unit(f"warrant:{item.id}", 1, work)
