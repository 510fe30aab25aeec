"""The command line as a user meets it: real runs on small input, and one clear line with exit code 2 on bad input."""

import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from command_line import KEYS, hears_ctrl_c, maieutic
from maieutic.cli.evaluate import _prices
from maieutic.errors import StorageError
from maieutic.evaluation.journal import EpisodeJournal

COMMAND = [sys.executable, "-m", "maieutic"]


BAD = {
    "therapist": (["evaluate", "--therapist", "socratik"], "Did you mean 'socratic'?"),
    "case": (["evaluate", "--therapist", "eliza", "--cases", "nurse-in-chrge"], "Did you mean 'nurse-in-charge'?"),
    "model": (["evaluate", "--therapist", "prompted:embeded"], "Did you mean 'embedded'?"),
    "no model": (["evaluate", "--therapist", "prompted"], "prompted:embedded"),
    "surplus model": (["evaluate", "--therapist", "eliza:embedded"], "takes no model"),
    "key": (["evaluate", "--therapist", "prompted:https://example.invalid/v1#m"], "MAIEUTIC_API_KEY"),
    "file": (["evaluate", "--therapist", "gone.py:make"], "no file 'gone.py'"),
    "file without its maker": (["evaluate", "--therapist", "bots/ok.py"], "for example bots/ok.py:make"),
    "turns": (["evaluate", "--turns", "0"], "between 1 and 200"),
    "no number": (["evaluate", "--turns", "lots"], "'--turns': expected a whole number"),
    "seeds": (["evaluate", "--seeds", "0"], "at least 1"),
    "arm twice": (["evaluate", "--therapist", "eliza", "--therapist", "eliza"], "eliza is named twice; name it once"),
    "empty out": (["evaluate", "--therapist", "eliza", "--out", ""], "--out is empty"),
    "empty out of score": (["score", "gone.csv", "--out="], "--out is empty"),
    "limit": (["evaluate", "--therapist", "eliza", "--limit", "0"], "--limit must be at least 1"),
    "model example": (["evaluate", "--therapist", "prompted:gpt-4o"], "https://api.openai.com/v1#gpt-4o"),
    "address without http": (
        ["evaluate", "--therapist", "prompted:localhost:8000/v1#mine"],
        "http://localhost:8000/v1#mine?",
    ),
    "coder without data": (["validate", "coder"], "add --data FOLDER"),
    "encoding": (["score", "gone.csv", "--encoding", "utf-99"], "windows-1252"),
    "resume what": (
        ["chat", "--resume", "gone.json"],
        "no such file: gone.json; sessions of `maieutic chat` are kept in runs/chat/",
    ),
    "price": (["evaluate", "--price", "cheap"], "two numbers"),
    "cost without price": (["evaluate", "--max-cost", "1"], "--price"),
    "patient": (["evaluate", "--therapist", "eliza", "--patient", "simulatd"], "Did you mean 'simulated'?"),
    "option": (["evaluate", "--bogus"], "--bogus"),
    "run folder": (["report", "nowhere"], "no manifest.json"),
    "case to show": (["patients", "show", "gethn"], "Did you mean 'gethin'?"),
    "split": (["patients", "list", "--split", "tset"], "Did you mean 'test'?"),
    "transcripts": (["score", "gone.csv"], "gone.csv"),
    "scheme": (["code", "gone.csv", "--scheme", "anomi", "--out", "x.csv"], "annomi"),
    "family": (["gap", "--family", "safty"], "Did you mean 'safety'?"),
    "privileged in gap": (["gap", "--therapist", "oracle", "--quick"], "could be served"),
    "gates": (["gap", "--gate", "gone.toml"], "gone.toml"),
    "chat: who answers nobody": (["chat", "--therapist", "nobody"], "add --as patient"),
    "privileged in chat": (["chat", "--as", "patient", "--therapist", "oracle"], "cannot talk to a person"),
}


@pytest.mark.parametrize(("words", "says"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_one_clear_line(words, says, tmp_path):
    done = maieutic(*words, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert says in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert not any(tmp_path.iterdir()), "bad input must leave nothing behind"


@pytest.mark.parametrize("name", ["key", "case to show"])
def test_a_process_of_its_own_says_the_same_and_ends_the_same(name, tmp_path):
    words, _ = BAD[name]
    env = {name: value for name, value in os.environ.items() if name not in KEYS} | {"COLUMNS": "100"}
    done = subprocess.run([*COMMAND, *words], capture_output=True, text=True, cwd=tmp_path, timeout=110, env=env)
    assert (done.returncode, done.stdout, done.stderr) == maieutic(*words, cwd=tmp_path)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cli")
    words = ["evaluate", "--seeds", "1", "--turns", "4", "--out", "run", "--cases", "gethin", "--cases", "nilani"]
    done = maieutic(*words, "--therapist", "eliza", "--therapist", "no_session", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder, done


def test_evaluate_writes_a_whole_run_folder(run):
    folder, done = run
    names = {p.name for p in (folder / "run").iterdir()}
    assert {
        "manifest.json",
        "journal",
        "episodes.parquet",
        "turns.parquet",
        "scores.parquet",
        "scores.json",
        "report.html",
    } <= names
    assert "eliza" in done.stdout
    entries = json.loads((folder / "run" / "scores.json").read_text())
    assert {"measure", "group", "value", "low", "high", "n", "missing"} == set(entries[0])


def test_a_run_is_not_overwritten(run):
    folder, _ = run
    before = (folder / "run" / "scores.json").read_bytes()
    again = maieutic("evaluate", "--therapist", "eliza", "--out", "run", cwd=folder)
    assert again.returncode == 2
    assert "--resume" in again.stderr
    assert (folder / "run" / "scores.json").read_bytes() == before


def test_resume_needs_equal_settings(run):
    folder, _ = run
    other = maieutic("evaluate", "--therapist", "advice", "--out", "run", "--resume", cwd=folder)
    assert other.returncode == 2
    assert "--therapist (advice is new, eliza is missing, no_session is missing)" in other.stderr


@pytest.mark.slow
def test_rescore_and_report_reproduce_the_scores(run):
    folder, _ = run
    before = (folder / "run" / "scores.json").read_bytes()
    for command in ("rescore", "report"):
        assert maieutic(command, "run", cwd=folder).returncode == 0
        assert (folder / "run" / "scores.json").read_bytes() == before


def test_newer_format_is_refused(run, tmp_path):
    folder, _ = run
    manifest = json.loads((folder / "run" / "manifest.json").read_text())
    (tmp_path / "newer").mkdir()
    (tmp_path / "newer" / "manifest.json").write_text(json.dumps({**manifest, "format": 99}))
    done = maieutic("report", "newer", cwd=tmp_path)
    assert done.returncode == 2
    assert "format 99" in done.stderr


@pytest.mark.parametrize(
    ("typed", "remedy"),
    [("embedded", "write prompted:embedded"), ("gpt-4o", "prompted:https://api.openai.com/v1#gpt-4o")],
)
def test_a_model_given_as_a_therapist_is_told_how_it_is_written(tmp_path, typed, remedy):
    done = maieutic("evaluate", "--therapist", typed, cwd=tmp_path)
    assert done.returncode == 2 and remedy in done.stderr and done.stderr.count("\n") == 1
    assert not any(tmp_path.iterdir())


def test_dry_run_runs_nothing(tmp_path):
    done = maieutic(
        "evaluate", "--dry-run", "--therapist", "prompted:http://localhost:1/v1#m", "--price", "1,2", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "252" in done.stdout  # twelve sessions of twenty turns and a question at the end
    assert "12 = 12 × 1" in done.stdout and "at most 20 turns, run seed 0" in done.stdout
    assert not any(tmp_path.iterdir())


@pytest.mark.slow
def test_failed_dialogues_exit_3_and_are_not_scored(tmp_path):
    words = [
        "--therapist",
        "prompted:http://127.0.0.1:9/v1#m?attempts=1",
        "--limit",
        "1",
        "--turns",
        "2",
        "--out",
        "run",
        "--no-preflight",
    ]
    done = maieutic("evaluate", *words, cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    entries = json.loads((tmp_path / "run" / "scores.json").read_text())
    assert all(e["value"] is None and e["missing"] >= 1 for e in entries)


@pytest.mark.slow
def test_every_act_of_a_patient_is_explained_in_words() -> None:
    from maieutic.cli.chat import _SAYS
    from maieutic.domain.state import Act

    assert set(_SAYS) == {act.value for act in Act}


def test_chat_as_therapist_explains_the_mind(tmp_path):
    done = maieutic("chat", "gethin", "--explain", cwd=tmp_path, stdin="What went through your mind then?\n:q\n")
    assert done.returncode == 0, done.stderr
    assert "held" in done.stdout
    assert "a question about the thought" in done.stdout and "told: [" not in done.stdout
    (tmp_path / "runs" / "chat" / "gethin-1.json").unlink()
    words = "What went through your mind then?\n:pause\n"
    assert maieutic("chat", "gethin", "--explain", cwd=tmp_path, stdin=words).returncode == 0
    again = maieutic("chat", "--resume", "runs/chat/gethin-1.json", cwd=tmp_path, stdin=":q\n")
    assert "the patient's mind: held" in " ".join(again.stdout.split()), "what was asked for at the start is kept"


def test_chat_says_above_a_turn_that_it_was_made_plain(tmp_path):
    (tmp_path / "bot.py").write_text(
        "from maieutic.domain.episode import Turn\n\n\nclass Bot:\n    name = 'bot'\n\n"
        "    async def respond(self, session):\n        return Turn('therapist', '**Why** that?')\n"
    )
    done = maieutic("chat", "--as", "patient", "--therapist", "bot.py:Bot", cwd=tmp_path, stdin="I feel low.\n:q\n")
    assert done.returncode == 0, done.stderr
    assert "made plain: Markdown" in done.stdout and "Therapist: Why that?" in done.stdout


def test_chat_hands_over_before_anybody_answers(tmp_path):
    said = "I want to kill myself tonight.\n"
    done = maieutic("chat", "--as", "patient", "--therapist", "eliza", cwd=tmp_path, stdin=said)
    assert done.returncode == 0, done.stderr
    assert "emergency" in done.stdout
    assert "Therapist:" not in done.stdout


def test_patients_check_shows_every_problem_of_a_file(tmp_path):
    (tmp_path / "bare.yaml").write_text("id: bare\nsplit: dev\n")
    done = maieutic("patients", "check", "bare.yaml", cwd=tmp_path)
    first, *rest = done.stderr.strip().splitlines()
    assert done.returncode == 2 and first == f"bare.yaml: {len(rest)} problems"
    assert len(rest) > 5 and any("person" in line for line in rest)


@pytest.mark.slow
def test_the_readmes_python_example_works_the_second_time(tmp_path):
    page = (Path(__file__).parents[2] / "README.md").read_text()
    example = page.partition("```python\n")[2].partition("```")[0].replace("turns=8", "turns=1")
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", example], capture_output=True, text=True, cwd=tmp_path, timeout=110
        )
        assert done.returncode == 0 and "Row(" in done.stdout, done.stderr


def test_patients_list_show_check(tmp_path):
    assert "nurse-in-charge" in maieutic("patients", "list", cwd=tmp_path).stdout
    shown = maieutic("patients", "show", "nurse-in-charge", cwd=tmp_path).stdout
    assert "late-shift-chart" in shown and "guard: how open (0-1) the patient must be" in shown
    (tmp_path / "bad.yaml").write_text("id: x\nversion: 1\n")
    bad = maieutic("patients", "check", "bad.yaml", cwd=tmp_path)
    assert bad.returncode == 2
    assert "bad.yaml" in bad.stderr


@pytest.mark.slow
def test_full_disk_is_one_clear_line(tmp_path, monkeypatch):
    def full(self, line):
        raise StorageError("cannot write the journal: the disk is full") from OSError(errno.ENOSPC, "No space left")

    monkeypatch.setattr(EpisodeJournal, "write", full)
    done = maieutic("evaluate", "--therapist", "eliza", "--limit", "1", "--out", "run", cwd=tmp_path)
    assert done.returncode == 2
    assert "disk is full" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_ctrl_c_and_sigkill_lose_nothing(tmp_path):
    words = ["evaluate", "--therapist", "socratic", "--therapist", "no_session", "--seeds", "2", "--cases", "gethin"]
    whole = maieutic(*words, "--out", "whole", cwd=tmp_path)
    assert whole.returncode == 0, whole.stderr
    command = [*COMMAND, *words, "--out", "cut"]
    for stop in (signal.SIGINT, signal.SIGKILL):
        going = subprocess.Popen(
            [*command, "--resume"] if (tmp_path / "cut").exists() else command,
            cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            preexec_fn=hears_ctrl_c,
        )  # fmt: skip
        before = sum(f.stat().st_size for f in tmp_path.glob("cut/journal/*.jsonl"))
        while going.poll() is None and sum(f.stat().st_size for f in tmp_path.glob("cut/journal/*.jsonl")) <= before:
            time.sleep(0.02)
        going.send_signal(stop)
        _, said = going.communicate(timeout=60)
        if stop is signal.SIGINT:
            assert going.returncode in (0, 130)
            assert going.returncode == 0 or "--resume" in said
    assert maieutic(*words, "--out", "cut", "--resume", cwd=tmp_path).returncode == 0
    for name in ("episodes.parquet", "turns.parquet", "scores.parquet", "scores.json"):
        assert (tmp_path / "cut" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_prices_are_two_numbers():
    assert _prices("0.15,0.6") == (0.15, 0.6)
