"""`maieutic train grpo`: a policy plays whole sessions with simulated patients and learns from what they earned."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from maieutic.domain.case import Case
from maieutic.errors import InputError, refuse_below
from maieutic.evaluation.evaluate import make_patients
from maieutic.library import case_hash, select_cases
from maieutic.training.adapting import Adapting
from maieutic.training.rewards import LOOK_AHEAD, Reward, reward_named
from maieutic.training.rollouts import Rollouts, Served, reward_functions
from maieutic.training.tune import SAMPLES, Plan

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


@dataclass(frozen=True, slots=True, kw_only=True)
class GrpoRequest(Adapting):
    """What is to be learned by playing, in the words of the command line.

    Attributes:
        cases: Patients to play with; those kept for testing, accurate thoughts and risk are left out.
        rewards: `NAME[=WEIGHT]`; several are each brought to one spread and then added.
        turns: Of a session. generations: Sessions with one patient. groups: Patients a step. seeds: Patients a case.
        kl: Weight of the divergence from the start. temperature, tokens: Of a reply.
        generate: Address of a vLLM server that says the words; '' for the model itself.
    """

    cases: Sequence[str] = ("dev",)
    rewards: Sequence[str] = ("conviction",)
    turns: int = 8
    generations: int = 4
    groups: int = 1
    seeds: int = 1
    steps: int = 50
    rate: float = 1e-4
    kl: float = 0.0
    temperature: float = 1.0
    tokens: int = 40
    generate: str = ""

    def __post_init__(self) -> None:
        Adapting.__post_init__(self)
        refuse_below(2, generations=self.generations)
        refuse_below(1, turns=self.turns, groups=self.groups, seeds=self.seeds, steps=self.steps, tokens=self.tokens)
        if not 0 < self.temperature < math.inf:
            raise InputError(f"--temperature must be above 0, got {self.temperature:g}")
        if not 0 <= self.kl < math.inf:
            raise InputError(f"--kl must be at least 0, got {self.kl:g}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Playing(Plan):
    """A request whose patients and rewards were found."""

    request: GrpoRequest
    patients: Mapping[str, tuple[Case, int]]
    left_out: Mapping[str, int]
    rewards: Mapping[str, tuple[Reward, float]]

    def asked(self) -> tuple[str, str, dict[str, Any], dict[str, Any]]:
        """Sessions with patients."""
        one = self.request
        settings = {name: getattr(one, name) for name in _SETTINGS} | {
            "rewards": {n: w for n, (_, w) in self.rewards.items()}
        }
        if one.generate:
            settings["generate"] = "a server"  # which one is no part of what the adapter is
        told = "".join(f"{name}:{case_hash(case)};" for name, (case, _) in self.patients.items())
        places = {"cases": list(one.cases), "model": one.model, "seeds": one.seeds}
        return "grpo", sha256(told.encode()).hexdigest(), settings, places

    def told(self) -> dict[str, Any]:
        """Patients by case, and what was left out."""
        cases = sorted({case.id for case, _ in self.patients.values()})
        return {"method": "grpo", "patients": {"number": len(self.patients), "cases": cases, "left_out": self.left_out}}

    def made(self, adapted: Any, tokenizer: Any, given: dict[str, Any], folder: Path | None) -> Any:
        """GRPOTrainer that plays sessions; they are kept beside the checkpoints unless nothing is."""
        import datasets
        import trl

        asked = self.request
        rewards = [one for one, _ in self.rewards.values()]
        make_patient, _ = make_patients("simulated")
        place = Path(given["output_dir"]).parent
        play = Rollouts(
            self.patients,
            make_patient,
            rewards,
            asked.turns,
            asked.tokens,
            asked.temperature,
            asked.seed,
            None if folder is None else place / SAMPLES,
            Served(asked.generate, place / SHOWN) if asked.generate else None,
        )
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
        return trl.GRPOTrainer(
            model=adapted,
            reward_funcs=reward_functions(rewards),
            args=trl.GRPOConfig(**given),
            train_dataset=datasets.Dataset.from_list([{"prompt": name} for name in self.patients]),
            processing_class=tokenizer,
            rollout_func=play,
        )


def plan_grpo(request: GrpoRequest) -> Playing:
    """Names to parts; loads no model. Raises `InputError` and its kin for everything that cannot be trained."""
    base = request.base()
    rewards = dict(_weighted(text) for text in dict.fromkeys(request.rewards))
    patients, left = dict[str, tuple[Case, int]](), Counter[str]()
    for case in select_cases(request.cases):
        if case.split == "test" or case.special:
            left["the case is kept for testing" if case.split == "test" else "an accurate thought, or risk"] += 1
            continue
        patients |= {f"{case.id}/{seed}": (case, seed) for seed in range(request.seeds)}
    if not patients:
        raise InputError(f"no patient is left to play with: {dict(left)}")
    if request.generate:
        Served(request.generate, Path()).check()
    return Playing(request=request, base=base, steps=request.steps, patients=patients, left_out=left, rewards=rewards)


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
