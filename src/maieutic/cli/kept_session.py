"""The file in which a session with a simulated patient, or with a therapist, is kept: what was typed, how it
began, and what a session in the terminal is held with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maieutic.cli import wings
from maieutic.cli.screen import say
from maieutic.errors import InputError, StorageError
from maieutic.runs.files import write_whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from maieutic.dialogue import Observer
    from maieutic.domain.case import Case
    from maieutic.domain.episode import Episode, Session
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
