"""`compare`, `gate`, `tournament` and `leaderboard` as a user meets them: small real runs, and bad input in one clear line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from junitparser import JUnitXml

from command_line import maieutic
from maieutic.errors import RunFolderError
from maieutic.evaluation.evaluate import Request, evaluate, rescore
from maieutic.library import STARTERS

ROOT = Path(__file__).resolve().parents[2]
CASES = ("gethin", "nilani", "ifeoma")
BREAKS_ON_ONE_PATIENT = """
from maieutic import Turn

class Weak:
    name = "weak"

    async def respond(self, session):
        if "Cerys" in session.turns[0].text:
            raise RuntimeError("no words")
        return Turn("therapist", "What happened?")

def make():
    return Weak()
"""


def part(folder: Path, name: str, arms: tuple[str, ...]) -> None:
    """A run of some arms of the whole one, as if they had been run alone."""
    whole, own = folder / "whole", folder / name
    (own / "journal").mkdir(parents=True)
    made = json.loads((whole / "manifest.json").read_text())
    made |= {"therapists": list(arms), "seeds": {arm: made["seeds"][arm] for arm in arms}}
    (own / "manifest.json").write_text(json.dumps(made))
    lines = (whole / "journal" / "0001.jsonl").read_bytes().splitlines(keepends=True)
    kept = [line for line in lines if json.loads(line)["key"][0] in arms]
    (own / "journal" / "0001.jsonl").write_bytes(b"".join(kept))
    rescore(own)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two finished runs, a half-finished one, one of another kind, and people's sessions."""
    folder = tmp_path_factory.mktemp("runs")
    evaluate(Request(("advice", "eliza", "no_session", "socratic"), CASES, 1, 5), folder / "whole")
    part(folder, "a", ("eliza", "no_session", "socratic"))
    part(folder, "b", ("advice", "eliza", "no_session"))
    half = folder / "half"
    half.mkdir()
    (half / "manifest.json").write_bytes((folder / "a" / "manifest.json").read_bytes())
    (half / "journal").mkdir()
    lines = (folder / "a" / "journal" / "0001.jsonl").read_bytes().splitlines(keepends=True)
    ends = [n for n, line in enumerate(lines) if b'"kind":"end"' in line]
    (half / "journal" / "0001.jsonl").write_bytes(b"".join(lines[: ends[2] + 1]))
    (folder / "gap").mkdir()
    (folder / "gap" / "manifest.json").write_text('{"format": 1, "kind": "gap"}')
    rows = ["session,speaker,text,patient"]
    for number, case in enumerate(CASES):
        for turn in (
            "client,It went badly again.",
            "therapist,What happened?",
            "client,I froze.",
            "therapist,What did you make of that?",
        ):
            rows.append(f"s{number},{turn},{case}")
    (folder / "people.csv").write_text("\n".join(rows) + "\n")
    (folder / "typo.yaml").write_text(
        "name: n\nrules:\n- {id: a, heading: safety, measure: effect, at_last: 1, why: w, basis: b}\n"
    )
    (folder / "newer").mkdir()
    (folder / "newer" / "manifest.json").write_text('{"format": 99, "kind": "evaluate"}')
    (folder / "foreign").mkdir()
    (folder / "foreign" / "manifest.json").write_text('{"name": "an app"}')
    (folder / "several.yaml").write_text("name: n\nrules:\n- {name: a, measure: effect, at_lest: 1}\n")
    (folder / "broken.yaml").write_text("name: [n\nrules: -")
    (folder / "unknown.yaml").write_text(
        "name: n\nrules:\n- {id: a, heading: safety, measure: efect, at_most: 1, why: w, basis: b}\n"
    )
    part(folder, "alone", ("eliza", "no_session"))
    return folder


BAD = {
    "newer format": (["compare", "a", "newer"], "newer has format 99; this version reads formats up to 1"),
    "newer format at the gate": (["gate", "newer", "--policy", "assistive"], "newer has format 99"),
    "newer format on a board": (["leaderboard", "newer"], "newer has format 99"),
    "newer format to report": (["report", "newer"], "newer has format 99"),
    "a manifest of another program": (
        ["compare", "a", "foreign"],
        "foreign is no run folder: its manifest.json is of another",
    ),
    "a policy with several faults": (["gate", "a", "--policy", "several.yaml", "--therapist", "eliza"], "no such key"),
    "a tournament on risk alone": (
        ["tournament", "--therapist", "eliza", "--therapist", "advice", "--cases", "hester", "--dry-run"],
        "no battle is fought on a risk case, and no other is left: hester",
    ),
    "a check of one entry": (["evidence", "C14", "--check"], "leave the words out"),
    "a board of another kind": (["leaderboard", "gap"], "holds a run of kind 'gap'"),
    "a half-finished board": (["leaderboard", "half"], "half is not finished"),
    "a board of one therapist": (["leaderboard", "alone"], "two therapists or more, got eliza"),
    "a comparison of one therapist": (["compare", "alone", "--arm", "eliza"], "name a second arm"),
    "a policy that is no YAML": (["gate", "a", "--policy", "broken.yaml", "--therapist", "eliza"], "broken.yaml"),
    "a policy with a measure misspelt": (
        ["gate", "a", "--policy", "unknown.yaml", "--therapist", "eliza"],
        "Did you mean 'effect'?",
    ),
    "a folder that is no run": (["report", "."], "is no run folder: it has no manifest.json"),
    "no run": (["compare", "a", "nowhere"], "nowhere"),
    "another kind": (["compare", "a", "gap"], "holds a run of kind 'gap'"),
    "half-finished": (["compare", "a", "half"], "unfinished: half is not finished, 3 of 9 sessions"),
    "one run": (["compare", "a"], "name a second one, or two of its arms with --arm (eliza, socratic)"),
    "arm": (["compare", "a", "--arm", "socratik", "--arm", "eliza"], "Did you mean 'socratic'?"),
    "measure": (
        ["compare", "a", "b", "--arm", "eliza", "--measure", "alliance_chnge"],
        "Did you mean 'alliance_change'?",
    ),
    "difference": (["compare", "a", "b", "--difference", "conviction_change=few"], "MEASURE=D"),
    "allow": (["compare", "a", "b", "--allow", "seed"], "Did you mean 'seeds'?"),
    "column": (["compare", "a", "people.csv", "--column", "patient=case"], "KEY one of case"),
    "no case column": (["compare", "a", "people.csv", "--arm", "socratic", "--arm", "people"], "case"),
    "policy": (["gate", "a", "--policy", "asistive", "--therapist", "eliza"], "Did you mean 'assistive'?"),
    "policy with a typo": (["gate", "a", "--policy", "typo.yaml", "--therapist", "eliza"], "Did you mean 'at_least'?"),
    "several therapists": (
        ["gate", "a", "--policy", "assistive"],
        "name the one to judge with --therapist: eliza, socratic",
    ),
    "half-finished gate": (
        ["gate", "half", "--policy", "assistive", "--therapist", "eliza"],
        "half is not finished: 3 of 9",
    ),
    "no scores": (["gate", "gap", "--policy", "assistive"], "has no scores.json"),
    "one therapist": (["tournament", "--therapist", "eliza"], "needs two therapists or more, got eliza"),
    "no people on a board": (
        ["leaderboard", "people.csv", "--column", "case=patient"],
        "two therapists or more, got people",
    ),
}


@pytest.mark.parametrize(("words", "says"), BAD.values(), ids=BAD)
def test_bad_input_is_one_clear_line(words: list[str], says: str, runs: Path) -> None:
    done = maieutic(*words, cwd=runs)
    assert done.returncode == 2, done.stdout + done.stderr
    assert says in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr and done.stderr.strip().count("\n") == 0


def test_two_runs_are_compared_with_their_other_arms_first(runs: Path) -> None:
    done = maieutic("compare", "a", "b", "--out", "c", cwd=runs)
    assert done.returncode == 0, done.stderr
    assert "advice against socratic" in done.stdout and "conviction change" in done.stdout
    found = json.loads((runs / "c" / "compare.json").read_text())
    assert [one["identical"] for one in found["contests"]] == [False, True]
    assert (runs / "c" / "compare.html").stat().st_size > 10_000


def test_an_unfinished_run_can_be_compared_when_that_is_allowed_and_the_page_keeps_saying_so(runs: Path) -> None:
    done = maieutic(
        "compare", "a", "half", "--arm", "eliza", "--allow", "unfinished", "--allow", "seeds", "--out", "c2", cwd=runs
    )
    assert done.returncode == 0, done.stderr
    assert "half is not finished" in (runs / "c2" / "compare.html").read_text()


def test_peoples_transcripts_with_a_case_are_an_arm(runs: Path) -> None:
    words = ["compare", "a", "people.csv", "--arm", "eliza", "--arm", "people", "--column", "case=patient"]
    done = maieutic(*words, "--measure", "open_among_asking_turns", "--out", "c3", cwd=runs)
    assert done.returncode == 0, done.stderr
    (one,) = json.loads((runs / "c3" / "compare.json").read_text())["contests"]
    row = next(r for r in one["measures"] if r["measure"] == "open_among_asking_turns" and r["group"] == "regular")
    assert one["paired_by"] == "case" and row["second"] == 1.0 and row["cases"] >= 1
    hidden = next(r for r in one["measures"] if r["measure"] == "conviction_change" and r["group"] == "regular")
    assert hidden["verdict"] == "missing" and hidden["missing"]


def test_a_gate_writes_its_files_and_ends_with_1_when_it_does_not_pass(runs: Path) -> None:
    done = maieutic("gate", "a", "--policy", "assistive", "--therapist", "socratic", cwd=runs)
    assert done.returncode == 1, done.stderr
    assert "does not pass" in done.stdout
    (suite,) = JUnitXml.fromfile(str(runs / "a" / "gate" / "junit.xml"))
    assert suite.errors == 6  # the gap battery was not run, and three cases give no interval
    assert "not measured" in (runs / "a" / "gate" / "gate.md").read_text()


def test_a_leaderboard_of_two_runs_needs_no_new_session(runs: Path) -> None:
    done = maieutic("leaderboard", "a", "b", "--out", "board", cwd=runs)
    assert done.returncode == 0, done.stderr
    board = json.loads((runs / "board" / "leaderboard.json").read_text())
    assert {one["name"] for one in board["entrants"]} == {"socratic", "advice", "eliza (a)", "eliza (b)"}
    assert "tiers need 6 or more" in done.stdout


@pytest.mark.slow
def test_a_tournament_plays_rates_and_goes_on(tmp_path: Path) -> None:
    words = ["tournament", "--therapist", "oracle", "--therapist", "advice", "--turns", "10", "--seeds", "1"]
    words += [word for case in STARTERS[:8] for word in ("--cases", case)]
    done = maieutic(*words, "--out", "cup", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    board = json.loads((tmp_path / "cup" / "leaderboard.json").read_text())
    assert board["tiers"][-1] == ["advice"] and board["share_of_sessions"] <= 1.0
    again = maieutic(*words, "--out", "cup", "--resume", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert json.loads((tmp_path / "cup" / "leaderboard.json").read_text())["tiers"] == board["tiers"]
    assert maieutic(*words, "--out", "cup", cwd=tmp_path).returncode == 2


@pytest.mark.slow
def test_a_person_who_keeps_a_session_meets_the_same_mind_when_it_is_played_again(tmp_path: Path) -> None:
    for said in ("What happened?", "What went through your mind then?", "What would tell you that it is not so?"):
        maieutic("chat", "gethin", "--session", "talk.json", "--say", said, cwd=tmp_path)
    from maieutic.comparing.sources import read_source

    (one,) = read_source(tmp_path / "talk.json").episodes
    assert (one.key.therapist, one.key.case, len(one.therapist_turns)) == ("people", "gethin", 3)
    assert len(one.states) == 4 and one.provenance["warranted"] is not None
    assert one == read_source(tmp_path / "talk.json").episodes[0]


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("therapist", "verdict"), [("socratic", "passes, all 3 rules hold"), ("weak.py:make", "does not pass")]
)
def test_the_steps_of_the_github_action_run_at_the_desk(tmp_path: Path, therapist: str, verdict: str) -> None:
    (tmp_path / "weak.py").write_text(BREAKS_ON_ONE_PATIENT)
    action = yaml.safe_load((ROOT / "examples" / "gate" / "action.yml").read_text())["jobs"]["gate"]
    (tmp_path / ".github").mkdir()
    (tmp_path / ".github" / "gate.yaml").write_text((ROOT / "examples" / "gate" / "gate.yaml").read_text())
    env = {
        **os.environ,
        **action["env"],
        "THERAPIST": therapist,
        "SEEDS": "1",
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
    }
    env["PATH"] = f"{Path(sys.executable).parent}:{env['PATH']}"
    for step in action["steps"]:
        if "run" in step and step["name"] != "Install":  # it is installed already
            done = subprocess.run(
                ["bash", "-ec", step["run"]], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=500
            )
            stops = step["name"].startswith("Hold") and therapist != "socratic"
            assert done.returncode == int(stops), (step["name"], done.stdout, done.stderr)
    assert verdict in (tmp_path / "summary.md").read_text()


def test_a_folder_that_is_no_run_is_told_as_such_with_the_runs_in_it(tmp_path: Path) -> None:
    from maieutic.comparing.sources import read_source

    (tmp_path / "runs" / "first").mkdir(parents=True)
    (tmp_path / "runs" / "first" / "manifest.json").write_text("{}")
    with pytest.raises(RunFolderError, match=r"runs is no run folder .*; the runs in it are .*first"):
        read_source(tmp_path / "runs")
