"""Tracking a patient's mind from what was said: hypotheses, the filter, and what one turn says for each of them."""

from maieutic.tracking import tracker

__all__ = ["tracker"]
