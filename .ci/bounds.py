"""Fails when a bound of the validity run is broken that is not among the known misses, which docs/validation.md lists."""  # noqa: E501

import json
import sys
from pathlib import Path

KNOWN = {
    "recall for the fact reached",
    "advice: turns that reach a fact",
    "oracle: share of patients who fall less than 10",  # 0.16 of 22 cases; a quick run's interval reaches below 0.15
    "oracle: fall beyond no session",  # 39.1, but the upper end of the interval, 45.3, lies above 45
    "warm empathy beyond eliza: staying",  # 0.14 [-0.02, 0.29] of 22 cases
    "leaflet: share of the oracle's effect",  # 0: its few set questions no longer empty a patient's memory
}
findings = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["findings"]
broken = [f["title"].split(" (")[0] for f in findings if f["holds"] is False]
surprises = [title for title in broken if title not in KNOWN]
print(f"{sum(f['holds'] is True for f in findings)} bounds hold; known misses: {sorted(set(broken) & KNOWN)}")
if surprises:
    sys.exit(f"broken: {surprises}")
