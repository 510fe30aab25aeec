"""A therapist behind the API: the messages become a session again, with the private traces of its own turns."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from maieutic.domain.episode import Session, Turn
from maieutic.protocols import Therapist
from maieutic.reading.plain import plain_turn
from maieutic.serving.beside import beside
from maieutic.serving.folding import Said, ends_with_caller, turn_of
from maieutic.serving.prefixes import Prefixes, keys
from maieutic.serving.refusals import SETTLED, Refusal
from maieutic.serving.spoken import History, Spoken, handed_over, in_danger
from maieutic.therapists.agent.steps import Step
from maieutic.therapists.socratic import SocraticTherapist

_HANDING_OVER = frozenset({Step.HAND_OVER.value, Step.STAY.value})


@dataclass(frozen=True, slots=True)
class Known:
    """A conversation up to one of its turns.

    Attributes:
        turns: What was said, our own turns with their traces.
        foreign: Places of assistant turns that this therapist cannot have said.
        unverified: Some assistant turns were taken as they came.
    """

    turns: tuple[Turn, ...] = ()
    foreign: tuple[int, ...] = ()
    unverified: bool = False


@dataclass(frozen=True, slots=True)
class ServedTherapist:
    """Answers as the patient's counterpart; the caller is the patient.

    An earlier turn of its own is said again where it is not remembered: that brings its trace back, and shows whether
    it is its own. Where a language model would have to be asked for that and the therapist reads no traces, the turn is
    taken as it came, unless histories are strict.

    Attributes:
        id: The model's id.
        therapist: Who answers.
        kept: Conversations of all therapists.
    """

    id: str
    therapist: Therapist
    kept: Prefixes[Known]

    async def reply(self, said: Sequence[Said], seed: int, *, strict: bool) -> Spoken:
        """The therapist's next turn; without any turn of the caller, its opening."""
        ends_with_caller(said)
        if not self._grades_risk and (
            grave := [one.text for one in said if not one.own and in_danger(one.text, "patient")]
        ):
            return handed_over("therapist", *grave)
        told = [turn_of("therapist" if one.own else "patient", one.text) for one in said]
        chain = keys((self.id, seed), (f"{turn.speaker}{turn.text}" for turn in told))
        known = await self._known(told, chain, seed, strict)
        if strict and known.foreign:
            raise Refusal(
                409,
                f"{self.id} with seed {seed} cannot have said turn {known.foreign[0]} of this conversation; "
                "send back its own replies word for word, with the seed that they were given for",
                "foreign_history",
                "messages",
                SETTLED,
            )
        turn = await self._said(Session(known.turns, seed))
        whole = Known((*known.turns, turn), known.foreign, known.unverified)
        self.kept.put(keys((chain[-1].hex(),), (turn.text,))[-1], whole, sum(len(t.text) for t in whole.turns))
        trace = turn.trace or {}
        return Spoken(
            turn,
            _history(known),
            known.foreign,
            handed_over=self._grades_risk and trace.get("step") in _HANDING_OVER,
            hidden=turn.trace,
        )

    @property
    def _grades_risk(self) -> bool:
        """The Socratic agent grades risk itself, and hands over by its own protocol; all others are watched."""
        return isinstance(self.therapist, SocraticTherapist)

    async def _known(self, told: Sequence[Turn], chain: Sequence[bytes], seed: int, strict: bool) -> Known:
        known, at = Known(), 0
        for place in range(len(told) - 1, 0, -1):
            found = self.kept.get(keys((chain[place - 1].hex(),), (told[place - 1].text,))[-1])
            if found is not None and (not strict or not found.unverified):
                known, at = found, place
                break
        says_again = strict or self._grades_risk or getattr(self.therapist, "model", None) is None
        for place in range(at, len(told)):
            known = await self._next(known, told[place], seed, says_again)
        return known

    async def _next(self, known: Known, turn: Turn, seed: int, says_again: bool) -> Known:
        if turn.speaker == "patient":
            return Known((*known.turns, turn), known.foreign, known.unverified)
        if not says_again:
            return Known((*known.turns, turn), known.foreign, True)
        own = await self._said(Session(known.turns, seed))
        await asyncio.sleep(0)  # others get their turn between two of a long conversation
        if own.text == turn.text:
            return Known((*known.turns, own), known.foreign, known.unverified)
        return Known((*known.turns, turn), (*known.foreign, len(known.turns)), known.unverified)

    async def _said(self, session: Session) -> Turn:
        """Its next turn. A model's connections belong to the event loop; what others hold is not known to bear two
        threads."""
        agent = self.therapist
        if isinstance(agent, SocraticTherapist) and agent.model is None and agent.listener is None:
            return plain_turn(await beside(partial(agent.respond, session)))
        return plain_turn(await self.therapist.respond(session))


def _history(known: Known) -> History:
    if known.foreign:
        return "foreign"
    if known.unverified:
        return "unverified"
    return "own" if any(turn.speaker == "therapist" for turn in known.turns) else "none"
