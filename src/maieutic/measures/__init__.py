"""Measures: pure functions of one stored episode, registered under their ids."""

from maieutic.measures import evidence, hidden_state, moves

__all__ = ["evidence", "hidden_state", "moves"]
