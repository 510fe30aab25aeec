"""The therapists' own head for what a patient's line holds, declared for `recipes/fit.py`.

    python recipes/fit.py line

Rows: what development patients say, in the kinds their writers filed it under, and lines that somebody wrote who had seen no case
(`client_lines.jsonl.xz`, nine hands). Test cases are not read; folds never share a case or a hand. Told by
`python benchmarks/client_lines.py` on a hand that nothing was fitted on.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy import sparse

from fit import Declared, Rows
from heads import Settings, places, vocabulary_of
from maieutic.domain.appraisal import QuestionForm as Form
from maieutic.domain.case import Case
from maieutic.language.sentences import sentences, words
from maieutic.library import case_ids, get_case
from maieutic.reading.bag import sentence_row
from maieutic.runs.files import read_lines
from maieutic.therapists.hearing import LINES, WEIGHTS_OF_LINES

_KIND_OF = {
    Form.SAID: "words", Form.FEELING: "feeling", Form.BODY: "feeling", Form.THOUGHT: "thought", Form.MEANING: "thought",
    Form.WORST: "thought", Form.ORIGIN: "origin", Form.WHO: "person", Form.DESCRIBE: "person", Form.SEQUENCE: "event",
    Form.WHERE: "event", Form.WHEN: "event", Form.HOW_COME: "reason", Form.COST_BENEFIT: "reason", Form.PLAN: "plan",
    Form.GOAL: "plan",
}  # fmt: skip
"""What the answer to a form of question holds; an answer to two of different kinds is left out, and so is one to any other."""
SHORTEST = 3
RECIPES = Path(__file__).parents[1]
FOLDS = 5
WRITTEN = 6.0
"""Weight of a line written without a case beside one of a patient's, of which there are many alike."""


def _told(case: Case) -> Iterator[tuple[str, str]]:
    """(line, kind) of what one patient says."""
    own = case.phrasings
    for one in case.situations:
        for fact in one.evidence:
            yield from ((line, fact.bearing) for line in fact.said)
        for kind, lines in (("thought", own.thought), ("feeling", own.feeling), ("gives_way", own.conceding),
                            ("gives_way", own.insight), ("unmoved", own.unmoved), ("event", own.details)):  # fmt: skip
            yield from ((line, kind) for line in lines[one.id])
    for kind, plain in (("origin", own.background), ("little", own.deflecting), ("little", own.not_knowing),
                        ("little", own.agreeing), ("unmoved", own.resisting)):  # fmt: skip
        yield from ((line, kind) for line in plain)
    if case.memory is None:
        return
    for unit in case.memory.units:
        kinds = {_KIND_OF.get(form) for form in unit.forms}
        if unit.moved is not None:
            yield unit.moved, "gives_way"
        elif len(kinds) == 1 and (only := kinds.pop()) is not None:
            yield unit.said, only
    for talk in case.memory.facts:
        yield from ((talk.moved, "gives_way"), (talk.unmoved, "unmoved"))
    own_talk = case.memory.talk
    for small in (own_talk.ask_back, own_talk.dont_know, own_talk.no_more, own_talk.confirm):
        yield from ((line, "little") for line in small)


def _rows() -> Rows:
    lines = [(line, kind, name) for name in case_ids("dev") for line, kind in _told(get_case(name))]
    written = read_lines(RECIPES / "data" / "client_lines.jsonl.xz")
    lines += [(row["text"], row["kind"], f"written {row['hand']}") for row in written]
    parts = [
        (part, kind, name)
        for line, kind, name in lines
        for part in dict.fromkeys((line, *sentences(line)))
        if len(words(part)) >= SHORTEST
    ]
    vocabulary = vocabulary_of(([text] for text, *_ in parts), fewest=8)
    x = sparse.vstack([sparse.csr_matrix(sentence_row(text, places(vocabulary))) for text, *_ in parts], format="csr")
    weights = np.array([WRITTEN if name.startswith("written ") else 1.0 for *_, name in parts])
    return Rows(x, [kind for _, kind, _ in parts], [name for *_, name in parts], weights, vocabulary)


HEADS = [Declared("line", WEIGHTS_OF_LINES, LINES, _rows, Settings(penalty=1.0, doubt=0.4), folds=FOLDS)]
