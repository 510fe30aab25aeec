"""Rewards on known minds, and what a trainer reads: preference pairs made by playing both replies on."""
