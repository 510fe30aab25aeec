"""The nouns: codes, sessions, derived generators, states, and what a case refuses."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from maieutic.domain.appraisal import SILENCE, Appraisal
from maieutic.domain.case import BELIEF_TYPES, Risk, Situation
from maieutic.domain.codes import DEFINITIONS, QUESTIONS, TELLING, Move, TurnCode
from maieutic.domain.episode import Session, Turn
from maieutic.domain.randomness import derive, derive_seed
from maieutic.library import get_case
from talks import session_of


def test_a_move_is_in_a_code_from_one_half_on() -> None:
    code = TurnCode({Move.ADVICE: 0.5, Move.LECTURE: 0.49, Move.OPEN_QUESTION: 0.9})
    assert Move.ADVICE in code
    assert Move.LECTURE not in code
    assert Move.OTHER not in code
    assert code.moves == (Move.OPEN_QUESTION, Move.ADVICE)
    assert code.any_of(QUESTIONS)
    assert code.any_of(TELLING)
    assert not code.any_of(frozenset({Move.CHALLENGE}))


def test_every_move_is_defined() -> None:
    assert set(DEFINITIONS) == set(Move)


def test_a_session_grows_and_leaves_the_old_one_as_it_was() -> None:
    session = session_of("Hello.")
    longer = session + Turn("therapist", "Hi.")
    assert (len(session), len(longer)) == (1, 2)
    assert longer.last("therapist") == Turn("therapist", "Hi.")
    assert session.last("therapist") is None
    assert [t.text for t in longer.by("patient")] == ["Hello."]


def test_each_side_hears_the_session_without_the_others_reasons() -> None:
    session = Session((Turn("patient", "a", trace={"p": 1}), Turn("therapist", "b", trace={"t": 1})), 9)
    assert [t.trace for t in session.heard_by("therapist").turns] == [None, {"t": 1}]
    assert [t.trace for t in session.heard_by("patient").turns] == [{"p": 1}, None]
    assert session.heard_by("therapist").seed == 9
    plain = session_of("a", "b")
    assert plain.heard_by("patient") is plain


def test_a_sessions_generator_hangs_on_seed_role_and_length_only() -> None:
    one, other = Session((Turn("patient", "a"),), 5), Session((Turn("patient", "quite different"),), 5)
    assert one.generator("x").random() == other.generator("x").random()
    assert one.generator("x").random() != one.generator("y").random()
    assert one.generator("x").random() != Session((), 5).generator("x").random()
    assert one.generator("x").random() != Session((Turn("patient", "a"),), 6).generator("x").random()


@given(st.lists(st.one_of(st.text(max_size=20), st.integers()), max_size=5))
def test_derived_seeds_are_stable_and_in_range(names: list[str | int]) -> None:
    assert derive_seed(*names) == derive_seed(*names)
    assert 0 <= derive_seed(*names) < 2**63


def test_derived_seeds_differ_by_path_and_are_the_same_on_every_machine() -> None:
    assert derive_seed("a", "bc") != derive_seed("ab", "c")
    assert len({derive_seed("case", n) for n in range(10_000)}) == 10_000
    assert derive_seed("a", 1) == derive_seed("a", "1")
    assert derive_seed("maieutic", 1) == 2961205254919513643
    assert derive("a").random() == derive("a").random()


def test_stacked_is_more_than_one_question() -> None:
    assert [Appraisal(questions=n).stacked for n in range(4)] == [False, False, True, True]
    assert SILENCE.understood
    assert (SILENCE.questions, SILENCE.reaches) == (0, ())


def test_a_case_is_frozen_and_knows_why_it_is_special() -> None:
    case = get_case("gethin")
    with pytest.raises(ValidationError):
        case.id = "x"  # type: ignore[misc]
    assert (case.special, get_case("hester").special, get_case("ifeoma").special) == (None, "risk", "accurate")
    assert case.core_beliefs[0].type == BELIEF_TYPES[case.core_beliefs[0].category] == "worthless"


@pytest.mark.parametrize(
    "risk",
    [
        {"level": "passive"},
        {"level": "passive", "kind": "suicide", "disclosure": "open"},
        {"level": "none", "hints": ["something is off"]},
        {"level": "sky-high"},
    ],
)
def test_inconsistent_risk_is_refused(risk: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Risk.model_validate(risk)


@pytest.mark.parametrize("change", ["same-ids", "one-sided", "too-few"])
def test_evidence_must_differ_and_speak_for_both_sides(change: str) -> None:
    data = get_case("gethin").situations[0].model_dump()
    if change == "same-ids":
        data["evidence"][1]["id"] = data["evidence"][0]["id"]
    elif change == "one-sided":
        for item in data["evidence"]:
            item["bearing"] = "against"
    else:
        data["evidence"] = data["evidence"][:4]
    with pytest.raises(ValidationError, match="evidence"):
        Situation.model_validate(data)
