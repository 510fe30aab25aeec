"""How many replies a second the packaged model gives as it is run, and with each setting as it would be otherwise.

    python benchmarks/embedded_model.py
    python benchmarks/embedded_model.py --way "not the same whatever else runs"     # this one and as it is run; only prints

Eight sessions at once, each patient turn a line that a development patient may say, replies of 40 tokens at most: what an
evaluation asks of it. Each way is a fresh process; the ways take turns, so that a busy moment hits them alike.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import statistics
import subprocess
import sys
import time
from dataclasses import replace
from random import Random
from typing import Any

from maieutic.library import STARTERS, get_case
from maieutic.models.embedded import EmbeddedModel, make_embedded
from maieutic.models.trained import make_trained
from maieutic.patients.template_voice import every_line
from maieutic.prompts import prompt
from maieutic.protocols import Message
from measuring import machine, write_result

AS_SHIPPED = "as it is run"
OTHERWISE: dict[str, dict[str, Any]] = {
    AS_SHIPPED: {},
    "not the same whatever else runs": {"repeatable": False},
    "and several conversations at a time a core": {"repeatable": False, "together": 0},
    "and fused attention": {"repeatable": False, "flash_attention": True},
    "and both": {"repeatable": False, "together": 0, "flash_attention": True},
    "one copy for all cores": {"servers": 1},
    "weights in 4 bits, as in the file": {"eight_bit": False},
}
AT_ONCE = 8


async def replies_a_second(model: EmbeddedModel, sessions: int, turns: int) -> float:
    """Replies a second over `sessions` sessions, 8 at once, after one reply that loads the weights."""
    system: Message = {"role": "system", "content": prompt("cbt_therapist").text}
    await model.generate([system, {"role": "user", "content": "Hello."}], seed=0, max_tokens=4)
    places = asyncio.Semaphore(AT_ONCE)

    said = [sorted(every_line(get_case(STARTERS[number % len(STARTERS)]))) for number in range(sessions)]

    async def session(number: int) -> None:
        rng, messages = Random(number), [system]
        async with places:
            for turn in range(turns):
                messages.append({"role": "user", "content": rng.choice(said[number])})
                reply = await model.generate(messages, seed=turn, max_tokens=model.reply_tokens)
                messages.append({"role": "assistant", "content": reply.text})

    start = time.perf_counter()
    await asyncio.gather(*(session(number) for number in range(sessions)))
    return sessions * turns / (time.perf_counter() - start)


def child(way: str, sessions: int, turns: int, adapter: bool, threads: int) -> tuple[float, float]:
    """One way, in this process: replies a second, largest resident memory in MB."""
    model = make_trained("trained:embedded") if adapter else make_embedded("embedded")
    assert isinstance(model, EmbeddedModel)
    cores = {"threads": threads, "servers": threads} if threads else {}
    model.engine = replace(model.engine, **{**cores, **OTHERWISE[way]})
    rate = asyncio.run(replies_a_second(model, sessions, turns))
    return rate, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=8)
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument(
        "--way", action="append", choices=[*OTHERWISE], help="only these and as it is run, and print; repeat"
    )
    parser.add_argument("--adapter", action="store_true", help="with the packaged adapter; only prints")
    parser.add_argument("--threads", type=int, default=0, help="in place of the cores of this process; only prints")
    parser.add_argument("--no-write", action="store_true", help="print only")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(child(options.child, options.sessions, options.turns, options.adapter, options.threads)))
        return 0
    before = machine()
    ways = (AS_SHIPPED, *options.way) if options.way else OTHERWISE
    found: dict[str, list[float]] = {way: [] for way in ways}
    most: dict[str, float] = {}
    for _ in range(options.repeats):
        for way, rates in found.items():
            asked = [sys.executable, __file__, "--child", way, "--sessions", str(options.sessions), "--turns", str(options.turns)]  # fmt: skip
            asked += ["--threads", str(options.threads), *(["--adapter"] if options.adapter else [])]
            rate, memory = json.loads(subprocess.run(asked, check=True, capture_output=True, text=True).stdout)
            rates.append(rate)
            most[way] = max(memory, most.get(way, 0.0))
            print(f"{way}: {rate:.2f} replies a second, {memory:.0f} MB at most", file=sys.stderr, flush=True)
    middle = {way: statistics.median(rates) for way, rates in found.items()}
    for way, rate in middle.items():
        print(
            f"{way:42} {rate:5.2f} replies a second, {rate / middle[AS_SHIPPED]:.2f} of {AS_SHIPPED}, {most[way]:.0f} MB"
        )
    if not (
        options.no_write or options.way or options.adapter or options.threads
    ):  # a part of the ways is no new table
        result = {"machine": before, "sessions": options.sessions, "turns": options.turns,
                  "replies_a_second": found, "peak_mb": most, "share": {way: rate / middle[AS_SHIPPED] for way, rate in middle.items()}}  # fmt: skip
        write_result("embedded_model", result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
