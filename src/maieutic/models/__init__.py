"""The models wing: importing it registers every kind of language model without loading any of their runtimes."""

from maieutic.models import embedded, http, inspect_provider, scripted, trained

__all__ = ["embedded", "http", "inspect_provider", "scripted", "trained"]
