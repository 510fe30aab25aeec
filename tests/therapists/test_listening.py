"""The agent takes up what was just said: quotations, people, feelings, the formulation, and what follows from a reply."""

from __future__ import annotations

import asyncio
from functools import cache
from random import Random

import pytest

from maieutic.dialogue import converse
from maieutic.domain.episode import Session, Turn
from maieutic.language.sentences import content_words, opened_large, words
from maieutic.library import case_ids, get_case
from maieutic.therapists.agent.bank import load_bank
from maieutic.therapists.agent.conduct import INTO, sayable
from maieutic.therapists.agent.echoing import echo_of, felt_back, given_back, to_you, told_back
from maieutic.therapists.agent.formulation import formulated_from
from maieutic.therapists.agent.giving_back import read_back
from maieutic.therapists.agent.guide import Words, worded
from maieutic.therapists.agent.memory import remembered
from maieutic.therapists.agent.quoting import LONGEST, Phrase, has_subject, people, phrases, whole_sentences
from maieutic.therapists.agent.steps import CHALLENGING, Plan, Step
from maieutic.therapists.risk.wording import ask_of
from maieutic.therapists.socratic import SocraticTherapist
from maieutic.tracking.filter import start
from maieutic.tracking.tables import packaged_tables
from talks import make_patient, make_talk, session_of, told

AGENT = SocraticTherapist()


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
        ("It was cold. That Riesling sat by the till one morning.", ()),
        ("They told me that Colette told them.", ("Colette",)),
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
    echoes = [*given_back(text), *told_back(phrases(text, 1), text)]
    assert len(echoes) > 3 and all(echo.quoted for echo in echoes)
    sure = next(one for one in phrases(text, 1) if one.text == "I'm a failure")
    assert (alone := echo_of(sure, text)) is not None and alone.quoted


def test_nothing_is_challenged_in_the_turn_after_a_sign_of_danger() -> None:
    talk = told("I froze at the handover.", "I thought, I'm not fit to be in charge.", "Some nights I wish I was dead.")
    turn = next_turn(talk)
    assert turn.trace is not None and Step(turn.trace["step"]) not in CHALLENGING


@pytest.mark.parametrize("bank", ["first", "second"])
def test_nothing_is_said_of_a_plan_that_was_not_made(bank: str) -> None:
    assert not any("plan" in form or "step you" in form for form in load_bank(bank)["close"])


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
    asked = other_views(talk, "first")
    assert any(text.endswith("How would your sister have told it?") for text in asked) is new


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


def test_no_scenery_is_given_back_before_a_fact_is_put_beside_the_thought() -> None:
    talk = told("I'm no use to anybody.", "The kettle was on the stove. She'd say I try hard, in her own way.")
    found, belief, memory = formulated_from(talk), start(packaged_tables()), remembered(talk)
    given = worded(Plan(Step.COMPARE), Words(load_bank("first"), talk, belief, memory, found, Random(0)))
    assert "kettle" not in given


@pytest.mark.parametrize(
    ("reply", "never"),
    [
        ("I was late for choir. The church hall has a green door. Nobody saved me a chair and I went home.", "The church"),
        (
            "I rang her this Sunday. She always picks up on Sundays. It went on ringing, so I sat on the stairs with "
            "the phone in my lap until it was dark outside.",
            "She always",
        ),
        ("It means I'm a coward. I handed the keys in and went out by the back stairs.", "You're a coward"),
    ],
)  # fmt: skip
def test_scenery_half_of_it_and_a_claim_are_not_said_as_so(reply: str, never: str) -> None:
    """Replies that no reader marked and the head never saw."""
    given = [echo.text for echo in given_back(reply)]
    assert not any(text.startswith(never) for text in given)


@pytest.mark.parametrize("part", ["", "...", " "])
def test_what_has_no_word_is_not_worth_giving_back(part: str) -> None:
    assert read_back(part, "I went home... and then nothing.") == (0.0, 1.0)
    assert list(given_back(part)) == [] and felt_back(part) == ""


def test_a_whole_sentence_that_tells_the_point_is_given_back() -> None:
    reply = "I went down the ladder and sat in the van for an hour with my hand on the glove box."
    assert len(words(reply)) > LONGEST
    assert [one.text for one in whole_sentences(reply, 1)] == [reply.rstrip(".")]
    assert any(echo.text.startswith("You went down the ladder") for echo in told_back(whole_sentences(reply, 1), reply))


def test_all_of_what_was_felt_is_given_back_or_nothing() -> None:
    assert felt_back("I was angry at the mats.") == "You felt angry."
    both = "I was angry at the mats. Under it I was disappointed, because I'd bought new shoes."
    assert felt_back(both) == "Angry, and disappointed."
    assert felt_back("I was angry, and I was furious.") == "You felt angry."
    assert felt_back("My wife was angry. I felt scared.") == ""
    assert felt_back("I came home and my wife was angry.") == ""
    assert felt_back("I came home to my wife, and I was angry.") == "You felt angry."
    assert felt_back("It was shame, all up my neck.") == "You felt ashamed."
    assert felt_back("I was angry at the mats. I wasn't disappointed.") == ""
    assert felt_back("I was angry, sad, ashamed and so scared.") == ""


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
