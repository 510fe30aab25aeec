"""`score --measure`: measures by id and of the user's own on real transcripts, and what is told when they cannot be had."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from command_line import maieutic
from maieutic import Score, registry, score_paths
from maieutic.cli.options import read_workers
from maieutic.errors import InputError
from maieutic.registry import load_measures
from maieutic.scoring.score_run import ScoreOptions
from maieutic.workers.command import scoring_on

MINE = """
from maieutic import Score


def zebra_share(episode):
    \"\"\"Share of therapist turns that name a zebra.\"\"\"
    said = [(i, turn.text) for i, turn in enumerate(episode.session.turns) if turn.speaker == "therapist"]
    if any("quagga" in text for _, text in said):
        raise ValueError("a quagga is none")
    shown = tuple(i for i, text in said if "zebra" in text)
    return Score("zebra_share", len(shown) / len(said), "share of therapist turns", evidence=shown)
"""
TALK = (
    ("client", "I feel sad about what I said to my sister."),
    ("therapist", "You feel sad about it, and you think of the zebra."),
    ("client", "Yes, I keep thinking of it."),
    ("therapist", "What went through your mind when you saw her?"),
    ("client", "That she will not come back."),
    ("therapist", "You should call her tomorrow, and tell her."),
)


def forget() -> None:
    registry._makers["measure"].pop("zebra_share", None)
    registry._asked.clear()


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    rows = ["session,speaker,text"]
    for session, beast in (("a", "zebra"), ("b", "horse"), ("c", "quagga")):
        rows += [f'{session},{who},"{text.replace("zebra", beast)}"' for who, text in TALK]
    (tmp_path / "talk.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    yield tmp_path
    forget()


def scores(run: Path, measure: str) -> dict[str, tuple[float | None, str | None, list[int]]]:
    table = pl.read_parquet(run / "scores.parquet").filter(pl.col("measure") == measure)
    return {row["session"]: (row["value"], row["reason"], row["evidence"]) for row in table.iter_rows(named=True)}


@pytest.mark.parametrize("workers", [(), ("--workers", "1")], ids=["here", "on a worker"])
def test_one_function_scores_transcripts_as_it_scores_simulated_sessions(here: Path, workers: tuple[str, ...]) -> None:
    asked = ("--measure", "mine.py:zebra_share", "--measure", "conviction_change", "--measure", "advice_rate")
    done = maieutic(
        "score", "talk.csv", "--out", "run", *asked, "--measure", "stage_order", *workers, "--keep-text", cwd=here
    )
    assert done.returncode == 0, done.stderr
    run = here / "run"
    mine = scores(run, "zebra_share")
    assert mine["a"] == (pytest.approx(1 / 3), None, [1]) and mine["b"] == (0.0, None, [])
    assert mine["c"][0] is None and "ValueError: a quagga is none" in (mine["c"][1] or "")
    assert {value for value, _, _ in scores(run, "conviction_change").values()} == {None}
    assert scores(run, "conviction_change")["a"][1] == "the patient has no recorded hidden state"
    assert scores(run, "advice_rate")["b"] == (pytest.approx(1 / 3), None, [5])
    with (run / "scores.csv").open(encoding="utf-8-sig", newline="") as file:
        head = next(csv.reader(file))
    for name in ("zebra_share", "conviction_change", "advice_rate", "stage_order"):
        assert f"{name} (not validated)" in head
    assert "Zebra share" in (run / "report.html").read_text() and "Zebra share" in (run / "summary.html").read_text()
    assert "Asked for" in done.stdout and "Zebra share" in done.stdout
    columns = (run / "columns.csv").read_text(encoding="utf-8-sig")
    assert 'Share of therapist turns that name a zebra.,"share, 0 to 1"' in columns


def test_what_was_not_asked_for_is_not_computed(here: Path) -> None:
    done = maieutic("score", "talk.csv", "--out", "run", cwd=here)
    assert done.returncode == 0, done.stderr
    assert scores(here / "run", "advice_rate") == {} and scores(here / "run", "zebra_share") == {}
    assert "Asked for" not in done.stdout


def test_a_measure_that_a_worker_does_not_know_is_refused_before_anything_is_scored(here: Path) -> None:
    registry.measure("zebra_share")(lambda episode: Score("zebra_share", 1.0, "share"))
    with pytest.raises(InputError, match="measures"):
        score_paths([here / "talk.csv"], out=here / "run", spread=scoring_on(read_workers("1")))
    assert not (here / "run").exists()


def test_what_one_call_asks_for_is_not_in_the_next(here: Path) -> None:
    usual = [one.id for one in load_measures()]
    own = f"{here / 'mine.py'}:zebra_share"
    score_paths([here / "talk.csv"], out=here / "one", options=ScoreOptions(measures=(own, "advice_rate")))
    assert scores(here / "one", "zebra_share") and scores(here / "one", "advice_rate")
    score_paths([here / "talk.csv"], out=here / "two")
    assert not scores(here / "two", "zebra_share") and not scores(here / "two", "advice_rate")
    assert [one.id for one in load_measures()] == usual and "zebra_share" not in registry.known("measure")


def test_a_gate_scores_peoples_sessions_by_what_its_rules_ask_for(here: Path) -> None:
    rows = (here / "talk.csv").read_text(encoding="utf-8").splitlines()
    people = [f"{rows[0]},case", *(f"{row},gethin" for row in rows[1:])]
    (here / "people.csv").write_text("\n".join(people) + "\n", encoding="utf-8")
    (here / "gate.yaml").write_text(GATE, encoding="utf-8")
    done = maieutic("gate", "people.csv", "--policy", "gate.yaml", "--out", "gate", cwd=here)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passes" in (here / "gate" / "gate.md").read_text()


GATE = """
name: long enough
rules:
  - {id: words, heading: engagement, measure: session_words, why: x, basis: assumption, at_least: 1, holds_for: estimate}
"""
BAD = {
    "an unknown id": ("stage_ordr", "no measure named 'stage_ordr'. Did you mean 'stage_order'?"),
    "no such file": ("none.py:zebra_share", "no file 'none.py'"),
    "no such name": ("mine.py:zebra", "Did you mean 'zebra_share'?"),
    "a file that does not load": ("broken.py:zebra_share", "broken.py failed while it was imported: ZeroDivisionError"),
    "an id of ours": ("over.py:reflection_rate", "over.py:reflection_rate: 'reflection_rate' is the id of another"),
    "no name": ("mine.py", "expected an id or FILE.py:NAME"),
}


@pytest.mark.parametrize(("spec", "says"), BAD.values(), ids=BAD)
@pytest.mark.parametrize("command", ["score", "evaluate", "rescore"])
def test_a_measure_that_cannot_be_had_is_one_clear_line_before_anything_is_written(
    here: Path, command: str, spec: str, says: str
) -> None:
    (here / "broken.py").write_text("1 / 0\n", encoding="utf-8")
    (here / "over.py").write_text("def reflection_rate(episode):\n    return None\n", encoding="utf-8")
    arguments = {"score": ("talk.csv", "--out", "run"), "evaluate": ("--out", "run"), "rescore": ("run",)}[command]
    done = maieutic(command, *arguments, "--measure", spec, cwd=here)
    assert done.returncode == 2, done.stdout + done.stderr
    assert says in " ".join(done.stderr.split()) and "Traceback" not in done.stderr
    assert not (here / "run").exists()


def test_every_measure_of_transcripts_can_be_asked_for_in_a_simulated_run(here: Path) -> None:
    arms = ("--therapist", "socratic", "--therapist", "no_session", "--cases", "gethin", "--seeds", "1", "--turns", "4")
    done = maieutic("evaluate", *arms, "--out", "run", "--measure", "session_words", cwd=here)
    assert done.returncode == 0, done.stderr
    forget()
    assert "session words" in (here / "run" / "report.html").read_text()
    done = maieutic("rescore", "run", "--measure", "style_matching", cwd=here)
    assert done.returncode == 0, done.stderr
    found = pl.read_parquet(here / "run" / "scores.parquet")
    assert "style_matching" in found["measure"] and "session_words" not in found["measure"]
    assert "since not named again: session_words" in " ".join(done.stdout.split())
