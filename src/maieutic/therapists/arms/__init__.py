"""Arms without a language model: what a fair evaluation needs beside the therapist under test (METHODS 20)."""

from maieutic.therapists.arms import (
    advice,
    didactic,
    eliza,
    expressive,
    flattery,
    keywords,
    leaflet,
    lecture,
    no_session,
    oracle,
    reassurance,
    warm,
    why,
    wide,
    worksheet,
)

__all__ = [
    "advice",
    "didactic",
    "eliza",
    "expressive",
    "flattery",
    "keywords",
    "leaflet",
    "lecture",
    "no_session",
    "oracle",
    "reassurance",
    "warm",
    "why",
    "wide",
    "worksheet",
]
