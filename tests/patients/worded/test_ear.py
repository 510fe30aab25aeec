"""A model for the patient's ear: it may open what the embedded ear missed, and nothing that is surely told or leads."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from maieutic.domain.appraisal import Appraisal, Follows, QuestionForm, Reach, Slot
from maieutic.domain.episode import Session, Turn, Usage
from maieutic.errors import ModelError
from maieutic.library import get_case
from maieutic.models.scripted import ScriptedModel
from maieutic.patients.comprehension import Comprehension
from maieutic.patients.worded.ear import STRENGTH, Ear, Heard, Named, Unusable, parse
from maieutic.protocols import Message
from maieutic.reading.minilm import MiniLM
from talks import session_of

FACT = "dewi-rings"
OBLIQUE = "And when the phone goes of an evening, what is it they want from you?"
QUOTE = "what is it they want from you"
ADVICE = "You should ring Dewi back, he clearly thinks a lot of you."
OPENING = "It's the job centre again."


def answer(**changes: Any) -> str:
    return json.dumps({"type": "what", "about": FACT, "quote": QUOTE} | changes)


@pytest.fixture(scope="module")
def usual(embed: MiniLM) -> Comprehension:
    case = get_case("gethin")
    return Comprehension.of(case, case.situations[0], embed)


Hear = Callable[..., Heard]


@pytest.fixture(scope="module")
def hear(usual: Comprehension) -> Hear:
    def heard(session: str | Session, *replies: str | Exception) -> Heard:
        waiting = list(replies)

        def reply(messages: Sequence[Message], seed: int) -> str:
            chosen = waiting.pop(0) if len(waiting) > 1 else waiting[0]
            if isinstance(chosen, Exception):
                raise chosen
            return chosen

        talk = session_of(OPENING, session) if isinstance(session, str) else session
        return asyncio.run(Ear(get_case("gethin"), usual, ScriptedModel(reply))(talk))

    return heard


def test_what_a_model_names_stands_above_a_bare_follow_up(usual: Comprehension, hear: Hear) -> None:
    memory = get_case("gethin").memory
    assert memory is not None
    follow_up = "What else was there to it?"
    told, bare, talk = next(
        (unit, bare, talk)
        for unit in memory.within(usual.situation.id)
        for talk in [
            Session(
                (
                    Turn("patient", OPENING),
                    Turn("therapist", unit.asks[0]),
                    Turn("patient", unit.said, trace={"told": [unit.id]}),
                    Turn("therapist", follow_up),
                )
            )
        ]
        for bare in [usual(talk)]
        if bare.follows is Follows.MORE and bare.next_to is not None
    )
    named = next(
        u.id for u in memory.within(usual.situation.id) if u.id not in {told.id, bare.next_to} and "what" in u.forms
    )
    found = hear(talk, answer(about=named, quote="What else")).appraisal
    assert (found.unit, found.follows, found.next_to, found.foreign, found.muddled) == (named, None, None, False, False)


def test_it_opens_a_reach_that_the_embedded_ear_misses(hear: Hear, usual: Comprehension) -> None:
    assert usual(session_of(OPENING, OBLIQUE)).reaches == ()
    heard = hear(OBLIQUE, answer())
    assert heard.appraisal.reaches == (Reach(FACT, STRENGTH),)
    assert (heard.appraisal.form, heard.appraisal.questions) == (QuestionForm.WHAT, 1)
    assert heard.appraisal.by == "model scripted"
    assert heard.named == Named(QuestionForm.WHAT, FACT, QUOTE)


def test_it_may_say_that_nothing_of_the_kind_is_asked(hear: Hear, usual: Comprehension) -> None:
    asked = usual.situation.fact(FACT).asks[0]
    assert [r.evidence for r in usual(session_of(OPENING, asked)).reaches] == [FACT]
    assert hear(asked, answer(type="none", about="none", quote="")).appraisal.reaches == ()
    assert hear(asked, answer(about="none", quote=asked)).appraisal.reaches == ()


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        (ADVICE, "ring Dewi back"),
        ("Dewi rings because he values you.", "Dewi rings"),
        ("Isn't it obvious that Dewi thinks highly of you?", "Isn't it obvious that Dewi thinks highly of you"),
        ("Don't you agree that Dewi only rings because he needs you?", "Don't you agree"),
        ("Dewi, Idris, April, presses, apprentices, diary?", "Dewi, Idris, April, presses, apprentices, diary"),
        ("What of Dewi? What of Idris? What about April? And the presses?", "What of Dewi"),
    ],
)
def test_advice_leading_and_piles_reach_nothing_whatever_it_says(hear: Hear, text: str, quote: str) -> None:
    heard = hear(text, answer(quote=quote)).appraisal
    assert heard.reaches == ()
    assert not hear(text, answer(type="against", about="none", quote=quote)).appraisal.reaches


def test_a_unit_is_heard_and_work_only_in_its_form(hear: Hear) -> None:
    text = "And the young woman with your file, who was that?"
    quote = "who was that"
    heard = hear(text, answer(type="who", about="adviser-lowri", quote=quote)).appraisal
    assert (heard.unit, heard.unclear, heard.wide) == ("adviser-lowri", False, False)
    assert heard.sure >= STRENGTH
    view = "And what would your daughter say to that?"
    work = {"about": "cmp-general", "quote": "what would your daughter say"}
    assert hear(view, answer(type="compare", **work)).appraisal.unit == "cmp-general"
    assert hear(view, answer(type="who", **work)).appraisal.unit is None


def test_a_fact_told_before_is_gone_back_to(hear: Hear) -> None:
    told = Turn("patient", "Dewi rings.", trace={"told": [FACT]})
    session = Session((Turn("patient", OPENING), Turn("therapist", "Who rings?"), told, Turn("therapist", OBLIQUE)))
    heard = hear(session, answer()).appraisal
    assert (heard.reaches, heard.again) == ((), FACT)


def test_wide_scale_and_risk(hear: Hear) -> None:
    text = "What is there that doesn't fit with this thought?"
    assert hear(text, answer(type="against", about="none", quote=text)).appraisal.wide
    assert hear(text, answer(type="scale", about="none", quote=text)).appraisal.asks == (Slot.CONVICTION,)
    asks = "Have you had thoughts of killing yourself?"
    for reply in (answer(type="none", about="none", quote=""), answer(type="yes_no", about="none", quote=asks)):
        assert Slot.RISK in hear(asks, reply).appraisal.asks


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("The turn asks about Dewi.", "is no JSON object"),
        ("", "is no JSON object"),
        (f"[{answer()}]", "is no JSON object"),
        (f"Sure! {answer()}", "is no JSON object"),
        (answer()[:-4], "is no JSON object"),
        (answer(about="dewi"), "names something that is not in the list: dewi"),
        (answer(about=None), "names something that is not in the list: None"),
        (answer(about=[FACT]), "names something that is not in the list"),
        (json.dumps({"type": "what"}), "leaves out a field: about, quote"),
        (answer(type="everything"), "names an unknown type: everything"),
        (answer(type=["what"]), "names an unknown type"),
        (answer(quote="what does Dewi want from you"), "quotes words that are not in the turn"),
        (answer(quote=""), "quotes words that are not in the turn"),
        (answer(quote=None), "quotes words that are not in the turn"),
        (answer(type="none"), "names something asked about"),
    ],
)
def test_an_unusable_reply_is_told_and_fails(hear: Hear, reply: str, why: str) -> None:
    with pytest.raises(ModelError, match="the patient's ear got nothing usable in 3 replies") as failure:
        hear(OBLIQUE, reply)
    assert why in str(failure.value)


def test_it_is_asked_again_with_the_fault(hear: Hear, usual: Comprehension) -> None:
    heard = hear(OBLIQUE, "no", answer(quote="Dewi"), answer())
    assert heard.appraisal.reaches
    assert heard.usage == Usage(3)
    assert [why.split(":")[0] for why in heard.refused] == [
        "is no JSON object",
        "quotes words that are not in the turn",
    ]


def test_a_model_that_fails_keeps_its_kind_of_failure(hear: Hear) -> None:
    with pytest.raises(ModelError, match="the patient's ear failed: the line is dead"):
        hear(OBLIQUE, ModelError("the line is dead"))


@pytest.mark.parametrize("text", ["", "   ", "你当时心里在想什么？后来发生了什么事情？", "What about Dewi? " * 7000])
def test_turns_that_nobody_can_read_never_reach_the_model(hear: Hear, text: str) -> None:
    heard = hear(text, AssertionError("the model was asked"))
    assert str(heard.appraisal.by).startswith("embedded, because the turn")
    assert heard.appraisal.reaches == ()


def test_it_is_shown_names_and_the_talk_and_no_more(usual: Comprehension) -> None:
    shown: list[Sequence[Message]] = []
    model = ScriptedModel(lambda m, s: shown.append(m) or answer())
    talk = session_of("First words.", "An early question?", "Second words.", "Later?", "Third words.", OBLIQUE)
    asyncio.run(Ear(get_case("gethin"), usual, model)(talk))
    ((system, user),) = shown
    assert all(f"- {fact.id}: {fact.fact}" in system["content"] for fact in usual.situation.evidence)
    assert get_case("gethin").history not in system["content"]
    memory = get_case("gethin").memory
    assert memory is not None
    assert all(unit.said not in system["content"] for unit in memory.units)
    assert "An early question?" in user["content"] and "Third words." in user["content"]
    assert "First words." not in user["content"]
    assert user["content"].endswith(f"-----\n{OBLIQUE}\n-----")


def test_a_fence_is_taken_off_and_marks_do_not_count() -> None:
    items = frozenset({FACT})
    expected = Named(QuestionForm.WHAT, FACT, "What is it, they want from you?!")
    assert parse(f"```json\n{answer(quote=expected.quote)}\n```", items, OBLIQUE) == expected
    with pytest.raises(Unusable):
        parse(answer(), frozenset({"another"}), OBLIQUE)


def test_what_else_a_turn_does_stays_with_the_embedded_reading(hear: Hear, usual: Comprehension) -> None:
    text = "You felt ashamed, sitting there. What is it they want from you?"
    heard, plain = hear(text, answer()).appraisal, usual(session_of(OPENING, text))
    for name in ("claims", "fit", "told", "summarised", "leading", "permission", "informs", "content", "tells", "risk"):
        assert getattr(heard, name) == getattr(plain, name), name
    assert isinstance(heard, Appraisal)
