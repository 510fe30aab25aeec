"""The gap battery: which of the known failures is it? One command, one profile."""
