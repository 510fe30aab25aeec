"""A language model with the strongest single prompt: an expert therapist's page, so that failing is not for want of
telling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from maieutic.registry import therapist
from maieutic.therapists.prompted import Prompted


@therapist("steelman")
@dataclass(frozen=True, slots=True)
class Steelman(Prompted):
    """One page on the work and on the 17 standards that Moore et al. (2025) drew from clinical documents, in own
    wording."""

    prompt_id: str = "steelman_therapist"

    arm: ClassVar[str] = "steelman"
