"""Benchmark B: what a therapist turn costs with the real thing: remote therapist, patient with a mind, codes on.

    python benchmarks/mind.py

Beside it the bare loop of benchmark A, for the speed of the machine at that moment. A call is a therapist turn here,
since the patient calls no model. No two therapist turns are the same text, so no cache of codes or vectors helps. What
is spent once a case and situation (making the patient: encoding what its facts can be reached by) is told apart.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

from contestants import Size
from engine import DELAY, repeat
from measuring import as_json, machine, median, print_checks, print_table, write_result

NAMES = {"mind": "maieutic, patient with a mind", "bare": "bare aiohttp loop"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--conversations", type=int, default=60)
    parser.add_argument("--exchanges", type=int, default=10)
    parser.add_argument("--concurrency", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--no-write", action="store_true", help="print only, keep results/mind.json as it is")
    options = parser.parse_args()
    size = Size(options.conversations, options.exchanges, options.concurrency)
    before = machine()
    samples = repeat({"mind": size, "bare": size}, {}, options.repeats)
    print_table(
        f"{size.conversations} conversations × {size.exchanges} therapist turns, {size.concurrency} at once",
        {NAMES[who]: own for who, own in samples.items()},
    )
    turn = median(samples["mind"], "loop_cpu_ms")
    assert turn is not None
    once = median(samples["mind"], "prepare_cpu")
    print(f"making the patients, once a run: {once:.1f} s of CPU" if once is not None else "")
    held = print_checks({"CPU ms a therapist turn, patients made": (turn, "<=", 12.0)})
    if not options.no_write:
        result: dict[str, Any] = {
            "machine": before,
            "delay_seconds": DELAY,
            "size": size._asdict(),
            "contestants": as_json({NAMES[who]: own for who, own in samples.items()}),
            "checks": held,
        }
        write_result("mind", result)
    return 0 if all(check["holds"] for check in held.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
