"""The person at the keyboard, as therapist or as patient: what they type, what they can ask for, and Ctrl-C; and the
file in which a session is kept: what was typed, how it began, and what it is held with."""

from __future__ import annotations

import json
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maieutic.cli import wings
from maieutic.cli.screen import say, screen
from maieutic.errors import InputError, StorageError
from maieutic.runs.files import write_whole

if TYPE_CHECKING:
    from random import Random

    from maieutic.dialogue import Observer
    from maieutic.domain.appraisal import Appraisal
    from maieutic.domain.case import Case
    from maieutic.domain.codes import TurnCode
    from maieutic.domain.episode import Ending, Episode, Session, Turn
    from maieutic.domain.state import CognitiveState
    from maieutic.protocols import Therapist


FORMAT = 2
FOLDER = Path("runs/chat")


def begun(whose: Mapping[str, Any]) -> dict[str, Any]:
    """A session in which nothing was said yet."""
    return {"format": FORMAT, **whose, "said": [], "ended": ""}


def read_session(file: Path, whose: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A kept session; `said` has what was typed, `messages` the transcript, `ended` why it is over.

    Args:
        file: Where it lies.
        whose: What it must have been begun with, or None.

    Raises:
        InputError: The file cannot be read, holds no session, or one that was begun otherwise.
    """
    asked = {"format": FORMAT, **(whose or dict.fromkeys(("case", "seed", "patient", "turns")))}
    try:
        held: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        found = {name: held[name] for name in asked}
        _ = held["said"], held["ended"]
    except FileNotFoundError as error:
        raise InputError(f"no such file: {file}; sessions of `maieutic chat` are kept in {FOLDER}/") from error
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, KeyError, TypeError) as error:
        raise InputError(
            f"{file} holds no session of `maieutic chat`; name a file that it wrote, such as {FOLDER}/gethin-1.json"
        ) from error
    if held["format"] != FORMAT:
        raise InputError(
            f"the session in {file} was kept by another version, whose patients answer otherwise: begin another"
        )
    if whose is not None and found != asked:
        other = ", ".join(f"{name} {found[name]!r}" for name in asked if found[name] != asked[name])
        raise InputError(f"the session in {file} was begun with {other}; give the same, or another --session FILE")
    return held


def write_session(file: Path, held: dict[str, Any], session: Session) -> None:
    """Keeps a session with its transcript, which `maieutic score FILE` reads.

    Raises:
        StorageError: It cannot be kept.
    """
    said = [turn for turn in session.turns if turn.text]
    held["messages"] = [{"role": turn.speaker, "content": turn.text} for turn in said]
    try:
        write_whole(file, (json.dumps(held, ensure_ascii=False, indent=1) + "\n").encode())
    except StorageError as error:
        raise StorageError(f"the session cannot be kept: {error}") from error


def free_file(name: str) -> Path:
    """The first of 'gethin-1.json', 'gethin-2.json' … that is not there."""
    return next(file for number in count(1) if not (file := FOLDER / f"{name}-{number}.json").exists())


async def sitting(
    therapist: Therapist, case: Case, held: dict[str, Any], *, observer: Observer | None = None
) -> Episode:
    """A kept session with a patient of a case; mind, situation and luck of its seed are those that it has in
    `evaluate`.

    What a model behind the patient has answered is kept with it, so that a session that goes on is the same session.
    """
    from maieutic.coding.rules import RuleCoder
    from maieutic.dialogue import Conversation, Streams, converse
    from maieutic.domain.episode import EpisodeKey
    from maieutic.evaluation.evaluate import make_patients
    from maieutic.evaluation.plan import RUN_SEED, drawn_situation

    seed, replies = held["seed"], held.get("replies", {})
    make, model = make_patients(held["patient"], replies)
    if model is not None:
        held["replies"] = replies
    talk = Conversation(
        therapist=therapist,
        patient=make(case, drawn_situation(case, RUN_SEED, seed)),
        coder=RuleCoder(),
        max_turns=held["turns"],
        streams=Streams(RUN_SEED, EpisodeKey("keyboard", case.id, seed)),
        observer=observer,
    )
    try:
        return await converse(talk)
    finally:
        if model is not None:
            await model.close()


def tell_feedback(episode: Episode, held: Mapping[str, Any]) -> None:
    """What each turn did and reached, and where each fact stands."""
    from maieutic.evaluation.plan import RUN_SEED, drawn_situation
    from maieutic.library import get_case

    case = get_case(held["case"])
    situation = case.situation(drawn_situation(case, RUN_SEED, held["seed"]))
    for line in wings.feedback(episode, case, situation):
        say(line, whole=True)


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
    from maieutic.safety.risk import assess, disclosed

    return assess(text).flagged if side is Side.PATIENT else disclosed(text)


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
