"""The agent takes up what was just said: quotations, people, feelings, the formulation, and what follows from a reply."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import cache
from random import Random

import pytest

from maieutic.dialogue import converse
from maieutic.domain.episode import Session, Turn
from maieutic.language.sentences import content_words, opened_large, words
from maieutic.library import case_ids, get_case
from maieutic.therapists.agent.bank import load_bank
from maieutic.therapists.agent.conduct import DOORS, INTO, WORK, fitting, rated, sayable, tells_fact
from maieutic.therapists.agent.echoing import echo_of, echoes, felt_back, to_you, told_back
from maieutic.therapists.agent.formulation import Formulation, formulated_from
from maieutic.therapists.agent.giving_back import read_back
from maieutic.therapists.agent.guide import MAX_QUOTED, Words, worded
from maieutic.therapists.agent.memory import Memory, remembered
from maieutic.therapists.agent.off_task import turns_away
from maieutic.therapists.agent.quoting import LONGEST, Phrase, has_subject, people, phrases, whole_sentences
from maieutic.therapists.agent.reasoner import EASY, understood
from maieutic.therapists.agent.steps import CHALLENGING, SEARCHES, VIEWS, Plan, Step
from maieutic.therapists.risk.wording import ask_of
from maieutic.therapists.socratic import SocraticTherapist
from maieutic.tracking.filter import start
from maieutic.tracking.tables import packaged_tables
from talks import make_patient, make_talk, session_of

AGENT = SocraticTherapist()


def told(*replies: str) -> Session:
    """A talk of these replies, with "Go on." between."""
    said = [turn for text in replies for turn in (Turn("therapist", "Go on."), Turn("patient", text))]
    return Session(tuple(said[1:]), 0)


def next_turn(talk: Session) -> Turn:
    return asyncio.run(AGENT.respond(talk))


@pytest.mark.parametrize("name", case_ids("dev")[::8])
def test_what_is_quoted_stands_in_the_reply_word_for_word(name: str) -> None:
    own = get_case(name).phrasings
    for line in [line for lines in own.details.values() for line in lines]:
        for phrase in phrases(line, 1):
            assert phrase.text in line
            assert 3 <= len(words(phrase.text)) <= LONGEST


@pytest.mark.parametrize(
    "text", ["What do you mean by that?", "Sorry, say that again, I lost you.", "I hope that's what you meant."]
)
def test_talk_about_the_talk_is_not_quoted(text: str) -> None:
    assert phrases(text, 1) == ()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("My aunt Malar asked me about it, and Colette told me it's like jet lag.", ("your aunt Malar", "Colette")),
        ("Eli and I had a huge fight on Sunday.", ("Eli",)),
        ("Mom always said it. I drove past Mason's school.", ("your mom",)),
        ("Every Sunday we drove there. Eleven feeds from breakfast on. Busy isn't work.", ()),
        ("We moved from Bristol to Leeds in March.", ()),
        ("Ms. Okafor was standing right there.", ()),
    ],
)
def test_a_name_is_a_persons_where_somebody_acts_or_is_kin(text: str, named: tuple[str, ...]) -> None:
    assert people((text,)) == named


@pytest.mark.parametrize(
    ("text", "felt"),
    [
        ("I felt shame all up my neck while she waited.", True),
        ("I was standing in the kitchen sick with guilt.", True),
        ("I got down and held his boots out.", False),
        ("I scared him at a quarter to seven.", False),
    ],
)
def test_a_feeling_is_one_only_where_it_was_said_as_one(text: str, felt: bool) -> None:
    assert bool(formulated_from(told("It was the morning at the school.", text)).feelings) is felt


def test_the_formulation_keeps_the_patients_own_words() -> None:
    found = formulated_from(told("I froze at the handover on Tuesday.", "I thought, I'm not fit to be in charge."))
    assert found.situation is not None and found.situation.text == "I froze at the handover on Tuesday"
    assert found.thought is not None and found.thought.text == "I'm not fit to be in charge"
    assert found.as_trace()["plan"] is None


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
    assert points[Step.COMPARE] > points[Step.FOLLOW]
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


def test_before_anything_was_said_there_is_nothing_to_take_up() -> None:
    assert fitting(Formulation(), Memory((), ()), start(packaged_tables())) == {Step.GOAL: 1.0}


@cache
def whole(name: str) -> Session:
    """One session of the agent's."""
    return asyncio.run(converse(make_talk(AGENT, make_patient(name), turns=20))).session


def played(name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What patient and agent said in one session."""
    patient, agent = whole(name).by("patient"), whole(name).by("therapist")
    return tuple(turn.text for turn in patient), tuple(turn.text for turn in agent)


def test_every_fourth_turn_at_least_holds_a_word_of_what_was_just_said() -> None:
    """A rough sign of taking it up: a question that can mean nothing else shares no word. Risk is left out."""
    shares = [
        bool(content_words(before) & content_words(turn))
        for name in ("joel-salonga", "fathers-temper")
        for number, (before, turn) in enumerate(zip(*played(name), strict=False), start=1)
        if phrases(before, number) and ask_of(Turn("therapist", turn)) is None
    ]
    assert len(shares) > 15 and sum(shares) >= 0.25 * len(shares)


@pytest.mark.parametrize("name", ["joel-salonga", "fathers-temper"])
def test_what_is_quoted_was_said_and_nothing_is_said_twice(name: str) -> None:
    heard, said = played(name)
    assert sum(turn.startswith("“") for turn in said) <= MAX_QUOTED
    assert len(set(said)) == len(said)
    everything = " ".join(heard).lower()
    quoted = [part.partition("”")[0] for turn in said for part in turn.split("“")[1:]]
    assert all(words(part) and part.rstrip(".").lower() in everything for part in quoted)


def test_a_quotation_stands_in_a_session_of_these() -> None:
    said = [turn for name in ("joel-salonga", "fathers-temper") for turn in played(name)[1]]
    assert any("“" in turn for turn in said if ask_of(Turn("therapist", turn)) is None)


@pytest.mark.parametrize(
    ("clause", "back"),
    [
        ("I put on a tie for it", "You put on a tie for it"),
        ("I was ashamed that I'd let it be heard", "You were ashamed that you'd let it be heard"),
        ("I'm so angry that my hands are cold", "You're so angry that your hands are cold"),
        ("Theo and I hugged in the driveway", None),
        ("I went home and was sad", None),
    ],
)
def test_a_clause_is_put_to_the_patient_only_where_pronouns_alone_change(clause: str, back: str | None) -> None:
    turned = to_you(clause)
    assert (opened_large(turned) if turned else None) == back


@pytest.mark.parametrize(
    "text",
    [
        "She said, I can't go on like this.",
        "He asked you about the kitchen.",
        "I guess that I did it again.",
        "Jealous, and don't ask me nicely.",
        "Because I left it there.",
    ],
)
def test_what_cannot_be_given_back_without_twisting_it_is_not(text: str) -> None:
    found = phrases(text, 1)
    assert found and all(echo_of(one, text) is None for one in found)


def test_a_claim_is_never_said_as_if_it_were_so() -> None:
    text = "I'm a failure. I'm no use to anybody."
    echoes = [echo for one in phrases(text, 1) if (echo := echo_of(one, text))]
    assert echoes and all(echo.quoted for echo in echoes)


def test_nothing_is_challenged_in_the_turn_after_a_sign_of_danger() -> None:
    talk = told("I froze at the handover.", "I thought, I'm not fit to be in charge.", "Some nights I wish I was dead.")
    turn = next_turn(talk)
    assert turn.trace is not None and Step(turn.trace["step"]) not in CHALLENGING


@pytest.mark.parametrize("bank", ["first", "second"])
def test_nothing_is_said_of_a_plan_that_was_not_made(bank: str) -> None:
    assert not any("plan" in form or "step you" in form for form in load_bank(bank)["close"])


THOUGHT = Phrase("I'm no use to anybody", {}, 3, 3.0)


def after(step: Step, kind: str, *before: Step, waiting: float = 1.0, **holds: float) -> dict[Step, float]:
    """Points after a step in the working part of a session, where the reply to it is of a kind and facts wait."""
    steps = (Step.SITUATION, Step.FEELING, Step.THOUGHT, Step.RATE, Step.KNOW, *before, step)
    chances = dict.fromkeys(formulated_from(told("Fine.")).reply.holds, 0.0) | {kind: 0.8} | holds  # type: ignore[union-attr]
    reply = replace(formulated_from(told("They came to the van to ask me.")).reply, holds=chances)  # type: ignore[type-var]
    belief = replace(start(packaged_tables()), waiting=waiting)
    return fitting(Formulation(thought=THOUGHT, reply=reply), Memory(steps, ("Go on.",) * len(steps)), belief)


@pytest.mark.parametrize("step", [Step.AGAINST, Step.OTHER_VIEW, Step.DOUBLE])
def test_an_answer_from_outside_the_thought_is_put_beside_it(step: Step) -> None:
    points = after(step, "event", against=0.1)
    assert max(points, key=lambda one: points[one]) is Step.COMPARE


def test_an_answer_from_outside_is_put_beside_nothing_where_no_fact_waits() -> None:
    assert Step.COMPARE not in after(Step.OTHER_VIEW, "event", waiting=0.0)
    assert Step.COMPARE in after(Step.AGAINST, "event", waiting=0.0)


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
    assert nothing & set(SEARCHES) == {Step.SMALL}
    assert set(VIEWS) & nothing
    assert Step.SMALL not in after(Step.SMALL, "little", Step.AGAINST, little=0.9)


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


def other_views(talk: Session, bank: str) -> set[str]:
    """How another view is asked for after these replies, by forty draws of a wording."""
    found, belief, memory = formulated_from(talk), start(packaged_tables()), remembered(talk)
    each = (Words(load_bank(bank), talk, belief, memory, found, Random(seed)) for seed in range(40))
    return {worded(Plan(Step.OTHER_VIEW), words) for words in each}


@pytest.mark.parametrize("bank", ["first", "second"])
def test_whose_view_is_asked_for_was_named_just_now_and_is_no_danger(bank: str) -> None:
    asked = other_views(told("It went badly.", "My sister brought soup on Tuesday."), bank)
    assert len(asked) > 2 and all("your sister" in text for text in asked)
    lately = other_views(told("My sister brought soup.", "I sat at my desk for an hour."), bank)
    hits = other_views(told("It went badly.", "My husband hits me when he drinks."), bank)
    assert lately and hits and not any("your sister" in text or "your husband" in text for text in lately | hits)
    assert not any("{person}" in form and " ask " in f" {form} " for form in load_bank(bank)["person_view"])


@pytest.mark.parametrize(
    ("said", "new"),
    [("How would you talk to a friend who thought that?", True), ("How would your sister have told it?", False)],
)
def test_a_form_counts_as_said_only_where_all_its_parts_were(said: str, new: bool) -> None:
    since = ["Fine.", "Go on."] * 4
    talk = session_of("It went badly.", said, *since, "My sister brought soup on Tuesday.")
    assert ("How would your sister have told it?" in other_views(talk, "first")) is new


@pytest.mark.parametrize(
    ("reply", "back"),
    [
        ("My hands went cold. And then I was so ashamed, in front of everyone.", "You felt ashamed."),
        ("He was ashamed, not me.", ""),
        ("It's a blank line, I'm afraid.", ""),
        ("I was not angry with her.", ""),
        ("He thought I was angry.", ""),
        ("Would it help if I was angry?", ""),
        ("He said, I was ashamed of you.", ""),
        ("And he'd say: I was scared, Dad.", ""),
        ("If I had shouted and I was angry, fine, but I wasn't.", ""),
        ("I was angry with no one.", ""),
        ("I was hurt in the crash, two ribs.", ""),
        ("I was rejected by both colleges.", ""),
        ("I felt rejected by both of them.", "You felt rejected."),
        ("I was depressed for years when I was twenty.", ""),
    ],
)
def test_a_feeling_is_said_back_only_where_it_was_told_as_ones_own(reply: str, back: str) -> None:
    assert felt_back(reply) == back


@pytest.mark.parametrize(
    ("reply", "never"),
    [
        ("He kissed my neck, put his bag down and went straight in to the bedroom.", "Put"),
        ("It was chicken and dressing. He had his hand on my shoulder and he said, it's you we want.", "He had"),
        ("Rukhsana caught me on the stairs, and I said toilet.", "You said"),
        ("Hurt. And so angry that I couldn't get the key in the ignition.", "Angry"),
    ],
)
def test_half_a_sentence_is_not_given_back(reply: str, never: str) -> None:
    echoes = [echo.text for one in phrases(reply, 1) if (echo := echo_of(one, reply))]
    assert not any(text.lstrip("“").startswith(never) for text in echoes)


def test_what_was_told_is_given_back_before_a_search_too_and_a_feeling_once() -> None:
    talk = told("I'm no use to anybody.", "I've got two boys. My sister brought soup on Tuesday.")
    found, belief, memory = formulated_from(talk), start(packaged_tables()), remembered(talk)
    given = worded(Plan(Step.KNOW), Words(load_bank("first"), talk, belief, memory, found, Random(0)))
    assert given.startswith(("You've got two boys.", "My sister brought soup", "Your sister brought soup"))
    ashamed = session_of(
        "It went badly.", "Go on.", "I was ashamed.", "You felt ashamed. Is it here now?", "I was ashamed."
    )
    again = Words(load_bank("first"), ashamed, belief, remembered(ashamed), formulated_from(ashamed), Random(0))
    assert "You felt ashamed." not in worded(Plan(Step.FOLLOW), again)


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
    assert turn.trace is not None and Step(turn.trace["step"]) in EASY | {Step.DONT_KNOW, *VIEWS}
    assert not content_words(reply) & content_words(turn.text)
    again = talk + turn + Turn("patient", reply)
    then = next_turn(again).trace
    assert then is not None and Step(then["step"]) in EASY | {Step.DONT_KNOW, *VIEWS}


@pytest.mark.parametrize(
    "reply", ["The ward clapped when I came in.", "Nothing. I'm not fit to be in charge, that's all."]
)
def test_an_answer_to_a_search_is_worked_with(reply: str) -> None:
    talk = held_up(reply)
    found, belief, memory = formulated_from(talk), start(packaged_tables()), remembered(talk)
    assert not turns_away(reply)
    assert set(understood(found, talk, belief, None, memory, 20).steps) - EASY


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
    assert trace is not None and Step(trace["step"]) not in EASY | {Step.DONT_KNOW}


def test_no_scenery_is_given_back_before_a_fact_is_put_beside_the_thought() -> None:
    talk = told("I'm no use to anybody.", "The kettle was on the stove. She'd say I try hard, in her own way.")
    found, belief, memory = formulated_from(talk), start(packaged_tables()), remembered(talk)
    given = worded(Plan(Step.COMPARE), Words(load_bank("first"), talk, belief, memory, found, Random(0)))
    assert "kettle" not in given


@pytest.mark.parametrize(("reply", "away"), [("Right now? 80, maybe.", False), *[(one, True) for one in AWAY[:4]]])
def test_a_number_is_no_turning_away(reply: str, away: bool) -> None:
    assert turns_away(reply) is away


@pytest.mark.parametrize(
    ("reply", "never"),
    [
        ("I was late for choir. The church hall has a green door. Nobody saved me a chair and I went home.", "The church"),
        ("I rang her on Sunday and she didn't pick up. She always picks up on Sundays.", "She always"),
        ("It means I'm a coward. I handed the keys in and went out by the back stairs.", "You're a coward"),
    ],
)  # fmt: skip
def test_scenery_half_of_it_and_a_claim_are_not_said_as_so(reply: str, never: str) -> None:
    """Replies that no reader marked and the head never saw."""
    given = [echo.text for echo in echoes(reply)]
    assert given and not any(text.startswith(never) for text in given)


@pytest.mark.parametrize("part", ["", "...", " "])
def test_what_has_no_word_is_not_worth_giving_back(part: str) -> None:
    assert read_back(part, "I went home... and then nothing.") == (0.0, 1.0)
    assert list(echoes(part)) == [] and felt_back(part) == ""


def test_a_whole_sentence_that_tells_the_point_is_given_back() -> None:
    reply = "I went down the ladder and sat in the van for an hour with my hand on the glove box."
    assert len(words(reply)) > LONGEST
    assert [one.text for one in whole_sentences(reply, 1)] == [reply.rstrip(".")]
    assert any(echo.text.startswith("You went down the ladder") for echo in told_back(whole_sentences(reply, 1), reply))


def test_half_of_what_was_felt_is_not_given_back() -> None:
    assert felt_back("I was angry at the mats.") == "You felt angry."
    assert felt_back("I was angry at the mats. Under it I was disappointed, because I'd bought new shoes.") == ""
    assert felt_back("My wife was angry. I felt scared.") == ""


def test_a_wish_that_is_told_after_a_question_about_risk_is_followed() -> None:
    assert set(after(Step.RISK_THANKS, "plan")) == {Step.FOLLOW}


@pytest.mark.parametrize("step", [Step.COPE, Step.FEELING])
def test_a_wish_is_followed_once_and_then_the_work_goes_on(step: Step) -> None:
    assert set(after(step, "plan")) == {Step.FOLLOW}
    once = after(Step.FOLLOW, "plan", step)
    assert max(once, key=lambda one: once[one]) in WORK


def test_a_feeling_that_was_told_is_met_before_any_work() -> None:
    points = after(Step.OTHER_VIEW, "feeling")
    assert not set(points) & CHALLENGING


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("I'm the spare one", True),
        ("I'm going to be alone for good", True),
        ("I'll never be well again", True),
        ("The kids deserve better", True),
        ("Someone like me can't be loved", True),
        ("No one wants me", True),
        ("Dad was right about me", True),
        ("Other people manage", True),
        ("thirty years old, in a nappy made of straps", False),
        ("I wrote it on the back of a bus ticket first", False),
    ],
)
def test_only_what_can_be_said_as_a_thought_is_put_to_the_patient_as_one(text: str, said: bool) -> None:
    assert sayable(Phrase(text, {}, 1, 0.0)) is said


@pytest.mark.parametrize(
    ("clause", "has"),
    [("Kerry hates me", True), ("the kids deserve better", True), ("once again, at work, in a room, I", False)],
)
def test_a_subject_is_a_pronoun_a_noun_or_a_name_near_the_beginning(clause: str, has: bool) -> None:
    assert has_subject(clause, INTO) is has


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
