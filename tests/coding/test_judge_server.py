"""The judge against a server that dawdles, refuses and fails."""

from __future__ import annotations

import pytest

import fake_server
from coding.judges import PLAIN
from fake_server import FakeServer, Faults
from maieutic.errors import ModelUnavailable
from maieutic.judging.coder import CallLimits, JudgeCoder, JudgedCoding, JudgeSettings, Missing
from maieutic.models.http import HttpModel
from maieutic.transcripts.utterance import Utterance

TALK = [Utterance("therapist", f"What about day {at}?") for at in range(10)]


@pytest.fixture(autouse=True)
def _answers(monkeypatch):
    """The server answers each call with a code, in a fence, and a few odd letters behind it."""
    monkeypatch.setattr(fake_server, "REPLIES", ('```json\n{"labels": ["ask"], "quote": "what about"}\n```',))


async def run(faults, *, journal=None, settings=None, **patience):
    async with FakeServer(faults) as server:
        model = HttpModel(server.url, "fake", **{"timeout": 0.4, "backoff": 0.01, **patience})
        coder = JudgeCoder(PLAIN, model, journal=journal, settings=settings)
        try:
            return (await coder.predict_many([TALK]))[0], coder, server
        finally:
            await model.close()


async def test_answers_come_and_tokens_are_counted():
    codings, coder, server = await run(Faults())
    assert all(one.predicted == ("ask",) and one.quote == "What about" for one in codings)
    assert server.counts["calls"] == coder.caller.calls == coder.estimate([TALK]).kept == 30
    assert coder.caller.input_tokens > 0
    assert server.counts["most"] <= 8


async def test_a_busy_server_is_asked_again():
    codings, coder, server = await run(Faults(busy_every=5, fail_every=11), attempts=12)
    assert all(isinstance(one, JudgedCoding) and one.read == 3 for one in codings)
    assert coder.caller.calls == server.counts["calls"] > 30


async def test_garbage_is_a_recorded_failure():
    codings, _, _ = await run(
        Faults(garbage_every=1), attempts=1, settings=JudgeSettings(limits=CallLimits(give_up=99))
    )
    assert all(isinstance(one, Missing) and "no answer:" in one.reason for one in codings)
    some, _, _ = await run(Faults(garbage_every=5), attempts=1, outage=0.0)
    assert sum(len(one.unreadable) for one in some) == 6


async def test_a_server_that_hangs_is_a_recorded_failure():
    codings, _, _ = await run(Faults(stuck_every=3), timeout=0.15)
    missing = [one for one in codings if isinstance(one, Missing)]
    assert 0 < len(missing) < len(codings)
    assert all("gave no answer within 0.15 s" in one.reason for one in missing)
    assert all(one.predicted == ("ask",) for one in codings if isinstance(one, JudgedCoding))


async def test_a_server_that_is_not_there_is_given_up():
    model = HttpModel("http://127.0.0.1:9", "fake", attempts=1)
    coder = JudgeCoder(PLAIN, model)
    with pytest.raises(ModelUnavailable, match="24 calls in a row gave no answer"):
        await coder.predict_many([TALK])
    await model.close()


async def test_a_hosted_server_without_a_key_is_not_asked(monkeypatch):
    for name in ("MAIEUTIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ModelUnavailable, match="MAIEUTIC_API_KEY"):
        await JudgeCoder(PLAIN, HttpModel("https://127.0.0.1:9", "fake")).predict_many([TALK])


async def test_a_rerun_asks_only_what_failed(tmp_path):
    path = tmp_path / "answers.jsonl"
    first, _, server = await run(Faults(garbage_every=3), attempts=1, outage=0.0, journal=path)
    async with FakeServer() as second:
        model = HttpModel(server.url, "fake")
        model._target = model._target._replace(netloc=f"127.0.0.1:{second.port}")
        again = JudgeCoder(PLAIN, model, journal=path)
        (codings,) = await again.predict_many([TALK])
        await model.close()
        assert second.counts["calls"] == 10
    assert all(one.read == 3 for one in codings)
    assert [one.predicted for one in first] == [one.predicted for one in codings]
