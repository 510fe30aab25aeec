"""What the canned questioners share: the last words given back, a slower word for a guarded answer, a question about
safety.

All but the wording of a second question about safety is read from the last turn alone.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from random import Random

from maieutic.domain.episode import Session
from maieutic.language.sentences import STOP_WORDS
from maieutic.safety.patterns import normalise
from maieutic.safety.rules import find
from maieutic.therapists.wording import key_clause, named_feeling, sounds_guarded

_CLAUSE = ("So {clause}.", "What I hear is that {clause}.", "You're telling me that {clause}.", "I hear that {clause}.")
_FEELING = ("You felt {feeling}.", "It sounds like that left you {feeling}.")
_BOTH = ("I hear that {clause}, and that you felt {feeling}.", "So {clause}, and you felt {feeling}.")
_SLOW = (
    "That's all right, there is no hurry here.",
    "We can go at your pace.",
    "It makes sense to be careful with this.",
    "You needn't have an answer ready.",
)
_SAFETY = (
    "Thank you for telling me that. Are you having thoughts of ending your life or of hurting yourself?",
    "I'm glad you said it. How close do those thoughts come to doing something to yourself?",
    "That matters more than anything else here. Who else knows that you have these thoughts?",
    "I'd like to stay with that. What has kept you safe so far?",
)
_RATING = re.compile(r"[^\d?!]{0,40}\b(\d{1,3})\b[^\d?]{0,30}")
_ABOUT_TALK = re.compile(
    r"\b(?:good question|making (?:something|it) up|hear(?:ing)? (?:me|you)\b|take up|takes? too long|go into)", re.I
)
_OTHER_SENSE = frozenset("alone bitter cross down empty exposed flat heavy hurt low mad small tense worry".split())
"""Words that mean a feeling only after "feel": "I sat down" says nothing of one."""
_FILLER = re.compile(r"^(?:(?:um|uh|oh|hm|huh|well|you mean|you guess|like),\s+)+", re.I)
_LOWER = frozenset("nobody somebody everybody anybody none most since because when".split())


def last_words(session: Session) -> str:
    """What the patient said last; empty before the opening."""
    turn = session.last("patient")
    return turn.text if turn else ""


def reflection(session: Session, rng: Random) -> str:
    """The last words given back in the patient's own wording, or a slower word where there is little to give back."""
    said = last_words(session)
    number = _RATING.fullmatch(said.strip())
    if number is not None:
        return f"So {number.group(1)} out of 100."
    clause, feeling = telling_clause(said), fresh_feeling(session)
    if clause is not None and feeling is not None and feeling not in clause:
        return rng.choice(_BOTH).format(clause=clause, feeling=feeling)
    if clause is not None:
        return rng.choice(_CLAUSE).format(clause=clause)
    if feeling is not None:
        return rng.choice(_FEELING).format(feeling=feeling)
    return rng.choice(_SLOW)


def telling_clause(text: str) -> str | None:
    """The most telling clause of an answer, in the second person; None where it tells little or is about the talk."""
    clause = key_clause(text)
    clause = _FILLER.sub("", clause) if clause else None
    if not clause or _ABOUT_TALK.search(clause) or (sounds_guarded(text) and len(text.split()) < 6):
        return None
    first = clause.split(" ", 1)[0].lower().replace("’", "'").split("'")[0]
    return clause[:1].lower() + clause[1:] if first in STOP_WORDS or first in _LOWER else clause


def fresh_feeling(session: Session) -> str | None:
    """A feeling word the patient used of themselves in the last turn, unless they denied it."""
    last = session.last("patient")
    feeling = named_feeling(Session((last,))) if last else None
    if last is None or feeling is None:
        return None
    if feeling in _OTHER_SENSE and not re.search(
        rf"\b(?:feel|felt|feeling)\s+(?:\w+\s+){{0,2}}{feeling}\b", last.text, re.I
    ):
        return None
    denied = re.search(rf"\b(?:not|never|no|\w+n't)\s+(?:\w+\s+){{0,2}}{re.escape(feeling)}\b", last.text, re.I)
    return None if denied else feeling


def safety_question(session: Session) -> str | None:
    """A question about safety when the last words speak of not living or of self-harm, else None.

    The wording goes on from the questions about safety already asked, so that the same one does not come twice running.
    """
    if find(normalise(last_words(session))) is None:
        return None
    asked = sum(any(turn.text == wording for wording in _SAFETY) for turn in session.by("therapist"))
    return _SAFETY[asked % len(_SAFETY)]


def fresh_line(lines: Sequence[str], said: Collection[str], rng: Random) -> str:
    """A line that has not been said, drawn at random; any of them when all have been."""
    return rng.choice([line for line in lines if line not in said] or list(lines))
