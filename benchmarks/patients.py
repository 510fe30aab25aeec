"""How fast the mind is: whole 20-turn sessions a second on one core, with codes and appraisals given.

    python benchmarks/patients.py

Codes and appraisals are recorded once from sessions played from text; what is timed is the mind and the mouth:
transition, intent and the template voice, turn by turn. Beside it the same sessions from text (coder, comprehension and
therapist included), each text read for the first time, for the share that reading takes.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

from maieutic.library import STARTERS, get_case
from maieutic.validation.sessions import Task, episodes_of
from maieutic.worlds import reading
from measuring import machine, print_checks, write_result
from replaying import replay

ARMS = ("oracle", "socratic", "wide", "warm", "eliza")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=6)
    parser.add_argument("--sessions", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--no-write", action="store_true", help="print only, keep results/patients.json as it is")
    options = parser.parse_args()
    names = STARTERS[: options.cases]
    for name in names:
        for situation in get_case(name).situations:
            reading(name, situation.id)
    began = time.process_time()
    recorded = [e for name in names for e in episodes_of(Task(name, ARMS, (0, 1)))]
    from_text = len(recorded) / (time.process_time() - began)
    whole = [e for e in recorded if len(e.codes) >= 20]
    rates = []
    for _ in range(options.repeats):
        began = time.process_time()
        for number in range(options.sessions):
            replay(whole[number % len(whole)], number)
        rates.append(options.sessions / (time.process_time() - began))
    rate = sorted(rates)[len(rates) // 2]
    print(f"{len(whole)} recorded sessions of 20 turns; {options.sessions} replayed, {options.repeats} times")
    print(f"from text, first reading: {from_text:.1f} sessions a CPU second")
    held = print_checks(
        {
            "sessions a second on one core, codes and appraisals given": (rate, ">=", 200.0),
            "sessions a second on one core, from text": (from_text, ">=", 4.0),
        }
    )
    if not options.no_write:
        result: dict[str, Any] = {"machine": machine(), "rates": rates, "from_text": from_text, "checks": held}
        write_result("patients", result)
    return 0 if all(check["holds"] for check in held.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
