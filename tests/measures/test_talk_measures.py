"""Stacked and leading questions by hand, and Socratic types only where a coder was at hand."""

from __future__ import annotations

from dataclasses import replace

from coded_talk import talk

from maieutic.measures import codes as asking
from maieutic.measures.definition import NO_SOCRATIC


def test_stacked_and_leading_questions() -> None:
    coded = talk(
        ("T", "question", "What happened then? What did you do?"), ("T", "question", "What was that like?"),
        ("T", "question", "Don't you think it was your own fault?"), ("T", "other", "I see."),
        ("C", "neutral", "Why? Why me?"),
    )  # fmt: skip
    stacked, leading = asking.stacked_question_share(coded), asking.leading_question_share(coded)
    assert (stacked.value, stacked.evidence) == (1 / 3, (10,))
    assert (leading.value, leading.evidence) == (1 / 3, (12,))


def test_without_question_marks_they_are_missing_and_not_zero() -> None:
    coded = talk(("T", "question", "did it hurt"), ("C", "neutral", "yes"))
    assert asking.stacked_question_share(coded).value is None
    assert asking.leading_question_share(coded).reason == asking.NO_MARKS


def test_socratic_types_of_question_turns_only() -> None:
    asked = [("T", "question", "What speaks for it?"), ("T", "question", "Where?"), ("T", "other", "Mm.")]
    coded = talk(*asked, *asked[:2])
    measure = asking.SOCRATIC_SHARES["reasons_evidence"]
    assert measure(coded).reason == NO_SOCRATIC
    types = ("reasons_evidence", "clarity", "reasons_evidence", "reasons_evidence", "clarity")
    turns = tuple(replace(turn, codes={"socratic": (kind,)}) for turn, kind in zip(coded.turns, types, strict=True))
    score = measure(replace(coded, turns=turns))
    assert (score.measure, score.value, score.evidence) == ("socratic_reasons_evidence_share", 0.5, (10, 13))
