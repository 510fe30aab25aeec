"""A patient who asks what they told is answered from their own words, or told honestly that it is not there."""

from __future__ import annotations

from itertools import chain
from typing import Final

import numpy as np

from maieutic.domain.episode import Session
from maieutic.language.sentences import STOP_WORDS, content_words, sentences, words
from maieutic.therapists.agent.nearness import nearness
from maieutic.therapists.agent.steps import Step
from maieutic.therapists.hearing import heard, heard_in

NEAR_ENOUGH: Final = 0.40
"""Nearness of a question and a sentence from which the sentence is given as its answer; set on own-written examples."""
SHARED_WORD: Final = 0.15
"""What each telling word in common adds to the cosine, for two words at most."""
MAX_TOLD: Final = 5
LONGEST: Final = 26
LONGEST_OF_MANY: Final = 16
"""Words of a sentence given back, alone and among others."""
_FRAME: Final = frozenset(
    """do can could would did don't didn't will you still even remember recall remind me again tell told said
    say mention mentioned i i've have had what about by the way earlier before already actually know
    forgotten forgot""".split()
)
"""Words of the question itself, which say nothing of what is asked for."""


_REMINDERS: Final = frozenset({"remind", "again", "forgot", "forgotten"})
"""What asks for it without a question mark holds one of these."""


def asked_back(session: Session) -> tuple[Step, str | None, str] | None:
    """(step, what to give back, reason) where the last patient turn asks what was told before; None where it does not.

    What to give back is the patient's own sentence, or None where nothing that was said is near enough.
    """
    *before, last = session.by("patient") or (None,)
    if last is None or not before:
        return None
    told = [s for turn in before for s in sentences(turn.text) if not _asks(s) and len(words(s)) > 2]
    wholes = ((turn, heard("turn", turn)) for turn in _short_whole(last.text))
    for sentence, found in chain(heard_in(last.text), wholes):
        match found:
            # Who goes on to answer it themselves has not asked, nor has who says that they told it.
            case "recap" if last.text.rstrip().endswith(sentence) and words(sentence)[:1] not in (("i",), ("i've",)):
                return Step.RECAP, _telling(told), "the patient asks for what was told so far"
            case "recall" if "?" in sentence or _REMINDERS.intersection(words(sentence)):
                return Step.RECALL, _nearest(sentence, told), "the patient asks what they told; their own words answer"
    return None


def _asks(sentence: str) -> bool:
    return "?" in sentence[-3:]


def _short_whole(turn: str) -> tuple[str, ...]:
    """A short turn as a whole: "Which day was it? I told you that." asks in one sentence and says in the other for
    what."""
    return (turn,) if len(words(turn)) <= LONGEST and len(sentences(turn)) > 1 else ()


def _nearest(question: str, told: list[str]) -> str | None:
    rest = [token for token in words(question) if token not in _FRAME]
    asked = [token for token in rest if token not in STOP_WORDS]
    if not told or not asked:
        return None
    whole, about = " ".join(rest), " ".join(asked)
    own = content_words(about)
    shared = np.array([min(2, len(own & content_words(sentence))) for sentence in told], dtype=float)
    near = nearness([whole, about], told).max(axis=0) + SHARED_WORD * shared
    best = int(np.argmax(near))
    return f"“{_short(told[best], LONGEST)}”" if near[best] >= NEAR_ENOUGH else None


def _telling(told: list[str]) -> str | None:
    """The sentences that say most, in the order in which they were said; names and numbers count twice more."""
    fitting = list(dict.fromkeys(_short(sentence, LONGEST_OF_MANY) for sentence in told if len(words(sentence)) >= 4))
    weight = {s: len(content_words(s)) + 2 * sum(t[0].isupper() or t.isdigit() for t in s.split()[1:]) for s in fitting}
    most = sorted(fitting, key=lambda sentence: -weight[sentence])[:MAX_TOLD]
    return "; ".join(f"“{sentence}”" for sentence in fitting if sentence in most) or None


def _short(sentence: str, longest: int) -> str:
    """A sentence; of one that is too long, its part up to the last comma that fits, or its first words."""
    kept = sentence.strip(' "“”')
    while len(words(kept)) > longest and "," in kept:
        kept = kept.rpartition(",")[0]
    if len(words(kept)) > longest:
        kept = f"{' '.join(kept.split()[:longest])}…"
    return kept.rstrip(" .!,;")
