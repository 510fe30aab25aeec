"""How a question is asked, as patients hear it: on a writer whom nothing was fitted on, and what follows from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from maieutic.domain.appraisal import Appraisal
from maieutic.domain.case import Case
from maieutic.domain.episode import Session, Turn
from maieutic.patients import ear
from maieutic.patients.comprehension import Comprehension
from maieutic.patients.dynamics import question_quality
from maieutic.reading.minilm import MiniLM
from maieutic.runs.files import read_lines

HELD_OUT = Path(__file__).parent / "data" / "asked_how_heldout.jsonl"
ROWS = read_lines(HELD_OUT)


def leads(text: str) -> bool:
    return any(one.leading for one in ear.questions(text))


def share(kind: str, heard: object) -> float:
    assert callable(heard)
    return sum(heard(row[kind]) for row in ROWS) / len(ROWS)


@pytest.mark.parametrize(("kind", "least"), [("leading", 0.8), ("hidden", 0.55)])
def test_leading_questions_are_heard_as_leading_even_where_they_hide_it(kind: str, least: float) -> None:
    assert share(kind, leads) >= least


def test_muddled_questions_are_heard_as_muddled() -> None:
    assert share("muddled", ear.is_muddled) >= 0.85


@pytest.mark.parametrize("kind", ["good", "skilled", "double"])
def test_questions_that_leave_the_answer_open_are_neither(kind: str) -> None:
    assert share(kind, leads) <= 0.05
    assert share(kind, ear.is_muddled) <= 0.05


@pytest.fixture(scope="module")
def read(cases: dict[str, Case], embed: MiniLM) -> Comprehension:
    case = cases["gethin"]
    return Comprehension.of(case, next(s for s in case.situations if s.id == "school-trip"), embed)


def heard(read: Comprehension, text: str) -> Appraisal:
    return read(Session((Turn("patient", "They laughed behind me on the ferry."), Turn("therapist", text))))


def test_a_muddled_question_asks_for_nothing_and_is_unclear(read: Comprehension) -> None:
    found = heard(
        read,
        "With the laughing, or its not being meant as such, in terms of the ferry as opposed to whoever it was, "
        "what would that be the kind of that it isn't when it is?",
    )
    assert found.unclear and not found.leading
    assert (found.reaches, found.near, found.unit, found.again, found.form, found.asks) == (
        (),
        (),
        None,
        None,
        None,
        (),
    )
    assert not found.wide


def test_a_question_about_danger_is_never_muddled(read: Comprehension, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maieutic.patients.comprehension.is_muddled", lambda text: True)
    assert not heard(read, "Are you thinking of killing yourself?").unclear
    assert heard(read, "What happened on the ferry?").unclear


def test_a_hidden_leading_question_is_no_good_question(read: Comprehension) -> None:
    hidden = heard(read, "What stops you from seeing that they were only laughing at a silly joke of their own?")
    fair = heard(read, "What went through your mind when they laughed?")
    assert hidden.leading and question_quality(hidden, None) == 0.0
    assert not fair.leading and question_quality(fair, None) == 1.0
