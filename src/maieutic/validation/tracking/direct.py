"""The same question put to a language model: shown a transcript, what does it hold likely about the patient's mind?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from maieutic.domain.episode import Session
from maieutic.domain.randomness import derive_seed
from maieutic.prompts import prompt
from maieutic.protocols import Message
from maieutic.runs.work import Tick
from maieutic.tracking.shares import Unreadable, json_object, shares
from maieutic.tracking.space import BELIEFS, BINS, Floats
from maieutic.validation.answers import Answer, Answers, Query
from maieutic.validation.sessions import Task, episodes_of
from maieutic.validation.tracking.forecasted import Forecasts, forecast

ASKED: dict[str, tuple[str, ...]] = {
    "belief": BELIEFS,
    "conviction": tuple(f"{10 * n}-{10 * n + 10}" for n in range(BINS)),
}
"""What the model is asked for: factor, and the names of its hypotheses in the order of the tracker's."""
AT_TURNS = (3, 8, 20)
"""Patient turns (0 is the opening) after which it is asked; a session that ends before one is asked about at its
end."""
MAX_TOKENS = 240
LONGEST = 1200
"""Letters of a turn that the model is shown."""


@dataclass(frozen=True, slots=True)
class Told:
    """A model's forecast at one place.

    Attributes:
        chances: By factor, (hypotheses,) summing to 1; a factor without a usable answer is not there.
        missing: By factor, why it is not there (the words complete "the model ...").
    """

    chances: dict[str, Floats]
    missing: dict[str, str]


@dataclass(frozen=True, slots=True)
class Place:
    """One patient turn of one session, where everybody is asked.

    Attributes:
        forecasts: The forecasts of all methods in this session. turn: The patient turn, 0 for the opening.
        session: What had been said up to there.
    """

    forecasts: Forecasts
    turn: int
    session: Session

    def chances(self, method: str, factor: str) -> Floats | None:
        """A method's forecast here, summing to 1; None where it makes none."""
        rows = self.forecasts.chances.get((method, factor))
        if rows is None or len(rows) <= self.turn:
            return None
        row = rows[self.turn].astype(np.float64)
        return np.asarray(row / row.sum())

    def truth(self, factor: str) -> int:
        """The true hypothesis."""
        return int(self.forecasts.truths[factor][self.turn])


def query(session: Session) -> Query:
    """The question about a session as it stands. The seed hangs on the words only; therapist's notes are not shown."""
    talk = "\n".join(f"{turn.speaker.capitalize()}: {turn.text[:LONGEST]}" for turn in session.turns)
    lists = "\n".join((f"Beliefs: {', '.join(ASKED['belief'])}", f"Conviction: {', '.join(ASKED['conviction'])}"))
    messages: tuple[Message, ...] = (
        {"role": "system", "content": prompt("mind_reading").text},
        {"role": "user", "content": f"{lists}\nThe talk so far:\n-----\n{talk}\n-----\nThe JSON object:"},
    )
    seed = derive_seed("mind reading", *(turn.text for turn in session.turns)) % 2**31
    return Query(messages, seed, MAX_TOKENS)


def told(answer: Answer) -> Told:
    """An answer as a forecast; each factor is read by itself, and what cannot be read is missing."""
    if answer.text is None:
        return Told({}, dict.fromkeys(ASKED, answer.missing))
    chances: dict[str, Floats] = {}
    missing: dict[str, str] = {}
    for factor, labels in ASKED.items():
        try:
            chances[factor] = shares(json_object(answer.text), factor, labels)
        except Unreadable as fault:
            missing[factor] = str(fault)
    return Told(chances, missing)


def places_of(cases: Sequence[str], arms: Sequence[str], count: int, tick: Tick) -> list[Place]:
    """The places in `count` sessions, one a case with the arms in turn, played in this process."""
    found: list[Place] = []
    for number in range(min(count, len(cases))):
        task = Task(cases[number], (arms[number % len(arms)],), (0,))
        for episode in episodes_of(task):
            if not episode.failed:
                found += places_in(forecast(episode, ceiling=True), episode.session, AT_TURNS)
            tick(1)
    return found


def places_in(found: Forecasts, session: Session, turns: Sequence[int]) -> list[Place]:
    """The places of one session after the given patient turns, the last one in place of those it has not."""
    said = [at for at, turn in enumerate(session.turns) if turn.speaker == "patient"]
    last = min(len(said), len(found.truths["belief"])) - 1
    chosen = sorted({min(turn, last) for turn in turns})
    return [Place(found, turn, Session(session.turns[: said[turn] + 1], session.seed)) for turn in chosen]


async def asked_at(answers: Answers, places: Sequence[Place], tick: Tick) -> list[Told]:
    """The model's forecast at each place. Raises `StorageError`."""
    try:
        return [told(answer) for answer in await answers.ask([query(place.session) for place in places], tick)]
    finally:
        await answers.model.close()
