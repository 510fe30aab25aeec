"""Reads patient profiles that others published into drafts of our cases, and says what a source does not hold."""
