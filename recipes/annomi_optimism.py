"""Which features of AnnoMI's word-gram heads hold on sessions about something else: `python recipes/annomi_optimism.py --data ../shared/data`.

Cross-validation by video lets a head learn the words of a topic (smoking, drink) from another video about the same. Here the same
heads are held out by topic too, with and without each group of features. One seed, word grams only, text as written.
"""

from __future__ import annotations

import argparse
import csv
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from coder_examples import proper_names, read
from coder_folds import FOLDS, folds
from maieutic.coding.datasets import ANNOMI_SIMPLE
from maieutic.coding.head_plan import plan
from maieutic.language.sentences import content_words
from maieutic.validation.coder.figures import macro_f1
from train_coder import NAMES, fit, inputs, with_best

SETS = {
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


def main() -> None:
    about = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    about.add_argument("--data", type=Path, required=True)
    data = about.parse_args().data
    of = topics(data)
    for head in ("annomi_client", "annomi_therapist"):
        own = plan(head)
        examples, labels = read(own, "written", data, accurate=False)
        tested, always = ([one for one in examples if one.only_training is more] for more in (False, True))
        banned = proper_names([one.said.text for one in tested]) | NAMES
        flags = np.array([one.flags for one in tested])
        for name, keep in SETS.items():
            one_plan = replace(own, spaces=keep(dict(own.spaces)))
            told = []
            for groups in ([one.group for one in tested], [of[one.session] for one in tested]):
                fold, given, known = np.array(folds(groups, 0)), np.zeros(flags.shape, bool), []
                for number in range(FOLDS):
                    training = [one for one, at in zip(tested, fold, strict=True) if at != number]
                    head_fitted = fit(one_plan, "written", labels, training + always, banned)
                    held = [one for one, at in zip(tested, fold, strict=True) if at == number]
                    given[fold == number] = with_best(head_fitted.probabilities(*inputs(held)), 2.0)
                    seen = with_best(head_fitted.probabilities(*inputs(training)), 2.0)
                    known.append(macro_f1(np.array([one.flags for one in training]), seen))
                told += [float(np.mean(known)), macro_f1(flags, given)]
            sys.stdout.write(
                f"{head}, {name}: fitted rows {told[0]:.3f}, held out by video {told[1]:.3f}, by topic {told[3]:.3f}\n"
            )
            sys.stdout.flush()


if __name__ == "__main__":
    main()
