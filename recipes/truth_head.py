"""Fit the head by which the tracker hears whether a thought is borne as true or loosens; left-out figures on development pairs and cases.

    python recipes/truth_head.py                    # plays, prints, writes the head into the packaged weights
    python recipes/truth_head.py --check --kept DIR # figures only, in three minutes where the sessions (279) are kept

Whether a *fact* told speaks for or against a thought the shared encoder cannot tell where one story is told in two ways. What somebody *makes*
of it can be heard: who has found a thought to be so says that it is, and turns to bearing it ("It's his now. I could show him the breath
before the top note."); who has found it wrong reads the story anew ("I only heard the first half."). Who holds on to a harsh thought, or is resigned to it, says
that it is true as well ("A loser is a loser."). So the head tells four kinds of line apart: borne as true, loosened, held on to, and what is said in
either life. Rows: what 48 invented people say in two lives, by two writers who knew neither
pairs nor cases (`data/tracker_truth.jsonl`), 177 own-written lines of distorted thoughts held on to and of sober facts borne (`data/tracker_held.jsonl`), the nine development pairs, the development cases. Evidence is summed over the answers of a
session (`Tables.accurate`). Folds leave out one pair and a ninth of the cases and of the
themes held on to, of head and vocabulary; the head for kinds of reply beneath has met cases and pairs. Of the agent's sessions only.
Last it prints, by world, in how many sessions the thought would be held to be true by exchange `COPES`, for several bars.
"""

from __future__ import annotations

import argparse
import json
import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from fit_tracker import write, written
from heads import places, vocabulary_of
from maieutic.domain.case import Case
from maieutic.language.sentences import words
from maieutic.library import case_ids, get_case, pair_ids
from maieutic.reading.bag import bag
from maieutic.reading.head import Head
from maieutic.reading.minilm import MiniLM
from maieutic.tracking.asked import meant
from maieutic.tracking.ear import replied
from maieutic.tracking.space import Floats
from maieutic.tracking.tables import LIVES, SUREST, UNTOLD, packaged_tables
from maieutic.tracking.targets import WEIGHING
from maieutic.validation.sessions import Task, episodes_of
from maieutic.worlds import STANDARD_WORLD
from tracker_sessions import WORLDS, Played, shaken
from truth_told import EXCHANGES, _area, figures

EITHER, DISTORTED, TRUE, HELD = LIVES
COMMON, PENALTY = 25, 1.0
SHARES = (0.4, 0.2, 0.2, 0.2)
"""Lines that hold a word before it is known; inverse penalty; shares of the weight of `LIVES`."""
OF_CASES = 0.5
"""Weight of a line of a case beside one of a pair: most cases have a distorted thought."""
UNTIL = (12, 14, EXCHANGES, 20)
"""Exchanges after which the evidence is looked at."""
COPES = 18
"""Exchange by which a thought must be held to be true for coping to be of use."""
BARS = (0.2, 0.25, 0.3, 0.35, 0.4)
PAIR_SEEDS, CASE_SEED, ACCURATE_SEEDS = (200, 201, 202), 300, (301, 302)
"""Of twins, of each case, and beside it of cases with an accurate thought."""
THEME = "held"
"""Head of the groups of lines held on to."""
ELSE_KEPT = 0.35
"""Share of the lines of cases that tell neither which are fitted on: there are many."""


@dataclass(frozen=True)
class Line:
    """A line, what it is, whose it is, and its weight."""

    text: str
    life: str
    group: str
    weight: float


@dataclass(frozen=True)
class Heard:
    """A session of the agent: of each answer its row, whether it weighs, and how far it gives way."""

    group: str
    paired: bool
    world: str
    true: bool
    texts: tuple[str, ...]
    weighs: Floats
    loosened: Floats
    exchanges: tuple[int, ...]


def lines() -> list[Line]:
    """All that is fitted on."""
    found = []
    for number, row in enumerate(written("tracker_truth.jsonl")):
        for life in (EITHER, DISTORTED, TRUE):
            found += [Line(text, life, f"written {number}", 1.0) for text in row[life]]  # type: ignore[attr-defined]
    for number, row in enumerate(written("tracker_held.jsonl")):
        for life in (HELD, TRUE):
            found += [Line(text, life, f"{THEME} {number}", 1.0) for text in row[life]]  # type: ignore[attr-defined]
    for pair in pair_ids("dev"):
        true, distorted = get_case(f"{pair}-true"), get_case(f"{pair}-distorted")
        sides = {life: dict(_told(twin)) for life, twin in ((TRUE, true), (DISTORTED, distorted))}
        for life, told in sides.items():
            other = sides[DISTORTED if life == TRUE else TRUE]
            for text, made_of_it in told.items():
                if text not in other or life == TRUE:
                    own = made_of_it and text not in other
                    found.append(Line(text, life if own else EITHER, pair, 1.0))
    rng = Random(5)
    for name in case_ids("dev"):
        case = get_case(name)
        accurate = {one.id: one.accurate for one in case.situations}
        for text, of in _told(case):
            life = EITHER if not of else TRUE if accurate[of] else DISTORTED
            if life != EITHER or rng.random() < ELSE_KEPT:
                found.append(Line(text, life, name, OF_CASES))
    return found


def _told(case: Case) -> Iterator[tuple[str, str]]:
    """(line, the situation whose thought is borne or loosened in it, or "")."""
    own = case.phrasings
    for one in case.situations:
        facts = {fact.id: fact for fact in case.memory.facts} if case.memory else {}
        for fact in one.evidence:
            yield from ((text, "") for text in fact.said)
            if fact.id in facts:
                yield from ((facts[fact.id].again, ""), (facts[fact.id].unmoved, ""), (facts[fact.id].moved, one.id))
        yield from ((text, one.id) for text in (*own.conceding[one.id], *own.insight[one.id]))
        for plain in (own.opening, own.details, own.thought, own.feeling, own.unmoved):
            yield from ((text, "") for text in plain[one.id])
    yield from ((text, "") for text in (*own.background, *own.hopes, *own.deflecting, *own.resisting))
    for unit in case.memory.units if case.memory else ():
        yield from ((text, "") for text in (unit.said, unit.moved) if text)


def fitted(of: Sequence[Line], x: Floats, vocabulary: tuple[str, ...]) -> Head:
    """The head; each kind of line has its share of the weight."""
    life = np.array([LIVES.index(line.life) for line in of])
    weight = np.array([line.weight for line in of])
    for place, share in enumerate(SHARES):
        weight[life == place] *= len(of) * share / weight[life == place].sum()
    model = LogisticRegression(C=PENALTY, max_iter=120).fit(x, life, weight)
    return Head(LIVES, model.coef_, model.intercept_, fitted_on=MiniLM.name, vocabulary=vocabulary)


def agent_sessions(kept: Path | None) -> list[Played]:
    """The agent with both twins of the development pairs in three kinds of world, and with the development cases in two."""
    twins = [f"{pair}-{side}" for pair in pair_ids("dev") for side in ("true", "distorted")]
    tasks = [(twin, world, seed) for twin in twins for world in WORLDS for seed in PAIR_SEEDS]
    for name in case_ids("dev"):
        accurate = any(one.accurate for one in get_case(name).situations)
        seeds = (CASE_SEED, *ACCURATE_SEEDS) if accurate else (CASE_SEED,)
        tasks += [(name, world, seed) for world in ("home", "second") for seed in seeds]
    return [played for task in tasks for played in _session(*task, kept)]


def _session(name: str, world: str, seed: int, kept: Path | None) -> list[Played]:
    path = kept / f"{name}-{world}-{seed}.pkl" if kept else None
    if path is not None and path.exists():
        return list(pickle.loads(path.read_bytes()))
    sizes = shaken(Random(f"{name.rpartition('-')[0]}{seed}")) if world == "random" else STANDARD_WORLD
    patient = "second_world" if world == "second" else "simulated"
    task = Task(name, ("socratic",), (seed,), sizes, patient=patient)
    found = [Played(world, episode) for episode in episodes_of(task) if not episode.failed]
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pickle.dumps(found))
    return found


def rows_of(texts: Sequence[str], vocabulary: tuple[str, ...], embed: MiniLM) -> Floats:
    """As `sentence_row`, of many at once."""
    known = places(vocabulary)
    return np.hstack([embed(list(texts)).astype(np.float64), np.array([bag(text, known) for text in texts])])


def heard(played: Played, embed: MiniLM, pairs: frozenset[str]) -> Heard | None:
    """The answers of one session that evidence is taken from."""
    one, tables = played.episode, packaged_tables()
    patient, therapist = one.session.by("patient"), one.session.by("therapist")
    kept = []
    for number, (turn, before) in enumerate(zip(patient[1:], therapist, strict=False), 1):
        asked = meant(before)
        if words(turn.text) and asked.target not in UNTOLD:
            vector = embed([turn.text])[0].astype(np.float64)
            loosened = tables.loosened(replied(tables.reply_head, turn.text, vector, asked))
            kept.append((number, turn.text, float(asked.target in WEIGHING), loosened))
    if len(patient) < 6 or not kept:
        return None
    group = one.key.case.rpartition("-")[0]
    accurate = get_case(one.key.case).situation(one.states[0].situation).accurate
    return Heard(
        group if group in pairs else one.key.case, group in pairs, played.world, accurate,
        tuple(text for _, text, *_ in kept), np.array([one[2] for one in kept]),
        np.array([one[3] for one in kept]), tuple(one[0] for one in kept),
    )  # fmt: skip


def left_out(found: Sequence[Heard], of: Sequence[Line], embed: MiniLM) -> tuple[list[Floats], dict[str, list[float]]]:
    """Of each session the evidence of its answers, not yet tempered, by heads that have not met the pair or case; and
    the evidence of each written line of a left-out theme by kind, as an answer to weighing."""
    pairs = sorted({one.group for one in found if one.paired})
    cases = sorted({one.group for one in found if not one.paired})
    themes = sorted({line.group for line in of if line.group.startswith(THEME)})
    steps, said = [np.zeros(0)] * len(found), dict[str, list[float]]()
    for fold, pair in enumerate(pairs):
        out = {pair, *cases[fold :: len(pairs)], *themes[fold :: len(pairs)]}
        kept = [line for line in of if line.group not in out]
        vocabulary = vocabulary_of(([line.text] for line in kept), fewest=COMMON)
        head = fitted(kept, rows_of([line.text for line in kept], vocabulary, embed), vocabulary)
        tables = replace(packaged_tables(), accurate_head=head, accurate_weight=1.0)
        for place, one in enumerate(found):
            if one.group in out:
                rows = rows_of(one.texts, vocabulary, embed)
                answers = zip(rows, one.loosened, one.weighs, strict=True)
                steps[place] = np.array(
                    [tables.accurate(r, loosened=float(gave), weighs=bool(w)) for r, gave, w in answers]
                )
        for line in of:
            if line.group in out and line.group in themes:
                row = rows_of([line.text], vocabulary, embed)[0]
                said.setdefault(line.life, []).append(tables.accurate(row, loosened=1.0, weighs=True))
    return steps, said


def until(found: Sequence[Heard], steps: Sequence[Floats]) -> Floats:
    """(sessions, len(UNTIL)) evidence up to each of these exchanges."""
    return np.array([
        [step[np.array(one.exchanges) <= turn].sum() for turn in UNTIL] for one, step in zip(found, steps, strict=True)
    ])  # fmt: skip


def tempered(sums: Floats, y: NDArray[np.bool_], groups: Sequence[str], paired: NDArray[np.bool_]) -> float:
    """What a sure answer counts, at most `SUREST`: a logistic curve without a height, pairs and cases half of the weight
    each, true and distorted half of either, groups alike within."""
    names = [(group, bool(true)) for group, true in zip(groups, y, strict=True)]
    weight = np.array([1.0 / names.count(name) for name in names])
    for half in (True, False):
        for true in (True, False):
            part = (paired == half) & (y == true)
            weight[part] /= max(weight[part].sum(), 1e-9)
    model = LogisticRegression(C=1e3, fit_intercept=False).fit(sums[:, None], y, weight * len(y))
    return float(np.clip(model.coef_[0, 0], 0.0, SUREST))


def sizes_left_out(sums: Floats, y: NDArray[np.bool_], groups: Sequence[str], paired: NDArray[np.bool_]) -> Floats:
    """(sessions,) what a sure answer counts, fitted after `EXCHANGES` without the pair or case."""
    found, of = np.zeros(len(sums)), np.array(groups)
    for group in set(groups):
        kept = of != group
        found[of == group] = tempered(sums[kept, UNTIL.index(EXCHANGES)], y[kept], of[kept].tolist(), paired[kept])
    return found


def reached(one: Heard, odds: Floats, bar: float) -> bool:
    """The thought is held to be true by `COPES`, by a bar; `odds` are the log-odds of each answer."""
    before = float(np.log(packaged_tables().base_accurate / (1 - packaged_tables().base_accurate)))
    chance = 1.0 / (1.0 + np.exp(-before - np.cumsum(odds)))
    return bool((chance[np.array(one.exchanges) <= COPES] >= bar).any())


def main() -> None:
    """Play or read, fit, print, write."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--kept", type=Path, metavar="DIR", help="keeps sessions there, and plays none that is there")
    asked.add_argument("--check", action="store_true", help="figures only, nothing is written")
    given = asked.parse_args()
    embed, pairs = MiniLM(cached_texts=200_000), frozenset(pair_ids("dev"))
    of = lines()
    vocabulary = vocabulary_of(([line.text] for line in of), fewest=COMMON)
    x = rows_of([line.text for line in of], vocabulary, embed)
    print(f"{len(of)} lines, {len(vocabulary)} words and pairs")
    found = [one for one in (heard(one, embed, pairs) for one in agent_sessions(given.kept)) if one]
    steps, said = left_out(found, of, embed)
    for life, leans in said.items():
        print(
            f"lines of left-out themes, {life}: {np.mean(np.array(leans) > 0.0):.2f} of {len(leans)} speak for the thought"
        )
    y, groups = np.array([one.true for one in found]), [one.group for one in found]
    paired, world = np.array([one.paired for one in found]), np.array([one.world for one in found])
    sums = until(found, steps)
    sizes = sizes_left_out(sums, y, groups, paired)
    odds = sums * sizes[:, None]
    for kind, part in (("pairs", paired), ("cases", ~paired)):
        for name in WORLDS if kind == "pairs" else ("home", "second"):
            own = np.flatnonzero(part & (world == name))
            of_own = [groups[int(place)] for place in own]
            areas = {turn: _area(odds[own, column], y[own], of_own) for column, turn in enumerate(UNTIL)}
            print(f"{kind}, {name}: AUC by exchange {json.dumps(areas)}", flush=True)
            print(f"  {json.dumps(figures(odds[own, UNTIL.index(EXCHANGES)], y[own], of_own))}", flush=True)
            for bar in BARS:
                held = np.array([reached(found[k], steps[k] * sizes[k], bar) for k in own])
                print(
                    f"  by exchange {COPES} at {bar}: {held[y[own]].mean():.2f} of true, {held[~y[own]].mean():.2f} of distorted"
                )
            for side, mine in (("true", own[y[own]]), ("distorted", own[~y[own]])):
                bears, loosens = (np.mean([(sign * steps[k] > 0.15).sum() for k in mine]) for sign in (1, -1))
                print(
                    f"  {side}, {len(mine)} sessions: {bears:.2f} answers bear the thought, {loosens:.2f} have loosened it"
                )
    weight = tempered(sums[:, UNTIL.index(EXCHANGES)], y, groups, paired)
    print(f"weight {weight:.3f}")
    write(
        replace(packaged_tables(), accurate_head=fitted(of, x, vocabulary), accurate_weight=weight), check=given.check
    )


if __name__ == "__main__":
    main()
