"""Questions about the patient's own last words and about the talk are answered from there, and turning away fits what
was asked."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from maieutic.domain.appraisal import Appraisal, Follows, QuestionForm
from maieutic.domain.codes import Move, TurnCode
from maieutic.domain.episode import Session, Turn
from maieutic.domain.state import Act, CognitiveState, Intent, Voiced
from maieutic.library import case_ids, get_case
from maieutic.patients.comprehension import Comprehension
from maieutic.patients.dynamics import Mind, transition
from maieutic.patients.ear import well_formed
from maieutic.patients.intent import with_intent
from maieutic.patients.kernel import first_state
from maieutic.patients.template_voice import EVERY_LINE, say, short, withheld
from maieutic.reading.minilm import shared_minilm

CASE = get_case("gethin")
MIND = Mind(CASE, CASE.situations[0])
OPEN = replace(
    first_state(CASE, MIND.situation, Random(3)), openness=0.9, disclosed=("situation", "thought", "feeling")
)
AGAINST = next(fact for fact in MIND.situation.evidence if fact.bearing == "against")


def asked(**heard: object) -> Appraisal:
    return Appraisal(questions=1, open=True, **heard)  # type: ignore[arg-type]


def decide(state: CognitiveState, appraisal: Appraisal) -> CognitiveState:
    return with_intent(MIND, state, state, None, appraisal, Random(1))


def voice(state: CognitiveState, *said: str) -> str:
    return say(CASE, MIND.situation, Session(tuple(Turn("patient", text) for text in said)), state, Random(0))


def heard(turn: str, before: str) -> Appraisal:
    earlier = (Turn("patient", "It's been a long week."), Turn("therapist", "What makes it long?")) * 3
    session = Session((*earlier, Turn("patient", before), Turn("therapist", turn)))
    return Comprehension.of(CASE, MIND.situation, shared_minilm())(session)


@pytest.mark.parametrize(
    ("turn", "follows"),
    [
        ("What do you mean by that?", Follows.MEANING),
        ('"Like a lodger." How do you mean that?', Follows.MEANING),
        ("That sounds important. Can you tell me a bit more about it?", Follows.MORE),
        ("So you sit there like a lodger in your own house. Have I got that right?", Follows.SUMMARY),
        ("We have to stop in a moment. What do you take away from today?", Follows.TAKE_AWAY),
        ("That isn't quite what I was asking. Let me try again.", Follows.BESIDE),
        ("What did the adviser say to you?", None),
        ("Have you seen that adviser before, or was she new?", None),
        ("How did it feel, sitting there?", None),
        ("What speaks against that thought?", None),
        ("You should get out more.", None),
    ],
)
def test_what_is_asked_of_the_last_words_is_heard(turn: str, follows: Follows | None) -> None:
    found = heard(turn, "I sit in the kitchen like a lodger in my own house.")
    assert found.follows is follows
    if follows in (Follows.MEANING, Follows.TAKE_AWAY, Follows.BESIDE):
        assert not (found.reaches or found.near or found.wide)


def test_what_was_meant_is_told_from_what_was_just_said() -> None:
    assert CASE.memory is not None
    briefly = 0
    for fact in (one.id for one in MIND.situation.evidence):
        voiced = (Voiced(fact, "patient", 1, 0.9),)
        state = replace(OPEN, intent=Intent(Act.EVIDENCE, fact), told=(fact,), voiced=voiced)
        now = decide(state, asked(follows=Follows.MEANING))
        if now.intent.unit is not None:
            unit = CASE.memory.unit(now.intent.unit)
            beside = {one.id for one in CASE.memory.units if fact in one.links}
            assert now.intent.act is Act.ANSWER and unit.id in beside
            continue
        talk = CASE.memory.fact(fact)
        assert talk is not None
        assert now.intent == Intent(Act.MEANT, fact)
        assert talk.again in voice(now)
        briefly += 1
    assert briefly
    thought = replace(OPEN, intent=Intent(Act.THOUGHT))
    assert decide(thought, asked(follows=Follows.MEANING)).intent.act is Act.THOUGHT


def test_more_is_told_of_what_lies_next_to_it() -> None:
    assert CASE.memory is not None
    units = CASE.memory.within(MIND.situation.id)
    found = 0
    for unit in units:
        state = replace(OPEN, intent=Intent(Act.ANSWER, unit=unit.id), told=(unit.id,))
        intent = decide(state, asked(follows=Follows.MORE)).intent
        if intent.act is Act.ANSWER:
            told = CASE.memory.unit(str(intent.unit))
            assert told.id in unit.links or unit.id in told.links
            found += 1
        else:
            assert intent == Intent(Act.MEANT, unit=unit.id)
    assert found > len(units) / 4


def test_what_is_taken_away_is_what_this_session_did_and_claims_no_change() -> None:
    ask = asked(follows=Follows.TAKE_AWAY)
    empty = decide(OPEN, ask)
    assert empty.intent == Intent(Act.TAKE_AWAY)
    told = replace(OPEN, told=(AGAINST.id,), voiced=(Voiced(AGAINST.id, "patient", 1, 0.9),))
    assert CASE.memory is not None
    talk = CASE.memory.fact(AGAINST.id)
    assert talk is not None
    unchanged, changed = decide(told, ask), decide(replace(told, held=20.0), ask)
    assert unchanged.intent == changed.intent == Intent(Act.TAKE_AWAY, AGAINST.id)
    assert talk.again in voice(unchanged) and talk.again in voice(changed)
    assert voice(unchanged) != voice(changed)
    assert decide(replace(told, insight=1.0), ask).intent.act is Act.INSIGHT
    assert all(line not in {voice(empty), voice(unchanged)} for line in CASE.phrasings.hopes)


def test_it_moves_nothing() -> None:
    for follows in (Follows.MEANING, Follows.TAKE_AWAY, Follows.BESIDE):
        plain = transition(MIND, OPEN, None, asked(), Random(5))
        assert transition(MIND, OPEN, None, asked(follows=follows), Random(5)) == plain


def test_a_hint_of_danger_that_is_asked_about_is_told() -> None:
    case = get_case("hester")
    mind = Mind(case, case.situations[0])
    state = replace(first_state(case, mind.situation, Random(3)), openness=0.6, intent=Intent(Act.RISK_HINT))
    now = with_intent(mind, state, state, None, asked(follows=Follows.MEANING), Random(1))
    assert now.intent.act is Act.RISK_DISCLOSURE


@pytest.mark.parametrize("form", list(QuestionForm))
def test_turning_away_fits_what_was_asked_and_is_never_said_twice(form: QuestionForm) -> None:
    if form is QuestionForm.RISK:
        assert not withheld(form, "plain") and not short(form)  # danger has its own answers
        return
    for style, act, lines in (
        ("plain", Act.DEFLECT, withheld(form, "plain")),
        ("upset", Act.DEFLECT, withheld(form, "upset")),
        ("plain", Act.NOT_KNOWING, short(form)),
    ):
        case = CASE.model_copy(update={"style": style})
        said: list[str] = []
        for seed in range(8):
            session = Session(tuple(Turn("patient", text) for text in said))
            said.append(say(case, MIND.situation, session, replace(OPEN, intent=Intent(act, form=form)), Random(seed)))
        assert lines and any(line in said[0] for line in lines)
        assert len(set(said)) == len(said)


def test_what_a_model_reworded_is_not_decided_again() -> None:
    state = replace(OPEN, intent=Intent(Act.DEFLECT, form=QuestionForm.WHO))
    said: list[Turn] = []
    for seed in range(3):
        line = say(CASE, MIND.situation, Session(tuple(said)), state, Random(seed))
        said.append(Turn("patient", f"In other words, {seed}.", trace={"decided": line}))
    assert len({str((turn.trace or {})["decided"]) for turn in said}) == 3


def test_long_natural_speech_reaches_and_a_pile_does_not() -> None:
    natural = (
        "When you sat there at the desk, with that form in front of you, and she had asked what you had been doing "
        "with yourself, quite brightly as you say, what was it that went through your mind just then, do you think?"
    )
    assert natural.count(",") > 3 and well_formed(natural)
    assert not well_formed("the form, the desk, the adviser, the letters, or the bus?")


def test_lines_of_turning_away_are_no_lines_of_a_case() -> None:
    for name in case_ids("dev")[:10]:
        own = get_case(name).phrasings
        assert not set(EVERY_LINE) & {*own.deflecting, *own.not_knowing, *own.resisting}


def test_a_tangent_waits_where_the_last_words_or_the_talk_are_asked_about() -> None:
    case = CASE.model_copy(update={"style": "tangent"})
    mind = Mind(case, case.situations[0])

    def strays(**heard: object) -> int:
        acts = [with_intent(mind, OPEN, OPEN, None, asked(**heard), Random(n)).intent.act for n in range(200)]
        return acts.count(Act.TANGENT)

    assert strays(follows=Follows.MEANING) == 0
    assert 0 < strays(unit="fleece") < strays() / 2


def test_nobody_gives_way_where_only_the_last_words_were_asked_about() -> None:
    case = CASE.model_copy(update={"style": "pleasing"})
    mind, push = Mind(case, case.situations[0]), asked(leading=True, content=True)
    code = TurnCode({Move.CHALLENGE: 0.95}, 8)
    assert with_intent(mind, OPEN, OPEN, code, push, Random(1)).intent.act is Act.AGREE
    heard_again = replace(push, follows=Follows.SUMMARY)
    assert with_intent(mind, OPEN, OPEN, code, heard_again, Random(1)).intent.act is not Act.AGREE
