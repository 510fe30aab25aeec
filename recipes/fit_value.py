"""Fit what the agent's steps are worth (`therapists/agent/value.py`) to sessions in which it draws them at random.

    python recipes/fit_value.py                     # plays, fits, prints left-out figures, writes the weights; about ten minutes of two cores
    python recipes/fit_value.py --check             # figures only
    python recipes/fit_value.py --learned 4         # the same and, beside it, seeds that follow the packaged weights in the turns not drawn

Only turns whose step was drawn count: 4,573 of the 864 sessions from which the packaged weights come (29 November 2026, night).
Development cases of half A alone (the ids stand in design/2026-11-23-the-agent-listens.md), in three kinds of world: the first, the
first with all its sizes shaken, the second. The return of a turn is how far conviction falls over `STEPS` turns, less what a patient who
leaves costs, and what is still to come then, less what was to come before it; both by a ridge over the sessions' returns to their end.
It is fitted by ridge: for each step how good it is and what doing it again costs, for each kind of step a line over what is known. Penalties
are chosen by left-out cases: by how much more comes, to the end of the session, where the step taken is one of the better half by the fit;
what was to come is then fitted without the case, too. The best of the penalties is a little too good for being the best, and with `--learned`
the turns that are not drawn follow weights that have met the case.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maieutic.reading.head import Head, save
from maieutic.therapists.agent.value import CHOSEN, KINDS, READ, WEIGHTS
from maieutic.tracking.space import Floats
from value_sessions import Played, play

HALF_A: Final = (
    "alena-vitkova", "back-at-university", "curtis-hollifield", "denise-farrugia", "duarte-varela", "eugene-batiste", "gethin",
    "hernan-ferreyra", "kinga-wrona", "linh-truong", "mitra-sohrabi", "nodira-karimova", "nurse-in-charge", "pei-shan-ong",
    "rasmus-thorup", "rowan-hostetler",
)  # fmt: skip
FIRST_SEED, FIRST_LEARNED = 200, 300
SEEDS: Final = 18
STEPS: Final = 2
"""Turns whose falls are counted as they are."""
LEAVING: Final = 4.0
"""Points that a patient who leaves costs beside what is then not gained. *Assumption*."""
EQUAL: Final = {"home": 1.5, "random": 1.5, "second": 1.0}
"""Weight of a point in each kind of world, so that a share of its oracle weighs about the same."""
FOLDS: Final = 4
"""Parts that cases are left out in."""
LINES: Final = [
    place for place, name in enumerate(READ) if not name.startswith(("done ", "distress", "reactance", "alliance"))
]
"""What the line of a kind of step reads."""
FREE: Final = 3.0
"""How much more freely than what it knows the worth of a step by itself is fitted."""
YIELDS: Final = [READ.index(name) for name in ("barren", "fruitful")]
"""What of the line is fitted as freely as doing a step again: whether searches bring anything differs most between worlds."""
TO_COME: Final = 300.0
PENALTIES: Final = tuple(product((300.0, 1000.0, 3000.0), (0.3, 0.6)))
"""Penalty, and how freely the line of a kind of step is fitted."""


@dataclass(frozen=True)
class Rows:
    """Turns whose step was drawn.

    Attributes:
        known: (n, d). step: (n,) place in `CHOSEN`. case: (n,) number of the case.
        returns: (n,) over `STEPS` turns. whole: (n,) the same to the end of the session.
    """

    known: Floats
    step: NDArray[np.int64]
    case: NDArray[np.int64]
    returns: Floats
    whole: Floats

    def where(self, kept: NDArray[np.bool_]) -> Rows:
        return Rows(self.known[kept], self.step[kept], self.case[kept], self.returns[kept], self.whole[kept])


def rows(played: Sequence[Played], fold: int | None = None) -> Rows:
    """Turns whose step was drawn, with their returns beyond what was to come; that is told without the cases of `fold`."""
    cases = sorted({one.case for one in played})
    played = [one for one in played if one.known.shape[1]]  # the others were handed over before anything was considered
    gained = [_gained(one) for one in played]
    seen = [~np.isnan(one.known[:, 0]) for one in played]
    lives = sorted({(one.case, one.world) for one in played})
    ahead = [_moment(one, there, lives) for one, there in zip(played, seen, strict=True)]
    rest = [np.cumsum(each[::-1])[::-1][there] for each, there in zip(gained, seen, strict=True)]
    told_by = [n for n, one in enumerate(played) if fold is None or cases.index(one.case) % FOLDS != fold]
    before, after = np.concatenate([ahead[n] for n in told_by]), np.concatenate([rest[n] for n in told_by])
    centre, scale = _spread(before)
    weights, bias = _ridge((before - centre) / scale, after, TO_COME)
    found = []
    for one, each, there, moments in zip(played, gained, seen, ahead, strict=True):
        worth = np.zeros(len(each) + 1)
        worth[:-1][there] = (moments - centre) / scale @ weights + bias
        for at, step in enumerate(one.steps):
            if not one.drawn[at] or step not in CHOSEN:
                continue
            end = min(at + STEPS, len(each))
            while end < len(each) and not there[end]:
                end += 1
            returned, whole = each[at:end].sum() + worth[end] - worth[at], each[at:].sum() - worth[at]
            found.append((one.known[at], CHOSEN.index(step), cases.index(one.case), returned, whole))
    return Rows(*(np.array(column) for column in zip(*found, strict=True)))


def _moment(one: Played, there: NDArray[np.bool_], lives: Sequence[tuple[str, str]]) -> Floats:
    """What is known in the moments of a session, and how much time there is with this patient in this kind of world: only to tell what is
    to come anyway."""
    known = one.known[there]
    time = np.zeros((len(known), len(lives)))
    time[:, lives.index((one.case, one.world))] = known[:, READ.index("left")]
    return np.hstack([known, time])


def _gained(one: Played) -> Floats:
    gained = -np.diff(one.held) * EQUAL[one.world]
    if one.leaves:
        gained[-1] -= LEAVING
    return np.asarray(gained)


def _spread(x: Floats) -> tuple[Floats, Floats]:
    return x.mean(0), np.maximum(x.std(0), 1e-3)


def _ridge(x: Floats, y: Floats, penalty: float) -> tuple[Floats, float]:
    bias = float(y.mean())
    return np.asarray(np.linalg.solve(x.T @ x + penalty * np.eye(x.shape[1]), x.T @ (y - bias))), bias


def fitted(data: Rows, penalty: float, freely: float) -> Head:
    """A line for each step, up to what is the same for all."""
    centre, scale = _spread(data.known)
    z = (data.known - centre) / scale
    kind = np.array([next(n for n, steps in enumerate(KINDS) if step in steps) for step in CHOSEN])
    own = np.array([READ.index(f"done {step.value}") for step in CHOSEN])
    count, width, places = len(CHOSEN), len(LINES), np.arange(len(z))
    x = np.zeros((len(z), 2 * count + width * len(KINDS)))
    x[places, data.step] = FREE
    x[places, count + data.step] = FREE / 2 * z[places, own[data.step]]
    freedom = np.array([FREE / 2 if line in YIELDS else freely for line in LINES])
    for column, line in enumerate(LINES):
        x[places, 2 * count + width * kind[data.step] + column] = freedom[column] * z[:, line]
    w, _ = _ridge(x, data.returns, penalty)
    weights = np.zeros((count, z.shape[1]))
    weights[:, LINES] = freedom * w[2 * count :].reshape(-1, width)[kind]
    weights[np.arange(count), own] += FREE / 2 * w[count : 2 * count]
    return Head(tuple(step.value for step in CHOSEN), weights, FREE * w[:count], centre, scale)


def left_out(folds: Sequence[Rows], penalty: float, freely: float) -> tuple[float, float]:
    """How much more comes to the end where the step taken is of the better half by a fit to other cases, with its standard error; of the
    rows of each fold, in which nothing was told by its cases."""
    above, whole = np.zeros(len(folds[0].returns)), np.zeros(len(folds[0].returns))
    for fold, data in enumerate(folds):
        out = data.case % FOLDS == fold
        scores = fitted(data.where(~out), penalty, freely).scores(data.known[out])
        above[out] = scores[np.arange(out.sum()), data.step[out]] - scores.mean(1)
        whole[out] = data.whole[out]
    better = above > np.median(above)
    one, other = whole[better], whole[~better]
    return float(one.mean() - other.mean()), float(np.sqrt(one.var() / len(one) + other.var() / len(other)))


def main() -> None:
    """Plays, fits, prints, and writes the weights."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--kept", type=Path, default=Path("runs/drawn"), help="where sessions are kept and looked for")
    asked.add_argument("--seeds", type=int, default=SEEDS)
    asked.add_argument(
        "--learned", type=int, default=0, help="seeds that follow the packaged weights in half of the turns"
    )
    asked.add_argument("--workers", type=int, default=2)
    asked.add_argument("--check", action="store_true")
    told = asked.parse_args()
    plays = (("drawn", FIRST_SEED, told.seeds), ("learned", FIRST_LEARNED, told.learned))
    played = [
        one
        for name, first, count in plays
        for one in play(HALF_A, range(first, first + count), learned=name == "learned", kept=told.kept / name, workers=told.workers)
    ]  # fmt: skip
    data = rows(played)
    print(f"{len(played)} sessions, {len(data.returns)} turns drawn; returns by step, with standard errors")
    for place, step in enumerate(CHOSEN):
        mine = data.returns[data.step == place]
        if len(mine):
            print(f"  {step.value:16} {len(mine):5} {mine.mean():+.2f} {mine.std() / np.sqrt(len(mine)):.2f}")
    folds = [rows(played, fold) for fold in range(FOLDS)]
    found = {penalties: left_out(folds, *penalties) for penalties in PENALTIES}
    best = max(found, key=lambda one: found[one][0])
    for penalties, (more, error) in found.items():
        print(f"  {penalties}: better half {more:+.2f}, SE {error:.2f}{'  <' if penalties == best else ''}")
    if not told.check:
        path = Path(__file__).parents[1] / "src" / "maieutic" / WEIGHTS
        save(path, value=fitted(data, *best))
        print(f"{path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
