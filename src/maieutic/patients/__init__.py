"""Simulated patients: a pure mind and a mouth that only words what the mind decided."""

from maieutic.patients import simulated, static_prompt, voiced

__all__ = ["simulated", "static_prompt", "voiced"]
