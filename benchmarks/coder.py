"""Benchmark of the coder: utterances a second on one core, and whether scoring many sessions is linear and flat.

    python benchmarks/coder.py                       # everything; the accurate coder only where its weights are
    python benchmarks/coder.py --sessions 2000       # a smaller large run
    python benchmarks/coder.py --no-write            # print only, keep results/coder_speed.json as it is

Every measurement is a fresh process held to one core and one thread. The rate is per second of that process's CPU, so
that other jobs on the machine do not count; the rate by the clock stands beside it. Both coders code the same
sessions, one after the other in one process, with the turns before as context; loading the weights is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from coder_talk import dialogues, write_chats
from measuring import environment, machine, print_checks, write_result

TURNS = 20
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS", "RAYON_NUM_THREADS")
WAYS = ("fast", "accurate", "always", "heard")
"""Word grams; the encoder where they are not sure; the encoder always; as `maieutic code` runs, each sentence of the
therapist heard for advice and for the form of its questions, too."""
SMALL_SHARE = 10  # the small scoring run has this many times fewer sessions


def child_speed(way: str, utterances: int) -> dict[str, Any]:
    """Rates of one coder, one of `WAYS`; or why there is none."""
    from maieutic.coding import embedded
    from maieutic.coding.embedded import EmbeddedCoder
    from maieutic.errors import MaieuticError
    from maieutic.transcripts.utterance import Utterance

    if way == "always":
        embedded._unsure = lambda heads, told, count: np.ones(count, dtype=bool)
    try:
        coder = EmbeddedCoder("annomi", "fast" if way == "fast" else "accurate", hears=way == "heard")
    except (MaieuticError, OSError) as error:
        return {"missing": str(error).partition("\n")[0]}
    talks = [[Utterance(speaker, text) for speaker, text in said] for said in dialogues(-(-utterances // TURNS), TURNS)]
    coder.predict(talks[0])
    coded, cpu, clock = 0, time.process_time(), time.monotonic()
    for talk in talks[1:]:
        coded += len(coder.predict(talk))
    used, passed = time.process_time() - cpu, time.monotonic() - clock
    return {"name": coder.name, "utterances": coded, "per_cpu_second": coded / used, "per_second": coded / passed}


def child_score(sessions: int) -> dict[str, Any]:
    """Time and memory of scoring that many sessions from one file, tables and report included."""
    from maieutic.scoring.score import score_paths
    from maieutic.scoring.score_run import ScoreOptions

    with tempfile.TemporaryDirectory() as folder:
        chats = Path(folder) / "chats.jsonl"
        write_chats(chats, sessions, TURNS)
        cpu, clock = time.process_time(), time.monotonic()
        summary = score_paths([chats], out=Path(folder) / "out", options=ScoreOptions())
        used, passed = time.process_time() - cpu, time.monotonic() - clock
        return {
            "sessions": len(summary.sessions), "cpu_seconds": used, "seconds": passed,
            "sessions_per_cpu_second": len(summary.sessions) / used, "peak_mb": peak_mb(),
        }  # fmt: skip


def peak_mb() -> float:
    """Largest resident memory of this process, in MB of 2**20 bytes."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / 2**20 if platform.system() == "Darwin" else most / 2**10


def run(*words: str) -> dict[str, Any]:
    """One measurement in a fresh process on one core. Raises `RuntimeError` with its last words when it failed."""
    own = environment() | dict.fromkeys(THREADS, "1")
    done = subprocess.run(
        [sys.executable, str(Path(__file__).resolve()), "--child", *words],
        capture_output=True, text=True, env=own, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def accuracies(data: Path) -> dict[str, dict[str, float]]:
    """Out-of-fold macro-F1 of AnnoMI's codes by coder; empty where the research data is not there."""
    from maieutic.validation.coder.datasets import gold
    from maieutic.validation.coder.figures import chosen, macro_f1
    from maieutic.validation.coder.stored import aligned, check_data, read

    found: dict[str, dict[str, float]] = {}
    for head in ("annomi_therapist", "annomi_client") if data.is_dir() else ():
        rows = gold(head, data)
        found[head] = {}
        for tier, name in (("fast", f"{head}_fast"), ("accurate", head)):
            if (stored := read(name)) is not None:
                check_data(stored, data)
                found[head][tier] = macro_f1(aligned(stored, rows)[0], chosen(stored.probabilities, stored.threshold))
        print(
            f"{head}, macro-F1 out of fold: " + ", ".join(f"{tier} {value:.3f}" for tier, value in found[head].items())
        )
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--utterances", type=int, default=6000, help="coded by the fast coder")
    parser.add_argument("--accurate-utterances", type=int, default=1000)
    parser.add_argument("--sessions", type=int, default=10_000, help="of the large scoring run")
    parser.add_argument(
        "--data", type=Path, default=Path("../shared/data"), help="research data, for the accuracy of both"
    )
    parser.add_argument("--no-write", action="store_true", help="print only, keep results/coder_speed.json as it is")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        one_core()
        what, *more = options.child
        found = child_score(int(more[0])) if what == "score" else child_speed(more[0], int(more[1]))
        print(json.dumps(found))
        return 0
    before = machine()
    fast = run("speed", "fast", str(options.utterances))
    accurate, always, heard = (run("speed", way, str(options.accurate_utterances)) for way in WAYS[1:])
    small = run("score", str(max(1, options.sessions // SMALL_SHARE)))
    large = run("score", str(options.sessions))
    named = (("fast", fast), ("accurate", accurate), ("encoder always asked", always), ("advice heard, too", heard))
    for name, rate in named:
        if "missing" in rate:
            print(f"{name} coder: {rate['missing']}")
        else:
            print(
                f"{name} coder: {rate['per_cpu_second']:,.0f} utterances a CPU second ({rate['per_second']:,.0f} by clock)"
            )
    ratio = (
        fast["per_cpu_second"] / accurate["per_cpu_second"]
        if not {"missing"} & (fast.keys() | accurate.keys())
        else None
    )
    if ratio is not None:
        print(f"the fast coder is {ratio:.1f} times as fast")
    for one in (small, large):
        print(
            f"{one['sessions']:,} sessions scored: {one['seconds']:.1f} s, {one['sessions_per_cpu_second']:.1f} a CPU "
            f"second, peak {one['peak_mb']:.0f} MB"
        )
    told = accuracies(options.data)
    held = print_checks(checks(fast, accurate, small, large))
    if not options.no_write:
        result = {
            "machine": before, "turns": TURNS, "fast": fast, "accurate": accurate, "always": always, "heard": heard, "fast_over_accurate": ratio,
            "scored": {"small": small, "large": large}, "accuracy": told, "checks": held,
        }  # fmt: skip
        write_result("coder_speed", result)
    return 0 if all(check["holds"] for check in held.values()) else 1


def checks(
    fast: dict[str, Any], accurate: dict[str, Any], small: dict[str, Any], large: dict[str, Any]
) -> dict[str, tuple[float, str, float]]:
    """The bounds with what was found; those on a coder without weights are left out."""
    times = large["sessions"] / small["sessions"]
    found: dict[str, tuple[float, str, float]] = {}
    if "missing" not in fast:
        found["fast coder, utterances a second"] = (fast["per_cpu_second"], ">=", 5000.0)
    if "missing" not in accurate:
        found["accurate coder with context, utterances a second"] = (accurate["per_cpu_second"], ">=", 250.0)
    found[f"memory: {large['sessions']:,} sessions over {small['sessions']:,}"] = (
        large["peak_mb"] / small["peak_mb"], "<=", 1.25,
    )  # fmt: skip
    found[f"CPU time: {large['sessions']:,} sessions over {small['sessions']:,}, by session"] = (
        large["cpu_seconds"] / small["cpu_seconds"] / times, "<=", 1.15,
    )  # fmt: skip
    return found


def one_core() -> None:
    """Hold this process to one of the cores that it may use, where the system can."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


if __name__ == "__main__":
    sys.exit(main())
