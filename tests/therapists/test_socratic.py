"""The Socratic therapist without a model: its stages, its manners, and what it does about risk."""

from __future__ import annotations

import asyncio

import pytest

from maieutic.dialogue import converse
from maieutic.domain.codes import Move
from maieutic.domain.episode import Episode
from maieutic.language.questions import questions
from maieutic.library import get_case
from maieutic.therapists.socratic import SocraticTherapist
from maieutic.therapists.wording import handles, key_clause, named_feeling, second_person, sounds_guarded
from talks import case_marks, make_patient, make_talk, session_of


def session(case: str, seed: int, turns: int = 20) -> Episode:
    return asyncio.run(converse(make_talk(SocraticTherapist(), make_patient(case), turns=turns, seed=seed)))


@pytest.mark.parametrize("name", case_marks())
def test_it_asks_and_never_tells(name: str) -> None:
    episode = session(name, 0)
    assert all(len(questions(turn.text)) == 1 for turn in episode.therapist_turns)
    telling = [t.text for t, c in zip(episode.therapist_turns, episode.codes, strict=True) if c and Move.LECTURE in c]
    assert telling == []
    advising = [t.text for t, c in zip(episode.therapist_turns, episode.codes, strict=True) if c and Move.ADVICE in c]
    assert len(advising) <= 1, advising
    facts = [e.fact for s in get_case(name).situations for e in s.evidence]
    assert not any(f in t.text for t in episode.therapist_turns for f in facts)


@pytest.mark.parametrize(("name", "seed"), [("gethin", 2), ("nodira-karimova", 1)])
def test_a_session_goes_from_hearing_to_the_patients_own_conclusion(name: str, seed: int) -> None:
    stages = [t.trace["stage"] for t in session(name, seed).therapist_turns if t.trace]
    assert stages[:3] == ["informational"] * 3
    assert stages[-1] == "synthesising"
    assert set(stages) <= {"informational", "summary", "synthesising", "risk"}


def test_the_thought_is_rated_before_and_after() -> None:
    texts = [t.text for t in session("gethin", 1).therapist_turns]
    rated = [n for n, t in enumerate(texts) if "0 to 100" in t]
    assert len(rated) >= 2
    assert rated[0] <= 4
    assert rated[-1] >= 15


def test_a_hint_of_risk_is_asked_about_at_once_and_only_once() -> None:
    therapist = SocraticTherapist()
    first = session_of("Some nights I think they would be better off without me.")
    turn = asyncio.run(therapist.respond(first))
    assert "ending your life" in turn.text
    assert turn.trace
    assert turn.trace["stage"] == "risk"
    later = first + turn
    later = later + session_of("I feel there's no point going on.").turns[0]
    assert "ending your life" not in asyncio.run(therapist.respond(later)).text


def test_it_sees_only_what_was_said() -> None:
    assert not hasattr(SocraticTherapist(), "needs")
    assert not hasattr(SocraticTherapist(), "informed")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("my sister saw me", "your sister saw you"),
        ("I was late and I'm sorry", "you were late and you're sorry"),
        ("we lost our keys", "you lost your keys"),
        ("she told you", "she told me"),
    ],
)
def test_words_are_turned_to_the_second_person(first: str, second: str) -> None:
    assert second_person(first) == second


def test_handles_are_people_places_and_events_in_order() -> None:
    found = handles(["My sister rang after the meeting, and then Dewi came.", "It was my sister again."])
    assert found == ("your sister", "the meeting", "Dewi")
    assert handles(["On Monday I went home."]) == ()


def test_a_key_clause_is_short_and_in_the_second_person() -> None:
    clause = key_clause("I lost my job at the plant, and nobody called. What now?")
    assert clause == "you lost your job at the plant"
    assert key_clause("") is None
    assert key_clause("Why?") is None


def test_a_feeling_is_named_only_when_the_patient_named_it() -> None:
    assert named_feeling(session_of("I felt so ashamed.")) == "ashamed"
    assert named_feeling(session_of("He was furious.")) is None


@pytest.mark.parametrize(("text", "guarded"), [("I don't know.", True), ("It is what it is, a lot of people have it worse than me.", True), ("My sister rang on Sunday and told me that she had kept all my letters in a box.", False)])  # fmt: skip
def test_guarded_answers_are_told_apart(text: str, guarded: bool) -> None:
    assert sounds_guarded(text) is guarded
