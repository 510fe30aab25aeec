"""The packaged model without an adapter, asked as the trained one is: temperature, length and penalty on repetition.

maieutic gap --therapist untrained=benchmarks/untrained_alike.py:make --therapist trained=trained_bare:embedded
"""

from __future__ import annotations

from typing import Any

from maieutic.models.embedded import packaged
from maieutic.models.trained import REPLY_TOKENS, SAMPLING
from maieutic.therapists.prompted import Prompted
from maieutic.therapists.trained import Trained

TEMPERATURE: Any = Trained.__dataclass_fields__["temperature"].default


def make() -> Prompted:
    """A therapist of its own name, so that no table takes it for `prompted:embedded`."""
    model = packaged("embedded+alike", None, REPLY_TOKENS, SAMPLING)
    return Prompted(model, temperature=TEMPERATURE)
