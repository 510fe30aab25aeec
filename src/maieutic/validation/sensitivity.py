"""Do the conclusions hang on a number? One parameter at a time, and other worlds switched on one at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from maieutic.patients.kernel import ALTERNATIVES, PRIOR, STANDARD, STRUCTURAL, parameters, shifted
from maieutic.runs.findings import Finding, above, at_most
from maieutic.stats import Interval
from maieutic.validation.arms import INERT_BOUND, effect
from maieutic.validation.sessions import Row
from maieutic.worlds import STANDARD_NAME, SimulatorConfig

ARMS = ("oracle", "wide", "warm", "advice")
BASE = "no_session"
APART = 5.0
"""Points two arms must differ by before their order is asked about."""
FACTORS = (0.5, 1.5)
MAX_TELLING = (
    "plasticity",
    "openness",
    "guardedness",
    "on_voicing",
    "opening_gain",
    "gate_width",
    "wide_chance",
    "backfire",
)
"""Shifted in the quick run; the others only in the default and the full one."""
_INERT = ("eliza", "flattery", "reassurance", "keywords", "why")


def shifted_worlds(names: Sequence[str] | None = None) -> Iterator[SimulatorConfig]:
    """Every parameter down and up by half; `names` limits them."""
    for name in parameters(STANDARD):
        if name not in STRUCTURAL and (names is None or name in names):
            for factor in FACTORS:
                yield SimulatorConfig(f"{name} × {factor:g}", kernel=shifted(STANDARD, name, factor))
    for name in parameters(PRIOR):
        if names is None or name in names:
            for factor in FACTORS:
                yield SimulatorConfig(f"{name} × {factor:g}", prior=shifted(PRIOR, name, factor))


def other_worlds() -> tuple[SimulatorConfig, ...]:
    """The structural alternatives."""
    return tuple(SimulatorConfig(name, kernel=kernel) for name, kernel in ALTERNATIVES.items())


@dataclass(frozen=True, slots=True)
class Shift:
    """What a world does to the effects: effect by arm, and the pairs whose order it turns round."""

    world: str
    effects: Mapping[str, Interval]
    turned: tuple[tuple[str, str], ...]


def shifts(rows: Sequence[Row], arms: Sequence[str] = ARMS) -> list[Shift]:
    """Effects in every world against no session in the same world, and pairs turned round against the standard
    world."""
    regular = [r for r in rows if r.group == "regular"]
    by_world: dict[str, list[Row]] = {}
    for row in regular:
        by_world.setdefault(row.world, []).append(row)
    effects = {world: {arm: effect(own, arm, BASE) for arm in arms} for world, own in by_world.items()}
    usual = {arm: value.estimate or 0.0 for arm, value in effects[STANDARD_NAME].items()}
    apart = [(a, b) for a, b in combinations(arms, 2) if abs(usual[a] - usual[b]) > APART]
    return [
        Shift(world, own, tuple(pair for pair in apart if _turned(usual, own, *pair)))
        for world, own in effects.items()
        if world != STANDARD_NAME
    ]


def _turned(usual: Mapping[str, float], here: Mapping[str, Interval], a: str, b: str) -> bool:
    now = (here[a].estimate or 0.0) - (here[b].estimate or 0.0)
    return now * (usual[a] - usual[b]) <= 0.0


def judged(rows: Sequence[Row]) -> list[Finding]:
    """The bound on order, and which parameter matters most."""
    found = shifts(rows)
    turned = [s for s in found if s.turned]
    note = "; ".join(f"{s.world}: {', '.join('/'.join(p) for p in s.turned)}" for s in turned)
    count = Interval(float(len(turned)), None, None, len(found))
    title = (
        f"shifts of one parameter by half that turn round two of {', '.join(ARMS)} which differ by more than {APART:g}"
    )
    holds = not turned if found else None
    lines = [Finding("sensitivity", title, count, f"of {len(found)} worlds", "0", holds, note)]
    spread: dict[str, list[float]] = {}
    for shift in found:
        name = shift.world.split(" × ")[0]
        spread.setdefault(name, []).append(shift.effects["oracle"].estimate or 0.0)
    widest = sorted(spread.items(), key=lambda item: max(item[1]) - min(item[1]), reverse=True)[:5]
    lines += [
        Finding(
            "sensitivity",
            f"oracle's effect with {name} halved and half as much again",
            Interval(None, min(values), max(values), len(values)),
            "points",
            note="lowest and highest mean, no interval",
        )
        for name, values in widest
    ]
    return lines


def surviving(rows: Sequence[Row]) -> list[tuple[str, str, bool | None, Interval]]:
    """(conclusion, world, whether it survives, figure) for each structural alternative.

    Conclusions: the inert arms stay inert; warmth leaves conviction alone; advice does not lower conviction; wide
    questions do more than warmth; asking for facts beats telling them; the oracle beats the next best arm.
    """
    arms = sorted({r.arm for r in rows} - {BASE})
    found: list[tuple[str, str, bool | None, Interval]] = []
    for world in (STANDARD_NAME, *ALTERNATIVES):
        own = [r for r in rows if r.world == world and r.group == "regular"]
        if not own:
            continue
        effects = {arm: effect(own, arm, BASE) for arm in arms}
        worst = max((effects[a] for a in _INERT if a in effects), key=lambda i: i.high or 0.0)
        warm, advice = effects["warm"], effects["advice"]
        told = [
            ("inert arms fall at most 3 beyond no session", at_most(worst, INERT_BOUND), worst),
            ("warm empathy leaves conviction alone (≤ 3)", at_most(warm, INERT_BOUND), warm),
            ("advice does not lower conviction", at_most(advice, 0.0), advice),
        ]
        if "wide" in effects:
            over = effect(own, "wide", "warm")
            told.append(("wide questions do more than warmth alone (paired)", above(over, 0.0), over))
        if "didactic" in effects:
            gap = effect(own, "oracle", "didactic")
            told.append(("asking for the facts beats telling the same facts (paired)", above(gap, 0.0), gap))
        gaps = [effect(own, "oracle", arm) for arm in arms if arm != "oracle"]
        least = min(gaps, key=lambda i: i.low if i.low is not None else 0.0)
        told.append(("the oracle beats the next best arm (paired)", above(least, 0.0), least))
        found += [(conclusion, world, survives, figure) for conclusion, survives, figure in told]
    return found
