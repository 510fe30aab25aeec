"""A case in shards, what the patient says first and the five pieces that a formulation needs, and who tells them.

After Laban et al. 2025 (arXiv 2505.06120): shard 1 is the intent, here the patient's opening; every later shard gives
one thing, and all together hold what FULL holds. Here no model splits or rewords them: the pieces are the parts of the
case's own diagram in the case's own first-person wordings, so all settings hold the same words by construction.

The lazy patient tells at most one shard a turn, the one that was asked for, after their user simulator, without a
model: what a turn asks for is read as the simulated patients read it (slots and facts,
`maieutic.patients.comprehension`). After one turn that brought nothing the patient goes on with the next shard, so that
in every dialogue everything is told in the end and only the order and the time differ.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, get_args

from maieutic.domain.appraisal import Appraisal, Slot
from maieutic.domain.case import Case, Evidence, Situation
from maieutic.domain.episode import Session
from maieutic.domain.randomness import derive_seed
from maieutic.gap.items import packaged
from maieutic.library import get_case
from maieutic.worlds import reading

Piece = Literal["thought", "feeling", "belief", "supports", "contradicts"]
PIECES: Final[tuple[Piece, ...]] = get_args(Piece)
"""What a formulation must hold, in the order in which a patient who is asked nothing comes out with it."""
Setting = Literal["full", "concat", "sharded", "snowball"]
SETTINGS: Final[tuple[Setting, ...]] = get_args(Setting)
"""How a case is told; RECAP is a last turn behind a sharded session."""


@dataclass(frozen=True, slots=True)
class Sharded:
    """One case, cut up.

    Attributes:
        case: Its id. situation: The situation in play, the case's first.
        opening: What the patient says first.
        pieces: The wording of each piece, in the order of `PIECES`.
        support, against: The ids of the two facts told: the weightiest for and against the thought.
    """

    case: str
    situation: str
    opening: str
    pieces: tuple[str, ...]
    support: str
    against: str

    def piece(self, name: Piece) -> str:
        return self.pieces[PIECES.index(name)]

    @property
    def all(self) -> tuple[str, ...]:
        return (self.opening, *self.pieces)


@lru_cache(maxsize=128)
def sharded(name: str) -> Sharded:
    """A packaged case in shards, by a fixed rule. Raises `UnknownName`."""
    case = get_case(name)
    situation = case.situations[0]
    said, key = case.phrasings, situation.id
    support, against = _weightiest(situation, "for"), _weightiest(situation, "against")
    pieces = (
        said.thought[key][0],
        said.feeling[key][0],
        f"{said.background[0]} {case.core_beliefs[0].statement}",
        support.said[0],
        against.said[0],
    )
    return Sharded(case.id, key, said.opening[key][0], pieces, support.id, against.id)


def mind(shards: Sharded) -> tuple[Case, Situation]:
    """The case and the situation that the shards were cut from."""
    case = get_case(shards.case)
    return case, case.situation(shards.situation)


def told_whole(shards: Sharded) -> str:
    """FULL: everything in one turn, as one story."""
    return f"{_line('full', shards)} {' '.join(shards.all)}"


def told_as_list(shards: Sharded) -> str:
    """CONCAT: everything in one turn, as a list."""
    return "\n".join((_line("concat", shards), *_listed(shards.all)))


def told_again(shards: Sharded) -> str:
    """RECAP: everything once more, at the end."""
    return "\n".join((_line("recap", shards), *_listed(shards.all)))


def with_earlier(shards: Sharded, earlier: tuple[str, ...], said: str) -> str:
    """SNOWBALL: what was told so far, then what is said now."""
    return "\n".join((_line("snowball", shards), *_listed(earlier), f"{_line('new', shards)} {said}"))


def _weightiest(situation: Situation, bearing: Literal["for", "against"]) -> Evidence:
    return max((e for e in situation.evidence if e.bearing == bearing), key=lambda e: e.weight)


def _listed(texts: tuple[str, ...]) -> list[str]:
    return [f"- {text}" for text in texts]


def _line(kind: str, shards: Sharded) -> str:
    lines = packaged("shards")[kind]
    return str(lines[derive_seed(0, "shards", kind, shards.case) % len(lines)])


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
