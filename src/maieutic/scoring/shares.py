"""Makes scores out of counted turns: one place says when there are too few, and that nothing to count is missing, not
0."""

from __future__ import annotations

from collections.abc import Sequence

from maieutic.domain.episode import Score
from maieutic.scoring.coded import CodedTranscript, CodedTurn

MIN_CODED = 3
NO_BOLT = "no BOLT codes at hand: the codes come from a file or a coder that has none"


def share_of(measure: str, unit: str, hits: Sequence[CodedTurn], of: Sequence[CodedTurn], absent: str) -> Score:
    """The share of `of` that `hits` is, with the hits as evidence; missing for the reason `absent` when `of` is
    empty, and as too few below three: one turn more would turn it round."""
    if not of:
        return Score(measure, None, unit, absent)
    if len(of) < MIN_CODED:
        return Score(measure, None, unit, f"too few ({len(hits)} of {len(of)}); at least {MIN_CODED} are needed")
    return Score(measure, len(hits) / len(of), unit, None, indices(hits))


def indices(turns: Sequence[CodedTurn]) -> tuple[int, ...]:
    """Positions of turns in their source."""
    return tuple(turn.index for turn in turns)


def too_few(turns: Sequence[CodedTurn]) -> str:
    """Why a rate is missing when fewer than three turns are coded."""
    return f"{len(turns)} coded therapist turns; at least {MIN_CODED} are needed"


def bolt_turns(coded: CodedTranscript, speaker: str) -> tuple[CodedTurn, ...]:
    """The turns of one speaker that carry at least one BOLT code."""
    return tuple(turn for turn in coded.turns if turn.speaker == speaker and turn.codes.get("bolt"))


def lacks_bolt(coded: CodedTranscript) -> bool:
    """Whether the transcript was not coded under BOLT at all."""
    return not any("bolt" in turn.codes for turn in coded.turns)
