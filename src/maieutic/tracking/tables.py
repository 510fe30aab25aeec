"""The fitted numbers of the tracker: heads over sentence vectors, and tables of how minds move and answer.

Written by `recipes/fit_tracker.py`; the file holds numbers only.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np

from maieutic.errors import UnreadableFile
from maieutic.reading import head
from maieutic.reading.head import Head, Networks, packed_network, unpacked_network
from maieutic.tracking.familiar import Familiar, packed_centres, unpacked_centres
from maieutic.tracking.space import EMOTIONS, REPLIES, Floats, Reply, normalised
from maieutic.tracking.targets import Target

LIVES: Final = ("either", "distorted", "true", "held")
"""What a line is: said in either life, a distorted thought that has loosened, a true one that is borne, and a distorted
one that is held on to or resigned to."""
UNTOLD: Final = (Target.RISK, Target.RATING, Target.FEELING, Target.THOUGHT)
"""Questions whose answers tell nothing of whether the thought is true."""
SUREST: Final = 1.0
"""Log-odds that one answer counts for at most, either way: less than lies between what is held before a word is said
and the bar from which the agent disputes nothing, so that it takes two answers at least. Chosen by hand."""
_OWN: Final = 0.5
"""P(of one life's lines) below which an answer tells nothing: it is likelier something else."""


@dataclass(frozen=True, slots=True)
class Tables:
    """Everything that was fitted.

    Attributes:
        reply_head, category_head, emotion_head, accurate_head: The heads.
        danger_first, danger_head: A head, and networks above it, that grade a turn for risk.
        danger_shares: (4,) share of each grade among the turns they were fitted on; dividing by it weighs all grades
            alike.
        hand_over, ask, doubt: P(active danger) from which a turn is handed over, P(any risk) from which it is asked
            about at once, and from which it is before anything is challenged; chosen on left-out own-written turns.
        category_weight, emotion_weight: How much one turn counts beside independent evidence, 0–1: turns of one patient
            are alike, so their likelihoods are tempered.
        accurate_weight: Log-odds of an answer that surely bears the thought as true or has loosened it, 0 to `SUREST`.
        named_feeling: Log-likelihood ratio of a feeling that the patient names of themselves, once a session, ≥ 0.
        reply_share: (14, 18) P(reply | target asked), over development sessions.
        scale_start: (4, 10) distribution at the start.
        scale_steps: (4, 3, 3, 10, 10) P(next bin | reflection, push, bin).
        scale_replies: (4, 14, 10, 18) P(reply | target, bin).
        conviction_head, risk_head: Heads over what has come up so far (see `evidence`).
        conviction_start, mobility_start, risk_start: (20,), (3,), (4,) distributions before anything was said.
        moved_replies: (3, 4, 18) P(reply | mobility, facts weighed 0–3+) to a question that weighs.
        base_accurate: Share of accurate thoughts among development situations, the prior.
        category_start, emotion_start: Priors of the categorical factors.
        familiar: What development patients say, to tell words unlike it.
    """

    reply_head: Head
    category_head: Head
    emotion_head: Head
    accurate_head: Head
    danger_first: Head
    danger_head: Networks
    danger_shares: Floats
    hand_over: float
    ask: float
    doubt: float
    category_weight: float
    emotion_weight: float
    accurate_weight: float
    named_feeling: float
    reply_share: Floats
    scale_start: Floats
    scale_steps: Floats
    scale_replies: Floats
    conviction_head: Head
    risk_head: Head
    conviction_start: Floats
    mobility_start: Floats
    risk_start: Floats
    moved_replies: Floats
    base_accurate: float
    category_start: Floats
    emotion_start: Floats
    familiar: Familiar

    def category(self, vector: Floats) -> Floats:
        """Tempered log-likelihood of each core belief, (19,)."""
        return np.asarray(self.category_weight * self.category_head.log_probabilities(vector))

    def emotion(self, vector: Floats) -> Floats:
        """Tempered log-likelihood of each strongest feeling by the words, (9,)."""
        return np.asarray(self.emotion_weight * self.emotion_head.log_probabilities(vector))

    def told_first(self, groups: Iterable[str]) -> Floats:
        """Log-likelihood ratio of each strongest feeling (9,) where these are told of for the first time; once more
        says nothing new."""
        return np.array([self.named_feeling if group in groups else 0.0 for group in EMOTIONS])

    def loosened(self, replies: Floats) -> float:
        """P(the answer gives way or sees something anew), 0–1, of P(kind of reply)."""
        return float(sum(replies[REPLIES.index(kind)] for kind in (Reply.GIVES_WAY, Reply.INSIGHT)))

    def accurate(self, row: Floats, *, loosened: float, weighs: bool) -> float:
        """Log-odds that the thought is substantially true, at most `SUREST` either way, of a `bag.sentence_row`.

        Only a line that is likelier of one life than anything else counts: by how sure that is, in full where it was
        asked to weigh and else as far as it gives way.
        """
        _, distorted, true, _ = np.exp(self.accurate_head.log_probabilities(row))
        lean = true if true >= _OWN else -distorted if distorted >= _OWN else 0.0
        return within(self.accurate_weight * lean * (1.0 if weighs else loosened))


def within(log_odds: float) -> float:
    """What one answer may count for."""
    return float(min(SUREST, max(-SUREST, log_odds)))


_HEADS = (
    "reply_head",
    "category_head",
    "emotion_head",
    "accurate_head",
    "danger_first",
    "conviction_head",
    "risk_head",
)
_NUMBERS = (
    "category_weight",
    "emotion_weight",
    "accurate_weight",
    "named_feeling",
    "base_accurate",
    "hand_over",
    "ask",
    "doubt",
)
_ARRAYS = (
    "reply_share",
    "scale_start",
    "scale_steps",
    "scale_replies",
    "conviction_start",
    "mobility_start",
    "risk_start",
    "moved_replies",
    "category_start",
    "emotion_start",
    "danger_shares",
)


_LARGE = ("scale_steps", "scale_replies", "reply_share", "moved_replies")
"""Arrays stored in half precision: shares of counts, known to a few in a hundred."""


def packed(tables: Tables) -> dict[str, Any]:
    """The tables as named arrays, to be written."""
    flat: dict[str, Any] = {}
    for name in _HEADS:
        flat |= head.packed(getattr(tables, name), name)
    flat |= packed_network(tables.danger_head, "danger_head", np.float16)
    for name in _NUMBERS:
        flat[name] = np.array(getattr(tables, name))
    for name in _ARRAYS:
        flat[name] = np.asarray(getattr(tables, name), dtype=np.float16 if name in _LARGE else np.float32)
    familiar = tables.familiar
    flat["familiar.centres"] = packed_centres(familiar.centres)
    flat["familiar.near"] = np.array(familiar.near)
    return flat


def unpacked(flat: dict[str, Any]) -> Tables:
    """The tables from their named arrays. Raises `KeyError` for one that is missing."""

    def wide(name: str) -> Floats:
        found = np.asarray(flat[name], dtype=np.float64)
        return normalised(found) if name in _LARGE else found

    parts: dict[str, Any] = {name: head.unpacked(flat, name) for name in _HEADS}
    parts |= {name: float(flat[name]) for name in _NUMBERS} | {name: wide(name) for name in _ARRAYS}
    parts["danger_head"] = unpacked_network(Networks, flat, "danger_head")
    parts["familiar"] = Familiar(unpacked_centres(flat["familiar.centres"]), float(flat["familiar.near"]))
    return Tables(**parts)


@lru_cache(maxsize=1)
def packaged_tables() -> Tables:
    """The tables in the package. Raises `UnreadableFile` when they are missing or of another version."""
    try:
        return unpacked(head.stored_arrays("tracking/weights/tracker.npz"))
    except (FileNotFoundError, KeyError, ValueError) as error:
        raise UnreadableFile(
            f"the tracker's weights cannot be read ({type(error).__name__}: {error}); expected tracker.npz inside the "
            "package. Install maieutic again, or run recipes/fit_tracker.py"
        ) from error
