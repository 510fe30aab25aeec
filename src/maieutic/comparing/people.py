"""People's sessions as an arm: kept sessions with our patients, played again exactly, and transcripts with a case
id."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from maieutic.coding.rules import RuleCoder
from maieutic.comparing.sources import EVALUATE, TOURNAMENT, Source
from maieutic.domain.case import Case
from maieutic.domain.episode import Episode, EpisodeKey, Session, Turn
from maieutic.errors import InputError, RunFolderError
from maieutic.evaluation.evaluate import make_patients, read_run
from maieutic.evaluation.plan import played
from maieutic.library import case_hash, get_case
from maieutic.scoring.of_episodes import episode_of, session_of
from maieutic.transcripts.opening import open_sources
from maieutic.transcripts.utterance import Transcript

PEOPLE = "people"
"""Name of the arm."""


def read_people(path: Path, columns: Mapping[str, str]) -> Source:
    """Sessions of people as one arm, `people`.

    A `.json` file of `maieutic chat --session`, or a folder of them, is played again with the same patient, so that its
    hidden side is there. Any other transcript has words only, and needs a column with the id of the case; its measures
    that need the hidden side are missing.

    Raises:
        InputError: nothing to read, a session without a case id, or a case that is not known.
    """
    kept = _kept(path)
    if kept:
        episodes = [_replayed(json.loads(one.read_text(encoding="utf-8")), one) for one in kept]
    else:
        episodes = _from_transcripts(path, columns)
    cases = {e.key.case: case_hash(get_case(e.key.case)) for e in episodes}
    return Source(
        str(path), {"kind": PEOPLE, "cases": cases}, tuple(sorted(episodes, key=lambda e: e.key)), people=True
    )


def _kept(path: Path) -> list[Path]:
    found = sorted(path.glob("*.json")) if path.is_dir() else [path] if path.suffix == ".json" and path.exists() else []
    return [one for one in found if _is_kept(one)]


def _is_kept(path: Path) -> bool:
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError):
        return False
    return isinstance(held, dict) and {"case", "seed", "patient", "turns", "said"} <= set(held)


def _replayed(held: Mapping[str, Any], path: Path) -> Episode:
    """The session again: the patient's mind depends on what was said and on the seed only."""
    from random import Random

    from maieutic.dialogue import Conversation, Streams, converse

    if not held["said"]:
        raise InputError(f"nothing was said in {path}")
    case = get_case(held["case"])
    situation = Random(held["seed"]).choice([s.id for s in case.situations])
    make, _ = make_patients(held["patient"])
    key = EpisodeKey("keyboard", case.id, held["seed"])
    talk = Conversation(
        therapist=_Said(tuple(held["said"])),
        patient=make(case, situation),
        coder=RuleCoder(),
        max_turns=len(held["said"]),
        streams=Streams(held["seed"], key),
        provenance=played(case, situation),
    )
    episode = asyncio.run(converse(talk))
    return replace(episode, key=key._replace(therapist=PEOPLE))


class _Said:
    """Says again what a person said."""

    name = PEOPLE

    def __init__(self, said: tuple[str, ...]) -> None:
        self._said = said

    async def respond(self, session: Session) -> Turn:
        return Turn("therapist", self._said[len(session.by("therapist"))])


def _from_transcripts(path: Path, columns: Mapping[str, str]) -> list[Episode]:
    named = dict(columns)
    named["group"] = named.pop("case", "case")  # readers know one label of a session; here it is the case
    sources, unread = open_sources([path], named)
    if unread:
        raise InputError(f"{unread[0].name} cannot be read: {unread[0].reason}")
    numbers: dict[str, int] = defaultdict(int)
    episodes = []
    for source in sources:
        for transcript in source.read():
            if not transcript.group:
                raise InputError(
                    f"session {transcript.id!r} in {path} names no case; say which column does: --column case=NAME"
                )
            case = get_case(transcript.group)
            episodes.append(_episode(transcript, case, numbers[case.id]))
            numbers[case.id] += 1
    if not episodes:
        raise InputError(f"{path} holds no session")
    return episodes


def _episode(transcript: Transcript, case: Case, number: int) -> Episode:
    session = Session(tuple(_alternating(session_of(transcript).turns)))
    key = EpisodeKey(PEOPLE, case.id, number)
    made = {"special": case.special, "case_name": case.person.name, "transcript": transcript.id}
    return episode_of(session, key, made)


def _alternating(turns: Sequence[Turn]) -> list[Turn]:
    """One turn where a speaker's words stand in several rows; the patient opens, with silence if need be."""
    joined: list[Turn] = [] if turns and turns[0].speaker == "patient" else [Turn("patient", "")]
    for turn in turns:
        if joined and joined[-1].speaker == turn.speaker:
            joined[-1] = Turn(turn.speaker, f"{joined[-1].text} {turn.text}".strip())
        else:
            joined.append(turn)
    return joined


def read_source(path: Path, columns: Mapping[str, str] | None = None) -> Source:
    """A run folder of `evaluate` or `tournament`, a session of `maieutic chat --session`, or transcripts with a case
    id.

    Raises:
        InputError: it is none of these, or holds nothing to compare.
    """
    if (path / "manifest.json").exists():
        manifest, episodes = read_run(path, kinds=(EVALUATE, TOURNAMENT))
        left = 0 if manifest["kind"] == TOURNAMENT else len(_planned(manifest)) - len(episodes)
        return Source(str(path), manifest, tuple(episodes), unfinished=left)
    if path.is_dir() and (path / "journal").exists():
        raise RunFolderError(f"{path} is no run folder: it has no manifest.json")
    try:
        return read_people(path, columns or {})
    except InputError as error:
        if not path.is_dir():
            raise
        runs = sorted(str(one.parent) for one in path.glob("*/manifest.json"))
        named = f"; the runs in it are {', '.join(runs[:3])}{' and more' if len(runs) > 3 else ''}" if runs else ""
        raise RunFolderError(
            f"{path} is no run folder (it has no manifest.json){named}; as transcripts: {error}"
        ) from error


def _planned(manifest: Mapping[str, Any]) -> list[EpisodeKey]:
    limit = manifest.get("limit")
    seeds = manifest["seeds"]
    return [
        key
        for spec in manifest["therapists"]
        for key in [EpisodeKey(spec, case, seed) for case in manifest["cases"] for seed in range(seeds[spec])][:limit]
    ]
