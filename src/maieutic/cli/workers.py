"""--workers and --shard: the options that all long commands share, and what is told of workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from maieutic.cli.screen import messages

if TYPE_CHECKING:
    from maieutic.evaluation.evaluate import Player, Request
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
AT_ONCE = 8


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


def tell_line(line: str) -> None:
    """Says a line about workers where progress is shown."""
    messages().print(line, markup=False, highlight=False, soft_wrap=True)
