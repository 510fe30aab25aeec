"""The tracker's head for kinds of reply, fitted on development sessions and on lines by hands who saw no case (see `fit_tracker.py`).

A head of sessions alone is a closed world: it knows our patients' words for a kind of reply and hardly anybody else's. So lines that strangers
wrote stand beside them: `data/client_lines.jsonl.xz`, whose thirteen kinds are coarser, so that a line may be one of several kinds of reply, and
`data/tracker_replies.jsonl.xz`, by the tracker's own kinds, each with what had just been asked. A line of the first answered nothing that
is known: what was asked is drawn from what such replies answered in sessions, so that the question tells of the kind what it tells there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from fit_tracker import DATA, Exchange, folded, tempered
from heads import places, vocabulary_of
from maieutic.protocols import Embedder
from maieutic.reading.head import Head, log_shares
from maieutic.reading.minilm import MiniLM
from maieutic.runs.files import read_lines
from maieutic.tracking.asked import Asked
from maieutic.tracking.ear import reply_features
from maieutic.tracking.space import REPLIES, Floats, Reply
from maieutic.tracking.targets import Push, Reflection, Target

OF_LINES: Mapping[str, tuple[Reply, ...]] = {
    "thought": (Reply.THOUGHT,), "feeling": (Reply.FEELING,), "origin": (Reply.BACKGROUND,),
    "words": (Reply.TELLS, Reply.SUPPORTS, Reply.AGAINST), "person": (Reply.TELLS, Reply.BACKGROUND),
    "event": (Reply.TELLS, Reply.SUPPORTS), "reason": (Reply.TELLS, Reply.BACKGROUND),
    "for": (Reply.SUPPORTS,), "against": (Reply.AGAINST,), "gives_way": (Reply.GIVES_WAY, Reply.INSIGHT),
    "unmoved": (Reply.UNMOVED,), "plan": (Reply.PLANS, Reply.HOPES), "little": (Reply.HOLDS_BACK, Reply.AGREES),
}  # fmt: skip
"""Kinds of reply that a line of a kind of `client_lines.jsonl.xz` may be."""
LINES = ("client_lines.jsonl", "tracker_replies.jsonl")
COMMON = 15
"""Of them that hold a word or a pair before it is known."""
WRITTEN = 4.0
"""Weight of a stranger's line beside a reply of a session, of which there are seven times as many and most of them alike."""
PENALTY = 1.0
"""Inverse strength of the penalty on weights."""
FOLDS = 5
Known = Mapping[str, int]


@dataclass(frozen=True)
class Rows:
    """Replies: features (n, d), which kinds each may be (n, 18) as 0 and 1, weight (n,), and whose each is."""

    x: Floats
    kinds: Floats
    weight: Floats
    whose: NDArray[np.str_]

    def of(self, kept: NDArray[np.bool_]) -> Rows:
        """Some of them, by a mask (n,)."""
        return Rows(self.x[kept], self.kinds[kept], self.weight[kept], self.whose[kept])

    def beside(self, other: Rows) -> Rows:
        """Both, one after the other."""
        return Rows(*(np.concatenate([getattr(self, f.name), getattr(other, f.name)]) for f in fields(self)))


def session_rows(items: Sequence[Exchange], vectors: Mapping[str, Floats], known: Known) -> Rows:
    """Each reply of the sessions once, as what it truly was; whose it is: the case's."""
    unique = {(e.case, e.text, e.question): e.kind for e in items}
    x = np.array([reply_features(text, vectors[text], asked, known) for _, text, asked in unique])
    return _rows(x, [(kind,) for kind in unique.values()], 1.0, [case for case, *_ in unique])


def written_rows(items: Sequence[Exchange], embed: Embedder, known: Known) -> Rows:
    """The strangers' lines; whose each is: the hand's."""
    rng, answered = Random(11), dict[Reply, list[Asked | None]]()
    for e in items:
        answered.setdefault(e.kind, []).append(e.question)
    told: list[tuple[str, Asked | None, tuple[Reply, ...], str]] = []
    for row in read_lines(DATA / LINES[0]):
        may = OF_LINES[row["kind"]]
        asked = rng.choice([question for kind in may for question in answered[kind]])
        told.append((row["text"], asked, may, f"line {row['hand']}"))
    for row in read_lines(DATA / LINES[1]):
        asked = Asked(Target(row["target"]), Reflection(row.get("reflection", "none")), Push(row.get("push", "none")))
        told.append((row["text"], asked, (Reply(row["kind"]),), f"reply {row['hand']}"))
    x = np.array([reply_features(text, vector_of(embed, text), asked, known) for text, asked, *_ in told])
    return _rows(x, [may for *_, may, _ in told], WRITTEN, [hand for *_, hand in told])


def vector_of(embed: Embedder, text: str) -> Floats:
    """The sentence vector at full length."""
    return np.asarray(embed([text])[0], dtype=np.float64)


def _rows(x: Floats, may: Sequence[Sequence[Reply]], weight: float, whose: Sequence[str]) -> Rows:
    kinds = np.array([[kind in those for kind in REPLIES] for those in may], dtype=np.float64)
    return Rows(x, kinds, np.full(len(x), weight), np.array(whose))


def fitted(rows: Rows, vocabulary: tuple[str, ...]) -> Head:
    """The multinomial head by which each row is likeliest one of the kinds that it may be; biases are not shrunk."""
    (_, d), k = rows.x.shape, len(REPLIES)

    def missed(flat: Floats) -> tuple[float, Floats]:
        weights, bias = flat[: k * d].reshape(k, d), flat[k * d :]
        chances = np.exp(log_shares(rows.x @ weights.T + bias))
        among = chances * rows.kinds
        whole = np.maximum(among.sum(axis=1), 1e-300)
        off = rows.weight[:, None] * (chances - among / whole[:, None])
        slope = np.concatenate([(off.T @ rows.x + weights / PENALTY).ravel(), off.sum(axis=0)])
        return float(0.5 * (weights**2).sum() / PENALTY - rows.weight @ np.log(whole)), slope

    found = minimize(missed, np.zeros(k * (d + 1)), jac=True, method="L-BFGS-B", options={"maxiter": 400}).x
    labels = tuple(kind.value for kind in REPLIES)
    return Head(labels, found[: k * d].reshape(k, d), found[k * d :], fitted_on=MiniLM.name, vocabulary=vocabulary)


def fit_replies(
    items: Sequence[Exchange], names: Sequence[str], vectors: Mapping[str, Floats], embed: Embedder
) -> tuple[Head, dict[str, Any], dict[str, Head]]:
    """The head with its temperature, figures without the case and the hand, and by case the head that has not met it."""
    vocabulary = vocabulary_of(([row["text"]] for name in LINES for row in read_lines(DATA / name)), fewest=COMMON)
    known = places(vocabulary)
    own, lines = session_rows(items, vectors, known), written_rows(items, embed, known)
    hands = sorted(set(lines.whose))
    told, strange = np.zeros_like(own.kinds), np.zeros_like(lines.kinds)
    temperatures, without = list[float](), dict[str, Head]()
    for fold, (_, left) in enumerate(folded(names)):
        case, hand = np.isin(own.whose, left), np.isin(lines.whose, hands[fold::FOLDS])
        head = fitted(own.of(~case).beside(lines.of(~hand)), vocabulary)
        head = tempered(head, own.x[case], own.kinds[case].argmax(axis=1).tolist())
        without |= dict.fromkeys(left, head)
        temperatures.append(head.temperature)
        told[case], strange[hand] = head.log_probabilities(own.x[case]), head.log_probabilities(lines.x[hand])
    head = replace(fitted(own.beside(lines), vocabulary), temperature=float(np.median(temperatures)))
    fine = lines.kinds.sum(axis=1) == 1.0
    card = {
        "sessions of left-out cases": _read(told, own.kinds),
        "lines of left-out hands, as one of several kinds": _read(strange[~fine], lines.kinds[~fine]),
        "lines of left-out hands, of one kind": _read(strange[fine], lines.kinds[fine]),
        "temperature": head.temperature,
    }
    return head, card, without


def _read(logs: Floats, kinds: Floats) -> dict[str, float]:
    """Share read as a kind that it may be, mean log score of these kinds together, and how many."""
    right = kinds[np.arange(len(kinds)), logs.argmax(axis=1)]
    score = np.log(np.maximum((np.exp(logs) * kinds).sum(axis=1), 1e-12))
    return {"right": round(float(right.mean()), 3), "log score": round(float(score.mean()), 3), "n": len(kinds)}
