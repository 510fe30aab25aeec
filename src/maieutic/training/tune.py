"""`maieutic train sft`, `dpo` and `grpo`: a LoRA by TRL's trainers, with checkpoints, a model card and a report.

Departures from TRL's defaults: loss on the therapist's own tokens only, over whole sessions; no step is saved whose loss
is no number; the reference is the model as training found it, without an adapter or with that of `--start`.
"""

from __future__ import annotations

import json
import math
import os
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

from maieutic.errors import InputError, MaieuticError, UnreadableFile
from maieutic.evaluation.folder import REQUEST, locked, prepare, usable, write_json, write_whole
from maieutic.evaluation.plan import package_versions
from maieutic.models.embedded import WEIGHTS_FILE, WEIGHTS_SHA256, packaged_weights
from maieutic.models.trained import ADAPTER, CARD, GGUF_ADAPTER, missing_extra, quiet_offline, read_card
from maieutic.training.examples import SYSTEM, Data, encoded, fitting, read_pairs, read_sessions, read_talks
from maieutic.training.gguf_adapter import MODULES, write_adapter
from maieutic.training.tune_page import card_text, read_samples, report

FORMAT: Final = 1
CHECKPOINTS: Final = "checkpoints"
PRECISIONS: Final = ("float32", "bfloat16", "float16")
VERSIONS: Final = ("maieutic", "torch", "transformers", "peft", "trl")
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
        for name, low in (("steps", 0), ("batch", 1), ("rank", 1), ("length", 32), ("layers", 0), ("keep", 0)):
            if getattr(self, name) < low:
                raise InputError(f"--{name} must be at least {low}, got {getattr(self, name)}")
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
            "format": FORMAT, "kind": f"train {asked.pop('method')}", "data_sha256": self.data.sha256, "base": dict(self.base),
            "run_seed": asked.pop("seed"), "settings": {n: asked[n] for n in _SETTINGS}, "start": started(self.request.start),
            "steps": self.steps, "versions": package_versions(VERSIONS),
            REQUEST: {"data": str(self.request.data), "arms": list(self.request.arms), "model": self.request.model},
        }  # fmt: skip

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


def checked_precision(precision: str) -> None:
    """Raises `InputError` for one that is not known, or that this machine cannot train in."""
    if precision not in PRECISIONS:
        raise InputError(f"--precision must be one of {', '.join(PRECISIONS)}, got {precision!r}")
    if precision == "float16":
        import torch

        if not torch.cuda.is_available():
            raise InputError("--precision float16 needs a GPU and this machine has none; take float32 or bfloat16")


def _data_of(request: TuneRequest) -> Data:
    if request.method == "dpo":
        return read_pairs(request.data)
    if request.data.is_file():
        if request.arms or request.keep:
            raise InputError(f"{request.data} is a file of talks: --arm and --keep choose among the sessions of a run")
        return read_talks(request.data)
    return read_sessions(request.data, request.arms, keep=request.keep, reward=request.reward)


def base_of(model: str) -> dict[str, str]:
    """Names the model and its weights. Raises `UnreadableFile`, `ModelUnavailable`."""
    if model == "embedded":
        packaged_weights()
        return {"model": model, "file": WEIGHTS_FILE, "sha256": WEIGHTS_SHA256}
    folder = Path(model).expanduser().resolve()
    if not (folder / "config.json").is_file():
        raise UnreadableFile(
            f"{model} is no Hugging Face model folder (it has no config.json); write --model embedded or a folder"
        )
    total = sha256()
    for path in sorted(folder.glob("*")):
        if path.suffix in (".safetensors", ".json"):
            total.update(path.name.encode() + sha256(path.read_bytes()).digest())
    return {"model": str(folder), "sha256": total.hexdigest()}


def started(folder: Path | None, base: Mapping[str, str] | None = None) -> str | None:
    """Hash of the adapter to go on from. Raises `UnreadableFile`, `InputError` where it is none for this base."""
    if folder is None:
        return None
    card = read_card(folder)
    if base is not None and card["base"]["sha256"] != base["sha256"]:
        raise InputError(f"--start {folder} was trained on another model ({card['base']['model']})")
    return str(card["files"]["adapter_model.safetensors"])


def tune(tuning: Plan, out: Path, tick: Callable[[int], Callable[[int], None]], *, resume: bool) -> dict[str, Any]:
    """Train, and write adapter, card and report; a stop loses what came after the last checkpoint.

    Returns:
        The model card.

    Raises:
        RunFolderError: the folder holds something else. MaieuticError: the loss is no number; no adapter is written.
    """
    manifest = tuning.manifest()
    usable(out, manifest, resume=resume)
    with locked(out):
        prepare(out, manifest, resume=resume)
        if (out / CARD).exists():
            done: dict[str, Any] = json.loads((out / CARD).read_bytes())
            return done
        begun = time.monotonic()
        trainer = tuning.trainer(out / CHECKPOINTS, tick(tuning.steps))
        trainer.train(resume_from_checkpoint=last_checkpoint(out / CHECKPOINTS))
        return _store(tuning, trainer, out, time.monotonic() - begun)


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


def load_base(model: str, precision: str = "float32") -> tuple[Any, Any]:
    """Weights and tokenizer; the packaged GGUF file is dequantised."""
    os.environ.setdefault("HF_DATASETS_OFFLINE", "1")
    quiet_offline()
    import datasets
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    place: dict[str, Any] = {"pretrained_model_name_or_path": str(Path(model).expanduser()), "local_files_only": True}
    if model == "embedded":
        path = packaged_weights()
        place = {"pretrained_model_name_or_path": str(path.parent), "gguf_file": path.name}
    datasets.disable_progress_bars()
    try:
        tokenizer = AutoTokenizer.from_pretrained(**place)
        weights = AutoModelForCausalLM.from_pretrained(**place, dtype=getattr(torch, precision))
    except (OSError, ValueError, RuntimeError) as error:
        raise UnreadableFile(f"{model} cannot be loaded: {' '.join(str(error).split())[:300]}") from error
    if model == "embedded":
        # Its numbers are plain now; a trainer refuses what is still marked as quantised.
        del weights.config.quantization_config
        weights.is_quantized, weights.hf_quantizer = False, None
    return weights, tokenizer


class Adapted(Protocol):
    """What every request says of the adapter and its training."""

    @property
    def rank(self) -> int: ...
    @property
    def layers(self) -> int: ...
    @property
    def rate(self) -> float: ...
    @property
    def seed(self) -> int: ...
    @property
    def start(self) -> Path | None: ...


def adapter_on(weights: Any, asked: Adapted) -> Any:
    """The model with a LoRA: a new one on its topmost layers, or that of `start` to go on from."""
    import torch
    from peft import LoraConfig, PeftModel, get_peft_model

    torch.manual_seed(asked.seed)
    if asked.start is not None:
        return PeftModel.from_pretrained(weights, asked.start / ADAPTER, is_trainable=True)
    whole = weights.config.num_hidden_layers
    if asked.layers > whole:
        raise InputError(f"--layers must be at most {whole}, the layers of the model, got {asked.layers}")
    lora = LoraConfig(
        r=asked.rank, lora_alpha=2 * asked.rank, target_modules=sorted(name.rpartition(".")[2] for name in MODULES),
        task_type="CAUSAL_LM", layers_to_transform=list(range(whole - asked.layers, whole)) if asked.layers else None,
        layers_pattern="layers" if asked.layers else None,
    )  # fmt: skip
    return get_peft_model(weights, lora)


def settings_of(asked: Adapted, folder: Path, steps: int, *, saved: bool) -> dict[str, Any]:
    """What all trainers are told."""
    import torch

    return {
        "output_dir": str(folder), "max_steps": steps, "learning_rate": asked.rate, "lr_scheduler_type": "cosine",
        "seed": asked.seed, "save_strategy": "steps" if saved else "no", "save_steps": max(1, steps // 10), "save_total_limit": 2,
        # A loss is looked at before a checkpoint is saved: logged at every step, and never smoothed over.
        "logging_steps": 1, "logging_nan_inf_filter": False, "report_to": "none", "disable_tqdm": True,
        "use_cpu": not torch.cuda.is_available(), "bf16": False, "gradient_checkpointing": False,
        "dataloader_pin_memory": False,
    }  # fmt: skip


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
                    f"the loss is no number at step {state.global_step}: training diverged and nothing was saved of it; "
                    "lower --rate"
                )

        def on_step_end(self, args: Any, state: Any, control: Any, **others: Any) -> None:
            step(1)

    trainer.add_callback(Watch())
    trainer.remove_callback(PrinterCallback)
    return trainer


def _store(tuning: Plan, trainer: Any, out: Path, seconds: float) -> dict[str, Any]:
    from peft import get_peft_model_state_dict

    model = trainer.model
    # A trainer may have laid a frozen copy beside it as its reference.
    model.save_pretrained(out / ADAPTER, selected_adapters=["default"])
    files = {"adapter_model.safetensors": out / ADAPTER / "adapter_model.safetensors"}
    if tuning.base["model"] == "embedded":
        arrays = {name: one.detach().cpu().float().numpy() for name, one in get_peft_model_state_dict(model).items()}
        shape = model.config
        files[GGUF_ADAPTER] = out / GGUF_ADAPTER
        write_adapter(
            arrays, out / GGUF_ADAPTER, alpha=float(model.peft_config["default"].lora_alpha),
            heads=shape.num_attention_heads, key_heads=shape.num_key_value_heads,
        )  # fmt: skip
    curve = [one for one in trainer.state.log_history if "loss" in one]
    card = {
        **tuning.manifest(), "kind": "adapter", "system": SYSTEM, **tuning.told(),
        "files": {name: sha256(path.read_bytes()).hexdigest() for name, path in files.items()},
        "bytes": {name: path.stat().st_size for name, path in files.items()},
        "seconds": round(seconds, 1),
    }  # fmt: skip
    told = {name: {"first": curve[0][name], "last": curve[-1][name]} for name in ("loss", "reward") if name in curve[0]}
    card |= told
    samples = read_samples(out)
    write_whole(out / "report.html", report(card, curve, samples).encode())
    write_whole(out / "model_card.md", card_text(card).encode())
    write_json(out / "curve.json", curve)
    write_json(out / CARD, card)  # last: a folder with a card is whole
    return card


__all__ = [
    "CHECKPOINTS", "FORMAT", "PRECISIONS", "VERSIONS", "Cost", "Plan", "TuneRequest", "Tuning", "adapter_on", "base_of",
    "checked_precision", "cost_of", "last_checkpoint", "load_base", "plan_tuning", "settings_of", "started", "tune", "watched",
]  # fmt: skip
