"""What `evaluate`, `score` and `code` ask of workers; when they are ready and which are lost is told."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maieutic.cli.options import tell_line

if TYPE_CHECKING:
    from maieutic.coding.book import SchemeCoder
    from maieutic.evaluation.evaluate import Player, Request
    from maieutic.runs.work import WorkersSpec
    from maieutic.scoring.score import Spread


def playing_on(request: Request, spec: WorkersSpec, at_once: int | None) -> Player:
    """What plays the sessions of `evaluate` on workers."""
    from maieutic.workers.playing import on_workers

    return on_workers(request, spec, at_once=at_once, tell=tell_line)


def scoring_on(spec: WorkersSpec) -> Spread:
    """What scores sessions on workers."""
    from maieutic.workers.scoring import score_on_workers

    return score_on_workers(spec, tell_line)


def coding_on(
    spec: WorkersSpec, coder: SchemeCoder, choice: tuple[str, bool, bool], path: Path, reading: Mapping[str, Any]
) -> AbstractContextManager[SchemeCoder]:
    """A packaged coder whose sessions are coded on workers; `choice` is scheme, fast, before-only."""
    from maieutic.scoring.coding_run.run import dialogues_to_code
    from maieutic.workers.scoring import coder_on_workers

    scheme, fast, before_only = choice
    dialogues = dialogues_to_code(path, scheme=scheme, **reading)
    return coder_on_workers(coder, (scheme, "fast" if fast else "accurate", before_only), dialogues, spec, tell_line)
