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
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Protocol

from maieutic.errors import InputError, MaieuticError, refuse_below
from maieutic.evaluation.plan import package_versions
from maieutic.models.embedded import packaged_weights
from maieutic.models.trained import ADAPTER, CARD, GGUF_ADAPTER, missing_extra
from maieutic.runs.files import write_json, write_whole
from maieutic.runs.folder import REQUEST, RunFolder
from maieutic.training.adapting import (
    Adapted,
    adapter_on,
    base_of,
    checked_precision,
    load_base,
    started,
    write_adapter,
)
from maieutic.training.examples import SYSTEM, Data, encoded, fitting, read_pairs, read_sessions, read_talks
from maieutic.training.tune_page import card_text, read_samples, report

FORMAT: Final = 1
CHECKPOINTS: Final = "checkpoints"
VERSIONS: Final = ("maieutic", "torch", "transformers", "peft", "trl")
WEIGHTS: Final = "adapter_model.safetensors"
CONFIG: Final = "adapter_config.json"
_SETTINGS: Final = ("batch", "rank", "rate", "length", "layers", "precision", "keep", "reward")
_TIMED: Final = 3


@dataclass(frozen=True, slots=True)
class TuneRequest:
    """What is to be trained, in the words of the command line.

    Attributes:
        method: 'sft' or 'dpo'.
        data: A run folder or a file of talks for sft, a file of pairs for dpo.
        model: 'embedded', or a Hugging Face folder.
        arms: Arms of the run to learn from.
        keep: Sessions of a case to learn from, those that `reward` likes best; 0 for all.
        steps: Optimizer steps; 0 is each row once.
        batch: Rows a step. rank: Of the LoRA. rate: Learning rate. length: Tokens of a row at most.
        layers: Topmost layers that are adapted; 0 for all. A smaller file, and nothing is computed back below them.
        precision: Of the frozen weights; the adapter is always learned in float32. float16 needs a GPU.
        seed: Of the adapter's start and the order of rows.
        start: Folder of an adapter to go on from, in place of a new one.
    """

    method: str
    data: Path
    model: str = "embedded"
    arms: Sequence[str] = ()
    steps: int = 0
    batch: int = 1
    rank: int = 8
    rate: float = 2e-4
    length: int = 1024
    seed: int = 0
    layers: int = 0
    precision: str = "float32"
    keep: int = 0
    reward: str = "conviction"
    start: Path | None = None

    def __post_init__(self) -> None:
        refuse_below(0, steps=self.steps, layers=self.layers, keep=self.keep)
        refuse_below(1, batch=self.batch, rank=self.rank)
        refuse_below(32, length=self.length)
        if not 0 < self.rate < math.inf:
            raise InputError(f"--rate must be above 0, got {self.rate:g}")


class Plan(Protocol):
    """A request that can be trained."""

    @property
    def base(self) -> Mapping[str, str]:
        """The model: `model`, its file and hash."""

    @property
    def steps(self) -> int:
        """All optimizer steps."""

    def manifest(self) -> dict[str, Any]:
        """What makes an adapter what it is."""

    def trainer(self, folder: Path, step: Callable[[int], None], steps: int | None = None) -> Any:
        """TRL's trainer; with `steps` it trains so many and saves nothing."""

    def told(self) -> dict[str, Any]:
        """What the card says beyond the manifest."""


@dataclass(frozen=True, slots=True)
class Tuning:
    """A request whose data were read. `steps` counts all optimizer steps."""

    request: TuneRequest
    data: Data
    base: Mapping[str, str]
    steps: int

    def manifest(self) -> dict[str, Any]:
        """What makes an adapter what it is."""
        asked = asdict(self.request)
        return {
            "format": FORMAT,
            "kind": f"train {asked.pop('method')}",
            "data_sha256": self.data.sha256,
            "base": dict(self.base),
            "run_seed": asked.pop("seed"),
            "settings": {n: asked[n] for n in _SETTINGS},
            "start": started(self.request.start),
            "steps": self.steps,
            "versions": package_versions(VERSIONS),
            REQUEST: {"data": str(self.request.data), "arms": list(self.request.arms), "model": self.request.model},
        }

    def told(self) -> dict[str, Any]:
        """Rows by who said them, cases, and what was left out."""
        data = self.data
        kept = {"rows": len(data.rows), "arms": data.arms, "cases": list(data.cases), "left_out": data.left_out}
        return {"method": self.request.method, "data": kept}

    def trainer(self, folder: Path, step: Callable[[int], None], steps: int | None = None) -> Any:
        """SFTTrainer or DPOTrainer on the rows."""
        asked = self.request
        weights, tokenizer = load_base(asked.model, asked.precision)
        import datasets
        import trl

        if asked.method == "sft":
            rows = [encoded(tokenizer, row["messages"], asked.length) for row in self.data.rows]
        else:
            rows = [fitting(tokenizer, row, asked.length) for row in self.data.rows]
        adapted = adapter_on(weights, asked)
        given = settings_of(asked, folder, steps or self.steps, saved=steps is None)
        given |= {"per_device_train_batch_size": asked.batch, "max_length": asked.length}
        kinds = {"sft": (trl.SFTTrainer, trl.SFTConfig), "dpo": (trl.DPOTrainer, trl.DPOConfig)}
        trainer, config = kinds[asked.method]
        return watched(
            trainer(
                model=adapted,
                args=config(**given),
                train_dataset=datasets.Dataset.from_list(rows),
                processing_class=tokenizer,
            ),
            step,
        )


@dataclass(frozen=True, slots=True)
class Cost:
    """What a run would take: seconds a step as timed, all seconds, and the memory of this process at its peak in MB."""

    step: float
    whole: float
    memory: float


def plan_tuning(request: TuneRequest) -> Tuning:
    """Read data and look for the base; loads no model. Raises `InputError` and its kin."""
    if lacking := missing_extra():
        raise InputError(lacking)
    checked_precision(request.precision)
    data = _data_of(request)
    steps = request.steps or -(-len(data.rows) // request.batch)
    base = base_of(request.model)
    started(request.start, base)
    return Tuning(request, data, base, steps)


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


def settings_of(asked: Adapted, folder: Path, steps: int, *, saved: bool) -> dict[str, Any]:
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
