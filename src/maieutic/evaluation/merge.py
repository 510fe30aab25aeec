"""Puts the shards of a run together again: the same files as if one machine had played it whole."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from maieutic.dialogue import Streams
from maieutic.domain.episode import Episode, EpisodeKey
from maieutic.errors import RunFolderError
from maieutic.evaluation.evaluate import Outcome, finish
from maieutic.evaluation.journal import read_journal
from maieutic.evaluation.run import not_asked
from maieutic.runs.files import new_folder, write_json
from maieutic.runs.folder import REQUEST, read_manifest
from maieutic.runs.work import Shard

_TABLE = "episodes.parquet"


def merge(shards: Sequence[Path], out: Path) -> Outcome:
    """A whole run out of all its shards; no model is called, and the shards stay as they are.

    Raises:
        RunFolderError: a folder that is no shard, two that are of different runs or the same part, a part that is
            missing or not finished, or an `out` that holds something. Nothing is written then.
        StorageError: `out` cannot be written.
    """
    manifests = {folder: read_manifest(folder) for folder in shards}
    if len(manifests) < len(shards):
        twice = next(folder for place, folder in enumerate(shards) if folder in shards[:place])
        raise RunFolderError(f"{twice} is named twice; name each part once")
    ordered = in_order(manifests)
    episodes = [episode for folder in ordered for episode in _finished(folder, int(manifests[folder]["run_seed"]))]
    one = manifests[ordered[0]]
    whole = one | {"shard": None, REQUEST: one[REQUEST] | {"shard": None}}
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise RunFolderError(f"{out} already holds something, a merged run perhaps; choose another --out")
    with new_folder(out, told="cannot write {}: {}; the parts are as they were") as staging:
        write_json(staging / "manifest.json", whole)
        (staging / "journal").mkdir()
        files = [path for folder in ordered for path in sorted((folder / "journal").glob("*.jsonl"))]
        for number, path in enumerate(files, start=1):
            shutil.copyfile(path, staging / "journal" / f"{number:04d}.jsonl")
        outcome = finish(staging, sorted(episodes, key=lambda e: e.key), run_seed=int(whole["run_seed"]))
    return replace(outcome, folder=out)


def in_order(manifests: Mapping[Path, Mapping[str, Any]]) -> list[Path]:
    """The folders by the number of their part. Raises `RunFolderError` unless they are all the parts of one run."""
    first = next(iter(manifests))
    parts: dict[int, Path] = {}
    of = 0
    for folder, manifest in manifests.items():
        unequal = sorted(
            name
            for name in {*manifest, *manifests[first]} - {"shard", REQUEST}
            if manifest.get(name) != manifests[first].get(name)
        )
        if unequal:
            raise RunFolderError(
                f"{first} and {folder} are runs with different settings ({', '.join(unequal)}); only parts of one run "
                "can be merged"
            )
        if not manifest.get("shard"):
            raise RunFolderError(f"{folder} is a whole run, no part of one: it was not made with --shard")
        shard = Shard.read(manifest["shard"])
        if of and shard.of != of:
            raise RunFolderError(
                f"{first} is one of {of} parts and {folder} one of {shard.of}; they do not fit together"
            )
        if shard.part in parts:
            raise RunFolderError(f"{parts[shard.part]} and {folder} are the same part, {shard}")
        parts[shard.part], of = folder, shard.of
    missing = [f"{part}/{of}" for part in range(1, of + 1) if part not in parts]
    if missing:
        raise RunFolderError(
            f"{len(missing)} of {of} parts {'is' if len(missing) == 1 else 'are'} missing: {', '.join(missing[:8])}"
        )
    return [parts[part] for part in sorted(parts)]


def _finished(folder: Path, run_seed: int) -> list[Episode]:
    """All episodes of a shard, those that were not asked for among them. Raises `RunFolderError` where it is not
    finished."""
    if not (folder / _TABLE).is_file():
        raise RunFolderError(f"{folder} is not finished; go on with it first: maieutic evaluate --resume {folder}")
    import polars as pl

    records = read_journal(folder / "journal")
    episodes = []
    for row in pl.read_parquet(folder / _TABLE).iter_rows(named=True):
        key = EpisodeKey(row["therapist"], row["case"], row["seed"])
        if key in records and records[key].closed:
            episodes.append(records[key].episode(key, 0))
        else:  # an arm that was asked no more: it is in the tables and not in the journal
            episodes.append(not_asked(Streams(run_seed, key), row["reason"], orjson.loads(row["provenance"])))
    return episodes
