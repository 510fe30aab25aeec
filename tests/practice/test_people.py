"""What a class exports stands in a run as an arm of people, said to the same patients, and can be compared."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from maieutic import Request, evaluate
from maieutic.cli.main import app
from maieutic.errors import InputError
from maieutic.practice.storage import Group, Talk
from maieutic.registry import load_therapist
from practice.conftest import Person

SAID = ("What happened that morning?", "What went through your mind?", "You should apply somewhere else.")


@pytest.fixture
def export(comes: Callable[[], Person], teacher: Person, server: Any, tmp_path: Path) -> Path:
    """The export of a class with one trainee, who did the exercise."""
    where = teacher.send("/classes", name="Class", contact="Dr Sen").url.path
    teacher.send(f"{where}/assignments", case="gethin", style="plain", goal="none", turns="10", note="")
    with server.state.rooms.storage.begin() as db:
        code = db.get_one(Group, where.split("/")[2]).code
    mira = comes().signs_up(code, research="yes")
    mira.send(f"/account/leave/{where.split('/')[2]}", may_read="yes")
    page = mira.get("/").text
    begun = page.partition("task=")[2].partition('"')[0]
    talk = mira.begins("gethin", task=begun)
    for number, said in enumerate(SAID, start=1):
        mira.says(talk, number, said)
    with server.state.rooms.storage.begin() as db:
        assert db.get_one(Talk, talk).seed == 0
    file = tmp_path / "class.jsonl"
    file.write_bytes(teacher.get(f"{where}/export/jsonl").content)
    return file


def test_people_are_an_arm_beside_the_others_and_meet_the_patient_they_met(export: Path, tmp_path: Path) -> None:
    arms = (f"class=people:{export}", "worksheet", "no_session")
    outcome = evaluate(Request(therapists=arms, cases=("gethin",), seeds=1, turns=len(SAID)), tmp_path / "run")
    own = next(one for one in outcome.episodes if one.key.therapist == "class")
    assert not own.failed, own.ending
    assert tuple(turn.text for turn in own.therapist_turns if turn.text) == SAID
    kept = [line for line in export.read_text(encoding="utf-8").splitlines() if '"speaker":"patient"' in line]
    assert [turn.text in line for turn, line in zip(own.session.by("patient"), kept, strict=True)] == [True] * 4
    assert [arm.people for arm in outcome.summary.arms if arm.therapist == "class"] == [True]
    assert "said by trainees in practice" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    words = ["compare", str(tmp_path / "run"), "--arm", "worksheet", "--arm", "class", "--out", str(tmp_path / "page")]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert "no interval" in done.output and "class" in (tmp_path / "page" / "compare.html").read_text(encoding="utf-8")


def test_an_export_that_is_none_and_a_person_who_is_nobody_are_refused(export: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nobody is called"):
        load_therapist(f"people:{export}#P0")
    (tmp_path / "other.jsonl").write_text('{"a": 1}\n', encoding="utf-8")
    with pytest.raises(InputError, match="no export of a class"):
        load_therapist(f"people:{tmp_path / 'other.jsonl'}")
    with pytest.raises(InputError, match="write people:"):
        load_therapist("people")
