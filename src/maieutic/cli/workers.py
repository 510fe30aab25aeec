"""--workers and --shard: the options that all long commands share, and what is told of workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from maieutic.cli.screen import messages

if TYPE_CHECKING:
    from maieutic.evaluation.evaluate import Player, Request
    from maieutic.workers import Gone, Shard, WorkersSpec

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
AT_ONCE_A_WORKER = 4


def read_workers(text: str | None) -> WorkersSpec | None:
    """The option as a spec. Raises `InputError`."""
    from maieutic.workers import WorkersSpec

    return None if text is None else WorkersSpec.read(text)


def read_shard(text: str | None) -> Shard | None:
    """The option as a shard. Raises `InputError`."""
    from maieutic.workers import Shard

    return None if text is None else Shard.read(text)


def sessions_at_once(spec: WorkersSpec | None) -> int:
    """How many sessions at once when nobody says so; a cluster's workers are counted when they are there."""
    if spec is None:
        return AT_ONCE
    return AT_ONCE_A_WORKER * spec.count


def player_on(request: Request, spec: WorkersSpec) -> Player:
    """What plays sessions on workers and tells of those that are lost."""
    from maieutic.evaluation.spread import on_workers

    return on_workers(request, spec, lost=tell_lost)


def tell_lost(gone: Gone) -> None:
    """Says that a worker was lost, and that nothing else was."""
    messages().print(
        f"a worker on {gone.host} was lost ({gone.why}); {gone.orders} of its orders go on elsewhere, "
        f"{gone.left} workers are left",
        markup=False, highlight=False, soft_wrap=True,
    )  # fmt: skip
