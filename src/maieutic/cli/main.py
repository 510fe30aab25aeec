"""The `maieutic` command and its exit codes: 0 done, 1 bound broken, 2 bad input, 3 failed dialogues, 130 stopped."""

from __future__ import annotations

import os
import sys
from functools import cache
from itertools import pairwise
from typing import Any

import typer
from typer.main import get_command

from maieutic.cli.joined import Joined
from maieutic.cli.screen import messages, tell
from maieutic.errors import BudgetReached, InputError, Interrupted, MaieuticError, value_in_words
from maieutic.pressed import PRESSES

HEAR_CTRL_C = ("chat", "serve", "practice")
"""Commands for which Ctrl-C is a word of the user's, to be heard once: it ends a session or begins the closing."""

app = typer.Typer(
    name="maieutic",
    cls=Joined,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Find out whether a therapist model can conduct Socratic questioning over a whole session, and why not.\n\n"
    "A research and training tool. It treats nobody and must not be put in front of a person in distress.",
)


@app.callback(invoke_without_command=True)
def _top(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", help="Print the version and stop."),
) -> None:
    if context.invoked_subcommand in HEAR_CTRL_C:
        PRESSES.let_go()
    if version:
        from importlib.metadata import version as installed

        typer.echo(f"maieutic {installed('maieutic')}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@cache
def command_line() -> Any:  # typer carries a click of its own, whose types are not exported
    """Every command with its options, built once a process: that takes longer than most commands that only look."""
    return get_command(app)


INTERRUPTED = 130


def main() -> None:
    """Run the command line; bad input ends in one clear line and exit code 2."""
    # Small matrices only: numpy's own threads would cost start-up time and fight the models for the cores.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        if any(option == "--out" and not value.strip() for option, value in pairwise(sys.argv)) or "--out=" in sys.argv:
            raise InputError("--out is empty; name a folder or a file, as --out runs/first")
        code = command_line()(standalone_mode=False) or 0
        # The library turns Ctrl-C into this code; a command of ours never returns it.
        if code == INTERRUPTED:
            raise KeyboardInterrupt
        sys.exit(code)
    except (typer.Abort, KeyboardInterrupt):
        # Commands that keep something say so themselves, by `Interrupted`.
        messages().print("interrupted. Nothing more was written.")
        sys.exit(INTERRUPTED)
    except Interrupted as stop:
        tell(str(stop), whole=True)
        sys.exit(INTERRUPTED)
    except BudgetReached as stop:
        tell(f"stopped: {stop}")
        sys.exit(INTERRUPTED)
    except MaieuticError as error:
        tell(f"error: {error}", whole=True)
        sys.exit(2)
    except Exception as error:
        if hasattr(error, "show") and hasattr(error, "exit_code"):
            if hasattr(error, "message"):
                error.message = value_in_words(error.message)
            error.show()
            sys.exit(2)
        raise
