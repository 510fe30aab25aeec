"""A measure of your own: a function of a stored episode that says which turns show it, and why it is missing when it is.

`maieutic evaluate --measure examples/02_your_own_measure.py:LongTurns` scores it in a run.
"""  # noqa: E501

import asyncio
from dataclasses import dataclass

from maieutic import (
    Conversation,
    Episode,
    EpisodeKey,
    MiniLM,
    RuleCoder,
    Score,
    SimulatedPatient,
    Streams,
    converse,
    get_case,
    load_therapist,
    measure,
)


@dataclass(frozen=True)
class LongTurns:
    """Share of therapist turns longer than forty words. Unit: share of turns, 0 to 1. Evidence: those turns."""

    id: str = "long_turns"
    unit: str = "share of therapist turns"
    hidden: bool = False

    def __call__(self, episode: Episode) -> Score:
        spoken = [i for i, turn in enumerate(episode.session.turns) if turn.speaker == "therapist"]
        if not spoken:
            return Score(self.id, None, self.unit, reason="the therapist said nothing")
        long = tuple(i for i in spoken if len(episode.session.turns[i].text.split()) > 40)
        return Score(self.id, len(long) / len(spoken), self.unit, evidence=long)


if __name__ == "__main__":
    measure("long_turns")(LongTurns())  # from here on every evaluate() in this process scores it

    case = get_case("gethin")
    talk = Conversation(
        therapist=load_therapist("advice"),
        patient=SimulatedPatient.of(case, case.situations[0].id, embed=MiniLM()),
        coder=RuleCoder(),
        max_turns=6,
        streams=Streams(run_seed=1, key=EpisodeKey("advice", case.id, 0)),
    )
    print(LongTurns()(asyncio.run(converse(talk))))
