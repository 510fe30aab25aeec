"""Which requests the reader of appropriateness has met, and from where on one is of a kind that it never met.

    python recipes/appropriateness_met.py --data ../shared/data

Every request that the head is fitted on is left out in its turn, with all replies to it, and read by a head that has
not seen it. Printed is how well its replies are put in order, beside how like the nearest other request it is (cosine
of sentence vectors). A request counts as met down to the likeness that all but the outermost `OUTER` of those left out
have: so far it is known how replies are read, and beyond that nobody has looked. Vocabulary and scaling are those of
all. It writes the vectors of the requests and that likeness (`coding/whole_reply.py`); no word of a request is kept.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr
from sklearn.metrics import roc_auc_score

from coder_examples import proper_names, read
from maieutic.coding.head_plan import plan
from maieutic.coding.whole_reply import MET
from maieutic.reading.minilm import shared_minilm
from train_coder import NAMES, basis_of, inputs, line_of, strengths

HEAD = "appropriateness"
OUTER = 0.025
STEPS = 127


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of research data")
    head = plan(HEAD)
    rows, labels = read(head, "written", parser.parse_args().data, accurate=True)
    banned = proper_names([one.said.text for one in rows if not one.only_training]) | NAMES
    features = basis_of(head, rows, banned).matrix(*inputs(rows))
    asked = np.array([one.said.other for one in rows])
    requests = sorted(set(asked))
    vectors = shared_minilm()(requests)
    like = vectors @ vectors.T
    np.fill_diagonal(like, -1.0)
    nearest, read_by_others = like.max(axis=1), []
    for request, near in zip(requests, nearest, strict=True):
        held, kept = np.flatnonzero(asked == request), np.flatnonzero(asked != request)
        line = line_of(head, labels, [rows[at] for at in kept], features[kept], strengths(head))
        right = [rows[at].flags[1] for at in held]
        auc = roc_auc_score(right, np.diff(line.scores(features[held]))[:, 0])
        read_by_others.append(float(auc))
        own = rows[held[0]].part or rows[held[0]].group
        print(f"{own}: nearest {near:.2f}, {len(held)} replies, in order {auc:.2f}", flush=True)
    least = float(np.quantile(nearest, OUTER))
    order = np.array(read_by_others)
    far, trend = order[nearest <= np.median(nearest)], spearmanr(nearest, order)
    print(f"{len(requests)} requests: in order {order.mean():.3f} on average, least {order.min():.2f}; "
          f"the farther half {far.mean():.3f}; Spearman's rho with likeness {trend.statistic:.2f} (p {trend.pvalue:.2f})")  # fmt: skip
    print(f"met from a likeness of {least:.3f} on")
    steps = np.round(vectors * STEPS / np.abs(vectors).max()).astype(np.int8)
    np.savez_compressed(MET, requests=steps, least=np.float32(least))


if __name__ == "__main__":
    main()
