"""Minimal pairs: two patients with one opening, one thought and one feeling; in one the thought is substantially true."""
