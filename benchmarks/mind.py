"""Benchmark B: what a therapist turn costs with the real thing: remote therapist, patient with a mind, codes on.

    python benchmarks/mind.py

Beside it the bare loop of benchmark A, for the speed of the machine at that moment. A call is a therapist turn here,
since the patient calls no model. The server answers out of a stock of eight sentences with a number behind each, so
no two therapist turns are the same text and no cache of codes or vectors helps.
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
    held = print_checks({"CPU ms a therapist turn": (turn, "<=", 12.0)})
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
