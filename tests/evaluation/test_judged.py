"""An admitted judge in `evaluate`: advice is read by it, the rest stays, and scoring again brings the rules back."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import orjson
import pytest

from maieutic.cli.wings import judge_reread
from maieutic.coding.schemes import REPLIES
from maieutic.domain.codes import Move
from maieutic.domain.episode import Usage
from maieutic.errors import BudgetReached, InputError
from maieutic.evaluation.evaluate import READERS_FILE, Request, evaluate, rescore
from maieutic.judging.admitted import cache_key
from maieutic.judging.rereading import advice_admission, reread_run
from maieutic.protocols import Reply

FACETS = {facet.id: facet.values[0].id for facet in REPLIES.facets}


class Judge:
    """Finds advice in every turn."""

    name = "a judge"

    async def generate(self, messages: Any, **how: Any) -> Reply:
        task = messages[-1]["content"]
        said = json.loads(next(line for line in task.splitlines() if line.startswith("[1]")).partition(": ")[2])
        item = {"n": 1, "labels": [], "quote": said, "facets": FACETS | {"advises": "yes"}}
        return Reply(json.dumps({"codes": [item]}), Usage())

    async def close(self) -> None: ...


def admitted(path: Path, reader: str) -> Path:
    told = {r: {"admitted": r == reader, "book": cache_key(REPLIES)} for r in ("advises", "stance")}
    found = {
        "kind": "admitted judge",
        "format": 1,
        "model": "a judge",
        "samples": 1,
        "temperature": 0.7,
        "readers": told,
    }
    path.write_bytes(orjson.dumps(found))
    return path


def rate(folder: Path) -> float:
    rows = json.loads((folder / "scores.json").read_text())
    return float(next(row["value"] for row in rows if row["measure"] == "advice_rate" and row["group"] == "eliza"))


def test_advice_is_read_by_the_judge_and_scoring_again_brings_the_rules_back(tmp_path: Path) -> None:
    run = tmp_path / "run"
    evaluate(Request(("eliza",), ("dev",), turns=3, limit=1), run)
    before = rate(run)
    found = advice_admission(admitted(tmp_path / "a.json", "advises"), Judge())  # type: ignore[arg-type]
    outcome = asyncio.run(reread_run(run, Judge(), found, lambda done, total: None))  # type: ignore[arg-type]
    assert before < 1.0 and rate(run) == 1.0
    assert json.loads((run / READERS_FILE).read_text()) == {"advises": "judge a judge"}
    assert all(Move.ADVICE in code for one in outcome.episodes for code in one.codes if code is not None)
    rescore(run)
    assert rate(run) == before and not (run / READERS_FILE).exists()


def test_the_judge_stops_at_the_calls_that_were_allowed_and_goes_on_from_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, path = tmp_path / "run", admitted(tmp_path / "a.json", "advises")
    evaluate(Request(("eliza",), ("dev",), turns=3, limit=1), run)
    before = rate(run)
    monkeypatch.setattr("maieutic.judging.command.load_model", lambda spec: Judge())
    with pytest.raises(BudgetReached):
        judge_reread("a-judge", path, 1)(run)
    assert rate(run) == before and not (run / READERS_FILE).exists()
    kept = (run / "journal-judge.jsonl").read_bytes()
    judge_reread("a-judge", path, None)(run)
    assert rate(run) == 1.0 and (run / "journal-judge.jsonl").read_bytes().startswith(kept)


def test_a_judge_that_is_not_admitted_for_advice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="evaluate can use a judge for advises only"):
        advice_admission(admitted(tmp_path / "a.json", "stance"), Judge())  # type: ignore[arg-type]
