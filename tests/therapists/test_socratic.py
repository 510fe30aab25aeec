"""The Socratic therapist without a model: its stages, its manners, and what it does about risk."""

from __future__ import annotations

import asyncio
from functools import cache
from itertools import pairwise

import pytest

from maieutic.dialogue import converse
from maieutic.domain.codes import Move
from maieutic.domain.episode import Episode, Usage
from maieutic.library import get_case
from maieutic.protocols import Reply
from maieutic.reading.drafts import questions
from maieutic.safety.handover import holds_handover
from maieutic.therapists.agent.conduct import DOORS
from maieutic.therapists.agent.steps import SEARCHES
from maieutic.therapists.risk.grades import RiskPolicy
from maieutic.therapists.socratic import SocraticTherapist
from maieutic.therapists.wording import key_clause, keyphrases, named_feeling, second_person, sounds_guarded
from talks import case_marks, make_patient, make_talk, session_of


@cache
def session(case: str, seed: int, turns: int = 20, policy: RiskPolicy = "routine") -> Episode:
    return asyncio.run(
        converse(make_talk(SocraticTherapist(risk_policy=policy), make_patient(case), turns=turns, seed=seed))
    )


@pytest.mark.parametrize("name", case_marks(fast=2))
def test_it_asks_and_never_tells(name: str) -> None:
    episode = session(name, 0)
    # One sentence that asks after harm done or harm to come is read as two questions, and is one.
    assert all(len(questions(turn.text)) <= 1 or turn.text.count("?") == 1 for turn in episode.therapist_turns)
    coded = zip(episode.therapist_turns, episode.codes, strict=True)
    telling = [turn for turn, code in coded if code and Move.LECTURE in code and not holds_handover(turn.text)]
    # A summary or a recap is the patient's own words; what is lacking is told briefly, with leave; whom to turn to, plainly.
    own = [
        turn
        for turn in telling
        if turn.trace
        and (
            turn.trace["lead"] == "summary"
            or turn.trace["step"] in ("recap", "gap_tell", "risk_resources", "risk_more", "risk_last")
            or turn.trace["reason"] == "a hand-over was given and the work is over"
        )
    ]
    assert [turn.text for turn in telling if turn not in own] == []
    facts = [e.fact for s in get_case(name).situations for e in s.evidence]
    assert not any(f in t.text for t in episode.therapist_turns for f in facts)
    assert all(t.trace and t.trace["reason"] for t in episode.therapist_turns)


@pytest.mark.parametrize(("name", "seed"), [("gethin", 1), ("joel-salonga", 0)])
def test_a_session_goes_from_hearing_to_the_patients_own_conclusion(name: str, seed: int) -> None:
    traces = [t.trace for t in session(name, seed).therapist_turns if t.trace]
    steps = [trace["step"] for trace in traces]
    asks = {"ask_thought", "ask_meaning"}
    heard = next(n for n, t in enumerate(traces) if t["step"] in asks or t.get("formulation", {}).get("thought"))
    weighed = next(n for n, step in enumerate(steps) if step in ("weigh", "compare"))
    assert heard < weighed and not asks & set(steps[weighed:])
    assert steps[-1] in ("close", "risk_resources")


def test_a_fact_is_searched_for_at_one_door_as_often_as_it_may_be_at_most_and_never_in_a_row() -> None:
    played = [session("joel-salonga", seed).therapist_turns for seed in (0, 1)]
    every = [[turn.trace["step"] for turn in turns if turn.trace] for turns in played]
    doors = {door.value: most for door, most in DOORS.items() if door in SEARCHES}
    assert all(doors.keys() & set(steps) for steps in every)
    for steps in every:
        assert all(steps.count(door) <= most for door, most in doors.items())
        assert not {(door, door) for door in doors} & set(pairwise(steps))


def test_the_session_ends_when_it_was_planned_to() -> None:
    episode = session("gethin", 1)
    assert len(episode.therapist_turns) == 20
    assert episode.ending.kind == "completed"


def test_the_trace_never_reaches_the_patient() -> None:
    episode = session("gethin", 1, turns=4)
    heard = episode.session.heard_by("patient")
    assert all(turn.trace is None for turn in heard.by("therapist"))
    assert not any("belief" in turn.text for turn in heard.turns)


def test_challenge_waits_for_the_thought() -> None:
    for turn in session("gethin", 3).therapist_turns:
        assert turn.trace is not None
        if turn.trace["step"] in ("weigh", "alternative"):
            assert turn.trace["belief"]["told"]["thought"] > 0.3 or turn.trace["belief"]["facts told"] > 0.3


def test_a_model_words_the_plan_and_a_bad_draft_is_replaced() -> None:
    class Model:
        name = "made-up"

        def __init__(self, text: str) -> None:
            self.text, self.calls = text, 0

        async def generate(self, messages: object, **_: object) -> Reply:
            self.calls += 1
            return Reply(self.text, Usage(1, 10, 5))

        async def close(self) -> None: ...

    talk = session_of("I left the meeting early and sat in the car. I felt ashamed.")
    good = Model("You felt ashamed, sitting there. What went through your mind in the car?")
    said = asyncio.run(SocraticTherapist(model=good).respond(talk))
    assert said.text == good.text
    assert good.calls == 1
    assert said.trace is not None and said.trace["worded by"] == "model"
    bad = Model("You should simply apologise to them, don't you think? Will you do that? When?")
    kept = asyncio.run(SocraticTherapist(model=bad).respond(talk))
    assert bad.calls == 3
    assert kept.text != bad.text
    assert kept.trace is not None and kept.trace["worded by"] == "bank"
    assert {rule for rule, _ in kept.trace["refused"]} & {"stacked", "leading", "advice"}
    assert kept.usage == Usage(3, 30, 15)


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
    found = keyphrases(["My sister rang after the meeting, and then Dewi came.", "It was my sister again."])
    assert found == ("your sister", "the meeting", "Dewi")
    assert keyphrases(["On Monday I went home."]) == ()


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
