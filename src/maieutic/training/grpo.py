"""`maieutic train grpo`: a policy plays whole sessions with simulated patients and learns from what they earned.

The only file that knows the contract of TRL's `rollout_func`. The model's own ids are what is learned from: the
patient's words are appended as ids of their own, marked 0, and nothing that was said is ever tokenised anew. One
dialogue is one completion; it ends with the end-of-turn token, else TRL takes it for cut off. TRL gives a prompt once
for every session that is wanted with it.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import secrets
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from http.client import HTTPException
from pathlib import Path
from shutil import rmtree
from statistics import fmean
from typing import Any, Final
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import orjson

from maieutic.coding.rules import RuleCoder
from maieutic.dialogue import Conversation, Streams, converse
from maieutic.domain.case import Case
from maieutic.domain.episode import Episode, EpisodeKey, Session, Turn
from maieutic.errors import InputError, MaieuticError, refuse_below
from maieutic.evaluation.evaluate import make_patients
from maieutic.evaluation.plan import drawn_situation, played
from maieutic.library import case_hash, select_cases
from maieutic.models.http_faults import API_KEYS
from maieutic.protocols import Patient
from maieutic.training.adapting import Adapting
from maieutic.training.examples import rendered, system_message
from maieutic.training.rewards import LOOK_AHEAD, Reward, attributes_of, reward_named
from maieutic.training.tune import SAMPLES, Plan

SECONDS: Final = 300.0
"""One answer may take so long; a server that has to load an adapter first is slow once."""


@dataclass(slots=True)
class Served:
    """A server that speaks for the model that is trained.

    Attributes:
        address: Up to and with `/v1`. folder: Where the adapter is laid for it. shown: Name of the one it has now.
    """

    address: str
    folder: Path
    shown: str = ""
    # A server that a training was stopped at still has the names of that one.
    _own: str = field(default_factory=lambda: secrets.token_hex(3))

    def check(self) -> None:
        """Raises `InputError` for what is no address, `MaieuticError` where nobody answers."""
        if not self.address.startswith(("http://", "https://")):
            raise InputError(
                f"--generate {self.address}: write the address of a vLLM server, such as http://127.0.0.1:8000/v1"
            )
        self._asked("/models")

    def show(self, model: Any, step: int) -> None:
        """Lays the adapter as it is after so many steps where the server reads it; the one before goes."""
        name = f"step-{step}-{self._own}"
        if name == self.shown:
            return
        place = (self.folder / name).resolve()
        model.save_pretrained(place)
        self._asked("/load_lora_adapter", {"lora_name": name, "lora_path": str(place)})
        if self.shown:
            self._asked("/unload_lora_adapter", {"lora_name": self.shown})
            rmtree(self.folder / self.shown, ignore_errors=True)
        self.shown = name

    def sampled(self, ids: Sequence[int], tokens: int, temperature: float, seed: int) -> list[int]:
        """The ids that the model goes on with, its end of turn among them where it came to it."""
        asked = {
            "model": self.shown,
            "prompt": list(ids),
            "max_tokens": tokens,
            "temperature": temperature,
            "top_p": 1.0,
            "top_k": -1,
            "seed": seed,
            "return_token_ids": True,
        }
        try:
            return [int(one) for one in self._asked("/completions", asked)["choices"][0]["token_ids"]]
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise MaieuticError(
                f"{self.address} gives no token ids with its answers: it has to know `return_token_ids`, as vLLM does "
                "from 0.10.2 on"
            ) from error

    def _asked(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        key = next((os.environ[name] for name in API_KEYS if os.environ.get(name)), "")
        head = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
        request = Request(
            self.address.rstrip("/") + path, data=None if body is None else orjson.dumps(dict(body)), headers=head
        )
        try:
            with urlopen(request, timeout=SECONDS) as answer:  # `check` takes http and https only
                said = answer.read()
        except HTTPError as error:
            told = " ".join(error.read(2_000).decode("utf-8", "replace").split())[:300]
            hint = " (started with --enable-lora and VLLM_ALLOW_RUNTIME_LORA_UPDATING=True?)" if "lora" in path else ""
            raise MaieuticError(f"{self.address}{path} answered {error.code}{hint}: {told}") from error
        except (OSError, HTTPException) as error:
            raise MaieuticError(f"--generate: nobody answers at {self.address}: {error}") from error
        try:
            return orjson.loads(said)
        except ValueError:
            return said.decode("utf-8", "replace")  # vLLM says in a sentence that an adapter was loaded


NAME = "policy"
SILENT = "…"
"""What the patient hears where the model said nothing."""


@dataclass(slots=True)
class Policy:
    """The model as a therapist that keeps the ids of what was said.

    Attributes:
        model, tokenizer: Of the trainer. tokens: Of a reply at most. temperature: Of its words.
        served: A server that says the words in the model's place.
        prompt: Ids of the prompt and the patient's opening. completion: Ids after that. mask: 1 for the model's own.
    """

    model: Any
    tokenizer: Any
    tokens: int
    temperature: float
    served: Served | None = None
    prompt: list[int] = field(default_factory=list)
    completion: list[int] = field(default_factory=list)
    mask: list[int] = field(default_factory=list)

    name = NAME

    async def respond(self, session: Session) -> Turn:
        """Samples the next turn."""
        heard = {"role": "user", "content": session.turns[-1].text}
        if self.prompt:
            self._append(self._ids(_between(self.tokenizer, heard)), own=False)
        else:
            opening = rendered(
                self.tokenizer,
                [{"role": "system", "content": system_message()["content"]}, heard],
                add_generation_prompt=True,
            )
            self.prompt = self._ids(opening)
        said = self._sampled()
        self._append(said, own=True)
        if not said or said[-1] != self.tokenizer.eos_token_id:
            self._append([self.tokenizer.eos_token_id], own=False)
        return Turn("therapist", self.tokenizer.decode(said, skip_special_tokens=True).strip() or SILENT)

    def _sampled(self) -> list[int]:
        import torch

        if self.served is not None:
            seed = int(torch.randint(2**31 - 1, (1,)))
            return self.served.sampled(self.prompt + self.completion, self.tokens, self.temperature, seed)
        given = torch.tensor([self.prompt + self.completion], device=self.model.device)
        try:
            with torch.no_grad():
                out = self.model.generate(
                    input_ids=given,
                    attention_mask=torch.ones_like(given),
                    max_new_tokens=self.tokens,
                    do_sample=True,
                    temperature=self.temperature,
                    top_k=0,
                    top_p=1.0,
                    eos_token_id=self.tokenizer.eos_token_id,
                    pad_token_id=self.tokenizer.pad_token_id,
                )
        except RuntimeError as error:
            if "probability tensor" not in str(error):
                raise
            raise MaieuticError(
                "the model gives its next words no probability any more: training diverged and nothing was saved of "
                "it; lower --rate"
            ) from error
        return [int(one) for one in out[0][given.shape[1] :]]

    def _append(self, ids: Sequence[int], *, own: bool) -> None:
        self.completion += ids
        self.mask += [int(own)] * len(ids)

    def _ids(self, text: str) -> list[int]:
        return [int(one) for one in self.tokenizer(text, add_special_tokens=False)["input_ids"]]


def _between(tokenizer: Any, heard: Mapping[str, str]) -> str:
    """What the template writes after the end of a reply, up to where the next one begins."""
    before = [{"role": "user", "content": "?"}, {"role": "assistant", "content": "."}]
    ended = rendered(tokenizer, before)
    kept = ended[: ended.rindex(tokenizer.eos_token) + len(tokenizer.eos_token)]
    return rendered(tokenizer, [*before, heard], add_generation_prompt=True)[len(kept) :]


@dataclass(frozen=True, slots=True)
class Rollouts:
    """Plays the sessions that a step of training is rewarded for.

    Attributes:
        patients: Name of a patient → its case and seed. make_patient: (case, situation) → patient.
        rewards: What counts. turns: Of a session. tokens, temperature: Of a reply. run_seed: Of the patients' luck.
        record: Where sessions are kept; None for nowhere. served: A server that says the words.
    """

    patients: Mapping[str, tuple[Case, int]]
    make_patient: Callable[[Case, str], Patient]
    rewards: Sequence[Reward]
    turns: int
    tokens: int
    temperature: float
    run_seed: int
    record: Path | None = None
    served: Served | None = None

    def __call__(self, prompts: Sequence[str], trainer: Any) -> dict[str, list[Any]]:
        """One session for every prompt; those of one patient meet the same luck, so that only the words differ."""
        model, rows = trainer.accelerator.unwrap_model(trainer.model), []
        training = model.training
        model.eval()
        if self.served is not None:
            self.served.show(model, trainer.state.global_step)
        for place, name in enumerate(prompts):
            policy = Policy(model, trainer.processing_class, self.tokens, self.temperature, self.served)
            episode = asyncio.run(self._session(policy, *self.patients[name]))
            worth = {one.name: one.of(episode) for one in self.rewards}
            self._keep(trainer.state.global_step, name, place, episode, worth)
            rows.append((policy, episode, worth))
        model.train(training)
        told: dict[str, list[Any]] = {
            "prompt_ids": [policy.prompt for policy, _, _ in rows],
            "completion_ids": [policy.completion for policy, _, _ in rows],
            "env_mask": [policy.mask for policy, _, _ in rows],
            "logprobs": None,  # type: ignore[dict-item]  # the key has to be there; the trainer computes them itself
            "asks": [_asks(episode) for _, episode, _ in rows],
            "words": [_words(episode) for _, episode, _ in rows],
        }
        for one in self.rewards:
            told[f"worth_{one.name}"] = _without_gaps(prompts, [worth[one.name] for _, _, worth in rows])
        return told

    async def _session(self, policy: Policy, case: Case, seed: int) -> Episode:
        situation = drawn_situation(case, self.run_seed, seed)
        talk = Conversation(
            policy,
            self.make_patient(case, situation),
            RuleCoder(),
            self.turns,
            Streams(self.run_seed, EpisodeKey(NAME, case.id, seed)),
            provenance=played(case, situation),
        )
        return await converse(talk)

    def _keep(self, step: int, name: str, place: int, episode: Episode, worth: Mapping[str, float | None]) -> None:
        if self.record is None:
            return
        said = [{"speaker": turn.speaker, "text": turn.text} for turn in episode.session.turns]
        row = {"step": step, "patient": name, "draw": place, "rewards": worth, "said": said}
        with self.record.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


def _without_gaps(prompts: Sequence[str], values: Sequence[float | None]) -> list[float]:
    """A reward that cannot be had is that of the other sessions with the patient: it has no say, and is never 0."""
    found = []
    for name, value in zip(prompts, values, strict=True):
        known = [v for n, v in zip(prompts, values, strict=True) if n == name and v is not None]
        found.append(value if value is not None else fmean(known) if known else 0.0)
    return found


def _asks(episode: Episode) -> float:
    read = [attributes_of(one)["asks"] for one in episode.appraisals if one is not None]
    return sum(read) / len(read) if read else 0.0


def _words(episode: Episode) -> float:
    said = [len(turn.text.split()) for turn in episode.session.turns if turn.speaker == "therapist"]
    return fmean(said) if said else 0.0


def reward_functions(rewards: Sequence[Reward]) -> list[Callable[..., list[float]]]:
    """What TRL asks for the rewards, and for two numbers that it only shows: share of turns that ask, and words of a
    turn."""
    return [_column(f"worth_{one.name}", one.name) for one in rewards] + [_column(n, n) for n in ("asks", "words")]


def _column(key: str, name: str) -> Callable[..., list[float]]:
    def column(**given: Any) -> list[float]:
        return list(given[key])

    column.__name__ = name
    return column


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
