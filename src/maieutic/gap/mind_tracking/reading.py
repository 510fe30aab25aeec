"""Reads free replies: does one ask which reading is meant or pick one, and does one bring up what joins "A so B"?"""

from __future__ import annotations

from typing import Final, Literal

from maieutic.domain.episode import Question, Session
from maieutic.gap.mind_tracking import ambiguity as mind_tracking_ambiguity
from maieutic.gap.mind_tracking import warrants as mind_tracking_warrants
from maieutic.gap.mind_tracking.ambiguity import Ambiguous, ambiguities
from maieutic.gap.mind_tracking.warrants import Argument, arguments
from maieutic.gap.recording_client import RecordingClient, Unusable
from maieutic.gap.reply_likeness import READERS, is_wordless
from maieutic.gap.unusable import fault_of
from maieutic.reading.head import load

Met = Literal["asks", "picks", "neither"]

CLASSES: Final[tuple[Met, ...]] = ("asks", "neither", "picks")
"""The classes of the ambiguity head, in its order."""


async def words_of(client: RecordingClient, question: Question, session: Session) -> str:
    """The words of an answer. Raises `Unusable` also for data instead of words, another language and a refusal."""
    text = (await client.answer(question, session)).text
    fault = None if is_wordless(text) else fault_of(text)  # a bare number is an answer
    if fault:
        raise Unusable(fault)
    return text


def met(reply: str, item: Ambiguous) -> Met:
    """Whether a reply asks which reading is meant, goes on from one of them, or does neither.

    A head (`recipes/readers/mind_and_push.py`) weighs what the sentences of the reply do with how near sentences and
    words come to each reading.
    """
    if is_wordless(reply):
        return "neither"
    chances = load(READERS, "ambiguity").probabilities(mind_tracking_ambiguity.seen(reply, item))
    return CLASSES[int(chances.argmax())]


def brings_up(reply: str, item: Argument) -> bool:
    """Whether a reply names the missing warrant or asks for it (the downward-arrow move).

    A head (`recipes/readers/mind_and_push.py`) weighs what the sentences of the reply do with how near sentences and
    words come to A, to B and to the warrant.
    """
    if is_wordless(reply):
        return False
    return load(READERS, "warrant").read(mind_tracking_warrants.seen(reply, item)).label == "yes"


__all__ = ["CLASSES", "Ambiguous", "Argument", "Met", "ambiguities", "arguments", "brings_up", "met", "words_of"]
