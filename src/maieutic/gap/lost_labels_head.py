"""A learned head that hears a conclusion which no rule has words for: in a turn's sentence vector and the marks of its form."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

import numpy as np

from maieutic.coding.rules import code_text
from maieutic.domain.codes import Move
from maieutic.gap.reads_into_attributions import claims
from maieutic.language.questions import questions, statements
from maieutic.language.sentences import words
from maieutic.models.embedding import shared_minilm
from maieutic.protocols import Embedder
from maieutic.reading.head import Floats, load

KINDS: Final[tuple[str, ...]] = ("answer_attempt", "hedge", "clarification", "interrogation", "discussion")
"""The labels that the head tells apart; refusals and unusable turns are found by rules."""
FORM: Final = 0.4
"""Weight of the marks of form beside the vectors."""
_MOVES: Final = (
    Move.ADVICE, Move.REASSURANCE, Move.INFORMATION, Move.CHALLENGE, Move.LECTURE, Move.REFLECTION, Move.SUMMARY,
    Move.AFFIRMATION, Move.FEELING_CLAIM, Move.OPEN_QUESTION, Move.CLOSED_QUESTION,
)  # fmt: skip
ALTERNATIVE: Final = re.compile(
    r"\b(?:perhaps|maybe|possibly|either|(?:could|may|might)(?: also| just| well| equally)* (?:be|have|go|mean|help|leave|stay|do)|it(?:'s| is) (?:equally )?possible|one (?:explanation|possibility|option|reading|idea)|on one reading|another|a third|on the (?:one|other)(?: hand)?|then again|some (?:would|might|of)|others (?:would|might)|if (?:it|you|it's|you're|what|the|they|he|she|that|this|she's|he's))\b",
    re.I,
)
"""Each way out that a turn leaves open."""
UNDECIDED: Final = re.compile(
    r"\b(?:hard to say|can't (?:tell|know|say|decide)|couldn't say|cannot (?:tell|know|say)|not sure which|i'm not sure|it depends|both (?:are|would|may|might|play|could)|(?:each|both|either) (?:has|have|way|one|with)|a (?:bit|mix|mixture|blend) of (?:each|both|the two)|perhaps a mix|both ways|torn between|couldn't tell|who knows|pros and cons|two (?:explanations|ways|ideas|possibilities)|a couple of (?:ways|explanations|possibilities)|several (?:options|possibilities|explanations)|a case to be made|a third way)\b",
    re.I,
)
"""Words that leave the choice between conclusions open."""
_GROUND: Final = re.compile(
    r"\b(?:because|since|so that|in order to|that's why|which is why|the reason|underneath|really|learn(?:ed|t)|taught|pattern|link|doesn't make|isn't about|rather than|less about|more about|means that|as though|as long as)\b",
    re.I,
)


def features(text: str, embed: Embedder) -> Floats:
    """What the head sees of a turn: the vectors of the whole and of what it states, and marks of its form. (2 d + 22,)"""
    asked, told = questions(text), statements(text)
    moves = code_text(text).probabilities
    ways = len(ALTERNATIVE.findall(text))
    form = [
        *(move in moves for move in _MOVES), not asked, len(asked) == 1, len(asked) > 1, any(q.open for q in asked),
        any(q.leading for q in asked), any(q.advising for q in asked), ways >= 2, ways >= 3 or bool(UNDECIDED.search(text)),
        bool(_GROUND.search(text)), any(c.sort == "motive" for c in claims(text)), len(words(text)) >= 12,
    ]  # fmt: skip
    stated = " ".join(told)
    return np.concatenate([embed([text])[0], 0.6 * embed([stated])[0], FORM * np.array(form, dtype=float)]).astype(
        np.float64
    )


@lru_cache(maxsize=20_000)
def conclusion(text: str) -> tuple[float, float]:
    """The probability that a turn offers one conclusion, and that it offers several.

    Raises:
        ModelUnavailable: weights or tokenizer of the encoder are missing or not the pinned ones.
    """
    chances = load("gap/weights/lost.npz", "turn_kinds")(features(text, shared_minilm()))
    return chances["answer_attempt"], chances["hedge"]


__all__ = ["ALTERNATIVE", "KINDS", "UNDECIDED", "conclusion", "features"]
