"""Arms without a language model: what a fair evaluation needs beside the therapist under test."""

from maieutic.therapists.arms import (
    clause_question,
    didactic,
    eliza,
    fishing,
    keywords,
    no_session,
    oracle,
    padesky_script,
    rotation,
    set_lines,
    state_machine,
    warm,
    wide,
)

__all__ = [
    "clause_question",
    "didactic",
    "eliza",
    "fishing",
    "keywords",
    "no_session",
    "oracle",
    "padesky_script",
    "rotation",
    "set_lines",
    "state_machine",
    "warm",
    "wide",
]
