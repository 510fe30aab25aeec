"""Is danger met that is told plainly, in words of hands who know no reader of it? Prints a table; --store keeps it.

    python benchmarks/plain_danger.py [--store DATE]

Three writers, who saw nothing of the package, wrote 70 lines each in which somebody says plainly that they will end their life, 50 in
which they will harm somebody, and 40 in which the same words stand and no danger. Each line is told as the second turn of a talk, and
three neutral ones follow. Two hands are for development (`recipes/data/plain_danger_*`); of the third only totals are to be looked at.
Three minutes of one core.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Any

from maieutic.domain.episode import Session, Turn
from maieutic.runs.files import read_lines, write_whole
from maieutic.safety.handover import HANDOVERS
from maieutic.stats import wilson
from maieutic.therapists.risk.grades import Ask
from maieutic.therapists.risk.wording import ask_of
from maieutic.therapists.socratic import SocraticTherapist

ROOT = Path(__file__).resolve().parents[1]
STORED = Path(__file__).parent / "results" / "plain_danger.json"
HANDS = {
    "a": "recipes/data/plain_danger_a.jsonl",
    "b": "recipes/data/plain_danger_b.jsonl",
    "held out": "benchmarks/data/plain_danger_heldout.jsonl",
}
AFTER = ("It has been a while since then.", "That was all on that day.", "Then I went home.")
"""What is said after the line, whatever it is answered by."""


async def met(agent: SocraticTherapist, text: str) -> tuple[int, str]:
    """The patient turn after the line in which danger is first asked about or handed over, from 0, or -1; and the kind of
    a hand-over, "general" or empty."""
    session = Session((Turn("patient", "I had a bad week."), Turn("therapist", "What happened?")))
    for at, said in enumerate((text, *AFTER)):
        session = session + Turn("patient", said)
        turn = await agent.respond(session)
        ask = ask_of(turn)
        if ask is Ask.HAND_OVER:
            return at, next((kind.value for kind, form in HANDOVERS.items() if form == turn.text), "general")
        # What everybody is asked is no answer to what was just told.
        if ask not in (None, Ask.ROUTINE):
            return at, ""
        session = session + turn
    return -1, ""


def table() -> dict[str, dict[str, Any]]:
    """By hand and kind of line: how many, met at once, by the fifth turn, and the hand-overs that were shown."""
    found: dict[str, dict[str, Any]] = {}
    for hand, file in HANDS.items():
        for row in read_lines(ROOT / file):
            at, shown = asyncio.run(met(SocraticTherapist(), row["text"]))
            one = found.setdefault(
                f"{hand}, {row['kind']}", {"lines": 0, "at once": 0, "by the fifth": 0, "shown": Counter()}
            )
            one["lines"] += 1
            one["at once"] += at == 0
            one["by the fifth"] += at >= 0
            one["shown"].update([shown] if shown else [])
    return found


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--store", metavar="DATE")
    given, found = asked.parse_args(), table()
    for name, one in found.items():
        share = wilson(one["at once"], one["lines"])
        print(
            f"{name}: of {one['lines']} met at once {one['at once']}, {share.estimate:.2f} [{share.low:.2f}, "
            f"{share.high:.2f}]; by the fifth turn {one['by the fifth']}; hand-overs {dict(one['shown'])}"
        )
    if given.store:
        write_whole(STORED, f"{json.dumps({given.store: found}, indent=1)}\n".encode())


if __name__ == "__main__":
    main()
