"""The command line: parse, look up names, call. Heavy parts are imported by the command that needs them."""

from maieutic.cli.main import main

__all__ = ["main"]
