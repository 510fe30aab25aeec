"""Intent told plainly: to end one's own life, or to do grave harm to somebody else.

Layers of its own above the shared body, fine-tuned on lines of many hands who say it in hard words, by the deed alone
or by what comes of it, beside lines in which the same words stand and no danger (`recipes/train_intent_encoder.py`);
the head above them learned what ordinary plans sound like, too (`recipes/fit.py intent`).
It stands beside the encoder of the detector, which learned signs of many kinds of danger from few hands. English only;
a veiled sign is not its business.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import numpy as np

from maieutic.reading import encoder as reading
from maieutic.reading.head import Floats, load
from maieutic.reading.store import Store
from maieutic.safety.patterns import normalise

ENCODER: Final = Path(__file__).parent / "weights" / "intent_encoder.onnx"
WEIGHTS: Final = "safety/weights/intent.npz"
READ: Final = ("suicide", "others", "wish", "none")
"""What the head can say; `wish`: to be dead, with no intent."""
LONGEST: Final = 120
"""Tokens of a text at most; callers read longer ones in pieces."""
KEPT: Final = 2_000
ASKED: Final = 0.7
"""P(intent) from which it is asked about."""
PLAIN: Final = 0.8
"""The same from which it is told plainly."""
SURELY: Final = 0.95
"""The same from which it is handed over without a question, and counts where somebody asks others about risk. Chosen
with ordinary plans by two hands, each left out once: a day, a place and "it" sound like one."""


@dataclass(frozen=True, slots=True)
class Intent:
    """What a text tells of intent.

    Attributes:
        suicide: P(the speaker means to end their own life), 0–1.
        others: P(the speaker means to do grave harm to somebody else), 0–1.
        text: Where it is told.
    """

    suicide: float
    others: float
    text: str = ""

    @property
    def some(self) -> float:
        """P(either), 0–1."""
        return self.suicide + self.others

    @property
    def plain(self) -> bool:
        """It is told plainly."""
        return self.some >= PLAIN

    @property
    def surely(self) -> bool:
        """It is told so plainly that nothing has to be asked."""
        return self.some >= SURELY

    @property
    def towards(self) -> Literal["suicide", "others"]:
        """Whom it is likelier to be against."""
        return "suicide" if self.suicide >= self.others else "others"


_READ: Final[Store[str, Intent]] = Store(KEPT)


def intent_in(texts: Sequence[str]) -> Intent:
    """The surest intent in these texts, each read by itself; all of them go through one layer before the next.

    Raises:
        UnreadableFile: the weights are missing from the installation.
    """
    known = {flat: _READ.get(flat) for flat in map(normalise, texts)}
    new = [flat for flat, found in known.items() if found is None]
    for flat, state in zip(new, states(new), strict=True):
        suicide, others, *_ = load(WEIGHTS, "intent").probabilities(state).tolist()
        known[flat] = Intent(suicide, others, flat)
        _READ.put(flat, Intent(suicide, others, flat))
    return max((found for found in known.values() if found), key=lambda one: one.some, default=Intent(0.0, 0.0))


def states(texts: Sequence[str]) -> list[Floats]:
    """What the head reads of each text, (768,): the state of the first mark and the mean over the text."""
    told = reading.load(ENCODER).each([text_ids(text) for text in texts])
    return [state.astype(np.float64) for _, state in told]


def text_ids(text: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Token ids and kinds (1: the text and its end mark, 0: the mark before it)."""
    begin, end = reading.marks()
    own = reading.bare_ids(normalise(text))[:LONGEST]
    return (begin, *own, end), (0, *((1,) * len(own)), 1)
