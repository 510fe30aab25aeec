"""A trainee's way through one exercise, with what must not happen on it: lost or doubled turns, and truth before its time."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from typing import Any

import pytest

from maieutic.domain.case import Case
from maieutic.library import get_case
from maieutic.practice import cases
from maieutic.practice.storage import Audit, Login, Spoken, Talk
from practice.conftest import Person, every_route

Comes = Callable[[], Person]


def test_a_trainee_converses_formulates_and_compares(comes: Comes) -> None:
    mira = comes().signs_up()
    talk = mira.begins()
    page = mira.says(talk, 1, "What happened that morning?")
    assert "What turn 1 did" in page.text
    assert mira.get(f"/talks/{talk}/stuck").text.count("<li>") >= 3
    mira.send(f"/talks/{talk}/notes", notes="He says he is no use")
    assert "He says he is no use" in mira.get(f"/talks/{talk}").text
    mira.send(f"/talks/{talk}/end")
    kept = mira.send(f"/talks/{talk}/formulation", core_beliefs="I am worthless", do="save")
    assert "I am worthless" in kept.text
    assert "I'm worth nothing." not in kept.text
    shown = mira.send(f"/talks/{talk}/formulation", core_beliefs="I am worthless", do="hand in")
    assert "I&#39;m worth nothing." in shown.text
    assert "the agent" in mira.get(f"/talks/{talk}/feedback?compare=1").text
    again = mira.send(f"/talks/{talk}/formulation", core_beliefs="something else", do="save")
    assert "something else" not in again.text


def test_a_turn_is_said_once_however_often_it_is_sent(comes: Comes, server: Any) -> None:
    mira = comes().signs_up()
    talk = mira.begins()
    for _ in range(3):
        assert mira.says(talk, 1, "What happened?").status_code == 200
    assert mira.says(talk, 1, "Something else?").status_code == 422
    assert mira.says(talk, 3, "Too far on?").status_code == 422
    with server.state.rooms.storage.begin() as db:
        assert db.query(Spoken).filter_by(talk_id=talk).count() == 2


def test_a_turn_that_a_stopped_server_left_waiting_is_answered(comes: Comes, server: Any) -> None:
    mira = comes().signs_up()
    talk = mira.begins()
    with server.state.rooms.storage.begin() as db:
        db.add(Spoken(talk_id=talk, number=1, said="What happened?"))
    assert "Hear the answer" in mira.get(f"/talks/{talk}").text
    assert "Hear the answer" not in mira.send(f"/talks/{talk}/answer").text
    with server.state.rooms.storage.begin() as db:
        assert db.get_one(Spoken, (talk, 1)).answer


def test_a_branch_has_the_same_patient_in_the_same_mind(comes: Comes, server: Any) -> None:
    mira = comes().signs_up()
    talk = mira.begins()
    for number, said in enumerate(("What happened?", "What went through your mind?"), start=1):
        mira.says(talk, number, said)
    branch = mira.send(f"/talks/{talk}/replay", number="2").url.path.split("/")[2]
    mira.says(branch, 2, "What went through your mind?")
    with server.state.rooms.storage.begin() as db:
        words = [db.get_one(Spoken, (one, 2)).answer for one in (talk, branch)]
    assert words[0] == words[1]
    both = mira.get(f"/talks/{talk}/branches/{branch}").text
    assert both.count("What went through your mind?") == 2
    assert "What happened?" not in both


def test_what_a_trainee_says_of_their_own_danger_meets_the_handover(comes: Comes, server: Any) -> None:
    mira = comes().signs_up()
    talk = mira.begins()
    page = mira.says(talk, 1, "I want to kill myself tonight.")
    assert "You deserve the help of a person" in page.text
    with server.state.rooms.storage.begin() as db:
        assert db.get_one(Talk, talk).ending == "handed over"
        assert db.get(Spoken, (talk, 1)) is None


def test_a_case_with_risk_begins_after_its_notice(comes: Comes) -> None:
    mira = comes().signs_up()
    form = {"style": "plain", "turns": "10", "goal": "none"}
    assert mira.send("/cases/luc-vandevelde", **form).status_code == 422
    assert mira.send("/cases/luc-vandevelde", risk="yes", **form).url.path.startswith("/talks/")


CANARY = "zyxcanary"
_MARK = re.compile(CANARY + r"\d+")


def canaried(case: Case) -> Case:
    """The case with a mark in every text of the diagram and in every text that the patient has not said."""
    marks = iter(range(10_000))

    def marked(value: Any, key: str, within: bool = False) -> Any:
        if isinstance(value, dict):
            return {name: marked(one, name, within or name == "phrasings") for name, one in value.items()}
        if isinstance(value, list):
            return [marked(one, key, within) for one in value]
        if isinstance(value, str) and (key in _HIDDEN or within):
            return f"{value} {CANARY}{next(marks)}."
        return value

    body = case.model_dump(mode="json")
    return Case.model_validate({**marked(body, ""), "id": "canary"})


_HIDDEN = {
    "history", "problem", "statement", "attitudes", "rules", "assumptions", "coping", "happened", "automatic_thought",
    "behaviour", "balanced_thought", "warranted_reason", "fact", "topics", "said", "asks", "goals", "tempting_but_false",
    "outcome", "prediction", "plan", "missing", "information",
}  # fmt: skip


def test_no_truth_leaves_the_server_before_the_formulation_is_handed_in(
    comes: Comes, server: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, capfd: Any
) -> None:
    caplog.set_level(logging.INFO)
    case = canaried(get_case("gethin"))
    monkeypatch.setattr(cases, "_styled", lambda name, style: case)
    monkeypatch.setattr(cases, "get_case", lambda name: case)
    cases.packaged_brief.cache_clear()
    rooms = server.state.rooms
    mira = comes().signs_up()
    talk = mira.begins(guided="yes")
    asked = (
        "What happened that morning?",
        "What went through your mind?",
        "Do you think you are worthless?",
        "You should apply.",
    )
    for number, said in enumerate(asked, start=1):
        mira.says(talk, number, said)
    branch = mira.send(f"/talks/{talk}/replay", number="2").url.path.split("/")[2]
    mira.says(branch, 2, "How have the others from your line fared since it closed?")
    mira.send(f"/talks/{talk}/end")
    ids = {"talk": talk, "branch": branch, "case": "gethin"}
    for route in every_route(server):
        if "GET" in route.methods:
            path = route.path
            for name, value in ids.items():
                path = path.replace("{" + name + "}", value)
            if "{" not in path:
                mira.get(path)
    mira.get(f"/talks/{talk}/feedback?compare=1")
    with rooms.storage.begin() as db:
        voiced = " ".join(one.answer or "" for one in db.query(Spoken).filter(Spoken.talk_id.in_((talk, branch))))
    spoken = set(_MARK.findall(voiced))
    for answer in mira.seen:
        everything = answer.text + str(answer.headers) + str(dict(mira.browser.cookies))
        leaked = set(_MARK.findall(everything)) - spoken
        assert not leaked, (answer.url, leaked)
    logged, printed = caplog.text, capfd.readouterr()
    assert f"/talks/{talk}" in logged
    assert CANARY not in logged + printed.out + printed.err
    with rooms.storage.begin() as db:
        noted = [str(vars(one)) for one in db.query(Audit)]
    assert noted
    assert not [one for one in noted if CANARY in one]
    shown = mira.send(f"/talks/{talk}/formulation", core_beliefs="", do="hand in")
    assert CANARY in shown.text
    cases.packaged_brief.cache_clear()


def test_a_login_begins_under_a_fresh_key(comes: Comes, server: Any) -> None:
    mira = comes()
    mira.get("/login")
    planted = mira.browser.cookies["maieutic_practice"]
    mira.signs_up()
    assert mira.browser.cookies["maieutic_practice"] != planted
    thief = comes()
    thief.browser.cookies.set("maieutic_practice", planted)
    assert thief.get("/account").url.path == "/login"
    with server.state.rooms.storage.begin() as db:
        assert not [one for one in db.query(Login) if one.id in mira.browser.cookies["maieutic_practice"]]
