"""Fit the head that tells what a question asks about, on own-written questions of four writers.

    python recipes/fit_question_slots.py      # five minutes; prints writer-out figures, writes weights and card

Each writer's questions are read by a head fitted on the others'; the packaged head is fitted on all four.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from maieutic.patients.hearing.asked import NO_SLOT, SLOTS, SURE_SLOT, slot_features
from maieutic.protocols import Embedder
from maieutic.reading.head import Head, save
from maieutic.reading.minilm import MiniLM
from maieutic.runs.files import read_lines
from maieutic.validation.agent.sessions import CoderVectors

DATA = Path(__file__).parent / "data"
WEIGHTS = Path(__file__).parents[1] / "src" / "maieutic" / "patients" / "weights"
WRITERS = ("a", "b", "c", "d")
PENALTY = 5.0


def main() -> None:
    """Fit, judge writer by writer, write: for the patients' encoder, and for the one of another world."""
    tables = [
        _fitted(embed, name) for embed, name in ((MiniLM(), "question_slots"), (CoderVectors(), "question_slots_coder"))
    ]
    (WEIGHTS / "SLOTS_CARD.md").write_text(
        _CARD.format(table=tables[0], other=tables[1], sure=SURE_SLOT, rows=len(_rows())), encoding="utf-8"
    )


def _rows() -> list[tuple[str, str, str]]:
    return [
        (writer, *row.values()) for writer in WRITERS for row in read_lines(DATA / f"question_slots_{writer}.jsonl")
    ]


def _fitted(embed: Embedder, name: str) -> str:
    """Writes a head and returns its figures, writer by writer."""
    rows = _rows()
    x = np.array([slot_features(text, embed) for _, text, _ in rows])
    y, writers = np.array([slot for *_, slot in rows]), np.array([writer for writer, *_ in rows])
    lines = []
    for left in WRITERS:
        model = _fit(x[writers != left], y[writers != left])
        chances = model.predict_proba(x[writers == left])
        best, truth = model.classes_[chances.argmax(axis=1)], y[writers == left]
        taken = (best != NO_SLOT) & (chances.max(axis=1) >= SURE_SLOT)
        lines.append(
            f"| writer {left} left out | {len(truth)} | {np.mean(best == truth):.2f} | {np.mean(best[taken] == truth[taken]):.2f} "
            f"| {np.sum(taken & (best == truth)) / np.sum(truth != NO_SLOT):.2f} | {np.mean(taken[truth == NO_SLOT]):.2f} |"
        )
    model = _fit(x, y)
    order = [list(model.classes_).index(label) for label in SLOTS]
    head = Head(SLOTS, model.coef_[order], model.intercept_[order], fitted_on=embed.name)
    save(WEIGHTS / f"{name}.npz", **{name: head})
    table = "\n".join(lines)
    print(name, table, sep="\n")
    return table


def _fit(x: np.ndarray, y: np.ndarray) -> LogisticRegression:
    return LogisticRegression(C=PENALTY, max_iter=500, class_weight="balanced").fit(x, y)


_CARD = """# Card: what a question asks about

`question_slots.npz`: one multinomial logistic head over MiniLM vectors of the main question and of the whole turn and five
marks of form. Fitted by `recipes/fit_question_slots.py` on {rows} own-written questions of four writers, who
saw neither code nor cases nor any therapist's wordings. Thirteen labels: eleven slots, `wide` (invites experience against the
thought in general) and `none`. A label counts from probability {sure}. Numbers only, no text. Research use; 28 November 2026.

| | questions | label right | precision of a slot taken | recall | `none` taken for a slot |
|---|---|---|---|---|---|
{table}

`question_slots_coder.npz` is the same head over the centred vectors of the behaviour coder's encoder, for the world in which patients
comprehend by another encoder (`maieutic validate agent`):

| | questions | label right | precision of a slot taken | recall | `none` taken for a slot |
|---|---|---|---|---|---|
{other}

Twelve sure phrases stood beside these vectors until 28 November 2026 and added nothing. Blind to: what earlier turns make clear, irony, other
languages; `support` is mixed up with `wide` and `weighing` most often.
"""


if __name__ == "__main__":
    main()
