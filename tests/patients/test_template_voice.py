"""The mouth without a model: every decided act has words, nothing of the case file leaks, seeds matter."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from random import Random

import pytest

from maieutic.dialogue import converse
from maieutic.domain.case import Case, Evidence, Phrasings, Situation
from maieutic.domain.episode import Session, Turn
from maieutic.domain.state import Act, CognitiveState, Intent
from maieutic.library import get_case
from maieutic.patients.kernel import EXPERIMENT, first_state
from maieutic.patients.template_voice import SHORT_AGAIN, say
from maieutic.registry import load_therapist
from talks import case_marks, make_patient, make_talk, pair_marks

IDS = case_marks()


def identifiers(case: Case) -> set[str]:
    """Names that only the case file has: slugs, field names with an underscore, codes; no words the patient uses."""
    fields = {f for model in (Case, Situation, Evidence, Phrasings) for f in model.model_fields if "_" in f}
    slugs = {case.id, *(s.id for s in case.situations), *(e.id for s in case.situations for e in s.evidence)}
    spoken = case.phrasings.model_dump_json() + "".join(t for s in case.situations for e in s.evidence for t in e.said)
    return {name for name in fields | slugs if ("_" in name or "-" in name) and name not in spoken.lower()}


def say_all(case: Case, situation: Situation, state: CognitiveState, count: int = 12) -> list[str]:
    """Consecutive utterances with one intent."""
    session = Session()
    for number in range(count):
        session = session + Turn("patient", say(case, situation, session, state, Random(number)))
    return [turn.text for turn in session.turns]


@pytest.mark.slow
@pytest.mark.parametrize("name", IDS)
def test_every_act_has_words_in_every_situation(name: str) -> None:
    case = get_case(name)
    hidden = identifiers(case)
    for situation in case.situations:
        state = first_state(case, situation, Random(0))
        of_something = (
            Act.EVIDENCE,
            Act.ANSWER,
            Act.AGAIN,
            Act.TAKEN_UP,
            Act.RISK_ANSWER,
        )  # these need a fact or a unit
        intents = [Intent(act) for act in Act if act not in of_something]
        intents += [Intent(act, e.id) for act in (Act.AGAIN, Act.TAKEN_UP) for e in situation.evidence]
        intents += [Intent(Act.ANSWER, unit=u.id) for u in (case.memory.within(situation.id) if case.memory else ())]
        intents += [Intent(Act.EVIDENCE, e.id) for e in situation.evidence]
        for intent in intents:
            texts = say_all(case, situation, replace(state, intent=intent))
            assert all(text.strip() and len(text) > 3 for text in texts), intent
            assert not any("{" in text for text in texts), intent
            assert not [(i, t) for t in texts for i in hidden if i in t.lower()], intent


@pytest.mark.parametrize("name", IDS)
def test_a_fact_is_told_in_the_cases_words_and_not_as_the_file_describes_it(name: str) -> None:
    case = get_case(name)
    for situation in case.situations:
        for fact in situation.evidence:
            state = replace(first_state(case, situation, Random(1)), intent=Intent(Act.EVIDENCE, fact.id))
            for text in say_all(case, situation, state, 4):
                assert any(said in text for said in fact.said)
                assert fact.fact not in text


def test_wordings_are_used_up_before_one_is_taken_again(gethin: Case) -> None:
    situation = gethin.situations[0]
    for act, bank in ((Act.DETAIL, gethin.phrasings.details[situation.id]), (Act.RESIST, gethin.phrasings.resisting)):
        state = replace(first_state(gethin, situation, Random(0)), intent=Intent(act))
        texts = say_all(gethin, situation, state, 2 * len(bank))
        assert all(any(form in text for text in texts[: len(bank)]) for form in bank)


def test_the_stated_and_not_the_held_conviction_is_said(gethin: Case) -> None:
    situation = gethin.situations[0]
    state = first_state(gethin, situation, Random(0))
    state = replace(state, held=88.0, stated=41.0, intent=Intent(Act.CONVICTION))
    for text in say_all(gethin, situation, state, 8):
        assert re.findall(r"\d+", text) == ["40"]


def test_risk_is_disclosed_in_the_cases_own_words_only() -> None:
    case = get_case("hester")
    for act, bank in ((Act.RISK_DISCLOSURE, case.risk.disclosures), (Act.RISK_HINT, case.risk.hints)):
        state = replace(first_state(case, case.situations[0], Random(0)), intent=Intent(act))
        assert all(any(form in text for form in bank) for text in say_all(case, case.situations[0], state))


@pytest.mark.parametrize("style", ["upset", "pleasing", "verbose", "reserved", "tangent", "plain"])
def test_style_shows_in_some_turns_and_less_as_trust_grows(cases: dict[str, Case], style: str) -> None:
    case = next(c for c in cases.values() if c.style == style)
    situation = case.situations[0]
    bank = case.phrasings.details[situation.id]

    def styled(openness: float) -> int:
        state = replace(first_state(case, situation, Random(0)), intent=Intent(Act.DETAIL), openness=openness)
        return sum(say(case, situation, Session(), state, Random(n)) not in bank for n in range(300))

    guarded, open_ = styled(0.05), styled(0.95)
    if style == "plain":
        assert guarded == open_ == 0
    else:
        assert 60 <= guarded <= 280
        assert open_ < guarded - 30


@pytest.mark.parametrize(("name", "arm"), pair_marks(("oracle", "advice", "eliza"), fast=3))
def test_a_whole_session_leaks_nothing(name: str, arm: str) -> None:
    case = get_case(name)
    hidden = identifiers(case)
    patient = make_patient(case, case.situations[arm == "eliza"].id)
    episode = asyncio.run(converse(make_talk(load_therapist(arm), patient, turns=12, seed=3 * (arm == "eliza"))))
    texts = [turn.text for turn in episode.session.by("patient")]
    assert not [(i, t) for t in texts for i in hidden if i in t.lower()]
    assert not [t for t in texts if "{" in t or re.search(r"\bNone\b(?!\.| of)", t)]


@pytest.mark.parametrize("name", case_marks(fast=3))
def test_another_seed_is_another_session(name: str) -> None:
    # In three turns two seeds can meet by chance: whoever is asked about a danger has few things to say, each in few ways.
    said = {
        tuple(turn.text for turn in asyncio.run(converse(talk)).session.by("patient"))
        for seed in (0, 1)
        for talk in [make_talk(load_therapist("oracle"), make_patient(name), turns=6, seed=seed)]
    }
    assert len(said) == 2


def test_what_was_said_is_said_again_in_short_and_a_number_in_full(gethin: Case) -> None:
    situation = gethin.situations[0]
    feelings = gethin.phrasings.feeling[situation.id]
    state = replace(first_state(gethin, situation, Random(1)), openness=1.0, intent=Intent(Act.FEELING))
    later = say_all(gethin, situation, state, len(feelings) + 8)[len(feelings) :]
    assert not any(line in text for text in later for line in feelings if len(line.split()) > SHORT_AGAIN)
    assert len(set(later)) == len(later)
    numbers = say_all(gethin, situation, replace(state, intent=Intent(Act.CONVICTION)), 12)
    assert all(str(round(state.stated / 5.0) * 5) in text for text in numbers)


@pytest.mark.parametrize("name", ["anan-prescott", "marites-abrenica"])
def test_a_bid_for_reassurance_stays_one_however_often_it_is_made(name: str) -> None:
    case = get_case(name)
    situation = next(s for s in case.situations if s.compulsion)
    assert situation.compulsion
    bids = situation.compulsion.bids
    state = replace(first_state(case, situation, Random(1)), intent=Intent(Act.REASSURANCE_BID))
    assert all(any(bid in text for bid in bids) for text in say_all(case, situation, state, len(bids) + 6))


def test_a_fact_in_an_answer_and_a_result_are_told_in_full_when_all_words_were_said() -> None:
    case = get_case("alena-vitkova")
    assert case.memory
    situation = next(s for s in case.situations if s.experiment)
    assert situation.experiment
    own = {fact.id for fact in situation.evidence}
    unit, linked = next((u, link) for u in case.memory.within(situation.id) for link in u.links if link in own)
    said, results = situation.fact(linked).said, situation.experiment.said
    state = first_state(case, situation, Random(1))
    answer = replace(state, intent=Intent(Act.ANSWER, linked, unit.id))
    answers = say_all(case, situation, answer, len(said) + 6)
    assert all(any(fact in text for fact in said) for text in answers)
    again = say_all(case, situation, replace(state, intent=Intent(Act.RESULT, EXPERIMENT)), len(results) + 6)
    assert all(any(line in text for line in results) for text in again)
