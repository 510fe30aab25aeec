"""What the benchmarks let run: each contestant is a process of its own that starts here and imports only what it uses.

python benchmarks/contestants.py '["bare", "http://127.0.0.1:PORT", 100, 10, 50]'
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from maieutic.domain.episode import Episode


class Size(NamedTuple):
    """How much is talked.

    Attributes:
        conversations: Number of conversations.
        exchanges: Therapist turns, each answered by the patient, after the patient's opening.
        concurrency: Conversations at once.
    """

    conversations: int = 100
    exchanges: int = 10
    concurrency: int = 50


def run_ours(url: str, size: Size) -> None:
    """`evaluate()` with two models on the server: journal, Parquet, scores and report included."""
    _evaluate(url, size, f"static:{url}#fake")


def _evaluate(url: str, size: Size, patient: str) -> None:
    import aiohttp  # noqa: F401  # otherwise loaded at the first call, and counted as part of the loop

    from maieutic.evaluation.evaluate import Request, evaluate
    from maieutic.evaluation.run import Limits

    clock: list[float] = []
    prepared = _clock_preparation()
    request = Request(
        therapists=[f"prompted:{url}#fake"],
        cases=["all"],
        seeds=-(-size.conversations // 12),
        turns=size.exchanges,
        patient=patient,
        limit=size.conversations,
    )
    with tempfile.TemporaryDirectory() as folder:
        outcome = evaluate(
            request,
            Path(folder) / "run",
            limits=Limits(concurrency=size.concurrency, preflight=False),
            begin=lambda *_: clock.append(time.process_time()),
            watch=lambda _: clock.append(time.process_time()),
        )
    report_from_child(sum(not e.failed for e in outcome.episodes), clock[-1] - clock[0] - sum(prepared), sum(prepared))


def run_engine(url: str, size: Size) -> None:
    """The same without scores and report: the dialogues, the journal and the Parquet tables."""
    from maieutic.evaluation import evaluate
    from maieutic.evaluation.tables import write_tables

    def tables_only(out: Path, episodes: Sequence[Episode], **_: Any) -> Any:
        write_tables(out, episodes)
        return evaluate.Outcome(out, tuple(episodes), None)  # type: ignore[arg-type]

    evaluate.finish = tables_only
    run_ours(url, size)


def _clock_preparation() -> list[float]:
    """CPU seconds of making each patient, which happens once a case and situation, in the midst of the dialogues."""
    from maieutic.evaluation import evaluate

    spent: list[float] = []
    make_patients = evaluate.make_patients

    def clocked(spec: str, replies: dict[str, str] | None = None) -> Any:
        make, model = make_patients(spec, replies)

        def one(case: Any, situation: str) -> Any:
            before = time.process_time()
            patient = make(case, situation)
            spent.append(time.process_time() - before)
            return patient

        return one, model

    evaluate.make_patients = clocked
    return spent


def run_bare(url: str, size: Size) -> None:
    """The same calls with nothing around them."""
    import aiohttp
    import orjson

    async def talk(session: aiohttp.ClientSession, number: int) -> None:
        said: list[str] = []
        for turn in range(1 + 2 * size.exchanges):
            roles = ("assistant", "user") if turn % 2 == 0 else ("user", "assistant")
            messages = [{"role": "system", "content": "Speak. " * (200 if turn % 2 == 0 else 70)}]
            if turn % 2 == 0:
                messages.append({"role": "user", "content": f"Hello {number}."})
            messages += [{"role": roles[at % 2], "content": text} for at, text in enumerate(said)]
            body = {"model": "fake", "messages": messages, "temperature": 0.7, "max_tokens": 256, "seed": turn}
            async with session.post(f"{url}/v1/chat/completions", data=orjson.dumps(body)) as response:
                answer = orjson.loads(await response.read())
            said.append(answer["choices"][0]["message"]["content"])

    async def all_talks() -> None:
        gate = asyncio.Semaphore(size.concurrency)
        connector = aiohttp.TCPConnector(limit=size.concurrency)
        headers = {"Content-Type": "application/json"}
        async with aiohttp.ClientSession(connector=connector, headers=headers) as session:

            async def gated(number: int) -> None:
                async with gate:
                    await talk(session, number)

            await asyncio.gather(*(gated(number) for number in range(size.conversations)))

    before = time.process_time()
    asyncio.run(all_talks())
    report_from_child(size.conversations, time.process_time() - before)


def run_inspect(url: str, size: Size) -> None:
    """An Inspect solver that plays the same conversations, with Inspect's own client for such servers."""
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample as Item
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser, GenerateConfig, get_model
    from inspect_ai.solver import Generate, Solver, TaskState, solver

    @solver
    def two_models() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            model, said = get_model(), list[str]()
            for turn in range(1 + 2 * size.exchanges):
                kinds: Any = (ChatMessageAssistant, ChatMessageUser)
                messages: list[Any] = [ChatMessageSystem(content="Speak. " * (200 if turn % 2 == 0 else 70))]
                if turn % 2 == 0:
                    messages.append(ChatMessageUser(content="Hello."))
                else:
                    kinds = kinds[::-1]
                messages += [kinds[at % 2](content=text) for at, text in enumerate(said)]
                output = await model.generate(messages)
                said.append(output.completion)
            return state

        return solve

    os.environ["FAKE_API_KEY"] = "none"
    os.environ["FAKE_BASE_URL"] = f"{url}/v1"
    items = [Item(input=f"conversation {number}", id=number) for number in range(1, size.conversations + 1)]
    config = GenerateConfig(max_connections=size.concurrency, temperature=0.7, max_tokens=256)
    before = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        [log] = eval(
            Task(dataset=items, solver=two_models(), config=config), model="openai-api/fake/fake", log_dir=folder,
            display="none", max_samples=size.concurrency,
        )  # fmt: skip
        if log.status != "success":
            raise RuntimeError(f"Inspect ended as {log.status}: {log.error}")
        report_from_child(len(log.samples or ()), time.process_time() - before)


def run_mind(url: str, size: Size) -> None:
    """`evaluate()` with a remote therapist and the simulated patient with a mind: codes and appraisals every turn."""
    _evaluate(url, size, "simulated")


def report_from_child(conversations: int, loop_cpu: float, prepare_cpu: float | None = None) -> None:
    """The last line of a contestant."""
    found = {"conversations": conversations, "loop_cpu": loop_cpu, "prepare_cpu": prepare_cpu, "peak_mb": peak_mb()}
    print(json.dumps(found))


def peak_mb() -> float | None:
    """Largest resident memory of this process so far.

    From /proc, since `ru_maxrss` of a new program starts at the size of the process that started it.
    """
    status = Path("/proc/self/status")
    if not status.exists():
        return None
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1024


CONTESTANTS = {"ours": run_ours, "engine": run_engine, "bare": run_bare, "inspect": run_inspect, "mind": run_mind}

if __name__ == "__main__":
    who, where, *numbers = json.loads(sys.argv[1])
    CONTESTANTS[who](where, Size(*numbers))
