"""--workers and --shard: the options that all long commands share, and what is told of workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from maieutic.cli.screen import tell

if TYPE_CHECKING:
    from maieutic.runs.division import Shard, WorkersSpec

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
    from maieutic.runs.division import WorkersSpec

    return None if text is None else WorkersSpec.read(text)


def read_shard(text: str | None) -> Shard | None:
    """The option as a shard. Raises `InputError`."""
    from maieutic.runs.division import Shard

    return None if text is None else Shard.read(text)
