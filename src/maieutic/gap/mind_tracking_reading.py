"""Reads free replies: does one ask which reading is meant or pick one, and does one bring up what joins "A so B"?"""

from __future__ import annotations

import re
from typing import Final, Literal

import numpy as np

from maieutic.domain.asking import Question
from maieutic.domain.episode import Session
from maieutic.gap import mind_tracking_ambiguity, mind_tracking_warrants
from maieutic.gap.desk import Desk, Unusable
from maieutic.gap.mind_tracking_ambiguity import Ambiguous, ambiguities
from maieutic.gap.mind_tracking_warrants import Argument, arguments
from maieutic.gap.reply_likeness import packaged_head
from maieutic.gap.unusable import fault_of

Met = Literal["asks", "picks", "neither"]

CLASSES: Final[tuple[Met, ...]] = ("asks", "neither", "picks")
"""The classes of the ambiguity head, in its order."""


async def words_of(desk: Desk, question: Question, session: Session) -> str:
    """The words of an answer. Raises `Unusable` also for data instead of words, another language and a refusal."""
    text = (await desk.answer(question, session)).text
    fault = fault_of(text) if re.search(r"[^\W\d_]", text) else None  # a bare number is an answer
    if fault:
        raise Unusable(fault)
    return text


def met(reply: str, item: Ambiguous) -> Met:
    """Whether a reply asks which reading is meant, goes on from one of them, or does neither.

    A head (`recipes/fit_mind_tracking_and_push_support.py`) weighs general forms of asking what is meant with how near sentences and words
    of the reply come to each reading, by sentence vectors and by cue words of the item.
    """
    if not re.search(r"[^\W\d_]", reply):
        return "neither"
    return CLASSES[int(np.argmax(packaged_head("ambiguity")(mind_tracking_ambiguity.seen(reply, item))))]


def brings_up(reply: str, item: Argument) -> bool:
    """Whether a reply names the missing warrant or asks for it (the downward-arrow move).

    A head (`recipes/fit_mind_tracking_and_push_support.py`) weighs general forms of asking what A means, shows or has to do with B, and of
    asking or saying something else, with how near sentences and words of the reply come to A, to B and to the warrant.
    """
    if not re.search(r"[^\W\d_]", reply):
        return False
    return bool(packaged_head("warrant")(mind_tracking_warrants.seen(reply, item))[1] >= 0.5)


__all__ = ["CLASSES", "Ambiguous", "Argument", "Met", "ambiguities", "arguments", "brings_up", "met", "words_of"]
