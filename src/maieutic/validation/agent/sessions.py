"""Sessions of the agent's evidence: test patients, other worlds, patients of other kinds (MindVoyager's gate,
comprehension by another encoder, a model for a voice), a planted rupture; each in the numbers that are judged, and
kept."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from maieutic.coding.encoder import packaged_encoder
from maieutic.coding.features import Said
from maieutic.coding.rules import RuleCoder
from maieutic.dialogue import Conversation, Streams, converse
from maieutic.domain.case import Case
from maieutic.domain.episode import Episode, EpisodeKey, Session
from maieutic.library import get_case
from maieutic.patients.comprehension import Comprehension, question_slots
from maieutic.patients.facts import GENERIC, WIDE
from maieutic.patients.published import VISIBLE, MindVoyagerPatient, read_once
from maieutic.patients.simulated import SimulatedPatient
from maieutic.patients.worded.patient import VoicedPatient
from maieutic.protocols import LanguageModel, Patient, Therapist
from maieutic.reading.minilm import DIMENSIONS
from maieutic.registry import load_model, load_therapist
from maieutic.runs.work import Tick
from maieutic.ruptures import RESISTS, SUPPORTIVE, Ruptured, intensity
from maieutic.validation.sessions import Played, Store, Task, kept_as, kept_or_played, names_of
from maieutic.worlds import SimulatorConfig, marks_of, patient_of, reading


@dataclass(frozen=True, slots=True)
class Conduct(Played):
    """One session in the numbers that the agent's evidence needs.

    Attributes:
        paced: (true openness before the turn, challenge intensity of the turn), by turn.
        answered: (the patient resisted just before, the turn supports), by turn.
        alliance: At the start and after each therapist turn, 0–1.
        turns: (words, what the therapist refused to say before) of each therapist turn; empty unless kept.
        feelings: Emotion groups that the patient truly has in this situation.
        left: The patient ended the session. ending: Its kind.
        worded: Share of the patient's turns that a model worded, 0–1; None where none had a say.

    Behind MindVoyager's gate, where nobody has a conviction, `held` is what is still shut, in percent of what was, and
    what belongs to a mind is empty.
    """

    paced: tuple[tuple[float, float], ...]
    answered: tuple[tuple[bool, bool], ...]
    alliance: tuple[float, ...]
    turns: tuple[tuple[str, int], ...]
    feelings: tuple[str, ...]
    left: bool
    ending: str
    worded: float | None = None


def gate_conduct(episode: Episode, *, world: str, opened: float) -> Conduct:
    """One session with a patient behind a gate, of which a share (0–1) was opened. Raises `ValueError` for a failed
    one."""
    if episode.failed:
        raise ValueError(f"{episode.key}: {episode.ending.reason}")
    return Conduct(
        **names_of(episode, world),
        held=(100.0, round(100.0 * (1.0 - opened), 4)),
        warranted=0.0,
        paced=(),
        answered=(),
        alliance=(),
        turns=(),
        feelings=(),
        left=episode.ending.kind == "patient_left",
        ending=episode.ending.kind,
    )


def conduct_of(episode: Episode, *, world: str, keep_words: bool, worded: float | None = None) -> Conduct:
    """The numbers of one played session. Raises `ValueError` for a failed one, which has none."""
    if episode.failed or not episode.states:
        raise ValueError(f"{episode.key}: {episode.ending.reason}")
    case, states = get_case(episode.key.case), episode.states
    situation = case.situation(states[0].situation)
    pressed = [intensity(c, a) for c, a in zip(episode.codes, episode.appraisals, strict=False)]
    resisted = [state.intent.act in RESISTS for state in states[: len(pressed)]]
    words = tuple((t.text, len((t.trace or {}).get("refused", []))) for t in episode.therapist_turns)
    return Conduct(
        **names_of(episode, world),
        held=tuple(round(state.held, 4) for state in states),
        warranted=situation.warranted,
        paced=tuple((state.openness, press) for state, press in zip(states, pressed, strict=False)),
        answered=tuple((was, press <= SUPPORTIVE) for was, press in zip(resisted, pressed, strict=True)),
        alliance=tuple(round(state.alliance, 6) for state in states),
        turns=words if keep_words else (),
        feelings=tuple(emotion.group for emotion in situation.emotions),
        left=episode.ending.kind == "patient_left",
        ending=episode.ending.kind,
        worded=worded,
    )


GATE = "MindVoyager's gate"
OTHER_ENCODER = "comprehension by another encoder"


class CoderVectors:
    """Sentence vectors of the behaviour coder's encoder: other layers, another size, fitted to therapists' and clients'
    acts.

    Its vectors all point one way, so that anything is like anything; they are centred on general talk. It is fine-tuned
    from the same base as the patients' own encoder and is not a stranger to it. Of comprehension it moves what compares
    vectors, and what a question asks about is read by a head fitted on these vectors; advice is told by its form alone.
    The ears for the dialogue are a part of their own and stay.
    """

    name = "coder-encoder, centred"

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, (n,) → (n, 768) float32. Raises `UnreadableFile` where the weights are missing."""
        if not texts:
            return np.zeros((0, len(_centre())), dtype=np.float32)
        vectors = np.array([_raw(text) for text in texts]) - _centre()
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


@lru_cache(maxsize=50_000)
def _raw(text: str) -> NDArray[np.float32]:
    vector = packaged_encoder()([Said(text)]).pooled[0]
    return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)


@lru_cache(maxsize=1)
def _centre() -> NDArray[np.float32]:
    return np.asarray(np.mean([_raw(text) for text in (*GENERIC, *WIDE)], axis=0), dtype=np.float32)


@lru_cache(maxsize=64)
def _other_reading(case_id: str, situation: str) -> Comprehension:
    case = get_case(case_id)
    usual = Comprehension.of(case, case.situation(situation), CoderVectors())
    # Weights on vectors belong to another encoder: whether a turn advises or tells is read by its form alone.
    form = usual.telling.weights[:, DIMENSIONS:]
    by_form = replace(usual.telling, weights=np.hstack([np.zeros((1, len(_centre()))), form]))
    return replace(usual, telling=by_form, slots=question_slots("coder"))


def patient_for(
    case: Case, seed: int, world: SimulatorConfig, kind: str, model: LanguageModel | None = None
) -> Patient:
    """The patient of a kind; the situation in play is the one that every kind has under this case and seed."""
    usual = patient_of(case, seed, world)
    situation = usual.mind.situation
    if kind == "gate":
        return MindVoyagerPatient(case, situation, read_once(reading(case.id, situation.id)), seed=seed)
    if kind == "other encoder":
        return SimulatedPatient(usual.mind, _other_reading(case.id, situation.id), usual.prior)
    if kind == "voiced":
        assert model is not None, "a voiced patient needs a model"
        return VoicedPatient(usual, model)
    return usual


def opened(patient: MindVoyagerPatient, session: Session) -> float:
    """Success behind the gate: the share of what was shut at the start, experiences and the diagram, that is open, 0–1.

    Nobody's conviction moves there, so this is not the outcome of the other worlds; only orders of arms can be
    compared.
    """
    shut = max(0, len(patient.experiences) - VISIBLE[patient.case.severity]) + 1
    gate = patient.gate(session)
    gained = max(0, gate.experiences - VISIBLE[patient.case.severity]) + gate.diagram
    return gained / shut


def worded(session: Session) -> float | None:
    """Share of the patient's turns that a model worded; None where no model was asked."""
    voices = [str(turn.trace["voice"]) for turn in session.by("patient") if turn.trace and "voice" in turn.trace]
    spoken = len(session.by("patient"))
    return sum(voice == "model" for voice in voices) / spoken if voices and spoken else None


PLAYS = (
    "coding",
    "dialogue.py",
    "domain",
    "language",
    "models",
    "patients",
    "prompts",
    "reading",
    "safety",
    "second_world",
    "therapists",
    "rivals",
    "tracking",
    "validation/sessions.py",
    "worlds.py",
    "ruptures.py",
    "validation/agent/sessions.py",
)
"""What of the package has a say in a session; cases are told apart by their own hashes."""
_READ = (".py", ".yaml", ".json", ".npz", ".md")
"""Encoders' weights are not read: the code or the facts beside them pin their hashes."""


def conduct_store(path: Path, *, resume: bool) -> Store[Conduct]:
    """The store of `validate agent`: sessions are played again when the code that plays them has changed."""
    return Store(path, partial(kept_as, Conduct), "session", resume=resume, player=f"{played_by()} ")


@cache
def played_by(leave_out: str = "") -> str:
    """Hash of the code, tables, banks and prompts that play sessions: a version stands still while they change.

    Args:
        leave_out: A file of the package that has no say in these.
    """
    seen = hashlib.sha256()
    for part in PLAYS:
        for name, content in _contents(files("maieutic").joinpath(part), part):
            if name != leave_out:
                seen.update(name.encode())
                seen.update(content)
    return seen.hexdigest()[:16]


def _contents(place: Traversable, name: str) -> list[tuple[str, bytes]]:
    if place.is_file():
        return [(name, place.read_bytes())] if name.endswith(_READ) else []
    inside = sorted(place.iterdir(), key=lambda one: one.name)
    return [found for one in inside for found in _contents(one, f"{name}/{one.name}")]


@lru_cache(maxsize=64)
def _therapist(arm: str) -> Therapist:
    return load_therapist(arm)


def played(task: Task) -> Iterator[Conduct]:
    """The sessions of one task; failed ones are left out, since they have no numbers.

    Raises:
        ModelUnavailable, UnknownName: the voice cannot be had.
    """
    case = get_case(task.case)
    for arm in task.arms:
        for seed in task.seeds:
            found = asyncio.run(_session(case, arm, seed, task))
            if found is not None:
                yield found


async def _session(case: Case, arm: str, seed: int, task: Task) -> Conduct | None:
    model = load_model(task.voice) if task.voice is not None else None
    try:
        return await _with(model, case, arm, seed, task)
    finally:
        if model is not None:
            await model.close()


async def _with(model: LanguageModel | None, case: Case, arm: str, seed: int, task: Task) -> Conduct | None:
    therapist = _therapist(arm)
    patient = patient_for(case, seed, task.world, task.patient, model)
    speaker = Ruptured(therapist, arm) if task.ruptured else therapist
    coder = RuleCoder() if task.patient != "gate" else None
    episode = await converse(
        Conversation(speaker, patient, coder, task.turns, Streams(0, EpisodeKey(arm, case.id, seed)))
    )
    if episode.failed:
        return None
    if isinstance(patient, MindVoyagerPatient):
        episode = replace(episode, provenance=marks_of(case, patient.situation))
        return gate_conduct(episode, world=task.world.name, opened=opened(patient, episode.session))
    episode = replace(episode, provenance=marks_of(case, case.situation(episode.states[0].situation)))
    share = worded(episode.session)
    return conduct_of(episode, world=task.world.name, keep_words=task.keep_words, worded=share)


def _whole(task: Task) -> list[Conduct]:
    return list(played(task))


def play_all(tasks: Sequence[Task], tick: Tick, workers: int = 2, store: Store[Conduct] | None = None) -> list[Conduct]:
    """All sessions in a fixed order, on so many processes; `tick` is told the sessions done.

    What `store` has is not played again; it is given each session the moment it is over. Raises `StorageError`.
    """
    single = [one for task in tasks for one in task.apart()]
    return kept_or_played(single, _whole, tick, workers=workers, store=store)
