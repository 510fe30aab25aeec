"""What is served is what runs in process: the same words, the same tables, whatever the server has in its memory."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import polars as pl
import pytest
from openai import OpenAI
from polars.testing import assert_frame_equal

from maieutic.dialogue import Conversation, Streams, converse
from maieutic.domain.episode import Ending, EpisodeKey, Session, Turn
from maieutic.evaluation.evaluate import Request, evaluate
from maieutic.evaluation.plan import drawn_situation
from maieutic.library import get_case
from maieutic.reading.store import Store
from maieutic.serving.app import Settings, create_app
from maieutic.serving.offers import Offers, offered
from maieutic.serving.request import Said
from maieutic.serving.server import running
from maieutic.serving.spoken import MAX_KEPT, size_of

QUESTIONS = (
    "What happened that morning?", "What went through your mind just then?", "You should pull yourself together.",
    "How much do you believe that, from nought to a hundred?", "Was there ever a time when it went otherwise?",
    "It sounds as if that hurt.", "What would you say to a friend who told you this?", "ok", "",
    "What do you make of all this now?",
)  # fmt: skip


class Script:
    """Says its lines, then ends."""

    name = "script"

    async def respond(self, session: Session) -> Turn:
        number = len(session.by("therapist"))
        if number < len(QUESTIONS):
            return Turn("therapist", QUESTIONS[number])
        return Turn("therapist", "", Ending("completed", "the script is over"))


def in_process(offers: Offers, case_id: str, seed: int) -> list[str]:
    case = get_case(case_id)
    patient = offers.patients.make(case, drawn_situation(case, 0, seed))
    talk = Conversation(Script(), patient, offers.patients.coder, 20, Streams(0, EpisodeKey("script", case_id, seed)))
    return [turn.text for turn in asyncio.run(converse(talk)).session.by("patient")]


@pytest.mark.parametrize("case_id", ["gethin", "nilani@verbose"])
@pytest.mark.parametrize("seed", [0, 5])
def test_a_served_patient_says_turn_for_turn_what_it_says_in_process(
    client: OpenAI, offers: Offers, case_id: str, seed: int
) -> None:
    expected = in_process(offers, case_id, seed)
    talk: list[dict[str, str]] = []
    for number in range(len(QUESTIONS) + 1):
        reply = client.chat.completions.create(model=f"maieutic/patient/{case_id}", messages=talk, seed=seed)
        text = reply.choices[0].message.content
        assert text == expected[number]
        if reply.model_extra["maieutic"]["ending"]:
            break
        assert reply.model_extra["maieutic"]["history"] == ("own" if number else "none")
        talk += [{"role": "assistant", "content": text}, {"role": "user", "content": (*QUESTIONS, "")[number]}]
    assert number >= 3


def test_who_never_asked_for_the_opening_gets_the_same_answers(client: OpenAI, offers: Offers) -> None:
    opening, first, second, *_ = in_process(offers, "gethin", 0)
    talk = [{"role": "user", "content": QUESTIONS[0]}]
    reply = client.chat.completions.create(model="maieutic/patient/gethin", messages=talk)
    assert reply.choices[0].message.content == first
    assert reply.model_extra["maieutic"]["opening"] == opening
    talk += [{"role": "assistant", "content": first}, {"role": "user", "content": QUESTIONS[1]}]
    assert (
        client.chat.completions.create(model="maieutic/patient/gethin", messages=talk).choices[0].message.content
        == second
    )


def tables(folder: Path) -> dict[str, pl.DataFrame]:
    """All tables but for the name, and for the question after the session, which an address has no door for."""
    found = {}
    for path in sorted(folder.glob("*.parquet")):
        table = pl.read_parquet(path).with_columns(therapist=pl.lit("it"))
        if "provenance" in table.columns:
            table = table.with_columns(pl.col("provenance").map_elements(_but_asked, return_dtype=pl.String))
        found[path.stem] = table.sort(pl.all().exclude("therapist"))
    return found


def _but_asked(provenance: str) -> str:
    kept = json.loads(provenance)
    assert "asked" in kept
    del kept["asked"]
    return json.dumps(kept, sort_keys=True)


@pytest.mark.slow
@pytest.mark.parametrize("cases", [("gethin", "nilani")])
def test_an_evaluation_over_http_writes_the_tables_of_one_in_process(
    server: str, tmp_path: Path, cases: tuple[str, ...]
) -> None:
    served = f"{server}/v1#maieutic/socratic"
    for name, therapist in (("here", "socratic"), ("there", served)):
        evaluate(Request((therapist,), cases, seeds=2, turns=12), tmp_path / name)
    here, there = tables(tmp_path / "here"), tables(tmp_path / "there")
    assert set(here) == {"episodes", "scores", "turns"} and here["turns"].height > 60
    assert here["turns"]["trace"].null_count() < here["turns"].height
    for name, table in here.items():
        assert_frame_equal(table, there[name], check_exact=True)


@pytest.mark.slow
def test_an_evaluation_over_http_is_the_same_in_cases_of_risk_and_all_starters(tmp_path: Path) -> None:
    offers = offered(cases=("gethin",))
    with running(create_app(offers, Settings(allow_explain=True))) as url:
        for name, therapist in (("here", "socratic"), ("there", f"{url}/v1#maieutic/socratic")):
            evaluate(Request((therapist,), ("starter",), seeds=1, turns=20), tmp_path / name)
    here, there = tables(tmp_path / "here"), tables(tmp_path / "there")
    for name, table in here.items():
        assert_frame_equal(table, there[name], check_exact=True)


def test_replies_do_not_hang_on_what_is_remembered(offers: Offers) -> None:
    """Each prefix of a long talk, asked for in a mixed order, with and without memory, by one or by two seeds."""
    served = offers.get("maieutic/socratic")
    talk = asyncio.run(_talk_of(served, 9))
    alone = {n: asyncio.run(served.reply(talk[:n], 4, strict=False)).turn.text for n in range(1, len(talk), 2)}
    for order in ((9, 1, 5, 3, 7), (3, 9, 1, 7, 5)):
        fresh = offered(cases=("gethin",)).get("maieutic/socratic")
        for n in order:
            asyncio.run(fresh.reply(talk[:n], 11, strict=False))  # the same words, foreign under another seed
            spoken = asyncio.run(fresh.reply(talk[:n], 4, strict=False))
            assert (spoken.turn.text, spoken.foreign) == (alone[n], ())


async def _talk_of(served, turns: int) -> list[Said]:
    answers = (
        "I froze in the meeting.", "That they all saw I am useless.", "Ashamed, mostly.", "Eighty.",
        "Because my boss looked away.", "Well, she did thank me later.",
    )  # fmt: skip
    talk: list[Said] = []
    for answer in answers:
        talk.append(Said(False, answer))
        talk.append(Said(True, (await served.reply(talk, 4, strict=False)).turn.text))
    return talk[: turns + 1]


@pytest.mark.slow
def test_a_thousand_replays_are_identical(client: OpenAI) -> None:
    talk = [{"role": "user", "content": "I froze in the meeting again."}]
    for _ in range(4):
        text = (
            client.chat.completions.create(model="maieutic/socratic", messages=talk, seed=9).choices[0].message.content
        )
        talk += [{"role": "assistant", "content": text}, {"role": "user", "content": "Yes, and I felt ashamed of it."}]
    asks = [
        {"model": model, "messages": talk[: 2 * n + 1], "seed": 9, "stream": stream}
        for model in ("maieutic/socratic", "maieutic/patient/gethin")
        for n in range(5)
        for stream in (False, True)
    ]
    replies: dict[int, set[bytes]] = {place: set() for place in range(len(asks))}
    for number in range(1_000):
        raw = client.chat.completions.with_raw_response.create(**asks[number % len(asks)])
        replies[number % len(asks)].add(b"".join(raw.http_response.iter_bytes()))
    assert all(len(found) == 1 for found in replies.values())


def test_what_is_remembered_is_bounded() -> None:
    kept: Store[int, int] = Store(MAX_KEPT)
    short, long = (Turn("patient", "Yes."),), (Turn("patient", "x" * (MAX_KEPT - 15_000)),)
    for number in range(2_007):
        kept.put(number, number, size_of(short))
    assert len(kept) == 2_000 and [kept.get(n) for n in (6, 7, 2_006)] == [None, 7, 2_006]
    kept.put(-1, 1, size_of(long))
    assert len(kept) == 2 and kept.get(-1) == 1
    kept.put(-2, 1, MAX_KEPT + 1)
    assert len(kept) == 0
