"""What a measure reads: one session with all that is at hand of it, each part made once, when a measure first asks for
it; and the therapist's turns in their place, each with what it answered and what it did."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from maieutic.domain.appraisal import Appraisal
from maieutic.domain.codes import QUESTIONS, Move, TurnCode
from maieutic.domain.episode import Ending, Episode, EpisodeKey, Session, Turn
from maieutic.domain.state import CognitiveState
from maieutic.measures.coded import CodedTranscript, Predict, code_transcript, packaged_coder, uncoded
from maieutic.protocols import Embedder
from maieutic.transcripts.utterance import SPEAKERS, Transcript, Utterance, out_of_scope

ADVISING = frozenset({Move.ADVICE, Move.LECTURE})
REFLECTING = frozenset({Move.REFLECTION, Move.SUMMARY})


@dataclass(frozen=True, slots=True)
class Exchange:
    """One therapist turn in its place.

    Attributes:
        number: Position among the therapist's turns, from 0.
        index: Position in the session.
        text: What the therapist said.
        heard: What the patient had said since the therapist's turn before; "" when nothing.
        reply: Position in the session of the patient's answer; None when there was none.
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


def exchanges(episode: Episode, place: Callable[[int], int] = int) -> tuple[Exchange, ...]:
    """The therapist's turns in order; empty for an episode without a session.

    Args:
        place: From a position in `session.turns` to the one that is told; the same unless given.
    """
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
                place(index),
                turn.text,
                " ".join(heard),
                place(index + 1) if answered else None,
                episode.codes[number] if number < len(episode.codes) else None,
                episode.appraisals[number] if number < len(episode.appraisals) else None,
                states[number] if number < len(states) else None,
                states[number + 1] if number + 1 < len(states) else None,
            )
        )
        heard = []
    return tuple(found)


class Material:
    """One session and what is at hand of it: of a simulated one its states, moves and how it was heard, of a transcript
    its codes. What the other side has is made where it can be: the packaged coder (fast) codes a simulated session as
    `maieutic score` codes a transcript, the coder of sessions finds the moves of a transcript. States cannot be made.

    Attributes:
        simulated: Whether the session was recorded as a simulated one is.
    """

    def __init__(self, of: Episode | CodedTranscript) -> None:
        """A stored session, or a transcript with its codes."""
        self._of = of
        self.simulated = isinstance(of, Episode)

    @cached_property
    def episode(self) -> Episode:
        """The session as a simulated one is recorded; a transcript has no states."""
        if isinstance(self._of, Episode):
            return self._of
        one = self._of.transcript
        said = session_of(turn.said for turn in self._of.turns)
        return episode_of(said, EpisodeKey("people", one.id, 0), {"source": one.source})

    @cached_property
    def exchanges(self) -> tuple[Exchange, ...]:
        """The therapist's turns; their positions are those of the source."""
        return exchanges(self.episode, self.place)

    def place(self, index: int) -> int:
        """The position in the source of a turn of `episode.session`."""
        return index if isinstance(self._of, Episode) else self._places[index]

    @cached_property
    def _places(self) -> tuple[int, ...]:
        return tuple(turn.index for turn in self.talk.turns if turn.speaker in SPEAKERS)

    @property
    def states(self) -> tuple[CognitiveState, ...]:
        """The hidden states; empty where there are none."""
        return self.episode.states

    @cached_property
    def warranted(self) -> float | None:
        """The conviction that the facts of the case warrant, 0–100; None where that is not recorded."""
        value = self.episode.provenance.get("warranted")
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0.0 <= value <= 100.0:
            return None
        return float(value)

    @cached_property
    def against(self) -> frozenset[str]:
        """Ids of the facts that speak against the thought; empty where they are not recorded."""
        return facts_against(self.episode.provenance)

    @cached_property
    def talk(self) -> CodedTranscript:
        """Who said what, as a transcript; a simulated one is not coded for it."""
        if isinstance(self._of, CodedTranscript):
            return self._of
        return uncoded(transcript_of(self._of.session))

    @cached_property
    def unfit(self) -> str | None:
        """Why a simulated session is no transcript that can be coded; None where it is one."""
        if not self.simulated:
            return None
        return NO_THERAPIST if not self.episode.therapist_turns else out_of_scope(self.talk.transcript)

    @cached_property
    def coded(self) -> CodedTranscript:
        """What was said, coded; for sessions that are not `unfit`."""
        return code_transcript(self.talk.transcript, _coder()) if self.simulated else self.talk

    @cached_property
    def embedder(self) -> Embedder | None:
        """What sentences are compared by; None for a transcript that came without."""
        return packaged_embedder() if self.simulated else self.talk.embedder


NO_THERAPIST = "the therapist said nothing (no session)"


def facts_against(provenance: Mapping[str, Any]) -> frozenset[str]:
    """Ids of the facts that speak against the thought, as an episode records them; empty where it does not."""
    value = provenance.get("against")
    return frozenset(map(str, value)) if isinstance(value, (list, tuple)) else frozenset()


def transcript_of(session: Session) -> Transcript:
    """A simulated session as a transcript; the index of an utterance is its place in `session.turns`."""
    said = tuple(
        Utterance("therapist" if turn.speaker == "therapist" else "client", turn.text, index=index, name=turn.speaker)
        for index, turn in enumerate(session.turns)
        if turn.text.strip()
    )
    return Transcript("", None, said, "", len({one.speaker for one in said}))


def session_of(said: Iterable[Utterance]) -> Session:
    """What therapist and client said, one turn an utterance."""
    return Session(
        tuple(
            Turn("therapist" if one.speaker == "therapist" else "patient", one.text, original=one.original)
            for one in said
            if one.speaker in SPEAKERS
        )
    )


def episode_of(session: Session, key: EpisodeKey, provenance: Mapping[str, Any] | None = None) -> Episode:
    """A session of people as an episode without states: coded as a simulated one is, its hidden side is missing."""
    from maieutic.coding.rules import RuleCoder

    coder = RuleCoder()
    places = [place for place, turn in enumerate(session.turns) if turn.speaker == "therapist"]
    codes = [coder.code(Session(session.turns[: place + 1])) for place in places]
    return Episode(key, session, (), tuple(codes), (None,) * len(codes), Ending("completed"), provenance or {})


@cache
def _coder() -> Predict:
    return packaged_coder()


@cache
def packaged_embedder() -> Embedder:
    """What the measures of alliance compare sentences by."""
    from maieutic.reading.minilm import MiniLM

    return MiniLM(cached_texts=2_000)


def with_moves(given: Material) -> tuple[Exchange, ...]:
    """The therapist's turns of which moves are recorded."""
    return tuple(e for e in given.exchanges if e.code is not None)


def largest_moves(given: Material, read: Callable[[CognitiveState], float], most: int = 3) -> tuple[int, ...]:
    """Positions of the therapist turns after which a part of the hidden state moved most, either way, in order."""
    moves = [
        (abs(read(e.after) - read(e.before)), e.index)
        for e in given.exchanges
        if e.before is not None and e.after is not None
    ]
    leading = sorted((move for move in moves if move[0] > 0.0), key=lambda move: (-move[0], move[1]))[:most]
    return tuple(sorted(index for _, index in leading))


def after_turn(given: Material, number: int) -> tuple[int, ...]:
    """Where the effect of therapist turn `number` (from 1, as in `Voiced.turn`) can be read; empty without a
    session."""
    return tuple(e.shown_at for e in given.exchanges if e.number == number - 1)
