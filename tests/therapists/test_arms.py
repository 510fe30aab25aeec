"""The arms without a model: they answer anything, are functions of the session, and do only what their name says."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maieutic.coding.rules import code_text
from maieutic.dialogue import converse
from maieutic.domain.codes import QUESTIONS, Move
from maieutic.domain.episode import Session, Turn
from maieutic.domain.state import Voiced
from maieutic.library import get_case
from maieutic.patients.kernel import first_state
from maieutic.reading.moves import questions
from maieutic.registry import load_therapist
from maieutic.rivals.set_lines import lines_of
from talks import make_patient, make_talk, pair_marks, session_of

SEEING = ("socratic", "eliza", "flattery", "advice")
SCRIPTED = ("padesky_script", "rotation", "clause_question", "state_machine")
said = st.text(max_size=200) | st.sampled_from(
    [
        "",
        "I don't know.",
        "My sister Anna called me on Friday because I can't sleep.",
        "No.",
        "Why?",
        "I'm {0} {handle}.",
        "I'd say 85.",
        "I'm {0} {clause}.",
        "Stop asking me these questions.",
        "I don't want to live any more.",
        "My sister Anna rang on Friday and I felt so ashamed that I put the phone down.",
    ]
)


def respond(name: str, session: Session) -> Turn:
    return asyncio.run(load_therapist(name).respond(session))


@pytest.mark.parametrize("name", (*SEEING, *SCRIPTED))
@given(texts=st.lists(said, min_size=1, max_size=9), seed=st.integers(0, 1000))
@settings(max_examples=25)
def test_any_session_is_answered_and_the_same_session_in_the_same_way(name: str, texts: list[str], seed: int) -> None:
    session = Session(session_of(*(texts if len(texts) % 2 else texts[:-1])).turns, seed)
    turn = respond(name, session)
    assert turn.speaker == "therapist"
    assert turn.text.strip()
    assert turn == respond(name, session)


@pytest.mark.parametrize("name", SEEING)
def test_sessions_with_other_seeds_go_other_ways(name: str) -> None:
    talks = {
        tuple(t.text for t in asyncio.run(converse(make_talk(load_therapist(name), turns=4, seed=s))).therapist_turns)
        for s in range(4)
    }
    assert len(talks) >= 3


@pytest.mark.parametrize("text", lines_of("advice"))
def test_advice_is_advice_and_asks_nothing(text: str) -> None:
    code = code_text(text)
    assert Move.ADVICE in code
    assert not code.any_of(QUESTIONS)


@pytest.mark.parametrize("text", lines_of("flattery"))
def test_flattery_asks_nothing_and_advises_nothing(text: str) -> None:
    assert questions(text) == ()
    assert Move.ADVICE not in code_text(text)


@pytest.mark.parametrize("name", ["advice", "flattery"])
def test_nothing_is_said_twice_in_a_session_of_twenty_turns(name: str) -> None:
    session = Session(seed=3)
    for _ in range(20):
        session = session + Turn("patient", "I don't know.")
        session = session + respond(name, session)
    assert len({t.text for t in session.by("therapist")}) == 20


def test_eliza_turns_words_round() -> None:
    texts = {respond("eliza", Session((Turn("patient", "I need my sister to see me."),), s)).text for s in range(60)}
    assert "Why do you need your sister to see you?" in texts
    assert all(len(t.split()) < 30 for t in texts)


def test_no_session_is_marked_absent_and_ends_when_talked_to() -> None:
    assert load_therapist("no_session").absent  # type: ignore[attr-defined]
    assert respond("no_session", session_of("Hello.")).ending is not None


def test_the_oracle_must_be_told() -> None:
    assert load_therapist("oracle").needs == ("case", "state")  # type: ignore[attr-defined]
    with pytest.raises(AssertionError):
        respond("oracle", session_of("Hello."))


@pytest.mark.parametrize(("name", "seed"), pair_marks((0, 1), fast=1))
def test_the_oracle_never_tells_a_fact_never_advises_and_asks_one_thing_at_a_time(name: str, seed: int) -> None:
    case = get_case(name)
    patient = make_patient(case, case.situations[seed].id)
    episode = asyncio.run(converse(make_talk(load_therapist("oracle"), patient, turns=20, seed=seed)))
    for turn, code in zip(episode.therapist_turns, episode.codes, strict=True):
        assert code is not None
        assert not any(e.fact in turn.text for s in case.situations for e in s.evidence)
    # Words given back, and a memory's own question for work, can be taken for advice by the coder.
    assert sum(Move.ADVICE in code for code in episode.codes if code) <= 1
    asked = [len(questions(t.text)) for t in episode.therapist_turns]
    assert sum(n > 1 for n in asked) <= 3


def test_the_oracle_asks_for_what_is_within_reach() -> None:
    case = get_case("gethin")
    state = first_state(case, case.situations[0], Random(0))
    open_state = replace(state, openness=0.95, disclosed=("situation", "feeling", "thought"))
    session = session_of(
        "It's the job centre.", "How much do you believe that thought right now, from 0 to 100?", "80."
    )
    turn = asyncio.run(load_therapist("oracle").informed(case=case, state=open_state).respond(session))  # type: ignore[attr-defined]
    fact = next(e for e in case.situations[0].evidence if e.id == turn.trace["target"])  # type: ignore[index]
    assert fact.bearing == "against"
    assert any(ask in turn.text for ask in fact.asks)


def test_the_oracle_opens_first_and_has_everything_weighed_at_once() -> None:
    for seed in range(2):
        episode = asyncio.run(
            converse(make_talk(load_therapist("oracle"), make_patient("gethin"), turns=20, seed=seed))
        )
        situation = get_case("gethin").situation(episode.states[0].situation)
        facts = {e.id for e in situation.evidence if e.bearing == "against"}
        targets = [str(t.trace["target"]) for t in episode.therapist_turns if t.trace]
        asked = [number for number, target in enumerate(targets) if target in facts]
        assert targets[:2] == ["feeling", "thought"]
        assert targets.count("weighing") <= 3  # further ones only for what came up after the first
        assert min(asked) >= 3 and max(asked) < targets.index("weighing")
        assert targets.index("weighing") < targets.index("alternative") < 19
        brought = {v.evidence for v in episode.states[-1].voiced if v.credit > 0.0} & facts
        assert brought and brought <= set(episode.states[-1].weighed)


@pytest.mark.slow
def test_the_oracle_tells_what_is_not_known_once_with_leave_and_without_a_lecture() -> None:
    case = get_case("duarte-varela")
    name = next(s.id for s in case.situations if s.knowledge_gap)
    stayed = 0
    for seed in range(4):
        episode = asyncio.run(
            converse(make_talk(load_therapist("oracle"), make_patient(case, name), turns=24, seed=seed))
        )
        if episode.states[-1].left:  # before it came to that
            continue
        stayed += 1
        told = [number for number, appraisal in enumerate(episode.appraisals) if appraisal and appraisal.informs]
        assert len(told) == 1
        assert episode.states[told[0]].leave
        code = episode.codes[told[0]]
        assert code is not None and not code.any_of(frozenset({Move.LECTURE, Move.CHALLENGE, Move.ADVICE}))
        assert episode.states[-1].informed == 1.0
    assert stayed >= 2


def test_the_oracle_names_the_result_of_an_experiment_among_what_is_weighed() -> None:
    case = get_case("gethin")
    start = first_state(case, case.situations[0], Random(0))
    every = tuple(Voiced(e.id, "patient", 1, 1.0) for e in case.situations[0].evidence if e.bearing == "against")
    voiced = (*every, Voiced("experiment", "patient", 2, 1.0))
    state = replace(start, disclosed=("situation", "feeling", "thought"), voiced=voiced, weighed=(every[0].evidence,))
    session = session_of(
        "It's the job centre.", "How much do you believe that thought right now, from 0 to 100?", "80."
    )
    turn = asyncio.run(load_therapist("oracle").informed(case=case, state=state).respond(session))  # type: ignore[attr-defined]
    assert "what you tried" in turn.text
    assert turn.trace == {"target": "weighing"}


def test_the_oracle_asks_about_safety_in_a_risk_case_and_stays_with_it() -> None:
    for seed in range(4):
        patient = make_patient("hester")
        episode = asyncio.run(converse(make_talk(load_therapist("oracle"), patient, turns=10, seed=seed)))
        assert any(code and Move.RISK_RESPONSE in code for code in episode.codes)


def test_the_oracle_does_not_dispute_an_accurate_thought() -> None:
    episode = asyncio.run(converse(make_talk(load_therapist("oracle"), make_patient("ifeoma"), turns=20)))
    assert episode.states[-1].weighed == ()
    assert {t.trace["target"] for t in episode.therapist_turns if t.trace} <= {
        "feeling",
        "thought",
        "conviction",
        "coping",
    }
