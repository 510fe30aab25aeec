"""Measures: pure functions of one stored episode, registered under their ids."""

from maieutic.measures import conviction, evidence, feelings, pacing, questioning, relationship, talk

__all__ = ["conviction", "evidence", "feelings", "pacing", "questioning", "relationship", "talk"]
