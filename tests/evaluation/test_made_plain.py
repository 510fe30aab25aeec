"""A run with a therapist that writes Markdown: the words are plain, the originals are kept, and the run says so."""

from __future__ import annotations

import shutil
from io import StringIO
from pathlib import Path

import orjson
import polars as pl
import pytest
from rich.console import Console

from maieutic.evaluation.evaluate import Outcome, Request, evaluate, rescore
from maieutic.evaluation.tables import print_table

BOT = '''
"""A bot that says one thing, in plain words or in Markdown."""
from maieutic.domain.episode import Turn

class Bot:
    name = "bot"
    def __init__(self, text):
        self.text = text
    async def respond(self, session):
        assert all("**" not in turn.text for turn in session.turns)
        return Turn("therapist", self.text)

def plain():
    return Bot("You sound worn out. What went through your mind?")

def bold():
    return Bot("<think>Ask.</think>You sound worn out. **What went through your mind?**")

def thinking():
    return Bot("<think>I should ask what went through")
'''


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    path = tmp_path / "bot.py"
    path.write_text(BOT, encoding="utf-8")
    return path


def _run(bot: Path, name: str, out: Path) -> Outcome:
    return evaluate(Request(therapists=(f"{bot}:{name}",), cases=("gethin",), seeds=1, turns=3), out)


def test_a_run_says_what_was_made_plain_and_keeps_it(bot: Path, tmp_path: Path) -> None:
    clean, dressed = _run(bot, "plain", tmp_path / "plain"), _run(bot, "bold", tmp_path / "bold")
    assert clean.summary.cleaned == ()
    assert [one.counts for one in dressed.summary.cleaned] == [{"reasoning": 3, "Markdown": 3}]
    told = f"{bot.name}:bold: reasoning in 3 of 3 therapist turns, Markdown in 3"
    screen = Console(file=StringIO(), width=400)
    print_table(dressed.summary, screen)
    assert told in screen.file.getvalue()  # type: ignore[attr-defined]
    page = (tmp_path / "bold" / "report.html").read_text(encoding="utf-8")
    assert told in page and "&lt;think&gt;Ask.&lt;/think&gt;You sound worn out. **What" in page
    assert "as it was written" not in (tmp_path / "plain" / "report.html").read_text(encoding="utf-8")
    rows = orjson.loads((tmp_path / "bold" / "scores.json").read_bytes())
    assert {(r["measure"], r["value"], r["n"]) for r in rows if r["measure"].startswith("cleaned")} == {
        ("cleaned.therapist.reasoning", 1.0, 3),
        ("cleaned.therapist.Markdown", 1.0, 3),
    }
    turns = pl.read_parquet(tmp_path / "bold" / "turns.parquet")
    assert turns["original"].null_count() == turns.filter(pl.col("speaker") == "patient").height
    assert "original" not in pl.read_parquet(tmp_path / "plain" / "turns.parquet").columns
    assert b'"original"' not in (tmp_path / "plain" / "journal" / "0001.jsonl").read_bytes()


def test_a_resumed_and_a_rescored_run_are_the_same_run(bot: Path, tmp_path: Path) -> None:
    whole = _run(bot, "bold", tmp_path / "whole")
    cut = tmp_path / "cut"
    shutil.copytree(tmp_path / "whole", cut)
    journal = cut / "journal" / "0001.jsonl"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:4]))
    again = evaluate(Request(therapists=(f"{bot}:bold",), cases=("gethin",), seeds=1, turns=3), cut, resume=True)
    assert again.episodes == whole.episodes
    assert rescore(cut).summary.cleaned == whole.summary.cleaned


def test_a_reply_that_is_all_reasoning_fails_with_that_reason(bot: Path, tmp_path: Path) -> None:
    (episode,) = _run(bot, "thinking", tmp_path / "thinking").episodes
    assert episode.failed and "holds no words, only reasoning" in str(episode.ending.reason)
