"""The didactic oracle: sees the case, asks leave, and tells the patient every fact against the thought.

It holds the same facts in its hands as the oracle, told instead of asked for. In the standard world that moves nothing
by assumption; the structural alternatives in which told facts count show what hangs on the assumption.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from maieutic.domain.case import Case
from maieutic.domain.episode import Session, Turn
from maieutic.domain.state import CognitiveState
from maieutic.registry import therapist

_LEAVE = "Would it be all right if I told you something that I noticed?"


@dataclass(frozen=True, slots=True)
class _Known:
    case: Case
    state: CognitiveState


@therapist("didactic")
@dataclass(frozen=True, slots=True)
class Didactic:
    """Tells the facts of this life, one a turn, with leave; never asks for one."""

    name: str = "didactic"
    needs: tuple[str, ...] = ("case", "state")
    known: _Known | None = None

    def informed(self, *, case: Case, state: CognitiveState) -> Didactic:
        """The same therapist, knowing this case and this state."""
        return replace(self, known=_Known(case, state))

    async def respond(self, session: Session) -> Turn:
        """Asks leave in every other turn, and tells a fact in the next."""
        assert self.known is not None, "the didactic oracle must be informed by the dialogue loop"
        number = len(session.by("therapist"))
        situation = self.known.case.situation(self.known.state.situation)
        facts = [e for e in situation.evidence if e.bearing == "against"]
        if number % 2 == 0:
            return Turn("therapist", _LEAVE)
        fact = facts[(number // 2) % len(facts)]
        return Turn("therapist", f"Here is something that speaks against your thought. {fact.fact}")
