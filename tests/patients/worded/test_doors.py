"""The same patient through every door: run, server, practice, chat; a model that cannot keep the form is one line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from endpoints import serving
from fake_server import Faults
from maieutic.cli.main import app
from maieutic.errors import InputError, ModelError, ModelRefused
from maieutic.library import get_case
from maieutic.models import scripted
from maieutic.models.scripted import ScriptedModel
from maieutic.practice import talks
from maieutic.protocols import Message
from maieutic.serving.offers import offered
from maieutic.serving.request import turn_of

ENDPOINTS = {
    "nobody there": (None, "cannot be reached"),
    "no such model": (Faults(refuse_status=404), "the model `m` does not exist"),
    "wrong key": (Faults(key="right"), "Incorrect API key provided"),
    "empty": (Faults(empty_every=1), "no usable reply"),
    "an error with status 200": (Faults(says='{"error": {"message": "quota used up"}}'), "quota used up"),
}
FAULT = "the patient's ear got nothing usable in 3 replies: the last is no JSON object"
ASKED = "What happened that morning?"


def call(*options: str) -> Any:
    return CliRunner().invoke(app, options)


async def test_a_server_refuses_with_the_reason() -> None:
    patients = offered(cases=("gethin",), patient="simulated+llm:scripted").patients
    opened = await patients.opened(get_case("gethin"), 0)
    assert patients.waits
    with pytest.raises(ModelRefused, match=FAULT):
        await patients.answered(get_case("gethin"), 0, opened, turn_of("therapist", ASKED))


@pytest.mark.parametrize("patient", ["simulated+llm:scripted", "simulated+llm-or-embedded:scripted"])
def test_practice_says_why_or_goes_on(patient: str) -> None:
    played = talks.start(patient)
    try:
        opened = played.opened(get_case("gethin"), 0)
        if patient == "simulated+llm:scripted":
            with pytest.raises(ModelError, match=FAULT):
                played.answered(get_case("gethin"), 0, opened, ASKED)
        else:
            answered = played.answered(get_case("gethin"), 0, opened, ASKED)
            assert FAULT in str((answered.session.turns[-1].trace or {})["comprehension"])
    finally:
        played.close()


def test_a_run_counts_the_dialogue_as_failed(tmp_path: Path) -> None:
    options = (
        "--therapist",
        "worksheet",
        "--cases",
        "gethin",
        "--seeds",
        "1",
        "--turns",
        "2",
        "--out",
        str(tmp_path / "run"),
    )
    result = call("evaluate", "--patient", "simulated+llm:scripted", *options)
    assert FAULT in " ".join(result.output.split())
    assert result.exit_code == 3


def test_chat_does_not_keep_a_turn_that_got_no_answer(tmp_path: Path) -> None:
    file = tmp_path / "talk.json"
    result = call("chat", "gethin", "--patient", "simulated+llm:scripted", "--session", str(file), "--say", ASKED)
    assert isinstance(result.exception, ModelError) and FAULT in str(result.exception)
    assert "the turn was not kept" in str(result.exception)
    assert not file.exists()


def test_chat_asks_for_no_turn_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def reply(messages: Sequence[Message], seed: int) -> str:
        asked.append(messages[-1]["content"])
        if '"about"' in messages[0]["content"]:
            return json.dumps({"type": "none", "about": "none", "quote": ""})
        decided = messages[1]["content"].rpartition("make nothing up: ")[2]
        return json.dumps({"say": f"Well. {decided}" if len(asked) < 3 else decided, "made_up": []})

    monkeypatch.setattr(scripted, "neutral_reply", reply)
    assert isinstance(scripted.make_scripted("scripted"), ScriptedModel)
    file = tmp_path / "talk.json"
    options = ("chat", "gethin", "--patient", "simulated+llm:scripted", "--session", str(file))
    first = call(*options, "--say", ASKED).output
    assert len(asked) == 2
    call(*options, "--say", "Mm.")
    assert len(asked) == 4
    held = json.loads(file.read_text(encoding="utf-8"))
    assert held["messages"][2]["content"].startswith("Well.")
    assert held["messages"][2]["content"] in " ".join(first.split())


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("simulated+llm", "needs a model: write simulated+llm:MODEL"),
        ("simulated+llm:", "needs a model"),
        ("simulated+llm:nobody", "no model named"),
        ("simulated+llm:recorded:none.jsonl", "none.jsonl cannot be read"),
    ],
)
def test_a_patient_that_cannot_be_had_is_one_line(spec: str, why: str) -> None:
    result = call("chat", "gethin", "--patient", spec, "--session", "talk.json", "--say", ASKED)
    assert isinstance(result.exception, InputError)
    assert why in str(result.exception) and "\n" not in str(result.exception)


@pytest.mark.parametrize("name", ENDPOINTS)
def test_a_dead_endpoint_is_one_line(name: str, tmp_path: Path) -> None:
    faults, words = ENDPOINTS[name]
    with serving(faults) as (url, _):
        patient = f"simulated+llm:{url}#m?attempts=2&backoff=0"
        result = call("chat", "gethin", "--patient", patient, "--session", str(tmp_path / "t.json"), "--say", ASKED)
    assert isinstance(result.exception, ModelError)
    assert "the patient's ear failed" in str(result.exception) and words in str(result.exception)
    assert "\n" not in str(result.exception)
