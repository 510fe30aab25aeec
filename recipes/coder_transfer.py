"""Measures the packaged AnnoMI coder on recordings it was not trained on: `python recipes/coder_transfer.py --data ../shared/data`.

The human codes there are MISC 2.5, mapped only roughly to AnnoMI's labels, so the figures say how far the coder carries,
not how good it is. Nothing is fitted here.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

from coder_figures import macro_f1
from maieutic.coding.contract import Utterance
from maieutic.coding.embedded import EmbeddedCoder
from maieutic.coding.schemes import ANNOMI

THERAPIST = {
    **dict.fromkeys(("OQ", "CQ"), "question"),
    **dict.fromkeys(("SR", "CR", "RF", "SU"), "reflection"),
    **dict.fromkeys(("GI", "ADP", "ADW", "CO", "DI", "WA", "RCW", "RCP"), "therapist_input"),
}
CLIENT = {"C": "change", "S": "sustain", "N": "neutral"}


def sessions(path: Path, text: str) -> dict[str, list[dict[str, str]]]:
    """The rows of each dialogue, each with `role` and `said`."""
    found: dict[str, list[dict[str, str]]] = defaultdict(list)
    with path.open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            role = "client" if line["speaker"] == "client" else "therapist"
            found[line["conv_id"]].append({**line, "role": role, "said": line[text]})
    return found


def area(high: list[float], low: list[float]) -> float:
    """Chance that a value of `high` exceeds one of `low`; ties count half."""
    return float(np.mean([(one > other) + 0.5 * (one == other) for one in high for other in low]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    data, coder = parser.parse_args().data, EmbeddedCoder("annomi")
    for name in ("hlqc/HLQC_manual_misc.csv", "mibot/MIV6.3A_manual_misc.csv"):
        pairs: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for lines in sessions(data / name, "utt_text").values():
            given = coder.predict([Utterance(line["role"], line["said"]) for line in lines])
            for line, coding in zip(lines, given, strict=True):
                is_client = line["role"] == "client"
                gold = CLIENT.get(line["t1_label_GT"]) if is_client else THERAPIST.get(line["t2_label_GT"], "other")
                if gold is not None:
                    pairs[line["role"]].append((gold, coding.predicted[0]))
        for role, found in pairs.items():
            labels = [label.id for label in ANNOMI.labels(role)]
            gold_flags, flags = (np.array([[pair[at] == label for label in labels] for pair in found]) for at in (0, 1))
            sys.stdout.write(f"{name} {role}: macro-F1 {macro_f1(gold_flags, flags):.3f} ({len(found)} utterances)\n")
    shares: dict[tuple[str, str], list[float]] = defaultdict(list)
    for session, lines in sessions(data / "hlqc" / "HLQC.csv", "vol_text").items():
        given = coder.predict([Utterance(line["role"], line["said"]) for line in lines])
        codes = [coding.predicted[0] for line, coding in zip(lines, given, strict=True) if line["role"] == "therapist"]
        for label in ANNOMI.therapist:
            shares[session.partition("_")[0], label.id].append(codes.count(label.id) / len(codes))
    for label in ANNOMI.therapist:
        value = area(shares["high", label.id], shares["low", label.id])
        sys.stdout.write(f"HLQC share of {label.id}: AUC high over low {value:.3f}\n")


if __name__ == "__main__":
    main()
