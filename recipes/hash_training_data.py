"""Writes the hashes by which `score` knows training sessions of the packaged coders. Run: python recipes/hash_training_data.py ../shared/data"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from maieutic.scoring.given import session_hash
from maieutic.transcripts.opening import open_sources

SESSIONS = {"AnnoMI": "annomi/AnnoMI-simple.csv", "HLQC": "hlqc/HLQC.csv"}
"""Sets that have sessions; they are known one by one, whatever file they stand in."""


def hashes(data: Path) -> dict[str, list[str]]:
    """Hashes of sessions by set."""
    sessions: dict[str, list[str]] = {}
    for name, file in SESSIONS.items():
        sources, _ = open_sources([data / file])
        sessions[name] = sorted({session_hash(one) for source in sources for one in source.read()})
    return sessions


if __name__ == "__main__":
    target = Path(__file__).parents[1] / "src" / "maieutic" / "scoring" / "training_data.json"
    target.write_text(json.dumps(hashes(Path(sys.argv[1])), indent=0, sort_keys=True) + "\n", encoding="utf-8")
    print(f"written: {target.name}, {target.stat().st_size} bytes")
