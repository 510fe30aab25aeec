"""What a study is: a question, the runs that it needs, and the figures that are taken from them."""

from __future__ import annotations

import hashlib
import shlex
from typing import Annotated, Literal

from pydantic import Field

from maieutic.evidence.entry import Strict


class Run(Strict):
    """One command whose run folder studies share.

    Attributes:
        command: Words after `maieutic`, without --out.
        seconds: CPU seconds, measured once.
    """

    name: str
    command: str
    seconds: float

    @property
    def words(self) -> list[str]:
        """The words of the command line after `maieutic`."""
        return shlex.split(self.command)

    @property
    def folder(self) -> str:
        """Name of its run folder; another command gets another one."""
        return f"{self.name}-{hashlib.sha256(self.command.encode()).hexdigest()[:8]}"


class Row(Strict):
    """A row of scores.json: a measure of an arm."""

    kind: Literal["row"]
    run: str
    arm: str
    measure: str


class Between(Strict):
    """The paired difference of two arms, second minus first, over regular cases (Student's interval)."""

    kind: Literal["between"]
    run: str
    first: str
    second: str
    measure: str


class OverArms(Strict):
    """Spearman's correlation of two measures over the arms of a run; cases are drawn for the interval.

    Attributes:
        left_out: Arms that do not count, such as the oracle.
    """

    kind: Literal["over arms"]
    run: str
    measure: str
    against: str
    left_out: tuple[str, ...] = ()


class OverSessions(Strict):
    """Spearman's correlation of two measures over sessions, each less its arm's mean; cases are drawn for the
    interval."""

    kind: Literal["over sessions"]
    run: str
    measure: str
    against: str
    left_out: tuple[str, ...] = ()


class OverProfiles(Strict):
    """Spearman's correlation over the therapists of two runs, of the rows of scores.json; no interval."""

    kind: Literal["over profiles"]
    run: str
    measure: str
    other: str
    against: str


Pick = Annotated[Row | Between | OverArms | OverSessions | OverProfiles, Field(discriminator="kind")]


class Wanted(Strict):
    """One figure of a study."""

    id: str
    label: str
    unit: str
    of: str = ""
    pick: Pick


class Study(Strict):
    """A study that one can run.

    Attributes:
        answers: Entries that it gives numbers for.
        question: In a sentence. runs: Names of the runs it needs. figures: What is taken from them.
        note: What it cannot show.
    """

    name: str
    answers: tuple[str, ...]
    question: str
    runs: tuple[str, ...] = Field(min_length=1)
    figures: tuple[Wanted, ...] = Field(min_length=1)
    note: str = ""
    remade: bool = False
