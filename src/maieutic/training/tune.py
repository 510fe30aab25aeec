"""`maieutic train sft`, `dpo` and `grpo`: a LoRA by TRL's trainers, with checkpoints, a model card and a report.

Departures from TRL's defaults: loss on the therapist's own tokens only, over whole sessions; no step is saved whose
loss is no number; the reference is the model as training found it, without an adapter or with that of `--start`.
"""

from __future__ import annotations

import json
import math
import resource
import shutil
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from maieutic.errors import InputError, MaieuticError, refuse_below
from maieutic.evaluation.plan import package_versions
from maieutic.measures.validity import NOT_VALIDATED
from maieutic.models.embedded import packaged_weights
from maieutic.models.trained import ADAPTER, CARD, GGUF_ADAPTER
from maieutic.runs.figures import steps_of
from maieutic.runs.files import write_json, write_whole
from maieutic.runs.folder import REQUEST, RunFolder
from maieutic.runs.shown import environment
from maieutic.training.adapting import (
    Adapting,
    adapter_on,
    load_base,
    started,
    write_adapter,
)
from maieutic.training.examples import SYSTEM, Data, encoded, fitting, read_pairs, read_sessions, read_talks

SAMPLES: Final = "sessions.jsonl"
"""Sessions that were played for the reward, a line each."""
CURVES: Final = {
    "reward": "mean reward of the sessions",
    "reward_std": "spread of the reward between sessions with one patient",
    "frac_reward_zero_std": "share of patients whose sessions all earn the same",
    "rewards/asks/mean": "share of turns that ask",
    "rewards/words/mean": "words of a turn",
    "kl": "KL divergence from the start",
    "entropy": "entropy of the next token",
    "loss": "loss",
    "mean_token_accuracy": "share of therapist tokens foretold",
    "grad_norm": "norm of the gradient",
    "learning_rate": "learning rate",
    "rewards/margins": "margin of chosen over rejected",
    "rewards/accuracies": "share of pairs in which chosen is likelier",
}


def read_samples(out: Path) -> list[dict[str, Any]]:
    """The sessions that training played, by step; none where it played none. A step that was played again counts
    once."""
    try:
        lines = (out / SAMPLES).read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    found = {(row["step"], row["patient"], row["draw"]): row for row in map(json.loads, lines)}
    return [found[key] for key in sorted(found)]


def report(card: Mapping[str, Any], curve: Sequence[Mapping[str, Any]], samples: Sequence[Mapping[str, Any]]) -> str:
    """The page: facts, a curve for everything that the trainer tells, and the first and the last session played."""
    charts = [
        (title, steps_of([(one["step"], one[name]) for one in curve if name in one], title=title))
        for name, title in CURVES.items()
        if any(name in one for one in curve)
    ]
    page = environment(Path(__file__).parent).get_template("tuned.html.j2")
    return page.render(card=card, facts=facts_of(card), charts=charts, samples=_two(samples), caution=caution())


def _two(samples: Sequence[Mapping[str, Any]]) -> list[tuple[str, Mapping[str, Any]]]:
    return [("first", samples[0]), ("last", samples[-1])] if len(samples) > 1 else []


def facts_of(card: Mapping[str, Any]) -> dict[str, str]:
    """What a reader of the card wants to know first."""
    settings = card["settings"]
    told = {
        "Base": f"{card['base'].get('file', card['base']['model'])}, sha256 {card['base']['sha256'][:16]}",
        "Method": f"{card['method']}, LoRA of rank {settings['rank']}, {card['steps_done']} of {card['steps']} steps, "
        f"learning rate {settings['rate']:g}, {settings['precision']}, seed {card['run_seed']}",
        **(_played(card["patients"], settings) if "patients" in card else _learned(card)),
        "Loss": f"{card['loss']['first']:.3f} at the first step, {card['loss']['last']:.3f} at the last",
    }
    if card.get("start"):
        told["Goes on from"] = f"an adapter, sha256 {card['start'][:16]}"
    if "reward" in card:
        told["Reward"] = f"{card['reward']['first']:.3f} at the first step, {card['reward']['last']:.3f} at the last"
    return told | {
        "Files": ", ".join(f"{name} ({size / 1e6:.1f} MB)" for name, size in card["bytes"].items()),
        "Time": f"{card['seconds']:.0f} s",
        "Versions": ", ".join(f"{name} {version}" for name, version in card["versions"].items()),
    }


def _learned(card: Mapping[str, Any]) -> dict[str, str]:
    data = card["data"]
    arms = ", ".join(f"{count} of {arm}" for arm, count in data["arms"].items())
    left = "; ".join(f"{count}: {reason}" for reason, count in data["left_out"].items()) or "none"
    rows = f"{data['rows']} rows ({arms}) of {len(data['cases'])} cases, {card['settings']['batch']} a step"
    return {"Data": f"{rows}; sha256 {card['data_sha256'][:16]}", "Left out": left}


def _played(patients: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, str]:
    rewards = ", ".join(f"{name} × {weight:g}" for name, weight in settings["rewards"].items())
    return {
        "Patients": f"{patients['number']} of {len(patients['cases'])} cases; sessions of {settings['turns']} turns, "
        f"{settings['generations']} with each patient, {settings['groups']} patients a step",
        "Rewarded": f"{rewards}; KL × {settings['kl']:g}",
        "Left out": "; ".join(f"{count}: {reason}" for reason, count in patients["left_out"].items()) or "none",
    }


def card_text(card: Mapping[str, Any]) -> str:
    """`model_card.md`."""
    facts = "\n".join(f"- **{name}**: {value}" for name, value in facts_of(card).items())
    return f"# A therapist trained on a simulator\n\n{facts}\n\n{caution()}\n"


def caution() -> str:
    """What the model is not for."""
    return (
        f"For research only: {NOT_VALIDATED}, trained on simulated patients, never to be used with people who seek "
        "help. A loss says how well the turns are copied and nothing of what they do; hold the model against the "
        "untrained one with maieutic evaluate on cases it was not trained on."
    )


FORMAT: Final = 1
CHECKPOINTS: Final = "checkpoints"
VERSIONS: Final = ("maieutic", "torch", "transformers", "peft", "trl")
WEIGHTS: Final = "adapter_model.safetensors"
CONFIG: Final = "adapter_config.json"
_SETTINGS: Final = ("batch", "rank", "rate", "length", "layers", "precision", "keep", "reward")
_TIMED: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneRequest(Adapting):
    """What is to be learned by sft or dpo, in the words of the command line.

    Attributes:
        method: 'sft' or 'dpo'.
        data: A run folder or a file of talks for sft, a file of pairs for dpo.
        arms: Arms of the run to learn from.
        keep: Sessions of a case to learn from, those that `reward` likes best; 0 for all.
        steps: As for all; 0 is each row once.
        batch: Rows a step. length: Tokens of a row at most.
    """

    method: str
    data: Path
    arms: Sequence[str] = ()
    keep: int = 0
    reward: str = "conviction"
    batch: int = 1
    length: int = 1024

    def __post_init__(self) -> None:
        Adapting.__post_init__(self)
        refuse_below(0, keep=self.keep)
        refuse_below(1, batch=self.batch)
        refuse_below(32, length=self.length)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan(ABC):
    """A request that can be trained.

    Attributes:
        request: As it was asked for. base: The model: `model`, its file and hash. steps: All optimizer steps.
    """

    request: Adapting
    base: Mapping[str, str]
    steps: int

    @abstractmethod
    def asked(self) -> tuple[str, str, dict[str, Any], dict[str, Any]]:
        """The method, the hash of what is learned from, the settings, and where things lay."""

    @abstractmethod
    def told(self) -> dict[str, Any]:
        """What the card says beyond the manifest."""

    @abstractmethod
    def made(self, adapted: Any, tokenizer: Any, given: dict[str, Any], folder: Path | None) -> Any:
        """TRL's trainer of an adapted model with what all trainers are told; sessions go beside the folder, if any."""

    def manifest(self) -> dict[str, Any]:
        """What makes an adapter what it is."""
        method, learned_from, settings, places = self.asked()
        return {
            "format": FORMAT,
            "kind": f"train {method}",
            "data_sha256": learned_from,
            "base": dict(self.base),
            "run_seed": self.request.seed,
            "settings": settings,
            "start": started(self.request.start),
            "steps": self.steps,
            "versions": package_versions(VERSIONS),
            REQUEST: places,
        }

    def trainer(self, folder: Path, step: Callable[[int], None], steps: int | None = None) -> Any:
        """TRL's trainer; with `steps` it trains so many and saves nothing."""
        weights, tokenizer = load_base(self.request.model, self.request.precision)
        adapted = adapter_on(weights, self.request)
        given = settings_of(self.request, folder, steps or self.steps, saved=steps is None)
        return watched(self.made(adapted, tokenizer, given, folder if steps is None else None), step)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning(Plan):
    """A request whose data were read."""

    request: TuneRequest
    data: Data

    def asked(self) -> tuple[str, str, dict[str, Any], dict[str, Any]]:
        """Rows of a run or of a file."""
        one = self.request
        settings = {name: getattr(one, name) for name in _SETTINGS}
        return (
            one.method,
            self.data.sha256,
            settings,
            {"data": str(one.data), "arms": list(one.arms), "model": one.model},
        )

    def told(self) -> dict[str, Any]:
        """Rows by who said them, cases, and what was left out."""
        data = self.data
        kept = {"rows": len(data.rows), "arms": data.arms, "cases": list(data.cases), "left_out": data.left_out}
        return {"method": self.request.method, "data": kept}

    def made(self, adapted: Any, tokenizer: Any, given: dict[str, Any], folder: Path | None) -> Any:
        """SFTTrainer or DPOTrainer on the rows."""
        import datasets
        import trl

        asked = self.request
        if asked.method == "sft":
            rows = [encoded(tokenizer, row["messages"], asked.length) for row in self.data.rows]
        else:
            rows = [fitting(tokenizer, row, asked.length) for row in self.data.rows]
        given |= {"per_device_train_batch_size": asked.batch, "max_length": asked.length}
        kinds = {"sft": (trl.SFTTrainer, trl.SFTConfig), "dpo": (trl.DPOTrainer, trl.DPOConfig)}
        trainer, config = kinds[asked.method]
        return trainer(
            model=adapted,
            args=config(**given),
            train_dataset=datasets.Dataset.from_list(rows),
            processing_class=tokenizer,
        )


@dataclass(frozen=True, slots=True)
class Cost:
    """What a run would take: seconds a step as timed, all seconds, and the memory of this process at its peak in MB."""

    step: float
    whole: float
    memory: float


def plan_tuning(request: TuneRequest) -> Tuning:
    """Read data and look for the base; loads no model. Raises `InputError` and its kin."""
    base, data = request.base(), _data_of(request)
    return Tuning(request=request, base=base, steps=request.steps or -(-len(data.rows) // request.batch), data=data)


def _data_of(request: TuneRequest) -> Data:
    if request.method == "dpo":
        return read_pairs(request.data)
    if request.data.is_file():
        if request.arms or request.keep:
            raise InputError(f"{request.data} is a file of talks: --arm and --keep choose among the sessions of a run")
        return read_talks(request.data)
    return read_sessions(request.data, request.arms, keep=request.keep, reward=request.reward)


def tune(
    tuning: Plan, out: Path, tick: Callable[[int], Callable[[int], None]], *, resume: bool, finish: bool = False
) -> dict[str, Any]:
    """Train, and write adapter, card and report; a stop loses what came after the last checkpoint.

    Args:
        tuning: What. out: Where.
        tick: Told of all steps, then of each.
        resume: Go on with what is there. finish: Make the adapter of the last checkpoint and train no further.

    Returns:
        The model card.

    Raises:
        RunFolderError: the folder holds something else. MaieuticError: the loss is no number; no adapter is written.
    """
    with RunFolder(out, tuning.manifest(), resume=resume):
        if (out / CARD).exists():
            done: dict[str, Any] = json.loads((out / CARD).read_bytes())
            return done
        begun = time.monotonic()
        last = last_checkpoint(out / CHECKPOINTS)
        if finish:
            if last is None:
                raise InputError(f"{out} has no checkpoint yet: there is nothing to finish with")
            (out / ADAPTER).mkdir(exist_ok=True)
            for name in (WEIGHTS, CONFIG):
                shutil.copy(Path(last) / name, out / ADAPTER / name)
            log = json.loads((Path(last) / "trainer_state.json").read_bytes())["log_history"]
        else:
            trainer = tuning.trainer(out / CHECKPOINTS, tick(tuning.steps))
            trainer.train(resume_from_checkpoint=last)
            # A trainer may have laid a frozen copy beside it as its reference.
            trainer.model.save_pretrained(out / ADAPTER, selected_adapters=["default"])
            log = trainer.state.log_history
        return _store(tuning, out, log, time.monotonic() - begun)


def cost_of(tuning: Plan) -> Cost:
    """Trains a few steps in a temporary folder, times all but the first, and keeps nothing."""
    marks: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        trainer = tuning.trainer(Path(folder) / CHECKPOINTS, lambda _: marks.append(time.monotonic()), steps=_TIMED)
        trainer.train()
    step = (marks[-1] - marks[0]) / (len(marks) - 1)
    return Cost(step, step * tuning.steps, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def last_checkpoint(folder: Path) -> str | None:
    """The newest checkpoint that was written to its end; one that a stop cut short is removed."""
    found = sorted(folder.glob("checkpoint-*"), key=lambda one: -int(one.name.rpartition("-")[2]))
    for one in found:
        # The trainer writes this file last.
        with suppress(OSError, ValueError):
            json.loads((one / "trainer_state.json").read_bytes())
            return str(one)
        shutil.rmtree(one, ignore_errors=True)
    return None


def settings_of(asked: Adapting, folder: Path, steps: int, *, saved: bool) -> dict[str, Any]:
    """What all trainers are told."""
    import torch

    return {
        "output_dir": str(folder),
        "max_steps": steps,
        "learning_rate": asked.rate,
        "lr_scheduler_type": "cosine",
        "seed": asked.seed,
        "save_strategy": "steps" if saved else "no",
        "save_steps": max(1, steps // 10),
        "save_total_limit": 2,
        # A loss is looked at before a checkpoint is saved: logged at every step, and never smoothed over.
        "logging_steps": 1,
        "logging_nan_inf_filter": False,
        "report_to": "none",
        "disable_tqdm": True,
        "use_cpu": not torch.cuda.is_available(),
        "bf16": False,
        "gradient_checkpointing": False,
        "dataloader_pin_memory": False,
    }


def watched(trainer: Any, step: Callable[[int], None]) -> Any:
    """The trainer with a callback that counts steps, and stops before anything is saved of a loss that is no number."""
    from transformers import TrainerCallback
    from transformers.trainer_callback import PrinterCallback

    class Watch(TrainerCallback):
        def on_train_begin(self, args: Any, state: Any, control: Any, **others: Any) -> None:
            if state.global_step:
                step(state.global_step)

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **others: Any) -> None:
            found = [float(logs[name]) for name in ("loss", "grad_norm") if name in (logs or {})]
            if not all(map(math.isfinite, found)):
                raise MaieuticError(
                    f"the loss is no number at step {state.global_step}: training diverged and nothing was saved of "
                    "it; lower --rate"
                )

        def on_step_end(self, args: Any, state: Any, control: Any, **others: Any) -> None:
            step(1)

    trainer.add_callback(Watch())
    trainer.remove_callback(PrinterCallback)
    return trainer


def _store(tuning: Plan, out: Path, log: Sequence[Mapping[str, Any]], seconds: float) -> dict[str, Any]:
    """What is made of the adapter in the folder: the file for the runtime, report and card."""
    stored = out / ADAPTER / WEIGHTS
    files = {WEIGHTS: stored}
    if tuning.base["model"] == "embedded":
        files[GGUF_ADAPTER] = out / GGUF_ADAPTER
        config = json.loads((out / ADAPTER / CONFIG).read_bytes())
        write_adapter(stored, out / GGUF_ADAPTER, packaged_weights(), alpha=float(config["lora_alpha"]))
    curve = [one for one in log if "loss" in one]
    card = {
        **tuning.manifest(),
        "kind": "adapter",
        "system": SYSTEM,
        **tuning.told(),
        "steps_done": curve[-1]["step"],
        "files": {name: sha256(path.read_bytes()).hexdigest() for name, path in files.items()},
        "bytes": {name: path.stat().st_size for name, path in files.items()},
        "seconds": round(seconds, 1),
    }
    told = {name: {"first": curve[0][name], "last": curve[-1][name]} for name in ("loss", "reward") if name in curve[0]}
    card |= told
    samples = read_samples(out)
    write_whole(out / "report.html", report(card, curve, samples).encode())
    write_whole(out / "model_card.md", card_text(card).encode())
    write_json(out / "curve.json", curve)
    write_json(out / CARD, card)  # last: a folder with a card is whole
    return card
