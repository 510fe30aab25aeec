"""Fit the tracker: heads on own-written utterances and development cases, tables on sessions of development cases.

    python recipes/fit_tracker.py            # about half an hour on two cores; writes weights, prints figures for their card
    python recipes/fit_tracker.py --check    # left-out figures only, nothing is written
    python recipes/fit_tracker.py --danger   # only the heads that grade risk, into the packaged weights
    python recipes/fit_tracker.py --kept DIR # keeps the sessions there, and plays none that is there already

Sessions are played by thirteen arms of very different skill, the agent among them, on the development cases in three kinds of world
(`tracker_sessions.py`): the first one, the first one with all its sizes shaken, and the second one. Transition and observation tables are
counts with a smoothing prior. Category and feeling heads see own-written utterances (`recipes/data/tracker_*`) and the words of the
development cases (the head for accurate thoughts: `truth_head.py`). The head for kinds of reply sees the sessions and lines that strangers to
all cases wrote (`reply_kinds.py`). Held conviction and risk are forecast by heads over what has come up (`forecast_heads.py`), which see
kinds of reply as a head reads them that has not met the case. Weights, temperatures and penalties are chosen on left-out cases. No test case is read.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from maieutic.domain.state import CognitiveState
from maieutic.library import case_ids, get_case
from maieutic.patients.dynamics import Mind
from maieutic.reading.head import Head
from maieutic.reading.minilm import MiniLM
from maieutic.runs.files import read_lines
from maieutic.tracking.asked import Asked, meant
from maieutic.tracking.ear import TARGETS
from maieutic.tracking.feelings import told_in
from maieutic.tracking.space import (
    BINS,
    MOBILITY,
    REPLIES,
    Floats,
    Reply,
    Scale,
    bin_of,
)  # fmt: skip
from maieutic.tracking.tables import Tables, packaged_tables, packed
from maieutic.tracking.targets import WEIGHING, Push, Reflection
from maieutic.validation.tracking.particles import kind_of
from tracker_sessions import Played, play

DATA = Path(__file__).parent / "data"
WEIGHTS = Path(__file__).parents[1] / "src" / "maieutic" / "tracking" / "weights"
SMOOTHING = 4.0
"""Weight, in exchanges, of the prior under each table's row."""
TOLD = 0.3
"""Share of what a kind of reply tells of openness, reactance, alliance and distress that is counted: the replies of a session are alike, so
that all of them together tell less than each by itself. Chosen on left-out cases (`scale_scores.py`)."""


@dataclass(frozen=True)
class Exchange:
    """One therapist turn and the answer to it, with the states before and after; `question` is None for the opening."""

    world: str
    case: str
    text: str
    named: frozenset[str]
    question: Asked | None
    kind: Reply
    before: CognitiveState
    after: CognitiveState


def exchanges(played: Sequence[Played]) -> list[Exchange]:
    """The exchanges of sessions, openings included."""
    found = []
    for one in played:
        episode = one.episode
        case, states = episode.key.case, episode.states
        mind = Mind(get_case(case), get_case(case).situation(states[0].situation))
        patient, therapist = episode.session.by("patient"), episode.session.by("therapist")
        for number, (turn, state) in enumerate(zip(patient, states, strict=False)):
            question = meant(therapist[number - 1]) if number else None
            before = states[number - 1] if number else state
            named = told_in(turn.text, question)
            found.append(Exchange(one.world, case, turn.text, named, question, kind_of(mind, state), before, state))
    return found


def fit_head(x: Floats, y: NDArray[np.str_], names: Sequence[str], *, c: float, balanced: bool = False) -> Head:
    """A multinomial head whose rows follow `names`; a class without an example gets a very low bias."""
    model = LogisticRegression(C=c, max_iter=400, class_weight="balanced" if balanced else None).fit(x, y)
    weights, bias = np.zeros((len(names), x.shape[1])), np.full(len(names), -8.0)
    rows = {name: row for row, name in enumerate(model.classes_)}
    if len(rows) == 2:
        order = [list(names).index(n) for n in model.classes_]
        weights[order[1]], bias[order[1]], bias[order[0]] = model.coef_[0], model.intercept_[0], 0.0
        return Head(tuple(names), weights, bias, fitted_on=MiniLM.name)
    for place, name in enumerate(names):
        if name in rows:
            weights[place], bias[place] = model.coef_[rows[name]], model.intercept_[rows[name]]
    return Head(tuple(names), weights, bias, fitted_on=MiniLM.name)


def counted(pairs: Sequence[tuple[int, ...]], shape: tuple[int, ...], prior: Floats) -> Floats:
    """P(last | rest) from counts with `SMOOTHING` exchanges of the prior under each row."""
    counts = np.zeros(shape)
    np.add.at(counts, tuple(np.array(pairs).T), 1.0)
    total = counts + SMOOTHING * np.broadcast_to(prior, shape)
    return np.asarray(total / total.sum(axis=-1, keepdims=True))


def scale_of(state: CognitiveState, scale: Scale) -> float:
    """The true value on a scale, 0–1."""
    return {
        Scale.OPENNESS: state.openness, Scale.REACTANCE: state.reactance, Scale.ALLIANCE: state.alliance,
        Scale.DISTRESS: state.distress / 100.0,
    }[scale]  # fmt: skip


def sticky(width: float = 0.8) -> Floats:
    """A prior for steps: mostly stay, sometimes one bin aside. (10, 10)"""
    place = np.arange(BINS)
    near = np.exp(-0.5 * ((place[:, None] - place[None, :]) / width) ** 2)
    return np.asarray(near / near.sum(axis=1, keepdims=True))


def fit_scales(items: Sequence[Exchange], told: float = TOLD) -> tuple[Floats, Floats, Floats]:
    """Start, steps and replies of the four scales."""
    starts, steps, replies = [], [], []
    moves = [e for e in items if e.question is not None]
    share = shares_of(items)
    for scale in Scale:
        first = [bin_of(scale_of(e.after, scale)) for e in items if e.question is None]
        starts.append(counted([(b,) for b in first], (BINS,), np.full(BINS, 1.0 / BINS)))
        rows = [
            (list(Reflection).index(e.question.reflection), list(Push).index(e.question.push),
             bin_of(scale_of(e.before, scale)), bin_of(scale_of(e.after, scale)))
            for e in moves if e.question
        ]  # fmt: skip
        steps.append(counted(rows, (3, 3, BINS, BINS), sticky()))
        said = [
            (TARGETS.index(e.question.target), bin_of(scale_of(e.after, scale)), REPLIES.index(e.kind))
            for e in moves if e.question
        ]  # fmt: skip
        by_bin = counted(said, (len(TARGETS), BINS, len(REPLIES)), share[:, None, :])
        replies.append(told * by_bin + (1.0 - told) * share[:, None, :])
    return np.stack(starts), np.stack(steps), np.stack(replies)


def level_of(plasticity: float) -> int:
    """The kind of patient nearest to a true plasticity."""
    return int(np.argmin([abs(plasticity - m) for m in MOBILITY]))


def fit_moving(items: Sequence[Exchange]) -> dict[str, object]:
    """What patients who give way more or less readily say to weighing: of the first world's equations, since the second has no such kinds
    of patient."""
    levels, counts = [], np.full((len(MOBILITY), 4, len(REPLIES)), 0.5)
    for e in (one for one in items if one.world != "second"):
        level = level_of(e.after.traits.plasticity)
        levels.append(str(level))
        if e.question is not None and (len(e.after.weighed) > len(e.before.weighed) or e.question.target in WEIGHING):
            counts[level, min(3, len(e.after.weighed)), REPLIES.index(e.kind)] += 1.0
    return {
        "mobility_start": shares_with(levels, [str(n) for n in range(len(MOBILITY))]),
        "moved_replies": counts / counts.sum(axis=-1, keepdims=True),
    }


def shares_of(items: Sequence[Exchange]) -> Floats:
    """P(reply | target asked), (14, 18)."""
    return counted(
        [(TARGETS.index(e.question.target), REPLIES.index(e.kind)) for e in items if e.question],
        (len(TARGETS), len(REPLIES)), np.full(len(REPLIES), 1.0 / len(REPLIES)),
    )  # fmt: skip


def fitted_tables(items: Sequence[Exchange]) -> dict[str, object]:
    """How minds move and answer, by their names in `Tables`."""
    start, steps, replies = fit_scales(items)
    scales = {"scale_start": start, "scale_steps": steps, "scale_replies": replies}
    return {**fit_moving(items), "reply_share": shares_of(items), **scales}


def written(name: str) -> list[dict[str, object]]:
    """The rows of one own-written file, packed or not."""
    return read_lines(DATA / name)


def case_lines(names: Sequence[str]) -> list[tuple[str, str, str, str]]:
    """(case, words, main belief, strongest feeling) of what development patients say about a situation."""
    found: list[tuple[str, str, str, str]] = []
    for name in names:
        case = get_case(name)
        for s in case.situations:
            strongest = max(s.emotions, key=lambda e: e.intensity).group
            lines = (*case.phrasings.opening[s.id], *case.phrasings.details[s.id], *case.phrasings.thought[s.id],
                     *case.phrasings.feeling[s.id], *case.phrasings.unmoved[s.id], *case.phrasings.background)  # fmt: skip
            found += [(name, line, case.core_beliefs[0].category, strongest) for line in lines]
    return found


def tempered(head: Head, x: Floats, y: Sequence[int]) -> Head:
    """The head with the temperature that makes left-out log-loss least."""
    best = min(
        (0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0),
        key=lambda t: (
            -np.mean([replace(head, temperature=t).log_probabilities(row)[k] for row, k in zip(x, y, strict=True)])
        ),
    )
    return replace(head, temperature=best)


def folded(names: Sequence[str], folds: int = 5) -> list[tuple[list[str], list[str]]]:
    """(kept, left out) development cases of each fold."""
    return [([n for i, n in enumerate(names) if i % folds != f], list(names[f::folds])) for f in range(folds)]


def main() -> None:
    """Fit, print left-out figures, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="left-out figures only")
    parser.add_argument("--danger", action="store_true", help="only the heads that grade risk")
    parser.add_argument("--kept", type=Path, metavar="DIR", help="keeps sessions there, and plays none that is there")
    args = parser.parse_args()
    names = case_ids("dev")
    embed = MiniLM(cached_texts=200_000)
    from danger_heads import fit_danger  # all of these import this file
    from forecast_heads import fit_forecasts
    from scale_scores import scale_scores
    from tracker_heads import fit_all, sessions_of, vectors_of

    if args.danger:
        heads, card = fit_danger(embed, names)
        print(json.dumps(card, indent=1))
        write(replace(packaged_tables(), **heads), check=args.check)
        return
    items = exchanges(play(names, args.kept))
    heads, card, without = fit_all(items, names, embed)
    tables = replace(packaged_tables(), **heads, **fitted_tables(items))  # type: ignore[arg-type]
    talks = sessions_of(items)
    card["scales: log scores from turn 5 on, by what a reply tells"] = scale_scores(
        items, talks, without, vectors_of(items, embed)
    )
    forecasts, card["forecasts: log scores from turn 5 on"] = fit_forecasts(talks, names, without, tables, embed)
    print(json.dumps(card, indent=1))
    write(replace(tables, **forecasts), check=args.check)  # type: ignore[arg-type]


def write(tables: Tables, *, check: bool) -> None:
    """Into the package, unless only figures were asked for."""
    if not check:
        np.savez_compressed(WEIGHTS / "tracker.npz", **packed(tables))
        print(f"written: {WEIGHTS / 'tracker.npz'}")


def shares_with(labels: Sequence[str], names: Sequence[str], even: float = 0.2) -> Floats:
    """Shares with `even` of the even distribution among them: forty cases are few."""
    counts = np.array([sum(label == name for label in labels) for name in names], dtype=float)
    return np.asarray((1.0 - even) * counts / counts.sum() + even / len(names))


if __name__ == "__main__":
    main()
