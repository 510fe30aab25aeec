"""What a question asks of a patient who told of suicide, by a head of the patients' own."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from maieutic.patients.hearing.question import main_question
from maieutic.patients.risk_talk import OTHER
from maieutic.reading.bag import sentence_row
from maieutic.reading.head import load

WEIGHTS: Final = "patients/weights/risk_questions.npz"


@lru_cache(maxsize=5_000)
def asked_of_risk(text: str) -> str:
    """What the main question of a turn asks of somebody who told of suicide; `OTHER` where it asks something else."""
    head = load(WEIGHTS, "risk_questions")
    return head.read(sentence_row(main_question(text), head.places)).label or OTHER
