"""Practice's head for what a statement does to what the patient said: gives it back, comforts, interprets, praises, or tells.

    python recipes/fit.py given_back

Rows: own-written statements on twelve topics, comfort among them that is worded like a reflection ("You did everything you could"),
ideas about the patient that sound like their words, praise that names nothing and praise that names what was done,
and the sentences of `turn_sentences.jsonl` that only give back, comfort or inform. Groups are topics and styles.
"""

from __future__ import annotations

import numpy as np

from fit import Declared, Rows, own_lines
from maieutic.practice.given_back import LABELS, WEIGHTS
from maieutic.reading.bag import places, sentence_row, vocabulary_of
from maieutic.reading.head import Settings

_OF_MARKS = {"reflection": "gives_back", "reassurance": "comforts", "information": "tells"}


def _rows() -> Rows:
    own = [(row["text"], row["label"], row["topic"]) for row in own_lines("given_back")]
    for row in own_lines("turn_sentences"):
        labels = {_OF_MARKS[mark] for mark in row["marks"] if mark in _OF_MARKS}
        if len(labels) == 1 and "question" not in row["marks"]:
            own.append((row["text"], labels.pop(), row["style"]))
    vocabulary = vocabulary_of(([text] for text, *_ in own), fewest=4)
    x = np.array([sentence_row(text, places(vocabulary)) for text, *_ in own])
    return Rows(x, [label for _, label, _ in own], [group for *_, group in own], vocabulary=vocabulary)


HEADS = [Declared("given_back", WEIGHTS, LABELS, _rows, Settings(penalty=10.0), folds=4)]
