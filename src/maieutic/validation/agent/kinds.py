"""Patients of other kinds for the agent's evidence: MindVoyager's gate, comprehension by another encoder, a model for a
voice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from maieutic.coding.encoder import packaged_encoder
from maieutic.coding.features import Said
from maieutic.domain.appraisal import Appraisal
from maieutic.domain.case import Case
from maieutic.domain.episode import Session
from maieutic.library import get_case
from maieutic.patients.comprehension import Comprehension
from maieutic.patients.facts import GENERIC, WIDE
from maieutic.patients.published import VISIBLE, MindVoyagerPatient
from maieutic.patients.simulated import SimulatedPatient
from maieutic.patients.worded.patient import VoicedPatient
from maieutic.protocols import LanguageModel, Patient
from maieutic.reading.head import load
from maieutic.reading.minilm import DIMENSIONS
from maieutic.worlds import SimulatorConfig, patient_of, reading

Kind = Literal["simulated", "gate", "other encoder", "voiced"]
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
    return replace(
        usual, telling=by_form, slots=load("patients/weights/question_slots_coder.npz", "question_slots_coder")
    )


def patient_for(
    case: Case, seed: int, world: SimulatorConfig, kind: Kind, model: LanguageModel | None = None
) -> Patient:
    """The patient of a kind; the situation in play is the one that every kind has under this case and seed."""
    usual = patient_of(case, seed, world)
    situation = usual.mind.situation
    if kind == "gate":
        return MindVoyagerPatient(case, situation, _once(reading(case.id, situation.id)), seed=seed)
    if kind == "other encoder":
        return SimulatedPatient(usual.mind, _other_reading(case.id, situation.id), usual.prior)
    if kind == "voiced":
        assert model is not None, "a voiced patient needs a model"
        return VoicedPatient(usual, model)
    return usual


def _once(read: Callable[[Session], Appraisal]) -> Callable[[Session], Appraisal]:
    """The same reading, each moment of a session read once: the gate looks back at all of them every turn."""
    kept: dict[tuple[str, ...], Appraisal] = {}

    def remembered(session: Session) -> Appraisal:
        said = tuple(turn.text for turn in session.turns)
        if said not in kept:
            kept[said] = read(session)
        return kept[said]

    return remembered


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
