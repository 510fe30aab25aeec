"""Therapists: the arms, the Socratic one without a model, and language models under several prompts."""

from maieutic.therapists import (
    arms,
    hosted,
    one_prompt,
    people,
    prompted,
    retrieval,
    socratic,
    socratic_variants,
    steelman,
    trained,
)

__all__ = [
    "arms",
    "hosted",
    "one_prompt",
    "people",
    "prompted",
    "retrieval",
    "socratic",
    "socratic_variants",
    "steelman",
    "trained",
]
