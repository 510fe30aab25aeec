"""Replies and sessions that experts rated: tutors' replies, teachers' moves, empathic talk, sessions of therapists."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from statistics import fmean, median
from typing import Final

from maieutic.coding.book import Scheme, book_of
from maieutic.reading.yaml_text import packaged_yaml
from maieutic.transcripts.utterance import Utterance
from maieutic.validation.coder import stored
from maieutic.validation.coder.datasets import Gold
from maieutic.validation.judge.coded import hash_of
from maieutic.validation.judge.figures import weighted_kappa
from maieutic.validation.judge.items import Item
from maieutic.validation.judge.mindeval import RATED, Rated, one_against_the_rest, rated_sessions
from maieutic.validation.judge.reply_labels import GRADES, reply_file, reply_labels
from maieutic.validation.judge.sets import Codes, Experts, LabelledSet, Reader

TUTOR, TELLS, EMPATHY, SESSION = map(book_of, packaged_yaml("validation", "judge", "books.yaml"))
EXPERTS: Final = "empathy_experts/annotations_empatheticdialogues_expert{}_ratings.csv"
TALKS: Final = "empathy_experts/original_data_sample_empatheticdialogues.csv"
LONGEST_HISTORY: Final = 2_000
"""Letters of a tutoring talk that are shown before the reply, its end."""
_MRBENCH: Final = Experts(0.65, "Fleiss' kappa of trained raters, all dimensions, Maurya et al. 2025")
_MATHDIAL: Final = Experts(None, "the teacher's own label; no second opinion published")


def rated_sets(data: Path) -> list[LabelledSet]:
    """The rated sets whose files are in the folder. Raises `InputError` for other data than the stored figures are
    of."""
    found = []
    if (data / reply_file("guides")).is_file():
        found.append(
            _replies("tutoring", "MRBench, tutors' replies", TUTOR, ("guides", "actionable"), GRADES, _MRBENCH, data)
        )
    if (data / reply_file("tells")).is_file():
        found.append(
            _replies("mathdial", "MathDial, teachers' turns", TELLS, ("tells",), ("yes", "no"), _MATHDIAL, data)
        )
    if (data / TALKS).is_file():
        found.append(_empathy(data))
    if (data / RATED).is_file():
        found.append(_sessions(rated_sessions(data)))
    return found


def _replies(
    id: str, title: str, scheme: Scheme, heads: Sequence[str], values: Codes, experts: Experts, data: Path
) -> LabelledSet:
    labels: dict[str, dict[str, Codes]] = {}
    rows: dict[str, Gold] = {}
    embedded: dict[str, Mapping[str, Sequence[Codes]]] = {}
    for head in heads:
        for row in reply_labels(head, data):
            rows[row.id] = row
            labels.setdefault(row.id, {})[head] = row.labels
        kept = stored.read(f"reply_{head}")
        if kept is not None:
            stored.check_data(kept, data)
            best = kept.probabilities.argmax(-1)
            embedded[head] = {row: [(kept.labels[one[at]],) for one in best] for at, row in enumerate(kept.rows)}
    items = [_reply(row, labels[row.id]) for row in rows.values() if row.text.strip()]
    items.sort(key=lambda item: hash_of(item.id))
    readers = tuple(Reader(head, head, "macro-F1", head, values, (), experts) for head in heads)
    return LabelledSet(id, title, scheme, tuple(items), readers, embedded, "research data")


def _reply(row: Gold, gold: Mapping[str, Codes]) -> Item:
    before = (row.other[-LONGEST_HISTORY:],) if row.other.strip() else ()
    return Item(row.id, row.group, (Utterance("therapist", row.text, context=before),), gold)


def _empathy(data: Path) -> LabelledSet:
    talks: dict[str, list[tuple[str, str]]] = {}
    for line in _lines(data / TALKS):
        said = line["utterance"].replace("_comma_", ",")
        talks.setdefault(line["conv_id"], []).append((line["utterance_idx"], said))
    rated = [{line["conv_id"]: float(line["empathy"]) for line in _lines(data / EXPERTS.format(n))} for n in (1, 2, 3)]
    kappas = [
        weighted_kappa([a[id] for id in a if id in b], [b[id] for id in a if id in b])
        for a, b in combinations(rated, 2)
    ]
    told = [one for one in kappas if one is not None]
    experts = Experts(median(told), "median weighted kappa, expert against expert, recomputed")
    items = []
    for id, turns in talks.items():
        given = [one[id] for one in rated if id in one]
        if given:
            words = "\n".join(f"{'Seeker' if int(at) % 2 else 'Supporter'}: {text}" for at, text in turns)
            gold = {"empathy": (f"{median(given):.0f}",)}
            items.append(Item(id, id, (Utterance("therapist", words),), gold))
    reader = Reader("empathy", "empathy, 1 to 5", "weighted kappa", "empathy", tuple("12345"), (), experts)
    return LabelledSet(
        "empathy", "EmpatheticDialogues, three experts", EMPATHY, tuple(items), (reader,), {}, "research data"
    )


def _sessions(sessions: Sequence[Rated]) -> LabelledSet:
    from maieutic.validation.judge.mindeval import likeness

    items = [
        Item(one.id, one.member, (Utterance("therapist", one.therapist_words),), {"session": (str(one.mean),)})
        for one in sessions
    ]
    measured = {
        one.id: [(str(value),)] for one, value in zip(sessions, likeness(sessions), strict=True) if value is not None
    }
    among = [one_against_the_rest(sessions, rater) for rater in range(4)]
    experts = Experts(
        fmean([x for x in among if x is not None]), "one clinician against the mean of the rest, same figure"
    )
    reader = Reader(
        "session", "overall rating of a session", "rank correlation", "overall", tuple("123456"), (), experts
    )
    return LabelledSet(
        "mindeval",
        "MindEval, 36 sessions, four clinicians",
        SESSION,
        tuple(items),
        (reader,),
        {"session": measured},
        "research data",
    )


def _lines(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))
