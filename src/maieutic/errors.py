"""The exception tree: every error a user can cause says what was wrong, what was expected and what to do.

MaieuticError
├── InputError              bad input; the command line exits with 2
│   ├── UnknownName         no such therapist, case, measure, model, scheme … ("did you mean")
│   ├── InvalidCase         a case file that does not follow the schema
│   ├── UnreadableFile      a file that is missing, empty, wrongly encoded or without the needed columns
│   └── RunFolderError      a run folder that is newer, unequal, in use or broken
├── ModelError              a language model gave no usable reply; ends one dialogue, not the run
│   ├── ModelTimeout        no answer within the limit
│   ├── ModelRefused        the server answered with an error that retrying does not mend
│   ├── ModelUnavailable    the model cannot be loaded or reached at all
│   └── WrongReply          a therapist's own code failed, or returned no turn or answer
├── Interrupted             stopped by Ctrl-C; what is kept and how to go on
├── BudgetReached           --max-calls or --max-cost is used up; the run can be resumed
├── WorkersLost             no worker is left to go on; what is done is kept and can be resumed
└── StorageError            the disk is full or cannot be written
"""

from __future__ import annotations

import difflib
import errno
import traceback
from collections.abc import Iterable
from pathlib import Path

_IN_WORDS = {
    "missing": "is missing",
    "extra_forbidden": "no such key",
    "int_parsing": "expected a whole number",
    "int_type": "expected a whole number",
    "int_from_float": "expected a whole number",
    "float_parsing": "expected a number",
    "float_type": "expected a number",
    "bool_parsing": "expected true or false",
    "string_type": "expected a text",
    "dict_type": "expected keys with values",
    "list_type": "expected a list",
    "tuple_type": "expected a list",
}
_NUMBERS = {"a valid integer": _IN_WORDS["int_parsing"], "a valid number": _IN_WORDS["float_parsing"]}
_PLAIN = {"Input should be ": "expected ", "String should ": "the text should ", "List should ": "the list should "}


def fault_in_words(kind: str, message: str) -> str:
    """What pydantic says of a value that does not fit, in words for who wrote it.

    Args:
        kind: Its name of the fault.
        message: Its sentence.
    """
    message = message.removeprefix("Value error, ")
    for theirs, ours in _PLAIN.items():
        if message.startswith(theirs):
            message = ours + message.removeprefix(theirs)
    return _IN_WORDS.get(kind, message)


def value_in_words(message: str) -> str:
    """What the library of the command line says of an option's value, without its words for types."""
    for theirs, ours in _NUMBERS.items():
        if theirs in message:
            return ours
    return message


class MaieuticError(Exception):
    """Anything this package raises on purpose."""


class InputError(MaieuticError):
    """Something the user gave cannot be used as it is."""


def refuse_below(low: int, **given: int | None) -> None:
    """Raises `InputError` for an option that is given and lies below what it must be, named as on the command line."""
    for name, value in given.items():
        if value is not None and value < low:
            raise InputError(f"--{name.replace('_', '-')} must be at least {low}, got {value}")


MANY = 24
"""Names listed in an error before the rest is only counted."""


RENAMED = {"session_quality": "mi_demonstration_likeness"}
"""Names that results of earlier versions carry, and what the same is called now."""


class UnknownName(InputError):
    """A name that nothing answers to."""

    def __init__(self, kind: str, name: str, known: Iterable[str], example: str = "") -> None:
        names = sorted(known)
        close = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        hint = f" It is called {RENAMED[name]!r} now." if name in RENAMED else hint
        shown = ", ".join(names[:MANY]) + (f" … and {len(names) - MANY} more" if len(names) > MANY else "")
        more = f". {example}" if example else ""
        super().__init__(f"no {kind} named {name!r}.{hint} Known: {shown or 'none'}{more}")


class InvalidCase(InputError):
    """A case file that does not follow the schema.

    Attributes:
        problems: Every problem of the file with its field, where it was read; the message has the first.
    """

    def __init__(self, message: str, problems: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.problems = tuple(problems)


class UnreadableFile(InputError):
    """A file that is missing, empty, wrongly encoded or without what is needed in it."""


class RunFolderError(InputError):
    """A run folder that cannot be used for what was asked."""


class ModelError(MaieuticError):
    """A language model gave no usable reply."""


class ModelTimeout(ModelError):
    """No answer came within the time limit."""


class ModelRefused(ModelError):
    """The server answered with an error that trying again does not mend, or kept failing."""


class ModelUnavailable(ModelError):
    """The model cannot be loaded or reached at all."""


class WrongReply(ModelError):
    """A therapist of somebody else's failed, or returned something that is no turn or answer."""


class NotAnswerable(MaieuticError):
    """A therapist has no answer to a question of this kind; no failure of its own."""


class Interrupted(MaieuticError):
    """Stopped by the user; says what is kept, and how to go on."""


class BudgetReached(MaieuticError):
    """The limit on calls or cost is used up; what is done is kept and can be resumed."""


class WorkersLost(MaieuticError):
    """No worker is left to go on; what is done is kept and can be resumed."""


class StorageError(MaieuticError):
    """The disk is full or the folder cannot be written."""


def raised(error: Exception) -> str:
    """An error in code of somebody's own, and where: 'KeyError: 3 (my_bot.py, line 10)'."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({Path(last.filename).name}, line {last.lineno})"


def why(error: OSError) -> str:
    """What the system says was wrong with a file, in words for a message."""
    return "the disk is full" if error.errno == errno.ENOSPC else (error.strerror or str(error))
