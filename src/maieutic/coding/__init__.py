"""Behaviour coding: published schemes, the embedded coder, and the rules for our own code book."""
