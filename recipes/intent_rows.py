"""Own-written lines that tell an intent plainly, and what only sounds like it: what `train_intent_encoder.py` and the head above its
layers (`readers/intent.py`) learn from."""

from __future__ import annotations

from dataclasses import dataclass

from fit import RECIPES, own_lines
from maieutic.library import case_ids, get_case
from maieutic.patients.template_voice import every_line
from maieutic.runs.files import files_of_lines

DATA = RECIPES / "data"
OF_HANDS = {"suicide": "suicide", "others": "others", "past": "none", "none": "none"}
OF_TRAINING = {
    "suicide_active": "suicide", "active_ideation": "suicide", "suicide_passive": "wish", "passive_ideation": "wish",
    "harm_to_others": "others", "abuse_danger": "none", "abuse": "none",
}  # fmt: skip
"""Labels by the kinds that the writers named; rows of other kinds are left out."""
SAFE, LIFE, ASKED = 3, 6, 6
"""Of the harmless rows of the older sets every third, of a patient's lines and of therapists' sentences every
sixth."""


@dataclass(frozen=True)
class Row:
    """A line, what it tells, and who wrote it."""

    text: str
    label: str
    hand: str


def rows() -> tuple[list[Row], list[Row]]:
    """The lines of the hands, and all others."""
    hands = [
        Row(row["text"], OF_HANDS[row["kind"]], path.stem.partition(".")[0].rpartition("_")[2])
        for path in files_of_lines(DATA, "plain_danger_*.jsonl")
        for row in own_lines(path.stem)
    ]
    found = []
    for path in files_of_lines(DATA, "risk_train*.jsonl"):
        of_kind = [(row["text"], OF_TRAINING.get(row["kind"])) for row in own_lines(path.stem)]
        found += [Row(text, label, path.stem) for text, label in of_kind if label]
    for path in files_of_lines(DATA, "safe_train*.jsonl"):
        found += [Row(row["text"], "none", path.stem) for row in own_lines(path.stem)[::SAFE]]
    for path in files_of_lines(DATA, "risk_grades_*.jsonl"):
        for number, row in enumerate(own_lines(path.stem)):
            if row["grade"] == "active" and row["kind"] in ("suicide", "violence"):
                found.append(Row(row["text"], "suicide" if row["kind"] == "suicide" else "others", path.stem))
            elif row["grade"] == "passive" or (row["grade"] == "none" and number % SAFE):
                found.append(Row(row["text"], "wish" if row["grade"] == "passive" else "none", path.stem))
    for name in ("risk_hands", "risk_signs_dev"):
        found += [Row(row["text"], "none", name) for row in own_lines(name) if row["grade"] == "none"]
    found += [Row(row["text"], "none", "asking") for row in own_lines("risk_questions")]
    found += [Row(row["text"], "none", "asking") for row in own_lines("turn_sentences")[::ASKED]]
    found += [Row(row["text"], "none", "replying") for row in own_lines("safety_replies")[::2]]
    for name in case_ids("dev"):
        if get_case(name).risk.level == "none":
            found += [Row(line, "none", name) for line in sorted(every_line(get_case(name)))[::LIFE]]
    return hands, found
