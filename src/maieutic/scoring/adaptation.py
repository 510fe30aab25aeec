"""How the therapist's next code depends on the client's last one, beside human dialogues of high and low quality."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from maieutic.coding.schemes import BOLT
from maieutic.domain.episode import Score
from maieutic.scoring.coded import CodedTranscript
from maieutic.scoring.shares import NO_BOLT, lacks_bolt
from maieutic.transcripts.utterance import Transcript

Counts = tuple[tuple[float, ...], ...]
"""Replies by client code (rows) and therapist code (columns), in code-book order."""

CLIENT = tuple(label.id for label in BOLT.client)
THERAPIST = tuple(label.id for label in BOLT.therapist)
MIN_REPLIES = 5
SMOOTHING = 0.5  # replies added to each row, spread evenly: rows of a session are short
_NONE: Counts = tuple(tuple(0.0 for _ in THERAPIST) for _ in CLIENT)


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
    text = files("maieutic.scoring").joinpath("reference/adaptation.json").read_text(encoding="utf-8")
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
    for said, reply in zip(coded.turns, coded.turns[1:], strict=False):
        if said.speaker != "client" or reply.speaker != "therapist":
            continue
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


def divergence_from_high(coded: CodedTranscript) -> Score:
    """Divergence of the therapist's replies from those in human dialogues of high quality.

    Unit: bits. Range: 0 (the same table) to 1. Evidence: none, it is the whole session.
    Source: BOLT's adaptation (Chiu et al. 2024); Jensen-Shannon divergence (Lin 1991). Departures: predicted codes on
    both sides; reference HLQC (demonstration sessions of motivational interviewing), a dialogue of HLQC itself is taken
    out of its table first; rows are weighted by how often the client code comes and smoothed by half a reply. Blind to:
    order beyond one turn; falls with length, as longer tables are less ragged. Read `adaptation_log_ratio`.
    """
    return _divergence("divergence_from_high", coded, "high")


def divergence_from_low(coded: CodedTranscript) -> Score:
    """Divergence of the therapist's replies from those in human dialogues of low quality.

    Unit: bits. Range: 0 to 1. Evidence: none. Source: as `divergence_from_high`. Departures: as there; the low table
    rests on fewer dialogues. Blind to: as `divergence_from_high`.
    """
    return _divergence("divergence_from_low", coded, "low")


def adaptation_log_ratio(coded: CodedTranscript) -> Score:
    """Log2 of the divergence from low quality over that from high quality.

    Unit: log2 ratio. Range: open; above 0 when the replies are nearer to those of high quality. Evidence: none.
    Source: BOLT (Chiu et al. 2024), distance to high quality. Departures: as `divergence_from_high`; a ratio, since
    raggedness of a short session raises both divergences alike.
    Blind to: quality other than which code follows which; the tables know motivational interviewing only.
    """
    found = _tables(coded)
    if isinstance(found, str):
        return Score("adaptation_log_ratio", None, "log2 ratio", found)
    own, reference = found
    value = math.log2(divergence(own, reference.low) / divergence(own, reference.high))
    return Score("adaptation_log_ratio", value, "log2 ratio")


def _divergence(name: str, coded: CodedTranscript, quality: str) -> Score:
    found = _tables(coded)
    if isinstance(found, str):
        return Score(name, None, "bits", found)
    own, reference = found
    return Score(name, divergence(own, reference.high if quality == "high" else reference.low), "bits")


def _tables(coded: CodedTranscript) -> tuple[Counts, Reference] | str:
    if lacks_bolt(coded):
        return NO_BOLT
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
