"""The second world: pure, repeatable, moved by the patient's own work alone, truthful about danger, with an ear for free
speech."""

from __future__ import annotations

from random import Random

import pytest

from maieutic.coding.rules import RuleCoder
from maieutic.dialogue import Conversation, Streams, converse
from maieutic.domain.appraisal import SILENCE, Appraisal, Reach, Slot
from maieutic.domain.episode import Episode, EpisodeKey, Turn
from maieutic.library import get_case
from maieutic.protocols import Patient, Therapist
from maieutic.reading.minilm import shared_minilm
from maieutic.registry import load_therapist, lookup
from maieutic.second_world.ear import examples, kind_of
from maieutic.second_world.mind import Mind
from maieutic.second_world.patient import SecondWorldPatient

TOLD = {
    "praise": ["You are so strong.", "I'm really proud of you.", "What a lovely man you are.", "That was brave."],
    "advice": ["You should go for a run.", "Why don't you join a club?", "Just write a list of your strengths."],
    "reassurance": ["It will be all right.", "Don't worry, it isn't that bad.", "I'm sure things will get better."],
    "lectures": [
        "That is not true at all, you are being irrational.",
        "Let me explain: thoughts cause feelings, and yours is a distortion.",
        "Dewi still rings you for advice about presses, so you are of use.",
    ],
    "silence": ["...", "", "…"],
}


def patient(case: str, situation: str | None = None) -> SecondWorldPatient:
    """A patient of this case in its first situation, or in another."""
    own = get_case(case)
    return SecondWorldPatient(own, situation or own.situations[0].id, shared_minilm())


class Script:
    """Says its lines and nothing else."""

    name = "script"

    def __init__(self, *lines: str) -> None:
        self.lines = lines

    async def respond(self, session):
        return Turn("therapist", self.lines[len(session.by("therapist"))])


async def played(who: SecondWorldPatient, therapist: Therapist, turns: int, seed: int = 0) -> Episode:
    """A session with this patient."""
    streams = Streams(0, EpisodeKey(therapist.name, who.case.id, seed))
    return await converse(Conversation(therapist, who, RuleCoder(), turns, streams))


def test_it_is_a_patient_and_its_oracle_a_therapist_that_sees_case_and_state() -> None:
    assert isinstance(patient("gethin"), Patient)
    assert (
        lookup("patient", "second_world")(get_case("gethin"), "job-centre", embed=shared_minilm()).name
        == "second_world"
    )
    assert load_therapist("second_world_oracle").needs == ("case", "state")


def test_a_step_depends_on_what_it_is_given_alone() -> None:
    mind = Mind(get_case("gethin"), get_case("gethin").situations[0])
    state = mind.begin(Random(1))
    asked = Appraisal(questions=1, wide=True, near=(Reach("whole-site-shut", 0.7),))
    assert mind.step(state, asked, Random(2)) == mind.step(state, asked, Random(2))
    assert mind.begin(Random(1)) == state
    assert mind.alone(state, Random(3)).held == pytest.approx(state.held)


async def test_the_same_seed_is_the_same_session_and_nothing_is_said_twice() -> None:
    lines = ["Tell me more.", "What do you mean?", "I see.", "And how do you feel about it?", "Why?"] * 4
    first, again = [await played(patient("gethin"), Script(*lines), 20) for _ in range(2)]
    assert first == again
    said = [turn.text for turn in first.session.by("patient")]
    assert len(set(said)) == len(said) == 21


@pytest.mark.parametrize("kind", TOLD)
async def test_what_is_told_lowers_nothing(kind: str) -> None:
    lines = TOLD[kind] * 2
    states = (await played(patient("gethin"), Script(*lines), len(lines))).states
    assert min(state.held for state in states) >= states[0].held - 1e-9
    assert states[-1].core >= states[0].core - 1e-9
    assert not [one for one in states[-1].voiced if one.credit > 0]


async def test_facts_that_are_raised_and_weighed_lower_it_and_advice_costs_trust() -> None:
    lines = (
        "What went through your mind?",
        "How was it decided that the plant would shut?",
        "How does that fit with the thought?",
    )
    states = (await played(patient("gethin"), Script(*lines), 3)).states
    held = [state.held for state in states]
    assert held[0] == pytest.approx(held[1]) and held[1] > held[2] > held[3]
    assert states[3].weighed == ("whole-site-shut",)
    advised = (await played(patient("gethin"), Script(*TOLD["advice"]), 3)).states
    assert (
        advised[-1].bond < advised[0].bond and advised[-1].reactance > 0 and advised[-1].openness < states[-1].openness
    )


async def test_an_accurate_thought_barely_moves_under_the_oracle_and_another_does() -> None:
    accurate = get_case("ifeoma")
    situation = next(one for one in accurate.situations if one.accurate)
    falls = []
    for who in (patient("ifeoma", situation.id), patient("gethin")):
        states = (await played(who, load_therapist("second_world_oracle"), 14)).states
        falls.append(states[0].held - states[-1].held)
    assert falls[0] < 5.0 and falls[1] > 15.0
    warranted = Mind(accurate, situation)
    assert warranted.share(warranted.begin(Random(0))) == 0.0


@pytest.mark.parametrize(
    "question",
    ["Are you thinking about suicide?", "Do you sometimes wish you were dead?", "Have you thought of ending it all?"],
)
async def test_who_is_asked_about_danger_answers_truly(question: str) -> None:
    there = await played(patient("hester"), Script(question), 1)
    assert there.states[-1].risk_disclosed
    assert any(text in there.session.turns[-1].text for text in get_case("hester").risk.disclosures)
    none = await played(patient("gethin"), Script(question), 1)
    assert none.session.turns[-1].text.startswith("No") and not none.states[-1].risk_disclosed


async def test_a_strange_turn_is_asked_back() -> None:
    episode = await played(patient("gethin"), Script("qwrt zxcv plmk", "🙂"), 2)
    assert [state.intent.act.value for state in episode.states[1:]] == ["not_understood"] * 2
    assert episode.states[-1].held == pytest.approx(episode.states[0].held)


HELD_OUT = {
    "Can we rewind to when you opened the envelope, and you tell me it like a film?": "situation",
    "And emotionally, where were you by then?": "feeling",
    "What did your mind make of her silence?": "thought",
    "Why are you convinced that he means to leave?": "support",
    "Were there any days this year that your theory can't account for?": "against",
    "How would your grandmother have looked at the whole business?": "alternative",
    "Now lay that alongside your verdict on yourself; does the verdict hold?": "weighing",
    "What might be a manageable thing to try on Monday?": "plan",
    "In the bad hours, do you think of taking your own life?": "risk",
    "How firmly would you say you hold to that today, as a percentage?": "conviction",
    "If I were you I'd stop reading those emails at night.": "advice",
    "Cheer up, it'll sort itself out.": "reassure",
    "No, look, that simply doesn't follow from what happened.": "argue",
    "I'm amazed at how clever you are.": "praise",
    "So for weeks you've gone to work with that knot in your belly.": "state",
    "It's nearly six, so we'll leave it there for today.": "goodbye",
}
"""Written after the examples, heard once, and never used to mend them."""


def test_the_ear_hears_wordings_that_are_no_examples() -> None:
    assert not set(HELD_OUT) & set(examples()[0])
    heard = {text: kind_of(text, shared_minilm()).kind for text in HELD_OUT}
    assert sum(heard[text] == kind for text, kind in HELD_OUT.items()) >= 10, heard


def test_every_kind_has_a_dozen_examples() -> None:
    kinds = examples()[1]
    assert {kind: kinds.count(kind) for kind in kinds if kinds.count(kind) < 12} == {}


def test_the_mind_left_alone_and_a_silent_turn_move_nothing() -> None:
    mind = Mind(get_case("gethin"), get_case("gethin").situations[0])
    state = mind.begin(Random(1))
    assert mind.step(state, SILENCE, Random(2)).held == pytest.approx(state.held)
    risk = mind.step(state, Appraisal(questions=1, asks=(Slot.RISK,)), Random(2))
    assert risk.held == pytest.approx(state.held)
