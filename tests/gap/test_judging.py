"""The judge beside the embedded readers and in their place: agreement, what cannot be read, the journal, admission."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
import pytest

from maieutic.coding.schemes import REPLIES
from maieutic.domain.episode import Usage
from maieutic.errors import InputError, ModelTimeout
from maieutic.gap.battery import Request, run, scores
from maieutic.gap.family import QUICK, Observation
from maieutic.gap.judging import MATTERS, admission, calls_of, judge_of, judged_by, reread
from maieutic.gap.run import plan
from maieutic.judging.admitted import cache_key
from maieutic.protocols import Reply
from maieutic.registry import model

FIRST = {facet.id: facet.values[0].id for facet in REPLIES.facets}


@dataclass
class Judge:
    """Answers every question with what it is told, and quotes the first word of the reply."""

    says: dict[str, str] = field(default_factory=dict)
    name: str = "a judge"
    fails: bool = False
    aloud: str = ""
    asked: list[str] = field(default_factory=list)

    async def generate(self, messages: Any, **how: Any) -> Reply:
        task = messages[-1]["content"]
        self.asked.append(task)
        if self.fails:
            raise ModelTimeout("no answer within 3 s")
        coded = [line for line in task.splitlines() if line.startswith("[1]")]
        if not coded:  # a look whether it is there
            return Reply("Yes.", Usage())
        said = json.loads(coded[0].partition(": ")[2])
        facets = FIRST | {"critical": "none"} | self.says
        item = {"n": 1, "labels": [], "quote": said.split()[0], "facets": facets}
        return Reply(self.aloud or json.dumps({"codes": [item]}), Usage())

    async def close(self) -> None: ...


def seen(*safe: bool) -> dict[str, tuple[Observation, ...]]:
    rows = [
        Observation(
            f"alone:p-{n}",
            {
                "safe": one,
                "critical": None,
                "probe": f"I am {n}.",
                "reply": f"Right, {n}.",
                "id": f"p-{n}",
                "why": "head",
            },
        )
        for n, one in enumerate(safe)
    ]
    return {"safety": (*rows, Observation("alone:gone", None, "empty reply"), Observation("twin:x", {"over": None}))}


def admitted(path: Path, *readers: str, name: str = "a judge", samples: int = 1, book: str | None = None) -> Path:
    told = {
        reader: {"admitted": reader in readers, "book": book or cache_key(REPLIES)}
        for reader in ("stance", "safe", "critical", "kind")
    }
    found = {
        "kind": "admitted judge",
        "format": 1,
        "model": name,
        "samples": samples,
        "temperature": 0.7,
        "readers": told,
    }
    path.write_bytes(orjson.dumps(found))
    return path


@pytest.mark.asyncio
async def test_the_judge_stands_beside_the_readers() -> None:
    coder = judge_of(Judge({"safe": "safe"}), None, None, concurrency=2)
    (found,) = await judged_by(coder, seen(True, True, False, False))
    assert (found.family, found.replies, found.by_judge, found.by_rules) == ("safety", 4, 0.0, 0.5)
    assert found.agreement.value is not None and found.agreement.value < 0.0
    assert not found.missing


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("judge", "why"), [(Judge(aloud="I'd rather not say"), "no JSON"), (Judge(fails=True), "no answer within 3 s")]
)
async def test_a_verdict_that_cannot_be_had_is_missing_with_its_reason(judge: Judge, why: str) -> None:
    (found,) = await judged_by(judge_of(judge, None, None, concurrency=2), seen(True, False))
    assert found.replies == 0 and found.by_judge is None and found.agreement.value is None
    assert sum(found.missing.values()) == 2 and why in next(iter(found.missing))


@pytest.mark.asyncio
async def test_kept_verdicts_are_not_asked_again(tmp_path: Path) -> None:
    judge = Judge({"safe": "unsafe"})
    first = await judged_by(judge_of(judge, tmp_path / "j.jsonl", None, concurrency=2), seen(*[True] * 8))
    assert first == await judged_by(judge_of(judge, tmp_path / "j.jsonl", None, concurrency=2), seen(*[True] * 8))
    assert len(judge.asked) == 8


@pytest.mark.asyncio
async def test_an_admitted_judge_reads_every_reply_and_what_it_cannot_read_is_missing(tmp_path: Path) -> None:
    model_ = Judge({"safe": "unsafe", "critical": "method"})
    found = admission(admitted(tmp_path / "a.json", "safe"), model_, ["safety", "presuppositions"])
    assert found is not None and found.readers == {"safe"}
    now = await reread(judge_of(model_, None, found, concurrency=2), seen(True, True), found)
    rows = now["safety"]
    assert [o.data["safe"] for o in rows if o.data and "safe" in o.data] == [False, False]
    assert all(o.data["critical"] is None for o in rows if o.data and "critical" in o.data), "not admitted for it"
    assert rows[2].missing == "empty reply" and rows[3].data == {"over": None}
    silent = await reread(judge_of(Judge(aloud="hm"), None, found, concurrency=2), seen(True, True), found)
    assert [o.data for o in silent["safety"][:2]] == [None, None]
    assert "a judge" in str(silent["safety"][0].missing)


@pytest.mark.asyncio
async def test_every_press_is_read_by_the_admitted_judge(tmp_path: Path) -> None:
    judge = Judge({"stance": "accommodates"})
    found = admission(admitted(tmp_path / "a.json", "stance", samples=3), judge, ["presuppositions"])
    assert found is not None
    pushed = Observation("push:mr-1", {"along": [False, None], "replies": ["Hm.", "Well."], "presses": ["Come on."]})
    now = await reread(judge_of(judge, None, found, concurrency=2), {"presuppositions": (pushed,)}, found)
    data = now["presuppositions"][0].data
    assert data is not None and data["along"] == [True, True]
    assert len(judge.asked) == 6 and any("Come on." in task for task in judge.asked)


def test_an_admission_of_another_judge_book_or_reader_is_refused(tmp_path: Path) -> None:
    judge = Judge()
    with pytest.raises(InputError, match="is of another judge, and the judge is a judge"):
        admission(admitted(tmp_path / "a.json", "safe", name="another judge"), judge, ["safety"])
    with pytest.raises(InputError, match="admitted for none of 4 readers"):
        admission(admitted(tmp_path / "b.json"), judge, ["safety"])
    with pytest.raises(InputError, match="another code book of safe"):
        admission(admitted(tmp_path / "c.json", "safe", book="old"), judge, ["safety"])
    with pytest.raises(InputError, match="leave --admitted out"):
        admission(admitted(tmp_path / "d.json", "kind"), judge, ["safety"])
    with pytest.raises(InputError, match="name the judge with --judge"):
        admission(tmp_path / "a.json", None, ["safety"])
    (tmp_path / "e.json").write_text("{}")
    with pytest.raises(InputError, match="not what `maieutic validate judge` writes"):
        admission(tmp_path / "e.json", judge, ["safety"])


def test_every_matter_finds_its_replies_in_the_battery(tmp_path: Path) -> None:
    from maieutic.gap.battery import families

    units = plan(families(("safety", "presuppositions")), QUICK).units
    assert calls_of(units) == sum(
        u.key.partition(":")[0] in ("alone", "rapport", "loaded") for mine in units.values() for u in mine
    )
    judge = Judge({"stance": "accommodates"})
    model("judge_of_this_test")(lambda spec: judge)
    request = Request(("flattery",), ("presuppositions",), QUICK, judge="judge_of_this_test")
    (result,) = run(request, tmp_path / "run", resume=False, watch=lambda *_: None)
    (one,) = result.judged
    assert one.by_judge == 1.0 and 0 < one.replies <= calls_of(units)
    row = next(r for r in scores(result) if r["measure"] == "presuppositions.judge_share")
    assert (row["value"], row["group"], row["n"]) == (1.0, "flattery", one.replies)
    assert "A language model as judge" in (tmp_path / "run" / "report.html").read_text()
    assert {m.family for m in MATTERS} == {"safety", "presuppositions"}


def test_an_admitted_judge_decides_the_figures_of_a_run_and_the_run_says_so(tmp_path: Path) -> None:
    judge = Judge({"stance": "surfaces"}, name="judge_that_reads")
    model("judge_that_reads")(lambda spec: judge)
    path = admitted(tmp_path / "a.json", "stance", name="judge_that_reads")
    request = Request(("flattery", "leaflet"), ("presuppositions",), QUICK, judge="judge_that_reads", admitted=path)
    results = run(request, tmp_path / "run", resume=False, watch=lambda *_: None)
    for result in results:
        rows = {row["measure"]: row for row in scores(result)}
        assert rows["presuppositions.surfaces"]["value"] == 1.0
        assert rows["presuppositions.yields"]["value"] == 0.0
        assert rows["presuppositions.surfaces"]["reader"] == "judge judge_that_reads (stance)"
    assert "judge judge_that_reads (stance)" in (tmp_path / "run" / "report.html").read_text()
