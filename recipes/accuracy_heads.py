"""How the tracker tells a thought that is true: by what is said, and by searches for what does not fit that find nothing (see `fit_tracker.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fit_tracker import case_lines, fit_head, written
from maieutic.library import get_case
from maieutic.protocols import Embedder
from maieutic.reading.head import Head
from maieutic.tracking.asked import meant
from maieutic.tracking.filter import is_open_search, search_log_odds
from maieutic.tracking.space import REPLIES, Floats, Reply, Scale
from maieutic.tracking.tracker import MindTracker
from maieutic.validation.worlds import Task, episodes_of
from maieutic.workers import mapped

ARMS = ("socratic", "state_machine", "padesky_script", "wide")
"""Those that search for what does not fit."""
SEEDS = (0, 1)
FOLDS = 5
WEIGHTS = (0.0, 0.05, 0.1, 0.15, 0.25)
TRUTHS = ("no", "yes")


@dataclass(frozen=True)
class Talk:
    """One session of a development case.

    Attributes:
        said: The patient's turns.
        found: P(a fact against the thought was told) in answer to each search while the patient was open; None for other turns.
    """

    case: str
    accurate: bool
    said: tuple[str, ...]
    found: tuple[float | None, ...]


def fit_accuracy(embed: Embedder, names: Sequence[str]) -> tuple[dict[str, object], dict[str, object]]:
    """Head, weight, middle and odds of searches, and left-out log scores for the card."""
    talks = play(names)
    own = [(_vector(embed, str(r["text"])), TRUTHS[bool(r["accurate"])]) for r in written("tracker_accuracy.jsonl")]
    lines = [(name, _vector(embed, text), TRUTHS[accurate]) for name, text, _, _, accurate in case_lines(names)]
    true = sorted({talk.case for talk in talks if talk.accurate})
    # Accurate thoughts are few: each fold leaves one of them out, and its share of the rest.
    order = [*true, *(name for name in names if name not in true)]
    fold = {name: place % FOLDS for group in (true, order[len(true) :]) for place, name in enumerate(group)}
    heads = [_head(own, [line for line in lines if fold[line[0]] != left]) for left in range(FOLDS)]
    odds = [_odds([talk for talk in talks if fold[talk.case] != left]) for left in range(FOLDS)]
    steps = [np.array([_lean(heads[fold[talk.case]], _vector(embed, text)) for text in talk.said]) for talk in talks]
    middle = float(np.mean([_middle(steps, talks, accurate) for accurate in (True, False)]))
    start = float(np.log(len(true) / (len(order) - len(true))))

    def score(weight: float, searches: bool) -> float:
        found = []
        for talk, step in zip(talks, steps, strict=True):
            own_odds = odds[fold[talk.case]]
            moved = np.array(
                [search_log_odds(one, own_odds) if searches and one is not None else 0.0 for one in talk.found]
            )
            total = start + np.cumsum(weight * (step - middle) + moved)
            found.append(-np.logaddexp(0.0, -total if talk.accurate else total)[3:])
        return round(float(np.mean([one.mean() for one in found if len(one)])), 3)

    weight = max(WEIGHTS, key=lambda one: score(one, True))
    card: dict[str, object] = {
        "accurate: weight, middle": (weight, round(middle, 3)),
        "accurate: log score left out": score(weight, True),
        "accurate: by searches alone": score(0.0, True),
        "accurate: by words alone": score(weight, False),
        "accurate: the prior": score(0.0, False),
    }
    heads_now = {
        "accurate_head": _head(own, lines),
        "accurate_weight": weight,
        "accurate_middle": middle,
        "search_odds": _odds(talks),
    }
    return heads_now, card


def play(names: Sequence[str]) -> list[Talk]:
    """Sessions of the development cases as the packaged tracker hears them, on two processes."""
    tasks = [(name, arm) for name in names for arm in ARMS]
    found: dict[int, list[Talk]] = {}
    mapped(_play, tasks, found.__setitem__, workers=2)
    return [talk for place in sorted(found) for talk in found[place]]


def _play(task: tuple[str, str]) -> list[Talk]:
    name, arm = task
    tracker, against = MindTracker.packaged(), REPLIES.index(Reply.AGAINST)
    found = []
    for episode in episodes_of(Task(name, (arm,), SEEDS)):
        turns, asked = episode.session.turns, None
        said: list[str] = []
        told: list[float | None] = []
        for place, turn in enumerate(turns):
            if turn.speaker == "therapist":
                asked = meant(turn)
                continue
            now = replace(episode.session, turns=turns[: place + 1])
            counts = is_open_search(asked, tracker.belief(now).expected(Scale.OPENNESS))
            told.append(float(tracker.heard(now).replies[against]) if counts else None)
            said.append(turn.text)
        accurate = get_case(name).situation(episode.states[-1].situation).accurate
        found.append(Talk(name, accurate, tuple(said), tuple(told)))
    return found


def _odds(talks: Sequence[Talk]) -> Floats:
    """(2,) log-odds for an accurate thought of a search that finds a fact, and of one that does not."""
    rates = []
    for accurate in (True, False):
        told = [one for talk in talks if talk.accurate is accurate for one in talk.found if one is not None]
        rates.append((sum(told) + 1.0) / (len(told) + 2.0))
    yes, no = rates
    return np.array([np.log(yes / no), np.log((1.0 - yes) / (1.0 - no))])


def _middle(steps: Sequence[Floats], talks: Sequence[Talk], accurate: bool) -> float:
    return float(np.mean([step.mean() for step, talk in zip(steps, talks, strict=True) if talk.accurate is accurate]))


def _head(own: Sequence[tuple[Floats, str]], lines: Sequence[tuple[str, Floats, str]]) -> Head:
    x = np.array([vector for vector, _ in own] + [vector for _, vector, _ in lines])
    y = np.array([truth for _, truth in own] + [truth for _, _, truth in lines])
    return fit_head(x, y, list(TRUTHS), c=1.0, balanced=True)


def _lean(head: Head, vector: Floats) -> float:
    no, yes = head.log_probabilities(vector)
    return float(yes - no)


def _vector(embed: Embedder, text: str) -> Floats:
    return embed([text])[0].astype(np.float64)
