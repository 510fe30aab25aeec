"""Builds small episodes by hand, so that a test of a measure shows exactly what went into it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from maieutic.domain.appraisal import Appraisal
from maieutic.domain.codes import Move, TurnCode
from maieutic.domain.episode import Ending, EndingKind, Episode, EpisodeKey, Session, Turn
from maieutic.domain.state import CognitiveState, Intent, Traits, Voiced

AGAINST = ("colleague-thanked", "finished-early", "asked-again")
PROVENANCE: dict[str, Any] = {"warranted": 35.0, "against": AGAINST}
TRAITS = Traits(plasticity=0.3, guardedness=0.0, reactivity=0.8, warmth=0.8, patience=0.8, variability=0.5)
START = CognitiveState(
    situation="meeting",
    held=80.0,
    stated=80.0,
    core=75.0,
    distress=70.0,
    goal=0.4,
    task=0.4,
    bond=0.4,
    openness=0.4,
    reactance=0.1,
    disclosed=("situation",),
    traits=TRAITS,
)


def make_state(**changes: Any) -> CognitiveState:
    """The starting state with some fields changed; `act` stands for an intent with that act."""
    if "act" in changes:
        changes["intent"] = Intent(changes.pop("act"))
    return replace(START, **changes)


def make_states(*changes: dict[str, Any]) -> tuple[CognitiveState, ...]:
    """One state for each set of changes; every change stays in force in the states after it."""
    states, kept = [], dict[str, Any]()
    for number, change in enumerate(changes):
        kept |= change
        states.append(make_state(turn=number, **kept))
    return tuple(states)


def code(*moves: Move) -> TurnCode:
    """A code in which the given moves are certain."""
    return TurnCode(dict.fromkeys(moves, 0.95))


def told(fact: str, turn: int) -> Voiced:
    """A fact that the therapist stated in the given turn (from 1)."""
    return Voiced(fact, "therapist", turn, 0.0)


def voiced(fact: str, turn: int) -> Voiced:
    """A fact that the patient voiced after the given therapist turn (from 1)."""
    return Voiced(fact, "patient", turn, 1.0)


def make_session(said: Sequence[str]) -> Session:
    """Turns in order; the patient opens, then the two take turns."""
    return Session(tuple(Turn("therapist" if n % 2 else "patient", text) for n, text in enumerate(said)))


def make_episode(
    said: Sequence[str] | int = 3,
    *,
    states: Sequence[CognitiveState] | None = None,
    codes: Sequence[TurnCode | None] | None = None,
    appraisals: Sequence[Appraisal | None] | None = None,
    ending: EndingKind = "turn_limit",
    provenance: dict[str, Any] | None = None,
) -> Episode:
    """An episode; a number of therapist turns stands for that many plain exchanges.

    The patient's turns stand at 0, 2, 4 …, the therapist's at 1, 3, 5 …. What is not given is neutral: states that do
    not move, codes and appraisals that say nothing.
    """
    texts = (
        [w for _ in range(said) for w in ("It went on.", "I see.")] + ["It went on."] if isinstance(said, int) else said
    )
    session = make_session(texts)
    count = len(session.by("therapist"))
    return Episode(
        key=EpisodeKey("therapist", "case", 0),
        session=session,
        states=tuple(make_states(*[{}] * (count + 1)) if states is None else states),
        codes=tuple([code(Move.OTHER)] * count if codes is None else codes),
        appraisals=tuple([Appraisal()] * count if appraisals is None else appraisals),
        ending=Ending(ending, "the model gave up" if ending == "failed" else None),
        provenance=PROVENANCE if provenance is None else provenance,
    )


def without_session(states: Sequence[CognitiveState]) -> Episode:
    """The arm without a session: a mind left alone, nothing said."""
    nothing = (None,) * (len(states) - 1)
    key = EpisodeKey("no_session", "case", 0)
    return Episode(key, Session(), tuple(states), nothing, nothing, Ending("completed", "no session"), PROVENANCE)
