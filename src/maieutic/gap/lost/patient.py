"""The lazy patient: at most one shard a turn, the one that was asked for; a turn that asks for none gets little.

After the user simulator of Laban et al. 2025, without a model: what a turn asks for is read as the simulated patients
read it (slots and facts, `maieutic.patients.comprehension`). After one turn that brought nothing the patient goes on
with the next shard, so that in every dialogue everything is told in the end and only the order and the time differ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from maieutic.domain.appraisal import Appraisal, Slot
from maieutic.domain.episode import Session
from maieutic.domain.randomness import derive_seed
from maieutic.gap.lost.cases import PIECES, Piece, Sharded, mind
from maieutic.worlds import reading

LONGEST: Final = 2 * len(PIECES)
"""Therapist turns until everything is told, at most."""

_BY_SLOT: Final[dict[Slot, Piece]] = {
    Slot.THOUGHT: "thought",
    Slot.CONVICTION: "thought",
    Slot.FEELING: "feeling",
    Slot.BACKGROUND: "belief",
    Slot.SITUATION: "supports",
    Slot.SUPPORT: "supports",
    Slot.WEIGHING: "contradicts",
    Slot.ALTERNATIVE: "contradicts",
}


@dataclass(frozen=True, slots=True)
class Said:
    """One patient turn: the words, the piece told with them, if any, and whether that piece was asked for."""

    text: str
    piece: Piece | None
    asked: bool


def next_said(shards: Sharded, session: Session, told: tuple[Piece, ...], *, dry: bool) -> Said:
    """What the patient answers to the last therapist turn.

    Args:
        told: Pieces told so far.
        dry: The turn before this one brought nothing.
    """
    left = [piece for piece in PIECES if piece not in told]
    wanted = next((piece for piece in asked_for(shards, session) if piece in left), None)
    piece = wanted or (left[0] if dry else None)
    if piece is not None:
        return Said(shards.piece(piece), piece, wanted is not None)
    lines = mind(shards)[0].phrasings.not_knowing
    return Said(lines[derive_seed(session.seed, "little", len(session)) % len(lines)], None, False)


def asked_for(shards: Sharded, session: Session) -> tuple[Piece, ...]:
    """The pieces that the last therapist turn asks for, the most pointed first."""
    read = reading(shards.case, shards.situation)(session)
    return tuple(dict.fromkeys((*_by_fact(shards, read), *_by_slot(read))))


def _by_fact(shards: Sharded, read: Appraisal) -> list[Piece]:
    situation = mind(shards)[1]
    return ["supports" if situation.fact(r.evidence).bearing == "for" else "contradicts" for r in read.reaches]


def _by_slot(read: Appraisal) -> list[Piece]:
    if read.leading or read.questions > 2:
        return []
    return [_BY_SLOT[slot] for slot in read.asks if slot in _BY_SLOT] + (["contradicts"] if read.wide else [])
