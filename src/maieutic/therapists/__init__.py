"""Therapists: the Socratic one, language models under a plain prompt, bots elsewhere, people, and nobody."""

from maieutic.therapists import (
    hosted,
    no_session,
    people,
    prompted,
    socratic,
    socratic_variants,
    trained,
)

__all__ = [
    "hosted",
    "no_session",
    "people",
    "prompted",
    "socratic",
    "socratic_variants",
    "trained",
]
