"""How measures read an episode: one record for each therapist turn, with what it answered and what it did."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from maieutic.domain.appraisal import Appraisal
from maieutic.domain.codes import QUESTIONS, Move, TurnCode
from maieutic.domain.episode import Episode
from maieutic.domain.state import CognitiveState

ADVISING = frozenset({Move.ADVICE, Move.LECTURE})
REFLECTING = frozenset({Move.REFLECTION, Move.SUMMARY})


@dataclass(frozen=True, slots=True)
class Exchange:
    """One therapist turn in its place.

    Attributes:
        number: Position among the therapist's turns, from 0.
        index: Position in `session.turns`.
        text: What the therapist said.
        heard: What the patient had said since the therapist's turn before; "" when nothing.
        reply: Position in `session.turns` of the patient's answer; None when there was none.
        code, appraisal: Code and appraisal of the turn; None where there is none.
        before, after: The hidden state before and after the turn; None where there is none.
    """

    number: int
    index: int
    text: str
    heard: str
    reply: int | None
    code: TurnCode | None
    appraisal: Appraisal | None
    before: CognitiveState | None
    after: CognitiveState | None

    @property
    def shown_at(self) -> int:
        """Where the effect of the turn can be read: the patient's answer, else the turn itself."""
        return self.index if self.reply is None else self.reply

    def does(self, moves: frozenset[Move]) -> bool:
        """The turn is coded with at least one of the moves."""
        return self.code is not None and self.code.any_of(moves)

    @property
    def asks(self) -> bool:
        """The turn is coded as asking an open or closed question."""
        return self.does(QUESTIONS)


def exchanges(episode: Episode) -> tuple[Exchange, ...]:
    """The therapist's turns in order; empty for an episode without a session."""
    turns, states = episode.session.turns, episode.states
    found: list[Exchange] = []
    heard: list[str] = []
    for index, turn in enumerate(turns):
        if turn.speaker == "patient":
            heard.append(turn.text)
            continue
        number = len(found)
        answered = index + 1 < len(turns) and turns[index + 1].speaker == "patient"
        found.append(
            Exchange(
                number,
                index,
                turn.text,
                " ".join(heard),
                index + 1 if answered else None,
                episode.codes[number] if number < len(episode.codes) else None,
                episode.appraisals[number] if number < len(episode.appraisals) else None,
                states[number] if number < len(states) else None,
                states[number + 1] if number + 1 < len(states) else None,
            )
        )
        heard = []
    return tuple(found)


def coded(episode: Episode) -> tuple[Exchange, ...]:
    """The therapist's turns that have a code."""
    return tuple(e for e in exchanges(episode) if e.code is not None)


def positions(chosen: Iterable[Exchange]) -> tuple[int, ...]:
    """Where the chosen therapist turns stand in `session.turns`."""
    return tuple(e.index for e in chosen)


def share(chosen: Collection[Exchange], among: Collection[Exchange]) -> float:
    """Share of the chosen turns, 0–1; `among` must not be empty."""
    return len(chosen) / len(among)


def largest_moves(episode: Episode, read: Callable[[CognitiveState], float], most: int = 3) -> tuple[int, ...]:
    """Positions of the therapist turns after which a part of the hidden state moved most, either way, in order."""
    moves = [
        (abs(read(e.after) - read(e.before)), e.index)
        for e in exchanges(episode)
        if e.before is not None and e.after is not None
    ]
    leading = sorted((move for move in moves if move[0] > 0.0), key=lambda move: (-move[0], move[1]))[:most]
    return tuple(sorted(index for _, index in leading))


def after_turn(episode: Episode, number: int) -> tuple[int, ...]:
    """Where the effect of therapist turn `number` (from 1, as in `Voiced.turn`) can be read; empty without a
    session."""
    return tuple(e.shown_at for e in exchanges(episode) if e.number == number - 1)
