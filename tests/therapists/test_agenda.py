"""The agenda: what is due after a reply, and what goes before it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from random import Random

import pytest

from maieutic.domain.episode import Session, Turn
from maieutic.language.sentences import content_words
from maieutic.therapists.agent.bank import load_bank
from maieutic.therapists.agent.conduct import (
    DOORS,
    SEARCHED_FROM,
    WEIGHS,
    WORK,
    barren,
    fitting,
    rated,
    tells_fact,
    waiting_person,
)
from maieutic.therapists.agent.formulation import Formulation, formulated_from
from maieutic.therapists.agent.guide import BARE_DRAFT, Words, worded
from maieutic.therapists.agent.memory import Memory, remembered
from maieutic.therapists.agent.off_task import turns_away
from maieutic.therapists.agent.quoting import Phrase
from maieutic.therapists.agent.reasoner import ACCURATE, understood
from maieutic.therapists.agent.steps import CHALLENGING, PULLS_TOGETHER, RECALLS, SEARCHES, VIEWS, Lead, Plan, Step
from maieutic.therapists.socratic import SocraticTherapist
from maieutic.tracking.filter import start
from maieutic.tracking.tables import packaged_tables
from maieutic.tracking.tracker import MindTracker
from talks import session_of, told

AGENT = SocraticTherapist()


def next_turn(talk: Session) -> Turn:
    return asyncio.run(AGENT.respond(talk))


def test_a_question_that_was_not_understood_is_put_anew_and_more_simply() -> None:
    turn = next_turn(told("I left my coat at my sister's flat and never went back.", "Sorry, how do you mean?"))
    assert turn.trace is not None and turn.trace["step"] == Step.REWORD.value


def test_a_fact_that_was_just_told_is_put_beside_the_thought() -> None:
    talk = session_of(
        "I froze at the handover on Tuesday.", "What went through your mind?", "I thought, I'm not fit to be in charge.",
        "How strongly do you believe that, from 0 to 100?", "85.",
        "When was it otherwise than that?", "The consultant asked for me by name last month, and the ward clapped when I came in.",
    )  # fmt: skip
    found = formulated_from(talk)
    assert found.against
    assert Step.COMPARE in fitting(found, remembered(talk), start(packaged_tables()))


def test_what_was_told_to_a_search_is_put_beside_the_thought_though_no_phrase_of_it_tells_it_by_itself() -> None:
    talk = session_of(
        "I froze at the handover on Tuesday.", "What went through your mind?", "I thought, I'm not fit to be in charge.",
        "What was that like?", "I was ashamed.", "Go on.", "I went and sat in the linen room.",
        "Is there anything that doesn't fit with “I'm not fit to be in charge”?",
        "There's a list in my jacket, in Bethan's writing. Three families asked for me by name. I never showed it.",
    )  # fmt: skip
    found, memory = formulated_from(talk), remembered(talk)
    assert tells_fact(found, memory)
    points = fitting(found, memory, start(packaged_tables()))
    assert max(points, key=lambda one: points[one]) is Step.COMPARE
    after = talk + Turn("therapist", "How does that fit?") + Turn("patient", "I don't know what it says.")
    assert not tells_fact(formulated_from(after), remembered(after))


def test_a_number_is_asked_for_again_only_for_the_thought_that_it_was_given_for() -> None:
    early, late = Phrase("I'm no good", {}, 2, 1.0), Phrase("they never wanted me", {}, 6, 1.0)
    memory = Memory((Step.THOUGHT, Step.THOUGHT, Step.RATE, Step.FOLLOW, Step.FOLLOW), ("",) * 5)
    assert rated(Formulation(thought=early), memory)
    assert not rated(Formulation(thought=late), memory)
    assert not rated(Formulation(thought=early), Memory((Step.THOUGHT, Step.FOLLOW), ("", "")))


def test_a_thought_that_looks_true_is_not_disputed() -> None:
    talk = told("My husband has dementia.", "He won't come back from it. I feel so sad.")
    belief = replace(start(packaged_tables()), accurate=0.8)
    steps = understood(formulated_from(talk), talk, belief, None, remembered(talk), 20).steps
    assert steps and not CHALLENGING & set(steps)


@pytest.mark.parametrize(
    "text",
    ["Still true.", "It's just true. I'm a failure.", "I'm a failure, and that's how it is. I can stop pretending."],
)
def test_with_somebody_who_holds_on_to_a_harsh_thought_the_agent_does_not_cope(text: str) -> None:
    weigh = Turn("therapist", "Taking all of that together, how does the thought seem to you now?")
    talk = told("I failed my driving test.", "That I'm a failure. I felt ashamed.") + weigh + Turn("patient", text)
    belief = MindTracker.packaged().belief(talk)
    assert belief.accurate < ACCURATE
    assert Step.COPE not in understood(formulated_from(talk), talk, belief, None, remembered(talk), 20).steps


def test_a_thought_that_was_worked_on_is_not_asked_for_any_more() -> None:
    reply = formulated_from(told("They came to the van to ask me.")).reply
    found, belief = Formulation(thought=THOUGHT, reply=reply), start(packaged_tables())
    steps = (Step.SITUATION, Step.FEELING, Step.FOLLOW)
    assert Step.THOUGHT in fitting(found, Memory(steps, ("",) * 3), belief)
    assert Step.THOUGHT not in fitting(found, Memory((*steps, Step.DOING), ("",) * 4), belief)


def test_before_anything_was_said_there_is_nothing_to_take_up() -> None:
    assert fitting(Formulation(), Memory((), ()), start(packaged_tables())) == {Step.GOAL: 1.0}


THOUGHT = Phrase("I'm no use to anybody", {}, 3, 3.0)


def after(
    step: Step,
    kind: str,
    *before: Step,
    text: str = "They came to the van to ask me.",
    **holds: float,
) -> dict[Step, float]:
    """Points after a step in the working part of a session, where the reply to it is of a kind."""
    steps = (Step.SITUATION, Step.FEELING, Step.THOUGHT, Step.RATE, Step.KNOW, *before, step)
    chances = dict.fromkeys(formulated_from(told("Fine.")).reply.holds, 0.0) | {kind: 0.8} | holds  # type: ignore[union-attr]
    reply = replace(formulated_from(told(text)).reply, holds=chances)  # type: ignore[type-var]
    belief = start(packaged_tables())
    return fitting(Formulation(thought=THOUGHT, reply=reply), Memory(steps, ("Go on.",) * len(steps)), belief)


@pytest.mark.parametrize("step", [Step.AGAINST, Step.OTHER_VIEW, Step.DOUBLE])
def test_an_answer_from_outside_the_thought_that_tells_a_fact_is_put_beside_it(step: Step) -> None:
    points = after(step, "event", against=0.45)
    assert max(points, key=lambda one: points[one]) is Step.COMPARE


def test_to_put_an_answer_from_outside_beside_the_thought_is_due_only_where_it_tells_a_fact_or_gives_way() -> None:
    points = after(Step.OTHER_VIEW, "event", against=0.25)
    assert points[Step.COMPARE] < points[Step.FOLLOW]
    assert max(fact := after(Step.AGAINST, "event", against=0.25), key=lambda one: fact[one]) is Step.COMPARE
    assert all(Step.COMPARE not in after(step, "event", against=0.1) for step in (Step.OTHER_VIEW, Step.AGAINST))


def test_after_two_facts_all_of_it_is_looked_at_together_and_not_again_at_once() -> None:
    facts = tuple(Phrase(text, {}, turn, 1.0) for text, turn in (("they came to the van", 6), ("she rang me", 8)))
    steps = (Step.SITUATION, Step.THOUGHT, Step.FEELING, Step.RATE, Step.REST, Step.AGAINST, Step.COMPARE, Step.OTHERS)
    reply = formulated_from(told("They came to the van to ask me.")).reply
    found = Formulation(thought=THOUGHT, against=facts, reply=reply)
    belief = start(packaged_tables())
    due = fitting(found, Memory(steps, ("",) * len(steps)), belief)
    assert max(due, key=lambda one: due[one]) is Step.WEIGH
    again = (*steps[:-1], Step.WEIGH, Step.OTHERS)
    assert Step.WEIGH not in fitting(found, Memory(again, ("",) * len(again)), belief)


def test_where_a_search_brings_nothing_only_something_small_or_another_view_is_asked_for() -> None:
    nothing = set(after(Step.AGAINST, "little", Step.FOLLOW, little=0.9))
    assert not nothing & set(SEARCHES)
    assert set(VIEWS) & nothing
    unsure = set(after(Step.AGAINST, "little", Step.FOLLOW, text="I don't know.", little=0.9))
    assert unsure & set(SEARCHES) == {Step.SMALL}
    assert Step.SMALL not in after(Step.SMALL, "little", Step.AGAINST, text="I don't know.", little=0.9)


@pytest.mark.parametrize("kind", ["gives_way", "against", "plan"])
def test_after_something_that_loosens_the_thought_nothing_is_searched_for(kind: str) -> None:
    for last in (Step.OTHER_VIEW, Step.FOLLOW, Step.COMPARE):
        assert not set(after(last, kind)) & set(SEARCHES)
    assert not set(after(Step.COMPARE, kind)) & {*SEARCHES, *VIEWS}


def test_words_without_a_way_on_are_stayed_with() -> None:
    assert set(after(Step.OTHER_VIEW, "thought", text="There's no way out of this for me.")) == {Step.FOLLOW}


def test_a_search_does_not_follow_a_search_and_what_speaks_for_the_thought_is_not_put_beside_it() -> None:
    then = set(after(Step.AGAINST, "for", text="He had two years to find it and he did not."))
    assert then and not then & {*SEARCHES, Step.COMPARE}


def test_no_door_is_tried_more_often_than_it_may_be_and_none_twice_in_a_row() -> None:
    tried = tuple(door for door, most in DOORS.items() for _ in range(most))
    assert not set(DOORS) & set(after(Step.FOLLOW, "event", *tried))
    assert all(door not in after(door, "event") for door in DOORS)


def test_what_the_thought_rests_on_is_asked_for_once_where_it_was_said() -> None:
    steps = (Step.THOUGHT, Step.FEELING, Step.RATE, Step.FOLLOW)
    reply = formulated_from(told("I'm not fit to be in charge of anybody.")).reply
    found = Formulation(thought=THOUGHT, reply=reply)
    first = fitting(found, Memory(steps, ("",) * 4), start(packaged_tables()))
    assert reply is not None and Step.KNOW in first
    assert Step.KNOW not in fitting(found, Memory((*steps, Step.KNOW), ("",) * 5), start(packaged_tables()))


AWAY = [
    "I'd rather not go looking for that today.",
    "I'd have to think about that one.",
    "There isn't more to it, as far as I know.",
    "I couldn't tell you yet. It's all still going round.",
    "More I haven't got.",
]


def held_up(reply: str) -> Session:
    """A talk in which a fact against the thought was searched for, answered with this."""
    return session_of(
        "I froze at the handover on Tuesday.", "What went through your mind?", "I thought, I'm not fit to be in charge.",
        "What was that like?", "I was ashamed.", "Go on.", "I went and sat in the linen room.",
        "What happened then?", "My sister brought soup on Tuesday.", "Is suicide on your mind?", "No, never.",
        "And after that?", "I'm not fit to be in charge of anybody.",
        "Is there anything that doesn't fit with “I'm not fit to be in charge”?", reply,
    )  # fmt: skip


@pytest.mark.parametrize("reply", AWAY)
def test_after_a_turning_away_nothing_large_is_searched_for_or_given_back(reply: str) -> None:
    talk = held_up(reply)
    turn = next_turn(talk)
    assert turn.trace is not None and Step(turn.trace["step"]) not in CHALLENGING - {Step.SMALL}
    assert not content_words(reply) & content_words(turn.text)
    again = talk + turn + Turn("patient", reply)
    then = next_turn(again).trace
    assert then is not None and Step(then["step"]) not in CHALLENGING - {Step.SMALL}


@pytest.mark.parametrize(
    "reply", ["The ward clapped when I came in.", "Nothing. I'm not fit to be in charge, that's all."]
)
def test_an_answer_to_a_search_is_worked_with(reply: str) -> None:
    talk = held_up(reply)
    found, belief, memory = formulated_from(talk), start(packaged_tables()), remembered(talk)
    assert not turns_away(reply)
    steps = set(understood(found, talk, belief, None, memory, 20).steps)
    assert steps & {*WORK, Step.FOLLOW} - {Step.SMALL} and Step.DONT_KNOW not in steps


@pytest.mark.parametrize(
    "reply",
    [
        "I suppose that doesn't quite fit.",
        "Perhaps it isn't all true.",
        "Both can be true, I suppose.",
        "Yes, totally, you're right, I should look at it that way.",
    ],
)
def test_agreeing_and_giving_way_are_no_turning_away(reply: str) -> None:
    trace = next_turn(held_up(reply)).trace
    assert trace is not None and Step(trace["step"]) in {*WORK, *RECALLS} - {Step.SMALL}


@pytest.mark.parametrize(("reply", "away"), [("Right now? 80, maybe.", False), *[(one, True) for one in AWAY[:4]]])
def test_a_number_is_no_turning_away(reply: str, away: bool) -> None:
    assert turns_away(reply) is away


def test_a_wish_that_is_told_after_a_question_about_risk_is_followed() -> None:
    assert set(after(Step.RISK_THANKS, "plan")) == {Step.FOLLOW}


@pytest.mark.parametrize("kind", ["event", "thought"])
def test_after_a_question_about_risk_the_talk_goes_on_where_it_was(kind: str) -> None:
    points = after(Step.RISK_THANKS, kind)
    assert max(points, key=lambda one: points[one]) in DOORS
    assert not set(points) & {*PULLS_TOGETHER, Step.SMALL}
    no = after(Step.RISK_CHECK, "little", text="No, never.")
    assert no and set(no) <= set(DOORS)


def test_after_a_no_to_suicide_what_is_missing_is_heard_out_first() -> None:
    found = Formulation(reply=formulated_from(told("No, never.")).reply)
    steps = (Step.SITUATION, Step.FOLLOW, Step.RISK_CHECK)
    assert set(fitting(found, Memory(steps, ("",) * 3), start(packaged_tables()))) == {Step.THOUGHT}


@pytest.mark.parametrize("step", [Step.COPE, Step.FEELING])
def test_a_wish_is_followed_once_and_then_the_work_goes_on_without_a_search(step: Step) -> None:
    assert set(after(step, "plan")) == {Step.FOLLOW}
    once = after(Step.FOLLOW, "plan", step)
    assert max(once, key=lambda one: once[one]) in {*WORK} - {*SEARCHES}


def test_a_feeling_that_was_told_is_met_before_any_work() -> None:
    points = after(Step.OTHER_VIEW, "feeling")
    assert not set(points) & CHALLENGING


def test_no_number_is_asked_for_while_a_feeling_is_told() -> None:
    before = (
        "I froze at the handover.", "What went through your mind?", "I'm not fit to be in charge.",
        "How sure are you of that, from 0 to 100?", "85.", "Go on.", "They came to the van.", "Go on.", "I drove home.",
        "And then?",
    )  # fmt: skip
    belief = start(packaged_tables())

    def forced(reply: str) -> Step | None:
        talk = session_of(*before, reply)
        memory = remembered(talk)
        steps = (Step.THOUGHT, Step.RATE, Step.FOLLOW, Step.FOLLOW, Step.FOLLOW)
        found = understood(formulated_from(talk), talk, belief, None, Memory(steps, memory.said), memory.number + 2)
        return found.forced[0] if found.forced is not None else None

    assert forced("I was so ashamed, I could have cried.") is not Step.RATE_AGAIN
    assert forced("I still think I'm not fit to be in charge.") is Step.RATE_AGAIN


def test_the_thought_anew_is_asked_for_where_a_reply_loosens_it_and_nowhere_else() -> None:
    before = (Step.COMPARE, Step.AGAINST, Step.COMPARE, Step.OTHERS)
    assert Step.ALTERNATIVE in after(Step.OTHER_VIEW, "event", *before, against=0.35)
    assert Step.ALTERNATIVE not in after(Step.OTHER_VIEW, "event", *before, against=0.25)


def test_no_thought_is_asked_for_right_after_a_reply_that_tells_one() -> None:
    reply = formulated_from(told("I think.", "Go on?", "Then I thought, they've checked the wrong bit.")).reply
    assert reply is not None
    found = Formulation(reply=replace(reply, holds=dict.fromkeys(reply.holds, 0.0) | {"event": 0.5, "thought": 0.35}))
    memory, belief = Memory((Step.SITUATION, Step.FOLLOW), ("",) * 2), start(packaged_tables())
    assert Step.THOUGHT not in fitting(found, memory, belief) and Step.MEANING in fitting(found, memory, belief)


@pytest.mark.parametrize("last", [Step.OTHER_VIEW, Step.COMPARE, Step.KNOW, Step.DONT_KNOW, Step.AGAINST])
def test_after_nothing_more_no_large_search_follows(last: Step) -> None:
    points = after(last, "little", Step.FOLLOW, little=0.44)
    assert not {*SEARCHES, Step.COMPARE, Step.FOLLOW} & set(points) - {Step.SMALL}


@pytest.mark.parametrize("last", RECALLS)
def test_a_question_about_something_told_earlier_that_brings_nothing_is_not_followed_by_a_large_search(
    last: Step,
) -> None:
    points = after(last, "little", Step.FOLLOW, text="More I haven't got.", little=0.8)
    assert points and not {*SEARCHES} & set(points) - {Step.SMALL}


def test_after_nothing_more_a_search_comes_only_where_no_other_view_is_left() -> None:
    views = (*VIEWS, Step.FOLLOW)
    points = after(Step.OTHERS, "little", *views, text="More I haven't got.", little=0.8)
    assert set(points) <= set(DOORS) and Step.AGAINST in points and Step.OTHERS not in points


def test_after_a_turning_away_nothing_large_is_searched_for_though_no_other_view_is_left() -> None:
    steps = (Step.SITUATION, Step.THOUGHT, Step.FEELING, *VIEWS, Step.OTHERS)
    found = Formulation(thought=THOUGHT, reply=formulated_from(told("I'd rather not go looking for that today.")).reply)
    memory = Memory(steps, ("",) * len(steps))
    assert set(fitting(found, memory, start(packaged_tables()), away=True)) == {Step.FOLLOW}


@pytest.mark.parametrize("reply", AWAY[:4])
def test_a_turning_away_is_answered_with_nothing_that_challenges_whatever_was_asked(reply: str) -> None:
    talk = told("It went badly at work.", "I'm no use to anybody.", reply)
    steps = (Step.SITUATION, Step.THOUGHT, Step.FEELING, Step.RATE, Step.FOLLOW)
    points = understood(formulated_from(talk), talk, start(packaged_tables()), None, Memory(steps, ("",) * 5), 20).steps
    assert points and not set(points) & CHALLENGING - {Step.SMALL}


def test_the_feeling_that_was_asked_for_is_met_once() -> None:
    assert set(after(Step.FEELING, "feeling")) == {Step.FOLLOW}
    assert max(then := after(Step.FOLLOW, "feeling", Step.FEELING), key=lambda one: then[one]) in WORK


def test_turns_about_danger_and_odd_input_do_not_count_towards_hearing_out() -> None:
    asides = (Step.RISK_HINT, Step.RISK_THANKS, Step.EMPTY, Step.DONT_KNOW)
    steps = (Step.SITUATION, Step.THOUGHT, *asides, Step.FOLLOW)
    assert len(steps) + 1 > SEARCHED_FROM
    reply = formulated_from(told("They came to the van to ask me.")).reply
    found, belief = Formulation(thought=THOUGHT, reply=reply), start(packaged_tables())
    assert set(fitting(found, Memory(steps, ("",) * len(steps)), belief)) == {Step.FEELING}
    late = (Step.SITUATION, Step.THOUGHT, Step.FEELING, *[Step.FOLLOW, Step.BACKGROUND] * 3)
    then = fitting(found, Memory(late, ("",) * len(late)), belief)
    assert Step.FEELING not in then and max(then, key=lambda one: then[one]) in DOORS


@pytest.mark.parametrize("door", [Step.AGAINST, Step.OTHER_VIEW])
def test_what_the_thought_rests_on_is_asked_for_before_the_doors_alone(door: Step) -> None:
    steps = (Step.THOUGHT, Step.FEELING, Step.RATE, Step.FOLLOW)
    reply = formulated_from(told("I'm not fit to be in charge of anybody.")).reply
    belief, loosened = start(packaged_tables()), (Phrase("perhaps I am", {}, 3, 1.0),)

    def due(found: Formulation, *more: Step) -> set[Step]:
        return set(fitting(found, Memory((*steps, *more), ("",) * (4 + len(more))), belief))

    found = Formulation(thought=THOUGHT, reply=reply)
    assert Step.KNOW in due(found)
    assert Step.KNOW not in due(found, door, Step.FOLLOW) | due(replace(found, gave_way=loosened))
    talk = told("It went badly.", "I'm not fit to be in charge of anybody.")
    end = understood(found, talk, belief, None, Memory(steps, ("",) * 4), 9)
    assert Step.KNOW not in end.steps


def test_a_follow_up_is_no_search_that_brought_nothing() -> None:
    belief = start(packaged_tables())
    assert barren(Memory((Step.THOUGHT, Step.FOLLOW, Step.FOLLOW), ("",) * 3), belief) == 0
    assert barren(Memory((Step.AGAINST, Step.FOLLOW, Step.OTHERS), ("",) * 3), belief) == 2


def test_only_the_closing_goes_from_one_weighing_to_the_next() -> None:
    for step in WEIGHS:
        assert not {Step.WEIGH, Step.COMPARE} & set(after(step, "against"))


OF_IT = ("how_know", "ask_against", "ask_exception", "ask_others", "ask_doing", "ask_small", "other_view", "effect")
"""Keys whose forms call the thought "it" or "that", or leave it out."""
TO_IT = ("to_thought", "to_that_thought", "still_to_thought", "still_to_that_thought")
"""Keys of what says that the talk goes to the thought."""


def worded_with(talk: Session, plan: Plan, steps: tuple[Step, ...] = (), *, bank: str = "first") -> set[str]:
    """Forty draws of how a plan is worded after a talk; `steps` stand for what the agent's own turns did."""
    found, belief, memory = formulated_from(talk), start(packaged_tables()), remembered(talk)
    memory = Memory(steps or memory.steps, memory.said)
    return {worded(plan, Words(load_bank(bank), talk, belief, memory, found, Random(seed))) for seed in range(40)}


TOLD_NOW = ("It rained.", "What went through your mind?", "I thought, I'm not fit to be in charge.")


def said_on_the_way(texts: set[str], bank: str) -> list[bool]:
    """Whether each says, by a form of the bank, that the talk goes to the thought."""
    ways = [form.replace("{thought}", "I'm not fit to be in charge") for key in TO_IT for form in load_bank(bank)[key]]
    return [any(way in text for way in ways) for text in texts]


@pytest.mark.parametrize("bank", ["first", "second"])
@pytest.mark.parametrize("key", OF_IT)
def test_that_stands_for_the_thought_only_where_it_was_spoken_of_just_now(key: str, bank: str) -> None:
    forms = load_bank(bank)[key]
    now = worded_with(session_of(*TOLD_NOW), Plan(Step(key)), bank=bank)
    since = worded_with(session_of(*TOLD_NOW, "And then?", "It rained all day."), Plan(Step(key)), bank=bank)
    assert now and not any(said_on_the_way(now, bank))
    assert all(any(text.endswith(form.format(it="that")) for form in forms) for text in now)
    assert since and all(said_on_the_way(since, bank))
    assert all(any(text.endswith(form.format(it="it")) for form in forms) for text in since)


@pytest.mark.parametrize("bank", ["first", "second"])
def test_all_of_it_is_weighed_with_the_thought_named_unless_it_was_told_just_now(bank: str) -> None:
    named = "thought" if bank == "first" else "idea"
    since = worded_with(session_of(*TOLD_NOW, "And then?", "It rained all day."), Plan(Step.WEIGH), bank=bank)
    assert since and all(named in text for text in since)
    now = worded_with(session_of(*TOLD_NOW), Plan(Step.WEIGH))
    assert now and not any("thought" in text.rpartition("”")[2] for text in now)


def test_somebody_told_earlier_is_asked_about_and_not_who_was_named_just_now_or_is_feared() -> None:
    talk = told("It went badly.", "My sister brought soup on Tuesday.", "Colette rang me about it at work.")
    asked = worded_with(talk, Plan(Step.PERSON))
    assert asked and all("your sister" in text and "Colette" not in text.rpartition(". ")[2] for text in asked)
    hit = told("It went badly.", "My husband hits me when he drinks.", "I sat at my desk.")
    found = formulated_from(hit)
    assert found.people == found.feared == ("your husband",)
    assert waiting_person(found, remembered(hit)) is None
    assert not any("your husband" in text for text in worded_with(hit, Plan(Step.PERSON)))


def test_something_told_earlier_is_asked_about_in_the_patients_words() -> None:
    talk = told("I felt so small at that table.", "I went home and sat in the van.")
    asked = worded_with(talk, Plan(Step.THREAD))
    assert asked and all("“I felt so small at that table”" in text and text.count("?") == 1 for text in asked)


@pytest.mark.parametrize("plan", [Plan(Step.COMPARE), Plan(Step.WEIGH, Lead.SUMMARY)])
def test_what_is_refused_with_the_patients_words_before_it_is_asked_without_them(plan: Plan) -> None:
    replies = ("It went badly.", "My sister brought soup on Tuesday.", "I can't really call her uninformed.")
    talk = told(*replies)
    holds = dict.fromkeys(formulated_from(talk).reply.holds, 0.0) | {"against": 0.8}  # type: ignore[union-attr]
    facts = tuple(Phrase(text.rstrip("."), holds, turn, 2.0) for turn, text in enumerate(replies[1:], start=2))
    found = replace(formulated_from(talk), against=facts, gave_way=(), supports=(), thought=None)
    words = Words(load_bank("first"), talk, start(packaged_tables()), remembered(talk), found, Random(0))
    assert "uninformed" in worded(plan, words)
    bare = worded(plan, replace(words, refused=("a draft",) * BARE_DRAFT))
    assert bare in load_bank("first")[plan.step.value]


def test_only_a_thought_is_called_what_was_thought() -> None:
    steps = (Step.THOUGHT,)
    thought = worded_with(
        session_of("It went badly.", "What went through your mind?", "I'm a burden to them all."),
        Plan(Step.RATE),
        steps,
    )
    other = worded_with(
        session_of("It went badly.", "What went through your mind?", "Nobody came to the door for an hour."),
        Plan(Step.AGAINST),
        steps,
    )
    assert any(text.startswith("What you thought was “I'm a burden to them all.”") for text in thought)
    assert other and not any("What you thought" in text for text in other)


def test_a_door_after_one_that_brought_nothing_opens_with_that_and_gives_nothing_back() -> None:
    talk = session_of("It went badly.", "Is there anything that doesn't fit with that thought?", "No. That's the lot.")
    opened = load_bank("first")["nothing_came"]
    assert all(text.startswith(opened) for text in worded_with(talk, Plan(Step.OTHER_VIEW), (Step.AGAINST,)))
    told_one = session_of("It went badly.", "Is there anything that doesn't fit?", "They came to the van to ask me.")
    assert not any(text.startswith(opened) for text in worded_with(told_one, Plan(Step.OTHER_VIEW), (Step.AGAINST,)))


def test_what_somebody_did_is_asked_of_whoever_was_named_just_now() -> None:
    asked = worded_with(told("It went badly.", "My sister brought soup on Tuesday."), Plan(Step.OTHERS))
    assert asked and all("your sister" in text for text in asked)
    nobody = worded_with(told("My sister brought soup.", "I sat at my desk."), Plan(Step.OTHERS))
    assert nobody and not any("your sister" in text for text in nobody)


def test_both_sides_are_summed_up_only_where_each_was_told_as_such() -> None:
    replies = (
        "It went badly.",
        "Nobody asked me a thing all week.",
        "My sister brought soup on Tuesday.",
        "The ward clapped when I came in.",
    )
    talk = told(*replies)

    def phrase(text: str, turn: int, **holds: float) -> Phrase:
        whole = dict.fromkeys(formulated_from(talk).reply.holds, 0.0) | holds  # type: ignore[union-attr]
        return Phrase(text.rstrip("."), whole, turn, 2.0)

    against = (phrase(replies[2], 3, against=0.8), phrase(replies[3], 4, against=0.8))

    def summed(how_surely: float) -> str:
        held = (phrase(replies[1], 2, **{"for": how_surely}),)
        found = replace(formulated_from(talk), supports=held, against=against, gave_way=(), thought=None)
        words = Words(load_bank("first"), talk, start(packaged_tables()), remembered(talk), found, Random(0))
        return worded(Plan(Step.WEIGH, Lead.SUMMARY), words)

    assert "Nobody asked" not in summed(0.2) and "brought soup" in summed(0.2)
    assert "Nobody asked" in summed(0.8) and "brought soup" in summed(0.8)


def told_just_now(
    *, told: bool = True, ratings: tuple[int, ...] = (), steps: tuple[Step, ...] = (Step.THOUGHT,)
) -> set[Step]:
    """What may be asked where the thought was told in the last reply, or the one before."""
    said = "I'm not fit to be in charge of anybody." if told else "I drove home and sat in the van."
    found = Formulation(
        thought=Phrase("I'm not fit to be in charge of anybody", {}, 1, 1.0),
        reply=formulated_from(told_talk(said)).reply,
        ratings=ratings,
    )
    return set(fitting(found, Memory(steps, ("",) * len(steps)), start(packaged_tables())))


def told_talk(said: str) -> Session:
    return session_of("It went badly.", "What went through your mind?", said)


def test_how_much_a_thought_is_believed_may_be_asked_once_when_it_was_just_told_and_is_never_due() -> None:
    heard_out = (Step.THOUGHT, Step.FEELING)
    assert Step.RATE not in told_just_now() and told_just_now() == {Step.FEELING}
    assert {Step.RATE, *DOORS} & told_just_now(steps=heard_out) > {Step.RATE}
    assert Step.RATE not in told_just_now(told=False, steps=heard_out)
    assert Step.RATE not in told_just_now(ratings=(80,), steps=heard_out)
    assert Step.RATE not in told_just_now(steps=(*heard_out, Step.RATE))
    assert Step.RATE not in told_just_now(steps=(*heard_out, Step.AGAINST))
