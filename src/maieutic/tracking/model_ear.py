"""A language model for the tracker's ear: what one patient turn says for and against each hypothesis, asked as JSON.

Risk stays with the trained heads, whatever the model says: a model must not be able to hear danger away.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

import numpy as np

from maieutic.domain.episode import Session, Usage
from maieutic.domain.randomness import derive_seed
from maieutic.errors import ModelError
from maieutic.prompts import prompt
from maieutic.protocols import LanguageModel, Message
from maieutic.tracking.asked import meant
from maieutic.tracking.ear import EmbeddedEar, Observation, expected
from maieutic.tracking.shares import Unreadable, field, json_object, number, shares
from maieutic.tracking.space import BELIEFS, EMOTIONS, REPLIES, Floats
from maieutic.tracking.tables import Tables

SURE = 0.9
"""Share of an answer that is taken as it is; the rest is spread evenly, so that no hypothesis is ever ruled out by one
turn. *Assumption.*"""
SEEN_TURNS = 6
"""Turns before the one to read that the model is shown."""
LONGEST = 1200
"""Letters of a turn that the model is shown."""
MAX_TOKENS = 320
_TRUTH = 0.1
"""How much what one turn says of the truth of a thought counts beside independent evidence; *assumption*."""


@dataclass(frozen=True, slots=True)
class ModelEar:
    """Asks a model for the likelihoods of one patient turn in its context; one call a turn, at temperature 0.

    What the model answers takes the place of the embedded heads: kind of reply (18), core belief (19), strongest
    feeling (9), whether the thought may be accurate, a stated conviction, feelings named. The weights that temper the
    embedded likelihoods temper these too, but for truth (*assumption*: fitted for the heads, not for a model).

    An answer that cannot be read, a model that fails and one that gives no answer in time leave the hearing missing,
    with the reason in `Observation.missing`: there is no default and no second ear. The seed hangs on the words only,
    so that the same words are heard alike.

    Attributes:
        model: The model.
        embedded: Grades risk, and knows what is no English.
        tables: The fitted weights.
        limit: Seconds waited for an answer.
    """

    model: LanguageModel
    embedded: EmbeddedEar
    tables: Tables
    limit: float = 120.0

    async def listen(self, session: Session) -> tuple[Observation, Usage]:
        """The hearing of the last turn, which must be the patient's, and what it cost."""
        turn = session.turns[-1]
        assert turn.speaker == "patient", "there is no patient turn to hear"
        plain = self.embedded(session)
        if not plain.readable:
            return plain, Usage()
        before = session.last("therapist")
        question = meant(before) if before is not None else None
        unheard = replace(expected(question, self.tables), text=turn.text, risk=plain.risk)
        seed = derive_seed("ear", *(said.text for said in session.turns)) % 2**31
        try:
            reply = await asyncio.wait_for(
                self.model.generate(messages(session), seed=seed, temperature=0.0, max_tokens=MAX_TOKENS), self.limit
            )
        except TimeoutError:
            return replace(unheard, missing=f"gave no answer in time: {self.limit:g} s"), Usage(1)
        except ModelError as error:
            return replace(unheard, missing=f"failed: {error}"), Usage(1)
        try:
            return parse(reply.text, unheard, self.tables), reply.usage
        except Unreadable as fault:
            return replace(unheard, missing=str(fault)), reply.usage


def parse(text: str, unheard: Observation, tables: Tables) -> Observation:
    """An answer in the form of the prompt `tracker_ear` as a hearing of the turn that `unheard` describes.

    Raises:
        Unreadable: no JSON object, a field missing, a name that is not listed, a number out of its range.
    """
    found = json_object(text)
    named = field(found, "named")
    if not isinstance(named, list) or any(group not in EMOTIONS for group in named):
        raise Unreadable("gave a value that is not allowed: named")
    stated = field(found, "stated")
    chance = number(field(found, "accurate"), "accurate")
    false, true = np.log(_softened(np.array([1.0 - chance, chance])))
    emotion = np.log(_softened(shares(found, "emotion", EMOTIONS)))
    belief = np.log(_softened(shares(found, "belief", BELIEFS)))
    return replace(
        unheard,
        replies=_softened(shares(found, "reply", REPLIES)),
        category=np.asarray(tables.category_weight * belief),
        emotion=np.asarray(tables.emotion_weight * emotion),
        accurate=float(_TRUTH * (true - false)),
        rating=None if stated is None else number(stated, "stated", 100.0),
        named=tuple(sorted(set(named))),
    )


def _softened(given: Floats) -> Floats:
    return np.asarray(SURE * given + (1.0 - SURE) / len(given))


def messages(session: Session) -> list[Message]:
    """What the model is shown: the task with its lists, the latest turns, and the one to read."""
    *before, last = session.turns
    talk = [f"{turn.speaker.capitalize()}: {turn.text[:LONGEST]}" for turn in before[-SEEN_TURNS:]]
    material = (
        f"Core beliefs: {', '.join(BELIEFS)}",
        f"Feelings: {', '.join(EMOTIONS)}",
        "What was said before:",
        *(talk or ["(nothing; the patient opens)"]),
        "The turn to read:",
        "-----",
        last.text[:LONGEST],
        "-----",
        "The JSON object:",
    )
    return [
        {"role": "system", "content": prompt("tracker_ear").text},
        {"role": "user", "content": "\n".join(material)},
    ]
