"""Twelve fixed talks with patients heard and worded by a model: `python recipes/record_worded.py --model URL#MODEL`.

The turns are the first of interviews in `recipes/data/hearing_talks.jsonl.xz`, a development case and a manner of asking
each. The replies, the talks and the states they led to are what `tests/patients/worded` replays.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from maieutic.coding.rules import RuleCoder
from maieutic.dialogue import Conversation, Streams, converse
from maieutic.domain.episode import Ending, Episode, EpisodeKey, Session, Turn
from maieutic.library import get_case
from maieutic.models.scripted import Recorder
from maieutic.patients.worded.ear import PROMPT as EAR
from maieutic.patients.worded.mouth import PROMPT as MOUTH
from maieutic.patients.worded.patient import make_worded
from maieutic.reading.minilm import MiniLM
from maieutic.registry import load_model
from maieutic.runs.files import read_lines

HERE = Path(__file__).parent
FOLDER = HERE.parent / "tests" / "patients" / "worded" / "data"
TALKS = (
    ("gethin", "skilled"),
    ("hester", "follow"),
    ("alena-vitkova", "warm"),
    ("mitra-sohrabi", "spoken"),
    ("nilani", "assistant"),
    ("ifeoma", "socratic"),
    ("nurse-in-charge", "long"),
    ("fathers-temper", "curious"),
    ("kaarina-lehtonen", "short"),
    ("yvette-dacres", "trainee"),
    ("duarte-varela", "two-part"),
    ("rehana-chowdhury", "poor"),
)
TURNS = 7


class Fixed:
    """Says the turns of a talk in their order."""

    name = "fixed"

    def __init__(self, turns: list[str]) -> None:
        self.turns = turns

    async def respond(self, session: Session) -> Turn:
        number = len(session.by("therapist"))
        if number < len(self.turns):
            return Turn("therapist", self.turns[number])
        return Turn("therapist", "", Ending("completed", "all turns were said"))


def fixed_talks() -> list[dict[str, Any]]:
    """The talks, unplayed."""
    rows = read_lines(HERE / "data" / "hearing_talks.jsonl.xz")
    found = []
    for case, style in TALKS:
        row = next(row for row in rows if (row["case"], row["style"]) == (case, style))
        turns = [turn["t"] for turn in row["turns"][:TURNS]]
        found.append({"case": case, "situation": row["situation"], "style": style, "turns": turns})
    return found


async def play(talk: dict[str, Any], model: Any, embed: MiniLM) -> Episode:
    """One talk; the patient is that of seed 1."""
    patient = make_worded(get_case(talk["case"]), talk["situation"], embed=embed, model=model)
    streams = Streams(0, EpisodeKey("fixed", talk["case"], 1))
    return await converse(Conversation(Fixed(talk["turns"]), patient, RuleCoder(), TURNS, streams))


def played(talk: dict[str, Any], episode: Episode) -> dict[str, Any]:
    """A talk with what was said and where the mind stood after each turn."""
    states = [
        [round(s.held, 3), round(s.openness, 3), s.intent.act.value, s.intent.unit or s.intent.evidence]
        for s in episode.states
    ]
    said = [turn.text for turn in episode.session.by("patient")]
    return talk | {"said": said, "states": states}


async def record(spec: str) -> None:
    """Play all talks at once and keep them."""
    model, embed, talks = Recorder(load_model(spec)), MiniLM(), fixed_talks()
    model.name = model.name.rpartition("#")[2]  # an address says nothing to others
    episodes = await asyncio.gather(*(play(talk, model, embed) for talk in talks))
    await model.close()
    for talk, episode in zip(talks, episodes, strict=True):
        print(talk["case"], episode.ending.kind, episode.ending.reason or "")
    FOLDER.mkdir(parents=True, exist_ok=True)
    model.write(FOLDER / "replies.jsonl", (EAR, MOUTH), datetime.now(UTC).date().isoformat())
    done = [played(talk, episode) for talk, episode in zip(talks, episodes, strict=True)]
    (FOLDER / "talks.json").write_text(json.dumps(done, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, help="as in `maieutic evaluate`, a capable one")
    asyncio.run(record(parser.parse_args().model))
