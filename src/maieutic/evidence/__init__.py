"""The evidence map: every claim with its source, our measure, our number and what speaks against it."""
