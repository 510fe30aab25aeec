import pytest

from maieutic.domain.episode import Session, Turn
from maieutic.therapists.agent.recalling import asked_back
from maieutic.therapists.agent.steps import Step
from maieutic.therapists.socratic import make_socratic

TOLD = (
    "I've been sleeping badly since my brother Owen moved to Leeds in March.",
    "My manager, Priya, said I'd be let go if I missed another shift. I keep thinking I'm useless.",
    "I used to play the trumpet in a brass band every Thursday.",
    "We have an old beagle called Biscuit and he is the only one who is glad to see me.",
)


def talk(*last: str) -> Session:
    session = Session((), 3)
    for text in TOLD:
        session = session + Turn("patient", text) + Turn("therapist", "Go on.")
    for text in last:
        session = session + Turn("patient", text)
    return session


@pytest.mark.parametrize(
    ("asked", "held"),
    [
        ("Do you remember what my dog is called?", "Biscuit"),
        ("You forgot what instrument I play, didn't you?", "trumpet"),
        ("Do you know what my manager said to me? I did tell you.", "Priya"),
        ("Before we go on, which day does my band play? I told you that.", "Thursday"),
    ],
)
async def test_a_question_for_what_was_told_is_answered_in_the_patients_own_words(asked: str, held: str):
    turn = await make_socratic().respond(talk(asked))
    assert turn.trace is not None
    assert turn.trace["step"] == Step.RECALL.value
    assert held in turn.text


async def test_what_was_never_told_is_not_made_up():
    turn = await make_socratic().respond(talk("Do you remember my husband's name?"))
    assert turn.trace is not None
    assert turn.trace["step"] == Step.RECALL.value
    assert not any(name in turn.text for name in ("Owen", "Priya", "Biscuit"))


async def test_a_request_to_sum_up_gives_back_several_of_the_patients_sentences():
    session = talk("Can you sum up what I've told you so far?")
    found = asked_back(session)
    assert found is not None
    step, told, _ = found
    assert step is Step.RECAP
    assert told is not None
    assert sum(name in told for name in ("Owen", "Priya", "trumpet", "Biscuit")) >= 3


@pytest.mark.parametrize(
    "said",
    [
        "I don't remember what I told her about my job.",
        "Do you know why I am like this?",
        "I told you, what am I supposed to do?",
        "Can you believe I said that to my boss?",
        "To sum up, my week was awful.",
        "My boss wants a summary by Monday, you know.",
        "It all adds up to the same thing.",
        "Can you believe my boss wanted a summary by Monday?",
        "She said: give me a summary by Monday.",
        "What have you got to lose, he said.",
        "If I tell you what my father did to me, will you judge me?",
        "How can I tell you what my uncle did?",
        "I told you he hates me. What is my wife going to think?",
    ],
)
def test_other_turns_that_sound_alike_ask_for_nothing_back(said: str):
    assert asked_back(talk(said)) is None


@pytest.mark.parametrize(
    "asked", ["Sum up what I told you.", "Could we recap?", "Please summarise it so far.", "What do you know about me?"]
)
def test_a_summary_can_be_asked_for_in_other_words(asked: str):
    found = asked_back(talk(asked))
    assert found is not None
    assert found[0] is Step.RECAP


def test_long_sentences_are_shortened_for_a_summary_and_nothing_is_said_to_be_nothing():
    long = "So the thing that happened on that Sunday was that Marta came by with all of the boxes and left them in the hall without one word"
    found = asked_back(Session((Turn("patient", long), Turn("patient", "Can you sum it up?")), 1))
    assert found is not None
    assert found[1] is not None
    assert found[1].endswith("…”")
    empty = asked_back(Session((Turn("patient", "Well."), Turn("patient", "Can you sum it up?")), 1))
    assert empty == (Step.RECAP, None, "the patient asks for what was told so far")


def test_a_reminder_is_asked_for_without_a_question_mark():
    found = asked_back(talk("Please remind me what my dog is called."))
    assert found is not None
    assert found[1] is not None
    assert "Biscuit" in found[1]


async def test_a_question_about_suicide_that_was_answered_with_yes_goes_before_recall():
    agent = make_socratic()
    session = talk("I've given the cat away. They'd all be better off without me.")
    asked = await agent.respond(session)
    assert asked.trace is not None
    assert asked.trace["step"].startswith("risk_")
    turn = await agent.respond(
        session + asked + Turn("patient", "Yes, sometimes. Do you remember what my dog is called?")
    )
    assert turn.trace is not None
    assert turn.trace["step"].startswith("risk_") or turn.trace["step"] == "hand_over"


def test_nothing_can_be_asked_back_in_the_first_turn():
    assert asked_back(Session((Turn("patient", "Do you remember what my dog is called?"),), 1)) is None
