"""An admitted judge in `score`: it codes for the readers it was admitted for, in the setting it was measured in, and nobody fills in for it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson
import pytest

from maieutic.coding.schemes import get_scheme
from maieutic.domain.episode import Usage
from maieutic.errors import InputError
from maieutic.judging.admitted import cache_key
from maieutic.judging.rereading import JudgedScoring, score_admission
from maieutic.measures.coded import ManyCodes
from maieutic.protocols import Reply
from maieutic.transcripts.utterance import Transcript, Utterance

SAID = (("client", "I smoke at work."), ("therapist", "What is it about work?"), ("client", "Stress."))
TALK = Transcript("one", None, tuple(Utterance(who, text, index=n) for n, (who, text) in enumerate(SAID)), "x", 2)  # type: ignore[arg-type]


class Judge:
    """Codes every therapist turn as one label, quoting it whole; silent about what holds a word."""

    name = "a judge"

    def __init__(self, label: str, silent: str = "never said") -> None:
        self.label, self.silent = label, silent
        self.asked: list[str] = []

    async def generate(self, messages: Any, **how: Any) -> Reply:
        task = messages[-1]["content"]
        self.asked.append(task)
        said = json.loads(next(line for line in task.splitlines() if line.startswith("[1]")).partition(": ")[2])
        told = json.dumps(
            {"codes": [{"n": 1, "labels": [self.label], "quote": said, "facets": {"question_form": None}}]}
        )
        return Reply("hm" if self.silent in said else told, Usage())

    async def close(self) -> None: ...


def packaged(transcript: Transcript) -> Sequence[ManyCodes]:
    return [ManyCodes(("other",), {"other": 1.0}, False, {"bolt": ("x",)}) for _ in transcript.utterances]


def admitted(path: Path, *readers: str) -> Path:
    books = {"annomi_therapist": "annomi", "annomi_client": "annomi", "bolt_therapist": "bolt", "stance": "annomi"}
    told = {r: {"admitted": r in readers, "book": cache_key(get_scheme(book))} for r, book in books.items()}
    found = {
        "kind": "admitted judge",
        "format": 1,
        "model": "a judge",
        "samples": 3,
        "temperature": 0.7,
        "readers": told,
    }
    path.write_bytes(orjson.dumps(found))
    return path


def scoring(judge: Judge, path: Path) -> JudgedScoring:
    return JudgedScoring(packaged, judge, score_admission(path, judge), journal=None)


def test_the_judge_codes_where_it_was_admitted_and_the_packaged_coder_elsewhere(tmp_path: Path) -> None:
    judge = Judge("reflection")
    coder = scoring(judge, admitted(tmp_path / "a.json", "annomi_therapist"))
    rows = coder(TALK)
    coder.close()
    assert [row.predicted for row in rows] == [("other",), ("reflection",), ("other",)]
    assert all(row.codes == {"bolt": ("x",)} for row in rows if isinstance(row, ManyCodes))
    assert len(judge.asked) == 3, "three samples of one turn"
    assert "I smoke at work." in judge.asked[0]
    assert coder.origin == "packaged coders; annomi_therapist by judge a judge"


def test_a_turn_that_the_judge_cannot_read_has_no_code(tmp_path: Path) -> None:
    coder = scoring(Judge("reflection", silent="work?"), admitted(tmp_path / "a.json", "annomi_therapist"))
    rows = coder(TALK)
    coder.close()
    assert rows[1].predicted == () and rows[1].abstain


def test_a_judge_admitted_for_nothing_that_is_scored_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="score can use it for annomi_therapist, annomi_client, bolt_therapist only"):
        score_admission(admitted(tmp_path / "a.json", "stance"), Judge("x"))
