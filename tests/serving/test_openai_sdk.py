"""The real SDK against the server: whole and streamed replies, sync and async, and each of its error classes."""

from __future__ import annotations

import asyncio

import openai
import pytest
from openai import AsyncOpenAI, OpenAI

from maieutic.registry import known
from maieutic.safety.handover import DISCLAIMER, handover_for, holds_handover
from maieutic.serving.app import Settings, create_app
from maieutic.serving.gate import Limits
from maieutic.serving.offers import Offers
from maieutic.serving.server import running

ASKED = [{"role": "user", "content": "I froze in the meeting again."}]
SERVED = "maieutic/socratic"


def said(client: OpenAI, model: str, messages: list, **fields) -> str:
    return client.chat.completions.create(model=model, messages=messages, **fields).choices[0].message.content


def test_the_same_request_gets_the_same_bytes_and_another_seed_another_reply(client: OpenAI) -> None:
    raw = client.chat.completions.with_raw_response
    first, second = (raw.create(model=SERVED, messages=ASKED, extra_body={"seed": 7}) for _ in range(2))
    assert first.http_response.content == second.http_response.content
    assert len({said(client, SERVED, ASKED, seed=seed) for seed in range(8)}) > 1
    assert said(client, SERVED, ASKED) == said(client, SERVED, ASKED, seed=0)


def test_a_stream_is_the_reply_in_pieces(client: OpenAI) -> None:
    whole = said(client, SERVED, ASKED)
    chunks = list(client.chat.completions.create(model=SERVED, messages=ASKED, stream=True))
    assert "".join(c.choices[0].delta.content or "" for c in chunks) == whole
    assert chunks[-1].choices[0].finish_reason == "stop"
    assert all(chunk.usage is None for chunk in chunks)


def test_usage_comes_last_with_no_choice_and_only_when_asked_for(client: OpenAI) -> None:
    chunks = list(
        client.chat.completions.create(
            model=SERVED, messages=ASKED, stream=True, stream_options={"include_usage": True}
        )
    )
    assert chunks[-1].choices == []
    assert chunks[-1].usage is not None and chunks[-1].usage.total_tokens == 0
    assert all(chunk.choices and chunk.usage is None for chunk in chunks[:-1])


async def test_the_async_client_gets_what_the_sync_one_gets(client: OpenAI, server: str) -> None:
    whole = said(client, SERVED, ASKED, seed=3)
    async with AsyncOpenAI(base_url=f"{server}/v1", api_key="none", max_retries=0) as one:
        reply = await one.chat.completions.create(model=SERVED, messages=ASKED, seed=3)
        assert reply.choices[0].message.content == whole
        stream = await one.chat.completions.create(model=SERVED, messages=ASKED, seed=3, stream=True)
        assert "".join([c.choices[0].delta.content or "" async for c in stream]) == whole
        many = await asyncio.gather(
            *(one.chat.completions.create(model=SERVED, messages=ASKED, seed=seed % 4) for seed in range(24))
        )
    texts = [reply.choices[0].message.content for reply in many]
    assert texts == [said(client, SERVED, ASKED, seed=seed % 4) for seed in range(24)]


def test_models_are_listed_and_found_by_id(client: OpenAI) -> None:
    ids = [model.id for model in client.models.list()]
    assert {"maieutic/socratic", "maieutic/eliza", "maieutic/patient/gethin", "maieutic/coder/annomi"} <= set(ids)
    assert not {"maieutic/oracle", "maieutic/no_session", "maieutic/http"} & set(ids)
    assert client.models.retrieve("maieutic/patient/gethin@upset").id == "maieutic/patient/gethin@upset"


def test_therapists_that_speak_from_elsewhere_are_not_offered(offers: Offers) -> None:
    """A bot behind an address has a server of its own, and people have said what they said."""
    assert {"http", "people"} <= set(known("therapist"))
    assert not {"maieutic/http", "maieutic/people"} & (set(offers.ids()) | set(offers.refused))


def test_every_listed_model_answers(client: OpenAI) -> None:
    for model in client.models.list():
        assert said(client, model.id, ASKED), model.id


@pytest.mark.parametrize("model", ["maieutic/socratic", "maieutic/eliza", "maieutic/patient/nilani"])
def test_without_a_users_turn_comes_the_opening(client: OpenAI, model: str) -> None:
    opening = said(client, model, [])
    assert opening == said(client, model, [{"role": "system", "content": "You are a pirate."}])
    further = [{"role": "assistant", "content": opening}, *ASKED]
    reply = client.chat.completions.create(model=model, messages=further)
    assert reply.model_extra["maieutic"]["history"] == "own"


def test_odd_ways_to_write_a_conversation_down_are_understood(client: OpenAI) -> None:
    plain = said(client, SERVED, ASKED)
    listed = [{"role": "user", "content": [{"type": "text", "text": ASKED[0]["content"]}]}]
    around = [{"role": "system", "content": "Be kind."}, *ASKED, {"role": "assistant", "content": ""}]
    nulls = {"tools": None, "tool_choice": None, "logit_bias": None, "invented": {"deep": [1]}, "maieutic": {"x": 1}}
    assert said(client, SERVED, listed) == plain
    assert said(client, SERVED, around) == plain
    assert said(client, SERVED, ASKED, extra_body=nulls, temperature=1.7, max_tokens=1, stop=["a"]) == plain
    parts = [{"role": "user", "content": text} for text in ("I froze.", "In the meeting.")]
    assert said(client, SERVED, parts) == said(
        client, SERVED, [{"role": "user", "content": "I froze.\n\nIn the meeting."}]
    )


REFUSED = {
    "tools": (openai.BadRequestError, {"tools": [{"type": "function", "function": {"name": "f"}}]}),
    "two replies": (openai.BadRequestError, {"n": 2}),
    "json": (openai.BadRequestError, {"response_format": {"type": "json_object"}}),
    "image": (
        openai.BadRequestError,
        {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]}]},
    ),
    "tool message": (
        openai.BadRequestError,
        {"messages": [*ASKED, {"role": "tool", "content": "4", "tool_call_id": "1"}]},
    ),
    "nothing to answer": (openai.BadRequestError, {"messages": [*ASKED, {"role": "assistant", "content": "Go on."}]}),
    "privileged": (openai.PermissionDeniedError, {"model": "maieutic/oracle"}),
    "nobody there": (openai.PermissionDeniedError, {"model": "maieutic/no_session"}),
    "no model given": (openai.PermissionDeniedError, {"model": "maieutic/prompted"}),
    "unknown": (openai.NotFoundError, {"model": "maieutic/socratc"}),
    "a file by name": (openai.NotFoundError, {"model": "maieutic/patient//etc/passwd.yaml"}),
    "a model by address": (openai.NotFoundError, {"model": "maieutic/socratic:http://127.0.0.1:1/v1#x"}),
    "unknown style": (openai.NotFoundError, {"model": "maieutic/patient/gethin@angry"}),
    "wrong type": (openai.UnprocessableEntityError, {"messages": "hello"}),
    "wrong role": (openai.UnprocessableEntityError, {"messages": [{"role": "pirate", "content": "x"}]}),
    "seed too large": (openai.UnprocessableEntityError, {"extra_body": {"seed": 2**70}}),
}


@pytest.mark.parametrize(("kind", "fields"), REFUSED.values(), ids=REFUSED)
def test_what_is_not_done_is_refused_in_the_apis_shape(client: OpenAI, kind: type, fields: dict) -> None:
    with pytest.raises(kind) as caught:
        client.chat.completions.create(**{"model": SERVED, "messages": ASKED, **fields})
    error = caught.value
    assert isinstance(error, openai.APIStatusError)
    assert error.body["message"] and error.body["type"]
    assert error.response.headers["x-maieutic-notice"] == DISCLAIMER
    assert error.request_id


def test_an_unknown_model_is_told_the_nearest(client: OpenAI) -> None:
    with pytest.raises(openai.NotFoundError, match=r"Did you mean 'maieutic/socratic'\?"):
        said(client, "maieutic/socratc", ASKED)
    with pytest.raises(openai.NotFoundError, match=r"Did you mean 'maieutic/patient/gethin'\?"):
        said(client, "maieutic/patient/gethn", ASKED)


def test_a_key_is_asked_for_below_v1_only(offers: Offers) -> None:
    with running(create_app(offers, Settings(api_key="sesame"))) as url:
        for key in ("", "wrong", "sesam"):
            with OpenAI(base_url=f"{url}/v1", api_key=key or "x", max_retries=0) as one:
                for ask in (lambda one=one: said(one, SERVED, ASKED), one.models.list):
                    with pytest.raises(openai.AuthenticationError):
                        ask()
        with OpenAI(base_url=f"{url}/v1", api_key="sesame", max_retries=0) as one:
            assert said(one, SERVED, ASKED)
            assert one.with_options(base_url=url).get("/health", cast_to=dict)["status"] == "ok"


def test_limits_are_kept(offers: Offers) -> None:
    limits = Limits(body=3_000, turns=4)
    with (
        running(create_app(offers, Settings(limits=limits))) as url,
        OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0) as one,
    ):
        with pytest.raises(openai.APIStatusError) as caught:
            said(one, SERVED, [{"role": "user", "content": "word " * 1_000}])
        assert caught.value.status_code == 413
        long = [{"role": ("user", "assistant")[n % 2], "content": "Go on."} for n in range(5)]
        with pytest.raises(openai.BadRequestError) as caught:
            said(one, SERVED, long)
        assert caught.value.code == "context_length_exceeded"


def test_a_foreign_history_is_marked_or_under_strict_refused_once(client: OpenAI, offers: Offers) -> None:
    history = [*ASKED, {"role": "assistant", "content": "Have you tried yoga?"}, {"role": "user", "content": "No."}]
    for model in (SERVED, "maieutic/eliza", "maieutic/patient/gethin"):
        raw = client.chat.completions.with_raw_response.create(model=model, messages=history)
        assert raw.headers["x-maieutic-history"] == "foreign"
        assert raw.parse().model_extra["maieutic"]["foreign_turns"] == [1 if "patient" not in model else 2]
    with (
        running(create_app(offers, Settings(strict=True))) as url,
        OpenAI(base_url=f"{url}/v1", api_key="none") as one,  # with the SDK's retries, which a conflict would get
    ):
        own = [*ASKED, {"role": "assistant", "content": said(one, SERVED, ASKED)}, {"role": "user", "content": "No."}]
        assert said(one, SERVED, own)
        for model in (SERVED, "maieutic/patient/gethin"):
            with pytest.raises(openai.ConflictError):
                said(one, model, history)
        counts = one.with_options(base_url=url).get("/metrics", cast_to=str)
        assert 'maieutic_requests_total{kind="therapist",status="409"} 1.0' in counts


def test_explanations_are_given_only_where_the_server_allows_them(client: OpenAI, offers: Offers) -> None:
    wish = {"maieutic": {"explain": True}}
    told = client.chat.completions.create(model=SERVED, messages=ASKED, extra_body=wish).model_extra["maieutic"]
    assert {"belief", "step", "reason"} <= set(told["explain"])
    mind = client.chat.completions.create(model="maieutic/patient/gethin", messages=ASKED, extra_body=wish)
    assert 0 <= mind.model_extra["maieutic"]["explain"]["state"]["held"] <= 100
    assert "explain" not in client.chat.completions.create(model=SERVED, messages=ASKED).model_extra["maieutic"]
    with (
        running(create_app(offers, Settings())) as url,
        OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0) as one,
    ):
        with pytest.raises(openai.PermissionDeniedError, match="--allow-explain"):
            said(one, SERVED, ASKED, extra_body=wish)
        softly = {"maieutic": {"explain": "if_allowed"}}
        reply = one.chat.completions.create(model="maieutic/patient/gethin", messages=ASKED, extra_body=softly)
        assert "explain" not in reply.model_extra["maieutic"]


CRISIS = "I have the pills in my hand and I am going to kill myself tonight."


@pytest.mark.parametrize("model", ["maieutic/socratic", "maieutic/eliza", "maieutic/advice"])
@pytest.mark.parametrize("stream", [False, True])
def test_active_danger_meets_the_fixed_hand_over_and_a_header(client: OpenAI, model: str, stream: bool) -> None:
    told = [*ASKED, {"role": "assistant", "content": "Go on."}, {"role": "user", "content": CRISIS}]
    raw = client.chat.completions.with_raw_response.create(model=model, messages=told, stream=stream)
    assert raw.headers["x-maieutic-handover"] == "active"
    if stream:
        chunks = list(raw.parse())
        assert "".join(c.choices[0].delta.content or "" for c in chunks) == handover_for(CRISIS)
        assert chunks[-1].choices[0].finish_reason == "stop"
    else:
        assert raw.parse().choices[0].message.content == handover_for(CRISIS)
        assert raw.parse().choices[0].finish_reason == "stop"


def test_a_caller_in_danger_who_plays_the_therapist_meets_it_too_but_may_ask_about_danger(client: OpenAI) -> None:
    model = "maieutic/patient/gethin"
    assert said(client, model, [{"role": "user", "content": CRISIS}]) == handover_for(CRISIS)
    assert not holds_handover(said(client, model, [{"role": "user", "content": "Are you thinking about suicide?"}]))


def test_every_answer_says_that_it_is_a_research_tool(client: OpenAI, server: str) -> None:
    free = client.with_options(base_url=server)
    for path in ("/health", "/metrics", "/docs", "/openapi.json", "/v1/models"):
        response = free.get(path, cast_to=object, options={"headers": {}})
        assert response is not None
    raw = client.models.with_raw_response.list()
    assert raw.headers["x-maieutic-notice"] == DISCLAIMER
    assert client.chat.completions.create(model=SERVED, messages=ASKED).model_extra["maieutic"]["notice"] == DISCLAIMER


def test_a_session_that_the_patient_ended_is_over(client: OpenAI) -> None:
    model, talk = "maieutic/patient/nilani@upset", []
    for _ in range(40):
        reply = client.chat.completions.create(model=model, messages=talk, seed=1)
        talk += [
            {"role": "assistant", "content": reply.choices[0].message.content},
            {"role": "user", "content": "You are wrong. You must stop this. Just pull yourself together, you should."},
        ]
        if reply.model_extra["maieutic"]["ending"]:
            break
    assert reply.model_extra["maieutic"]["ending"]["kind"] == "patient_left"
    with pytest.raises(openai.BadRequestError, match="begin a new one"):
        said(client, model, talk, seed=1)


def test_a_coder_codes_the_last_message(client: OpenAI) -> None:
    talk = [*ASKED, {"role": "assistant", "content": "What went through your mind just then?"}]
    assert '"predicted":["question"]' in said(client, "maieutic/coder/annomi", talk)
    with pytest.raises(openai.BadRequestError, match="nothing to code"):
        said(client, "maieutic/coder/annomi", [])
