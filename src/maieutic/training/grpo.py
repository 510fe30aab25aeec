"""`maieutic train grpo`: a policy plays whole sessions with simulated patients and learns from what they earned."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from maieutic.domain.case import Case
from maieutic.errors import InputError, refuse_below
from maieutic.evaluation.evaluate import make_patients
from maieutic.evaluation.plan import package_versions
from maieutic.library import case_hash, select_cases
from maieutic.models.trained import missing_extra
from maieutic.runs.folder import REQUEST
from maieutic.training.adapting import adapter_on, base_of, checked_precision, load_base, started
from maieutic.training.rewards import LOOK_AHEAD, Reward, reward_named
from maieutic.training.rollouts import Rollouts, Served, reward_functions
from maieutic.training.tune import FORMAT, VERSIONS, settings_of, watched
from maieutic.training.tune_page import SAMPLES

SHOWN: Final = "shown"
"""Where adapters lie for a server that says the words; a name in the output folder."""
_SETTINGS: Final = (
    "turns",
    "generations",
    "groups",
    "rank",
    "rate",
    "layers",
    "precision",
    "kl",
    "temperature",
    "tokens",
)


@dataclass(frozen=True, slots=True)
class GrpoRequest:
    """What is to be trained, in the words of the command line.

    Attributes:
        cases: Patients to play with; those kept for testing, accurate thoughts and risk are left out.
        model: 'embedded', or a Hugging Face folder. start: Folder of an adapter to go on from.
        rewards: `NAME[=WEIGHT]`; several are each brought to one spread and then added.
        turns: Of a session. generations: Sessions with one patient. groups: Patients a step. seeds: Patients a case.
        steps: Optimizer steps. rank, layers, rate, precision: As for sft.
        kl: Weight of the divergence from the start. temperature, tokens: Of a reply. seed: Of adapter, order and words.
        generate: Address of a vLLM server that says the words; '' for the model itself.
    """

    cases: Sequence[str] = ("dev",)
    model: str = "embedded"
    start: Path | None = None
    rewards: Sequence[str] = ("conviction",)
    turns: int = 8
    generations: int = 4
    groups: int = 1
    seeds: int = 1
    steps: int = 50
    rank: int = 8
    layers: int = 0
    rate: float = 1e-4
    precision: str = "float32"
    kl: float = 0.0
    temperature: float = 1.0
    tokens: int = 40
    seed: int = 0
    generate: str = ""

    def __post_init__(self) -> None:
        refuse_below(2, generations=self.generations)
        refuse_below(0, layers=self.layers)
        refuse_below(1, turns=self.turns, groups=self.groups, seeds=self.seeds, steps=self.steps)
        refuse_below(1, rank=self.rank, tokens=self.tokens)
        for name in ("rate", "temperature"):
            if not 0 < getattr(self, name) < math.inf:
                raise InputError(f"--{name} must be above 0, got {getattr(self, name):g}")
        if not 0 <= self.kl < math.inf:
            raise InputError(f"--kl must be at least 0, got {self.kl:g}")


@dataclass(frozen=True, slots=True)
class Playing:
    """A request whose patients and rewards were found. `steps` counts all optimizer steps."""

    request: GrpoRequest
    patients: Mapping[str, tuple[Case, int]]
    left_out: Mapping[str, int]
    rewards: Mapping[str, tuple[Reward, float]]
    base: Mapping[str, str]

    @property
    def steps(self) -> int:
        return self.request.steps

    def manifest(self) -> dict[str, Any]:
        """What makes an adapter what it is."""
        asked = asdict(self.request)
        settings = {name: asked[name] for name in _SETTINGS} | {"rewards": {n: w for n, (_, w) in self.rewards.items()}}
        if asked["generate"]:
            settings["generate"] = "a server"  # which one is no part of what the adapter is
        told = "".join(f"{name}:{case_hash(case)};" for name, (case, _) in self.patients.items())
        return {
            "format": FORMAT,
            "kind": "train grpo",
            "data_sha256": sha256(told.encode()).hexdigest(),
            "base": dict(self.base),
            "run_seed": self.request.seed,
            "settings": settings,
            "start": started(self.request.start),
            "steps": self.steps,
            "versions": package_versions(VERSIONS),
            REQUEST: {"cases": list(self.request.cases), "model": self.request.model, "seeds": self.request.seeds},
        }

    def told(self) -> dict[str, Any]:
        """Patients by case, and what was left out."""
        cases = sorted({case.id for case, _ in self.patients.values()})
        return {"method": "grpo", "patients": {"number": len(self.patients), "cases": cases, "left_out": self.left_out}}

    def trainer(self, folder: Path, step: Callable[[int], None], steps: int | None = None) -> Any:
        """GRPOTrainer that plays sessions; they are kept beside the checkpoints unless nothing is."""
        asked = self.request
        weights, tokenizer = load_base(asked.model, asked.precision)
        import datasets
        import trl

        adapted = adapter_on(weights, asked)
        rewards = [one for one, _ in self.rewards.values()]
        make_patient, _ = make_patients("simulated")
        play = Rollouts(
            self.patients,
            make_patient,
            rewards,
            asked.turns,
            asked.tokens,
            asked.temperature,
            asked.seed,
            folder.parent / SAMPLES if steps is None else None,
            Served(asked.generate, folder.parent / SHOWN) if asked.generate else None,
        )
        given = settings_of(asked, folder, steps or self.steps, saved=steps is None)
        given |= {
            "per_device_train_batch_size": asked.generations,
            "gradient_accumulation_steps": asked.groups,
            "num_generations": asked.generations,
            "max_completion_length": None,
            "beta": asked.kl,
            "temperature": asked.temperature,
            "reward_weights": [*(w for _, w in self.rewards.values()), 0.0, 0.0],
            "multi_objective_aggregation": "normalize_then_sum" if len(rewards) > 1 else "sum_then_normalize",
        }
        rows = datasets.Dataset.from_list([{"prompt": name} for name in self.patients])
        trainer = trl.GRPOTrainer(
            model=adapted,
            reward_funcs=reward_functions(rewards),
            args=trl.GRPOConfig(**given),
            train_dataset=rows,
            processing_class=tokenizer,
            rollout_func=play,
        )
        return watched(trainer, step)


def plan_grpo(request: GrpoRequest) -> Playing:
    """Names to parts; loads no model. Raises `InputError` and its kin for everything that cannot be trained."""
    if lacking := missing_extra():
        raise InputError(lacking)
    checked_precision(request.precision)
    rewards = dict(_weighted(text) for text in dict.fromkeys(request.rewards))
    patients, left = dict[str, tuple[Case, int]](), Counter[str]()
    for case in select_cases(request.cases):
        if case.split == "test" or case.special:
            left["the case is kept for testing" if case.split == "test" else "an accurate thought, or risk"] += 1
            continue
        patients |= {f"{case.id}/{seed}": (case, seed) for seed in range(request.seeds)}
    if not patients:
        raise InputError(f"no patient is left to play with: {dict(left)}")
    base = base_of(request.model)
    started(request.start, base)
    if request.generate:
        Served(request.generate, Path()).check()
    return Playing(request, patients, left, rewards, base)


def _weighted(text: str) -> tuple[str, tuple[Reward, float]]:
    name, sign, weight = text.partition("=")
    if name == LOOK_AHEAD:
        raise InputError("grpo plays whole sessions by itself; name what is rewarded at their end, such as conviction")
    try:
        number = float(weight) if sign else 1.0
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"--reward {text}: write NAME or NAME=WEIGHT, such as emotion=0.5")
    return name, (reward_named(name), number)
