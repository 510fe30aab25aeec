"""The way back after a clear no: to what was being told when the question came, in the patient's own words."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Final

from maieutic.domain.episode import Session
from maieutic.language.sentences import words
from maieutic.therapists.agent.echoing import felt_back
from maieutic.therapists.agent.formulation import formulated_from
from maieutic.therapists.hearing import held_in
from maieutic.therapists.risk.grades import Ask
from maieutic.therapists.risk.placing import feeling_word, hurting, painful, telling
from maieutic.therapists.risk.wording import ask_of, picked

ASKED: Final = (Ask.ROUTINE, Ask.FAINT, Ask.SIGN, Ask.SAFETY, Ask.CHANGED)
"""Questions that break off what is being told."""
SAID_TWICE: Final = 9
"""Words up to which something that was given back already is quoted again; longer, it is only named."""


def led_back(session: Session, rng: Random) -> str:
    """Thanks for a no, and a question about what was told just before the question that it answers, quoted or named as
    a feeling or a thought; empty where that cannot be said."""
    said = [turn.text for turn in session.by("therapist")]
    told = _told(session)
    kind, quote = _thread(told)
    if not quote and not painful(told):
        return ""
    known = formulated_from(session)
    if known.thought is not None and (kind == "felt" or (kind == "thought" and known.feelings)):
        # Thought and feeling are known: neither is asked for again.
        kind, quote = "on", quote if kind == "felt" else f"“{quote}.”" if quote else ""
    if not quote or (len(words(quote)) > SAID_TWICE and any(quote in turn for turn in said)):
        return picked(f"risk_thanks_{kind}_again", said, rng)
    return picked(f"risk_thanks_{kind}", said, rng).format(back=quote)


def _told(session: Session) -> str:
    """What the patient said before the protocol's latest question of its own accord."""
    told = ""
    for before, after in pairwise(session.turns):
        if before.speaker == "patient" and after.speaker == "therapist" and ask_of(after) in ASKED:
            told = before.text
    return told


def _thread(told: str) -> tuple[str, str]:
    """Whether a feeling, a thought or something else was told, and the words that go back to it."""
    if felt := felt_back(told) or (f"“{word}.”" if (word := feeling_word(told)) else ""):
        return "felt", felt
    quote = (hurting(told) if painful(told) else "") or telling(told)
    held = held_in(quote)
    if quote and max(held, key=lambda one: held[one]) == "feeling":
        return "felt", f"“{quote.rstrip('.')}.”"
    if not quote and painful(told):
        of = held_in(told)
        return ("felt" if of["feeling"] >= of["thought"] else "thought"), ""
    return ("thought" if quote and painful(quote) else "told"), quote.rstrip(".")
