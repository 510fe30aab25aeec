"""States of the risk protocol, and what it does turn by turn, for its tests."""

from __future__ import annotations

from maieutic.domain.episode import Turn
from maieutic.therapists.risk.grades import Answer, Ask, Facet, RiskState
from maieutic.therapists.risk.protocol import Moment, next_ask
from maieutic.therapists.risk.signs import Signs, Thresholds
from maieutic.therapists.socratic import SocraticTherapist
from talks import session_of

CALM, NOW = Signs(), Moment(6)
WISH, INTENT, PLAN, MEANS = Facet.WISH, Facet.INTENT, Facet.PLAN, Facet.MEANS
NEVER = Thresholds(0.95, 0.1, 0.05)
NO_PLAN = Answer(no=frozenset({PLAN}))


def after(*exchanges: tuple[Ask, Answer]) -> RiskState:
    state = RiskState()
    for ask, answer in exchanges:
        state = state.with_turn(ask).with_answer(answer)
    return state


def told(*facets: Facet, no: tuple[Facet, ...] = (), unsure: bool = False) -> Answer:
    return Answer(frozenset(facets), frozenset(no), unsure)


def asks(state: RiskState, signs: Signs = CALM, moment: Moment = NOW) -> Ask | None:
    found = next_ask(state, signs, moment)
    return found[0] if found else None


def lines_of(*said: str) -> list[str]:
    """What the agent's protocol does after each patient turn, by its words alone."""
    protocol, talk, steps = SocraticTherapist().protocol, session_of(said[0]), []
    for more in (*said[1:], ""):
        number = len(talk.by("patient"))
        standing = protocol.read(talk)
        found = standing.risk_turn(Moment(number)) or standing.routine_turn(Moment(number))
        own = Turn("therapist", found.text, trace={"step": found.ask.value}) if found else Turn("therapist", "I see.")
        steps.append(found.ask.value if found else "")
        talk = talk + own + Turn("patient", more) if more else talk + own
    return steps
