"""A model for the patient's ears: a right answer counts behind the gate, anything else falls back and says so."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from maieutic.dialogue import converse
from maieutic.domain.appraisal import Appraisal, FeelingClaim, Reach, Slot
from maieutic.domain.case import Case
from maieutic.domain.episode import Session, Usage
from maieutic.errors import ModelError
from maieutic.library import get_case
from maieutic.models.scripted import ScriptedModel
from maieutic.patients.comprehension import Comprehension
from maieutic.patients.llm_comprehension import STRENGTH, LLMComprehension, Reading, Unreadable, parse
from maieutic.patients.model_read import ModelReadPatient, make_model_read
from maieutic.protocols import Message, Reply
from maieutic.reading.minilm import MiniLM
from maieutic.registry import resolve
from talks import Speaker, WordHashes, make_patient, make_talk, session_of

FACT = "dewi-rings"
OBLIQUE = "And when the phone goes of an evening, what is it they want from you?"
ADVICE = "You should ring Dewi back, he clearly thinks a lot of you."
GOOD: dict[str, Any] = {
    "about": FACT, "form": "one", "manner": "asks", "scope": "pointed", "leading": False, "feelings": [], "fit": 0.0,
}  # fmt: skip


def answer(**changes: Any) -> str:
    return json.dumps({**GOOD, **changes})


def saying(*replies: str | Exception) -> ScriptedModel:
    """A model that gives the replies in order of its drafts; an exception is raised."""

    def reply(messages: Sequence[Message], seed: int) -> str:
        chosen = replies[min(sum(m["role"] == "assistant" for m in messages), len(replies) - 1)]
        if isinstance(chosen, Exception):
            raise chosen
        return chosen

    return ScriptedModel(reply)


class Hanging(ScriptedModel):
    """Never answers."""

    def __init__(self) -> None:
        super().__init__(["never heard"])

    async def generate(
        self, messages: Sequence[Message], *, seed: int, temperature: float = 0.7, max_tokens: int = 256
    ) -> Reply:
        await asyncio.Event().wait()
        raise AssertionError("unreachable")


@pytest.fixture(scope="module")
def usual(embed: MiniLM) -> Comprehension:
    case = get_case("gethin")
    return Comprehension.of(case, case.situations[0], embed)


Read = Callable[..., Appraisal]


@pytest.fixture(scope="module")
def read(usual: Comprehension) -> Read:
    def heard(text: str, *replies: str | Exception, **more: Any) -> Appraisal:
        reading = LLMComprehension(get_case("gethin"), usual, saying(*replies), **more)
        return asyncio.run(reading(session_of("It's the job centre again.", text)))

    return heard


def test_a_right_answer_reaches_what_the_embedded_reading_misses(read: Read, usual: Comprehension) -> None:
    assert usual(session_of("It's the job centre again.", OBLIQUE)).reaches == ()
    heard = read(OBLIQUE, answer())
    assert heard.reaches == (Reach(FACT, STRENGTH),)
    assert (heard.questions, heard.leading, heard.wide, heard.stacked) == (1, False, False, False)
    assert heard.by == "model scripted"


def test_the_model_may_say_that_nothing_is_asked_for(read: Read, usual: Comprehension) -> None:
    asked = usual.situation.evidence[2].asks[0]
    assert usual.situation.evidence[2].id == FACT
    assert [r.evidence for r in usual(session_of("It's the job centre again.", asked)).reaches] == [FACT]
    assert read(asked, answer(about="none")).reaches == ()
    same = read(asked, answer())
    assert same.reaches == usual(session_of("It's the job centre again.", asked)).reaches


@pytest.mark.parametrize(
    "text",
    [
        ADVICE,
        "Dewi rings because he values you.",
        "What of Dewi, Idris, April, the presses, the apprentices, the diary?",
        "Isn't it obvious that Dewi thinks highly of you?",
        "Why don't you ring Dewi?",
    ],
)
def test_advice_telling_piles_and_leading_never_reach_whatever_the_model_says(read: Read, text: str) -> None:
    heard = read(text, answer())
    assert heard.by == "model scripted"
    assert heard.reaches == ()
    assert not read(text, answer(about="none", scope="wide")).wide


@pytest.mark.parametrize("changes", [{"manner": "tells"}, {"form": "pile"}, {"form": "none"}, {"leading": True}])
def test_what_the_model_takes_for_telling_a_pile_or_leading_reaches_nothing(
    read: Read, changes: dict[str, Any]
) -> None:
    assert read(OBLIQUE, answer(**changes)).reaches == ()
    assert read(OBLIQUE, answer(**changes)).by == "model scripted"


def test_form_scope_belief_and_leading_come_from_the_model(read: Read) -> None:
    assert read(OBLIQUE, answer(form="pile")).questions == 3
    assert read(OBLIQUE, answer(form="several")).stacked
    assert read(OBLIQUE, answer(leading=True)).leading
    assert read(OBLIQUE, answer(about="none", scope="wide")).wide
    assert read("And at that point, with the form in front of you?", answer(about="hot_thought")).asks == (
        Slot.THOUGHT,
    )


def test_feelings_are_the_models_and_their_truth_is_the_cases(read: Read) -> None:
    true, wrong = {"group": "ashamed", "tentative": False}, {"group": "jealous", "tentative": False}
    heard = read("So that was a hard day, there, at the desk.", answer(about="none", feelings=[true], fit=0.9))
    assert heard.claims == (FeelingClaim("ashamed", False, True, False),)
    assert heard.fit == 0.9
    heard = read("So that was a hard day, there, at the desk.", answer(about="none", feelings=[true, wrong], fit=0.9))
    assert [c.true for c in heard.claims] == [True, False]
    assert heard.fit == 0.0
    assert read("So that was a hard day.", answer(about="none", fit=1)).fit == 0.7


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("The turn asks about Dewi.", "gave no JSON object"),
        ("", "gave no JSON object"),
        (f"[{answer()}]", "gave no JSON object"),
        (f"Sure! {answer()}", "gave no JSON object"),
        (answer(about="dewi"), "named an unknown fact: dewi"),
        (answer(about=None), "named an unknown fact: None"),
        (answer(about=[FACT]), "named an unknown fact"),
        (json.dumps({k: v for k, v in GOOD.items() if k not in ("fit", "scope")}), "left out a field: scope, fit"),
        (answer(form="two"), "gave a value that is not allowed: form"),
        (answer(form=["one"]), "gave a value that is not allowed: form"),
        (answer(leading="no"), "gave a value that is not allowed: leading"),
        (answer(fit=1.2), "gave a value that is not allowed: fit"),
        (answer(fit=True), "gave a value that is not allowed: fit"),
        (answer(feelings=["sad"]), "gave a value that is not allowed: feelings"),
        (answer(feelings=[{"group": "glad", "tentative": True}]), "gave a value that is not allowed: feelings"),
        (answer(feelings=[{"group": ["sad"], "tentative": True}]), "gave a value that is not allowed: feelings"),
    ],
)
def test_an_unreadable_reply_falls_back_with_the_reason(read: Read, usual: Comprehension, reply: str, why: str) -> None:
    heard = read(OBLIQUE, reply)
    assert heard.by is not None
    assert heard.by.startswith(f"embedded, because the model {why}")
    plain = usual(session_of("It's the job centre again.", OBLIQUE))
    assert plain.by is None
    assert {n: getattr(heard, n) for n in Appraisal.__slots__ if n != "by"} == {
        n: getattr(plain, n) for n in Appraisal.__slots__ if n != "by"
    }


def test_a_bad_reply_is_asked_for_again_with_the_fault_and_only_so_often(usual: Comprehension) -> None:
    shown: list[Sequence[Message]] = []

    def reply(messages: Sequence[Message], seed: int) -> str:
        shown.append(messages)
        return "no" if len(shown) == 1 else answer()

    reading = LLMComprehension(get_case("gethin"), usual, ScriptedModel(reply))
    heard, spent = asyncio.run(reading.read(session_of("So.", OBLIQUE)))
    assert heard.by == "model scripted"
    assert spent == Usage(2)
    assert "gave no JSON object" in shown[1][-1]["content"]
    for drafts in (1, 2, 4):
        shown.clear()
        never = LLMComprehension(
            get_case("gethin"), usual, ScriptedModel(lambda m, s: shown.append(m) or "no"), drafts=drafts
        )
        asyncio.run(never.read(session_of("So.", OBLIQUE)))
        assert len(shown) == drafts


def test_a_model_that_fails_or_hangs_is_not_waited_for(read: Read, usual: Comprehension) -> None:
    heard = read(OBLIQUE, ModelError("the line is dead"))
    assert heard.by == "embedded, because the model failed: the line is dead"
    reading = LLMComprehension(get_case("gethin"), usual, Hanging(), limit=0.05)
    heard = asyncio.run(reading(session_of("So.", OBLIQUE)))
    assert heard.by == "embedded, because the model gave no answer in time: 0.05 s"
    assert heard.reaches == ()


@pytest.mark.parametrize("text", ["", "   ", "你当时心里在想什么？后来发生了什么事情？", "What about Dewi? " * 7000])
def test_turns_that_nobody_can_read_never_reach_the_model(read: Read, text: str) -> None:
    heard = read(text, AssertionError("the model was asked"))
    assert heard.by is not None
    assert heard.by.startswith("embedded, because the turn")
    assert heard.reaches == ()


def test_the_model_sees_facts_beliefs_and_two_turns_before_and_no_more(usual: Comprehension) -> None:
    shown: list[str] = []
    model = ScriptedModel(lambda m, s: shown.append(m[-1]["content"]) or answer())
    talk = session_of(
        "First words.", "An early question?", "Second words.", "A later question?", "Third words.", OBLIQUE
    )
    asyncio.run(LLMComprehension(get_case("gethin"), usual, model)(talk))
    (text,) = shown
    for fact in usual.situation.evidence:
        assert f"- {fact.id}: {fact.fact}" in text
        assert all(topic in text for topic in fact.topics)
    assert usual.situation.automatic_thought in text
    assert "A later question?" in text
    assert "Third words." in text
    assert OBLIQUE in text
    assert "Second words." not in text
    assert get_case("gethin").history not in text


def test_a_fence_is_taken_off_and_the_fields_are_those_of_the_prompt() -> None:
    facts = frozenset({FACT})
    expected = Reading(FACT, "one", "asks", "pointed", False, (), 0.0)
    assert parse(f"```json\n{answer()}\n```", facts) == expected
    assert parse(answer(why="it names him"), facts) == expected
    with pytest.raises(Unreadable):
        parse(answer(), frozenset({"another"}))


def patient(model: Any, case: Case | None = None) -> ModelReadPatient:
    chosen = case or get_case("gethin")
    return make_model_read(chosen, chosen.situations[0].id, embed=WordHashes(), model=model)


def test_it_is_registered_by_name_and_needs_a_model() -> None:
    make, model = resolve("patient", "simulated+llm:scripted")
    assert make is make_model_read
    assert model is not None
    assert patient(model).name == "simulated+llm:scripted"


def test_a_session_records_who_read_each_turn_and_what_it_cost() -> None:
    replies = iter([answer(about="none"), "no", "no", answer(about="none")])
    episode = asyncio.run(converse(make_talk(Speaker(), patient(ScriptedModel(lambda m, s: next(replies))), turns=3)))
    readers = [a.by for a in episode.appraisals if a is not None]
    assert readers == ["model scripted", "embedded, because the model gave no JSON object", "model scripted"]
    opening, *answers = episode.session.by("patient")
    assert (opening.trace, opening.usage) == (None, None)
    assert [(t.trace or {})["comprehension"] for t in answers] == readers
    assert [t.usage for t in answers] == [Usage(1), Usage(2), Usage(1)]


def test_a_model_that_always_fails_leaves_the_mind_as_the_embedded_reading_does() -> None:
    one = asyncio.run(converse(make_talk(Speaker(), make_patient(), turns=6)))
    two = asyncio.run(converse(make_talk(Speaker(), patient(saying(ModelError("gone"))), turns=6)))
    assert one.states == two.states
    assert [t.text for t in one.session.turns] == [t.text for t in two.session.turns]
    assert all(a is not None and a.by == "embedded, because the model failed: gone" for a in two.appraisals)


def test_the_therapist_is_shown_nothing_of_it() -> None:
    speaker = Speaker()
    asyncio.run(converse(make_talk(speaker, patient(saying(answer())), turns=4)))
    assert len(speaker.shown) == 4
    assert all(turn.trace is None for session in speaker.shown for turn in session.by("patient"))


def test_one_seed_gives_one_session_and_the_seed_hangs_on_no_therapist() -> None:
    def play(name: str) -> tuple[Any, list[int]]:
        seeds: list[int] = []
        model = ScriptedModel(lambda m, s: seeds.append(s) or answer(about=FACT if s % 2 else "none"))
        return asyncio.run(converse(make_talk(Speaker(name), patient(model), turns=6))), seeds

    (one, seeds), (two, again), (_, other) = play("speaker"), play("speaker"), play("another")
    assert (one, seeds) == (two, again)
    assert len(set(seeds)) == 6
    assert seeds == other


def test_it_reads_where_the_session_ends_with_a_patient_turn(usual: Comprehension) -> None:
    talk = session_of("So.", OBLIQUE, "Hm.")
    shown: list[str] = []
    model = ScriptedModel(lambda m, s: shown.append(m[-1]["content"]) or answer())
    assert isinstance(talk, Session)
    assert asyncio.run(LLMComprehension(get_case("gethin"), usual, model)(talk)).reaches
    assert shown[0].endswith(f"-----\n{OBLIQUE}\n-----")
