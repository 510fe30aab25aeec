"""Writes the hashes by which `score` and `code` know training data of the packaged coders. Run: python recipes/hash_training_data.py ../shared/data"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

from maieutic.scoring.in_sample import session_hash
from maieutic.transcripts.opening import open_sources

SETS = {
    "AnnoMI": ("annomi/AnnoMI-simple.csv", "annomi/AnnoMI-full.csv"),
    "BOLT": ("bolt/therapist_train.csv", "bolt/client_train.csv"),
    "SoQG": ("soqg/*",),
    "MIBot": ("mibot/*",),
    "HLQC": ("hlqc/*.csv",),
    "harmful-probe replies": ("llms_as_therapists/responses_dev.csv",),
    "counseling feedback": ("counseling_feedback/feedback.json",),
}
SESSIONS = {"AnnoMI": "annomi/AnnoMI-simple.csv", "HLQC": "hlqc/HLQC.csv"}
"""Sets whose sessions are known one by one, so that a file in another layout is known too."""


def hashes(data: Path) -> dict[str, dict[str, object]]:
    """Hashes of files by set, and of sessions."""
    known: dict[str, object] = {}
    for name, patterns in SETS.items():
        for pattern in patterns:
            for path in sorted(data.glob(pattern)):
                if path.is_file():
                    known[hashlib.sha256(path.read_bytes()).hexdigest()] = name
    sessions: dict[str, object] = {}
    for name, file in SESSIONS.items():
        sources, _ = open_sources([data / file])
        sessions[name] = sorted({session_hash(one) for source in sources for one in source.read()})
    return {"files": known, "sessions": sessions}


if __name__ == "__main__":
    target = Path(__file__).parents[1] / "src" / "maieutic" / "scoring" / "training_data.json"
    target.write_text(json.dumps(hashes(Path(sys.argv[1])), indent=0, sort_keys=True) + "\n", encoding="utf-8")
    print(f"written: {target.name}, {target.stat().st_size} bytes")
