"""Simulated patients: a pure mind and a mouth that only words what the mind decided."""

from maieutic.patients import mindvoyager, model_read, simulated, static_prompt, voiced

__all__ = ["mindvoyager", "model_read", "simulated", "static_prompt", "voiced"]
