"""`maieutic train counterfactuals` as a user meets it: moments of a real run, a stop that is gone on with, bad files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import killed, maieutic
from maieutic.evaluation.evaluate import Request, evaluate
from maieutic.training.rewards import forks_of, read_recorded

SMALL = ("--window", "1", "--samples", "2")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run, and a file of two of its moments and one that it does not have."""
    folder = tmp_path_factory.mktemp("runs")
    evaluate(Request(("no_session", "worksheet"), ("gethin", "nilani"), 1, 4), folder / "a")
    episodes = [one for one in read_recorded(folder / "a").episodes if one.key.therapist == "worksheet"]
    forks = [forks_of(one)[2] for one in episodes]
    rows = [
        {
            "moment": fork.name,
            "patient": fork.before.session.turns[-1].text,
            "good": "What went through your mind just then?",
            "open": "Did you think you had failed them?",
            "coarse": "You should stop thinking like that and get some rest.",
        }
        for fork in forks
    ]
    rows.append({**rows[0], "patient": "Something that nobody said."})
    (folder / "written.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows[:2]))
    (folder / "stale.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows[1:]))
    return folder


def pairs_of(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "pairs.jsonl").read_text().splitlines()]


def test_every_attribute_gets_its_share_and_pairs_are_those_in_which_the_good_question_does_more(runs: Path) -> None:
    done = maieutic("train", "counterfactuals", "a", "--written", "written.jsonl", *SMALL, "--out", "out", cwd=runs)
    assert done.returncode == 0, done.stderr
    told = json.loads((runs / "out" / "attributes.json").read_text())["attributes"]
    assert set(told) == {"open", "coarse"} and told["coarse"]["wins"]["estimate"] == 1.0
    kept = pairs_of(runs / "out")
    assert {row["attribute"] for row in kept} >= {"coarse"} and all(row["margin"] > 0 for row in kept)
    assert kept[0]["prompt"][0]["role"] == "user" and kept[0]["chosen"][0]["content"].startswith("What went")

    whole = (runs / "out" / "pairs.jsonl").read_bytes()
    moments = runs / "out" / "moments.jsonl"
    moments.write_bytes(moments.read_bytes().splitlines(keepends=True)[0] + b'{"moment": "torn')
    words = ("train", "counterfactuals", "a", "--written", "written.jsonl", *SMALL, "--out", "out", "--resume")
    again = maieutic(*words, cwd=runs)
    assert again.returncode == 0, again.stderr
    assert (runs / "out" / "pairs.jsonl").read_bytes() == whole


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_a_kill_loses_no_finished_moment_and_the_end_is_the_same(runs: Path) -> None:
    words = ("train", "counterfactuals", "a", "--written", "written.jsonl", "--window", "2", "--samples", "9")
    kept = runs / "killed" / "moments.jsonl"
    killed(*words, "--out", "killed", cwd=runs, when=lambda: kept.exists() and kept.stat().st_size)
    assert not (runs / "killed" / "pairs.jsonl").exists()
    for out, more in (("killed", ("--resume",)), ("whole", ())):
        done = maieutic(*words, "--out", out, *more, cwd=runs)
        assert done.returncode == 0, done.stderr
    assert (runs / "killed" / "pairs.jsonl").read_bytes() == (runs / "whole" / "pairs.jsonl").read_bytes()


def test_a_moment_at_which_the_patient_says_something_else_is_left_out_and_told(runs: Path) -> None:
    done = maieutic("train", "counterfactuals", "a", "--written", "stale.jsonl", *SMALL, "--out", "stale", cwd=runs)
    assert done.returncode == 0, done.stderr
    assert "1 left out: the patient says something else there than when it was written" in done.stdout


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "holds no line"),
        ("{not json}\n", "line 1: expected an object with moment, patient, good and some of open, single"),
        ('{"moment": "nobody/gethin/0/1", "patient": "x", "good": "y", "open": "z"}\n', "the run has no such moment"),
    ],
)
def test_a_file_that_cannot_be_played_ends_in_one_line_and_writes_nothing(runs: Path, text: str, told: str) -> None:
    (runs / "bad.jsonl").write_text(text)
    done = maieutic("train", "counterfactuals", "a", "--written", "bad.jsonl", "--out", "bad", cwd=runs)
    assert done.returncode == 2 and told in " ".join(done.stderr.split()), done.stderr
    assert not (runs / "bad").exists()
