"""What steps are worth: read from what the agent knows, chosen by, and drawn without regard to it where asked."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

import value_sessions
from fit_value import rows
from maieutic.domain.episode import Session, Turn
from maieutic.language.sentences import words
from maieutic.models.scripted import ScriptedModel
from maieutic.protocols import Message
from maieutic.reading.head import load
from maieutic.therapists.agent.bank import load_bank
from maieutic.therapists.agent.formulation import formulated_from
from maieutic.therapists.agent.guide import LAST_DRAFT, plainer
from maieutic.therapists.agent.memory import Memory, remembered
from maieutic.therapists.agent.planner import planned
from maieutic.therapists.agent.reasoner import Understanding, understood
from maieutic.therapists.agent.steps import CHALLENGING, SEARCHES, Lead, Plan, Step
from maieutic.therapists.agent.value import CHOSEN, KINDS, MANY, READ, WEIGHTS, row, worths
from maieutic.therapists.socratic import SocraticTherapist
from maieutic.tracking.belief import Belief
from maieutic.tracking.filter import start
from maieutic.tracking.tables import packaged_tables
from maieutic.tracking.tracker import MindTracker
from maieutic.validation.agent import sessions
from talks import session_of
from value_sessions import Played

TALK = session_of(
    "I froze at the handover on Tuesday.", "What went through your mind?", "I thought, I'm not fit to be in charge.",
    "What was that like?", "I was ashamed.", "Go on.", "I went and sat in the linen room.",
    "Is there anything that doesn't fit with that thought?", "The ward clapped when I came in.",
)  # fmt: skip
STEPS = (Step.SITUATION, Step.THOUGHT, Step.FEELING, Step.FOLLOW)


def account(talk: Session = TALK, *done: Step) -> Understanding:
    memory = Memory((*STEPS, *done)[-len(remembered(talk).steps) :], remembered(talk).said)
    tracker = MindTracker.packaged()
    return understood(formulated_from(talk), talk, tracker.belief(talk), tracker.heard(talk), memory, 20)


def test_every_step_that_there_can_be_a_choice_between_has_a_worth_that_is_read_from_what_is_known() -> None:
    found = account()
    head = load(WEIGHTS, "value")
    assert head.labels == tuple(step.value for step in CHOSEN)
    assert found.known.shape == (head.weights.shape[1],) and np.isfinite(found.known).all()
    assert set(worths(found.known, CHOSEN)) == set(CHOSEN)


def test_the_planner_takes_what_promises_most_of_what_may_be_asked_and_shows_the_rest() -> None:
    found = account()
    assert len(found.steps) > 2 and found.forced is None
    plan = planned(found)
    promised = worths(found.known, found.steps)
    assert plan.step is max(promised, key=lambda step: promised[step])
    assert [one for _, _, one in plan.considered] == sorted((one for _, _, one in plan.considered), reverse=True)
    assert planned(found, looks=False).step is found.steps[0]


def test_what_leaves_no_choice_is_done_whatever_is_promised_or_drawn() -> None:
    forced = replace(account(), forced=(Step.REPAIR, Lead.NONE, "a rupture"))
    assert planned(forced).step is planned(forced, draws=Random(1)).step is Step.REPAIR
    one = replace(account(), steps=(Step.FEELING,))
    assert planned(one).step is planned(one, draws=Random(1)).step is Step.FEELING


def test_what_is_drawn_may_be_asked_and_reaches_all_that_may() -> None:
    found = account()
    drawn = {planned(found, draws=Random(seed)).step for seed in range(400)}
    assert drawn == set(found.steps)


def test_after_a_turning_away_a_draw_challenges_no_more_than_the_planner_may() -> None:
    away = TALK + Turn("therapist", "And what else?") + Turn("patient", "I'd rather not go looking for that today.")
    agents = [SocraticTherapist(draws=1.0) for _ in range(3)]
    for seed, agent in enumerate(agents):
        trace = asyncio.run(agent.respond(Session(away.turns, seed))).trace
        assert trace is not None and Step(trace["step"]) not in CHALLENGING - {Step.SMALL}


def known_of(talk: Session, *steps: Step, belief: Belief | None = None) -> dict[str, float]:
    """What is known after a talk in which the agent's own turns did these, by name."""
    memory, belief = Memory(steps, remembered(talk).said), belief or start(packaged_tables())
    return dict(zip(READ, row(formulated_from(talk), memory, belief, 0.5).tolist(), strict=True))


def test_what_is_known_tells_a_search_that_brought_a_fact_from_one_that_brought_none() -> None:
    # As long as each other, so that nothing but what they hold can tell them apart.
    brought = "Well, last year they asked me to run the whole ward for a month."
    nothing = "No, there is nothing else, nothing at all that I could tell you now."
    assert len(words(brought)) == len(words(nothing))

    def known(reply: str) -> dict[str, float]:
        talk = Session((*TALK.turns[:-1], Turn("patient", reply)), 0)
        return known_of(talk, *STEPS[:3], Step.AGAINST, belief=MindTracker.packaged().belief(talk))

    fact, none = known(brought), known(nothing)
    assert (fact["fact"], fact["fruitful"], fact["barren"]) == (1.0, 1.0, 0.0)
    assert (none["fact"], none["fruitful"], none["barren"]) == (0.0, 0.0, 1 / MANY)


@pytest.mark.parametrize("step", SEARCHES)
def test_a_row_counts_what_was_done(step: Step) -> None:
    never = known_of(TALK, *STEPS)
    once = known_of(TALK, *STEPS[:3], step)
    twice = known_of(TALK, *STEPS[:2], step, step)
    searches = [one["number of searches"] for one in (never, once, twice)]
    assert searches == pytest.approx([0.0, 1 / MANY, 2 / MANY])
    assert (never["last of searches"], once["last of searches"]) == (0.0, 1.0)
    if step in CHOSEN:
        done = [one[f"done {step.value}"] for one in (never, once, twice)]
        assert done == pytest.approx([0.0, 1 / MANY, 2 / MANY])


@pytest.mark.parametrize("turns", [10, 20, 50])
def test_time_is_read_as_a_share_of_the_session(turns: int) -> None:
    belief, memory = start(packaged_tables()), remembered(TALK)
    known = understood(formulated_from(TALK), TALK, belief, None, memory, turns).known
    left = (turns - memory.number + 1) / turns
    assert known[READ.index("left")] == pytest.approx(left) and known[READ.index("left squared")] == pytest.approx(
        left**2
    )


def test_a_step_is_of_one_kind() -> None:
    assert [sum(step in kind for kind in KINDS) for step in Step] == [1] * len(Step)


def drawn_session(case: str, drawn: tuple[bool, ...]) -> Played:
    known = np.zeros((len(drawn), len(READ)))
    known[:, READ.index("left")] = np.linspace(1.0, 0.1, len(drawn))
    held = np.linspace(80.0, 60.0 if case == "a" else 20.0, len(drawn) + 1)
    return Played(case, "home", 1, known, (Step.AGAINST,) * len(drawn), drawn, held, leaves=False)


def test_worths_are_learned_from_the_turns_whose_step_was_drawn_alone() -> None:
    played = [drawn_session("a", (True, False, True)), drawn_session("b", (False, False, True))]
    assert rows(played).case.tolist() == [0, 0, 1]


def test_what_was_to_come_is_told_without_the_case_that_is_left_out() -> None:
    ours, other = drawn_session("a", (True,) * 5), drawn_session("b", (True,) * 5)
    further = replace(other, held=other.held * 0.5)
    without = [rows([ours, one], fold=1) for one in (other, further)]  # "b" is left out
    assert np.allclose(*[one.returns[one.case == 0] for one in without])
    assert not np.allclose(*[rows([ours, one]).returns[rows([ours, one]).case == 0] for one in (other, further)])


def test_a_session_is_kept_under_what_played_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("dialogue.py", WEIGHTS):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("before")
    monkeypatch.setattr(sessions, "PLAYS", ("dialogue.py", "therapists"))
    monkeypatch.setattr(sessions, "files", lambda _: tmp_path)
    monkeypatch.setattr(value_sessions, "played_by", sessions.played_by.__wrapped__)  # nothing is remembered
    before = {learned: value_sessions.kept_under(learned=learned) for learned in (False, True)}
    (tmp_path / WEIGHTS).write_text("other worths")
    assert value_sessions.kept_under(learned=False) == before[False]  # nothing is chosen by them
    assert value_sessions.kept_under(learned=True) != before[True]
    (tmp_path / "dialogue.py").write_text("another agent")
    assert value_sessions.kept_under(learned=False) != before[False]


DENIED = session_of(
    "I froze at the handover on Tuesday, with everybody looking on.",
    "That sounds painful. Have you had thoughts of ending your life?",
    "No, nothing like that.",
)


def test_after_a_clear_no_it_is_thanked_and_what_was_told_before_is_gone_back_to_in_the_same_turn() -> None:
    turn = asyncio.run(SocraticTherapist().respond(DENIED))
    assert turn.trace is not None and turn.trace["step"] == Step.RISK_THANKS.value
    assert "“I froze at the handover on Tuesday, with everybody looking on" in turn.text
    assert turn.text.lower().count("thank") == 1 and turn.text.count("?") == 1
    then = asyncio.run(SocraticTherapist().respond(DENIED + turn + Turn("patient", "That I'm not fit for it."))).trace
    assert then is not None and not then["step"].startswith("risk_")


def test_where_nothing_can_be_gone_back_to_the_hearing_out_goes_on_after_the_thanks() -> None:
    talk = session_of("I don't know.", "Have you had thoughts of ending your life?", "No, nothing like that.")
    turn = asyncio.run(SocraticTherapist().respond(talk))
    assert turn.trace is not None and turn.trace["lead"] == Lead.THANKED.value
    assert turn.trace["step"] in (Step.THOUGHT.value, Step.FEELING.value, Step.SITUATION.value)
    assert turn.text.lower().count("thank") == 1 and turn.text.count("?") == 1


@pytest.mark.parametrize(
    ("draft", "said"),
    [
        ("What went through your mind as you froze?", True),
        ("Thank you for telling me. What went through your mind as you froze?", False),
        ("You should see a doctor. Is it not so? Or is it?", False),
    ],
)
def test_after_a_clear_no_the_fixed_thanks_stand_in_front_of_what_a_model_words(draft: str, said: bool) -> None:
    prompts: list[str] = []

    def words(messages: Sequence[Message], seed: int) -> str:
        prompts.append(messages[0]["content"])
        return draft

    turn = asyncio.run(SocraticTherapist(model=ScriptedModel(words)).respond(DENIED))
    thanks = [form for form in load_bank("first")[Lead.THANKED.value] if turn.text.startswith(f"{form} ")]
    assert len(thanks) == 1 and turn.trace is not None and turn.trace["lead"] == Lead.THANKED.value
    assert (turn.text == f"{thanks[0]} {draft}") is said
    assert turn.trace["worded by"] == ("model" if said else "bank")
    assert not any(form in prompts[0] for form in load_bank("first")[Lead.THANKED.value])


def test_the_thanks_stay_where_every_draft_is_refused() -> None:
    plan = Plan(Step.THOUGHT, Lead.THANKED, "a clear no")
    assert {plainer(plan, attempt).lead for attempt in range(1, LAST_DRAFT + 1)} == {Lead.THANKED}


def test_after_a_no_in_the_work_what_was_being_told_is_gone_back_to_before_the_agenda_goes_on() -> None:
    talk = Session((*TALK.turns, Turn("therapist", DENIED.turns[1].text), DENIED.turns[2]), 0)
    turn = asyncio.run(SocraticTherapist().respond(talk))
    assert turn.trace is not None and turn.trace["step"] == Step.RISK_THANKS.value
    assert "The ward clapped when I came in" in turn.text and turn.text.count("?") == 1
    assert DENIED.turns[2].text.rstrip(".").lower() not in turn.text.lower()
    by_model = SocraticTherapist(model=ScriptedModel(lambda messages, seed: "The ward clapped. What was that like?"))
    turn = asyncio.run(by_model.respond(talk))
    assert turn.trace is not None and turn.trace["step"] == Step.FOLLOW.value
    assert turn.text.endswith(" The ward clapped. What was that like?")
    assert turn.trace["lead"] == Lead.THANKED.value
