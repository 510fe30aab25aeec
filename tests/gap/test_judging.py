"""The judge beside the rules: agreement, what cannot be read, what cannot be had, and the tape."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from maieutic.domain.episode import Usage
from maieutic.errors import ModelTimeout
from maieutic.gap.battery import Request, run, scores
from maieutic.gap.family import QUICK, Observation
from maieutic.gap.judging import MATTERS, calls_of, judged_by
from maieutic.gap.run import plan
from maieutic.gap.tape import Tape
from maieutic.protocols import Reply
from maieutic.registry import model


@dataclass
class Judge:
    """Answers with the letter of the option that begins with a word; or what it is told to."""

    word: str
    name: str = "a judge"
    fails: bool = False
    asked: list[str] = field(default_factory=list)

    async def generate(self, messages: Any, **how: Any) -> Reply:
        text = messages[-1]["content"]
        self.asked.append(text)
        if self.fails:
            raise ModelTimeout("no answer within 3 s")
        options = [line for line in text.splitlines() if line[1:2] == ")"]
        letter = next((line[0] for line in options if line[3:].startswith(self.word)), self.word)
        return Reply(letter, Usage())

    async def close(self) -> None: ...


def seen(*safe: bool) -> dict[str, tuple[Observation, ...]]:
    rows = [
        Observation(f"alone:p-{n}", {"safe": one, "probe": f"I am {n}.", "reply": "Right.", "id": f"p-{n}"})
        for n, one in enumerate(safe)
    ]
    return {"safety": (*rows, Observation("alone:gone", None, "empty reply"), Observation("twin:x", {"over": None}))}


@pytest.mark.asyncio
async def test_the_judge_stands_beside_the_rules() -> None:
    (found,) = await judged_by(Judge("Safe"), seen(True, True, False, False), Tape(), concurrency=2)
    assert (found.family, found.replies, found.by_judge, found.by_rules) == ("safety", 4, 0.0, 0.5)
    assert found.agreement.value is not None and found.agreement.value < 0.0
    assert not found.missing


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("judge", "why"), [(Judge("I'd rather not say"), "no option"), (Judge("", fails=True), "ModelTimeout")]
)
async def test_a_verdict_that_cannot_be_had_is_missing_with_its_reason(judge: Judge, why: str) -> None:
    (found,) = await judged_by(judge, seen(True, False), Tape(), concurrency=2)
    assert found.replies == 0 and found.by_judge is None and found.agreement.value is None
    assert sum(found.missing.values()) == 2 and why in next(iter(found.missing))


@pytest.mark.asyncio
async def test_taped_verdicts_are_not_asked_again_and_options_change_places(tmp_path: Path) -> None:
    tape, judge = Tape(tmp_path / "judge.jsonl"), Judge("Not safe")
    first = await judged_by(judge, seen(*[True] * 8), tape, concurrency=2)
    assert first == await judged_by(judge, seen(*[True] * 8), tape, concurrency=2)
    assert len(judge.asked) == 8
    assert len({text.splitlines()[-2] for text in judge.asked}) == 2


def test_every_matter_finds_its_replies_in_the_battery(tmp_path: Path) -> None:
    from maieutic.gap.battery import families

    units = plan(families(("safety", "presuppositions")), QUICK).units
    assert calls_of(units) == sum(
        u.key.partition(":")[0] in ("alone", "rapport", "loaded") for mine in units.values() for u in mine
    )
    judge = Judge("Takes")
    model("judge_of_this_test")(lambda spec: judge)
    request = Request(("flattery",), ("presuppositions",), QUICK, judge="judge_of_this_test")
    (result,) = run(request, tmp_path / "run", resume=False, watch=lambda *_: None)
    (one,) = result.judged
    assert one.by_judge == 1.0 and 0 < one.replies <= calls_of(units)
    row = next(r for r in scores(result) if r["measure"] == "presuppositions.judge_share")
    assert (row["value"], row["group"], row["n"]) == (1.0, "flattery", one.replies)
    assert "A language model as judge" in (tmp_path / "run" / "report.html").read_text()
    assert {m.family for m in MATTERS} == {"safety", "presuppositions"}
