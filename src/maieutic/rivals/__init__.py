"""Rivals: whom a therapist is compared with, by script, by set lines, or as a model under one prompt."""

from maieutic.rivals import (
    clause_question,
    didactic,
    eliza,
    fishing,
    keywords,
    one_prompt,
    oracle,
    padesky_script,
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
    "one_prompt",
    "oracle",
    "padesky_script",
    "set_lines",
    "state_machine",
    "warm",
    "wide",
]
