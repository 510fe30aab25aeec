"""Arms without a language model: what a fair evaluation needs beside the therapist under test (METHODS 20)."""

from maieutic.therapists.arms import advice, eliza, flattery, no_session, oracle

__all__ = ["advice", "eliza", "flattery", "no_session", "oracle"]
