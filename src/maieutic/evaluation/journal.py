"""The append-only record of a run: one line an utterance, so that a kill loses at most the turn in flight.

Line kinds: an utterance ('turn') and the end of a dialogue ('end'). A clock and nothing else of the machine is in it.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache, partial
from pathlib import Path
from typing import Any

import orjson

from maieutic.dialogue import Event, Progress
from maieutic.domain.appraisal import SILENCE, Appraisal
from maieutic.domain.codes import TurnCode
from maieutic.domain.episode import Ending, Episode, EpisodeKey, Session, Turn
from maieutic.domain.state import CognitiveState
from maieutic.errors import RunFolderError
from maieutic.runs.journal import Journal, entries, packed


class EpisodeJournal(Journal):
    """The journal of this process: a new file of the journal folder, a line an utterance and one an end."""

    def __init__(self, folder: Path) -> None:
        """Raises `StorageError`."""
        super().__init__(folder / f"{len(list(folder.glob('*.jsonl'))) + 1:04d}.jsonl", is_new=True)

    def turn(self, event: Event) -> None:
        """Record one utterance with its hidden side."""
        self.write(turn_line(event))

    def end(self, episode: Episode) -> None:
        """Record how a dialogue ended, and what made it."""
        self.write(end_line(episode))


def turn_line(event: Event) -> bytes:
    """One utterance with its hidden side, as a line."""
    return packed(
        {
            "kind": "turn",
            "key": tuple(event.key),
            "index": event.index,
            "at": round(time.time(), 3),
            "turn": _stored(event.turn),
            "state": event.state,
            "code": event.code,
            "appraisal": event.appraisal,
            "ending": event.ending,
            "said": event.said,
        }
    )


def end_line(episode: Episode) -> bytes:
    """How a dialogue ended, and what made it, as a line."""
    return packed(
        {
            "kind": "end",
            "key": tuple(episode.key),
            "at": round(time.time(), 3),
            "ending": episode.ending,
            "provenance": episode.provenance,
        }
    )


def event_of(line: Mapping[str, Any]) -> Event:
    """An utterance as those hear of it who watch and count, without its hidden side."""
    turn: Turn = _adapter(Turn).validate_python(line["turn"])
    ending = None if line["ending"] is None else _adapter(Ending).validate_python(line["ending"])
    return Event(EpisodeKey(*line["key"]), line["index"], turn, None, ending=ending, said=line["said"])


def record_of(lines: Iterable[bytes]) -> Record:
    """What lines of one dialogue hold of it."""
    records: dict[EpisodeKey, Record] = defaultdict(Record)
    for line in lines:
        _take(records, orjson.loads(line))
    (record,) = records.values()
    return record


def _stored(turn: Turn) -> dict[str, Any]:
    """A turn as the journal keeps it; what was written only where it is not what was said."""
    names = [one.name for one in fields(Turn) if one.name != "original" or turn.original is not None]
    return {name: getattr(turn, name) for name in names}


@dataclass(slots=True)
class Record:
    """What the journal holds of one dialogue; gathered line by line."""

    turns: list[Turn] = field(default_factory=list)
    states: list[CognitiveState] = field(default_factory=list)
    codes: list[TurnCode | None] = field(default_factory=list)
    appraisals: list[Appraisal | None] = field(default_factory=list)
    ending: Ending | None = None
    closed: bool = False
    provenance: Mapping[str, Any] = field(default_factory=dict)

    @property
    def failed(self) -> bool:
        return self.closed and self.ending is not None and self.ending.kind == "failed"

    def to_play(self, *, retry_failed: bool) -> bool:
        """Whether something of it is left to play."""
        return not self.closed or (retry_failed and self.failed)

    def opened(self) -> Record:
        """What it goes on from when it is played."""
        return self.reopened() if self.closed else self

    def reopened(self) -> Record:
        """The dialogue as it was before it failed, to go on from what was said last."""
        return Record(self.turns, self.states, self.codes, self.appraisals)

    def episode(self, key: EpisodeKey, seed: int) -> Episode:
        """The finished dialogue."""
        assert self.ending is not None
        return Episode(
            key,
            Session(tuple(self.turns), seed),
            tuple(self.states),
            tuple(self.codes),
            tuple(self.appraisals),
            self.ending,
            self.provenance,
        )

    def progress(self, seed: int) -> Progress:
        """The point from which the dialogue can go on."""
        return Progress(
            Session(tuple(self.turns), seed), tuple(self.states), tuple(self.codes), tuple(self.appraisals), self.ending
        )


def read_journal(folder: Path) -> dict[EpisodeKey, Record]:
    """All dialogues in a journal, finished or not. A line that was cut off by a kill is skipped."""
    records: dict[EpisodeKey, Record] = defaultdict(Record)
    for path in sorted(folder.glob("*.jsonl")):
        for _ in entries(path, partial(_take, records), damaged=partial(_damaged, path)):
            pass
    return dict(records)


def _take(records: dict[EpisodeKey, Record], line: Mapping[str, Any]) -> None:
    key = EpisodeKey(*line["key"])
    if line["kind"] == "end":
        records[key].ending = _adapter(Ending).validate_python(line["ending"])
        records[key].provenance = line["provenance"]
        records[key].closed = True
    else:
        if records[key].closed:  # a failed dialogue that was taken up again
            records[key] = records[key].reopened()
        _add(records[key], line)


def _add(record: Record, line: Mapping[str, Any]) -> None:
    turn: Turn = _adapter(Turn).validate_python(line["turn"])
    index = line["index"]
    if turn.speaker == "therapist":
        del record.turns[index:]
        record.turns.append(turn)
        return
    state = line["state"]
    alone = not line["said"] and line["ending"] is None
    if alone and index == 0:
        record.states.clear()
        record.codes.clear()
        record.appraisals.clear()
    if state is not None:
        record.states.append(_adapter(CognitiveState).validate_python(state))
    if index > 0:
        code, appraisal = line["code"], line["appraisal"]
        record.codes.append(None if code is None else _adapter(TurnCode).validate_python(code))
        if alone:
            record.appraisals.append(SILENCE)
        else:
            record.appraisals.append(None if appraisal is None else _adapter(Appraisal).validate_python(appraisal))
    if line["said"]:
        record.turns.append(turn)
    if line["ending"] is not None:
        record.ending = _adapter(Ending).validate_python(line["ending"])


def _damaged(path: Path, number: int) -> RunFolderError:
    return RunFolderError(
        f"{path.name}, line {number} is damaged in the middle of the journal; move the run folder aside and start again"
    )


@cache
def _adapter(kind: type[Any]) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)
