"""Fits the head that picks among the packaged adapter's drafts (`therapists/drafts.py`), and says what it is worth.

    python recipes/trained_drafts.py             # left-out cases, then the weights
    python recipes/trained_drafts.py --no-write

`data/trained_parts.jsonl.xz` holds sessions of the adapter with development patients and, for every sentence of the turns
that were shown, what two readers who knew neither code nor cases marked: broken, untrue, beside, repeats, or nothing. A
sentence that one of them finds fine counts as half.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from sklearn.metrics import roc_auc_score

from heads import Settings, fit
from maieutic.domain.episode import Session, Turn
from maieutic.language.sentences import sentences
from maieutic.reading.head import Floats, Head, save
from maieutic.runs.files import read_lines
from maieutic.therapists.drafts import ASKS, TELLS, WEIGHTS, part_row

HERE = Path(__file__).parent
DATA = HERE / "data" / "trained_parts.jsonl.xz"
PACKAGE = HERE.parent / "src" / "maieutic"
SETTINGS: Final = Settings(penalty=0.01, balanced=False, scaled=True, light=(384, 0.25))
"""Penalty among 0.001, 0.003, 0.01, 0.03 and 0.1, and the vector's weight among 1 and 0.25, by left-out cases."""
FOLDS: Final = 8


def rows() -> tuple[Floats, Floats, list[dict[str, Any]]]:
    """(n, d) what the head sees, (n,) share of readers who marked nothing, and where each part stands."""
    x, y, told = [], [], []
    for talk in read_lines(DATA):
        session = Session()
        for place, (speaker, text) in enumerate(talk["said"]):
            marks = talk["marks"].get(str(place))
            for number, part in enumerate(sentences(text) if marks else ()):
                x.append(part_row(part, session))
                y.append(float(np.mean([not one[number] for one in marks])))
                told.append({"case": talk["case"], "turn": place, "part": part})
            session += Turn(speaker, text)
    return np.array(x), np.array(y), told


def fitted(x: Floats, y: Floats) -> Head:
    """A head for 'fine' and 'off'; each part counts once for each, by its share."""
    both, weights = np.vstack([x, x]), np.concatenate([y, 1 - y])
    labels = np.array(["fine"] * len(y) + ["off"] * len(y))
    used = weights > 0
    return fit(both[used], labels[used].tolist(), ("fine", "off"), SETTINGS, weights=weights[used])


def by_left_out_case(x: Floats, y: Floats, cases: Sequence[str]) -> Floats:
    """(n,) how likely each part is fine, by a head that saw no part of its case."""
    names = sorted(set(cases))
    fold = dict(zip(np.random.default_rng(0).permutation(names), np.arange(len(names)) % FOLDS, strict=True))
    own = np.array([fold[case] for case in cases])
    found = np.zeros(len(y))
    for number in range(FOLDS):
        found[own == number] = fitted(x[own != number], y[own != number]).probabilities(x[own == number])[:, 0]
    return found


def main() -> None:
    """Prints what left-out cases say of the heads, and writes them."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--no-write", action="store_true")
    told = asked.parse_args()
    x, y, where = rows()
    asks = np.array(["?" in one["part"] for one in where])
    heads = {}
    for kind, chosen in ((ASKS, asks), (TELLS, ~asks)):
        chance = by_left_out_case(
            x[chosen], y[chosen], [one["case"] for one, own in zip(where, chosen, strict=True) if own]
        )
        sure = y[chosen] != 0.5
        area = roc_auc_score(y[chosen][sure] > 0.5, chance[sure])
        print(f"{kind}: {chosen.sum()} parts, fine {y[chosen].mean():.2f}, area under the curve {area:.2f}")
        for least in (0.3, 0.4, 0.5, 0.6, 0.7):
            kept = chance >= least
            print(f"  at {least}: {kept.mean():.2f} of them, {y[chosen][kept].mean():.2f} of those fine")
        heads[kind] = fitted(x[chosen], y[chosen])
    if not told.no_write:
        save(PACKAGE / WEIGHTS, **heads)


if __name__ == "__main__":
    main()
