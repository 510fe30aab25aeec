"""Measures: pure functions of what is at hand of one session, in one catalogue and registered under their ids."""

from maieutic.measures import catalogue

__all__ = ["catalogue"]
