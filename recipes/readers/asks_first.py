"""Declares the heads of family 'asks_first': what a sentence asks for, and which faults and what aim a question has.

    python recipes/fit.py asked_slot; python recipes/fit.py question_fault; python recipes/fit.py on_key

in this order: the last one reads what the others say. Rows: own-written sentences (`asked_slots.jsonl`, a slot of None: left
out), the own-written questions of the patients' slot head, and the development half of the detector's rows.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
import yaml

from fit import Declared, Rows, own_lines
from heads import Settings
from maieutic.gap.asks_first.questions import FAULTS, KEY, LABELS, NOTHING, OTHER, key_numbers, shaped
from maieutic.gap.asks_first.questions import HEADS as QUESTIONS
from maieutic.gap.replies import ASKED, is_asked, sense
from maieutic.language.sentences import sentences
from maieutic.reading.head import Floats
from maieutic.reading.moves import questions

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "recipes" / "data"
ALIKE: Final = {
    "situation": "situation", "thought": "thought", "feeling": "feeling", "background": "background", "risk": "safety",
    "wide": "against", "alternative": "against", "support": OTHER, "conviction": OTHER, "goal": OTHER, "plan": OTHER,
}  # fmt: skip
"""What the labels of the patients' slot head are here; `weighing` is either, `none` any other question, or advice."""
ON_KEY: Final = {"thought", "feeling", "against", "support", "weighing", "alternative", "conviction", "wide"}
OWN, BORROWED, PLAIN = 3.0, 0.7, 1.5
"""Weights: rows written for this, rows of the patients' head, and its everyday questions."""


def detector() -> Any:
    """The development rows of the family."""
    return yaml.safe_load((ROOT / "tests" / "gap" / "data" / "asks_first_detector.yaml").read_text(encoding="utf-8"))


def patients_questions() -> list[tuple[str, str, str]]:
    """(main sentence, label, writer) of the questions that the patients' slot head learned from."""
    return [
        (_main(row["text"]), row["slot"], writer) for writer in "abcd" for row in own_lines(f"question_slots_{writer}")
    ]


def _main(text: str) -> str:
    """The last question of a turn, or its last sentence."""
    return ([s for s in sentences(text) if is_asked(s)] or list(sentences(text)))[-1]


def _slots() -> Rows:
    own = own_lines("asked_slots")
    known = {row["text"] for row in own}
    rows = [(row["text"], row["slot"], f"own {n // 20}", OWN) for n, row in enumerate(own) if row["slot"]]
    rows += [
        (text, ALIKE.get(slot) or _other(text), writer, PLAIN if slot == "none" else BORROWED)
        for text, slot, writer in patients_questions()
        if slot != "weighing" and text not in known
    ]
    asks = detector()["asks"]
    rows += [
        (part, row["slot"] if row["slot"] != "none" else _other(part), half, OWN)
        for half in ("dev", "dev2")
        for row in asks[half]
        for part in sentences(row["said"])
        if row["slot"] == "none" or len(sentences(row["said"])) == 1
    ]
    texts, labels, groups, weights = zip(*rows, strict=True)
    return Rows(np.array([sense(t) for t in texts]), labels, groups, np.array(weights))


def _other(sentence: str) -> str:
    """Whether a sentence that asks for no slot asks for something: advice and asking leave do not."""
    return OTHER if any(not q.advising for q in questions(sentence)) else NOTHING


def _faults() -> Rows:
    rows = [(row["text"], frozenset(row["faults"])) for row in own_lines("question_faults")]
    fine = [row["text"] for row in own_lines("asked_slots") if row["slot"] not in (None, OTHER, NOTHING, "safety")]
    rows += [(text, frozenset()) for text in fine if is_asked(text)]
    return Rows(
        np.array([shaped(text) for text, _ in rows]),
        [faults for _, faults in rows],
        [str(n // 5) for n in range(len(rows))],
    )


def _kinds() -> Rows:
    own = [(row["text"], row["slot"], f"own {n // 20}") for n, row in enumerate(own_lines("asked_slots"))]
    rows = [*patients_questions(), *(row for row in own if row[1] not in (None, OTHER, NOTHING))]
    texts, slots, groups = zip(*rows, strict=True)
    return Rows(np.array([sense(t) for t in texts]), ["key" if s in ON_KEY else "beside" for s in slots], groups)


def _keys() -> Rows:
    rows = [(row["before"], row["text"], row["key"]) for row in own_lines("key_questions")]
    marked = detector()["attributes"]
    rows += [(row["b"], row["q"], row["marks"][-1] == "1") for half in ("dev", "dev2") for row in marked[half]]
    rows = [row for row in rows if questions(row[1])]
    return Rows(
        np.array([_key(text, before) for before, text, _ in rows]),
        ["key" if key else "beside" for *_, key in rows],
        [before for before, *_ in rows],
    )


def _key(text: str, before: str) -> Floats:
    return key_numbers(tuple(q.text for q in questions(text)), before)


HEADS = [
    Declared("asked_slot", ASKED, LABELS, _slots, Settings(penalty=0.01, scaled=True, doubt=0.3)),
    Declared("question_fault", QUESTIONS, FAULTS, _faults, Settings(penalty=0.03, scaled=True, many=True, doubt=0.5)),
    Declared("key_kind", QUESTIONS, ("beside", "key"), _kinds, Settings(penalty=0.01, scaled=True)),
    Declared("on_key", KEY, ("beside", "key"), _keys, Settings(penalty=0.3, scaled=True)),
]
