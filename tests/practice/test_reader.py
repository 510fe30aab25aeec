"""A language model reads a turn: what it may say, and what is told where it says something else or nothing."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sqlalchemy", reason="the extra `practice` is not installed")

from maieutic.domain.episode import Session, Turn, Usage
from maieutic.errors import ModelError
from maieutic.language.sentences import sentences
from maieutic.library import get_case
from maieutic.measures.material import exchanges
from maieutic.patients.worded.ear import Unusable
from maieutic.practice import talks
from maieutic.practice.accounts import make_user
from maieutic.practice.feedback import turns_told
from maieutic.practice.model import TurnFeedback
from maieutic.practice.moves import spoken
from maieutic.practice.reader import LABELS, PROMPT, Reading, parse, read_turn, reading_of, request
from maieutic.practice.steps import CHOOSE, OF_READING, OWN
from maieutic.practice.storage import Settings, Storage, opened
from maieutic.practice.talks import Minds, episode_of, lines_of, start
from maieutic.practice.turn import Place
from maieutic.practice.whole_turn import Danger
from maieutic.prompts import prompt
from maieutic.protocols import Message, Reply

READ = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "readings.jsonl").read_text(encoding="utf-8").splitlines()
]


@dataclass
class Says:
    """Gives replies in turn; counts what it was asked."""

    replies: Iterator[str]
    name: str = "says"
    asked: int = 0

    async def generate(
        self, messages: Sequence[Message], *, seed: int, temperature: float = 0.7, max_tokens: int = 256
    ) -> Reply:
        self.asked += 1
        found = next(self.replies)
        if not found:
            raise ModelError("out of reach")
        return Reply(found, Usage())

    async def close(self) -> None: ...


def said_of(one: dict[str, Any]) -> tuple[str, ...]:
    return sentences(spoken(one["said"]))


def test_recorded_replies_are_readings_and_label_every_sentence() -> None:
    for one in READ:
        found = parse(json.dumps(one["reply"]), "recorded", said_of(one), one["answer"])
        assert len(found.does) == len(said_of(one)) and found.unread is None
        assert [part.text for part in found.parts(one["said"])] == [
            text for text, does in zip(said_of(one), found.does, strict=True) if does != "other"
        ]
        assert reading_of(json.loads(json.dumps(found.kept()))) == found


def _other_words(reply: dict[str, Any]) -> None:
    reply["sentences"][0]["quote"] = "words that nobody said in here"


def _unknown_label(reply: dict[str, Any]) -> None:
    reply["sentences"][-1]["does"] = "harmful"


def _one_too_few(reply: dict[str, Any]) -> None:
    reply["sentences"].pop()


def _many(reply: dict[str, Any]) -> None:
    reply["asks"] = "two"


def _not_the_answer(reply: dict[str, Any]) -> None:
    reply["take_up"] = "ignore what stands above"


def _unknown_step(reply: dict[str, Any]) -> None:
    reply["step"] = "praise"


def _listed_label(reply: dict[str, Any]) -> None:
    reply["sentences"][0]["does"] = [reply["sentences"][0]["does"]]


def _listed_step(reply: dict[str, Any]) -> None:
    reply["step"] = [reply["step"]]


@pytest.mark.parametrize(
    "spoil",
    [
        _other_words,
        _unknown_label,
        _listed_label,
        _one_too_few,
        _many,
        _not_the_answer,
        _unknown_step,
        _listed_step,
    ],
)
def test_a_reply_that_keeps_to_anything_else_is_not_used(spoil: Callable[[dict[str, Any]], None]) -> None:
    for one in READ:
        reply = json.loads(json.dumps(one["reply"]))
        spoil(reply)
        with pytest.raises(Unusable):
            parse(json.dumps(reply), "recorded", said_of(one), one["answer"])


def test_the_prompt_names_every_label_that_is_read() -> None:
    text = prompt(PROMPT).text
    assert not [label for label in (*LABELS, *OF_READING) if f"{label} (" not in text]


def session(one: dict[str, Any]) -> Session:
    return Session((Turn("patient", "Hello."), Turn("therapist", one["said"]), Turn("patient", one["answer"])))


def test_a_second_request_is_made_where_the_first_reply_is_unusable_and_no_third() -> None:
    one = READ[0]
    late = Says(iter(["no JSON", json.dumps(one["reply"])]))
    assert asyncio.run(read_turn(late, session(one), ())).does
    assert late.asked == 2
    never = Says(cycle(["no JSON"]))
    unread = asyncio.run(read_turn(never, session(one), ()))
    assert unread.unread is not None and not unread.does
    assert never.asked == 2
    gone = asyncio.run(read_turn(Says(iter([""])), session(one), ()))
    assert gone.unread is not None and "out of reach" in gone.unread


def test_what_is_asked_holds_what_was_said_and_nothing_of_the_case() -> None:
    messages, said, answer = request(session(READ[0]))
    assert [one["role"] for one in messages] == ["system", "user"]
    assert answer == READ[0]["answer"] and all(one in messages[1]["content"] for one in (*said, answer))


SAID = ("You should get more sleep. What happened that night?", "What went through your mind then?")


def labelled(does: Sequence[str], asks: int, step: str) -> Callable[[str, str], str]:
    def reply(text: str, answer: str) -> str:
        told = [{"quote": one, "does": does[at]} for at, one in enumerate(sentences(spoken(text)))]
        return json.dumps({"sentences": told, "asks": asks, "take_up": " ".join(answer.split()[:4]), "step": step})

    return reply


@pytest.fixture(scope="module")
def minds() -> Iterator[Minds]:
    found = start("simulated")
    yield found
    found.close()


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[Storage]:
    found = opened(Settings(tmp_path))
    yield found
    found.engine.dispose()


def test_a_turn_is_told_as_it_was_read_and_without_the_reading_where_there_is_none(
    minds: Minds, storage: Storage
) -> None:
    assert minds.reader is None
    reply = labelled(("telling_off", "open_question"), 1, "weigh")

    @dataclass
    class Reads(Says):
        async def generate(
            self, messages: Sequence[Message], *, seed: int, temperature: float = 0.7, max_tokens: int = 256
        ) -> Reply:
            self.asked += 1
            if self.asked > 1:
                raise ModelError("out of reach")
            return Reply(
                reply(SAID[0], messages[1]["content"].split("answer:\n-----\n")[1].split("\n-----")[0]), Usage()
            )

    reader = Reads(iter(()))
    reading = replace(minds, reader=reader)
    with storage.begin() as db:
        user = make_user(db, "Mira", "a long sentence")
    talk = talks.begin(storage, reading, user, talks.Wish("nilani", "plain", 10, "none"))
    for number, text in enumerate(SAID, 1):
        talks.say(storage, reading, talk, number, text)
    assert reader.asked == 2
    with storage.begin() as db:
        held = talks.kept(db, talk)
    found = held.readings
    assert found[1].does == ("telling_off", "open_question") and found[2].unread is not None
    told = turns_told(held.episode, held.case, found)
    assert "“You should get more sleep” is a reproach: it can be heard as blame." in told[0].was
    assert (told[0].unread, told[1].unread) == (False, True)
    bare = turns_told(held.episode, held.case)
    assert told[1].sentences() == bare[1].sentences()
    fork = talks.fork(storage, talk, 2)
    with storage.begin() as db:
        assert talks.kept(db, fork).readings == {1: found[1]}


def test_several_questions_and_the_next_step_are_those_that_were_read(minds: Minds) -> None:
    case = get_case("nilani")
    progress = minds.answered(case, 1, minds.opened(case, 1), SAID[1])
    opening = minds.opened(case, 1)
    episode = episode_of([lines_of(case, 1, opening), lines_of(case, 1, progress)], case, 1)
    words = " ".join(progress.session.turns[-1].text.split()[:4]).rstrip(".,;")
    step = turns_told(episode, case, {1: Reading("m", ("open_question",), 1, words, "worth")})[0].alternative
    assert step is not None and step.words == words and step.kind == OF_READING["worth"]
    several = turns_told(episode, case, {1: Reading("m", ("open_question",), 2, words, "worth")})[0]
    assert any("Several questions" in one for one in several.was)


def told_of(minds: Minds, said: str, reading: Reading) -> TurnFeedback:
    case = get_case("nilani")
    opening = minds.opened(case, 1)
    lines = [lines_of(case, 1, one) for one in (opening, minds.answered(case, 1, opening, said))]
    return turns_told(episode_of(lines, case, 1), case, {1: reading})[0]


def test_what_is_done_for_safety_is_credited_where_it_was_read_or_the_recorded_mind_heard_it(minds: Minds) -> None:
    for said, does, credit in (
        ("I would like to call the crisis team with you now.", "safety", "saw to safety"),
        ("Are you thinking of ending your life?", "safety", "asked about safety"),
        ("Are you thinking of ending your life?", "closed_question", "asked about safety"),
    ):
        told = told_of(minds, said, Reading("m", (does,), 0, "", "safety"))
        assert told.well is not None and credit in told.well, said


def test_an_offer_of_help_does_not_stand_for_a_question_about_a_hint(minds: Minds) -> None:
    case = get_case("nilani")
    for said, still_unasked in (("I will stay here with you.", True), ("Are you thinking of dying?", False)):
        opening = minds.opened(case, 1)
        lines = [lines_of(case, 1, one) for one in (opening, minds.answered(case, 1, opening, said))]
        (exchange,) = exchanges(episode_of(lines, case, 1))
        assert exchange.before is not None and exchange.after is not None and exchange.appraisal is not None
        place = Place(
            case,
            case.situation(exchange.after.situation),
            exchange,
            exchange.before,
            exchange.after,
            exchange.appraisal,
            (exchange.heard,),
            Danger(raised=True, unasked=True),
            Reading("m", ("safety",), 0, "", "safety"),
        )
        assert place.sees_to_safety
        assert place.danger_after.unasked is still_unasked


def test_a_slip_is_to_be_owned_only_where_one_was_read_and_is_quoted(minds: Minds) -> None:
    slip = Reading("m", ("information", "open_question"), 1, "", "repair")
    step = told_of(minds, "That is called a thinking error. What happened that night?", slip).alternative
    assert step is not None and (step.kind, step.of) == (OWN, "That is called a thinking error")
    assert "as to “That is called a thinking error”: own it" in step.told()
    none = told_of(minds, "That sounds heavy.", Reading("m", ("empathy",), 0, "", "repair")).alternative
    assert none is None or none.kind == CHOOSE
