"""A model asked directly: what it is shown, what counts as an answer, what is kept, and how it is scored beside the tracker."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from maieutic.cli.main import main
from maieutic.domain.episode import Session, Turn, Usage
from maieutic.errors import ModelRefused, StorageError
from maieutic.models.scripted import ScriptedModel
from maieutic.protocols import Message, Reply
from maieutic.tracking.space import BELIEFS, BINS
from maieutic.validation.answers import Answer, Answers, Query, cost_of
from maieutic.validation.tracking import direct, run
from maieutic.validation.tracking.direct import (
    ASKED,
    AT_TURNS,
    MAX_TOKENS,
    Place,
    Told,
    asked_at,
    places_in,
    query,
    told,
)
from maieutic.validation.tracking.direct_evidence import METHOD, judged_directly
from maieutic.validation.tracking.evidence import TrackerEvidence
from maieutic.validation.tracking.forecasted import Forecasts, forecast
from talks import session_of

GOOD = json.dumps({"belief": {"failure": 0.7, "other": 0.3}, "conviction": {"70-80": 0.5, "80-90": 0.3, "other": 0.2}})
TALK = session_of("I failed again.", "What went through your mind?", "That I am useless.", "Go on.", "That's all.")


def counting(*answers: str) -> tuple[ScriptedModel, list[Sequence[Message]]]:
    seen: list[Sequence[Message]] = []

    def reply(messages: Sequence[Message], seed: int) -> str:
        seen.append(messages)
        return answers[(len(seen) - 1) % len(answers)]

    return ScriptedModel(reply, name="m"), seen


class Refusing:
    name = "refusing"

    async def generate(self, messages: Sequence[Message], **_: object) -> Reply:
        raise ModelRefused("too long")

    async def close(self) -> None: ...


def flat(case: str, truth: int = 7, sure: float | None = None) -> Forecasts:
    """Five patient turns; the tracker is even, or gives `sure` to the truth."""
    chances, truths = {}, {}
    for factor, size in (("belief", len(BELIEFS)), ("conviction", BINS)):
        even = np.full((5, size), 1.0 / size)
        own = even.copy()
        if sure is not None:
            own[:] = (1.0 - sure) / (size - 1)
            own[:, truth] = sure
        chances["tracker", factor], chances["prior", factor], chances["last", factor] = own, even, even
        truths[factor] = np.full(5, truth)
    return Forecasts("home", case, "socratic", 0, chances, truths, (None,) * 5)


def test_the_question_shows_what_was_said_and_no_notes() -> None:
    noted = Session((*TALK.turns[:1], Turn("therapist", "Go on?", trace={"belief": "secret"}), *TALK.turns[2:]))
    asked = query(noted)
    text = asked.messages[1]["content"]
    assert "Therapist: Go on?" in text and "secret" not in text
    assert all(label in text for labels in ASKED.values() for label in labels)
    assert asked == query(Session(noted.turns, seed=9))
    assert asked.seed != query(Session(noted.turns[:3])).seed
    assert "3 questions to m: about" in cost_of([asked] * 3, "m")
    assert f"{3 * MAX_TOKENS:,} output" in cost_of([asked] * 3, "m")


def test_an_answer_is_read_factor_by_factor_and_never_filled_in() -> None:
    good = told(Answer(GOOD))
    assert good.missing == {}
    assert good.chances["belief"][BELIEFS.index("failure")] == pytest.approx(0.7)
    assert good.chances["conviction"].sum() == pytest.approx(1.0)
    half = told(Answer(json.dumps({"belief": {"failure": 1.0}, "conviction": {"90": 1.0}})))
    assert set(half.chances) == {"belief"}
    assert "not listed" in half.missing["conviction"]
    for text in ("", "Probably failure.", "[]", '{"belief": {"failure": 3}}'):
        assert told(Answer(text)).chances == {}
    failed = told(Answer(None, "failed: too long"))
    assert failed == Told({}, {"belief": "failed: too long", "conviction": "failed: too long"})


async def test_answers_are_kept_and_only_usable_calls_are_not_repeated(tmp_path: Path) -> None:
    model, seen = counting(GOOD)
    asked, path, ticks = [query(TALK), query(Session(TALK.turns[:3]))], tmp_path / "a" / "answers.jsonl", []
    first = await Answers(model, path, resume=False).ask(asked, ticks.append)
    assert (len(seen), ticks) == (2, [1, 1])
    assert first[0] == Answer(GOOD, "", Usage(1))
    path.write_bytes(path.read_bytes()[:-9])  # a stop in the middle of the last line
    again = Answers(model, path, resume=True)
    assert again.open_of(asked) == [asked[1]]
    assert await again.ask(asked, ticks.append) == first
    assert len(seen) == 3
    assert Answers(model, path, resume=False).open_of(asked) == asked
    refused = await Answers(Refusing(), path, resume=False).ask(asked[:1], ticks.append)
    assert refused == [Answer(None, "failed: too long", Usage(1))]
    assert path.read_bytes() == b""
    with pytest.raises(StorageError):
        Answers(model, tmp_path, resume=False)


async def test_a_slow_model_is_not_waited_for(tmp_path: Path) -> None:
    import asyncio

    class Slow(Refusing):
        async def generate(self, messages: Sequence[Message], **_: object) -> Reply:
            await asyncio.sleep(60)
            raise AssertionError

    (late,) = await Answers(Slow(), tmp_path / "x", resume=False, limit=0.02).ask([Query((), 0, 1)], lambda _: None)
    assert late.missing == "gave no answer in time: 0.02 s"


def test_places_are_the_chosen_turns_and_the_end_of_a_short_session() -> None:
    found = places_in(flat("a"), TALK, AT_TURNS)
    assert [place.turn for place in found] == [2]
    assert found[0].session.turns == TALK.turns
    opening = places_in(flat("a"), TALK, (0, 1))
    assert [len(place.session) for place in opening] == [1, 3]
    assert opening[0].chances("ceiling", "belief") is None
    assert opening[0].truth("belief") == 7


@pytest.mark.slow
async def test_scores_stand_beside_the_trackers_and_missing_answers_are_counted(tmp_path: Path) -> None:
    truth = BELIEFS.index("failure")
    places = [Place(flat(name, truth, 0.9), 2, TALK) for name in ("a", "b", "c")]
    places[2] = Place(flat("c", truth, 0.9), 1, Session(TALK.turns[:3]))
    model, _ = counting(GOOD)
    said = await asked_at(Answers(model, tmp_path / "x", resume=False), places, lambda _: None)
    said[2] = Told({}, dict.fromkeys(ASKED, "gave no JSON object"))
    found = judged_directly("m", places, said)
    by_title = {finding.title: finding for finding in found.findings}
    usable = by_title["belief: turns at which m gave a usable answer (2 of 3)"]
    assert usable.note == "1 × the model gave no JSON object"
    gain = by_title["belief: log score that the tracker gains on m asked directly"]
    assert gain.value is not None
    assert gain.value.estimate == pytest.approx(np.log(0.9 / 0.7))
    lost = by_title["belief: log score that the prior gains on m asked directly"]
    assert lost.value is not None and lost.value.estimate is not None and lost.value.estimate < 0.0
    rows = {(row[0], row[1]): row for row in found.rows}
    assert rows["belief", METHOD][2] == rows["belief", "tracker"][2] == "2"
    assert rows["belief", METHOD][3].startswith(f"{-np.log(0.7):.2f}")
    assert all(finding.holds is None for finding in found.findings)


def test_without_one_usable_answer_nothing_is_scored() -> None:
    places = [Place(flat("a"), 2, TALK)]
    found = judged_directly("m", places, [Told({}, dict.fromkeys(ASKED, "gave no JSON object"))])
    assert found.rows == ()
    assert [finding.unit for finding in found.findings] == ["share", "share"]
    assert judged_directly("m", [], []).asked == 0


@pytest.mark.slow
def test_the_command_says_the_cost_first_and_puts_the_model_on_the_page(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run, "gather", lambda *_: TrackerEvidence(0, 0, (), {}, ()))
    monkeypatch.setattr(direct, "forecast", lambda episode, ceiling: forecast(episode, ceiling=False))
    words = ("tracker", "--quick", "--model", "scripted", "--model-sessions", "1", "--out", "here")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["maieutic", "validate", *words])
    with pytest.raises(SystemExit) as stop:
        main()
    assert not stop.value.code
    out, err = capsys.readouterr()
    assert "3 questions to scripted: about" in err
    assert "gave a usable answer (0 of 3)" in out
    kept = json.loads((tmp_path / "here" / "findings.json").read_text(encoding="utf-8"))
    assert [f["check"] for f in kept["findings"]] == [METHOD, METHOD]
    assert "scripted asked directly" in (tmp_path / "here" / "report.html").read_text(encoding="utf-8")
