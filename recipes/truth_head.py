"""Fit the head by which the tracker hears whether a thought is borne as true or loosens; left-out figures on development pairs and cases.

    python recipes/truth_head.py                                  # plays, prints, writes the head into the packaged weights
    python recipes/truth_head.py --check --kept DIR --regular DIR # figures only; sessions kept as `truth_told.py` keeps them

Whether a *fact* told speaks for or against a thought the shared encoder cannot tell where one story is told in two ways. What somebody *makes*
of it can be heard: who has found a thought to be so says that it is, and turns to bearing it ("It's his now. I could show him the breath
before the top note."); who has found it wrong reads the story anew ("I only heard the first half."). Who holds on to a harsh thought, or is resigned to it, says
that it is true as well ("A loser is a loser."). So the head tells four kinds of line apart: borne as true, loosened, held on to, and what is said in
either life. Rows: what 48 invented people say in two lives, by two writers who knew neither
pairs nor cases (`data/tracker_truth.jsonl`), 177 own-written lines of distorted thoughts held on to and of sober facts borne (`data/tracker_held.jsonl`), the nine development pairs, the development cases. Evidence is summed over the answers of a
session (`Tables.accurate`). Folds leave out one pair and a ninth of the cases and of the
themes held on to, of head and vocabulary; the head for kinds of reply beneath has met cases and pairs. Of the agent's sessions only.
"""

from __future__ import annotations

import argparse
import json
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
from maieutic.therapists.agent.reasoner import ACCURATE
from maieutic.tracking.asked import meant
from maieutic.tracking.ear import reply_features
from maieutic.tracking.space import Floats
from maieutic.tracking.tables import LIVES, SUREST, UNTOLD, Tables, packaged_tables
from maieutic.tracking.targets import WEIGHING
from tracker_sessions import WORLDS, Played, play
from truth_told import EXCHANGES, SEEDS, _area, figures, of_pairs

EITHER, DISTORTED, TRUE, HELD = LIVES
COMMON, PENALTY = 25, 1.0
SHARES = (0.4, 0.2, 0.2, 0.2)
"""Lines that hold a word before it is known; inverse penalty; shares of the weight of `LIVES`."""
OF_CASES = 0.5
"""Weight of a line of a case beside one of a pair: most cases have a distorted thought."""
UNTIL = (12, 14, EXCHANGES, 20)
"""Exchanges after which the evidence is looked at."""
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
            loosened = tables.loosened(tables.replies(reply_features(turn.text, vector, asked)))
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


def summed(one: Heard, rows: Floats, tables: Tables, until: int) -> float:
    """Evidence up to an exchange before it is tempered."""
    kept = [place for place, number in enumerate(one.exchanges) if number <= until]
    steps = [tables.accurate(rows[k], loosened=float(one.loosened[k]), weighs=bool(one.weighs[k])) for k in kept]
    return float(sum(steps))


def left_out(found: Sequence[Heard], of: Sequence[Line], embed: MiniLM) -> tuple[Floats, dict[str, list[float]]]:
    """(sessions, len(UNTIL)) evidence by heads that have not met the pair or case, and the evidence of each written
    line of a left-out theme by kind, as an answer to weighing."""
    pairs = sorted({one.group for one in found if one.paired})
    cases = sorted({one.group for one in found if not one.paired})
    themes = sorted({line.group for line in of if line.group.startswith(THEME)})
    sums, said = np.zeros((len(found), len(UNTIL))), dict[str, list[float]]()
    for fold, pair in enumerate(pairs):
        out = {pair, *cases[fold :: len(pairs)], *themes[fold :: len(pairs)]}
        kept = [line for line in of if line.group not in out]
        vocabulary = vocabulary_of(([line.text] for line in kept), fewest=COMMON)
        head = fitted(kept, rows_of([line.text for line in kept], vocabulary, embed), vocabulary)
        tables = replace(packaged_tables(), accurate_head=head, accurate_weight=1.0)
        for place, one in enumerate(found):
            if one.group in out:
                rows = rows_of(one.texts, vocabulary, embed)
                sums[place] = [summed(one, rows, tables, turn) for turn in UNTIL]
        for line in of:
            if line.group in out and line.group in themes:
                row = rows_of([line.text], vocabulary, embed)[0]
                said.setdefault(line.life, []).append(tables.accurate(row, loosened=1.0, weighs=True))
    return sums, said


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


def each_left_out(sums: Floats, y: NDArray[np.bool_], groups: Sequence[str], paired: NDArray[np.bool_]) -> Floats:
    """(sessions, len(UNTIL)) log-odds with the size fitted without the pair or case; it is fitted after `EXCHANGES`."""
    found, of = np.zeros(sums.shape), np.array(groups)
    for group in set(groups):
        kept = of != group
        size = tempered(sums[kept, UNTIL.index(EXCHANGES)], y[kept], of[kept].tolist(), paired[kept])
        found[of == group] = sums[of == group] * size
    return found


def main() -> None:
    """Play or read, fit, print, write."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--kept", type=Path, metavar="DIR", help="sessions of pairs")
    asked.add_argument("--regular", type=Path, metavar="DIR", help="sessions of cases")
    asked.add_argument("--check", action="store_true", help="figures only, nothing is written")
    given = asked.parse_args()
    embed, pairs = MiniLM(cached_texts=200_000), frozenset(pair_ids("dev"))
    of = lines()
    vocabulary = vocabulary_of(([line.text] for line in of), fewest=COMMON)
    x = rows_of([line.text for line in of], vocabulary, embed)
    print(f"{len(of)} lines, {len(vocabulary)} words and pairs")
    played = [one for one in (*of_pairs(given.kept, SEEDS), *play(case_ids("dev"), given.regular))
              if one.episode.key.therapist == "socratic"]  # fmt: skip
    found = [one for one in (heard(one, embed, pairs) for one in played) if one]
    sums, said = left_out(found, of, embed)
    for life, leans in said.items():
        print(
            f"lines of left-out themes, {life}: {np.mean(np.array(leans) > 0.0):.2f} of {len(leans)} speak for the thought"
        )
    y, groups = np.array([one.true for one in found]), [one.group for one in found]
    paired, world = np.array([one.paired for one in found]), np.array([one.world for one in found])
    odds = each_left_out(sums, y, groups, paired)
    for kind, part in (("pairs", paired), ("cases", ~paired)):
        for name in WORLDS:
            own = np.flatnonzero(part & (world == name))
            of_own = [groups[int(place)] for place in own]
            areas = {turn: _area(odds[own, column], y[own], of_own) for column, turn in enumerate(UNTIL)}
            print(f"{kind}, {name}: AUC by exchange {json.dumps(areas)}", flush=True)
            print(f"  {json.dumps(figures(odds[own, UNTIL.index(EXCHANGES)], y[own], of_own))}", flush=True)
            before = float(np.log(packaged_tables().base_accurate / (1 - packaged_tables().base_accurate)))
            chance = 1.0 / (1.0 + np.exp(-before - odds[own, UNTIL.index(EXCHANGES)]))
            print(
                f"  at the bar {ACCURATE}: {np.mean(chance[y[own]] >= ACCURATE):.2f} of true, {np.mean(chance[~y[own]] >= ACCURATE):.2f} of distorted"
            )
    weight = tempered(sums[:, UNTIL.index(EXCHANGES)], y, groups, paired)
    print(f"weight {weight:.3f}")
    write(
        replace(packaged_tables(), accurate_head=fitted(of, x, vocabulary), accurate_weight=weight), check=given.check
    )


if __name__ == "__main__":
    main()
