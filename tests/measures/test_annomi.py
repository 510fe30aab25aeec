"""Compares the codes behind the observable measures with the human coding of AnnoMI, where the data is at hand.

The figures on `docs/measures.md` come from this file: `pytest -m full tests/measures/test_annomi.py -s` prints them.
"""

from __future__ import annotations

import csv
import random
from collections import defaultdict
from functools import lru_cache
from pathlib import Path

import pytest

from maieutic import stats
from maieutic.coding.rules import RuleCoder
from maieutic.domain.codes import QUESTIONS, Move
from maieutic.domain.episode import Ending, Episode, EpisodeKey, Session, Turn
from maieutic.measures.definition import Measure
from maieutic.measures.material import ADVISING, REFLECTING
from maieutic.measures.moves import advice_rate, open_among_asking_turns, turns_that_ask, turns_that_reflect

DATA = Path(__file__).parents[3] / "shared" / "data" / "annomi" / "AnnoMI-full.csv"
ADVICE_SUBTYPES = frozenset({"advice", "options"})
TOLERANCE = 0.03  # the default coder may change a little before the documented figures have to
pytestmark = [pytest.mark.full, pytest.mark.skipif(not DATA.is_file(), reason=f"no {DATA.name} beside the repository")]


@lru_cache(maxsize=1)
def _sessions() -> dict[str, dict[int, list[dict[str, str]]]]:
    """Session → utterance number → one row for each annotator."""
    found: dict[str, dict[int, list[dict[str, str]]]] = defaultdict(lambda: defaultdict(list))
    with DATA.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            found[row["transcript_id"]][int(row["utterance_id"])].append(row)
    return found


@lru_cache(maxsize=1)
def _episodes() -> tuple[tuple[str, Episode], ...]:
    """(quality, episode) for each session, coded by the default coder."""
    made = []
    for name, utterances in _sessions().items():
        session, codes = Session(), []
        for number in sorted(utterances):
            row = utterances[number][0]
            session += Turn("therapist" if row["interlocutor"] == "therapist" else "patient", row["utterance_text"])
            if row["interlocutor"] == "therapist":
                codes.append(RuleCoder().code(session))
        key = EpisodeKey("annomi", name, 0)
        quality = utterances[min(utterances)][0]["mi_quality"]
        made.append((quality, Episode(key, session, (), tuple(codes), (), Ending("completed"))))
    return tuple(made)


def _majority(rows: list[dict[str, str]], column: str, values: frozenset[str]) -> bool:
    return 2 * sum(row[column] in values for row in rows) >= len(rows)


def _f1(column: str, values: frozenset[str], moves: frozenset[Move]) -> tuple[float, int]:
    """F1 of the moves against the majority of annotators (a tie counts as yes), and the number of human positives."""
    hits = wrong = missed = 0
    for (_, utterances), (_, episode) in zip(_sessions().items(), _episodes(), strict=True):
        spoken = [utterances[n] for n in sorted(utterances) if utterances[n][0]["interlocutor"] == "therapist"]
        for rows, code in zip(spoken, episode.codes, strict=True):
            assert code is not None
            human, ours = _majority(rows, column, values), code.any_of(moves)
            hits += human and ours
            wrong += ours and not human
            missed += human and not ours
    return 2 * hits / (2 * hits + wrong + missed), hits + missed


def _auc(measure: Measure) -> tuple[float, float, float]:
    """AUC of high (first) against low quality sessions, with a 95 % bootstrap interval over sessions."""
    scored = [(quality, measure(episode).value) for quality, episode in _episodes()]
    high = [v for q, v in scored if q == "high" and v is not None]
    low = [v for q, v in scored if q == "low" and v is not None]
    rng = random.Random(7)
    draws = sorted(stats.auc(rng.choices(high, k=len(high)), rng.choices(low, k=len(low))) or 0.0 for _ in range(1_000))
    return stats.auc(high, low) or 0.0, draws[25], draws[974]


@pytest.mark.parametrize(
    ("measure", "column", "values", "moves", "expected"),
    [
        (turns_that_ask, "question_exists", frozenset({"True"}), QUESTIONS, 0.88),
        (open_among_asking_turns, "question_subtype", frozenset({"open"}), frozenset({Move.OPEN_QUESTION}), 0.72),
        (turns_that_reflect, "reflection_exists", frozenset({"True"}), REFLECTING, 0.45),
        (advice_rate, "therapist_input_subtype", ADVICE_SUBTYPES, ADVISING, 0.39),
    ],
    ids=lambda given: given.id if isinstance(given, Measure) else "",
)
def test_agreement_with_human_codes_is_as_documented(
    measure: Measure, column: str, values: frozenset[str], moves: frozenset[Move], expected: float
) -> None:
    f1, positives = _f1(column, values, moves)
    print(f"\n{measure.id}: F1 {f1:.2f} on {positives} human positives")
    assert f1 == pytest.approx(expected, abs=TOLERANCE)
    assert f"F1 {expected:.2f}" in _documentation(measure)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        (advice_rate, (0.16, 0.08, 0.26)),
        (turns_that_reflect, (0.47, 0.33, 0.62)),
        (turns_that_ask, (0.56, 0.40, 0.70)),
        (open_among_asking_turns, (0.71, 0.55, 0.86)),
    ],
    ids=lambda given: given.id if isinstance(given, Measure) else "",
)
def test_separation_of_quality_groups_is_as_documented(measure: Measure, expected: tuple[float, float, float]) -> None:
    auc, low, high = _auc(measure)
    print(f"\n{measure.id}: AUC {auc:.2f} [{low:.2f}, {high:.2f}] of high against low quality")
    assert (auc, low, high) == pytest.approx(expected, abs=TOLERANCE)
    assert "AUC {:.2f} [{:.2f}, {:.2f}]".format(*expected) in _documentation(measure)


def _documentation(measure: Measure) -> str:
    return " ".join((measure.function.__doc__ or "").split())
