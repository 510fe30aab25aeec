"""Looking ahead over the tracker's own model: what a step is expected to bring, and what may come after it.

Expected change, expected information and rupture risk are read off the tracker's fitted tables; the simulator's
dynamics are not known here. The mind is carried on as a few means, which is enough to rank steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from maieutic.therapists.agent.steps import REFLECTS, Lead, Step, nature
from maieutic.tracking.belief import Belief
from maieutic.tracking.ear import TARGETS
from maieutic.tracking.space import MIDDLES, REPLIES, Reply, Scale
from maieutic.tracking.tables import Tables
from maieutic.tracking.targets import Push, Reflection, Target

FACTS_IN_A_LIFE = 4.5
"""Facts against a thought that a life is taken to hold. *Assumption*."""
INFORMATION = {Reply.THOUGHT: 5.0, Reply.FEELING: 3.5, Reply.BACKGROUND: 0.4, Reply.HOPES: 0.6}
"""Points that knowing a slot is worth: the thought before all, since nothing can be set against what is not known."""
_WORTHS = tuple(INFORMATION.values())
RUPTURE = 7.0
"""Points that a rupture costs."""
TURNS_A_FACT = 2.5
"""Turns that asking for a fact and weighing it take. *Assumption*."""
CLOSING = 2
"""Turns that the end of a session takes."""
LIKELY = 1.1
"""Weight of what is promised beside what is had at once; chosen on development cases (0.8, 1.1, 1.3 were tried)."""
SENTENCE = 1.0
"""Points that the patient's own fair sentence is worth, once three facts have been weighed."""
_REPEATING = 0.75
_ROWS = {scale: row for row, scale in enumerate(Scale)}
_REFLECTIONS = tuple(Reflection)


@dataclass(frozen=True, slots=True)
class PlannerState:
    """The mind in means.

    Attributes:
        openness, reactance: 0–1. held: Points. mobility: Share. waiting, voiced, weighed: Expected numbers of facts.
        thought, feeling, background, hopes: P(told). dry: Searches in a row that brought nothing. left: Turns left.
    """

    openness: float
    reactance: float
    held: float
    mobility: float
    waiting: float
    voiced: float
    weighed: float
    told: tuple[float, float, float, float]
    dry: float
    left: int


LATER: tuple[tuple[Lead, Step], ...] = (
    (Lead.WORDS, Step.AGAINST),
    (Lead.SUMMARY, Step.WEIGH),
    (Lead.WORDS, Step.THOUGHT),
    (Lead.WORDS, Step.FOLLOW),
)
"""What is thought of for the turns after the next one."""


@dataclass(frozen=True, slots=True)
class Course:
    """One kind of turn with the curves that belong to it: (10,) values at the middles of the bins of openness or
    reactance.

    Attributes:
        weighs, sums_up, searches: Whether it asks to weigh, for a sentence of one's own, for experience against the
            thought.
        opens, calms: Openness and reactance after it. breaks: P(rupture). fact: P(a fact is told).
        tells: P(told) of each slot, in the order of `INFORMATION`.
    """

    weighs: bool
    sums_up: bool
    searches: bool
    opens: tuple[float, ...]
    calms: tuple[float, ...]
    breaks: tuple[float, ...]
    fact: tuple[float, ...]
    tells: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class Model:
    """The tracker's tables as functions of a mean, by kind of turn.

    Attributes:
        courses: What each target brings behind each reflection.
        later: The courses that are thought of for the turns after the next one.
    """

    courses: dict[tuple[Target, Reflection], Course]
    later: tuple[Course, ...]
    fact_gain: float
    weigh_gain: float

    @classmethod
    def of(cls, tables: Tables) -> Model:
        """Read the tables once."""
        quiet = list(Push).index(Push.NONE)
        steps = tables.scale_steps
        openness, reactance = _ROWS[Scale.OPENNESS], _ROWS[Scale.REACTANCE]
        column = {kind: REPLIES.index(kind) for kind in REPLIES}
        replies = tables.scale_replies

        def at(row: int, target: Target, *kinds: Reply) -> tuple[float, ...]:
            table = replies[row, TARGETS.index(target)]
            return tuple(float(sum(table[place, column[k]] for k in kinds)) for place in range(len(MIDDLES)))

        opens = [tuple((steps[openness, i, quiet] @ MIDDLES).tolist()) for i in range(len(_REFLECTIONS))]
        calms = [tuple((steps[reactance, i, quiet] @ MIDDLES).tolist()) for i in range(len(_REFLECTIONS))]
        courses = {}
        for target in TARGETS:
            breaks = at(reactance, target, Reply.RESISTS, Reply.LEAVES)
            fact, tells = at(openness, target, Reply.AGAINST), tuple(at(openness, target, k) for k in INFORMATION)
            for i, reflection in enumerate(_REFLECTIONS):
                courses[target, reflection] = Course(
                    target is Target.WEIGHING,
                    target is Target.ALTERNATIVE,
                    target in (Target.AGAINST, Target.OPEN),
                    opens[i],
                    calms[i],
                    breaks,
                    fact,
                    tells,
                )
        later = tuple(courses[_kind(lead, step)] for lead, step in LATER)
        return cls(courses, later, tables.fact_gain, tables.weigh_gain)

    def course(self, lead: Lead, step: Step) -> Course:
        """What a step behind a lead-in amounts to."""
        return self.courses[_kind(lead, step)]


def _kind(lead: Lead, step: Step) -> tuple[Target, Reflection]:
    return nature(step).target, REFLECTS.get(lead, Reflection.NONE)


@lru_cache(maxsize=2)
def _model(tables_id: int) -> Model:
    return Model.of(_known[tables_id])


_known: dict[int, Tables] = {}


def model_of(tables: Tables) -> Model:
    """The model of these tables, read once."""
    _known[id(tables)] = tables
    return _model(id(tables))


def planner_state(belief: Belief, left: int, dry: int) -> PlannerState:
    """The mind in means, from a belief."""
    told = belief.disclosed
    return PlannerState(
        openness=belief.expected(Scale.OPENNESS),
        reactance=belief.expected(Scale.REACTANCE),
        held=belief.held,
        mobility=belief.mobility,
        waiting=belief.waiting,
        voiced=float(belief.voiced @ np.arange(len(belief.voiced))),
        weighed=belief.weighed,
        told=(told[Reply.THOUGHT], told[Reply.FEELING], told[Reply.BACKGROUND], told[Reply.HOPES]),
        dry=float(dry),
        left=left,
    )


def ahead(now: PlannerState, lead: Lead, step: Step, model: Model) -> tuple[PlannerState, float]:
    """The mind after a turn, and what the turn is worth: expected fall + information − rupture, in points."""
    return _after(now, (model.course(lead, step),), model)[0]


def _after(now: PlannerState, courses: Sequence[Course], model: Model) -> list[tuple[PlannerState, float]]:
    """`ahead` for several courses from one mind: a turn looks at some 250, so what they share is worked out once."""
    low, over = _between(now.openness)
    calm, above = _between(now.reactance)
    known_thought, known_feeling, known_background, known_hopes = now.told
    thought, feeling, background, hopes = _WORTHS
    force = now.mobility * now.openness * now.held
    room = max(0.05, 1.0 - now.voiced / FACTS_IN_A_LIFE)
    ready = 0.25 + 0.75 * known_thought
    again = _REPEATING**now.dry
    promised = now.left > 2
    found = []
    for course in courses:
        curve = course.breaks
        worth = -RUPTURE * (curve[calm] + above * (curve[calm + 1] - curve[calm]))
        waiting, weighed, held = now.waiting, now.weighed, now.held
        if course.weighs:
            fall = model.weigh_gain * force * waiting
            held, worth = held - fall, worth + fall
            waiting, weighed = 0.0, weighed + waiting
        if course.sums_up:
            worth += SENTENCE * min(1.0, weighed / 3.0)
        curve = course.fact
        chance = (curve[low] + over * (curve[low + 1] - curve[low])) * room * again * ready
        fall = model.fact_gain * force * chance
        # A fact that is told can be weighed later; without that promise nobody would ever ask for one early.
        worth += fall + (model.weigh_gain * force * chance * 0.8 if promised else 0.0)
        one, two, three, four = course.tells
        first = one[low] + over * (one[low + 1] - one[low])
        second = two[low] + over * (two[low + 1] - two[low])
        third = three[low] + over * (three[low + 1] - three[low])
        fourth = four[low] + over * (four[low + 1] - four[low])
        worth += thought * first * (1.0 - known_thought)
        worth += feeling * second * (1.0 - known_feeling)
        worth += background * third * (1.0 - known_background)
        worth += hopes * fourth * (1.0 - known_hopes)
        told = (
            known_thought + first * (1.0 - known_thought),
            known_feeling + second * (1.0 - known_feeling),
            known_background + third * (1.0 - known_background),
            known_hopes + fourth * (1.0 - known_hopes),
        )
        opens, calms = course.opens, course.calms
        then = PlannerState(
            opens[low] + over * (opens[low + 1] - opens[low]),
            calms[calm] + above * (calms[calm + 1] - calms[calm]),
            held - fall,
            now.mobility,
            waiting + chance,
            now.voiced + chance,
            weighed,
            told,
            now.dry * (1.0 - chance) + (0.5 if course.searches else 0.0) * (1.0 - chance),
            now.left - 1,
        )
        found.append((then, worth))
    return found


def _between(at: float) -> tuple[int, float]:
    """Where a mean lies between the middles of the bins: the lower one, and how far beyond it."""
    place = min(8.999, max(0.0, at * 10.0 - 0.5))
    low = int(place)
    return low, place - low


def terminal_value(now: PlannerState, model: Model) -> float:
    """What is still to be had beyond the horizon, points: facts not told yet, told and weighed at the openness reached.

    A fact takes somewhat more than two turns, and one that waits is weighed with the others.
    """
    force = now.mobility * now.openness * now.held * (0.25 + 0.75 * now.told[0])
    facts = min(max(0.0, FACTS_IN_A_LIFE - now.voiced), max(0.0, now.left - CLOSING) / TURNS_A_FACT)
    waiting = now.waiting if now.left > CLOSING else 0.0
    return LIKELY * force * ((model.fact_gain + model.weigh_gain) * facts + model.weigh_gain * waiting)


def best_value(now: PlannerState, depth: int, model: Model) -> float:
    """What the best course over `depth` more turns is worth, with what openness is worth beyond them."""
    if depth == 0 or now.left <= 0:
        return terminal_value(now, model)
    coming = _after(now, model.later, model)
    return max([worth + best_value(then, depth - 1, model) for then, worth in coming])


def valued(
    now: PlannerState, options: Sequence[tuple[Lead, Step]], model: Model, depth: int = 3
) -> list[tuple[float, Lead, Step]]:
    """Every option with its value over `depth` turns, the best first."""
    coming = _after(now, [model.course(lead, step) for lead, step in options], model)
    found = [
        (worth + best_value(then, depth - 1, model), lead, step)
        for (lead, step), (then, worth) in zip(options, coming, strict=True)
    ]
    return sorted(found, key=lambda item: -item[0])
