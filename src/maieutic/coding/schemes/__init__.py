"""The published code books by name."""

from maieutic.coding.schemes.codebooks import ANNOMI, BOLT, get_scheme, scheme_names

__all__ = ["ANNOMI", "BOLT", "get_scheme", "scheme_names"]
