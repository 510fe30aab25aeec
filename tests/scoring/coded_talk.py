"""Own-written coded turns for the tests of session measures."""

from __future__ import annotations

from dataclasses import replace

from maieutic.scoring.coded import CodedTranscript, CodedTurn
from maieutic.scoring.transcripts import Transcript, Utterance


def talk(*turns: tuple[str, str | None, str] | tuple[str, str | None, str, tuple[str, ...]]) -> CodedTranscript:
    """(T or C, AnnoMI label, text[, BOLT codes]) by turn; indices start at 10, so that evidence is no position by accident."""
    made: list[CodedTurn] = []
    for at, (who, label, text, *bolt) in enumerate(turns):
        one = CodedTurn(10 + at, "therapist" if who == "T" else "client", text, len(text.split()), label, {})
        made.append(replace(one, codes={"bolt": bolt[0]}) if bolt else one)
    said = tuple(Utterance(turn.index, turn.speaker, turn.text) for turn in made)
    return CodedTranscript(Transcript("x", None, said, "x", 2), tuple(made))
