"""Made-up sessions of any number for the benchmark of the coder: own sentences with changing fillers, no two alike."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from maieutic.transcripts.utterance import Role

THINGS = (
    "the night shift", "my sister's flat", "the walk to the station", "that letter from the bank", "our Sunday dinner",
    "the smoking", "the glass of wine after work", "the garden", "his temper", "the test results", "the rehearsal",
    "the long drive", "my appetite", "the quarrel with my son", "the new medication", "the gym", "the empty house",
)  # fmt: skip
FEELINGS = ("worn out", "ashamed", "on edge", "quite proud", "lonely", "stuck", "a bit hopeful", "angry", "relieved")
TIMES = ("since March", "most evenings", "every other day", "last week", "on bad days", "before breakfast", "at work")
THERAPIST = (
    "What has {thing} been like for you {time}?",
    "So {thing} leaves you {feeling}, and {time} it is harder to put it aside.",
    "Mm-hmm.",
    "How often does {thing} come up {time}?",
    "One thing that helps many people with {thing} is to plan it {time} and to keep a short note of how it went.",
    "It sounds as if a part of you is {feeling} about {thing}, and another part wants things to be different.",
    "Would you say that {thing} makes you {feeling}, or is it something else that happens {time}?",
    "Thank you for telling me about {thing}. Let us stay with that for a moment.",
)
CLIENT = (
    "Well, {thing} is on my mind {time}, and I end up {feeling}, to be honest.",
    "I don't know. {thing} was never a problem before, it only started {time}.",
    "I really want to change {thing}, I have told my wife that I will begin {time}.",
    "Yeah.",
    "I like {thing} as it is, and I would not know what to do {time} without it.",
    "When {thing} came up {time} I felt {feeling}, so I went for a walk and then it was all right again.",
    "My doctor said something about {thing}, but {time} nobody asks how I am, they only see that I am {feeling}.",
)


def session(number: int, turns: int) -> list[tuple[Role, str]]:
    """One session of (speaker, text), the therapist first; the number decides everything."""
    rng = random.Random(number)
    said: list[tuple[Role, str]] = []
    for turn in range(turns):
        speaker: Role = "therapist" if turn % 2 == 0 else "client"
        text = rng.choice(THERAPIST if speaker == "therapist" else CLIENT).format(
            thing=rng.choice(THINGS), feeling=rng.choice(FEELINGS), time=rng.choice(TIMES)
        )
        said.append((speaker, text[0].upper() + text[1:]))
    return said


def dialogues(count: int, turns: int) -> Iterator[list[tuple[Role, str]]]:
    """That many sessions, one after another."""
    return (session(number, turns) for number in range(count))


def write_chats(path: Path, count: int, turns: int) -> None:
    """The sessions as JSON lines, written one by one."""
    with path.open("w", encoding="utf-8") as file:
        for number, said in enumerate(dialogues(count, turns)):
            messages = [{"role": speaker, "content": text} for speaker, text in said]
            file.write(json.dumps({"id": f"s{number}", "messages": messages}) + "\n")
