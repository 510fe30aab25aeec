"""Arms are told apart by short names, and each model is asked as it was set."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from maieutic.domain.episode import Session, Turn, Usage
from maieutic.errors import InputError, UnknownName
from maieutic.evaluation.plan import ACTIVE, EVERY, Settings, load_arms, recorded, specs_of, without_secrets
from maieutic.protocols import Reply
from maieutic.registry import known
from maieutic.therapists.prompted import Prompted

NAMES = {
    "a spec that is short keeps it": (["socratic", "prompted:embedded"], ["socratic", "prompted:embedded"]),
    "a model has its own name": (["prompted:http://localhost:8000/v1#meta/Llama-3.1-8B"], ["Llama-3.1-8B"]),
    "options of a model are no part of it": (["prompted:http://h/v1#m?timeout=9"], ["m"]),
    "one model in two kinds": (["prompted:http://h/v1#m", "socratic:http://h/v1#m"], ["m", "socratic:m"]),
    "one model on two hosts": (
        ["prompted:http://a:1/v1#m", "prompted:http://b:1/v1#m"],
        ["prompted:m@a:1", "prompted:m@b:1"],
    ),
    "one model on one host in two ways": (
        ["prompted:http://a/v1#m?attempts=1", "prompted:http://a/v1#m?attempts=2"],
        ["prompted:m@a-2", "prompted:m@a-3"],
    ),
    "a provider's model": (["prompted:inspect/openai/gpt-4o-mini"], ["gpt-4o-mini"]),
    "a file of weights": (["prompted:gguf:/models/qwen3-0.6b.gguf"], ["qwen3-0.6b"]),
    "a bot": (["bots/mine.py:make"], ["mine.py:make"]),
    "two bots of one name": (["a/mine.py:make", "b/mine.py:make"], ["a/mine.py:make", "b/mine.py:make"]),
    "a bot behind an address": (["http://127.0.0.1:9000/v1#my-bot"], ["my-bot"]),
    "a bot and a model of one name": (
        ["http://h/v1#m", "prompted:http://h/v1#m"],
        ["m@h", "prompted:m"],
    ),
    "a given name": (["gpt=prompted:http://h/v1#m", "prompted:http://h/v1#m"], ["gpt", "m"]),
    "a short name that is given to another": (["m=eliza", "prompted:http://h/v1#m"], ["m", "prompted:m"]),
}


@pytest.mark.parametrize(("texts", "names"), NAMES.values(), ids=NAMES)
def test_arms_are_named(texts: list[str], names: list[str]) -> None:
    assert list(specs_of(texts)) == names


def test_twenty_models_of_one_address_have_twenty_short_names() -> None:
    texts = [f"prompted:http://localhost:8000/v1#Qwen3-8B-checkpoint-{100 * n}" for n in range(20)]
    names = list(specs_of(texts))
    assert len(set(names)) == 20 and max(map(len, names)) <= 28


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        (["a=eliza", "a=advice"], "two arms are named 'a'"),
        (["eliza", "eliza"], "as again=eliza"),
        (["no_session", "no_session"], "no_session is named twice; name it once$"),
        (["nobody=no_session"], "keeps its name"),
        (["no_session=eliza"], "keeps its name"),
        (["my arm=eliza"], "NAME=THERAPIST"),
        (["=eliza"], "NAME=THERAPIST"),
        (["a="], "NAME=THERAPIST"),
    ],
)
def test_names_that_cannot_be_are_refused(texts: list[str], says: str) -> None:
    with pytest.raises(InputError, match=says):
        specs_of(texts)


def test_passwords_and_queries_of_addresses_are_not_kept() -> None:
    assert without_secrets("prompted:http://me:pw@h:1/v1?key=x#m") == "prompted:http://h:1/v1#m"
    assert without_secrets("mine=prompted:https://me:pw@h/v1#m?timeout=2") == "mine=prompted:https://h/v1#m?timeout=2"
    assert without_secrets("prompted:embedded") == "prompted:embedded"


class Asked:
    """A model that keeps how it was asked."""

    name, takes_top_p = "asked", True

    def __init__(self) -> None:
        self.how: list[dict[str, Any]] = []

    async def generate(self, messages: Any, *, seed: int, **how: Any) -> Reply:
        self.how.append({"system": messages[0]["content"], **how})
        return Reply("What happened?", Usage(1))

    async def close(self) -> None: ...


def test_a_therapist_asks_as_it_was_set() -> None:
    model = Asked()
    told = Prompted(model, temperature=0.1, top_p=0.9, max_tokens=33, system="Be brief.")
    asyncio.run(told.respond(Session((Turn("patient", "Hello."),))))
    asyncio.run(Prompted(model).respond(Session((Turn("patient", "Hello."),))))
    first, second = model.how
    assert first == {"system": "Be brief.", "temperature": 0.1, "top_p": 0.9, "max_tokens": 33}
    assert "top_p" not in second and second["temperature"] == 0.7


def test_settings_for_all_arms_go_to_those_that_take_them_and_its_own_go_first() -> None:
    specs = specs_of(["a=prompted:http://h/v1#m", "b=prompted:http://h/v1#m", "eliza"])
    made = load_arms(specs, {EVERY: Settings(temperature=0.2, max_tokens=9), "b": Settings(temperature=1.0)})
    assert {name: own.given for name, (_, own) in made.items()} == {
        "a": {"temperature": 0.2, "max_tokens": 9},
        "b": {"temperature": 1.0, "max_tokens": 9},
        "eliza": {},
    }
    assert [getattr(made[name][0], "temperature", None) for name in specs] == [0.2, 1.0, None]


def test_the_policy_on_risk_goes_to_the_agent_and_stands_in_what_a_manifest_keeps() -> None:
    specs = specs_of(["socratic", "eliza"])
    made = load_arms(specs, {EVERY: Settings(risk_policy="indicated")})
    assert getattr(made["socratic"][0], "risk_policy") == "indicated"  # noqa: B009
    assert recorded("socratic", made["socratic"][1]) == {"spec": "socratic", "risk_policy": "indicated"}
    assert made["eliza"][1].given == {}
    assert getattr(load_arms(specs, {})["socratic"][0], "risk_policy") == "routine"  # noqa: B009
    with pytest.raises(InputError, match="routine or indicated"):
        Settings(risk_policy="never")


def test_a_model_with_a_limit_of_its_own_lets_a_given_one_go_first() -> None:
    made, _ = load_arms(specs_of(["a=prompted:embedded"]), {"a": Settings(max_tokens=99)})["a"]
    assert made.limited(made.max_tokens) == 99  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("specs", "settings", "error", "says"),
    [
        (["eliza"], {"eliza": Settings(temperature=1.0)}, InputError, "the arm eliza takes no --temperature"),
        (["eliza"], {EVERY: Settings(top_p=0.5)}, InputError, "no arm of this run takes --top-p"),
        (
            ["a=prompted:scripted"],
            {"a": Settings(top_p=0.5)},
            InputError,
            "it takes --temperature, --max-tokens, --system",
        ),
        (["hot=prompted:scripted"], {"hut": Settings(temperature=1.0)}, UnknownName, "Did you mean 'hot'"),
        (["socratic:scripted"], {EVERY: Settings(temperature=1.0)}, InputError, "no arm of this run takes"),
    ],
)
def test_settings_that_nothing_takes_are_refused(
    specs: list[str], settings: dict[str, Settings], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        load_arms(specs_of(specs), settings)


@pytest.mark.parametrize("wrong", [{"temperature": -1}, {"temperature": float("nan")}, {"top_p": 0}, {"max_tokens": 0}])
def test_settings_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="--"):
        Settings(**wrong)


def _place(make: Any) -> str:
    return str(getattr(make, "func", make).__module__)


def test_the_active_arms_are_those_of_the_package_that_hold_a_session_without_a_model() -> None:
    own = {name for name, make in known("therapist").items() if _place(make).startswith("maieutic.rivals.")}
    own -= {name for name in own if getattr(known("therapist")[name], "needs_model", False)}
    assert own - {"oracle"} == ACTIVE
