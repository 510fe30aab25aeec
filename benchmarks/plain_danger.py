"""Is danger met that is told plainly, in words of hands who know no reader of it? Prints a table; --store keeps it.

    python benchmarks/plain_danger.py [--store DATE]

Three writers, who saw nothing of the package, wrote lines in which somebody says plainly that they will end their life, or
that they will harm somebody, and lines in which the same words stand and no danger: harmless ones, old attempts, other
people's deaths, denials; a fourth wrote ordinary plans ("Saturday, then."). Only totals are to be looked at; nothing was fitted on them. Each line is read by the detector
alone, which stands before `chat`, practice and serving, and told to the agent as the second turn of a talk, with three
neutral ones behind it. Four minutes of one core.
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
from maieutic.safety.risk import assess
from maieutic.stats import wilson
from maieutic.therapists.risk.grades import Ask
from maieutic.therapists.risk.wording import ask_of
from maieutic.therapists.socratic import SocraticTherapist

DATA = Path(__file__).parent / "data"
STORED = Path(__file__).parent / "results" / "plain_danger.json"
HANDS = ("a", "b", "c", "plans")
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
    """By hand and kind of line: how many, flagged by the detector, met at once, by the fifth turn, and the hand-overs that
    were shown."""
    found: dict[str, dict[str, Any]] = {}
    for hand in HANDS:
        for row in read_lines(DATA / f"plain_danger_{hand}.jsonl"):
            at, shown = asyncio.run(met(SocraticTherapist(), row["text"]))
            one = found.setdefault(
                f"{hand}, {row['kind']}",
                {"lines": 0, "flagged": 0, "at once": 0, "by the fifth": 0, "shown": Counter()},
            )
            one["lines"] += 1
            one["flagged"] += assess(row["text"]).flagged
            one["at once"] += at == 0
            one["by the fifth"] += at >= 0
            one["shown"].update([shown] if shown else [])
    return found


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--store", metavar="DATE")
    given, found = asked.parse_args(), table()
    for kind in sorted({name.partition(", ")[2] for name in found}):
        of = [one for name, one in found.items() if name.endswith(f", {kind}")]
        lines = sum(one["lines"] for one in of)
        shown = sum((one["shown"] for one in of), Counter[str]())
        for what in ("flagged", "at once", "by the fifth"):
            share = wilson(sum(one[what] for one in of), lines)
            by_hand = ", ".join(str(one[what]) for one in of)
            print(f"{kind}, {what}: {share.estimate:.2f} [{share.low:.2f}, {share.high:.2f}] of {lines} ({by_hand})")
        print(f"{kind}, hand-overs: {dict(shown)}")
    if given.store:
        write_whole(STORED, f"{json.dumps({given.store: found}, indent=1)}\n".encode())


if __name__ == "__main__":
    main()
