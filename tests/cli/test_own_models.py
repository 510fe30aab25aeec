"""Bringing a model, as a user does it: names, settings, going on, outages, bots, a study in a file, tables."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import command_line
from endpoints import serving
from fake_server import FakeServer, Faults
from maieutic.evaluation.study import Study, read_study
from maieutic.runs.work import Shard, WorkersSpec

SMALL = ["--turns", "3", "--cases", "gethin", "--cases", "nilani", "--seeds", "1"]
FILES = ("episodes.parquet", "turns.parquet", "scores.parquet", "scores.json", "tables/arms.csv")


@pytest.fixture
def maieutic(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Runs the command in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return command_line.maieutic


def manifest() -> dict[str, Any]:
    return json.loads(Path("run/manifest.json").read_text())  # type: ignore[no-any-return]


def contents() -> list[bytes]:
    return [(Path("run") / name).read_bytes() for name in FILES]


def test_two_models_are_compared_under_short_names_at_80_columns(maieutic: Any) -> None:
    with serving(Faults()) as (url, _):
        arms = [f"prompted:{url}/v1#meta/Llama-3.1-8B-Instruct-{name}" for name in ("base", "tuned")]
        words = [word for arm in arms for word in ("--therapist", arm)]
        words += ["--therapist", "no_session"]
        code, out, err = maieutic("evaluate", *words, *SMALL, "--out", "run", columns=80)
    assert code == 0, err
    names = ["Llama-3.1-8B-Instruct-base", "Llama-3.1-8B-Instruct-tuned"]
    for name in names:
        assert re.search(rf"^{name} ", out, re.M), out
    assert all(len(line) <= 80 for line in out.splitlines())
    assert re.search(rf"^{names[0]} − {names[1]} +[−+]?\d+\.\d \[n < 6\] +2", out, re.M), out
    assert "n < 6: too few cases for an interval" in " ".join(out.split())
    assert pl.read_parquet("run/turns.parquet")["therapist"].unique().sort().to_list() == [*names, "no_session"]
    (difference,) = pl.read_csv("run/tables/differences.csv").to_dicts()
    assert (difference["first"], difference["second"], difference["pairs"]) == (*names, 2)
    page = Path("run/report.html").read_text()
    assert f"{url}/v1#meta/Llama-3.1-8B-Instruct-base" in page  # once, in the head
    assert all(f">{name}</text>" in page for name in names)  # whole on the chart


def test_settings_reach_the_server_and_the_manifest(maieutic: Any) -> None:
    Path("warm.txt").write_text("Be warm.\n")
    with serving(Faults()) as (url, server):
        assert server is not None
        words = ["--therapist", f"gpt=prompted:{url}#m", "--temperature", "0.1", "--top-p", "gpt=0.8"]
        more = ["--max-tokens", "99", "--system", "gpt=warm.txt", "--therapist", "eliza"]
        code, _, err = maieutic("evaluate", *words, *more, *SMALL, "--out", "run")
        asked = server.last
    assert code == 0, err
    assert (asked["temperature"], asked["top_p"]) == (0.1, 0.8)
    assert asked["messages"][0] == {"role": "system", "content": "Be warm."}
    kept = manifest()["arms"]
    assert kept["gpt"] | {"system_sha256": ""} == {
        "spec": f"prompted:{url}#m", "temperature": 0.1, "top_p": 0.8, "max_tokens": 99, "system": "Be warm.",
        "system_sha256": "",
    }  # fmt: skip
    assert kept["eliza"] == {"spec": "eliza"}


@pytest.mark.parametrize("words", [("--resume", "run"), ("run", "--resume"), ("--resume", "--out", "run")])
def test_a_run_goes_on_with_its_folder_and_nothing_else(maieutic: Any, words: tuple[str, ...]) -> None:
    with serving(Faults()) as (url, server):
        assert server is not None
        started = ["evaluate", "--therapist", f"mine=prompted:{url}#m", *SMALL, "--temperature", "0.3", "--out", "run"]
        code, _, err = maieutic(*started, "--max-calls", "2", "--concurrency", "1")
        assert code == 130 and "maieutic evaluate --resume run" in err, err
        code, out, err = maieutic("evaluate", *words)
        assert code == 0 and "mine" in out, err
        assert server.last["temperature"] == 0.3
        assert server.counts["calls"] == 1 + 6 + 2 + 1  # a preflight each, every turn once, a question a session
    assert maieutic("evaluate", "--resume", "run")[0] == 0  # nothing is left to do, and nobody is asked


CHANGED = {
    "turns": (["--turns", "8"], "--turns (3, now 8)"),
    "arm": (["--therapist", "advice"], "--therapist (advice is new, eliza is missing)"),
    "seed": (["--seed", "7"], "--seed (0, now 7)"),
    "seeds": (["--seeds", "2"], "--seeds (eliza: 1, now 2)"),
    "cases": (["--cases", "hester"], "--cases (gethin is missing, hester is new, nilani is missing)"),
}


@pytest.mark.parametrize(("words", "says"), CHANGED.values(), ids=CHANGED)
def test_changed_options_are_refused_by_name(maieutic: Any, words: list[str], says: str) -> None:
    assert maieutic("evaluate", "--therapist", "eliza", *SMALL, "--out", "run")[0] == 0
    before = contents()
    code, _, err = maieutic("evaluate", "--resume", "run", *words)
    assert code == 2 and says in err, err
    assert contents() == before


@pytest.mark.parametrize("words", [("--resume", "nowhere"), ("--resume", "--out", "nowhere"), ("--resume",)])
@pytest.mark.parametrize("command", ["evaluate", "gap"])
def test_nothing_starts_where_there_is_nothing_to_go_on_with(
    maieutic: Any, command: str, words: tuple[str, ...]
) -> None:
    code, out, err = maieutic(command, *words)
    assert code == 2 and not out
    assert "nowhere is no run folder" in err or "--resume found no" in err
    assert not any(Path().iterdir())


def test_resume_alone_goes_on_with_the_run_that_was_stopped_last(maieutic: Any) -> None:
    for name in ("stopped", "finished"):
        assert maieutic("evaluate", "--therapist", "eliza", *SMALL, "--out", f"runs/{name}")[0] == 0
    Path("runs/stopped/report.html").unlink()
    code, _, err = maieutic("evaluate", "--resume")
    assert code == 0, err
    assert Path("runs/stopped/report.html").exists()
    code, _, err = maieutic("evaluate", "--resume")
    assert code == 2 and "found no unfinished run of maieutic evaluate" in err


class Outage(FakeServer):
    """Answers so many calls and then 503, until it is mended."""

    def __init__(self, answers: int) -> None:
        super().__init__(Faults())
        self.left: int | None = answers

    def answer(self, headers: bytes, body: bytes) -> tuple[bytes | None, bool]:
        if self.left is not None and (left := self.left - 1) < 0:
            self.counts["calls"] += 1
            return b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\ngone", False
        if self.left is not None:
            self.left = left
        return super().answer(headers, body)


def test_after_an_outage_failed_dialogues_are_taken_up_where_they_failed(maieutic: Any) -> None:
    cases = ("gethin", "hester", "ifeoma", "nilani")
    words = [word for case in cases for word in ("--cases", case)] + ["--seeds", "1", "--turns", "4", "--out", "run"]
    with serving(None, server=Outage(7)) as (url, server):
        assert isinstance(server, Outage)
        spec = f"mine=prompted:{url}#m?attempts=1&backoff=0&outage=0"
        code, _, err = maieutic("evaluate", "--therapist", spec, *words)
        assert code == 3 and "maieutic evaluate --resume run --retry-failed" in err, err
        said = sum(
            line.count('"speaker":"therapist"') for line in Path("run/journal/0001.jsonl").read_text().splitlines()
        )
        server.left = None
        assert maieutic("evaluate", "--resume", "run")[0] == 3  # failed dialogues stay as they are unless asked for
        before = server.counts["answered"]
        code, _, err = maieutic("evaluate", "--resume", "run", "--retry-failed")
        asked = server.counts["answered"] - before
    assert code == 0 and "failed" not in err, err
    episodes = pl.read_parquet("run/episodes.parquet")
    assert len(episodes) == len(cases) and "failed" not in episodes["ending"].to_list()
    turns = pl.read_parquet("run/turns.parquet").filter(pl.col("speaker") == "therapist")
    assert len(turns) == episodes["therapist_turns"].sum() and said > 0
    assert asked < 1 + len(turns) + len(cases)  # what was said before the outage was not asked again


def test_an_outage_that_passes_costs_nothing(maieutic: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maieutic.models.http._LOOK_AGAIN", 0.01)
    server = Outage(4)
    away, answer = iter(range(40)), server.answer

    def passes(headers: bytes, body: bytes) -> tuple[bytes | None, bool]:
        if server.left == 0 and next(away, None) is None:
            server.left = None
        return answer(headers, body)

    monkeypatch.setattr(server, "answer", passes)
    with serving(None, server=server) as (url, _):
        spec = f"mine=prompted:{url}#m?attempts=1&backoff=0"
        code, _, err = maieutic("evaluate", "--therapist", spec, *SMALL, "--out", "run")
    assert code == 0, err
    assert server.counts["calls"] >= 40 + 9


BOT = """from maieutic import Turn
import time


class Bot:
    name = "bot"

    async def respond(self, session):
        {does}


make = Bot
"""
BOTS = {
    "sleeps": ("time.sleep(30)", "bot.py:make gave nothing within 0.2 s"),
    "returns a string": (
        "return 'What happened?'",
        "bot.py:make returned a str from respond() where a Turn is expected",
    ),
    "returns None": ("pass", "bot.py:make returned nothing (None)"),
    "breaks": ("return {}['mood']", "bot.py:make failed with KeyError: 'mood' (bot.py, line 9)"),
}


@pytest.mark.parametrize(("does", "says"), BOTS.values(), ids=BOTS)
@pytest.mark.parametrize("command", ["evaluate", "gap"])
def test_a_wrong_bot_is_one_clear_line(maieutic: Any, command: str, does: str, says: str) -> None:
    Path("bot.py").write_text(BOT.format(does=does))
    words = [command, "--therapist", "bot.py:make", "--timeout", "0.2", "--out", "run"]
    code, _, err = maieutic(*words)
    assert code == 2 and f"error: bot.py:make gave no usable reply to one call: {says}" in err, err
    assert not Path("run").exists() and "Traceback" not in err
    extent = SMALL if command == "evaluate" else ["--quick", "--family", "push_support"]
    code, _, err = maieutic(*words, *extent, "--no-preflight", "--stop-after", "2", "--concurrency", "1")
    assert code == 3 and "Traceback" not in err, err
    assert says in err or "no reply within 0.2 s" in err, err


STUDY = """
therapists:
  gpt:
    therapist: prompted:{url}#m
    temperature: 0.4
    system: warm.txt
  eliza:
cases: [gethin, nilani]
seeds: 1
turns: 3
max_tokens: 50
concurrency: 2
out: run
"""


def test_a_study_in_a_file_says_the_same_as_the_options(maieutic: Any) -> None:
    Path("warm.txt").write_text("Be warm.")
    with serving(Faults()) as (url, _):
        Path("study.yaml").write_text(STUDY.format(url=url))
        code, _, err = maieutic("evaluate", "study.yaml")
        assert code == 0, err
        told, made = manifest(), contents()
        words = ["--therapist", f"gpt=prompted:{url}#m", "--therapist", "eliza", *SMALL, "--max-tokens", "50"]
        more = ["--temperature", "gpt=0.4", "--system", "gpt=warm.txt", "--out", "again"]
        assert maieutic("evaluate", *words, *more)[0] == 0
        Path("run").rename("first")
        Path("again").rename("run")
        assert manifest() == told and contents() == made
        assert maieutic("evaluate", "study.yaml", "--turns", "2", "--out", "other")[0] == 0
        assert json.loads(Path("other/manifest.json").read_text())["turns"] == 2  # options go before the file


WRONG = {
    "an unknown key": ("truns: 3", "no setting in study.yaml named 'truns'. Did you mean 'turns'?"),
    "an unknown key of an arm": (
        "therapists: {a: {therapist: eliza, temprature: 1}}",
        "no setting in study.yaml named 'temprature'. Did you mean 'temperature'?",
    ),
    "a word for a number": ("turns: many", "study.yaml: turns: "),
    "no settings": ("just words", "study.yaml holds no settings"),
    "no YAML": ("turns: [", "study.yaml is not a YAML text"),
    "out of range": ("temperature: 9", "--temperature must lie between 0 and 2"),
    "a file that is not there": ("system: gone.txt", "no file 'gone.txt'"),
    "no such part": ("shard: 3/2", "--shard expects I/N with I from 1 to N, such as 2/8, got '3/2'"),
    "no number of workers": ("workers: many", "--workers expects a number of processes"),
    "an unknown therapist": ("therapists: [socratik]", "Did you mean 'socratic'?"),
}


@pytest.mark.parametrize(("text", "says"), WRONG.values(), ids=WRONG)
def test_a_wrong_study_is_one_clear_line(maieutic: Any, text: str, says: str) -> None:
    Path("study.yaml").write_text(text)
    code, _, err = maieutic("evaluate", "study.yaml")
    assert code == 2 and says in err and len(err.splitlines()) == 1, err
    assert [path.name for path in Path().iterdir()] == ["study.yaml"]


def test_the_study_of_the_pages_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (Path(__file__).parents[2] / "docs" / "runs.md").read_text().partition("```yaml\n")[2].partition("```")[0]
    monkeypatch.chdir(tmp_path)
    Path("prompts").mkdir()
    Path("prompts/warm.txt").write_text("Be warm.")
    Path("study.yaml").write_text(text)
    study = read_study(Path("study.yaml"))
    assert study.words["therapists"][2:] == ["worksheet", "no_session"]
    assert study.words["settings"]["warm"].given == {"temperature": 1.0, "system": "Be warm."}
    assert study.words["timeout"] == 90.0 and study.words["out"] == Path("runs/warm-or-not")


def test_a_study_says_where_it_is_played_and_options_go_before_it(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text("workers: 2\nshard: 2/8\n")
    study = read_study(tmp_path / "study.yaml")
    assert (study.words["workers"], study.words["shard"]) == (WorkersSpec(count=2), Shard(2, 8))
    joined = Study.given(shard=Shard(1, 4), workers=WorkersSpec(count=3)).over(study)
    assert (joined.words["workers"], joined.asked().shard) == (WorkersSpec(count=3), Shard(1, 4))
    assert Study().over(study).words["workers"] == WorkersSpec(count=2)


def test_tables_are_csv_parquet_and_latex(maieutic: Any) -> None:
    words = ["--therapist", "eliza", "--therapist", "my_arm=advice", "--therapist", "no_session"]
    assert maieutic("evaluate", *words, *SMALL, "--out", "run")[0] == 0
    for name in ("arms", "lines", "differences", "measures"):
        csv, parquet = pl.read_csv(f"run/tables/{name}.csv"), pl.read_parquet(f"run/tables/{name}.parquet")
        assert csv.columns == parquet.columns and len(csv) == len(parquet) > 0
    arms = {row["arm"]: row for row in pl.read_parquet("run/tables/arms.parquet").to_dicts()}
    assert arms["my_arm"]["therapist"] == "advice" and arms["no_session"]["verdict"] == "reference"
    entries = {(e["measure"], e["group"]): e for e in json.loads(Path("run/scores.json").read_text())}
    assert arms["my_arm"]["effect"] == entries["effect", "my_arm"]["value"]
    tex = Path("run/tables/arms.tex").read_text()
    assert tex.startswith(r"\begin{tabular}") and r"my\_arm & " in tex and r"\bottomrule" in tex
    heads, *rows = [line for line in tex.splitlines() if line.endswith(r"\\")]
    assert len(rows) == 3 and {line.count(" & ") for line in rows} == {heads.count(" & ")}
    lines = [one["says"] for one in pl.read_csv("run/tables/lines.csv").to_dicts() if one["arm"] == "my_arm"]
    (mine,) = (row for row in rows if row.startswith(r"my\_arm"))
    told = mine.removesuffix(r" \\").split(" & ")[2:]
    assert [{"yes": "holds", "no": "fails"}.get(one, one) for one in told] == lines


def test_a_battery_goes_on_with_its_folder_and_its_settings(maieutic: Any) -> None:
    with serving(Faults()) as (url, server):
        assert server is not None
        words = ["--therapist", f"mine=prompted:{url}#m", "--temperature", "0.3", "--quick", "--family", "reads_into"]
        code, _, err = maieutic("gap", *words, "--out", "run", "--max-calls", "5")
        assert code == 130 and "maieutic gap --resume run" in err, err
        code, out, err = maieutic("gap", "--resume", "run")
        assert code == 0 and "Gap profile of mine" in out, err
        assert server.last["temperature"] == 0.3
        code, _, err = maieutic("gap", "--resume", "run", "--family", "lost")
        assert code == 2 and "--family (lost is new, reads_into is missing)" in err


def test_a_bot_behind_an_address_is_asked_outside_the_dialogue_under_its_own_prompt(maieutic: Any) -> None:
    with serving(Faults()) as (url, server):
        assert server is not None
        code, _, err = maieutic(
            "evaluate", "--therapist", f"bot={url}/v1#m", *SMALL[:4], "--seeds", "1", "--out", "run"
        )
        assert code == 0, err
        *talk, last = server.last["messages"]
        assert talk and "How strongly does the client believe" in last["content"]
        assert {one["role"] for one in (*talk, last)} == {"user", "assistant"} and "temperature" not in server.last
        told = json.loads(pl.read_parquet("run/episodes.parquet")["provenance"][0])["asked"]
        assert told["said"] and "cannot be asked" not in told.get("reason", "")
        code, out, err = maieutic(
            "gap", "--therapist", f"bot={url}/v1#m", "--quick", "--family", "safety", "--out", "gap"
        )
        assert code in (0, 3) and "cannot be asked outside" not in out + err, err
        values = json.loads(Path("gap/scores.json").read_text())
        assert "stigma_gap" in json.dumps(values)


POLICY = "name: own\nrules:\n- {id: works, heading: effectiveness, measure: MEASURE, at_least: -50, holds_for: estimate, why: w, basis: b}\n"


@pytest.mark.parametrize(
    ("measure", "says"),
    [("efect", "Did you mean 'effect'"), ("safety.critcal", "Did you mean 'safety.critical'"), ("dialogues.fialed", "dialogues.failed")],
)  # fmt: skip
@pytest.mark.parametrize("command", ["evaluate", "gap"])
def test_a_gate_on_a_measure_that_nothing_has_is_refused_before_the_run(
    maieutic: Any, command: str, measure: str, says: str
) -> None:
    Path("gate.yaml").write_text(POLICY.replace("MEASURE", measure))
    Path("gates.toml").write_text(f'[[gate]]\nmeasure = "{measure}"\nat_most = 1\n')
    words = ["--gate", "gate.yaml"] if command == "evaluate" else ["--family", "safety", "--gate", "gates.toml"]
    code, out, err = maieutic(command, "--therapist", "eliza", *words, "--out", "run")
    assert code == 2 and not out and not Path("run").exists()
    assert f"no measure named {measure!r}" in err and (says in err or command == "gap"), err


def test_a_run_is_held_against_its_policy_at_its_end(maieutic: Any) -> None:
    Path("gate.yaml").write_text(POLICY.replace("MEASURE", "effect"))
    words = ["--therapist", "eliza", "--therapist", "socratic", "--therapist", "no_session", *SMALL]
    code, out, err = maieutic("evaluate", *words, "--gate", "gate.yaml", "--out", "run")
    assert code == 0 and "socratic against 'own': passes, all 1 rules hold" in out, out + err
    assert json.loads(Path("run/gate/gate.json").read_text())["therapist"] == "socratic"  # eliza is a yardstick
    asked_again = maieutic("gate", "run", "--policy", "gate.yaml", "--therapist", "socratic", "--out", "again")
    assert asked_again[0] == 0
    for name in ("junit.xml", "gate.json", "gate.md", "checklist.md"):  # one code path
        assert (Path("run/gate") / name).read_bytes() == (Path("again") / name).read_bytes()
    Path("gate.yaml").write_text(POLICY.replace("MEASURE", "effect").replace("-50", "50"))
    assert maieutic("evaluate", "--resume", "run", "--gate", "gate.yaml")[0] == 1
    Path("study.yaml").write_text(
        "therapists: [eliza, no_session]\ncases: gethin\nseeds: 1\nturns: 2\ngate: gate.yaml\n"
    )
    assert maieutic("evaluate", "study.yaml", "--out", "other")[0] == 1


def test_a_policy_that_asks_for_more_than_a_run_measures_says_so_before_it(maieutic: Any) -> None:
    code, _, err = maieutic("evaluate", "--therapist", "eliza", "--gate", "collaborative", "--dry-run")
    assert code == 0 and "This run alone cannot pass 'collaborative'" in err and "critical-replies" in err
    code, _, err = maieutic("evaluate", "--therapist", "eliza", "--gate", "asistive", "--dry-run")
    assert code == 2 and "Did you mean 'assistive'" in err
    code, _, err = maieutic("evaluate", "--therapist", "eliza", "--baseline", "nowhere", "--dry-run")
    assert code == 2 and "name the policy with --gate" in err
    code, _, err = maieutic("evaluate", "--therapist", "eliza", "--gate", "assistive", "--baseline", "nowhere")
    assert code == 2 and "nowhere" in err and not Path("runs").exists()
