"""Advice heard sentence by sentence: what the AnnoMI coder is told beside its own scores.

The human codes behind the coder come from demonstrations of motivational interviewing, where hardly anybody gives plain
advice, so plain advice was read as a reflection. The ear of `reading/moves.py` knows own-written advice of many forms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from maieutic.language.sentences import sentences
from maieutic.reading.head import Floats, shares
from maieutic.reading.moves import chances, read_together

JOINED: Final = Path(__file__).parent / "weights" / "advised.json"
COLUMNS: Final = ("most advice", "advice", "reflection", "information")
_SURE: Final = 0.02
"""Chances nearer to 0 or 1 than this say nothing more."""
_LEAST: Final = 1e-4


@dataclass(frozen=True, slots=True)
class Advised:
    """Joins a head's probabilities with what was heard; fitted on out-of-fold probabilities and own rows.

    Attributes:
        labels: Label ids, in the order of the columns.
        kept: Weight of the head's log probabilities.
        heard: Weight of each of `COLUMNS` in the score of each label, (columns, labels).
        bias: Added score by label.
        doubt: Below this highest probability the coder abstains.
    """

    labels: tuple[str, ...]
    kept: float
    heard: tuple[tuple[float, ...], ...]
    bias: tuple[float, ...]
    doubt: float = 0.0

    def probabilities(self, before: Floats, columns: Floats) -> Floats:
        """Probabilities, (n, labels), from those of the head and `heard_columns`; rows sum to one."""
        scores = self.kept * np.log(np.maximum(before, _LEAST)) + columns @ np.array(self.heard)
        return shares(scores + np.array(self.bias))

    def table(self) -> dict[str, Any]:
        """The numbers as plain JSON."""
        return asdict(self)

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> Advised:
        """What `table` wrote."""
        heard = tuple(map(tuple, table["heard"]))
        return cls(tuple(table["labels"]), table["kept"], heard, tuple(table["bias"]), table["doubt"])


def heard_columns(texts: Sequence[str]) -> Floats:
    """Log odds, (n, 4): of advice in the sentence that advises most, then the means of advice, reflection and
    information."""
    read_together([sentence for text in texts for sentence in sentences(text)])
    return np.array([_columns(text) for text in texts]).reshape(len(texts), len(COLUMNS))


def _columns(text: str) -> tuple[float, ...]:
    said = [chances(sentence) for sentence in sentences(text)]
    if not said:
        return (0.0,) * len(COLUMNS)
    odds = {label: [log_odds(one[label]) for one in said] for label in COLUMNS[1:]}
    return (max(odds["advice"]), *(float(np.mean(odds[label])) for label in COLUMNS[1:]))


def log_odds(chance: float) -> float:
    """Log odds of a chance that is not let nearer to 0 or 1 than `_SURE`."""
    sure = min(max(chance, _SURE), 1.0 - _SURE)
    return float(np.log(sure / (1.0 - sure)))
