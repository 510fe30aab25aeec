"""The stored out-of-fold codes of AnnoMI as `maieutic score` takes codes from elsewhere: what the coder says of sessions it never saw."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from maieutic.scoring.given import CodesFile, Given

FOLDER = Path(__file__).resolve().parent.parent / "src" / "maieutic" / "validation" / "coder" / "out_of_fold"
STYLES = ("_fast", "_bare_fast")


def out_of_fold_codes(style: str) -> CodesFile:
    """Probabilities of both speakers' labels by session and utterance, averaged over the seeds.

    Args:
        style: '' or '_bare' (text without punctuation) for the accurate coder, '_fast' or '_bare_fast' for the fast one.
    """
    codes: dict[tuple[str, int], Given] = {}
    for speaker in ("therapist", "client"):
        with np.load(FOLDER / f"annomi_{speaker}{style}.npz", allow_pickle=False) as stored:
            labels = [str(label) for label in stored["labels"]]
            table = stored["probabilities"].astype(float).mean(0)
            for row, numbers in zip(stored["rows"], table, strict=True):
                session, _, index = str(row).rpartition(":")
                codes[session, int(index)] = Given(dict(zip(labels, map(float, numbers), strict=True)))
    return CodesFile(f"out-of-fold codes{style}", codes)
