"""One turn a call: a session with a simulated patient that lies in a file, for scripts, blind raters and other people's
bots."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from maieutic.cli.screen import say, screen
from maieutic.errors import InputError, ModelError

if TYPE_CHECKING:
    from maieutic.domain.episode import Episode


@dataclass(frozen=True, slots=True)
class Asked:
    """What one call asks for.

    Attributes:
        case, seed, patient, turns: As in `maieutic chat`; they must be those that the file was begun with.
        say: The therapist's next turn; None shows where the session stands.
        reveal: Show the mind behind each turn; it ends the session.
    """

    case: str
    seed: int
    patient: str
    turns: int
    say: str | None
    reveal: bool


async def one_turn(file: Path, asked: Asked) -> None:
    """Plays what the file holds and the turn that is said, prints the patient's answer, and keeps it.

    Raises:
        InputError: the file is another session's, is over, or cannot be read.
        ModelError: a model behind the patient gave nothing usable.
    """
    from maieutic.cli.kept_session import begun, read_session, tell_feedback, write_session
    from maieutic.cli.keyboard import Side, discloses

    whose = {"case": asked.case, "seed": asked.seed, "patient": asked.patient, "turns": asked.turns}
    fresh = not file.exists()
    held = begun(whose) if fresh else read_session(file, whose)
    if asked.say is not None:
        if held["ended"]:
            raise InputError(f"the session in {file} is over: {held['ended']}")
        if discloses(asked.say, Side.THERAPIST):
            from maieutic.safety.handover import handover_for

            screen().print(handover_for(asked.say), markup=False)
            held["ended"] = "handed over"
        else:
            held["said"].append(asked.say)
    episode = await played_again(held)
    if episode.failed:
        raise ModelError(f"the patient gave no answer, and the turn was not kept: {episode.ending.reason}")
    answers = episode.session.by("patient")
    if answers[-1].ending is not None:
        held["ended"] = held["ended"] or "the patient ended the session"
    elif len(held["said"]) >= asked.turns:
        held["ended"] = held["ended"] or f"{asked.turns} turns have been used"
    if asked.reveal:
        held["ended"] = held["ended"] or "it was revealed"
        _reveal(episode, held["case"])
        tell_feedback(episode, held)
    elif held["ended"] != "handed over":
        if fresh and asked.say is not None:  # what is answered was not shown yet
            say(f"PATIENT: {answers[0].text}", whole=True)
            say(f"YOU: {asked.say}", whole=True)
        say(f"PATIENT: {answers[-1].text}", whole=True)
        say(f"[{len(held['said'])} of {asked.turns} turns used]")
    if held["ended"]:
        say(f"The session is over: {held['ended']}.")
    write_session(file, held, episode.session)
    if held["ended"] == "handed over":
        raise typer.Exit(1)


async def played_again(held: dict[str, Any]) -> Episode:
    """The talk of a kept session from what the therapist said, with the same patient and luck."""
    from maieutic.cli.kept_session import sitting
    from maieutic.dialogue import SaidAgain
    from maieutic.library import get_case

    read = SaidAgain(tuple(held["said"]), "file", "waits for the next turn")
    return await sitting(read, get_case(held["case"]), held)


def _reveal(episode: Episode, name: str) -> None:
    from maieutic.cli.behind import explain_event
    from maieutic.dialogue import Event
    from maieutic.library import get_case

    case = get_case(name)
    answers = episode.session.by("patient")
    said = [turn for turn in episode.session.by("therapist") if turn.text]
    say(f"PATIENT: {answers[0].text}", whole=True)
    for number, turn in enumerate(said):
        say(f"{number + 1} YOU: {turn.text}", whole=True)
        answer = answers[number + 1]
        event = Event(
            episode.key, number, answer, episode.states[number + 1], episode.codes[number], episode.appraisals[number]
        )
        for line in explain_event(event, case):
            say(f"    {line}", whole=True)
        say(f"  PATIENT: {answer.text}", whole=True)
