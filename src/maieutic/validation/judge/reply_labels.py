"""What people say a reply does: guides, leaves something to do, tells the answer, advises, validates; from public sets,
one row a reply."""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from maieutic.errors import UnreadableFile
from maieutic.validation.coder.datasets import ANNOMI_FULL, Gold, annomi_sessions, video

MRBENCH, MATHDIAL, ESCONV = "mrbench/dev.json", "mathdial/dev.jsonl", "counseling_feedback/q-esconv.json"
GRADES: Final = ("Yes", "To some extent", "No")
_ADVICE: Final = frozenset({"advice", "options"})
_TURN: Final = "|EOM|"


def reply_heads() -> tuple[str, ...]:
    """Names of the readers that there are labels for."""
    return tuple(_HEADS)


def reply_file(head: str) -> str:
    """The file that a reader's labels come from, relative to the data folder."""
    return _HEADS[head][1]


def reply_labels(head: str, data: Path) -> list[Gold]:
    """The labelled replies of one reader, in the order of the file; group: the dialogue (AnnoMI: the video).

    Raises:
        UnreadableFile: The file is not there.
    """
    read, name = _HEADS[head]
    if not (data / name).is_file():
        raise UnreadableFile(f"{data / name} is not there; expected the folder of research data with {name}")
    return list(read(data))


def _gold(id: str, group: str, text: str, other: str, label: str) -> Gold:
    return Gold(text, other, id=id, group=group, session=group, speaker="therapist", labels=(label,))


def _mrbench(dimension: str) -> Callable[[Path], Iterator[Gold]]:
    def read(data: Path) -> Iterator[Gold]:
        for number, talk in enumerate(json.loads((data / MRBENCH).read_text(encoding="utf-8"))):
            # The same talk may stand there more than once; its id, not its place, keeps it in one fold.
            other = talk["conversation_history"].replace("\u00a0", " ")
            for tutor, reply in talk["tutor_responses"].items():
                label = reply["annotation"][dimension]
                yield _gold(f"{number}:{tutor}", talk["conversation_id"], reply["response"], other, label)

    return read


def _mathdial(data: Path) -> Iterator[Gold]:
    for number, line in enumerate((data / MATHDIAL).read_text(encoding="utf-8").splitlines()):
        talk = json.loads(line)
        before = ""
        for at, turn in enumerate(talk["conversation"].split(_TURN)):
            speaker, _, said = turn.partition(": ")
            if speaker == "Teacher" and said.startswith("("):
                move, _, text = said[1:].partition(")")
                if text.strip():
                    yield _gold(f"{number}:{at}", str(talk["qid"]), text, before, "yes" if move == "telling" else "no")
            else:
                before = said


def _advises(data: Path) -> Iterator[Gold]:
    """Utterances in which most of AnnoMI's annotators saw advice or options; ties left out."""
    for session, lines in annomi_sessions(data, ANNOMI_FULL).items():
        rows: dict[str, list[dict[str, str]]] = defaultdict(list)
        for line in lines:
            rows[line["utterance_id"]].append(line)
        before = ""
        for number, several in rows.items():
            one = several[0]
            if one["interlocutor"] == "client":
                before = one["utterance_text"]
                continue
            counted = Counter(row["therapist_input_subtype"] in _ADVICE for row in several)
            if counted[True] != counted[False]:
                label = "yes" if counted[True] > counted[False] else "no"
                yield _gold(f"{session}:{number}", video(one["video_url"]), one["utterance_text"], before, label)


def _validates(data: Path) -> Iterator[Gold]:
    for number, entry in enumerate(json.loads((data / ESCONV).read_text(encoding="utf-8"))):
        before = ""
        for at, turn in enumerate(json.loads(entry["text"])["dialog"]):
            if turn["speaker"] != "sys":
                before = turn["text"]
            elif turn.get("strategy"):
                label = "yes" if turn["strategy"] == "Affirmation and Reassurance" else "no"
                yield _gold(f"{number}:{at}", str(number), turn["text"], before, label)


def _elaborates(data: Path) -> Iterator[Gold]:
    with (data / _EXPLORATIONS).open(encoding="utf-8-sig", newline="") as file:
        for at, line in enumerate(csv.DictReader(file)):
            if line["response_post"].strip():
                label = "no" if line["level"] == "0" else "yes"
                yield _gold(str(at), line["sp_id"], line["response_post"], line["seeker_post"], label)


_EXPLORATIONS: Final = "epitome/explorations.csv"
_HEADS: Final[dict[str, tuple[Callable[[Path], Iterator[Gold]], str]]] = {
    "elaborates": (_elaborates, _EXPLORATIONS),
    "advises": (_advises, ANNOMI_FULL),
    "validates": (_validates, ESCONV),
    "tells": (_mathdial, MATHDIAL),
    "guides": (_mrbench("Providing_Guidance"), MRBENCH),
    "actionable": (_mrbench("Actionability"), MRBENCH),
}
