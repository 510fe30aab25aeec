"""Simulated patients: a pure mind and a mouth that only words what the mind decided."""

from maieutic.patients import mindvoyager, simulated, static_prompt, voiced
from maieutic.patients.worded import patient as worded

__all__ = ["mindvoyager", "simulated", "static_prompt", "voiced", "worded"]
