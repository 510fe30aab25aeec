"""What is said after the stop and about people to turn to: a wrong reading of a reply does no harm there."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from maieutic.domain.episode import Session, Turn
from maieutic.safety.handover import HANDOVER, HANDOVERS
from maieutic.safety.kinds import Kind
from maieutic.therapists.risk.after_stop import DOES, does, is_near
from maieutic.therapists.risk.following import Protocol
from maieutic.therapists.risk.grades import Answer, Ask, Facet, RiskState
from maieutic.therapists.risk.protocol import Moment, next_ask
from maieutic.therapists.risk.signs import Signs, Thresholds, violent
from maieutic.therapists.risk.wording import lines, worded
from maieutic.therapists.socratic import SocraticTherapist
from talks import session_of

QUIET = Protocol(lambda text: (0.0, 0.0), Thresholds(0.9, 0.1, 0.05))
WATCHED = "She looks through everything I type on here."
ALONE = "It's only the wind here, and the clock in the hall."
SPOKEN_OF = (
    "He's a gentle soul, her grandfather.",
    "The girl's aunt wrote to me, a good woman.",
    "Bogdan drives the second lorry, he hums to himself and never swears.",
    "There were five of us on the shift, and two were new.",
)
SAY_NOTHING = (
    "I'd prefer not to say who.",
    "I'm not sure yet what to make of that.",
    "It might be one, it might be another.",
    "I'd have to find the words for it first.",
)


def stays(kind: Kind | None, *turns: str, before: str = "I can't go on with this.") -> str:
    """What is said after the hand-over of a kind, to the last of the patient's turns."""
    talk = session_of(before) + Turn("therapist", HANDOVER if kind is None else HANDOVERS[kind])
    said = ""
    for text in turns:
        talk = talk + Turn("patient", text)
        found = QUIET.read(talk).risk_turn(Moment(4))
        assert found is not None and found.ask is Ask.STAY
        said = found.text
        talk = talk + Turn("therapist", said)
    return said


@pytest.mark.parametrize("kind", [None, *Kind])
def test_only_who_is_in_danger_from_somebody_is_told_to_do_nothing_that_could_be_noticed(kind: Kind | None) -> None:
    assert does(WATCHED)[0] == "watched" and not violent(WATCHED)
    assert (stays(kind, WATCHED) in lines()["stay_watched"]) is (kind is Kind.VIOLENCE)


@pytest.mark.parametrize("text", SPOKEN_OF)
@pytest.mark.parametrize("kind", [Kind.SUICIDE, Kind.PSYCHOSIS])
def test_nobody_is_sent_to_somebody_who_was_only_spoken_of(text: str, kind: Kind) -> None:
    said = stays(kind, text)
    own = said.replace(text.rstrip("."), "")
    assert does(text)[0] not in ("person", "near")
    assert "them" not in own and "feel safe" in own


def test_whoever_they_could_go_to_is_taken_up_on_condition_that_they_feel_safe_there() -> None:
    assert "“I could go to my godmother's.” If you feel safe with them" in stays(
        Kind.SUICIDE, "I could go to my godmother's."
    )
    for key in ("stay_person", "stay_person_quoted", "stay_near", "risk_more_person", "risk_more_near"):
        assert all("feel safe" in form for form in lines()[key])


@pytest.mark.parametrize("text", SAY_NOTHING)
def test_what_says_nothing_is_answered_and_not_given_back(text: str) -> None:
    assert does(text)[1] == ""
    assert "“" not in stays(Kind.SUICIDE, text).replace("“I'm not safe by myself just now”", "")


def test_no_wording_gives_back_a_refusal() -> None:
    assert not {f"{key}_{what}_quoted" for key in ("stay", "risk_more") for what in ("refuses", "vague")} & set(lines())
    assert all({f"stay_{what}", f"met_{what}"} & set(lines()) for what in DOES if what != "takes_up")
    assert not {f"met_{what}_quoted" for what in ("refuses", "vague")} & set(lines())


@pytest.mark.parametrize(
    "before", ["My wife drove me here, she's waiting in the hall.", "My cousin is in the kitchen."]
)
def test_who_is_near_is_called_in_once_and_never_where_they_may_be_the_danger(before: str) -> None:
    near = lines()["stay_near"]
    assert is_near(before)
    assert stays(Kind.SUICIDE, "Leave me alone with that.", before=before) in near
    assert stays(Kind.SUICIDE, "Leave me alone with that.", "There's no point.", before=before) not in near
    for kind in (Kind.VIOLENCE, Kind.OTHERS):
        assert stays(kind, "Leave me alone with that.", before=before) not in near


@pytest.mark.parametrize(
    "text",
    [
        "I haven't slept for six nights and my head's going like a train. And what does my sister do? Takes my cards.",
        "I lay on the kitchen tiles all afternoon. And my flatmate hides the car keys from me.",
    ],
)
def test_somebody_whose_keys_are_taken_gets_no_words_on_violence(text: str) -> None:
    agent, talk = SocraticTherapist(), session_of(text)
    given = [*lines()["risk_safety_violence"], *lines()["risk_resources_violence"], HANDOVERS[Kind.VIOLENCE]]
    for answer in ("I can't tell you that.", "It all goes so fast, and I don't trust myself.", "Hm."):
        turn = asyncio.run(agent.respond(talk))
        assert not any(form in turn.text for form in given)
        talk = talk + turn + Turn("patient", answer)


def test_violence_that_is_told_plainly_keeps_its_own_words() -> None:
    told = "My husband said he'll kill me if I leave, and he hit me again on Friday."
    assert violent(told)
    talk, agent = session_of(told), SocraticTherapist()
    turn = asyncio.run(agent.respond(talk))
    assert turn.text == HANDOVERS[Kind.VIOLENCE] or turn.text in lines()["risk_safety_violence"]


def test_a_faint_sign_after_a_wish_is_asked_about_once() -> None:
    wish = RiskState().with_turn(Ask.ROUTINE).with_answer(Answer(frozenset({Facet.WISH})))
    over, dim = (
        wish.with_turn(Ask.HELP).with_turn(Ask.MORE).with_turn(Ask.RETURN),
        Signs(faint=True, dim=True, urgent=True),
    )

    def asked(state: RiskState, signs: Signs) -> Ask | None:
        found = next_ask(state, signs, Moment(12))
        return found[0] if found else None

    for state in (over, over.with_turn(Ask.FOLLOW), over.with_turn(Ask.FOLLOW).with_turn(None)):
        assert asked(state, dim) is Ask.CHANGED and asked(state, replace(dim, urgent=False)) is not Ask.CHANGED
        assert asked(state, Signs(faint=True)) is not Ask.CHANGED
    again = over.with_turn(Ask.CHANGED).with_answer(Answer(no=frozenset({Facet.INTENT})))
    assert asked(again, Signs()) is Ask.RETURN
    assert asked(again.with_turn(Ask.HELP).with_turn(Ask.MORE).with_turn(None), dim) is None
    assert worded(Ask.HELP, again, "", [], Session((), 1).generator("risk")) in lines()["risk_resources_again"]


def test_who_is_in_no_danger_is_thanked_unless_there_is_a_new_sign() -> None:
    no = Answer(no=frozenset({Facet.THOUGHTS}))
    denied = RiskState().with_turn(Ask.ROUTINE).with_answer(no)
    assert worded(Ask.SAFETY, denied, "", [], Session((), 1).generator("risk")) in lines()["risk_safety_after"]
    safe = Moment(6, safe=True)
    assert next_ask(denied.with_turn(Ask.SAFETY), Signs(), safe) == (
        Ask.THANKS,
        "nobody is in danger; that is believed",
    )
    told = Signs(flagged=True, some=True, told=True, anew=True)
    assert (next_ask(denied.with_turn(Ask.SAFETY), told, safe) or (None,))[0] is Ask.SIGN


def test_a_plain_yes_to_a_step_is_taken_up_and_made_sure_of() -> None:
    step = lines()["stay_step_place"][0]
    talk = session_of(ALONE) + Turn("therapist", HANDOVER) + Turn("patient", ALONE) + Turn("therapist", step)
    for yes in ("That's right, yes.", "Yes, I could do that."):
        found = QUIET.read(talk + Turn("patient", yes)).risk_turn(Moment(5))
        assert found is not None and found.text in lines()["stay_confirm"]


@pytest.mark.parametrize(
    ("answer", "ask"),
    [
        ("No, I'm not thinking of that.", Ask.STAY),
        ("Yes. I think of ending my life most nights.", Ask.HAND_OVER),
        ("The lift was out of order again.", Ask.STAY),
    ],
)
def test_suicide_that_was_not_answered_is_asked_about_after_a_stop_for_another_danger(answer: str, ask: Ask) -> None:
    talk = session_of(ALONE) + Turn("therapist", HANDOVERS[Kind.PSYCHOSIS])
    put: list[str] = []
    for _ in range(2):
        found = QUIET.read(talk + Turn("patient", ALONE)).risk_turn(Moment(4))
        assert found is not None and found.ask is Ask.STAY
        put.append(found.text)
        talk = talk + Turn("patient", ALONE) + Turn("therapist", found.text)
    forms = lines()["stay_suicide_psychosis"]
    assert [any(form in text for form in forms) for text in put] == [False, True]
    then = QUIET.read(talk + Turn("patient", answer)).risk_turn(Moment(6))
    assert then is not None and then.ask is ask
    again = any(form in then.text for form in forms)
    assert again is answer.startswith("The lift"), "once more where it was not answered, and then no more"
    assert (then.text == HANDOVERS[Kind.SUICIDE]) is (ask is Ask.HAND_OVER)


def test_suicide_is_not_asked_about_after_a_stop_where_it_was_denied_or_told() -> None:
    denied = session_of("I'm so tired of it.", lines()["risk_check"][0], "No, nothing like that.")
    told = session_of("I have the pills lined up, and tonight I'll take them.")
    keys = ("stay_suicide", "stay_unasked")
    for talk, kind in ((denied, Kind.PSYCHOSIS), (told, Kind.SUICIDE)):
        talk = talk + Turn("therapist", HANDOVERS[kind])
        for _ in range(4):
            found = QUIET.read(talk + Turn("patient", ALONE)).risk_turn(Moment(6))
            assert found is not None and not any(form in found.text for key in keys for form in lines()[key])
            talk = talk + Turn("patient", ALONE) + Turn("therapist", found.text)


@pytest.mark.parametrize("answer", ["No, it isn't that.", "Yes. I think of ending my life most nights."])
def test_suicide_is_asked_about_once_after_a_stop_on_signs_alone(answer: str) -> None:
    talk = session_of("On Thursdays I go round by the dam as well.") + Turn("therapist", HANDOVERS[Kind.SUICIDE])
    put = []
    for told in (ALONE, ALONE, answer, ALONE):
        found = QUIET.read(talk + Turn("patient", told)).risk_turn(Moment(6))
        assert found is not None and found.ask is Ask.STAY, "the stop was for suicide; it is not shown again"
        put.append(any(form in found.text for form in lines()["stay_unasked"]))
        talk = talk + Turn("patient", told) + Turn("therapist", found.text)
    assert put == [False, True, False, False]
