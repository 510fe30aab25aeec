"""The former place of the sentence vectors, for modules that still import them from here."""

from maieutic.reading.minilm import DIMENSIONS, MiniLM, shared_minilm

__all__ = ["DIMENSIONS", "MiniLM", "shared_minilm"]
