"""The instrument that reads the agent's turns: another encoder and other training turns than anything in the agent.

Heads over the coder's fine-tuned encoder and six counts of the turn's form, fitted on own-written therapist turns by
`recipes/fit_instrument.py`; how well they read the turns of a writer who was left out is packed with the weights and
shown beside every figure. Which feeling a turn speaks of is read by the lexicon.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Final

import numpy as np

from maieutic.coding.encoder import PairEncoder, packaged_encoder
from maieutic.coding.features import Said
from maieutic.language.feelings import feelings_in
from maieutic.language.sentences import sentences, words
from maieutic.reading.head import Floats, Head, stored_arrays, unpacked
from maieutic.runs.findings import Bound, Finding, bounded
from maieutic.runs.work import Tick
from maieutic.stats import Interval
from maieutic.validation.agent.sessions import Conduct
from maieutic.validation.arms import over_cases

LABELS = ("leading", "double", "advice", "asserts_feeling", "tentative_feeling")
BEFORE_EXPLORATION = 5
"""Therapist turns in which advice counts as coming before exploration."""

WEIGHTS: Final = "validation/agent/instrument.npz"
_ASKING: Final = frozenset(
    """what who when where why how which did do does is are was were have has could would can will""".split()
)


@dataclass(frozen=True, slots=True)
class Instrument:
    """The encoder and the head on it, whose labels may be many.

    Attributes:
        encoder: The coder's encoder.
        head: Over its state and the counts of form, d + 6.
        left_out: AUC, and precision and recall at a probability of a half, of each label on the turns of left-out
            writers.
    """

    encoder: PairEncoder
    head: Head
    left_out: Floats

    def __call__(self, texts: Sequence[str]) -> Floats:
        """P(label) of each turn by itself, (n, 5)."""
        return self.head.probabilities(features(texts, self.encoder))


def features(texts: Sequence[str], encoder: PairEncoder) -> Floats:
    """The encoder's state behind its heads, and the counts of form, (n, d + 6)."""
    pooled = encoder([Said(text) for text in texts]).pooled.astype(np.float64)
    return np.hstack([pooled, np.array([form(text) for text in texts], dtype=np.float64)])


def form(text: str) -> tuple[float, ...]:
    """Question marks (three at most), whether several sentences ask, what joins parts of the last of them, and length
    in 30 words."""
    asking = [sentence.lower() for sentence in sentences(text) if "?" in sentence]
    last = asking[-1] if asking else ""
    spoken = [word.partition("'")[0] for word in words(last)]
    asks_on = any(
        word in ("and", "or") and _ASKING.intersection(spoken[at + 1 : at + 3]) for at, word in enumerate(spoken)
    )
    return (
        float(min(3, text.count("?"))),
        float(len(asking) > 1),
        float(asks_on),
        float(" and " in last),
        float(" or " in last),
        min(60, len(text.split())) / 30.0,
    )


@lru_cache(maxsize=1)
def packaged_instrument() -> Instrument:
    """The instrument in the package."""
    stored = stored_arrays(WEIGHTS)
    return Instrument(packaged_encoder(), unpacked(stored), stored["left_out"])


@dataclass(frozen=True, slots=True)
class Read:
    """One therapist turn as the instrument reads it."""

    arm: str
    case: str
    seed: int
    number: int
    text: str
    chances: tuple[float, ...]
    false_feeling: bool

    def has(self, label: str) -> bool:
        """Whether the instrument finds the label."""
        return self.chances[LABELS.index(label)] >= 0.5


def read_all(rows: Sequence[Conduct], tick: Tick) -> list[Read]:
    """All kept turns. A feeling is false when it is asserted and none of those the patient truly has is named."""
    instrument = packaged_instrument()
    found = []
    for row in rows:
        if not row.turns:
            continue
        chances = instrument([text for text, _ in row.turns])
        for number, ((text, _), values) in enumerate(zip(row.turns, chances, strict=True), start=1):
            asserted = values[LABELS.index("asserts_feeling")] >= 0.5
            named = feelings_in(text)
            false = bool(asserted and named and not named & set(row.feelings))
            found.append(Read(row.arm, row.case, row.seed, number, text, tuple(map(float, values)), false))
        tick(1)
    return found


def rates(found: Sequence[Read], refused: int, arm: str = "socratic") -> list[Finding]:
    """What the agent must not do, as the instrument reads it, beside how often its own validator stepped in."""
    own = [one for one in found if one.arm == arm]
    left_out = packaged_instrument().left_out

    def rate(said: Callable[[Read], bool], among: Sequence[Read] = own) -> Interval:
        return over_cases(among, lambda r: float(said(r)))

    def note(label: str) -> str:
        auc, precision, recall = left_out[LABELS.index(label)]
        return f"instrument on turns of left-out writers: AUC {auc:.2f}, precision {precision:.2f}, recall {recall:.2f}"

    early = [r for r in own if r.number <= BEFORE_EXPLORATION]
    advice, before = rate(lambda r: r.has("advice"), early), f"{arm}: advice in the first {BEFORE_EXPLORATION} turns"
    asking = rate(lambda r: r.has("leading") or r.has("double"))
    both = f"leading: {note('leading')}; double: {note('double')}"
    feeling, title = rate(lambda r: r.false_feeling), f"{arm}: turns that assert a feeling which is not there"
    tentative = rate(lambda r: r.has("tentative_feeling"))
    drafts = Interval(refused / max(1, len(own)), None, None, len(own))
    described = partial(Finding, "conduct")
    return [
        bounded("conduct", title, feeling, "share", Bound("≤", 0.02), note("asserts_feeling")),
        bounded("conduct", f"{arm}: leading or double questions", asking, "share", Bound("≤", 0.03), both),
        described(before, advice, "share", "0", advice.estimate == 0.0, note("advice")),
        described(f"{arm}: tentative feelings", tentative, "share", note="not punished"),
        described(f"{arm}: drafts its own validator refused, by turn", drafts, "drafts"),
    ]
