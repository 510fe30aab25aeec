"""Simulated patients: a pure mind and a mouth that only words what the mind decided."""

from maieutic.patients import published, simulated
from maieutic.patients.worded import patient as worded_patient

__all__ = ["published", "simulated", "worded_patient"]
