"""Opens what is to be compared: a run folder, or sessions of people."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from maieutic.comparing.people import read_people
from maieutic.comparing.sources import EVALUATE, TOURNAMENT, Source
from maieutic.domain.episode import EpisodeKey
from maieutic.errors import InputError, RunFolderError
from maieutic.evaluation.evaluate import read_run


def read_source(path: Path, columns: Mapping[str, str] | None = None) -> Source:
    """A run folder of `evaluate` or `tournament`, a session of `maieutic chat --session`, or transcripts with a case
    id.

    Raises:
        InputError: it is none of these, or holds nothing to compare.
    """
    if (path / "manifest.json").exists():
        manifest, episodes = read_run(path, kinds=(EVALUATE, TOURNAMENT))
        left = 0 if manifest["kind"] == TOURNAMENT else len(_planned(manifest)) - len(episodes)
        return Source(str(path), manifest, tuple(episodes), unfinished=left)
    if path.is_dir() and (path / "journal").exists():
        raise RunFolderError(f"{path} is no run folder: it has no manifest.json")
    try:
        return read_people(path, columns or {})
    except InputError as error:
        if not path.is_dir():
            raise
        runs = sorted(str(one.parent) for one in path.glob("*/manifest.json"))
        named = f"; the runs in it are {', '.join(runs[:3])}{' and more' if len(runs) > 3 else ''}" if runs else ""
        raise RunFolderError(
            f"{path} is no run folder (it has no manifest.json){named}; as transcripts: {error}"
        ) from error


def _planned(manifest: Mapping[str, Any]) -> list[EpisodeKey]:
    limit = manifest.get("limit")
    seeds = manifest["seeds"]
    return [
        key
        for spec in manifest["therapists"]
        for key in [EpisodeKey(spec, case, seed) for case in manifest["cases"] for seed in range(seeds[spec])][:limit]
    ]
