"""Padesky's stages of guided discovery: which stage each therapist turn belongs to, and how they follow each other."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from maieutic.domain.episode import Score
from maieutic.reading.moves import does
from maieutic.scoring.coded import CodedTranscript, CodedTurn
from maieutic.scoring.shares import MIN_CODED, indices, share_of

Stage = Literal["informing", "listening", "summary", "synthesis"]
STAGES: tuple[Stage, ...] = ("informing", "listening", "summary", "synthesis")
NEW_CYCLES = {("summary", "informing"), ("synthesis", "informing")}
MIN_CHANGES = 3
_LONG_REFLECTION = 60  # words; a reflection of this length brings several things together

_PERSPECTIVE = "Questions on Perspectives"


def stage_of(turn: CodedTurn) -> Stage | None:
    """The stage of a therapist turn, or None when it belongs to none (advice, small talk, no code).

    A reflection is a summary when a sentence of it draws together (a head reads it) or it is 60 words or longer,
    otherwise listening. A question is a synthesising one when a sentence of it asks to weigh, to bring together, or to
    look from elsewhere (a head reads it), or when BOLT's coder calls it a question on perspectives; otherwise it asks
    for information.
    """
    if turn.label == "reflection":
        return "summary" if does(turn.text, "summary") or turn.words >= _LONG_REFLECTION else "listening"
    if turn.label == "question":
        if does(turn.text, "synthesis") or _PERSPECTIVE in turn.codes.get("bolt", ()):
            return "synthesis"
        return "informing"
    return None


def staged_turns(coded: CodedTranscript) -> tuple[tuple[Stage, CodedTurn], ...]:
    """The therapist turns that have a stage, with it."""
    found = [(stage_of(turn), turn) for turn in coded.by("therapist")]
    return tuple((stage, turn) for stage, turn in found if stage is not None)


def stage_order(coded: CodedTranscript) -> Score:
    """Of the changes from one stage to another, the share that go on to a later stage or open a new cycle.

    Unit: share of changes. Range: 0 to 1; 0.67 when stages follow each other by chance and are equally frequent.
    Evidence: the turns reached in order. Source: Padesky (1993, 2020), four stages: questions for information, empathic
    listening, summary, analytical or synthesising question. Departures: stages from predicted codes and what a head
    reads in the sentences; from a summary or a synthesising question back to information opens a new cycle and is in
    order.
    Blind to: what the stages are about; in talk that only asks and reflects it is near one half by construction.
    """
    unit = "share of changes"
    changes = [(one, other, turn) for (one, _), (other, turn) in pairwise(staged_turns(coded)) if one != other]
    if len(changes) < MIN_CHANGES:
        return Score("stage_order", None, unit, f"{len(changes)} changes of stage; at least {MIN_CHANGES} are needed")
    good = [
        turn for one, other, turn in changes if STAGES.index(other) > STAGES.index(one) or (one, other) in NEW_CYCLES
    ]
    return Score("stage_order", len(good) / len(changes), unit, None, indices(good))


def longest_stage_climb(coded: CodedTranscript) -> Score:
    """Length of the longest run of stages that never goes back (turns may be left out), by number of staged turns.

    Unit: share of staged turns. Range: above 0 to 1. Evidence: none.
    Source: longest ordered subsequence of Padesky's stages (this project's notes on the method). Departures: staying in
    a stage counts as order, else long sessions would go to 0. No cycles are allowed here: see `stage_order`. Blind to:
    as `stage_order`; falls with length when stages come in cycles, as they should.
    """
    stages = [STAGES.index(stage) for stage, _ in staged_turns(coded)]
    if len(stages) < MIN_CODED:
        reason = f"{len(stages)} turns with a stage; at least {MIN_CODED} are needed"
        return Score("longest_stage_climb", None, "share of staged turns", reason)
    return Score("longest_stage_climb", longest_climb(stages) / len(stages), "share of staged turns")


def stages_covered(coded: CodedTranscript) -> Score:
    """How many of the four stages occur at all.

    Unit: share of the four. Range: 0.25 to 1. Evidence: the first turn of each stage.
    Source: Padesky's stages. Departures: predicted. Blind to: how often and how well; grows with length.
    """
    first: dict[Stage, CodedTurn] = {}
    for stage, turn in staged_turns(coded):
        first.setdefault(stage, turn)
    staged = len(staged_turns(coded))
    if staged < MIN_CODED:
        reason = f"too few turns with a stage ({staged}); at least {MIN_CODED} are needed"
        return Score("stages_covered", None, "share of four stages", reason if staged else "no turn with a stage")
    return Score("stages_covered", len(first) / 4, "share of four stages", None, indices(list(first.values())))


def synthesis_question_share(coded: CodedTranscript) -> Score:
    """Share of question turns that ask to analyse or bring together.

    Unit: share of question turns. Range: 0 to 1. Evidence: those turns.
    Source: Padesky's fourth stage. Departures: by a head on sentences, or BOLT's question on perspectives. Not
        human-validated.
    Blind to: questions that bring together by what was said before alone.
    """
    asked = [(stage, turn) for stage, turn in staged_turns(coded) if stage in ("informing", "synthesis")]
    hits = [turn for stage, turn in asked if stage == "synthesis"]
    return share_of(
        "synthesis_question_share", "share of question turns", hits, [turn for _, turn in asked], "no question turns"
    )


def longest_climb(values: Sequence[int]) -> int:
    """Length of the longest subsequence that never falls."""
    ends: list[int] = []
    for value in values:
        at = bisect_right(ends, value)
        ends[at : at + 1] = [value]
    return len(ends)
