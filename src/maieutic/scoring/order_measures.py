"""Code rates under BOLT and the order of codes over a session: where in it a code comes, and how rates move by
thirds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from maieutic.coding.schemes import BOLT
from maieutic.domain.episode import Score
from maieutic.scoring.coded import IN_WORDS, THERAPIST_LABELS, CodedTranscript, CodedTurn
from maieutic.scoring.shares import MIN_CODED, NO_BOLT, bolt_turns, indices, lacks_bolt, share_of, too_few

Measured = Callable[[CodedTranscript], Score]
Part = Literal["first", "middle", "last"]
Speaker = Literal["therapist", "client"]

SPEAKERS: tuple[Speaker, ...] = ("therapist", "client")
PARTS: tuple[Part, ...] = ("first", "middle", "last")
REFLECTIONS = tuple(label.id for label in BOLT.therapist if label.id.startswith("Reflections"))
SOLUTIONS = ("Problem-Solving", "Planning")
NEGATIVE_FEELING = "Sharing Negative Emotions"
_MIN_FOR_THIRDS = 3 * MIN_CODED


def reflection_after_negative_feeling(coded: CodedTranscript) -> Score:
    """Share of client turns with a negative feeling whose reply carries a BOLT reflection of any kind.

    Unit: share of replies. Range: 0 to 1. Evidence: the replies that reflect.
    Source: BOLT (Chiu et al. 2024), therapist code at t+1 given the client code at t. Departures: predicted codes; only
    therapist turns that follow at once and carry a code count.
    Blind to: whether the reflection meets that feeling. The coder reads both turns with moderate accuracy only.
    """
    return _after_negative("reflection_after_negative_feeling", coded, REFLECTIONS)


def solution_after_negative_feeling(coded: CodedTranscript) -> Score:
    """Share of client turns with a negative feeling whose reply solves the problem or plans.

    Unit: share of replies. Range: 0 to 1. Evidence: the replies that solve.
    Source: BOLT (Chiu et al. 2024), where it sets low-quality care apart. Departures: as
    `reflection_after_negative_feeling`. Blind to: whether a solution was asked for.
    """
    return _after_negative("solution_after_negative_feeling", coded, SOLUTIONS)


def bolt_rate(speaker: Speaker, label: str, column: str) -> Measured:
    """A measure: share of a speaker's BOLT-coded turns that carry the code.

    Unit: share of coded turns. Range: 0 to 1. Evidence: the turns with the code.
    Source: BOLT (Chiu et al. 2024), frequency of a code. Departures: predicted codes; turns without any code (the coder
    abstained) are left out, where the source keeps an 'unknown'. Several codes a turn: rates need not sum to 1.
    Blind to: how well it was done. Rare codes are found poorly.
    """
    name = f"bolt_{column}_rate"

    def measure(coded: CodedTranscript) -> Score:
        if lacks_bolt(coded):
            return Score(name, None, f"share of {speaker} turns", NO_BOLT)
        turns = bolt_turns(coded, speaker)
        if len(turns) < MIN_CODED:
            reason = f"{len(turns)} {speaker} turns with a BOLT code; at least {MIN_CODED} are needed"
            return Score(name, None, f"share of {speaker} turns", reason)
        hits = [turn for turn in turns if label in turn.codes["bolt"]]
        return share_of(name, f"share of {speaker} turns", hits, turns, NO_BOLT)

    return _named(measure, name, bolt_rate.__doc__)


def mean_position(label: str) -> Measured:
    """A measure: mean place of an AnnoMI label among the coded therapist turns.

    Unit: place in the session, 0 the first and 1 the last coded therapist turn. Range: 0 to 1. Evidence: the turns.
    Source: BOLT (Chiu et al. 2024), order(c). Departures: AnnoMI's labels; therapist turns only.
    Blind to: how often the code comes; one turn gives a place as a hundred do. An even spread gives about 0.5.
    """
    name = f"{label}_position"

    def measure(coded: CodedTranscript) -> Score:
        turns = coded.coded("therapist")
        return _position(name, turns, [turn.label == label for turn in turns], f"no turn is mainly {IN_WORDS[label]}")

    return _named(measure, name, mean_position.__doc__)


def bolt_position(label: str, column: str) -> Measured:
    """A measure: mean place of a BOLT code among the coded therapist turns.

    Unit: place in the session. Range: 0 to 1. Evidence: the turns. Source: BOLT (Chiu et al. 2024), order(c).
        Departures: predicted codes;
    turns on which the coder abstained are no places. Blind to: how often the code comes.
    """
    name = f"bolt_{column}_position"

    def measure(coded: CodedTranscript) -> Score:
        if lacks_bolt(coded):
            return Score(name, None, "place, 0 to 1", NO_BOLT)
        turns = bolt_turns(coded, "therapist")
        return _position(name, turns, [label in turn.codes["bolt"] for turn in turns], "no turn carries this code")

    return _named(measure, name, bolt_position.__doc__)


def rate_in_third(label: str, part: Part) -> Measured:
    """A measure: share of the coded therapist turns of one third of the session that carry an AnnoMI label.

    Unit: share of therapist turns of that third. Range: 0 to 1. Evidence: the turns with the label.
    Source: BOLT's temporal order (Chiu et al. 2024). Departures: thirds of the coded therapist turns, the extra turns
    going to the later thirds; AnnoMI's labels. Missing below nine coded therapist turns.
    Blind to: what a third is about; a recording that starts in the middle has no beginning.
    """
    name = f"{label}_rate_{part}_third"
    unit = "share of therapist turns of the third"

    def measure(coded: CodedTranscript) -> Score:
        turns = coded.coded("therapist")
        if len(turns) < _MIN_FOR_THIRDS:
            return Score(name, None, unit, f"{len(turns)} coded therapist turns; {_MIN_FOR_THIRDS} make thirds")
        inside = thirds(turns)[PARTS.index(part)]
        return share_of(name, unit, [turn for turn in inside if turn.label == label], inside, "no coded turns")

    return _named(measure, name, rate_in_third.__doc__)


def thirds(turns: Sequence[CodedTurn]) -> tuple[Sequence[CodedTurn], Sequence[CodedTurn], Sequence[CodedTurn]]:
    """Turns in three runs whose sizes differ by at most one, the larger ones last."""
    one, two = len(turns) // 3, 2 * len(turns) // 3
    return turns[:one], turns[one:two], turns[two:]


def _position(name: str, turns: Sequence[CodedTurn], hits: Sequence[bool], absent: str) -> Score:
    if len(turns) < MIN_CODED:
        return Score(name, None, "place, 0 to 1", too_few(turns))
    places = [at / (len(turns) - 1) for at, hit in enumerate(hits) if hit]
    if not places:
        return Score(name, None, "place, 0 to 1", absent)
    shown = indices([turn for turn, hit in zip(turns, hits, strict=True) if hit])
    return Score(name, sum(places) / len(places), "place, 0 to 1", None, shown)


def _after_negative(name: str, coded: CodedTranscript, labels: Sequence[str]) -> Score:
    if lacks_bolt(coded):
        return Score(name, None, "share of replies", NO_BOLT)
    replies = [
        reply
        for said, reply in zip(coded.turns, coded.turns[1:], strict=False)
        if said.speaker == "client"
        and reply.speaker == "therapist"
        and NEGATIVE_FEELING in said.codes.get("bolt", ())
        and reply.codes.get("bolt")
    ]
    hits = [reply for reply in replies if set(labels) & set(reply.codes["bolt"])]
    return share_of(name, "share of replies", hits, replies, "no coded reply to a client turn with a negative feeling")


def _named(measure: Measured, name: str, definition: str | None) -> Measured:
    measure.__name__ = name
    measure.__qualname__ = name
    measure.__doc__ = definition
    return measure


BOLT_RATES: Mapping[str, Measured] = {
    label.id: bolt_rate(speaker, label.id, label.column) for speaker in SPEAKERS for label in BOLT.labels(speaker)
}
BOLT_POSITIONS: Mapping[str, Measured] = {label.id: bolt_position(label.id, label.column) for label in BOLT.therapist}
POSITIONS: Mapping[str, Measured] = {label: mean_position(label) for label in THERAPIST_LABELS}
THIRDS: Mapping[tuple[str, Part], Measured] = {
    (label, part): rate_in_third(label, part) for label in THERAPIST_LABELS for part in PARTS
}
