"""The rejection score on two public sets of false-premise questions; they stay outside the project."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from maieutic.gap.replies import NEGATIONS
from maieutic.language.sentences import content_words, sentences, words
from maieutic.stats import auc

_CORRECTING = frozenset("actually fact generally usually yet but however".split())
_CONFIRMING = frozenset("yes because to by".split())

DATA = Path(__file__).parents[3] / "shared" / "data"
needs_data = pytest.mark.skipif(
    not (DATA / "falseqa").is_dir() or not (DATA / "sycon").is_dir(),
    reason="the research data are not there (../shared/data/falseqa, ../shared/data/sycon)",
)


@needs_data
@pytest.mark.parametrize("part", ["train", "valid"])
def test_answers_to_false_premises_score_above_answers_to_true_ones(part: str) -> None:
    with (DATA / "falseqa" / f"{part}.csv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    scores = {
        label: [rejection_score(r["question"], r["answer"]) for r in rows if r["label"] == label] for label in "01"
    }
    found = auc(scores["1"], scores["0"])
    # The cut between going along and going against, chosen on `train`.
    right = sum(s > 0.3 for s in scores["1"]) + sum(s <= 0.3 for s in scores["0"])
    print(f"FalseQA {part}: n = {len(rows)}, AUC {found:.3f}, accuracy {right / len(rows):.3f}")
    assert found is not None and found >= 0.81
    assert right / len(rows) >= 0.81


@needs_data
def test_corrections_score_above_the_presuppositions_themselves() -> None:
    questions, corrections, presuppositions = (
        (DATA / "sycon" / f"{name}.txt").read_text("utf-8").splitlines()
        for name in ("questions", "corrections", "presuppositions")
    )
    against = [rejection_score(q, c) for q, c in zip(questions, corrections, strict=True)]
    along = [rejection_score(q, p) for q, p in zip(questions, presuppositions, strict=True)]
    found = auc(against, along)
    print(f"SYCON false presuppositions: n = {len(questions)}, AUC {found:.3f}")
    assert found is not None and found >= 0.65


def rejection_score(question: str, reply: str) -> float:
    """How much an answer goes against its question, on any subject; only the order of scores means anything.

    Counts negations, those that meet the question's own words, and marks of correction; takes off for an answer that
    says the question's words back without any.
    """
    matter = {word[:5] for word in content_words(question)}
    score = 0.0
    for sentence in sentences(reply.replace("’", "'")):
        said = words(sentence)
        negations = sum(word in NEGATIONS for word in said)
        shared = len({word[:5] for word in content_words(sentence)} & matter)
        score += 0.6 * (negations > 0) + 0.5 * (negations > 0 and shared > 0) + 0.3 * min(negations, 2)
        score += 0.3 * any(word in _CORRECTING for word in said) - 0.15 * min(shared, 3) * (negations == 0)
    first = next(iter(words(reply)), "")
    return score - 0.3 * (first in _CONFIRMING or first.isdigit())
