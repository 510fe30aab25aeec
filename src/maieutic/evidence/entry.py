"""What one entry of the evidence map says: claim, sources, measure, numbers or the reason why there is none, and
doubts; and the studies that made the numbers."""

from __future__ import annotations

import hashlib
import shlex
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Kind = Literal["claim", "inquiry", "ours"]
Trust = Literal["full text", "code or data", "abstract", "secondary", "memory", "no source"]
Fit = Literal["close", "loose", "proxy"]
Verdict = Literal["agrees", "contradicts", "mixed", "no comparison", "no number", "cannot be told"]

KINDS: dict[str, Kind] = {"C": "claim", "Q": "inquiry", "O": "ours"}
VERIFIED: dict[Trust, str] = {
    "full text": "verified in the full text",
    "code or data": "verified in the authors' code or data",
    "abstract": "verified in the abstract only",
    "secondary": "only quoted, from a secondary source",
    "memory": "only quoted, from memory; look it up before you cite it",
    "no source": "no single source was found",
}
FITS: dict[Fit, str] = {
    "close": "measures what the source measured, in our setting",
    "loose": "measures something near to it",
    "proxy": "stands in for it; the step from one to the other is an assumption",
}
VERDICTS: dict[Verdict, str] = {
    "agrees": "our number points the same way as the claim",
    "contradicts": "our number points the other way than the claim",
    "mixed": "part of our numbers point the same way, part do not, or the interval holds both",
    "no comparison": "we have a number, and nothing to hold it against, or none of the systems that the claim is about",
    "no number": "we have no number; the reason is given",
    "cannot be told": "text and simulated patients cannot tell; people are needed",
}
MARKS: dict[Verdict, str] = {
    "agrees": "=",
    "contradicts": "≠",
    "mixed": "≈",
    "no comparison": "#",
    "no number": "–",
    "cannot be told": "×",
}


class Strict(BaseModel):
    """Frozen data; a key that is none is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Paper(Strict):
    """A source.

    Attributes:
        id: Short key. cite: Authors and year. title: Its title. where: Venue, and DOI or arXiv number.
        note: A common misreading, or why it must be read with care.
    """

    id: str
    cite: str
    title: str
    where: str
    note: str = ""


class Finding(Strict):
    """What a source found about a claim, and how far that was checked."""

    paper: str
    trust: Trust
    found: str


class OurMeasure(Strict):
    """What we measure for a claim, and how near that comes to it."""

    name: str
    fit: Fit
    note: str = ""


class Number(Strict):
    """One number of ours; it must equal the stored figure.

    Attributes:
        at: RESULT/FIGURE of the stored result.
        value, low, high: As shown, rounded to `decimals`; low and high are the 95 % interval, None where there is none.
        n: What stands behind it; None where the source of the number does not say.
    """

    at: str
    value: float
    low: float | None = None
    high: float | None = None
    n: int | None = None
    decimals: int = Field(default=2, ge=0, le=3)


class Entry(Strict):
    """One entry.

    Attributes:
        id: C1, Q1 or O1: a claim of the literature, a line of inquiry, a claim of ours.
        claim: In our own words; of a line of inquiry, the question.
        sources: What is published; empty for claims of ours without a source.
        measures, numbers: Ours.
        missing: Why there is no number; of an entry with numbers, what they leave out.
        verdict: How our numbers stand to the literature. says: The same in a sentence.
        against: What speaks against it: against the claim, and against our number.
        human_validated: People's judgements of the measure exist and were compared. human: What exactly.
    """

    id: str
    claim: str
    sources: tuple[Finding, ...] = ()
    measures: tuple[OurMeasure, ...] = ()
    numbers: tuple[Number, ...] = ()
    missing: str = ""
    verdict: Verdict
    says: str
    against: str
    human_validated: bool
    human: str

    @property
    def kind(self) -> Kind:
        return KINDS[self.id[0]]

    @model_validator(mode="after")
    def _number_or_reason(self) -> Self:
        if self.id[:1] not in KINDS or not self.id[1:].isdecimal():
            raise ValueError("expected an id such as C1, Q1 or O1")
        numberless = self.verdict in ("no number", "cannot be told")
        if numberless and self.numbers:
            raise ValueError(f"says {self.verdict!r} and has numbers")
        if not numberless and not self.numbers:
            raise ValueError(f"says {self.verdict!r} and has no number")
        if numberless and not self.missing:
            raise ValueError("has no number and gives no reason; write it under `missing`")
        if self.numbers and not self.measures:
            raise ValueError("has numbers and names no measure")
        return self


class Quoted(Strict):
    """Where a number stands that was measured elsewhere: the words in a page, or a place in a JSON file.

    Attributes:
        file: From the root of the repository. text: Words of it that hold the number. at: Keys and places in a JSON
            file.
    """

    file: str
    text: str = ""
    at: tuple[str | int, ...] = ()


class Figure(Strict):
    """One stored number.

    Attributes:
        value: None where it is missing; then `reason` says why.
        low, high: 95 % interval. n: What stands behind it, counted in `of`.
        quoted: The page or file that it must agree with.
    """

    label: str
    unit: str
    value: float | None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    of: str = ""
    reason: str = ""
    quoted: Quoted | None = None


class Result(Strict):
    """A stored result: what was run, when, at what cost, and what came out.

    Attributes:
        commands: `maieutic …` or `python …`, as typed in the repository.
        seconds: CPU seconds of all commands; None where nobody measured it.
        remade: The slow tests run it again and compare; the others are marked with date and cost.
        needs: What has to be there that is not in the repository.
    """

    name: str
    title: str
    made: str
    commands: tuple[str, ...] = Field(min_length=1)
    seconds: float | None = None
    remade: bool = False
    needs: str = ""
    note: str = ""
    figures: dict[str, Figure]


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


class _Over(Strict):
    run: str
    measure: str
    against: str
    left_out: tuple[str, ...] = ()


class OverArms(_Over):
    """Spearman's correlation of two measures over the arms of a run; cases are drawn for the interval.

    Attributes:
        left_out: Arms that do not count, such as the oracle.
    """

    kind: Literal["over arms"]


class OverSessions(_Over):
    """Spearman's correlation of two measures over sessions, each less its arm's mean; cases are drawn for the
    interval."""

    kind: Literal["over sessions"]


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
