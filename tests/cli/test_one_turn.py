"""`chat --session`: one turn a call, kept in a file, the same as in one go; what cannot be played is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from maieutic import Request, evaluate
from maieutic.cli.main import app
from maieutic.errors import InputError

RUN = CliRunner()


def call(*options: str) -> tuple[int, str]:
    result = RUN.invoke(app, ["chat", "gethin", *options])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        assert isinstance(result.exception, InputError), result.exception
        return 2, str(result.exception)
    return result.exit_code, result.output


def test_turns_of_separate_calls_make_one_session(tmp_path: Path) -> None:
    file = tmp_path / "talk.json"
    code, opening = call("--session", str(file))
    assert code == 0
    assert opening.startswith("PATIENT: ")
    first = call("--session", str(file), "--say", "How did you feel when that happened?")[1]
    second = call("--session", str(file), "--say", "What went through your mind at that moment?")[1]
    assert "[2 of 20 turns used]" in second
    held = json.loads(file.read_text(encoding="utf-8"))
    assert held["said"] == ["How did you feel when that happened?", "What went through your mind at that moment?"]
    assert "held" not in first
    revealed = call("--session", str(file), "--reveal")[1]
    for answer in (opening, first, second):
        assert answer.splitlines()[0].removeprefix("PATIENT: ") in revealed
    assert "Held conviction" in revealed


def test_a_session_begun_with_a_turn_shows_what_the_turn_answers(tmp_path: Path) -> None:
    opening = call("--session", str(tmp_path / "other.json"))[1].splitlines()[0]
    file = str(tmp_path / "talk.json")
    lines = call("--session", file, "--say", "What happened?")[1].splitlines()
    assert lines[:2] == [opening, "YOU: What happened?"] and lines[2].startswith("PATIENT: ")
    assert opening not in call("--session", file, "--say", "And then?")[1]


def test_a_session_that_is_over_takes_no_more_turns(tmp_path: Path) -> None:
    file = tmp_path / "talk.json"
    assert (
        "2 turns have been used"
        in [call("--session", str(file), "--turns", "2", "--say", "Go on.")[1] for _ in "12"][1]
    )
    assert call("--session", str(file), "--turns", "2", "--say", "And then?")[0] == 2


def test_a_disclosure_meets_the_handover(tmp_path: Path) -> None:
    file = tmp_path / "talk.json"
    code, said = call("--session", str(file), "--say", "I want to kill myself tonight.")
    assert code == 1
    assert "handed over" in said
    assert json.loads(file.read_text(encoding="utf-8"))["said"] == []


@pytest.mark.parametrize("content", ["no json", "[]", '{"format": 1, "case": "gethin"}'])
def test_a_file_that_holds_no_session_is_refused_and_kept(tmp_path: Path, content: str) -> None:
    file = tmp_path / "talk.json"
    file.write_text(content, encoding="utf-8")
    code, _ = call("--session", str(file), "--say", "Go on.")
    assert code == 2
    assert file.read_text(encoding="utf-8") == content


def test_a_session_kept_under_other_rules_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "talk.json"
    call("--session", str(file))
    old = json.loads(file.read_text(encoding="utf-8")) | {"format": 1}
    file.write_text(json.dumps(old), encoding="utf-8")
    code, said = call("--session", str(file), "--say", "Go on.")
    assert code == 2 and "another version" in said and json.loads(file.read_text(encoding="utf-8")) == old


@pytest.mark.parametrize("seed", [0, 1])
def test_the_patient_of_a_seed_is_the_one_that_evaluate_plays(tmp_path: Path, seed: int) -> None:
    asked = ["What happened?", "What went through your mind?", "How did you feel?"]
    bot = tmp_path / "bot.py"
    bot.write_text(
        f"from maieutic import Turn\n\nclass Bot:\n    name = 'bot'\n\n    async def respond(self, session):\n"
        f"        return Turn('therapist', {asked}[len(session.by('therapist'))])\n\ndef make():\n    return Bot()\n"
    )
    request = Request((f"{bot}:make", "no_session"), ("gethin",), seeds=seed + 1, turns=3)
    played = next(one for one in evaluate(request, tmp_path / "run").episodes if one.key[1:] == ("gethin", seed))
    file = tmp_path / "talk.json"
    for text in asked:
        call("--session", str(file), "--seed", str(seed), "--turns", "3", "--say", text)
    held = json.loads(file.read_text(encoding="utf-8"))["messages"]
    assert [one["content"] for one in held] == [turn.text for turn in played.session.turns if turn.text]


@pytest.mark.parametrize("options", [("--say", "Go on."), ("--reveal",)])
def test_without_a_file_there_is_no_single_turn(options: tuple[str, ...]) -> None:
    assert call(*options)[0] == 2


def test_another_seed_is_another_session(tmp_path: Path) -> None:
    file = tmp_path / "talk.json"
    call("--session", str(file))
    assert call("--session", str(file), "--seed", "1")[0] == 2
