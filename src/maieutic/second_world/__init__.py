"""A second simulator of the same people, written by somebody who knew neither the first one nor any agent."""

from maieutic.second_world import oracle, patient

__all__ = ["oracle", "patient"]
