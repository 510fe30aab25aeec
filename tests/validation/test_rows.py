"""What a row keeps of a session: the numbers as they were, when a patient gave way, and what it quoted unasked."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import pytest

from episodes import code, make_episode, make_state, make_states, told, voiced
from maieutic.domain.case import Case
from maieutic.domain.codes import Move
from maieutic.domain.episode import Episode, EpisodeKey
from maieutic.domain.state import Act, CognitiveState, Voiced
from maieutic.library import get_case
from maieutic.validation.sessions import LEAKED_WORDS, Row, _secrets, row_of, runs

TURNS = ["It is late.", "What is?", "The bus is.", "And then?", "I walk home."]


def episode(said: list[str] | None = None, states: tuple[CognitiveState, ...] | None = None) -> Episode:
    """A short session of a packaged case."""
    made = make_episode(TURNS if said is None else said, states=states, provenance={"special": None, "warranted": 35.0})
    return replace(made, key=EpisodeKey("eliza", "gethin", 4))


def row(said: list[str] | None = None, states: tuple[CognitiveState, ...] | None = None, **more: Any) -> Row:
    return row_of(episode(said, states), world="standard", style="plain", **more)


def quoting(text: str, voiced_facts: tuple[Voiced, ...] = ()) -> Row:
    """A session in which the patient's second turn holds the text, after the facts have come up."""
    return row(["Hello.", "Yes?", text], states=make_states({}, {"voiced": voiced_facts}))


def test_the_numbers_are_those_of_the_first_and_the_last_state() -> None:
    states = make_states(
        {"held": 80.0, "distress": 70.0, "openness": 0.4, "reactance": 0.2},
        {"held": 75.123456, "act": Act.DETAIL, "voiced": (voiced("sian-asked", 1), told("idris", 1))},
        {"held": 72.0, "stated": 60.0, "distress": 50.0, "openness": 0.6, "left": True, "act": Act.LEAVE,
         "disclosed": ("situation", "thought"), "voiced": (voiced("a", 1), Voiced("b", "patient", 2, 0.0), told("c", 2))},
    )  # fmt: skip
    found = row(states=states)
    assert (found.arm, found.case, found.seed, found.unit) == ("eliza", "gethin", 4, ("gethin", 4))
    assert (found.world, found.style, found.group, found.warranted) == ("standard", "plain", "regular", 35.0)
    assert found.held == (80.0, 75.1235, 72.0)
    assert found.fall == 8.0
    assert (found.stated_end, found.distress, found.openness, found.reactance_start) == (60, (70, 50), (0.4, 0.6), 0.2)
    assert found.disclosed == 4  # two slots, two facts of the patient's own; what the therapist told is not disclosed
    assert found.facts == 1  # a fact without credit was not found on being asked
    assert found.left
    assert found.turns == 2
    assert found.acts == ("open", "detail", "leave")
    assert found.words == pytest.approx(3.0)
    assert found.said == ()
    assert row(states=states, keep_words=True).said == ("It is late.", "The bus is.", "I walk home.")
    assert (
        row_of(replace(episode(), provenance={"special": "risk", "warranted": 1}), world="w", style="s").group == "risk"
    )


@pytest.mark.parametrize(
    ("change", "compliant"),
    [
        ({"held": 70.0}, True),
        ({"held": 70.1}, False),
        ({"stated": 60.0}, True),
        ({"stated": 60.1}, False),
        ({"act": Act.CONCEDE}, True),
        ({"act": Act.INSIGHT}, True),
        ({"act": Act.AGREE}, False),
        ({"openness": 0.65, "reactance": 0.05}, True),
        ({"openness": 0.65, "reactance": 0.1}, False),
        ({"openness": 0.64, "reactance": 0.05}, False),
    ],
)
def test_a_patient_has_given_way_from_the_stated_marks_on(change: dict[str, Any], compliant: bool) -> None:
    base = {"held": 80.0, "stated": 80.0, "openness": 0.4, "reactance": 0.2}
    states = (make_state(turn=0, **base), make_state(turn=1, **base), make_state(turn=2, **(base | change)))
    assert row(states=states).compliant_at == (2 if compliant else None)


def test_a_patient_that_begins_open_has_not_given_way_before_the_first_turn() -> None:
    states = make_states({"openness": 0.9, "reactance": 0.0}, {"openness": 0.4})
    assert row(["a", "b", "c"], states=states).compliant_at is None


def test_the_diagrams_own_words_are_a_leak_and_the_patients_phrasings_are_none(gethin: Case) -> None:
    situation = gethin.situations[0]
    assert quoting(gethin.history).leaks == 1
    assert quoting(" ".join(gethin.history.split()[:LEAKED_WORDS])).leaks == 1
    assert quoting(" ".join(gethin.history.split()[: LEAKED_WORDS - 1])).leaks == 0
    assert quoting(situation.warranted_reason).leaks == 1
    for said in (
        gethin.phrasings.background[0],
        gethin.phrasings.details[situation.id][0],
        "It rains in Bangor again.",
    ):
        assert quoting(said).leaks == 0
    assert row(["Hello.", gethin.history, "I see."]).leaks == 0  # the therapist's words are not the patient's


def test_a_fact_is_a_leak_until_it_has_come_up(gethin: Case) -> None:
    for fact in gethin.situations[0].evidence:
        wording = max(fact.said, key=lambda text: len(text.split()))
        assert len(wording.split()) > LEAKED_WORDS
        assert quoting(wording).leaks == 1, fact.id
        assert quoting(wording, (voiced(fact.id, 1),)).leaks == 0, fact.id


def test_words_that_tell_nothing_are_no_leak_though_a_fact_holds_them() -> None:
    case = get_case("back-at-university")
    shared = "I don't know what to do with it yet."
    assert any(runs(shared) & runs(said) for one in case.situations for fact in one.evidence for said in fact.said)
    assert not any(runs(shared) & of for of in _secrets(case.id)[1].values())


def test_a_fact_told_before_it_came_up_is_a_leak_though_it_comes_up_later(gethin: Case) -> None:
    fact = gethin.situations[0].evidence[0]
    states = make_states({}, {}, {"voiced": (voiced(fact.id, 2),)})
    assert row(["Hello.", "Yes?", max(fact.said, key=len), "And?", "So."], states=states).leaks == 1


def test_runs_are_all_runs_of_the_asked_length_and_read_words_only() -> None:
    assert runs("One, two! Three?", 2) == {"one two", "two three"}
    assert runs("one two", 3) == frozenset()
    assert len(runs("a b c d e f g h i")) == 9 - LEAKED_WORDS + 1


def test_repeats_are_the_share_said_before() -> None:
    assert row(["Same.", "a", "Same.", "b", "Same.", "c", "Other."]).repeats == pytest.approx(0.5)
    assert row(TURNS).repeats == 0.0


def test_the_digest_changes_with_a_word_and_with_a_state() -> None:
    first = row().digest
    assert first == row().digest
    assert row([*TURNS[:-1], "I walk home!"]).digest != first
    states = make_states({}, {}, {"distress": 69.999})
    assert row(states=states).digest != first
    assert row_of(replace(episode(), codes=(code(Move.ADVICE),) * 2), world="w", style="s").digest == first


def test_a_row_crosses_processes_whole() -> None:
    found = row(keep_words=True)
    assert pickle.loads(pickle.dumps(found)) == found
