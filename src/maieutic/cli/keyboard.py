"""The person at the keyboard, as therapist or as patient: what they type, what they can ask for, and Ctrl-C."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maieutic.cli.kept_session import write_session
from maieutic.cli.screen import screen

if TYPE_CHECKING:
    from random import Random

    from maieutic.domain.appraisal import Appraisal
    from maieutic.domain.codes import TurnCode
    from maieutic.domain.episode import Ending, Session, Turn
    from maieutic.domain.state import CognitiveState

HELP = ":undo takes your last turn back, :pause leaves and keeps the session, :q ends it, :help shows this"
PAUSED = "you paused the session"
_QUIT = frozenset({":q", ":quit", "quit", "exit"})
_UNDO = frozenset({":u", ":undo"})
_PAUSE = frozenset({":p", ":pause"})


class Side(StrEnum):
    """Which part the person at the keyboard plays."""

    THERAPIST = "therapist"
    PATIENT = "patient"


class Undo(Exception):
    """The person takes their last turn back."""


@dataclass(frozen=True, slots=True)
class Typist:
    """What a person says, first what is kept, then what they type; every turn is kept as soon as it is typed.

    Attributes:
        side: Their part.
        held: The session as it is kept.
        file: Where, or None where nothing is to be kept.
    """

    side: Side
    held: dict[str, Any]
    file: Path | None

    def says(self, session: Session) -> Ending | str:
        """Their next turn, or why the session ends."""
        said: list[str] = self.held["said"]
        number = len(session.by(self.side.value))
        if number < len(said):
            return said[number]
        answer = self._typed(number)
        if isinstance(answer, str):
            said.append(answer)
            self.keep(session)
        return answer

    def keep(self, session: Session) -> None:
        """Writes the session into its file."""
        if self.file is not None:
            write_session(self.file, self.held, session)

    def _typed(self, number: int) -> Ending | str:
        from maieutic.domain.episode import Ending
        from maieutic.safety.handover import handover_for

        left = self.held["turns"] - number
        prompt = f"[bold]You[/bold] [dim]({left} turn{'s' if left != 1 else ''} left)[/dim][bold]:[/bold] "
        while True:
            text = _line(prompt)
            if text is None or text.lower().replace("/", ":", 1) in _PAUSE:
                return Ending("completed", PAUSED)
            word = text.lower()
            if word.startswith("/"):
                word = f":{word[1:]}"
            if word in _QUIT:
                return Ending("completed", "you ended the session")
            if word in _UNDO and number:
                raise Undo
            if word in _UNDO:
                screen().print("[dim]There is no turn of yours to take back.[/dim]")
            elif not text or word.startswith(":"):
                screen().print(f"[dim]{HELP}.[/dim]")
            elif discloses(text, self.side):
                screen().print(f"\n{handover_for(text)}\n", markup=False)
                return Ending("handed_over")
            else:
                return text


def _line(prompt: str) -> str | None:
    """A line that is typed; None at the end of the input. Ctrl-C stops here at once, not after the next line."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return screen().input(prompt).strip()
    except EOFError:
        return None
    finally:
        signal.signal(signal.SIGINT, before)


def discloses(text: str, side: Side) -> bool:
    """What a person says of themselves must meet the hand-over."""
    from maieutic.safety.risk import assess

    found = assess(text)
    # A therapist asks about risk; only a disclosure in the first person, which the rules read, is theirs.
    return found.flagged and (side is Side.PATIENT or (found.by == "rules" and found.grade != "hint"))


@dataclass(frozen=True, slots=True)
class KeyboardTherapist:
    """A person as therapist."""

    typist: Typist
    name: str = "keyboard"

    async def respond(self, session: Session) -> Turn:
        from maieutic.domain.episode import Turn

        said = self.typist.says(session)
        return Turn("therapist", said) if isinstance(said, str) else Turn("therapist", "", said)


@dataclass(frozen=True, slots=True)
class KeyboardPatient:
    """A person as patient."""

    typist: Typist
    name: str = "keyboard"

    def begin(self, rng: Random, carried: CognitiveState | None = None) -> CognitiveState | None:
        return None

    def comprehend(self, session: Session) -> Appraisal:
        raise TypeError("a person's reading of a turn is not modelled")

    def transition(
        self, state: CognitiveState, code: TurnCode | None, appraisal: Appraisal, rng: Random
    ) -> CognitiveState:
        raise TypeError("a person's mind is not modelled")

    async def speak(self, session: Session, state: CognitiveState | None, rng: Random) -> Turn:
        from maieutic.domain.episode import Turn

        said = self.typist.says(session)
        return Turn("patient", said) if isinstance(said, str) else Turn("patient", "", said)
