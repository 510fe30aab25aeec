"""What a judge is measured on: utterances with the labels that people gave them, and the group that belongs
together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from maieutic.runs.files import read_lines
from maieutic.transcripts.utterance import Utterance


@dataclass(frozen=True, slots=True)
class Item:
    """One utterance to read.

    Attributes:
        id: Unique within its set.
        group: What belongs together; intervals resample groups.
        said: The dialogue up to the utterance, which stands last.
        gold: Labels by reader; several where an utterance may carry several.
        about: What a rule needs to know of the item, such as the probe; '' for nothing.
    """

    id: str
    group: str
    said: tuple[Utterance, ...]
    gold: Mapping[str, tuple[str, ...]]
    about: str = ""


def exchange(before: str, reply: str) -> tuple[Utterance, ...]:
    """A reply, after what was said before it where that is known."""
    return (*((Utterance("client", before),) if before else ()), Utterance("therapist", reply))


@lru_cache(maxsize=1)
def own_replies() -> tuple[Item, ...]:
    """The packaged own-written replies; no reader of the package was fitted on them."""
    rows = read_lines(Path(__file__).parent / "data" / "own_replies.jsonl")
    return tuple(
        Item(
            row["id"],
            row["item"] or row["id"],
            exchange(row["before"], row["reply"]),
            {reader: (label,) for reader, label in row["gold"].items()},
            row["item"],
        )
        for row in rows
    )
