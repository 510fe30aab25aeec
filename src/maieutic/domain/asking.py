"""Questions that a therapist is asked outside the dialogue, and its answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from maieutic.domain.episode import Usage

Form = Literal["text", "choice", "yes_no", "number"]


@dataclass(frozen=True, slots=True)
class Question:
    """One question about the session, the craft, or what the therapist would do.

    Attributes:
        id: Names the item, so that an answer can be found again.
        text: The question as it is put; options are part of it.
        form: What an answer should hold: free text, one letter of `options`, yes or no, or a number from 0 to 100.
        options: The choices of form 'choice', in the order of their letters.
        max_tokens: At most for the answer.
        about: What is asked for, for therapists that answer from a belief instead of from the words: one of 'thought',
            'belief', 'emotion', 'conviction', 'openness', 'next_move', or '' for anything else.
    """

    id: str
    text: str
    form: Form = "text"
    options: tuple[str, ...] = ()
    max_tokens: int = 160
    about: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """The words of an answer, as they came; who asked reads them.

    Attributes:
        text: The answer.
        usage: Model calls it cost; None for none.
        original: What the model wrote, where it was made plain; None where that is `text`.
    """

    text: str
    usage: Usage | None = None
    original: str | None = None
