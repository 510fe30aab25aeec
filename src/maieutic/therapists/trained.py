"""A model that was trained here, under the plain prompt that it was trained with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from maieutic.registry import therapist
from maieutic.therapists.prompted import Prompted


@therapist("trained")
@dataclass(frozen=True, slots=True)
class Trained(Prompted):
    """`trained:FOLDER`: the adapter in the --out folder of `maieutic train sft` or `dpo`.

    Attributes:
        temperature: 0.5 by default, read off development sessions: at 0.7 a small model mistakes what it takes up.
    """

    temperature: float = 0.5

    arm: ClassVar[str] = "trained"
    model_kind: ClassVar[str] = "trained"
