"""What a profile costs beside the model: `maieutic gap` at standard extent against an endpoint that answers at once.

    python benchmarks/gap_cost.py --out runs/instant     # prints CPU and wall-clock seconds, and how many replies were given

CPU is that of the command and its children, user and system; the endpoint runs in another process and is not in it.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from pathlib import Path

from loopback import loopback


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="folder of the run; it must not be there yet")
    parser.add_argument("--quick", action="store_true", help="a tenth of the items")
    options = parser.parse_args()
    with loopback() as server:
        command = [sys.executable, "-m", "maieutic", "gap", "--therapist", f"instant=prompted:{server.spec}",
                   "--out", str(options.out), *(["--quick"] if options.quick else [])]  # fmt: skip
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        code = subprocess.run(command, check=False).returncode
        wall, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        calls = server.counts()["calls"]
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"exit code {code}; {calls} calls; {seconds:.0f} s of CPU, {wall:.0f} s on the clock")


if __name__ == "__main__":
    main()
