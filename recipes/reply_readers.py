"""Fits the reply-level readers (elaborates, advises, validates, tells, guides, actionable) and keeps their out-of-fold codes.

    python recipes/reply_readers.py --data ../shared/data

A reader is one linear head on the vectors of the reply and of what was said before it, and on the word grams of the reply. Five folds by
dialogue, three seeds; strengths were not tuned. Kept: ids and probabilities, no text. Also printed: length alone, the commonest label.
"""

from __future__ import annotations

import argparse
import json
import random
from datetime import date
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix, hstack
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from coder_folds import folds
from maieutic.coding.encoder import packaged_encoder
from maieutic.coding.features import Said
from maieutic.reading.minilm import shared_minilm
from maieutic.validation.coder import figures as fig
from maieutic.validation.coder.stored import FOLDER, sha256
from maieutic.validation.judge.research import reply_file, reply_heads, reply_labels

SEEDS = (0, 1, 2)
LONGEST = 600
"""Letters of what was said before that are read, its end."""


def features(texts: list[str], before: list[str]) -> np.ndarray:
    """Vectors of reply and context, and what the reply does: (n, 1152)."""
    ear = shared_minilm()
    acts = np.vstack([packaged_encoder()([Said(text)]).pooled for text in texts])
    acts = acts / np.linalg.norm(acts, axis=1, keepdims=True)
    return np.hstack([ear(texts), ear([one[-LONGEST:] or " " for one in before]), acts]).astype(np.float64)


def main() -> None:
    about = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    about.add_argument("--data", type=Path, default=Path("../shared/data"))
    about.add_argument("--only", nargs="*", default=reply_heads())
    given = about.parse_args()
    for head in given.only:
        rows = reply_labels(head, given.data)
        texts, before = [r.text for r in rows], [r.other for r in rows]
        dense = features(texts, before)
        labels = sorted({r.labels[0] for r in rows})
        truth = np.array([labels.index(r.labels[0]) for r in rows])
        groups = [r.group for r in rows]
        gold = np.eye(len(labels), dtype=bool)[truth]
        length = np.log1p([[len(t.split()), len(t)] for t in texts])
        tables: dict[str, list[np.ndarray]] = {"reader": [], "words": [], "length": []}
        placed = []
        for seed in SEEDS:
            fold = np.array(folds(groups, seed))
            placed.append(fold)
            found = {name: np.zeros((len(rows), len(labels))) for name in tables}
            for one in range(fold.max() + 1):
                train, test = fold != one, fold == one
                grams = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True)
                words = grams.fit_transform([t for t, k in zip(texts, train, strict=True) if k])
                held = grams.transform([t for t, k in zip(texts, test, strict=True) if k])
                seen = {
                    "reader": (hstack([csr_matrix(dense[train]), words]), hstack([csr_matrix(dense[test]), held])),
                    "words": (words, held),
                    "length": (length[train], length[test]),
                }
                for name, (fitted, asked) in seen.items():
                    model = LogisticRegression(C=2.0, max_iter=300, class_weight="balanced")
                    model.fit(fitted.tocsr() if hasattr(fitted, "tocsr") else fitted, truth[train])
                    found[name][test] = model.predict_proba(asked.tocsr() if hasattr(asked, "tocsr") else asked)
            for name, table in found.items():
                tables[name].append(table)
        place = fig.places(groups)
        for name, several in tables.items():
            table = fig.f1_table(gold, fig.chosen(np.stack(several), None), place)
            value = fig.interval([table], fig.mean_macro_f1, rng=random.Random(0))
            print(
                f"{head} {name}: macro-F1 {value.estimate:.3f} [{value.low:.3f}, {value.high:.3f}], {len(rows)} replies",
                flush=True,
            )
        print(f"{head} commonest: {fig.macro_f1(gold, fig.majority(gold)):.3f}", flush=True)
        facts = {
            "data": {reply_file(head): sha256(given.data / reply_file(head))}, "weights": {}, "multi_label": False,
            "threshold": None, "made": date.today().isoformat(), "settings": {"folds": 5, "seeds": list(SEEDS)},
        }  # fmt: skip
        np.savez_compressed(
            FOLDER / f"reply_{head}.npz", rows=np.array([r.id for r in rows]), labels=np.array(labels),
            fold=np.stack(placed).astype(np.int8), probabilities=np.stack(tables["reader"]).astype(np.float16),
            tfidf=np.stack(tables["words"]).astype(np.float16), facts=np.array(json.dumps(facts)),
        )  # fmt: skip


if __name__ == "__main__":
    main()
