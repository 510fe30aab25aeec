"""Which features of AnnoMI's word-gram heads hold on sessions about something else: `python recipes/annomi_optimism.py --data ../shared/data`.

Cross-validation by video lets a head learn the words of a topic (smoking, drink) from another video about the same. Here the same
heads are held out by topic too, and learn from half of the sessions to read the other half, with and without each group of features
(one seed, word grams only, text as written). With `--stored` the packaged coder's stored out-of-fold chances instead, by how many
videos share the topic of a session: what it says of sessions on topics that are rare there.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from coder_examples import proper_names, read
from coder_folds import folds
from maieutic.coding.head_plan import plan
from maieutic.language.sentences import content_words
from maieutic.stats import bootstrap_statistic
from maieutic.validation.coder.datasets import ANNOMI_SIMPLE, gold
from maieutic.validation.coder.figures import macro_f1
from maieutic.validation.coder.stored import FOLDER as OUT_OF_FOLD
from train_coder import NAMES, fit, inputs, with_best

HEADS = ("annomi_client", "annomi_therapist")
SETS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "all": lambda spaces: spaces,
    "without the turn after": lambda spaces: {k: v for k, v in spaces.items() if k != "following"},
    "without what was said before": lambda spaces: {k: v for k, v in spaces.items() if k not in ("other", "same")},
    "own words only": lambda spaces: {"own": spaces["own"]},
}


def topics(data: Path) -> dict[str, str]:
    """The topic of each session by its first content word, so that 'smoking cessation; …' is smoking."""
    with (data / ANNOMI_SIMPLE).open(encoding="utf-8", newline="") as file:
        told = {row["transcript_id"]: row["topic"] for row in csv.DictReader(file)}
    return {id: " ".join(sorted(content_words(topic.partition(";")[0]))[:2]) for id, topic in told.items()}


SHARED = {"one video": (1, 1), "two or three": (2, 3), "four and more": (4, 10**6), "at most three": (1, 3)}
"""Videos that share a topic."""


def told_by_topic(data: Path, head: str) -> None:
    """Prints macro-F1 of the stored chances by how many videos share a session's topic, interval by video."""
    with np.load(OUT_OF_FOLD / f"{head}.npz", allow_pickle=False) as stored:
        ids, labels, chances = stored["rows"].tolist(), stored["labels"].tolist(), stored["probabilities"]
    known, of = {row.id: row for row in gold(head, data)}, topics(data)
    flags = np.array([[label in known[id].labels for label in labels] for id in ids])
    given = np.stack([with_best(one, 2.0) for one in chances])
    topic, video = [of[known[id].session] for id in ids], [known[id].group for id in ids]
    videos: dict[str, set[str]] = defaultdict(set)
    for one, where in zip(topic, video, strict=True):
        videos[one].add(where)

    def score(rows: Sequence[int]) -> float:
        return float(np.mean([macro_f1(flags[rows], one[rows]) for one in given]))

    for name, (least, most) in SHARED.items():
        rows = [at for at, one in enumerate(topic) if least <= len(videos[one]) <= most]
        found = bootstrap_statistic(rows, score, clusters=[video[at] for at in rows], rng=Random(0), draws=500)
        sessions = len({known[ids[at]].session for at in rows})
        sys.stdout.write(
            f"{head}, topic of {name}: {found.estimate:.3f} [{found.low:.3f}, {found.high:.3f}], "
            f"{len(rows)} utterances, {sessions} sessions\n"
        )


def main() -> None:
    about = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    about.add_argument("--data", type=Path, required=True)
    about.add_argument("--stored", action="store_true", help="the packaged coder's stored chances, by topic")
    given = about.parse_args()
    data = given.data
    if given.stored:
        for head in HEADS:
            told_by_topic(data, head)
        return
    of = topics(data)
    for head in HEADS:
        own = plan(head)
        examples, labels = read(own, "written", data, accurate=False)
        tested, always = ([one for one in examples if one.only_training is more] for more in (False, True))
        banned = proper_names([one.said.text for one in tested]) | NAMES
        flags = np.array([one.flags for one in tested])
        for name, keep in SETS.items():
            one_plan = replace(own, spaces=keep(dict(own.spaces)))
            told = []
            order = sorted({one.session for one in tested}, key=int)
            late = set(order[len(order) // 2 :])
            for split in (
                folds([one.group for one in tested], 0),
                folds([of[one.session] for one in tested], 0),
                [int(one.session in late) for one in tested],
            ):
                fold, guessed, known = np.array(split), np.zeros(flags.shape, bool), []
                for number in sorted(set(split)):
                    training = [one for one, at in zip(tested, fold, strict=True) if at != number]
                    head_fitted = fit(one_plan, "written", labels, training + always, banned)
                    held = [one for one, at in zip(tested, fold, strict=True) if at == number]
                    guessed[fold == number] = with_best(head_fitted.probabilities(*inputs(held)), 2.0)
                    seen = with_best(head_fitted.probabilities(*inputs(training)), 2.0)
                    known.append(macro_f1(np.array([one.flags for one in training]), seen))
                told += [float(np.mean(known)), macro_f1(flags, guessed)]
            sys.stdout.write(
                f"{head}, {name}: fitted rows {told[0]:.3f}, held out by video {told[1]:.3f}, by topic {told[3]:.3f}, "
                f"by halves {told[5]:.3f}\n"
            )
            sys.stdout.flush()


if __name__ == "__main__":
    main()
