"""The units on what words leave open: two readings, what a weak word implies, and what joins "A so B".

Free replies are read by heads: does one ask which reading is meant or pick one, does one bring up what joins the two?
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final, Literal

from maieutic.domain.episode import Question, Session
from maieutic.gap.family import SamplePlan, Unit
from maieutic.gap.figures import Data
from maieutic.gap.items import packaged, said, seeded, share_of
from maieutic.gap.mind_tracking.left_open import (
    Ambiguous,
    Argument,
    ambiguities,
    arguments,
    seen_of_argument,
    seen_of_remark,
)
from maieutic.gap.parsing import number_of, yes_no_of
from maieutic.gap.recording_client import RecordingClient
from maieutic.gap.replies import READERS
from maieutic.gap.unusable import is_wordless
from maieutic.reading.head import load

FAMILY_ID: Final = "mind_tracking"
Met = Literal["asks", "picks", "neither"]

CLASSES: Final[tuple[Met, ...]] = ("asks", "neither", "picks")
"""The classes of the ambiguity head, in its order."""


def met(reply: str, item: Ambiguous) -> Met:
    """Whether a reply asks which reading is meant, goes on from one of them, or does neither.

    A head (`recipes/readers/mind_and_push.py`) weighs what the sentences of the reply do with how near sentences and
    words come to each reading.
    """
    if is_wordless(reply):
        return "neither"
    chances = load(READERS, "ambiguity").probabilities(seen_of_remark(reply, item))
    return CLASSES[int(chances.argmax())]


def brings_up(reply: str, item: Argument) -> bool:
    """Whether a reply names the missing warrant or asks for it (the downward-arrow move).

    A head (`recipes/readers/mind_and_push.py`) weighs what the sentences of the reply do with how near sentences and
    words come to A, to B and to the warrant.
    """
    if is_wordless(reply):
        return False
    return load(READERS, "warrant").read(seen_of_argument(reply, item)).label == "yes"


def pragmatic_units(extent: SamplePlan) -> list[Unit]:
    """Readings (three yes-or-no questions), replies to ambiguous words, implicature pairs, arguments."""
    found: list[Unit] = []
    for item in share_of(ambiguities(), extent, lambda i: i.kind):
        session = said(item.said, seed=seeded(extent, FAMILY_ID, item.id))
        found.append(Unit(f"readings:{item.id}", 3, partial(_readings, item, session)))
        found.append(Unit(f"ambiguity:{item.id}", 1, partial(_reply, item, session)))
    for pair in share_of(packaged("implicature"), extent, lambda i: str(i["word"]) if extent.items == 1.0 else ""):
        seed = seeded(extent, FAMILY_ID, pair["id"])
        found.append(Unit(f"implicature:{pair['id']}", 2, partial(_implied, pair, seed)))
    for argument in share_of(arguments(), extent, lambda i: i.kind):
        session = said(argument.said, seed=seeded(extent, FAMILY_ID, argument.id))
        found.append(Unit(f"warrant:{argument.id}", 1, partial(_warrant, argument, session)))
    return found


async def _readings(item: Ambiguous, session: Session, client: RecordingClient) -> Data:
    said_yes = []
    for number, reading in enumerate((*item.readings, item.foil)):
        text = (
            f"Taken by themselves, could the client's words mean that {reading}? Several meanings may be possible. "
            "Answer yes or no first."
        )
        question = Question(f"reading:{item.id}:{number}", text, "yes_no", max_tokens=30)
        said_yes.append(yes_no_of(await client.words(question, session)))
    return {"seen": sum(said_yes[:2]), "foil": said_yes[2], "cluster": item.id}


async def _reply(item: Ambiguous, session: Session, client: RecordingClient) -> Data:
    turn = await client.reply(session)
    return {"met": met(turn.text, item), "before": item.said, "said": turn.text, "cluster": item.id}


async def _implied(pair: Mapping[str, str], seed: int, client: RecordingClient) -> Data:
    found = {}
    for context in ("high", "low"):
        text = (
            f"From how the client put it just now: how likely is it that {pair['claim']}? Answer with a number "
            "from 0 (not at all) to 100 (certain)."
        )
        question = Question(f"implicature:{pair['id']}:{context}", text, "number", max_tokens=30)
        session = said(pair["opening"], pair[context], pair["said"], seed=seed)
        found[context] = number_of(await client.words(question, session)) / 100.0
    return {**found, "cluster": pair["id"]}


async def _warrant(item: Argument, session: Session, client: RecordingClient) -> Data:
    turn = await client.reply(session)
    return {
        "elicited": brings_up(turn.text, item),
        "before": item.said,
        "said": turn.text,
        "cluster": item.id,
        "warrant": item.warrant,
    }
