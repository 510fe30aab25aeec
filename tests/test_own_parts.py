"""The example package joins a measure, a scheme with its coder, a family of the battery and a command without a file of ours changed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from maieutic.cli.main import app
from maieutic.coding.embedded import coder_for
from maieutic.coding.schemes import get_scheme, scheme_names
from maieutic.errors import UnknownName
from maieutic.gap.families import ORDER, families, family_names, figures_of
from maieutic.transcripts.utterance import Utterance

PACKAGE = Path(__file__).parents[1] / "examples" / "own_parts"


@pytest.fixture
def installed(tmp_path: Path) -> list[str]:
    """Folders that make the package importable and known, as an installer would from its pyproject."""
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    known = tmp_path / "site" / f"own_parts-{project['version']}.dist-info"
    known.mkdir(parents=True)
    groups = {"console_scripts": project.get("scripts", {}), **project["entry-points"]}
    lines = [f"[{group}]\n" + "".join(f"{a} = {b}\n" for a, b in points.items()) for group, points in groups.items()]
    (known / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
    (known / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: own-parts\nVersion: {project['version']}\n", encoding="utf-8"
    )
    return [str(known.parent), str(PACKAGE / "src")]


def test_without_the_package_its_parts_are_unknown() -> None:
    assert family_names() == ORDER
    with pytest.raises(UnknownName):
        get_scheme("tense")


def test_a_family_of_another_package_comes_after_ours(installed: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for place in installed:
        monkeypatch.syspath_prepend(place)
    assert family_names() == (*ORDER, "one_at_a_time")
    assert families()[-1].id == "one_at_a_time"
    assert figures_of("one_at_a_time", judged=False) == ("one_at_a_time.piled",)


def test_a_scheme_of_another_package_is_coded_by_its_coder(
    installed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in installed:
        monkeypatch.syspath_prepend(place)
    assert "tense" in scheme_names()
    said = [Utterance("therapist", "What happened on Sunday?", index=0), Utterance("client", "I fell.", index=1)]
    assert [coding.predicted for coding in coder_for("tense").predict(said)] == [("past",), ()]


def test_a_command_of_another_package_comes_after_ours(installed: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for place in installed:
        monkeypatch.syspath_prepend(place)
    done = CliRunner().invoke(app, ["tense", "What happened on Sunday?"])
    assert (done.exit_code, done.stdout) == (0, "past\n")
    assert list(get_command(app).commands)[-1] == "tense"


@pytest.mark.slow
def test_the_commands_know_the_parts(installed: list[str], tmp_path: Path) -> None:
    def told(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "maieutic", *words], capture_output=True, text=True, cwd=tmp_path, timeout=110,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(installed)},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    told("gap", "--therapist", "advice", "--family", "one_at_a_time", "--out", "gap")
    scores = json.loads((tmp_path / "gap" / "scores.json").read_text(encoding="utf-8"))
    assert "one_at_a_time.piled" in json.dumps(scores)
    (tmp_path / "talk.csv").write_text(
        "session,speaker,text\n1,therapist,What was it?\n1,client,A dog.\n"
        "1,therapist,What did you do then?\n1,client,I ran to my mother and told her.\n",
        encoding="utf-8",
    )
    told("code", "talk.csv", "--scheme", "tense", "--out", "coded.csv")
    assert ",past," in (tmp_path / "coded.csv").read_text(encoding="utf-8")
    told("score", "talk.csv", "--out", "scored")
    assert "Long turns" in (tmp_path / "scored" / "report.html").read_text(encoding="utf-8")
    arms = ("--therapist", "advice", "--therapist", "no_session")
    told("evaluate", *arms, "--cases", "gethin", "--seeds", "1", "--turns", "3", "--out", "run")
    assert "long turns" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
