"""--workers and --shard: the options that all long commands share, and what is told of workers."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from maieutic.cli.screen import tell

if TYPE_CHECKING:
    from maieutic.coding.contract import SchemeCoder
    from maieutic.evaluation.evaluate import Player, Request
    from maieutic.scoring.score import Spread
    from maieutic.workers import Shard, WorkersSpec

Workers = Annotated[
    str | None,
    typer.Option(
        "--workers",
        metavar="N|ray|ray://HOST:PORT",
        help="Spread the work: N processes on this machine, ray for the cluster it belongs to, or the address of one.",
    ),
]
ShardOption = Annotated[
    str | None,
    typer.Option(
        "--shard", metavar="I/N", help="Only part I of N; `maieutic merge` puts the N folders together again."
    ),
]


def tell_line(text: str) -> None:
    """A line about the workers, whole."""
    tell(text, whole=True)


def read_workers(text: str | None) -> WorkersSpec | None:
    """The option as a spec. Raises `InputError`."""
    from maieutic.workers import WorkersSpec

    return None if text is None else WorkersSpec.read(text)


def read_shard(text: str | None) -> Shard | None:
    """The option as a shard. Raises `InputError`."""
    from maieutic.workers import Shard

    return None if text is None else Shard.read(text)


def player_on(request: Request, spec: WorkersSpec, at_once: int | None) -> Player:
    """What plays sessions on workers and tells when they are ready and which are lost."""
    from maieutic.evaluation.spread import on_workers

    return on_workers(request, spec, at_once=at_once, tell=tell_line)


def scoring_on(spec: WorkersSpec) -> Spread:
    """What scores sessions on workers."""
    from maieutic.scoring.spread import score_on_workers

    return score_on_workers(spec, tell_line)


def coding_on(
    spec: WorkersSpec, coder: SchemeCoder, choice: tuple[str, bool, bool], path: Path, reading: Mapping[str, Any]
) -> AbstractContextManager[SchemeCoder]:
    """A packaged coder whose sessions are coded on workers; `choice` is scheme, fast, before-only."""
    from maieutic.scoring.coding_run.listing import dialogues_to_code
    from maieutic.scoring.spread import coder_on_workers

    scheme, fast, before_only = choice
    dialogues = dialogues_to_code(path, scheme=scheme, **reading)
    return coder_on_workers(coder, (scheme, "fast" if fast else "accurate", before_only), dialogues, spec, tell_line)
