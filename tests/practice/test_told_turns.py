"""What is told of single turns in a talk with the simulated patient: of safety, of an answer, of two questions, of a
check."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from random import Random

from maieutic.coding.rules import RuleCoder
from maieutic.dialogue import Conversation, Streams, converse
from maieutic.domain.episode import Ending, EpisodeKey, Session, Turn
from maieutic.library import get_case
from maieutic.patients.simulated import make_simulated
from maieutic.practice.feedback import turns_told
from maieutic.practice.model import TurnFeedback
from maieutic.reading.minilm import MiniLM

FIRST = "What brings you here?"


@dataclass(frozen=True)
class Says:
    said: tuple[str, ...]
    name: str = "own"

    async def respond(self, session: Session) -> Turn:
        number = len(session.by("therapist"))
        if number < len(self.said):
            return Turn("therapist", self.said[number])
        return Turn("therapist", "", ending=Ending("completed", "no more to say"))


def last(*said: str, case: str = "solveig", seed: int = 5) -> TurnFeedback:
    """What is told of the last of these turns."""
    found = get_case(case)
    talk = Conversation(
        therapist=Says(said),
        patient=make_simulated(found, Random(seed).choice(found.situations).id, embed=MiniLM()),
        coder=RuleCoder(),
        max_turns=20,
        streams=Streams(seed, EpisodeKey("own", case, seed)),
    )
    return turns_told(asyncio.run(converse(talk)), found)[len(said) - 1]


def test_an_offer_of_help_beside_a_question_about_suicide_takes_nothing_from_it() -> None:
    asked = "Are you thinking of ending your life? Would it help to ring somebody?"
    closer = "Have you thought about how you would do it? Would it help to give the pills to somebody?"
    for said in ((FIRST, asked), (FIRST, asked, closer)):
        told = last(*said)
        assert told.well is not None and told.well.startswith("You asked about safety.")
        assert not [one for one in told.sentences() if "everal questions" in one or "Danger is still open" in one]
