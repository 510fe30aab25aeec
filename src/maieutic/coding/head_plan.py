"""Which heads make up the embedded coder of each scheme, what each reads, and where its weights lie."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal

from maieutic.coding.features import Style
from maieutic.transcripts.utterance import SPEAKERS

PACKAGED = Path(__file__).parent / "weights"
REPLY_ENCODER = PACKAGED / "reply_encoder.onnx"
"""`recipes/train_reply_encoder.py` makes it: four log odds of the stances, two of whether the reply concludes."""


_DIALOGUE = {"own": 1.0, "other": 0.5, "same": 0.3}
_WHOLE = _DIALOGUE | {"following": 0.5}
_FORM = {"own": 0.3, "following": 0.5}
_BOTH: tuple[Style, ...] = ("written", "bare")
_ASKS: tuple[Style, ...] = ("questions",)
_MAIN, _ANNOMI, _EPITOME = "coder_encoder", "annomi_encoder", "epitome_encoder"


@dataclass(frozen=True, slots=True)
class HeadPlan:
    """One classifier of the embedded coder.

    Attributes:
        id: Its name; the human codes of the same name are in `datasets.py`.
        scheme: Code book.
        speaker: Whose utterances it reads.
        facet: Facet of the code book that it answers; None for the labels themselves.
        styles: Which punctuation it was trained to read, one linear head each.
        spaces: Length of the word-gram rows by part of the features.
        dense: Length of the counted properties.
        wide: Length of the encoder's state among them.
        encoder: Name of the fine-tuned encoder that has a head of this id, or that it takes extra columns from.
        extra: Further counted properties: 'support' takes the encoder's state and the AnnoMI head's log probabilities
            (for sets with few human codes), 'questions' what the rules on questions say, 'asked' how long and
            particular questions are, 'responses' how a reply is built, with its stance and the encoder's state.
        sure: Probability by word grams alone from which the encoder is not asked; above 1 it is always asked. What it
            saves and what it moves is measured by `recipes/asked_of_encoder.py`.
        only_of: The label without which this facet says nothing; the encoder is not asked for it where another is sure.
        multi_label: Several labels may fit at once.
        alone: Reads the utterance without what was said before it, as its human codes were kept.
        advised: Its scores may be joined with the advice heard in each sentence (`advice.py`).
        stance: Length of the stance that a reply takes (`whole_reply.py`); with 'responses' only.
        local: Weights are built on the user's machine, since the licence of the data keeps them out of the package.
    """

    id: str
    scheme: str
    speaker: str
    facet: str | None = None
    styles: tuple[Style, ...] = ("written",)
    spaces: Mapping[str, float] = field(default_factory=lambda: {"own": 1.0, "other": 0.5})
    dense: float = 3.0
    wide: float = 2.0
    encoder: str | None = None
    extra: Literal["none", "support", "questions", "asked", "responses"] = "none"
    sure: float = 2.0
    only_of: str | None = None
    multi_label: bool = False
    alone: bool = False
    advised: bool = False
    stance: float = 0.0
    local: bool = False

    @property
    def joined(self) -> bool:
        """Whether word grams and the encoder's own head of this id are joined by fitted numbers."""
        return self.encoder is not None and self.extra in ("none", "questions", "asked")

    def weights(self, style: Style) -> Path:
        """The file of the linear head for a style of punctuation."""
        return (local_weights() if self.local else PACKAGED) / f"{self.id}_{style}.npz"

    def encoder_weights(self) -> Path | None:
        """The file of the fine-tuned encoder."""
        if self.encoder is None:
            return None
        return (PACKAGED if self.encoder in (_MAIN, _ANNOMI) else local_weights()) / f"{self.encoder}.onnx"

    def stance_weights(self) -> Path | None:
        """The file of the encoder that reads a reply's stance."""
        return REPLY_ENCODER if self.stance else None

    def blends(self) -> Path:
        """The file with the numbers that join both."""
        return (local_weights() if self.local else PACKAGED) / "blends.json"


_local = partial(HeadPlan, speaker="therapist", local=True)

PLANS: tuple[HeadPlan, ...] = (
    HeadPlan(
        "annomi_therapist", "annomi", "therapist", None, _BOTH, _WHOLE, 4.0, encoder=_ANNOMI, sure=0.75, advised=True
    ),
    HeadPlan("annomi_client", "annomi", "client", None, _BOTH, _WHOLE, 4.0, encoder=_ANNOMI, sure=0.75),
    HeadPlan(
        "annomi_question_form",
        "annomi",
        "therapist",
        "question_form",
        _BOTH,
        _FORM,
        6.0,
        encoder=_ANNOMI,
        extra="questions",
        sure=0.85,
        only_of="question",
    ),
    HeadPlan("misc_therapist", "misc", "therapist", None, ("bare",), _DIALOGUE, 4.0, encoder=_MAIN, extra="support"),
    HeadPlan("misc_client", "misc", "client", None, ("bare",), _DIALOGUE, 4.0, encoder=_MAIN, extra="support"),
    *(
        HeadPlan(f"bolt_{who}", "bolt", who, None, _ASKS, {"own": 1.4}, 2.8, 2.8, _MAIN, "support", True, alone=True)
        for who in SPEAKERS
    ),
    HeadPlan("socratic", "socratic", "therapist", None, ("written",), {"own": 2.5}, 0.3, encoder=_MAIN),
    HeadPlan(
        "appropriateness",
        "appropriateness",
        "therapist",
        spaces={"own": 1.0},
        dense=1.0,
        stance=2.0,
        encoder=_MAIN,
        extra="responses",
    ),
    *(
        _local(f"epitome_{facet}", "epitome", facet=facet, spaces={"own": 1.5}, dense=0.5, encoder=_EPITOME)
        for facet in ("er", "ip")
    ),
    _local(
        "epitome_ex",
        "epitome",
        facet="ex",
        spaces={"own": 1.5, "asked": 1.5},
        dense=2.0,
        encoder=_EPITOME,
        extra="asked",
    ),
    *(
        _local(f"feedback_{side}", "feedback", styles=_ASKS, encoder=_MAIN, extra="support", multi_label=True)
        for side in ("good", "bad")
    ),
)


def plan(head: str) -> HeadPlan:
    """The plan of one head."""
    return next(one for one in PLANS if one.id == head)


def plans(scheme: str) -> tuple[HeadPlan, ...]:
    """The heads of one scheme."""
    return tuple(one for one in PLANS if one.scheme == scheme)


def local_weights() -> Path:
    """Where weights that may not be packaged are built and looked for: MAIEUTIC_WEIGHTS, or a folder in the home."""
    return Path(os.environ.get("MAIEUTIC_WEIGHTS") or Path.home() / ".cache" / "maieutic" / "weights")
