"""How far conviction could fall at most: a search over turns without words, and the oracle's share of what it finds.

`python -m maieutic.validation.ceiling [--split dev|test] [--cases 40] [--seeds 5]`

The search knows the patient's own equations and state, and hands the patient a code and an appraisal instead of words.
At every turn each option is valued by rollouts of a plain policy to the end of the session, and the best is taken
(rollout, a one-step policy improvement: Bertsekas, Tsitsiklis & Wu 1997). Rollouts draw luck of their own; the turn
that is taken meets the luck that every arm meets in this session, so that falls are paired by case and seed. It is no
upper bound in the strict sense: a finite number of rollouts errs, and the options are one of each kind.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from maieutic.dialogue import Streams
from maieutic.domain.appraisal import Appraisal, FeelingClaim, Reach, Slot
from maieutic.domain.codes import Move, TurnCode
from maieutic.domain.episode import EpisodeKey
from maieutic.domain.randomness import derive_seed
from maieutic.domain.state import CognitiveState
from maieutic.library import SPLITS, get_case, select_cases
from maieutic.patients.dynamics import Mind, gate
from maieutic.patients.simulated import SimulatedPatient
from maieutic.runs.findings import show
from maieutic.stats import Interval, bootstrap_statistic
from maieutic.validation.arms import over_cases
from maieutic.validation.sessions import Task, rows_of
from maieutic.worlds import patient_of

TURNS = 20
ROLLOUTS = 4
STRENGTH = 0.95
"""Strength of a typical question that reaches a fact, as the packaged comprehension reads it (0.5–1)."""
LIKELY = 0.5
"""The plain policy asks for a fact once the patient would tell it with this probability."""


@dataclass(frozen=True, slots=True)
class Option:
    """One therapist turn without words.

    Attributes:
        name: What it does; 'ask FACT' for a question that reaches a fact.
        code, appraisal: What the patient's mind takes in.
    """

    name: str
    code: TurnCode
    appraisal: Appraisal


@dataclass(frozen=True, slots=True)
class Pair:
    """One patient met by the search and by the oracle.

    Attributes:
        case, seed: Whom they met.
        search, oracle: Points of held conviction lost from start to end.
    """

    case: str
    seed: int
    search: float
    oracle: float


def options(mind: Mind, state: CognitiveState) -> tuple[Option, ...]:
    """The turns worth thinking of in this state; each names a true feeling that was voiced, and most ask one thing."""
    waiting = _waiting(state)
    found = [_turn(f"ask {name}", mind, reaches=(Reach(name, STRENGTH),)) for name in _unvoiced(mind, state)] + [
        _turn("reflect", mind, questions=0),
        _turn("feeling", mind, asks=(Slot.FEELING,)),
        _turn("thought", mind, asks=(Slot.THOUGHT,)),
        _turn("goal", mind, asks=(Slot.GOAL,), permission=True),
        _turn("plan", mind, asks=(Slot.PLAN,), permission=True),
    ]
    if waiting:
        found.append(_turn("weigh", mind, asks=(Slot.WEIGHING,), summarised=waiting))
    if state.weighed:
        found.append(_turn("alternative", mind, asks=(Slot.ALTERNATIVE,)))
    if mind.situation.knowledge_gap is not None:
        if state.informed == 0.0:
            found.append(_turn("inform", mind, questions=0, permission=True, informs=True))
        elif state.informed == 0.5:
            found.append(_turn("check back", mind, gap_asked=True))
    return tuple(found)


def _turn(
    name: str,
    mind: Mind,
    *,
    questions: int = 1,
    asks: tuple[Slot, ...] = (),
    reaches: tuple[Reach, ...] = (),
    summarised: tuple[str, ...] = (),
    permission: bool = False,
    informs: bool = False,
    gap_asked: bool = False,
) -> Option:
    """A turn with a perfectly fitting reflection and, where `questions` is 1, one clear open question."""
    felt = FeelingClaim(mind.situation.emotions[0].group, tentative=False, true=True, voiced=True)
    appraisal = Appraisal(
        questions=questions,
        open=questions > 0,
        asks=asks,
        reaches=reaches,
        summarised=summarised,
        claims=(felt,),
        fit=1.0,
        permission=permission,
        informs=informs,
        gap_asked=gap_asked,
    )
    moves = (Move.REFLECTION, Move.OPEN_QUESTION) if questions else (Move.REFLECTION,)
    return Option(name, TurnCode(dict.fromkeys(moves, 1.0), words=25), appraisal)


def _unvoiced(mind: Mind, state: CognitiveState) -> list[str]:
    known = {v.evidence for v in state.voiced}
    return [e.id for e in mind.situation.evidence if e.bearing == "against" and e.id not in known]


def _waiting(state: CognitiveState) -> tuple[str, ...]:
    """Facts that the patient has told and not yet set against the thought."""
    return tuple(v.evidence for v in state.voiced if v.by == "patient" and v.evidence not in state.weighed)


def plain_policy(mind: Mind, state: CognitiveState, *, turns: int = TURNS) -> Option:
    """The greedy policy of the rollouts: the likeliest and weightiest fact, else reflect; weigh all that came up
    last."""
    left, ready, unvoiced = turns - state.turn, _waiting(state), _unvoiced(mind, state)
    if ready and (left <= 1 or not unvoiced):
        return _turn("weigh", mind, asks=(Slot.WEIGHING,), summarised=ready)
    if unvoiced:
        chances = {name: gate(mind, state, mind.fact(name)) for name in unvoiced}
        best = max(unvoiced, key=lambda name: (chances[name] * mind.fact(name).weight, name))
        if chances[best] >= LIKELY or left <= len(unvoiced) + 1:
            return _turn(f"ask {best}", mind, reaches=(Reach(best, STRENGTH),))
    return _turn("reflect", mind, questions=0)


def rollout(
    patient: SimulatedPatient, state: CognitiveState, first: Option, rng: Random, *, turns: int = TURNS
) -> float:
    """Held conviction (0–100) at the end of one session that goes on with `first` and then the plain policy."""
    state = patient.transition(state, first.code, first.appraisal, rng)
    while state.turn < turns and not state.left:
        option = plain_policy(patient.mind, state, turns=turns)
        state = patient.transition(state, option.code, option.appraisal, rng)
    return state.held


def best_option(
    patient: SimulatedPatient, state: CognitiveState, seeds: Sequence[int], *, turns: int = TURNS
) -> Option:
    """The option with the lowest mean end of the rollouts; all options meet the same luck, one generator a seed."""

    def end(option: Option) -> float:
        return sum(rollout(patient, state, option, Random(seed), turns=turns) for seed in seeds)

    return min(options(patient.mind, state), key=end)


def search(
    patient: SimulatedPatient, streams: Streams, *, turns: int = TURNS, rollouts: int = ROLLOUTS
) -> tuple[tuple[CognitiveState, ...], tuple[str, ...]]:
    """(the states of one session played by search, the names of the turns taken), in the luck of `streams`."""
    state, taken = patient.begin(streams.patient("begin", 0)), list[str]()
    states = [state]
    while state.turn < turns and not state.left:
        number = state.turn + 1
        seeds = [derive_seed(streams.session_seed, "rollout", number, m) for m in range(rollouts)]
        option = best_option(patient, state, seeds, turns=turns)
        state = patient.transition(state, option.code, option.appraisal, streams.patient("move", number))
        states.append(state)
        taken.append(option.name)
    return tuple(states), tuple(taken)


def compare(task: Task) -> Iterator[Pair]:
    """The search beside the arms of one task, session by session; `task.arms` must be the oracle alone."""
    case = get_case(task.case)
    for row in rows_of(task):
        streams = Streams(0, EpisodeKey("search", case.id, row.seed))
        states, _ = search(patient_of(case, row.seed, task.world), streams, turns=task.turns)
        yield Pair(case.id, row.seed, states[0].held - states[-1].held, row.fall)


def share(pairs: Sequence[Pair]) -> Interval:
    """Mean fall with the oracle over mean fall with the search, with a bootstrap interval over cases."""

    def ratio(chosen: Sequence[Pair]) -> float | None:
        below = sum(pair.search for pair in chosen)
        return sum(pair.oracle for pair in chosen) / below if below > 0 else None

    return bootstrap_statistic(pairs, ratio, clusters=[pair.case for pair in pairs], rng=Random(7))


def table(pairs: Sequence[Pair]) -> str:
    """Mean falls in points and the oracle's share, each with its interval over cases."""
    lines = {
        "search, fall in points": over_cases(pairs, lambda pair: pair.search),
        "oracle, fall in points": over_cases(pairs, lambda pair: pair.oracle),
        "oracle as a share of search": share(pairs),
    }
    head = f"{len(pairs)} sessions of {len({pair.case for pair in pairs})} regular cases"
    return "\n".join([head, *(f"{name:<28} {show(value)}" for name, value in lines.items())])


def main(arguments: Sequence[str] | None = None) -> None:
    """Play, compare and print."""
    parser = argparse.ArgumentParser(prog="python -m maieutic.validation.ceiling", description=__doc__.split("\n")[0])
    parser.add_argument("--split", choices=("dev", "test"), default="dev")
    parser.add_argument("--cases", type=int, default=40, help="regular cases at most, in the order of their ids")
    parser.add_argument("--seeds", type=int, default=5)
    chosen = parser.parse_args(arguments)
    regular = [case.id for case in select_cases(split=SPLITS[chosen.split]) if case.special is None]
    pairs: list[Pair] = []
    for name in regular[: chosen.cases]:
        pairs += compare(Task(name, ("oracle",), tuple(range(chosen.seeds))))
    print(table(pairs))


if __name__ == "__main__":
    main()
