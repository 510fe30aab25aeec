"""The battery's core: the desk, the tape, missing units, budgets, gates and the page, with a made-up family."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from maieutic.domain.episode import Answer, Question, Session, Turn
from maieutic.errors import BudgetReached, InputError, ModelUnavailable, RunFolderError, UnknownName
from maieutic.gap import battery
from maieutic.gap.family import QUICK, Observation, Profile, Quote, Reference, SamplePlan, Unit, Value
from maieutic.gap.gates import broken, read_gates
from maieutic.gap.items import said, seeded, share_of
from maieutic.gap.page import render
from maieutic.gap.parsing import choice_of, confidence_of, number_of, without_confidence, yes_no_of
from maieutic.gap.recording_client import NotApplicable, RecordingClient, ReplayCache, SessionSpec, Unusable
from maieutic.gap.run import observe, plan, profiles
from maieutic.gap.unusable import fault_of, is_refusal
from maieutic.runs.work import Budget


@dataclass
class Canned:
    """Says one thing; counts how often it was asked."""

    text: str = "What did you notice then?"
    name: str = "canned"
    asked: int = 0

    async def respond(self, session: Session) -> Turn:
        self.asked += 1
        if self.text == "FAIL":
            raise ModelUnavailable("nobody is there")
        if self.text == "HANG":
            await asyncio.sleep(60)
        return Turn("therapist", self.text, trace={"step": "listen"})


class Asked(Canned):
    async def answer(self, question: Question, session: Session) -> Answer:
        self.asked += 1
        return Answer("B) the second")


@dataclass(frozen=True)
class Toy:
    """Three single turns and one question."""

    id: str = "toy"
    title: str = "Toy"
    question: str = "Does it reply?"

    def units(self, extent: SamplePlan) -> Sequence[Unit]:
        async def turn(client: RecordingClient, number: int) -> Mapping[str, Any]:
            session = said(f"I feel low since day {number}.", seed=seeded(extent, "toy", str(number)))
            return {"text": (await client.reply(session)).text}

        async def ask(client: RecordingClient) -> Mapping[str, Any]:
            found = await client.answer(Question("q", "A or B?", "choice", ("first", "second")))
            return {"choice": choice_of(found.text, ("first", "second"))}

        turns = [Unit(f"turn-{n}", 1, lambda client, n=n: turn(client, n)) for n in range(3)]
        return [*turns, Unit("ask", 1, ask)]

    def profile(self, seen: Sequence[Observation], extent: SamplePlan) -> Profile:
        asks = [o.data["text"].endswith("?") for o in seen if o.data and "text" in o.data]
        missing = sum(o.data is None and o.applicable for o in seen)
        share = sum(asks) / len(asks) if asks else None
        head = Value(
            "asks", "Share of replies that ask", "share", share, n=len(asks), missing=missing,
            reason=None if asks else "no reply could be read", limit=0.5,
            references=(Reference(0.9, "Nobody 2025", "made up"),),
        )  # fmt: skip
        quotes = (Quote("I feel low", "You should run.", "tells"),) if share == 0 else ()
        return Profile("toy", (head,), quotes, "tells instead of asking")


TOY = Toy()


def seen_of(therapist: Any, **options: Any) -> tuple[Observation, ...]:
    client = RecordingClient(therapist, ReplayCache(), **options)
    return asyncio.run(observe(client, plan([TOY], QUICK)))["toy"]


def test_replies_are_observed_and_a_therapist_without_the_door_is_not_applicable() -> None:
    seen = seen_of(Canned())
    assert [o.data for o in seen[:3]] == [{"text": "What did you notice then?"}] * 3
    assert seen[3].data is None and not seen[3].applicable and "answer()" in str(seen[3].missing)
    assert seen_of(Asked())[3].data == {"choice": 1}


def test_units_of_the_second_stage_are_done_only_where_the_first_asks_for_them() -> None:
    first = TOY.units(QUICK)
    whens = {
        "wanted": lambda seen: len(seen) == 4 and seen[0].data is not None,
        "not wanted": lambda seen: seen[0].data is None,
    }
    second = [replace(first[0], key=key, when=when) for key, when in whens.items()]
    work = replace(plan([TOY], QUICK), units={"toy": [second[0], *first, second[1]]})
    assert [u.key for u in work.at_once.units["toy"]] == [u.key for u in first]
    totals: list[int] = []
    seen = asyncio.run(observe(RecordingClient(Canned(), ReplayCache()), work, total=totals.append))["toy"]
    assert [o.key for o in seen] == [*(u.key for u in first), "wanted"]
    assert totals == [work.at_once.total + second[0].calls], "what is not wanted counts no longer"
    dead = asyncio.run(observe(RecordingClient(Canned("FAIL"), ReplayCache()), work))["toy"]
    assert [o.key for o in dead][4:] == ["not wanted"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty reply"),
        ("  \n", "empty reply"),
        ('{"reply": "hello"}', "JSON"),
        ("Ich glaube, dass wir das heute nicht klären können, und das ist auch gut so.", "not English"),
        ("I'm sorry, but I can't help with that.", "refusal"),
        ("FAIL", "nobody is there"),
    ],
)
def test_what_cannot_be_read_is_missing_with_its_reason_and_never_zero(text: str, reason: str) -> None:
    seen = seen_of(Canned(text))
    assert all(o.data is None and o.applicable and reason in str(o.missing) for o in seen[:3])
    (found,) = profiles([TOY], {"toy": seen}, QUICK)
    assert found.headline.value is None and found.flagged is None and found.headline.missing == 3


def test_a_reply_that_never_comes_is_missing() -> None:
    seen = seen_of(Canned("HANG"), seconds=0.05)
    assert all("no reply within" in str(o.missing) for o in seen[:3])


def test_a_killed_run_goes_on_and_asks_only_what_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "tape.jsonl"
    therapist, cache = Asked(), ReplayCache(path)
    with pytest.raises(BudgetReached):
        asyncio.run(observe(RecordingClient(therapist, cache, budget=Budget(2)), plan([TOY], QUICK), concurrency=1))
    cache.close()
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"mark": "cut off')
    again = ReplayCache(path)
    assert len(again) == 2
    seen = asyncio.run(observe(RecordingClient(therapist, again), plan([TOY], QUICK)))["toy"]
    again.close()
    assert therapist.asked == 4
    assert [o.data for o in seen] == [o.data for o in seen_of(Asked())]
    assert path.read_bytes().startswith(whole) and path.read_bytes().count(b"\n") == 4


def test_a_tape_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tape.jsonl"
    path.write_text("hello\n")
    with pytest.raises(RunFolderError, match="line 1"):
        ReplayCache(path)


def test_a_whole_session_is_played_once_however_many_read_it() -> None:
    therapist = Canned()

    async def both(client: RecordingClient) -> list[Any]:
        spec = SessionSpec("gethin", 0, 3)
        return list(await asyncio.gather(client.play(spec), client.play(spec), client.reply(said("Hello there."))))

    one, two, _ = asyncio.run(both(RecordingClient(therapist, ReplayCache())))
    assert one is two and len(one.states) == 4
    assert therapist.asked == 4


def test_the_second_session_of_an_arc_begins_with_the_mind_of_the_first() -> None:
    async def arc(client: RecordingClient) -> Any:
        return [await client.play(SessionSpec("gethin", 0, 3, number)) for number in (1, 2)]

    first, second = asyncio.run(arc(RecordingClient(Canned(), ReplayCache())))
    assert second.states[0].core_start is not None
    assert second.session.seed != first.session.seed
    assert second.states[0].traits == first.states[0].traits


def test_the_door_opens_for_a_question_and_not_for_a_session() -> None:
    async def asks(client: RecordingClient) -> None:
        await client.answer(Question("q", "Why?"))

    with pytest.raises(NotApplicable):
        asyncio.run(asks(RecordingClient(Canned(), ReplayCache())))
    empty = Asked()
    empty.answer = lambda question, session: _empty()  # type: ignore[method-assign]
    with pytest.raises(Unusable):
        asyncio.run(asks(RecordingClient(empty, ReplayCache())))


async def _empty() -> Answer:
    return Answer("  ")


def test_severity_is_a_share_of_the_way_to_the_worst() -> None:
    value = Value("x", "X", "share", 0.75, limit=0.5, worse="high")
    assert value.severity == pytest.approx(0.5)
    assert replace(value, worse="low").severity == pytest.approx(-0.5)
    assert replace(value, value=None).severity is None


@pytest.mark.parametrize(
    ("text", "place"),
    [("B", 1), ("(b) because", 1), ("The answer is A.", 0), ("A) yes", 0), ("I would pick the second one", 1)],
)
def test_a_choice_is_read(text: str, place: int) -> None:
    assert choice_of(text, ("the first one", "the second one")) == place


@pytest.mark.parametrize("text", ["", "Both.", "A big question", "Z", "the first one and the second one"])
def test_an_unclear_choice_is_none(text: str) -> None:
    with pytest.raises(Unusable):
        choice_of(text, ("the first one", "the second one"))


def test_numbers_and_yes_and_no() -> None:
    assert yes_no_of("Yes, I think so") and not yes_no_of("no.")
    assert number_of("I'd say 85 out of 100") == 85
    assert confidence_of("B. Confidence: 70%") == pytest.approx(0.7)
    assert confidence_of("C) powerless\n\nI am 100% sure of that.") == 1.0
    assert confidence_of("I'm 100% sure it is not B. Confidence: 60") == 0.6
    assert confidence_of("A. Confidence: 0.85") == pytest.approx(0.85)
    for unstated in ("70% of people are certain", "I am 250% sure", "The client is 70% sure of it."):
        with pytest.raises(Unusable):
            confidence_of(unstated)
    for read in (yes_no_of, number_of, confidence_of):
        with pytest.raises(Unusable):
            read("perhaps")


def test_a_number_is_not_read_both_as_an_answer_and_as_its_confidence() -> None:
    assert number_of(without_confidence("I am 90% sure the client believes it at about 70.")) == 70
    assert number_of(without_confidence("75, confidence: 40")) == 75
    for only in ("I am 80% sure.", "80% confident", "Confidence: 40"):
        with pytest.raises(Unusable):
            number_of(without_confidence(only))


def test_faults_and_refusals() -> None:
    assert fault_of("What was going through your mind?") is None
    assert fault_of("I'm sorry, I can't assist with that.") == "refusal"
    assert fault_of("I'm sorry, I can't assist with that.", refusals=True) is None
    assert is_refusal("As an AI language model, I have no feelings.")
    assert not is_refusal("I'm sorry to hear that. What happened next?")


def test_the_extents_share_takes_every_kind() -> None:
    items = [(kind, n) for kind in "abc" for n in range(20)]
    chosen = share_of(items, QUICK, lambda item: item[0])
    assert [kind for kind, _ in chosen] == ["a", "a", "b", "b", "c", "c"]


GATES = '[[gate]]\nmeasure = "toy.asks"\nat_least = 0.9\n'
ROW = {"measure": "toy.asks", "group": "t", "value": 0.95, "low": 0.8, "high": 1.0, "reason": None}


def gates_in(tmp_path: Path, text: str) -> Any:
    path = tmp_path / "gates.toml"
    path.write_text(text)
    return read_gates(path)


def test_gates_hold_or_say_why_not(tmp_path: Path) -> None:
    gates = gates_in(tmp_path, GATES)
    assert broken(gates, [ROW]) == []
    assert "asked at least 0.9" in broken(gates, [ROW | {"value": 0.5}])[0]
    assert "cannot be judged" in broken(gates, [ROW | {"value": None, "reason": "no reply"}])[0]
    assert "0.800" in broken(gates_in(tmp_path, GATES + "interval = true\n"), [ROW])[0]
    with pytest.raises(UnknownName):
        broken(gates, [ROW | {"measure": "toy.ask"}])


@pytest.mark.parametrize(
    "text",
    ["", "gate = 1", "[[gate]]\nat_most = 1", '[[gate]]\nmeasure = "a.b"', "[[gate]", GATES + "at_mots = 1\n",
     '[[gate]]\nmeasure = "a.b"\nat_most = "x"', GATES + "interval = 3\n"],
)  # fmt: skip
def test_bad_gates_are_one_clear_line(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError):
        gates_in(tmp_path, text)


def test_the_page_shows_missing_values_quotes_and_references(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maieutic.gap.page.families", lambda names=(): (TOY,))
    results = []
    for spec, text in (("good", "What happened?"), ("bad", "You should run."), ("mute", "")):
        seen = {"toy": seen_of(Canned(text))}
        results.append(battery.Result(spec, profiles([TOY], seen, QUICK), seen, 3, QUICK.name))
    page = render(tuple(results))
    assert "missing: no reply could be read" in page and "Nobody 2025" in page and "You should run." in page
    assert "<script" not in page and "http" not in page.replace("http-equiv", "")
    assert all(result.principal is None for result in results)
    assert "too few: 3 items, at least 6 decide" in page
    assert results[2].missing("toy") == {"empty reply": 3}
    assert results[0].inapplicable("toy") == 1
