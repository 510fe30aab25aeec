"""Therapists: the arms, the Socratic one without a model, and prompted language models."""

from maieutic.therapists import arms, prompted, socratic

__all__ = ["arms", "prompted", "socratic"]
