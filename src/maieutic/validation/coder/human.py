"""How far human coders agree with each other on AnnoMI, where ten of them coded the same sessions."""

from __future__ import annotations

import csv
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path

import numpy as np

from maieutic.errors import UnreadableFile
from maieutic.stats import Interval
from maieutic.validation.coder import figures as fig
from maieutic.validation.coder.figures import Floats

FILE = "annomi/AnnoMI-full.csv"
HOW = (
    "each annotator held against each other one, on the utterances that several coded: macro-F1 of every ordered pair, "
    "averaged; interval by session"
)
_LABELS = {
    "annomi_therapist": (
        "therapist",
        "main_therapist_behaviour",
        ("question", "reflection", "therapist_input", "other"),
    ),
    "annomi_client": ("client", "client_talk_type", ("change", "neutral", "sustain")),
    "annomi_question_form": ("therapist", "question_subtype", ("open", "closed")),
}
_COLUMNS = ("transcript_id", "utterance_id", "interlocutor", "annotator_id", *(c for _, c, _ in _LABELS.values()))


@dataclass(frozen=True, slots=True)
class Agreement:
    """Human agreement on one head: macro-F1 of annotator against annotator, and kappa of all of them (Fleiss 1971)."""

    head: str
    utterances: int
    sessions: int
    annotators: int
    macro_f1: Interval
    kappa: float | None


def agreements(data: Path, *, draws: int = fig.DRAWS) -> list[Agreement]:
    """Agreement for each AnnoMI head that can be had. Raises `UnreadableFile` when the file or a column is missing."""
    path = data / FILE
    if not path.is_file():
        raise UnreadableFile(f"--data {data} holds no {FILE}; give the folder that has annomi/ in it")
    coded: dict[tuple[str, str], dict[str, dict[str, str]]] = defaultdict(dict)
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        lacking = [name for name in _COLUMNS if name not in (reader.fieldnames or ())]
        if lacking:
            raise UnreadableFile(f"{path} lacks the column(s) {', '.join(lacking)}; it is expected as published")
        for row in reader:
            coded[row["transcript_id"], row["utterance_id"]][row["annotator_id"]] = row
    several = {key: rows for key, rows in coded.items() if len(rows) > 1}
    found = []
    for head, (speaker, column, labels) in _LABELS.items():
        rows = [
            (session, {who: row[column] for who, row in by.items() if row[column] in labels})
            for (session, _), by in several.items()
            if next(iter(by.values()))["interlocutor"] == speaker
        ]
        rows = [(session, given) for session, given in rows if len(given) > 1]
        if rows:
            found.append(_agreement(head, rows, labels, draws))
    return found


def _agreement(
    head: str, rows: Sequence[tuple[str, Mapping[str, str]]], labels: Sequence[str], draws: int
) -> Agreement:
    sessions = [session for session, _ in rows]
    people = sorted({who for _, given in rows for who in given})
    table = fig.by_group(_pair_counts([given for _, given in rows], people, labels), fig.places(sessions))
    return Agreement(
        head=head,
        utterances=len(rows),
        sessions=len(set(sessions)),
        annotators=len(people),
        macro_f1=fig.interval([table], fig.mean_macro_f1, rng=random.Random(0), draws=draws),
        kappa=fleiss([[list(given.values()).count(label) for label in labels] for _, given in rows]),
    )


def _pair_counts(rows: Sequence[Mapping[str, str]], people: Sequence[str], labels: Sequence[str]) -> Floats:
    """Hits, false alarms and misses by utterance of every ordered pair: (n, pairs, 3, labels)."""
    chosen = np.array([[[given.get(who) == label for label in labels] for who in people] for given in rows])
    coded: fig.Flags = np.asarray(chosen.any(-1))
    parts = []
    for truth, claim in permutations(range(len(people)), 2):
        both = (coded[:, truth] & coded[:, claim])[:, None, None]
        parts.append(fig.hits(chosen[:, truth], chosen[:, claim]) * both)
    return np.stack(parts, axis=1).astype(np.float64)


def fleiss(counts: Sequence[Sequence[int]]) -> float | None:
    """Fleiss' kappa from how many coders gave each label to each item; items may differ in their number of coders.

    Chance agreement is from the pooled shares of labels. None when fewer than two coders met anywhere or all codes are
    equal.
    """
    table = np.array([row for row in counts if sum(row) > 1], dtype=np.float64)
    if not len(table):
        return None
    coders = table.sum(1)
    observed = float((((table * (table - 1)).sum(1)) / (coders * (coders - 1))).mean())
    shares = table.sum(0) / table.sum()
    chance = float((shares**2).sum())
    return None if chance >= 1.0 else (observed - chance) / (1.0 - chance)
