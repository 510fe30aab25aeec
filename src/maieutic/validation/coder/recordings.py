"""Reads the recordings that the coder is tried on without having been fitted on them, human codes as AnnoMI's
labels."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from maieutic.errors import UnreadableFile
from maieutic.transcripts.utterance import Role, Utterance

ESCONV, HLQC = "counseling_feedback/q-esconv.json", "hlqc/HLQC.csv"
MISC = ("hlqc/HLQC_manual_misc.csv", "mibot/MIV6.3A_manual_misc.csv")
ESCONV_LABELS = {
    "Question": "question",
    "Restatement or Paraphrasing": "reflection",
    "Reflection of feelings": "reflection",
    "Providing Suggestions": "therapist_input",
    "Information": "therapist_input",
}
"""Strategies of ESConv (Liu et al., ACL 2021) as AnnoMI labels; all others are 'other'."""
MISC_THERAPIST = {
    **dict.fromkeys(("OQ", "CQ"), "question"),
    **dict.fromkeys(("SR", "CR", "RF", "SU"), "reflection"),
    **dict.fromkeys(("GI", "ADP", "ADW", "CO", "DI", "WA", "RCW", "RCP"), "therapist_input"),
}
"""MISC 2.5 codes as AnnoMI labels; all others are 'other'."""
MISC_CLIENT = {"C": "change", "S": "sustain", "N": "neutral"}


@dataclass(frozen=True, slots=True)
class Talk:
    """One session: its utterances, and the human label of each where there is one; `words` as counted by blanks."""

    id: str
    utterances: tuple[Utterance, ...]
    gold: tuple[str | None, ...]

    @property
    def words(self) -> int:
        return sum(len(one.text.split()) for one in self.utterances)


def read_esconv(data: Path) -> list[Talk]:
    """The support chats, with the strategy of each supporter turn as an AnnoMI label."""
    path = _there(data, ESCONV)
    talks = []
    for number, entry in enumerate(json.loads(path.read_text(encoding="utf-8"))):
        turns = json.loads(entry["text"])["dialog"]
        said = tuple(Utterance("therapist" if t["speaker"] == "sys" else "client", t["text"]) for t in turns)
        gold = tuple(ESCONV_LABELS.get(t["strategy"], "other") if t.get("strategy") else None for t in turns)
        talks.append(Talk(str(number), said, gold))
    return talks


def read_misc(data: Path, name: str) -> list[Talk]:
    """Sessions coded with MISC, codes as AnnoMI labels."""
    return [
        Talk(
            session,
            tuple(Utterance(role(line), line["utt_text"]) for line in lines),
            tuple(
                MISC_CLIENT.get(line["t1_label_GT"])
                if role(line) == "client"
                else MISC_THERAPIST.get(line["t2_label_GT"], "other")
                for line in lines
            ),
        )
        for session, lines in sessions(data, name).items()
    ]


def read_hlqc(data: Path) -> list[Talk]:
    """The counselling dialogues whose names begin with 'high_' or 'low_'; no utterance is coded."""
    return [
        Talk(session, tuple(Utterance(role(line), line["vol_text"]) for line in lines), (None,) * len(lines))
        for session, lines in sessions(data, HLQC).items()
    ]


def seen_sessions(data: Path, trained_on: Collection[str]) -> set[str]:
    """HLQC dialogues whose utterances the coder was fitted on, because they are among the hand-coded ones."""
    return set(sessions(data, MISC[0])) if MISC[0] in trained_on else set()


def role(line: Mapping[str, str]) -> Role:
    return "client" if line["speaker"] == "client" else "therapist"


def sessions(data: Path, name: str) -> dict[str, list[dict[str, str]]]:
    found: dict[str, list[dict[str, str]]] = defaultdict(list)
    with _there(data, name).open(encoding="utf-8-sig", newline="") as file:
        for line in csv.DictReader(file):
            found[line["conv_id"]].append(line)
    return found


def _there(data: Path, name: str) -> Path:
    path = data / name
    if not path.is_file():
        raise UnreadableFile(f"--data {data} holds no {name}; give the folder of research data, or --quick")
    return path
