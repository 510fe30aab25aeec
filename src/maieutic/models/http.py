"""The fast path to any OpenAI-compatible chat server: one connection pool, bounded patience, errors in plain words."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, parse_qsl, urlsplit

import orjson

from maieutic.domain.episode import Usage
from maieutic.errors import InputError, ModelRefused, ModelTimeout, ModelUnavailable
from maieutic.models.http_faults import (
    API_KEYS,
    OTHER_NAMES,
    Ailing,
    OtherName,
    PassingFault,
    ask_again,
    is_same_model,
    refusal,
    spoken,
    words,
)
from maieutic.protocols import Message, Reply
from maieutic.registry import model

if TYPE_CHECKING:
    import aiohttp
    from yarl import URL


_log = logging.getLogger("maieutic.models")
_LOOK_AGAIN = 5.0
_ANOTHER = ({"role": "user", "content": "Are you there?"},)


@dataclass(frozen=True, slots=True)
class Patience:
    """How long and how often one reply is asked for.

    Attributes:
        timeout: Seconds one attempt may take from sending to the last byte; waiting for a free connection is not
            counted. An attempt that ran out of time is repeated once at most.
        attempts: Requests sent at most for one reply (1 or more).
        connections: Requests in flight at once; the others wait.
        backoff: Upper end, in seconds, of the first random pause before a repetition; it doubles each time.
        outage: Seconds for which a server that has answered before may be away; it is asked again and again meanwhile.
    """

    timeout: float = 60.0
    attempts: int = 4
    connections: int = 64
    backoff: float = 0.5
    outage: float = 120.0

    def __post_init__(self) -> None:
        if not (0 < self.timeout < float("inf") and 0 <= self.backoff < float("inf") and self.outage >= 0):
            raise InputError(f"timeout must be above 0, backoff and outage 0 or more (seconds), got {self}")
        if self.attempts < 1 or self.connections < 1:
            raise InputError(f"attempts and connections must be 1 or more, got {self}")


@dataclass(frozen=True, slots=True)
class Answered:
    """What a server answered.

    Attributes:
        text: The words, as they came.
        usage: Requests sent and tokens reported.
        whole: The answer with all that the server put beside the words.
    """

    text: str
    usage: Usage
    whole: Mapping[str, Any]


class HttpModel:
    """A model behind an OpenAI-compatible chat completions server.

    The key is read from `MAIEUTIC_API_KEY`, else from `OPENAI_API_KEY`, at the first call; it never enters `name` or a
    message. `Usage.calls` counts the requests sent, repetitions included; token counts are those of the reply that was
    used, None when the server reports none. Seeds are sent modulo 2**31, since servers differ in what they accept.

    Attributes:
        name: The spec without user, password and query string.
        model_id: The server's name for the model.
        parallel: How many calls at once are useful.
        other_names: Names of other models under which the server answered.
        takes_top_p: True: `generate` knows the setting.
    """

    takes_top_p = True

    def __init__(self, url: str, model_id: str, *, patience: Patience | None = None, **limits: float) -> None:
        """Prepare, without connecting.

        Args:
            url: Address of the server or of its chat completions.
            model_id: The server's name for the model.
            patience: Limits for all calls.
            limits: Single limits, by their names in `Patience`.
        """
        parts = _address(url)
        self.patience = replace(patience or Patience(), **limits)  # type: ignore[arg-type]
        self._own_limit = self.patience.timeout != Patience().timeout
        written = urlsplit(url)._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()
        self.name = f"{written}#{model_id}"
        self.parallel = self.patience.connections
        self._where = written
        self._target = parts
        self.model_id = model_id
        self.other_names: set[str] = set()
        self._answered = False
        self._away_since: float | None = None
        self._told: float | None = None
        self._renamed: dict[str, str | None] = {}
        self._session: aiohttp.ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def wait_at_most(self, seconds: float) -> None:
        """Set the limit on one attempt, unless the spec sets one."""
        if not self._own_limit:
            self.patience = replace(self.patience, timeout=seconds)

    def check(self) -> None:
        """Raise `ModelUnavailable` when a hosted server would be asked without a key; nothing is sent."""
        if self._target.scheme == "https" and not any(os.environ.get(name) for name in API_KEYS):
            raise ModelUnavailable(
                f"no key for {self._where}: set {API_KEYS[0]}, else {API_KEYS[1]} (to any word if the server "
                "needs none)"
            )

    async def generate(
        self,
        messages: Sequence[Message],
        *,
        seed: int,
        temperature: float = 0.7,
        max_tokens: int = 256,
        top_p: float | None = None,
    ) -> Reply:
        """Ask for one reply.

        Raises:
            ModelTimeout: no answer within the limit, twice.
            ModelUnavailable: no connection.
            ModelRefused: an error that repeating does not mend, or one that stayed.
        """
        asked = {"messages": messages, "temperature": temperature, "max_tokens": max_tokens, "seed": seed & 0x7FFFFFFF}
        answered = await self.ask(asked if top_p is None else asked | {"top_p": top_p})
        return Reply(answered.text, answered.usage)

    async def ask(self, fields: Mapping[str, Any]) -> Answered:
        """Send a request of these fields, `model` added, and give back what the server made of it.

        Raises:
            ModelError: as `generate`.
        """
        if self._loop is not asyncio.get_running_loop():
            await self._open(asyncio.get_running_loop())
        asked = {"model": self.model_id, **fields}
        while True:
            try:
                answered = await self._ask(asked)
            except (ModelUnavailable, Ailing) as error:
                if not self._may_come_back() or (isinstance(error, Ailing) and await self._answers_others(asked)):
                    raise
                if self._away_since != self._told:
                    self._told = self._away_since
                    _log.warning("waiting up to %g s for a server to come back: %s", self.patience.outage, error)
                await asyncio.sleep(min(_LOOK_AGAIN, self.patience.outage / 10))
            else:
                self._answered, self._away_since = True, None
                return answered

    def _may_come_back(self) -> bool:
        """Whether an outage of a server that has answered before is waited out; it counts from the first call it
        cost."""
        now = time.monotonic()
        self._away_since = self._away_since or now
        return self._answered and now - self._away_since < self.patience.outage

    async def _answers_others(self, asked: Mapping[str, Any]) -> bool:
        """Whether the server answers another conversation now, so that what it does not answer is this one alone."""
        try:
            await self._attempt(self._body({**asked, "messages": _ANOTHER}), 1)
        except PassingFault:
            return False
        except (OtherName, ModelRefused):
            pass
        return True

    async def _ask(self, asked: Mapping[str, Any]) -> Answered:
        """One reply; settings that the server calls by another name, or does not know, are sent as it wants them."""
        while True:
            body = self._body(asked)
            try:
                return await self._attempt(body, 1)
            except PassingFault as first:
                return await ask_again(
                    partial(self._attempt, body), first, attempts=self.patience.attempts, backoff=self.patience.backoff
                )
            except OtherName as error:
                if error.setting in self._renamed:
                    raise ModelRefused(str(error)) from error
                self._renamed[error.setting] = OTHER_NAMES[error.setting]

    def _body(self, asked: Mapping[str, Any]) -> bytes:
        named = {self._renamed.get(key, key): value for key, value in asked.items()}
        return orjson.dumps({key: value for key, value in named.items() if key is not None})

    async def close(self) -> None:
        """Close the connections; a later call opens new ones."""
        session, self._session, self._loop = self._session, None, None
        if session is not None:
            await session.close()

    async def _open(self, loop: asyncio.AbstractEventLoop) -> None:
        # A session is bound to the event loop it was made in; a model object may outlive several loops. The new one is
        # in place before the first await, so that calls made at the same time share it.
        import aiohttp
        from yarl import URL

        former = self._session
        limit = self.patience.connections
        key = next((os.environ[name] for name in API_KEYS if os.environ.get(name)), None)
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if key and not self._target.username:
            headers["Authorization"] = f"Bearer {key}"
        self._failures = (aiohttp.ClientError, OSError)
        self._url: URL = URL(self._target.geturl())
        self._gate = asyncio.Semaphore(limit)
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=limit),
            timeout=aiohttp.ClientTimeout(total=self.patience.timeout),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=headers,
        )
        self._loop = loop
        if former is not None:
            await former.close()

    async def _attempt(self, body: bytes, number: int) -> Answered:
        assert self._session is not None
        try:
            async with self._gate, self._session.post(self._url, data=body, allow_redirects=False) as response:
                content = await response.read()
        except TimeoutError as error:
            limit = f"{self.patience.timeout:g} s"
            raise PassingFault(
                ModelTimeout(f"{self._where} gave no answer within {limit}, attempt {number}")
            ) from error
        except self._failures as error:
            why = str(error).replace(" ssl:default", "") or type(error).__name__
            reason = f"{self._where} cannot be reached: {words(why)} ({number} attempts)"
            raise PassingFault(ModelUnavailable(f"{reason}; is the server running at that address?")) from error
        if response.status != 200:
            raise refusal(self._where, response.status, response.headers, content, number)
        empty = ""
        try:
            answer = orjson.loads(content)
            if isinstance(answer, dict) and answer.get("error"):
                raise refusal(self._where, response.status, response.headers, content, number)
            text = spoken(answer["choices"][0])
            if text.strip():
                self._heard_from(answer.get("model"))
                usage = answer.get("usage") or {}
                counted = Usage(number, usage.get("prompt_tokens"), usage.get("completion_tokens"))
                return Answered(text, counted, answer)
            empty = "an empty message, in "
        except (ValueError, KeyError, IndexError, TypeError, AttributeError):
            pass
        came = f"{empty}{response.headers.get('Content-Type', 'no content type')}: {words(content) or 'nothing'}"
        raise PassingFault(Ailing(f"{self._where} gave no usable reply, attempt {number}; what came was {came}"))

    def _heard_from(self, came: object) -> None:
        """A server that has another model behind its address answers all the same; the first time it is said."""
        if isinstance(came, str) and came and came not in self.other_names and not is_same_model(self.model_id, came):
            self.other_names.add(came)
            _log.warning("%s calls its model %s; asked for was %s", self._where, words(came.encode()), self.model_id)


def _address(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise InputError(
            f"{url.partition('?')[0]!r} is no address of a model server: write http(s)://HOST[:PORT]#MODEL"
        )
    path = parts.path.rstrip("/")
    if not path.endswith("/chat/completions"):
        path += "/chat/completions" if path.endswith("/v1") else "/v1/chat/completions"
    return parts._replace(path=path, fragment="")


@model("http")
def make(spec: str) -> HttpModel:
    """`http(s)://HOST[:PORT][/PATH]#MODEL[?timeout=…&attempts=…&connections=…&backoff=…&outage=…]` → a model."""
    url, _, fragment = spec.partition("#")
    model_id, _, options = fragment.partition("?")
    if not model_id:
        raise InputError(f"{url!r} names no model: write {url.partition('?')[0]}#MODEL, as the server calls it")
    kinds: dict[str, type[int] | type[float]] = {
        one.name: type(getattr(Patience(), one.name)) for one in fields(Patience)
    }
    limits: dict[str, float] = {}
    for name, value in parse_qsl(options, keep_blank_values=True):
        if name not in kinds:
            raise InputError(f"no option named {name!r} for an http model. Known: {', '.join(kinds)}")
        try:
            limits[name] = kinds[name](value)
        except ValueError as error:
            raise InputError(f"{name}={value!r} is no number; write for example {name}=20") from error
    return HttpModel(url, model_id, patience=replace(Patience(), **limits))  # type: ignore[arg-type]
