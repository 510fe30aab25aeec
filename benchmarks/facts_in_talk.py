"""Is the right fact reached by turns that a fresh hand wrote for test cases, half of them later in a talk?

    python benchmarks/facts_in_talk.py

`data/facts_in_talk.jsonl`: thirteen test cases, by somebody who had seen neither code nor training turns nor the held-out turns
of `maieutic validate patients`. Nothing was fitted or chosen on it. The bounds are those of that command.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from maieutic.domain.episode import Session, Turn
from maieutic.library import get_case
from maieutic.validation.reading import Labelled, judged
from maieutic.validation.worlds import reading

TURNS = Path(__file__).parent / "data" / "facts_in_talk.jsonl"


def heard() -> Iterator[Labelled]:
    for talk in map(json.loads, TURNS.read_text(encoding="utf-8").splitlines()):
        case, situation = talk["case"], talk["situation"]
        opening = get_case(case).phrasings.opening[situation][0]
        for turn in talk["turns"]:
            session = Session((Turn("patient", turn.get("p") or opening), Turn("therapist", turn["t"])))
            reaches = reading(case, situation)(session).reaches
            reached = reaches[0].evidence if reaches else None
            yield Labelled(case, situation, turn.get("fact"), turn["kind"], turn["t"], reached)


def main() -> None:
    """Prints."""
    for one in judged(list(heard())):
        value = one.value
        print(f"{one.title}: {value.estimate:.2f} [{value.low:.2f}, {value.high:.2f}] {one.asked}".rstrip())


if __name__ == "__main__":
    main()
