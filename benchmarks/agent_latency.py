"""What one turn of the Socratic agent without a model costs: p50, p95 and the slowest, in sessions of 40 therapist turns.

    python benchmarks/agent_latency.py
    python benchmarks/agent_latency.py --profile     # the functions that take most, with what they call

Every session is with another case, and what any reader keeps of earlier texts is thrown away before it (`forget`), so that no
patient turn was read before; what the patient's readers make of MiniLM the agent does not get. Held to one core and one
thread. A turn is timed by the CPU of this thread, so that other jobs do not count; by the clock it stands beside. After each
turn one bare encoder pass over the same patient turn is timed, uncached: the ratio of the two says what the machine does not.
Passes are texts that went through an encoder, MiniLM or a fine-tuned one, in the agent's turn and in the patient's answer.
They are counted once more as `evaluate` plays a session, with one store of vectors for all who read, and nothing kept from
earlier sessions; what is encoded of a case before the first word stands by itself there.
"""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import gc
import os
import pstats
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import _lru_cache_wrapper
from typing import Any

import numpy as np

from coder import THREADS, one_core
from maieutic.coding.rules import RuleCoder
from maieutic.dialogue import Conversation, Streams, converse
from maieutic.domain.episode import EpisodeKey, Session, Turn
from maieutic.library import case_ids, get_case
from maieutic.reading.encoder import PIECES, Network, body, sentence_layers
from maieutic.reading.minilm import CACHED_TEXTS, MiniLM, shared_minilm
from maieutic.safety.encoder import load_encoder
from maieutic.therapists.socratic import SocraticTherapist
from maieutic.worlds import STANDARD_WORLD, patient_of
from measuring import machine, print_checks, write_result

TURNS = 40
BOUND_MS = 50.0
ROOM = 500
"""A cache with room for so many is one of readings."""
LATE = 30
"""Turns from this one on are shown by themselves: what grows with the session shows there."""


class Passes:
    """Counts the texts that go through an encoder, by whose turn it is; pieces of a body count with the top above them."""

    def __init__(self) -> None:
        self.whose = "rest"
        self.count: Counter[str] = Counter()
        sentence = sentence_layers()
        detector = load_encoder().network.below
        below = {id(one) for one in (*body(max(PIECES)), *detector, sentence.words, *sentence.layers[:-1])}
        run = Network.__call__

        def counted(network: Network, given: Mapping[str, Any]) -> list[Any]:
            self.count[self.whose] += id(network) not in below
            return run(network, given)

        Network.__call__ = counted  # type: ignore[method-assign, assignment]


@dataclass(frozen=True, slots=True)
class Timed:
    """A therapist whose turns are timed; `spent` holds (CPU ms, ms by the clock, ms of one encoder pass), by turn.

    It reads with a store of its own, since in life nobody has read a patient's turn before it.
    """

    inner: SocraticTherapist
    bare: MiniLM
    passes: Passes
    profile: cProfile.Profile | None = None
    name: str = "socratic"
    spent: list[tuple[float, float, float]] = field(default_factory=list)
    store: MiniLM = field(default_factory=lambda: MiniLM(cached_texts=20_000))

    async def respond(self, session: Session) -> Turn:
        """The inner therapist's turn."""
        shared = shared_minilm()
        theirs, shared._kept = shared._kept, self.store._kept
        self.passes.whose = "agent"
        if self.profile is not None:
            self.profile.enable()
        cpu, clock = time.thread_time(), time.perf_counter()
        turn = await self.inner.respond(session)
        cpu, clock = time.thread_time() - cpu, time.perf_counter() - clock
        if self.profile is not None:
            self.profile.disable()
        shared._kept = theirs
        last = session.last("patient")
        began = time.thread_time()
        self.passes.whose = "bare"
        self.bare([last.text if last is not None else ""])
        self.passes.whose = "rest"
        self.spent.append((cpu * 1e3, clock * 1e3, (time.thread_time() - began) * 1e3))
        return turn


def kept_readings() -> list[Any]:
    """Every cache in the package that keeps what a reader made of texts.

    Told by its room: what is loaded once has room for less. Splitting texts into words asks no reader; cases are loaded, not read.
    """
    return [
        one
        for one in gc.get_objects()
        if isinstance(one, _lru_cache_wrapper)
        and one.__module__.startswith("maieutic.")
        and not one.__module__.startswith(("maieutic.language.", "maieutic.library"))
        and (one.cache_parameters()["maxsize"] or 0) >= ROOM
    ]


def forget() -> None:
    """Throws away whatever readers keep of texts, as in a process that has played nothing."""
    shared_minilm()._kept = MiniLM(cached_texts=CACHED_TEXTS)._kept
    load_encoder.cache_clear()  # its stores go; the network stays loaded
    for reading in kept_readings():
        reading.cache_clear()


def play(
    name: str, turns: int, passes: Passes, profile: cProfile.Profile | None = None
) -> tuple[list[tuple[float, float, float]], Session]:
    """One cold session with a case: what each turn took, and what was said."""
    forget()
    case = get_case(name)
    timed = Timed(SocraticTherapist(turns=turns), MiniLM(cached_texts=0), passes, profile)
    streams = Streams(0, EpisodeKey(timed.name, name, 0))
    talk = Conversation(timed, patient_of(case, 0, STANDARD_WORLD), RuleCoder(), turns, streams)
    episode = asyncio.run(converse(talk))
    return timed.spent, episode.session


def exchanges(name: str, turns: int, passes: Passes) -> int:
    """One session as `evaluate` plays it, its passes counted as 'before' and 'exchange'; gives its number of therapist turns."""
    forget()
    passes.whose = "before"
    case = get_case(name)
    therapist, patient = SocraticTherapist(turns=turns), patient_of(case, 0, STANDARD_WORLD)
    passes.whose = "exchange"
    talk = Conversation(therapist, patient, RuleCoder(), turns, Streams(0, EpisodeKey("socratic", name, 0)))
    session = asyncio.run(converse(talk)).session
    passes.whose = "rest"
    return sum(turn.speaker == "therapist" for turn in session.turns)


def figures(rows: Sequence[tuple[float, float, float]]) -> dict[str, float]:
    """p50, p95 and largest of a turn's CPU and clock, and of the bare pass, in ms; and their ratios."""
    cpu, clock, bare = np.array(rows).T
    found: dict[str, float] = {"turns": float(len(rows))}
    for title, values in (("cpu", cpu), ("clock", clock), ("bare", bare)):
        p50, p95 = np.percentile(values, (50, 95))
        found |= {f"{title}_p50": float(p50), f"{title}_p95": float(p95), f"{title}_max": float(values.max())}
    return found | {
        "ratio_p50": found["cpu_p50"] / found["bare_p50"],
        "ratio_p95": found["cpu_p95"] / found["bare_p50"],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=10, help="each with another case")
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument(
        "--profile", action="store_true", help="show where the time goes; slows the turns, writes nothing"
    )
    parser.add_argument("--no-write", action="store_true", help="print only, keep results/agent_latency.json as it is")
    options = parser.parse_args()
    single = dict.fromkeys(THREADS, "1")
    if any(os.environ.get(name) != value for name, value in single.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | single)  # numpy reads them once, at import
    before = machine()
    one_core()
    profile = cProfile.Profile() if options.profile else None
    regular = [name for name in case_ids() if get_case(name).special is None]
    chosen = regular[:: max(1, len(regular) // options.sessions)][: options.sessions]
    passes = Passes()
    play(regular[-1], 6, passes)  # weights, tables and banks are loaded before anything is timed
    passes.count.clear()
    played = [play(name, options.turns, passes, profile)[0] for name in chosen]
    others = [name for name in regular[:-1] if name not in chosen][: len(chosen)]  # of which nothing is kept yet
    played_whole = sum(exchanges(name, options.turns, passes) for name in others)
    rows = [row for session in played for row in session]
    late = [row for session in played for row in session[LATE - 1 :]]
    whole, end = figures(rows), figures(late) if late else None
    print(
        f"{len(played)} sessions, {len(rows)} turns; {sum(len(s) >= options.turns for s in played)} ran to turn {options.turns}"
    )
    per_turn = {who: passes.count[who] / len(rows) for who in ("agent", "rest")}
    print(
        f"encoder passes: {per_turn['agent']:.2f} a turn of the agent, {per_turn['rest']:.2f} for the patient's answer and codes"
    )
    per_turn["exchange, one store"] = passes.count["exchange"] / played_whole
    per_turn["before a session"] = passes.count["before"] / len(others)
    print(
        f"as evaluate plays it: {per_turn['exchange, one store']:.2f} passes an exchange, and {per_turn['before a session']:.0f} of "
        "a case before its session"
    )
    for title, one in (("all turns", whole), (f"turns from {LATE}", end)):
        if one is not None:
            print(
                f"{title}: CPU p50 {one['cpu_p50']:.1f}, p95 {one['cpu_p95']:.1f}, max {one['cpu_max']:.1f} ms; clock p50 "
                f"{one['clock_p50']:.1f}, p95 {one['clock_p95']:.1f}, max {one['clock_max']:.1f} ms; bare pass p50 "
                f"{one['bare_p50']:.1f} ms; p95 of a turn is {one['ratio_p95']:.1f} bare passes"
            )
    if profile is not None:
        pstats.Stats(profile).sort_stats("cumulative").print_stats(40)
        return 0
    held = print_checks({"CPU ms of a turn, p95": (whole["cpu_p95"], "<=", BOUND_MS)})
    if not options.no_write:
        result: dict[str, Any] = {
            "machine": before,
            "passes_a_turn": per_turn,
            "all": whole,
            "late": end,
            "checks": held,
        }
        write_result("agent_latency", result)
    return 0 if all(check["holds"] for check in held.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
