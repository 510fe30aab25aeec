"""Own-written sessions in every format, and a stand-in coder, for the tests of `score`."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from maieutic.transcripts.utterance import Transcript

TALK: tuple[tuple[str, str], ...] = (
    ("therapist", "What has been on your mind since we spoke about the garden?"),
    ("client", "I feel sad about it and I have not been out there at all."),
    ("therapist", "It sounds like going out there would hurt a little too much just now."),
    ("client", "Yes, that is it, and then I think that I should just sell the place."),
    ("therapist", "You should call an agent and get it over with."),
    ("client", "I do not know if I want to do that, it was my father's."),
)
PUSHY: tuple[tuple[str, str], ...] = (
    ("therapist", "You should really stop smoking, it is bad for you."),
    ("client", "I am worried about it but it helps me with my work."),
    ("therapist", "You need to throw them all away today."),
    ("client", "No, I do not want to do that."),
)


@dataclass(frozen=True)
class Coding:
    """The stand-in's answer for one turn."""

    predicted: tuple[str, ...]
    probabilities: Mapping[str, float]
    abstain: bool = False


def stand_in(transcript: Transcript) -> Sequence[Coding]:
    """Codes by a few surface marks; enough to see that codes reach the measures."""
    return [_code(said.speaker, said.text) for said in transcript.utterances]


def _code(speaker: str, text: str) -> Coding:
    if speaker == "client":
        label = "sustain" if "not want" in text else "neutral"
    elif text.endswith("?"):
        label = "question"
    elif "sounds like" in text:
        label = "reflection"
    else:
        label = "therapist_input" if "you" in text.lower() else "other"
    return Coding((label,), {label: 0.9})


def write_csv(path: Path, header: Sequence[str], rows: Sequence[Sequence[object]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)
    return path


def annomi_file(path: Path, sessions: int = 3) -> Path:
    """A file with AnnoMI's header and own sentences; odd sessions are low."""
    rows: list[list[object]] = []
    for session in range(sessions):
        for index, (speaker, text) in enumerate(PUSHY if session % 2 else TALK):
            codes = ["question", ""] if speaker == "therapist" else ["", "neutral"]
            rows.append([session, "low" if session % 2 else "high", index, speaker, text, *codes])
    header = ["transcript_id", "mi_quality", "utterance_id", "interlocutor", "utterance_text",
              "main_therapist_behaviour", "client_talk_type"]  # fmt: skip
    return write_csv(path, header, rows)


def chat_line(session: str, talk: Sequence[tuple[str, str]] = TALK, **more: object) -> str:
    roles = {"therapist": "assistant", "client": "user"}
    messages = [{"role": roles.get(who, who), "content": text} for who, text in talk]
    return json.dumps({"id": session, "messages": [{"role": "system", "content": "Be kind."}, *messages], **more})


def as_text(talk: Sequence[tuple[str, str]] = TALK, names: tuple[str, str] = ("Therapist", "Client")) -> str:
    return "\n".join(f"{names[0] if who == 'therapist' else names[1]}: {text}" for who, text in talk)
