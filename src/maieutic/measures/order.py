"""Codes under BOLT and the order of codes over a session: where in it a code comes, how rates move by thirds, and how
the therapist's next code depends on the client's last one, beside human dialogues of high and low quality."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from typing import Literal

import numpy as np

from maieutic.coding.book import Label
from maieutic.coding.schemes import BOLT
from maieutic.measures.coded import (
    IN_WORDS,
    MIN_CODED,
    THERAPIST_LABELS,
    CodedTranscript,
    CodedTurn,
    bolt_turns,
    indices,
    too_few,
)
from maieutic.measures.definition import NO_BOLT, Finding, Measure, measure, missing, share_of
from maieutic.measures.material import Material
from maieutic.transcripts.utterance import SPEAKERS, Transcript

Part = Literal["first", "middle", "last"]
PARTS: tuple[Part, ...] = ("first", "middle", "last")
REFLECTIONS = tuple(label.id for label in BOLT.therapist if label.id.startswith("Reflections"))
SOLUTIONS = ("Problem-Solving", "Planning")
NEGATIVE_FEELING = "Sharing Negative Emotions"
_MIN_FOR_THIRDS = 3 * MIN_CODED
Counts = tuple[tuple[float, ...], ...]
"""Replies by client code (rows) and therapist code (columns), in code-book order."""

CLIENT = tuple(label.id for label in BOLT.client)
THERAPIST = tuple(label.id for label in BOLT.therapist)
MIN_REPLIES = 5
SMOOTHING = 0.5  # replies added to each row, spread evenly: rows of a session are short
_NONE: Counts = tuple(tuple(0.0 for _ in THERAPIST) for _ in CLIENT)
_ORDER, _MI = "Order over the session", "Only for motivational interviewing"
_PLACE = "place, 0 to 1"
_LABELS = {
    "question": "questions",
    "reflection": "reflections",
    "therapist_input": "advice and information",
    "other": "other turns",
}


def bolt_rate(given: Material, speaker: str, label: Label) -> Finding:
    """Share of a speaker's BOLT-coded turns that carry the code.

    Evidence: the turns with the code.
    Source: BOLT (Chiu et al. 2024), frequency of a code. Departures: predicted codes; turns without any code (the coder
    abstained) are left out, where the source keeps an 'unknown'. Several codes a turn: rates need not sum to 1.
    Blind to: how well it was done. Rare codes are found poorly.
    """
    turns = bolt_turns(given.coded, speaker)
    if len(turns) < MIN_CODED:
        return missing(f"{len(turns)} {speaker} turns with a BOLT code; at least {MIN_CODED} are needed")
    return share_of([turn for turn in turns if label.id in turn.codes["bolt"]], turns, NO_BOLT)


BOLT_RATES: Mapping[str, Measure] = {
    label.id: measure(
        "Codes",
        f"share of {speaker} turns",
        f"BOLT: share of {speaker} turns with this code.",
        title=label.name,
        id=f"bolt_{label.column}_rate",
        detail=True,
        needs=("bolt",),
    )(partial(bolt_rate, speaker=speaker, label=label))
    for speaker in SPEAKERS
    for label in BOLT.labels(speaker)
}


@measure("After a feeling", "share of replies", title="Reflection after a negative feeling (BOLT)", needs=("bolt",))
def reflection_after_negative_feeling(given: Material) -> Finding:
    """When a client turn is coded as negative feeling, how often the reply reflects.

    Share of client turns with a negative feeling whose reply carries a BOLT reflection of any kind.
    Evidence: the replies that reflect.
    Source: BOLT (Chiu et al. 2024), therapist code at t+1 given the client code at t. Departures: predicted codes; only
    therapist turns that follow at once and carry a code count.
    Blind to: whether the reflection meets that feeling. The coder reads both turns with moderate accuracy only.
    """
    return _after_negative(given.coded, REFLECTIONS)


@measure("After a feeling", "share of replies", title="Solution after a negative feeling (BOLT)", needs=("bolt",))
def solution_after_negative_feeling(given: Material) -> Finding:
    """When a client turn is coded as negative feeling, how often the reply solves or plans.

    Evidence: the replies that solve.
    Source: BOLT (Chiu et al. 2024), where it sets low-quality care apart. Departures: as
    `reflection_after_negative_feeling`. Blind to: whether a solution was asked for.
    """
    return _after_negative(given.coded, SOLUTIONS)


def _after_negative(coded: CodedTranscript, labels: Sequence[str]) -> Finding:
    replies = [
        reply
        for said, reply in coded.pairs("client", "therapist")
        if NEGATIVE_FEELING in said.codes.get("bolt", ()) and reply.codes.get("bolt")
    ]
    hits = [reply for reply in replies if set(labels) & set(reply.codes["bolt"])]
    return share_of(hits, replies, "no coded reply to a client turn with a negative feeling")


def mean_position(given: Material, label: str) -> Finding:
    """Mean place of an AnnoMI label among the coded therapist turns.

    0 the first and 1 the last coded therapist turn. Evidence: the turns.
    Source: BOLT (Chiu et al. 2024), order(c). Departures: AnnoMI's labels; therapist turns only.
    Blind to: how often the code comes; one turn gives a place as a hundred do. An even spread gives about 0.5.
    """
    turns = given.coded.coded("therapist")
    return _position(turns, [turn.label == label for turn in turns], f"no turn is mainly {IN_WORDS[label]}")


def rate_in_third(given: Material, label: str, part: Part) -> Finding:
    """Share of the coded therapist turns of one third of the session that carry an AnnoMI label.

    Evidence: the turns with the label.
    Source: BOLT's temporal order (Chiu et al. 2024). Departures: thirds of the coded therapist turns, the extra turns
    going to the later thirds; AnnoMI's labels. Missing below nine coded therapist turns.
    Blind to: what a third is about; a recording that starts in the middle has no beginning.
    """
    turns = given.coded.coded("therapist")
    if len(turns) < _MIN_FOR_THIRDS:
        return missing(f"{len(turns)} coded therapist turns; {_MIN_FOR_THIRDS} make thirds")
    inside = thirds(turns)[PARTS.index(part)]
    return share_of([turn for turn in inside if turn.label == label], inside, "no coded turns")


def bolt_position(given: Material, label: Label) -> Finding:
    """Mean place of a BOLT code among the coded therapist turns.

    Evidence: the turns. Source: BOLT (Chiu et al. 2024), order(c). Departures: predicted codes; turns on which the
    coder abstained are no places. Blind to: how often the code comes.
    """
    turns = bolt_turns(given.coded, "therapist")
    return _position(turns, [label.id in turn.codes["bolt"] for turn in turns], "no turn carries this code")


def _position(turns: Sequence[CodedTurn], hits: Sequence[bool], absent: str) -> Finding:
    if len(turns) < MIN_CODED:
        return missing(too_few(turns))
    places = [at / (len(turns) - 1) for at, hit in enumerate(hits) if hit]
    if not places:
        return missing(absent)
    shown = indices([turn for turn, hit in zip(turns, hits, strict=True) if hit])
    return Finding(sum(places) / len(places), shown)


def thirds(turns: Sequence[CodedTurn]) -> tuple[Sequence[CodedTurn], Sequence[CodedTurn], Sequence[CodedTurn]]:
    """Turns in three runs whose sizes differ by at most one, the larger ones last."""
    one, two = len(turns) // 3, 2 * len(turns) // 3
    return turns[:one], turns[one:two], turns[two:]


POSITIONS: Mapping[str, Measure] = {
    label: measure(
        _ORDER,
        _PLACE,
        "Mean place in the session; 0 the beginning, 1 the end.",
        title=f"Place of {_LABELS[label]}",
        span=(0.0, 1.0),
        id=f"{label}_position",
        detail=True,
    )(partial(mean_position, label=label))
    for label in THERAPIST_LABELS
}
THIRDS: Mapping[tuple[str, Part], Measure] = {
    (label, part): measure(
        _ORDER,
        "share of therapist turns of the third",
        "Share of therapist turns of that third.",
        title=f"{_LABELS[label].capitalize()}, {part} third",
        id=f"{label}_rate_{part}_third",
        detail=True,
    )(partial(rate_in_third, label=label, part=part))
    for label in THERAPIST_LABELS
    for part in PARTS
}
BOLT_POSITIONS: Mapping[str, Measure] = {
    label.id: measure(
        _ORDER,
        _PLACE,
        "BOLT: mean place in the session; 0 the beginning, 1 the end.",
        title=f"Place of: {label.name.lower()}",
        span=(0.0, 1.0),
        id=f"bolt_{label.column}_position",
        detail=True,
        needs=("bolt",),
    )(partial(bolt_position, label=label))
    for label in BOLT.therapist
}


@dataclass(frozen=True, slots=True)
class Reference:
    """Replies counted in human dialogues of two qualities.

    Attributes:
        high: Counts over the dialogues of high quality.
        low: Counts over those of low quality.
        members: Quality by `dialogue_key`, of the dialogues that were counted.
    """

    high: Counts
    low: Counts
    members: Mapping[str, str]

    def without(self, transcript: Transcript, own: Counts) -> Reference:
        """The tables without a dialogue that is one of theirs (leave-one-out); unchanged for any other."""
        quality = self.members.get(dialogue_key(transcript))
        if quality == "high":
            return Reference(_less(self.high, own), self.low, self.members)
        if quality == "low":
            return Reference(self.high, _less(self.low, own), self.members)
        return self


@cache
def packaged_reference() -> Reference:
    """The tables that `recipes/fit_adaptation.py` counted in HLQC (Pérez-Rosas et al. 2019)."""
    text = files("maieutic.measures").joinpath("reference/adaptation.json").read_text(encoding="utf-8")
    stored = json.loads(text)
    high, low = (tuple(tuple(float(n) for n in row) for row in stored["counts"][one]) for one in ("high", "low"))
    return Reference(high, low, stored["members"])


def dialogue_key(transcript: Transcript) -> str:
    """A fingerprint of what was said, by which a dialogue is known again; it holds no words."""
    said = "\n".join(" ".join(one.text.lower().split()) for one in transcript.utterances)
    return hashlib.sha256(said.encode()).hexdigest()[:16]


def reply_counts(coded: CodedTranscript) -> Counts:
    """Replies of the therapist by the codes of the client turn that comes right before.

    A pair of turns weighs 1, parted evenly over its pairs of codes; turns without a BOLT code do not count.
    """
    counts = [list(row) for row in _NONE]
    for said, reply in coded.pairs("client", "therapist"):
        before, after = said.codes.get("bolt", ()), reply.codes.get("bolt", ())
        for one in before:
            for other in after:
                counts[CLIENT.index(one)][THERAPIST.index(other)] += 1 / (len(before) * len(after))
    return tuple(tuple(row) for row in counts)


def add_counts(tables: Sequence[Counts]) -> Counts:
    """Sum of several tables."""
    return tuple(
        tuple(sum(table[row][column] for table in tables) for column in range(len(THERAPIST)))
        for row in range(len(CLIENT))
    )


def conditional(counts: Counts) -> Counts:
    """P(therapist code | client code): rows sum to 1, smoothed by half a reply a row."""
    return tuple(tuple((n + SMOOTHING / len(row)) / (sum(row) + SMOOTHING) for n in row) for row in counts)


def jensen_shannon(first: Sequence[float], second: Sequence[float]) -> float:
    """Jensen-Shannon divergence of two distributions in bits: 0 when equal, 1 when they share nothing."""
    from scipy.special import rel_entr

    middle = (np.asarray(first) + np.asarray(second)) / 2
    return max(0.0, float(rel_entr(first, middle).sum() + rel_entr(second, middle).sum()) / (2 * math.log(2)))


def divergence(own: Counts, reference: Counts) -> float:
    """Mean Jensen-Shannon divergence of the rows of two tables in bits, 0 to 1, weighted by the replies in `own`.

    Raises:
        ZeroDivisionError: `own` is empty.
    """
    weights = [sum(row) for row in own]
    parts = [jensen_shannon(p, q) for p, q in zip(conditional(own), conditional(reference), strict=True)]
    return sum(w * part for w, part in zip(weights, parts, strict=True)) / sum(weights)


@measure(_MI, "log2 ratio", title="Nearer to high than to low quality (MI)", span=(-math.inf, None), needs=("bolt",))
def adaptation_log_ratio(given: Material) -> Finding:
    """Above 0 the replies to each kind of client turn are nearer to human high-quality dialogues.

    Log2 of the divergence from low quality over that from high quality. Above 0 when the replies are nearer to those of
    high quality. Evidence: none.
    Source: BOLT (Chiu et al. 2024), distance to high quality. Departures: as `divergence_from_high`; a ratio, since
    raggedness of a short session raises both divergences alike.
    Blind to: quality other than which code follows which; the tables know motivational interviewing only.
    Validity: it does not part high from low quality alike in two sets.
    """
    found = _tables(given.coded)
    if isinstance(found, str):
        return missing(found)
    own, reference = found
    return Finding(math.log2(divergence(own, reference.low) / divergence(own, reference.high)))


@measure(_MI, "bits", title="Divergence from high quality (MI)", span=(0.0, 1.0), needs=("bolt",))
def divergence_from_high(given: Material) -> Finding:
    """How far the replies lie from human high-quality dialogues.

    0 for the same table. Evidence: none, it is the whole session.
    Source: BOLT's adaptation (Chiu et al. 2024); Jensen-Shannon divergence (Lin 1991). Departures: predicted codes on
    both sides; reference HLQC (demonstration sessions of motivational interviewing), a dialogue of HLQC itself is taken
    out of its table first; rows are weighted by how often the client code comes and smoothed by half a reply. Blind to:
    order beyond one turn; falls with length, as longer tables are less ragged. Read `adaptation_log_ratio`.
    """
    found = _tables(given.coded)
    return missing(found) if isinstance(found, str) else Finding(divergence(found[0], found[1].high))


@measure(_MI, "bits", title="Divergence from low quality (MI)", span=(0.0, 1.0), needs=("bolt",))
def divergence_from_low(given: Material) -> Finding:
    """How far the replies lie from human low-quality dialogues.

    Evidence: none. Source: as `divergence_from_high`. Departures: as there; the low table rests on fewer dialogues.
    Blind to: as `divergence_from_high`.
    """
    found = _tables(given.coded)
    return missing(found) if isinstance(found, str) else Finding(divergence(found[0], found[1].low))


def _tables(coded: CodedTranscript) -> tuple[Counts, Reference] | str:
    own = reply_counts(coded)
    replies = sum(map(sum, own))
    if replies < MIN_REPLIES:
        return f"{replies:.0f} replies with a code to client turns with a code; at least {MIN_REPLIES} are needed"
    return own, packaged_reference().without(coded.transcript, own)


def _less(counts: Counts, own: Counts) -> Counts:
    # A coder that has changed since the tables were counted may give a cell more than the table holds.
    return tuple(
        tuple(max(0.0, n - m) for n, m in zip(row, other, strict=True)) for row, other in zip(counts, own, strict=True)
    )
