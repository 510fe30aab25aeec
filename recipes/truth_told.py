"""Can what a patient says tell a true thought from a distorted one? Left-out figures on the development pairs; nothing is written.

    python recipes/truth_told.py                          # about eight minutes on one core
    python recipes/truth_told.py --kept DIR --regular DIR # keeps the sessions (of pairs; of cases, as fit_tracker.py does)

A head of eight weights sees what came up in the first sixteen exchanges: facts for and against as the therapists' lines head reads each
sentence, and giving way, insight and standing firm as the tracker's head for kinds of reply reads the answers to weighing. Neither head has
met a pair. It is fitted on the nine development pairs and the development cases, either half of the weight and of that half of it to true
thoughts, so that its log-odds are a likelihood ratio; folds leave out whole pairs and cases; the penalty is chosen on the same folds. Beside
it the same head on the *true* number of facts told for and against, which sees nothing else (a reader may hear more than facts), and heads
fitted on the agent's sessions with the other pairs alone: of one world or of all three, over the eight inputs or over giving way by itself.
The bar from which a thought is taken for true is set on the other pairs (cases). Intervals are over pairs (cases), 95 %, by bootstrap.
"""

from __future__ import annotations

import argparse
import json
import pickle
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from maieutic.language.sentences import sentences, words
from maieutic.library import case_ids, get_case, pair_ids
from maieutic.reading.minilm import MiniLM
from maieutic.stats import Interval, auc, bootstrap_mean, bootstrap_statistic
from maieutic.therapists.hearing import held_in
from maieutic.tracking.asked import meant
from maieutic.tracking.ear import replied
from maieutic.tracking.space import REPLIES, Floats, Reply
from maieutic.tracking.tables import packaged_tables
from maieutic.tracking.targets import WEIGHING
from maieutic.validation.sessions import Task, episodes_of
from maieutic.worlds import STANDARD_WORLD
from tracker_sessions import WORLDS, Played, play, shaken

ARMS = ("padesky_script", "state_machine", "wide", "worksheet", "oracle", "socratic_no_tracker", "rotation", "didactic")
"""Two of these, drawn by pair, meet both twins beside the agent."""
SEEDS = (200, 201)
EXCHANGES = 16
"""After these there is still time to cope in."""
MAY_COPE = 0.1
"""Share of distorted twins that may be taken for true."""
FOLDS, PENALTIES = 12, (0.003, 0.01, 0.03, 0.1, 0.3)
GAVE = 4
"""Which of the eight inputs is giving way."""
LOOSENED = (Reply.GIVES_WAY, Reply.INSIGHT)


@dataclass(frozen=True)
class Told:
    """One session: its pair or case, and what came up in it."""

    group: str
    paired: bool
    agent: bool
    world: str
    true: bool
    heard: Floats
    facts: Floats
    believed: float | None
    read: tuple[tuple[float, bool], ...]
    """Of each reply that told one new fact: P(for) − P(against) as the lines head reads it, and whether it is one for the thought."""


def of_pairs(kept: Path | None, seeds: Sequence[int]) -> list[Played]:
    """Sessions of both twins of the development pairs, with the same arms and luck for both."""
    found: list[Played] = []
    for seed in seeds:
        for pair in pair_ids("dev"):
            for world in WORLDS:
                for side in ("distorted", "true"):
                    found += _of_twin(pair, side, world, seed, kept)
    return found


def _of_twin(pair: str, side: str, world: str, seed: int, kept: Path | None) -> list[Played]:
    path = kept / f"{pair}-{side}-{world}-{seed}.pkl" if kept else None
    if path is not None and path.exists():
        return list(pickle.loads(path.read_bytes()))
    rng, found = Random(f"{pair}{world}{seed}"), list[Played]()
    arms, luck = ["socratic", *rng.sample(ARMS, 2)], rng.random()
    for arm in ["second_world_oracle" if world == "second" and arm == "oracle" else arm for arm in arms]:
        sizes = shaken(Random(f"{luck}{arm}")) if world == "random" else STANDARD_WORLD
        patient = "second_world" if world == "second" else "simulated"
        task = Task(f"{pair}-{side}", (arm,), (seed,), sizes, patient=patient)
        found += [Played(world, episode) for episode in episodes_of(task) if not episode.failed]
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pickle.dumps(found))
    return found


def told(played: Played, embed: MiniLM, pairs: frozenset[str]) -> Told:
    """What came up in a session, as heard and as it is."""
    one, tables = played.episode, packaged_tables()
    situation = get_case(one.key.case).situation(one.states[0].situation)
    patient, therapist = one.session.by("patient"), one.session.by("therapist")
    facts, loosened, read = np.zeros((2, 2)), np.zeros(3), list[tuple[float, bool]]()
    for number, turn in enumerate(patient[: EXCHANGES + 1]):
        if not words(turn.text) or not number:
            continue
        asked = meant(therapist[number - 1])
        weighs = asked.target in WEIGHING
        lines = [held_in(sentence) for sentence in sentences(turn.text) or (turn.text,)]
        held = np.array([max(line[kind] for line in lines) for kind in ("for", "against")])
        facts[int(weighs)] += held
        new = one.states[number].voiced[len(one.states[number - 1].voiced) :]
        if len(new) == 1 and new[0].by == "patient":
            read.append((float(held[0] - held[1]), situation.fact(new[0].evidence).bearing == "for"))
        if weighs:
            replies = replied(tables.reply_head, turn.text, embed([turn.text])[0].astype(np.float64), asked)
            gave = sum(replies[REPLIES.index(kind)] for kind in LOOSENED)
            loosened += (gave, replies[REPLIES.index(Reply.UNMOVED)], 1.0)
    last = one.states[min(EXCHANGES, len(one.states) - 1)]
    bearings = [situation.fact(fact.evidence).bearing for fact in last.voiced if fact.by == "patient"]
    beliefs = [(turn.trace or {}).get("belief") for turn in therapist[: EXCHANGES + 1]]
    group = one.key.case.rpartition("-")[0]
    return Told(
        group if group in pairs else one.key.case, group in pairs, one.key.therapist == "socratic", played.world,
        situation.accurate, np.array([*facts.ravel(), *loosened, len(patient) / 20.0]),
        np.array([bearings.count("for"), bearings.count("against")], dtype=np.float64),
        next((float(found["may be accurate"]) for found in reversed(beliefs) if found), None), tuple(read),
    )  # fmt: skip


def left_out(rows: Sequence[Told], x: Floats, penalty: float) -> Floats:
    """Log likelihood ratio of true against distorted of each session, by heads that have not met its pair or case."""
    y, groups = np.array([row.true for row in rows]), [row.group for row in rows]
    names, odds = sorted(set(groups)), np.zeros(len(rows))
    Random(7).shuffle(names)
    for fold in range(min(FOLDS, len(names))):
        out = np.isin(groups, names[fold::FOLDS])
        kept = np.flatnonzero(~out)
        centre, scale = x[kept].mean(axis=0), x[kept].std(axis=0) + 1e-3
        weight = _even([rows[int(k)] for k in kept])
        model = LogisticRegression(C=penalty, max_iter=500).fit((x[kept] - centre) / scale, y[kept], weight)
        odds[out] = model.decision_function((x[out] - centre) / scale)
    return odds


def _even(rows: Sequence[Told]) -> Floats:
    """Pairs and cases half each, true and distorted half of either, groups alike within."""
    sessions = Counter((row.group, row.true) for row in rows)
    groups = Counter((paired, true) for _, paired, true in {(row.group, row.paired, row.true) for row in rows})
    return np.array([len(rows) / 4 / groups[row.paired, row.true] / sessions[row.group, row.true] for row in rows])


def figures(odds: Floats, y: NDArray[np.bool_], groups: Sequence[str]) -> dict[str, Any]:
    """How well these log-odds tell true from distorted sessions, at the odds that such sessions have."""
    prior = y.mean()  # one half in pairs
    chance = 1.0 / (1.0 + np.exp(-odds - np.log(prior / (1.0 - prior))))
    bins = np.minimum((chance * 5).astype(int), 4)
    gaps = [np.mean(bins == k) * abs(chance[bins == k].mean() - y[bins == k].mean()) for k in set(bins.tolist())]
    score = np.log(np.where(y, chance, 1 - chance))
    found, of = taken_for_true(odds, y, groups), np.array(groups)
    return {
        "sessions": len(y), "AUC": _area(odds, y, groups), "log score": _mean(score, groups),
        "prior": round(float(np.log(np.where(y, prior, 1 - prior)).mean()), 3), "ECE": round(float(sum(gaps)), 2),
        "true found": _mean(found[y], of[y].tolist()), "distorted taken for true": _mean(found[~y], of[~y].tolist()),
    }  # fmt: skip


def taken_for_true(odds: Floats, y: NDArray[np.bool_], groups: Sequence[str]) -> Floats:
    """1 for a session above the bar that lets through at most `MAY_COPE` of the distorted sessions of all *other* pairs (cases)."""
    of = np.array(groups)
    bars = {}
    for group in set(groups):
        others = np.sort(odds[~y & (of != group)])[::-1]
        bars[group] = others[int(MAY_COPE * len(others))]
    return np.array([float(value > bars[group]) for value, group in zip(odds, groups, strict=True)])


def _mean(values: Floats, groups: Sequence[str]) -> list[float | None]:
    return _shown(bootstrap_mean(values.tolist(), clusters=groups, rng=Random(7)))


def _area(value: Floats, y: NDArray[np.bool_], groups: Sequence[str]) -> list[float | None]:
    def area(pairs: Sequence[tuple[float, bool]]) -> float | None:
        return auc([one for one, true in pairs if true], [one for one, true in pairs if not true])

    return _shown(
        bootstrap_statistic(list(zip(value.tolist(), y.tolist(), strict=True)), area, clusters=groups, rng=Random(7))
    )


def _shown(found: Interval) -> list[float | None]:
    """Estimate and limits."""
    return [None if one is None else round(one, 2) for one in (found.estimate, found.low, found.high)]


def best_left_out(rows: Sequence[Told], x: Floats) -> tuple[float, Floats]:
    """The penalty with the best left-out log score, and the log-odds with it."""
    y = np.array([row.true for row in rows])
    tried = {penalty: left_out(rows, x, penalty) for penalty in PENALTIES}
    best = max(tried, key=lambda one: float(_even(rows) @ -np.logaddexp(0.0, np.where(y, -1.0, 1.0) * tried[one])))
    return best, tried[best]


def by_pairs_alone(rows: Sequence[Told]) -> None:
    """Heads fitted on the agent's sessions with the other pairs: of one world, and of all."""
    own = [row for row in rows if row.paired and row.agent]
    world, groups = np.array([row.world for row in own]), np.array([row.group for row in own])
    y, heard = np.array([row.true for row in own]), np.array([row.heard for row in own])
    for label, x in (
        ("giving way when asked to weigh, by itself", heard[:, GAVE : GAVE + 1]),
        ("all eight, as heard", heard),
    ):
        penalty, odds = best_left_out(own, x)
        for name in WORLDS:
            part = world == name
            found = figures(odds[part], y[part], groups[part].tolist())
            print(f"{label}; one head of all worlds, penalty {penalty}, {name}: {json.dumps(found)}", flush=True)
        for name in WORLDS:
            part = world == name
            alone, odds_alone = best_left_out([row for row, here in zip(own, part, strict=True) if here], x[part])
            found = figures(odds_alone, y[part], groups[part].tolist())
            print(f"{label}; a head of this world alone, penalty {alone}, {name}: {json.dumps(found)}", flush=True)


def main() -> None:
    """Play or read, fit, print."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--kept", type=Path, metavar="DIR", help="sessions of pairs")
    asked.add_argument("--regular", type=Path, metavar="DIR", help="sessions of cases")
    asked.add_argument(
        "--pairs-alone", action="store_true", help="only the heads fitted on pairs alone: one minute with --kept"
    )
    given = asked.parse_args()
    embed, pairs = MiniLM(cached_texts=200_000), frozenset(pair_ids("dev"))
    rows = [told(one, embed, pairs) for one in of_pairs(given.kept, SEEDS) if len(one.episode.states) > 5]
    by_pairs_alone(rows)
    if given.pairs_alone:
        return
    rows += [told(one, embed, pairs) for one in play(case_ids("dev"), given.regular) if len(one.episode.states) > 5]
    y, paired = np.array([row.true for row in rows]), np.array([row.paired for row in rows])
    of = np.array([row.group for row in rows])
    agent, world = np.array([row.agent for row in rows]), np.array([row.world for row in rows])
    parts = {f"pairs, {arm}, {name}": paired & (world == name) & (agent | (arm == "all arms"))
             for arm in ("agent", "all arms") for name in WORLDS}  # fmt: skip
    parts |= {f"cases, {name}": ~paired & (world == name) for name in WORLDS}
    for label, x in (
        ("as heard", np.array([row.heard for row in rows])),
        ("by the true number of facts told", np.array([row.facts for row in rows])),
    ):
        best, odds = best_left_out(rows, x)
        print(f"{label}, penalty {best}")
        for name, part in parts.items():
            print(f"  {name}: {json.dumps(figures(odds[part], y[part], of[part].tolist()))}", flush=True)
    parts = {name: part for name, part in parts.items() if name.startswith("pairs")}  # cases were met by what follows
    for name, part in parts.items():
        inside = [row for row, own in zip(rows, part, strict=True) if own]
        true = np.array([row.true for row in inside])
        groups = [row.group for row in inside]
        read = [(*one, row.group) for row in inside for one in row.read]
        fact = _area(np.array([one[0] for one in read]), np.array([one[1] for one in read]), [one[2] for one in read])
        gave = _area(np.array([-row.heard[GAVE] for row in inside]), true, groups)
        print(
            f"{name}: giving way when asked to weigh, unfitted, AUC {gave}; a fact for told from one against, AUC {fact} of "
            f"{len(read)} facts, {np.mean([one[1] for one in read]):.0%} of them for"
        )
        if "agent" in name:
            held = np.array([row.believed for row in inside], dtype=np.float64)
            print(f"  what the packaged tracker holds: AUC {_area(held, true, groups)}")


if __name__ == "__main__":
    main()
