"""What can go wrong between us and a chat server: which failures pass, how long to pause, what to tell the user."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import orjson

from maieutic.errors import ModelError, ModelRefused, ModelTimeout, ModelUnavailable

if TYPE_CHECKING:
    from tenacity import RetryCallState

T = TypeVar("T")

API_KEYS = ("MAIEUTIC_API_KEY", "OPENAI_API_KEY")
PASSING = frozenset((408, 409, 425, 429))
MAX_PAUSE = 30.0
MAX_QUOTE = 300


AWAY = frozenset((502, 503, 504))
"""A gateway whose server is gone, or a server that still loads its model: it may come back."""
OTHER_NAMES: Mapping[str, str | None] = {"max_tokens": "max_completion_tokens", "seed": None}
"""What servers that refuse a setting call it; None where they have none. Sampling is never changed behind one's
back."""
_UNKNOWN_SETTING = frozenset(("unsupported_parameter", "unknown_parameter"))


_DATED = re.compile(r"(.+?)-(\d{4}-\d\d-\d\d|\d{4,8}|latest)")


def is_same_model(asked: str, came: str) -> bool:
    """Whether a server's name for the model that answered may stand for the one that was asked.

    Folders, `.gguf` and `:latest` do not count; one of the two may have a date, or `-latest` where the other has one.
    """
    one, other = (re.split(r"[/\\]", name.strip().lower())[-1] for name in (asked, came))
    one, other = (name.removesuffix(".gguf").removesuffix(":latest") for name in (one, other))
    if one == other:
        return True
    (stem, day), (other_stem, other_day) = map(_stem_and_day, (one, other))
    days = {day, other_day}
    return stem == other_stem and len(days) == 2 and ("latest" in days) is ("" not in days)


def _stem_and_day(name: str) -> tuple[str, str]:
    found = _DATED.fullmatch(name)
    return (found[1], found[2]) if found else (name, "")


class OtherName(Exception):
    """The server refused a setting by name, and there is another way to say it."""

    def __init__(self, setting: str, said: str) -> None:
        super().__init__(said)
        self.setting = setting


class Ailing(ModelRefused):
    """An error of the server's own, or an answer that is none: of this conversation alone, or of every one there is."""


class PassingFault(Exception):
    """A failure that may mend itself; holds the error to raise when it does not."""

    def __init__(self, error: ModelError, *, pause: float = 0.0) -> None:
        super().__init__(str(error))
        self.error = error
        self.pause = pause


async def ask_again(ask: Callable[[int], Awaitable[T]], first: PassingFault, *, attempts: int, backoff: float) -> T:
    """Repeat a call whose first attempt failed in passing, with random pauses that double in range.

    Args:
        ask: Sends the request; its argument is the number of the attempt.
        first: How the first attempt failed.
        attempts: Attempts in all; a second one that runs out of time is the last.
        backoff: Upper end of the first pause, in seconds; what the server asks for counts when it is longer, up to 30
            s.
    """
    from tenacity import AsyncRetrying, retry_if_exception_type
    from tenacity.wait import wait_random_exponential

    jitter = wait_random_exponential(multiplier=backoff, max=MAX_PAUSE)
    timeouts = 0

    def pause(state: RetryCallState) -> float:
        return min(max(_fault(state).pause, jitter(state)), MAX_PAUSE)

    def enough(state: RetryCallState) -> bool:
        nonlocal timeouts
        timeouts += isinstance(_fault(state).error, ModelTimeout)
        return timeouts > 1 or state.attempt_number >= attempts

    retrying = AsyncRetrying(
        retry=retry_if_exception_type(PassingFault), wait=pause, stop=enough, sleep=asyncio.sleep, reraise=True
    )
    try:
        async for attempt in retrying:
            with attempt:
                number = attempt.retry_state.attempt_number
                if number == 1:
                    raise first
                return await ask(number)
    except PassingFault as last:
        raise last.error from last.__cause__
    raise first.error


def refusal(where: str, status: int, headers: Mapping[str, str], content: bytes, number: int) -> Exception:
    """The error for an answer that is not 200, or that holds an error all the same: a `PassingFault` when it may
    pass."""
    said = f"{where} answered {status}: {_server_message(content)}"
    if status in AWAY:
        return PassingFault(ModelUnavailable(f"{said} ({number} attempts)"), pause=seconds(headers.get("Retry-After")))
    if (setting := _refused_setting(content)) in OTHER_NAMES:
        return OtherName(setting, said)
    if status in PASSING or status >= 500 or status == 200:
        return PassingFault(Ailing(f"{said}, attempt {number}"), pause=seconds(headers.get("Retry-After")))
    if status == 401:
        said += f"; the key is read from {API_KEYS[0]}, else from {API_KEYS[1]}: set one of them to a valid key"
    elif 300 <= status < 400:
        said += f"; it points to {headers.get('Location', 'nowhere')}: name that address instead"
    return ModelRefused(said)


def spoken(choice: Mapping[str, Any]) -> str:
    """The text of a choice, which some servers send in parts. Raises what a choice of another form raises.

    Raises:
        ModelRefused: the model used up its tokens while it thought, and said nothing.
    """
    message = choice["message"]
    text = message["content"]
    thought = message.get("reasoning_content") or message.get("reasoning")
    if not text and thought and choice.get("finish_reason") == "length":
        raise ModelRefused("the model thought until its tokens were used up and said nothing; raise --max-tokens")
    if isinstance(text, list):
        text = "".join(part["text"] for part in text if part.get("type") == "text")
    return str(text.strip())


def _refused_setting(content: bytes) -> str:
    """The setting that a server says it does not know, or ''."""
    try:
        error = orjson.loads(content)["error"]
        return str(error["param"]) if error["code"] in _UNKNOWN_SETTING else ""
    except (ValueError, KeyError, TypeError):
        return ""


def _fault(state: RetryCallState) -> PassingFault:
    fault = state.outcome.exception() if state.outcome else None
    assert isinstance(fault, PassingFault)
    return fault


def words(content: str | bytes) -> str:
    text = content.decode("utf-8", "replace") if isinstance(content, bytes) else content
    text = " ".join(text[: 4 * MAX_QUOTE].split())
    return text if len(text) <= MAX_QUOTE else text[: MAX_QUOTE - 1] + "…"


def _server_message(content: bytes) -> str:
    try:
        answer: Any = orjson.loads(content)
    except ValueError:
        if content.lstrip()[:1] == b"<":
            title = re.search(r"<(title|h1)>(.*?)</\1>", content.decode("utf-8", "replace"), re.DOTALL | re.IGNORECASE)
            called = f" “{words(title[2])}”" if title else ""
            return f"a web page{called}; is this the address of a model server, and does it end as its own page says?"
        return words(content) or "without a message"
    for name in ("error", "message", "detail"):
        if isinstance(answer, dict) and name in answer:
            answer = answer[name]
    return words(answer if isinstance(answer, str) else orjson.dumps(answer)) or "without a message"


def seconds(retry_after: str | None) -> float:
    """The pause a server asks for, 0–30 s; 0 when it asks for none or in another way."""
    # The header may also hold a date; the jittered pause is used then.
    try:
        return min(max(float(retry_after or 0), 0.0), MAX_PAUSE)
    except ValueError:
        return 0.0
