"""Counts the reference tables of `measures/order.py` in HLQC: `python recipes/fit_adaptation.py --data ../shared/data`.

P(therapist BOLT code | client BOLT code before) in dialogues of high and of low quality, coded by the packaged coder.
What is written holds counts and fingerprints of dialogues, no text.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import defaultdict
from pathlib import Path

from maieutic.measures.coded import CodedTranscript, code_transcript, packaged_coder
from maieutic.measures.order import (
    CLIENT,
    THERAPIST,
    Counts,
    adaptation_log_ratio,
    add_counts,
    dialogue_key,
    packaged_reference,
    reply_counts,
)
from maieutic.scoring.groups import SessionValues, compare_groups
from maieutic.transcripts.opening import open_sources
from maieutic.transcripts.utterance import out_of_scope

OUT = Path(__file__).parent.parent / "src/maieutic/measures/reference/adaptation.json"
LICENCE = "HLQC (Pérez-Rosas et al., ACL 2019): no licence stated; counts and fingerprints only; research use"


def coded_sessions(path: Path) -> list[CodedTranscript]:
    """The dialogues of a file that are in scope, coded by the packaged coder."""
    sources, _ = open_sources([path])
    coder = packaged_coder()
    return [code_transcript(one, coder) for one in sources[0].read() if out_of_scope(one) is None]


def report(sessions: list[CodedTranscript], name: str) -> None:
    """Prints how the log ratio parts high from low."""
    values = [
        SessionValues(one.transcript.id, one.transcript.group, one.transcript.words, len(one.transcript.utterances),
                      {"adaptation_log_ratio": adaptation_log_ratio(one).value})
        for one in sessions
    ]  # fmt: skip
    (found,) = compare_groups(values, ("high", "low"), measures=["adaptation_log_ratio"])
    for kind, part in (("raw", found.raw), ("residual", found.residual), ("like length", found.matched)):
        shown = "not to be had" if part.estimate is None else f"{part.estimate:.3f} [{part.low:.2f}, {part.high:.2f}]"
        sys.stdout.write(f"{name} adaptation_log_ratio AUC {kind}: {shown}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    data = parser.parse_args().data
    source = data / "hlqc" / "HLQC.csv"
    sessions = coded_sessions(source)
    tables: dict[str, list[Counts]] = defaultdict(list)
    for one in sessions:
        tables[str(one.transcript.group)].append(reply_counts(one))
    stored = {
        "what": "Replies by client code (rows) and therapist code (columns), coded by the packaged BOLT coder",
        "data": "hlqc/HLQC.csv",
        "data_sha256": hashlib.sha256(source.read_bytes()).hexdigest(),
        "licence": LICENCE,
        "client": CLIENT,
        "therapist": THERAPIST,
        "dialogues": {quality: len(found) for quality, found in sorted(tables.items())},
        "counts": {
            quality: [[round(n, 6) for n in row] for row in add_counts(found)]
            for quality, found in sorted(tables.items())
        },
        "members": {dialogue_key(one.transcript): one.transcript.group for one in sessions},
    }
    OUT.write_text(json.dumps(stored, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    packaged_reference.cache_clear()
    report(sessions, "HLQC, each dialogue out of its own table:")
    report(coded_sessions(data / "annomi" / "AnnoMI-simple.csv"), "AnnoMI:")


if __name__ == "__main__":
    main()
