"""What a profile costs: beside the model, and with the packaged one.

    python benchmarks/gap_cost.py --out runs/instant     # `maieutic gap` at standard extent against an endpoint that answers at once
    python benchmarks/gap_cost.py --packaged --every 8   # the packaged model: seconds of CPU a reply, and of all replies at that rate

CPU is that of the command and its children, user and system; the endpoint runs in another process and is not in it.

`--packaged` puts every n-th item of each family at standard extent to the model in this process, and one whole talk.
Encoders and readers are in its seconds. It is a little too much: in the whole run items that lie side by side share a
talk, which is read once.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from loopback import loopback
from maieutic.domain.episode import Session, Turn
from maieutic.gap.families import families
from maieutic.gap.family import STANDARD
from maieutic.gap.recording_client import RecordingClient, ReplayCache
from maieutic.gap.run import Work, observe, plan
from maieutic.registry import load_therapist


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, help="folder of the run; it must not be there yet")
    parser.add_argument("--quick", action="store_true", help="a tenth of the items")
    parser.add_argument("--packaged", action="store_true", help="a sample of the packaged model's profile instead")
    parser.add_argument("--every", type=int, default=8, help="which share of it: every n-th item")
    options = parser.parse_args()
    if options.packaged:
        asyncio.run(packaged(options.every))
    elif options.out is None:
        parser.error("--out is needed, save with --packaged")
    else:
        instant(options.out, quick=options.quick)


def instant(out: Path, *, quick: bool) -> None:
    """Runs the command against an endpoint that answers at once, and prints what it took."""
    with loopback() as server:
        command = [sys.executable, "-m", "maieutic", "gap", "--therapist", f"instant=prompted:{server.spec}",
                   "--out", str(out), *(["--quick"] if quick else [])]  # fmt: skip
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        code = subprocess.run(command, check=False).returncode
        wall, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        calls = server.counts()["calls"]
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"exit code {code}; {calls} calls; {seconds:.0f} s of CPU, {wall:.0f} s on the clock")


async def packaged(every: int) -> None:
    """Puts a sample to the packaged model and prints what the whole would take."""
    therapist: Any = load_therapist("prompted:embedded")
    await therapist.respond(Session((Turn("patient", "Hello."),), 0))  # loads the weights
    planned, whole = plan(families(()), STANDARD).at_once, 0.0
    for one in families(()):
        units = [unit for unit in planned.units[one.id] if not unit.specs]
        chosen = units[::every]
        if not chosen:
            continue
        seconds, replies = await _taken(therapist, Work.of({one.id: chosen}))
        whole += seconds / replies * planned.calls[one.id]
        print(f"{one.id:<18} {replies} of {planned.calls[one.id]} replies, {seconds / replies:.2f} s each", flush=True)
    spec = planned.specs[0]
    of_talk = next(u for u in planned.units["fair_comparison"] if u.specs == (spec,))
    seconds, replies = await _taken(therapist, Work.of({"fair_comparison": [of_talk]}))
    turns = planned.total - sum(planned.calls.values())
    whole += seconds / replies * turns
    print(f"{'whole talks':<18} {replies} of {turns} replies, {seconds / replies:.2f} s each")
    print(f"all {planned.total} replies at that rate: {whole / 60:.0f} minutes of one core")


async def _taken(therapist: Any, work: Work) -> tuple[float, int]:
    """Seconds of CPU, and replies."""
    client, began = RecordingClient(therapist, ReplayCache(), 0), time.process_time()
    await observe(client, work)
    return time.process_time() - began, client.calls


if __name__ == "__main__":
    main()
