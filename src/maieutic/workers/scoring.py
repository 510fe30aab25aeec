"""Scores and codes transcripts on many workers: sessions travel to them, so they need no files, and come back in
order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import dropwhile, islice
from typing import Any, TypeVar

from maieutic.coding.book import Coding, SchemeCoder
from maieutic.coding.embedded import coder_for
from maieutic.measures.catalogue import measures_with
from maieutic.measures.coded import Tier
from maieutic.measures.definition import ASKED
from maieutic.runs.work import WorkersSpec
from maieutic.scoring.score import Lines, Made, Numbered, Scorer, Spread
from maieutic.scoring.score_run import ScoreOptions, versions
from maieutic.transcripts.utterance import Utterance
from maieutic.workers import Tell, crew_of, work
from maieutic.workers.team import Crew, agree

A_WORKER = 16
"""Sessions a worker is sent in one block; the next block is read when all of one came back."""
Item = TypeVar("Item")


class Scoring:
    """The job of a worker of `score`."""

    def __init__(self, options: ScoreOptions, with_pages: bool, here: Mapping[str, Any]) -> None:
        """Raises `InputError` where this machine has other versions, or lacks a file with codes."""
        agree(here, _marks(options))
        self._scorer = Scorer(options, with_pages)

    async def do(self, order: tuple[int, Numbered], tell: Tell) -> Made:
        """The line of one session."""
        return self._scorer.line(*order[1])


class CodingJob:
    """The job of a worker of `code`."""

    def __init__(self, scheme: str, tier: Tier, before_only: bool, here: Mapping[str, Any]) -> None:
        """Raises `InputError` where this machine has other versions or weights."""
        self._coder = coder_for(scheme, tier=tier, before_only=before_only, hears=tier == "accurate")
        agree(here, marks(self._coder))

    async def do(self, order: tuple[int, list[Utterance]], tell: Tell) -> list[Coding]:
        """The codes of one session."""
        return list(self._coder.predict(order[1]))


def marks(coder: SchemeCoder) -> dict[str, Any]:
    """What a coder's codes depend on."""
    return {"versions": versions(), "coder": coder.name, "weights": str(getattr(coder, "weights_hash", ""))}


def _marks(options: ScoreOptions) -> dict[str, Any]:
    """What a line depends on: values travel by place, so the measures must be the same ones."""
    return versions() | {
        "measures": ", ".join(one.id for one in measures_with(options.measures) if one.family == ASKED)
    }


def score_on_workers(spec: WorkersSpec, tell: Callable[[str], None]) -> Spread:
    """Scores sessions on workers instead of in this process; `tell` hears when they are ready, and of each that is
    lost."""

    def spread(options: ScoreOptions, with_pages: bool) -> Lines:
        make = partial(Scoring, options, with_pages, _marks(options))

        def lines(sessions: Iterator[Numbered]) -> Iterator[Made]:
            with crew_of(spec, make, tell) as crew:
                while block := list(islice(sessions, A_WORKER * len(crew.hosts))):
                    yield from _in_order(crew, block, tell)

        return lines

    return spread


class CodedAhead:
    """A packaged coder whose sessions are coded on workers, a block ahead of the one that is asked for.

    Attributes:
        name, scheme, training_files, weights_hash: As the coder's.
    """

    def __init__(
        self, coder: SchemeCoder, crew: Crew, dialogues: Iterable[list[Utterance]], tell: Callable[[str], None]
    ) -> None:
        """`dialogues` are those that will be asked for, in order; what was coded by an earlier run is passed over."""
        self.name, self.scheme = coder.name, coder.scheme
        self.training_files: Mapping[str, str] = getattr(coder, "training_files", {})
        self.weights_hash = str(getattr(coder, "weights_hash", ""))
        self._crew, self._tell = crew, tell
        self._dialogues = iter(dialogues)
        self._coded: deque[tuple[list[Utterance], list[Coding]]] = deque()

    def predict(self, dialogue: Sequence[Utterance]) -> list[Coding]:
        """The codes of the session; sessions before it that nobody asked for are dropped."""
        asked = list(dialogue)
        while self._coded and self._coded[0][0] != asked:
            self._coded.popleft()
        if not self._coded:
            following = dropwhile(lambda one: one != asked, self._dialogues)
            block = list(islice(following, A_WORKER * len(self._crew.hosts)))
            self._coded.extend(zip(block, _in_order(self._crew, block, self._tell), strict=True))
        return self._coded.popleft()[1]


@contextmanager
def coder_on_workers(
    coder: SchemeCoder,
    choice: tuple[str, Tier, bool],
    dialogues: Iterable[list[Utterance]],
    spec: WorkersSpec,
    tell: Callable[[str], None],
) -> Iterator[SchemeCoder]:
    """A coder that codes on workers; `choice` is what `coder` was made from: scheme, tier, whether it reads only
    before."""
    with crew_of(spec, partial(CodingJob, *choice, marks(coder)), tell) as crew:
        yield CodedAhead(coder, crew, dialogues, tell)


def _in_order(crew: Crew, block: Sequence[Item], tell: Callable[[str], None]) -> Iterator[Any]:
    """The results of a block in the order of the block; one at a time a worker, since they compute."""
    found: dict[int, Any] = {}
    for (place, _), result in work(crew, [list(enumerate(block))], at_once=len(crew.hosts), tell=tell):
        found[place] = result
    return (found[place] for place in range(len(block)))
