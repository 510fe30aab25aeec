"""Own-written coded turns for the tests of session measures."""

from __future__ import annotations

from dataclasses import replace

from maieutic.measures.coded import CodedTranscript, CodedTurn
from maieutic.transcripts.utterance import Transcript, Utterance


def talk(*turns: tuple[str, str | None, str] | tuple[str, str | None, str, tuple[str, ...]]) -> CodedTranscript:
    """(T or C, AnnoMI label, text[, BOLT codes]) by turn; indices start at 10, so that evidence is no position by accident."""
    made: list[CodedTurn] = []
    for at, (who, label, text, *bolt) in enumerate(turns):
        one = CodedTurn(Utterance("therapist" if who == "T" else "client", text, index=10 + at), label, {})
        made.append(replace(one, codes={"bolt": bolt[0]}) if bolt else one)
    return CodedTranscript(Transcript("x", None, tuple(turn.said for turn in made), "x", 2), tuple(made))
