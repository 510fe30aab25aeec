"""Open and closed questions: 224 helper turns by two hands that nothing was fitted on, and AnnoMI's annotators.

    python benchmarks/question_form.py --data ../shared/data     # without --data: the two hands alone

The wh-word rule that stood in `score` before is measured beside the head. Intervals are Wilson's over turns; of AnnoMI's
macro-F1 by bootstrap over videos. The head learnt from neither.
"""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import numpy as np

from maieutic.coding.embedded import EmbeddedCoder
from maieutic.reading.moves import open_chance, questions
from maieutic.runs.files import read_lines
from maieutic.stats import wilson
from maieutic.transcripts.utterance import Utterance
from maieutic.validation.coder.datasets import gold
from maieutic.validation.coder.figures import macro_f1

HELD_OUT = Path(__file__).parents[1] / "tests" / "reading" / "data"
FILES = ("question_forms_heldout_a.jsonl", "question_forms_heldout_b.jsonl")
DRAWS = 1000
_WH = re.compile(
    r"\b(?:what|how|why|tell me|describe)\b(?!'?s?\s+(?:many|much|often|long|old|far|time|day|year|age)\b)", re.I
)


def by_rule(text: str) -> float:
    """The rule before: a wh-word that asks for no number, in the questions or else in the whole turn."""
    return float(any(_WH.search(one) for one in [question.text for question in questions(text)] or [text]))


READERS: dict[str, Callable[[str], float]] = {"rule before": by_rule, "head": open_chance}


def coded_by(*, hears: bool) -> Callable[[str], float]:
    """The accurate coder's own facet of a turn that stands alone, with and without the head."""
    coder = EmbeddedCoder("annomi", hears=hears)

    def chance(text: str) -> float:
        (coding,) = coder.predict([Utterance("therapist", text)])
        return coding.facets["question_form"].probabilities["open"]

    return chance


def shown(hits: int, of: int) -> str:
    share = wilson(hits, of)
    return f"{hits}/{of} = {share.estimate:.2f} [{share.low:.2f}, {share.high:.2f}]"


def tell_hands() -> None:
    for name in FILES:
        rows = read_lines(HELD_OUT / name)
        print(f"## {name}, {len(rows)} turns")
        coders = {"coder": coded_by(hears=False), "coder, heard": coded_by(hears=True)}
        for reader, chance in (READERS | coders).items():
            chances = [chance(row["text"]) for row in rows]
            right = [(one >= 0.5) == row["open"] for one, row in zip(chances, rows, strict=True)]
            sure = [not 1 / 3 <= one <= 2 / 3 for one in chances]
            kinds: dict[str, list[bool]] = defaultdict(list)
            for row, one in zip(rows, right, strict=True):
                kinds[row["kind"]].append(one)
            print(f"{reader}: right {shown(sum(right), len(right))}")
            print("  of those it is sure of:", shown(sum(a and b for a, b in zip(right, sure, strict=True)), sum(sure)))
            print("  by kind:", ", ".join(f"{kind} {sum(one)}/{len(one)}" for kind, one in sorted(kinds.items())))
            told, true = np.mean([one >= 0.5 for one in chances]), np.mean([row["open"] for row in rows])
            print(f"  share called open {told:.2f}, in truth {true:.2f}")


def tell_annomi(data: Path) -> None:
    rows = gold("annomi_question_form", data)
    truth = np.array([row.labels[0] == "open" for row in rows])
    groups = np.array([row.group for row in rows])
    places = [np.flatnonzero(groups == group) for group in sorted(set(groups))]
    rng = np.random.default_rng(0)
    drawn = [np.concatenate([places[at] for at in rng.integers(len(places), size=len(places))]) for _ in range(DRAWS)]
    print(f"## AnnoMI, {len(rows)} utterances, majority of the annotators")
    flags = np.eye(2, dtype=bool)
    for reader, chance in READERS.items():
        told = np.array([chance(row.text) >= 0.5 for row in rows])
        found = [macro_f1(flags[truth[one].astype(int)], flags[told[one].astype(int)]) for one in drawn]
        low, high = np.quantile(found, [0.025, 0.975])
        whole = macro_f1(flags[truth.astype(int)], flags[told.astype(int)])
        print(
            f"{reader}: macro-F1 {whole:.3f} [{low:.3f}, {high:.3f}]; called open {told.mean():.2f} of {truth.mean():.2f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder of research data")
    data = parser.parse_args().data
    tell_hands()
    if data:
        tell_annomi(data)


if __name__ == "__main__":
    main()
