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
        "It all adds up to the same thing.",
    ],
)
def test_other_turns_that_sound_alike_ask_for_nothing_back(said: str):
    assert asked_back(talk(said)) is None


def test_nothing_can_be_asked_back_in_the_first_turn():
    assert asked_back(Session((Turn("patient", "Do you remember what my dog is called?"),), 1)) is None
