"""Looking ahead over the tracker's own model: what a step is expected to bring, and what may come after it.

Expected change, expected information and rupture risk are read off the tracker's fitted tables; the simulator's dynamics are
not known here. The mind is carried on as a few means, which is enough to rank steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from maieutic.therapists.agent.steps import REFLECTS, Lead, Step, nature
from maieutic.tracking.asked import Push, Reflection, Target
from maieutic.tracking.belief import Belief
from maieutic.tracking.ear import TARGETS
from maieutic.tracking.space import MIDDLES, REPLIES, Reply, Scale
from maieutic.tracking.tables import Tables

FACTS_IN_A_LIFE = 4.5
"""Facts against a thought that a life is taken to hold. *Assumption*."""
DISCOUNT = 1.0
INFORMATION = {Reply.THOUGHT: 5.0, Reply.FEELING: 3.5, Reply.BACKGROUND: 0.4, Reply.HOPES: 0.6}
"""Points that knowing a slot is worth: the thought before all, since nothing can be set against what is not known."""
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
class Outlook:
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


@dataclass(frozen=True, slots=True)
class Model:
    """The tracker's tables as functions of a mean: (10,) values at the middles of the bins."""

    opens: dict[Reflection, tuple[float, ...]]
    calms: dict[Reflection, tuple[float, ...]]
    fact: dict[Target, tuple[float, ...]]
    tells: dict[tuple[Target, Reply], tuple[float, ...]]
    breaks: dict[Target, tuple[float, ...]]
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

        return cls(
            opens={r: tuple((steps[openness, i, quiet] @ MIDDLES).tolist()) for i, r in enumerate(_REFLECTIONS)},
            calms={r: tuple((steps[reactance, i, quiet] @ MIDDLES).tolist()) for i, r in enumerate(_REFLECTIONS)},
            fact={t: at(openness, t, Reply.AGAINST) for t in TARGETS},
            tells={(t, k): at(openness, t, k) for t in TARGETS for k in INFORMATION},
            breaks={t: at(reactance, t, Reply.RESISTS, Reply.LEAVES) for t in TARGETS},
            fact_gain=tables.fact_gain,
            weigh_gain=tables.weigh_gain,
        )


@lru_cache(maxsize=2)
def _model(tables_id: int) -> Model:
    return Model.of(_known[tables_id])


_known: dict[int, Tables] = {}


def model_of(tables: Tables) -> Model:
    """The model of these tables, read once."""
    _known[id(tables)] = tables
    return _model(id(tables))


def read(curve: tuple[float, ...], at: float) -> float:
    """A curve between the middles of its bins."""
    place = min(8.999, max(0.0, at * 10.0 - 0.5))
    low = int(place)
    return curve[low] + (place - low) * (curve[low + 1] - curve[low])


def outlook(belief: Belief, left: int, dry: int) -> Outlook:
    """The mind in means, from a belief."""
    told = belief.disclosed
    return Outlook(
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


def ahead(now: Outlook, lead: Lead, step: Step, model: Model) -> tuple[Outlook, float]:
    """The mind after a turn, and what the turn is worth: expected fall + information − rupture, in points."""
    target = nature(step).target
    reflection = REFLECTS.get(lead, Reflection.NONE)
    openness = read(model.opens[reflection], now.openness)
    reactance = read(model.calms[reflection], now.reactance)
    worth = -RUPTURE * read(model.breaks[target], now.reactance)
    waiting, weighed, held, voiced = now.waiting, now.weighed, now.held, now.voiced
    force = now.mobility * now.openness * now.held
    if target is Target.WEIGHING:
        fall = model.weigh_gain * force * waiting
        held, worth = held - fall, worth + fall
        waiting, weighed = 0.0, weighed + waiting
    if target is Target.ALTERNATIVE:
        worth += SENTENCE * min(1.0, weighed / 3.0)
    room = max(0.05, 1.0 - voiced / FACTS_IN_A_LIFE)
    ready = 0.25 + 0.75 * now.told[0]
    chance = read(model.fact[target], now.openness) * room * _REPEATING**now.dry * ready
    fall = model.fact_gain * force * chance
    # A fact that is told can be weighed later; without that promise nobody would ever ask for one early.
    worth += fall + (model.weigh_gain * force * chance * 0.8 if now.left > 2 else 0.0)
    told = []
    for known, (kind, value) in zip(now.told, INFORMATION.items(), strict=True):
        share = read(model.tells[target, kind], now.openness)
        worth += value * share * (1.0 - known)
        told.append(known + share * (1.0 - known))
    searching = target in (Target.AGAINST, Target.OPEN)
    return (
        replace(
            now, openness=openness, reactance=reactance, held=held - fall, waiting=waiting + chance, weighed=weighed,
            voiced=voiced + chance, told=(told[0], told[1], told[2], told[3]),
            dry=now.dry * (1.0 - chance) + (0.5 if searching else 0.0) * (1.0 - chance), left=now.left - 1,
        ),
        worth,
    )  # fmt: skip


LATER: tuple[tuple[Lead, Step], ...] = (
    (Lead.FEELING, Step.AGAINST), (Lead.SUMMARY, Step.WEIGH), (Lead.FEELING, Step.THOUGHT),
    (Lead.FEELING, Step.LISTEN),
)  # fmt: skip
"""What is thought of for the turns after the next one."""


def promise(now: Outlook, model: Model) -> float:
    """What is still to be had beyond the horizon, points: facts not told yet, told and weighed at the openness reached.

    A fact takes somewhat more than two turns, and one that waits is weighed with the others.
    """
    force = now.mobility * now.openness * now.held * (0.25 + 0.75 * now.told[0])
    facts = min(max(0.0, FACTS_IN_A_LIFE - now.voiced), max(0.0, now.left - CLOSING) / TURNS_A_FACT)
    waiting = now.waiting if now.left > CLOSING else 0.0
    return LIKELY * force * ((model.fact_gain + model.weigh_gain) * facts + model.weigh_gain * waiting)


def best_value(now: Outlook, depth: int, model: Model) -> float:
    """What the best course over `depth` more turns is worth, with what openness is worth beyond them."""
    if depth == 0 or now.left <= 0:
        return promise(now, model)
    return max(
        worth + DISCOUNT * best_value(then, depth - 1, model)
        for then, worth in (ahead(now, lead, step, model) for lead, step in LATER)
    )


def valued(
    now: Outlook, options: Sequence[tuple[Lead, Step]], model: Model, depth: int = 3
) -> list[tuple[float, Lead, Step]]:
    """Every option with its value over `depth` turns, the best first."""
    found = []
    for lead, step in options:
        then, worth = ahead(now, lead, step, model)
        found.append((worth + DISCOUNT * best_value(then, depth - 1, model), lead, step))
    return sorted(found, key=lambda item: -item[0])
