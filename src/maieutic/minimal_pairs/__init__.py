"""Minimal pairs: two patients with one opening, thought and feeling; in one life the thought is substantially true."""
