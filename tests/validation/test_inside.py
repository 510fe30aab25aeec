"""The same model plain and inside the agent: pairs by case and seed, failures missing with reasons, and the command as a user meets it."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from maieutic.cli.main import main
from maieutic.domain.episode import Ending, Episode, EpisodeKey
from maieutic.library import get_case
from maieutic.runs.findings import render
from maieutic.validation.agent.inside import INSIDE, PLAIN, ends_of, judged_inside, page, request_for
from maieutic.validation.sessions import Task, episodes_of
from maieutic.validation.tracking.direct import Told


@pytest.fixture(scope="module")
def episodes() -> list[Episode]:
    """Two short sessions without a model, taken for the two sides."""
    arms = {"advice": PLAIN, "socratic": INSIDE}
    return [
        replace(e, key=EpisodeKey(arms[e.key.therapist], e.key.case, e.key.seed))
        for e in episodes_of(Task("gethin", tuple(arms), (0,), turns=3))
    ]


def even(count: int) -> list[Told]:
    return [Told({"belief": np.full(19, 1 / 19)}, {"conviction": "left out a field: conviction"})] * count


def test_cases_are_regular_and_both_arms_play_the_same() -> None:
    request = request_for("m", split="test", sessions=3, seeds=2, turns=8)
    assert request.therapists == ("prompted=prompted:m", "socratic=socratic:m")
    assert (len(request.cases), request.seeds, request.turns) == (3, 2, 8)
    assert all(get_case(name).special is None for name in request.cases)


def test_lines_are_paired_and_measured_on_both_sides(episodes: list[Episode]) -> None:
    places = ends_of(episodes)
    assert [place.session.turns[-1].speaker for place in places] == ["patient", "patient"]
    found = judged_inside("m", episodes, places, even(2))
    lines = {line.title: line for line in found.lines}
    fall = lines["fall of held conviction"]
    plain, inside = (e.states[0].held - e.states[-1].held for e in episodes)
    assert (fall.plain.estimate, fall.inside.estimate) == (pytest.approx(plain), pytest.approx(inside))
    assert fall.gap.estimate == pytest.approx(inside - plain)
    assert (fall.counts, fall.why, fall.gap.low) == ((1, 1, 1), "", None)  # one case has no interval
    own = lines["surprise at the true belief, own sessions"]
    assert own.plain.estimate == pytest.approx(np.log(19))
    truth = places[1].truth("belief")
    tracked = places[1].chances("tracker", "belief")
    assert tracked is not None
    assert own.inside.estimate == pytest.approx(-np.log(tracked[truth]))
    hit = lines["true belief held likeliest, both on the plain sessions"]
    assert hit.plain.estimate == pytest.approx(1 / 19)  # a tie of all
    assert sum(found.worded.values()) == 3
    assert len(found.lines) == 9


def test_a_failed_dialogue_and_an_unusable_answer_are_missing_with_their_reasons(episodes: list[Episode]) -> None:
    broken = [episodes[0], replace(episodes[1], ending=Ending("failed", "no answer in 3 s"))]
    places = ends_of(broken[:1])
    found = judged_inside("m", broken, places, [Told({}, {"belief": "gave no JSON object", "conviction": "x"})])
    assert found.failed == 1
    for line in found.lines:
        assert line.counts[1:] == (1 if "both on the plain" in line.title else 0, 0)
        assert line.gap.estimate is None
    assert [line.counts[0] for line in found.lines] == [1, 1, 1, 0, 0, 0, 0, 0, 0]
    assert found.lines[0].why == f"{INSIDE}: 1 × the dialogue failed: no answer in 3 s"
    assert f"{PLAIN}: 1 × the model gave no JSON object" in found.lines[3].why
    text = render(page(found))
    assert "1 failed" in text and "missing" in text and "the model gave no JSON object" in text


def run(monkeypatch: pytest.MonkeyPatch, folder: Path, *words: str) -> int:
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["maieutic", "validate", "model", *words])
    with pytest.raises(SystemExit) as stop:
        main()
    return int(stop.value.code or 0)


@pytest.mark.slow
def test_the_command_says_the_cost_first_writes_the_page_and_goes_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--model", "scripted", "--model-sessions", "2", "--turns", "2", "--out", "here")
    assert run(monkeypatch, tmp_path, *words) == 0
    out, err = capsys.readouterr()
    assert "missing: prompted: 2 × the model gave no JSON object" in " ".join(out.split())
    assert "4 sessions with scripted, at most 22 calls" in err
    assert "fall of held conviction" in out
    kept = json.loads((tmp_path / "here" / "findings.json").read_text(encoding="utf-8"))
    assert any("gave no JSON object" in finding["note"] for finding in kept["findings"])
    assert (tmp_path / "here" / "run" / "report.html").is_file()
    assert len((tmp_path / "here" / "answers.jsonl").read_bytes().splitlines()) == 4
    assert run(monkeypatch, tmp_path, *words) == 2  # a run is there already
    assert "--resume" in capsys.readouterr().err
    assert run(monkeypatch, tmp_path, *words, "--resume") == 0


def test_wrong_options_end_in_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, tmp_path, "--model", "scripted", "--split", "all") == 2
    assert "neither dev nor test" in capsys.readouterr().err
    assert run(monkeypatch, tmp_path, "--model", "nothing") == 2
    (tmp_path / "file").write_text("x")
    assert run(monkeypatch, tmp_path, "--model", "scripted", "--out", "file") == 2
    assert not (tmp_path / "validation").exists()
