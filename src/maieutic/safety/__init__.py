"""Safety: the fixed hand-over text and the detector that decides when it is shown. It calls no language model."""

from __future__ import annotations

from maieutic.safety.handover import DISCLAIMER, HANDOVER
from maieutic.safety.risk import RiskAssessment, assess

__all__ = ["DISCLAIMER", "HANDOVER", "RiskAssessment", "assess"]
