"""A model for the tracker's ear: a good answer moves the mind, anything else leaves the hearing missing, and risk stays with the heads."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from maieutic.dialogue import converse
from maieutic.domain.episode import Session, Turn, Usage
from maieutic.errors import InputError, ModelTimeout
from maieutic.models.scripted import ScriptedModel
from maieutic.prompts import prompt
from maieutic.protocols import Message, Reply
from maieutic.registry import load_therapist
from maieutic.therapists.socratic import SocraticTherapist
from maieutic.tracking.ear import EmbeddedEar
from maieutic.tracking.explaining import explained, hear_left_out
from maieutic.tracking.model_ear import SURE, ModelEar
from maieutic.tracking.shares import Unreadable, json_object, shares
from maieutic.tracking.space import BELIEFS, EMOTIONS, REPLIES
from maieutic.tracking.space import Reply as Kind
from maieutic.tracking.tables import packaged_tables
from maieutic.tracking.tracker import MindTracker
from talks import make_patient, make_talk, session_of

TABLES = packaged_tables()
GOOD: dict[str, Any] = {
    "reply": {"against": 0.8, "other": 0.2},
    "belief": {"incompetent": 0.6, "failure": 0.3, "other": 0.1},
    "emotion": {"ashamed": 0.7, "other": 0.3},
    "accurate": 0.1,
    "stated": 80,
    "named": ["ashamed"],
}
TALK = session_of("I left early and felt ashamed.", "What speaks against it?", "They asked me to train the new ones.")


def answering(answer: str, seen: list[Sequence[Message]] | None = None) -> ScriptedModel:
    def reply(messages: Sequence[Message], seed: int) -> str:
        if seen is not None:
            seen.append(messages)
        return answer

    return ScriptedModel(reply, name="m")


def mind_with(answer: str, seen: list[Sequence[Message]] | None = None) -> MindTracker:
    return MindTracker.packaged(model=answering(answer, seen))


async def test_a_good_answer_is_what_is_heard() -> None:
    mind = mind_with(json.dumps(GOOD))
    assert await mind.hear(TALK) == Usage(2)
    heard = mind.heard(TALK)
    assert heard.missing is None
    assert heard.replies.sum() == pytest.approx(1.0)
    assert heard.replies[REPLIES.index(Kind.AGAINST)] == pytest.approx(SURE * 0.8 + (1 - SURE) / 18)
    assert np.argmax(heard.category) == BELIEFS.index("incompetent")
    assert np.argmax(heard.emotion) == EMOTIONS.index("ashamed")
    assert heard.accurate < 0.0
    assert (heard.rating, heard.named) == (80.0, ("ashamed",))
    belief = mind.belief(TALK)
    place = BELIEFS.index("incompetent")
    assert belief.category[place] > 1.2 * mind.tables.category_start[place]
    assert belief.feelings == ("ashamed",)


async def test_risk_is_graded_by_the_heads_whatever_the_model_says() -> None:
    talk = session_of("I want to kill myself tonight, I have the pills here.")
    mind = mind_with(json.dumps({**GOOD, "reply": {"tells": 1.0}}))
    await mind.hear(talk)
    assert np.array_equal(mind.heard(talk).risk, mind.ear(talk).risk)
    assert mind.belief(talk).top("risk")[0] == "active"


WRONG = {
    "no JSON": ("They seem sad to me.", "gave no JSON object"),
    "empty": ("", "gave no JSON object"),
    "a list": ("[1, 2]", "gave no JSON object"),
    "cut off": (json.dumps(GOOD)[:60], "gave no JSON object"),
    "a field less": (json.dumps({k: v for k, v in GOOD.items() if k != "stated"}), "left out a field: stated"),
    "unknown belief": (json.dumps({**GOOD, "belief": {"sad": 1.0}}), "not listed under belief"),
    "unknown feeling": (json.dumps({**GOOD, "named": ["bored"]}), "not allowed: named"),
    "above one": (json.dumps({**GOOD, "accurate": 1.4}), "not allowed: accurate"),
    "a word": (json.dumps({**GOOD, "accurate": "high"}), "not allowed: accurate"),
    "true": (json.dumps({**GOOD, "stated": True}), "not allowed: stated"),
    "above a hundred": (json.dumps({**GOOD, "stated": 400}), "not allowed: stated"),
    "negative": (json.dumps({**GOOD, "emotion": {"sad": -0.2, "other": 1.0}}), "not allowed: emotion"),
    "does not add up": (json.dumps({**GOOD, "reply": {"tells": 0.4, "against": 0.2}}), "do not add up: reply"),
    "nothing shared out": (json.dumps({**GOOD, "belief": {}}), "not allowed: belief"),
    "NaN": (json.dumps({**GOOD, "accurate": float("nan")}), "gave no JSON object"),
}


@pytest.mark.parametrize(("answer", "why"), WRONG.values(), ids=WRONG)
async def test_what_cannot_be_read_is_missing_and_moves_nothing(answer: str, why: str) -> None:
    mind = mind_with(answer)
    await mind.hear(TALK)
    assert why in (mind.heard(TALK).missing or "")
    before, after = mind.belief(Session(TALK.turns[:2])), mind.belief(TALK)
    assert np.array_equal(before.category, after.category)
    assert np.array_equal(before.conviction, after.conviction)
    assert before.scales == after.scales
    assert (before.feelings, before.guarded, before.turn + 1) == (after.feelings, after.guarded, after.turn)


class Slow:
    name = "slow"

    async def generate(self, messages: Sequence[Message], **_: object) -> Reply:
        await asyncio.sleep(60)
        raise AssertionError("nobody waits so long")

    async def close(self) -> None: ...


class Broken:
    name = "broken"

    async def generate(self, messages: Sequence[Message], **_: object) -> Reply:
        raise ModelTimeout("no answer in 3 s")

    async def close(self) -> None: ...


async def test_a_model_that_is_slow_or_fails_leaves_the_hearing_missing() -> None:
    ear = MindTracker.packaged().ear
    assert isinstance(ear, EmbeddedEar)
    late, cost = await ModelEar(Slow(), ear, TABLES, limit=0.02).listen(TALK)
    assert (late.missing, cost) == ("gave no answer in time: 0.02 s", Usage(1))
    failed, _ = await ModelEar(Broken(), ear, TABLES).listen(TALK)
    assert failed.missing == "failed: no answer in 3 s"


async def test_every_prefix_is_asked_for_once_and_the_turn_is_shown_in_its_context() -> None:
    seen: list[Sequence[Message]] = []
    mind = mind_with(json.dumps(GOOD), seen)
    await mind.hear(TALK)
    await mind.hear(TALK)
    assert await mind.hear(Session(TALK.turns, seed=5)) == Usage()
    assert len(seen) == 2
    system, user = seen[1]
    assert system["content"] == prompt("tracker_ear").text
    assert "Therapist: What speaks against it?" in user["content"]
    assert "-----\nThey asked me to train the new ones.\n-----" in user["content"]
    assert all(kind.value in system["content"] for kind in REPLIES)
    assert all(name in user["content"] for name in (*BELIEFS, *EMOTIONS))
    again = TALK + Turn("therapist", "And then?") + Turn("patient", TALK.turns[2].text)
    await mind.hear(again)
    assert len(seen) == 3  # the same words at another place are another hearing


async def test_folding_before_listening_is_an_error_and_unreadable_turns_are_never_asked_for() -> None:
    seen: list[Sequence[Message]] = []
    mind = mind_with(json.dumps(GOOD), seen)
    with pytest.raises(LookupError, match=r"await tracker\.hear"):
        mind.belief(TALK)
    for text in ("", "  ", "¿Por qué me pregunta usted todo esto otra vez?"):
        await mind.hear(session_of(text))
        assert not mind.heard(session_of(text)).readable
    assert seen == []


async def test_the_words_that_moved_it_are_heard_one_by_one() -> None:
    talk = session_of("I left early, and I felt ashamed.")
    mind = mind_with(json.dumps(GOOD))
    spent = await mind.hear(talk) + await hear_left_out(talk, mind)
    assert spent == Usage(3)
    assert explained(talk, mind)


async def test_the_agent_listens_by_the_model_and_says_so() -> None:
    good = SocraticTherapist(listener=answering(json.dumps(GOOD)))
    said = await good.respond(TALK)
    assert said.trace is not None and said.trace["heard by"] == "m"
    assert said.usage == Usage(2)
    deaf = await SocraticTherapist(listener=answering("no idea")).respond(TALK)
    assert deaf.trace is not None and deaf.trace["heard by"] == "nobody: the model gave no JSON object"
    assert deaf.text
    assert "heard by" not in ((await SocraticTherapist().respond(TALK)).trace or {})


async def test_a_whole_session_goes_on_though_the_model_is_no_use() -> None:
    therapist = load_therapist("socratic_model_ear:scripted")
    episode = await converse(make_talk(therapist, make_patient(), turns=3))
    assert not episode.failed
    assert len(episode.therapist_turns) == 3
    assert all((turn.trace or {})["heard by"].startswith("nobody: the model") for turn in episode.therapist_turns)


def test_the_variant_is_reached_by_name() -> None:
    arm = load_therapist("socratic_model_ear:scripted")
    assert isinstance(arm, SocraticTherapist)
    assert (arm.name, arm.calls_a_turn) == ("socratic_model_ear:scripted", 4)
    assert arm.tracker.model_ear is not None
    plain = load_therapist("socratic:scripted")
    assert isinstance(plain, SocraticTherapist) and plain.tracker.model_ear is None
    with pytest.raises(InputError, match="needs a model"):
        load_therapist("socratic_model_ear")


def test_shares_are_read_as_written_and_the_rest_is_spread() -> None:
    found = shares({"x": {"a": 0.5, "other": 0.5}}, "x", ("a", "b", "c"))
    assert found.tolist() == [0.5, 0.25, 0.25]
    assert shares({"x": {"a": 0.99}}, "x", ("a", "b")).tolist() == [1.0, 0.0]
    with pytest.raises(Unreadable, match="add up"):
        shares({"x": {"a": 0.5, "b": 0.5, "other": 0.02}}, "x", ("a", "b"))
    assert json_object('```json\n{"a": 1}\n```') == {"a": 1}
