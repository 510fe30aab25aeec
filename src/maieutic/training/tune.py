"""`maieutic train sft` and `dpo`: a LoRA by TRL's trainers, with checkpoints, a model card and a report.

Departures from TRL's defaults: loss on the therapist's own tokens only, over whole sessions; no step is saved whose loss
is no number; the reference of DPO is the model without its adapter.
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
from typing import Any, Final

from maieutic.errors import InputError, MaieuticError, UnreadableFile
from maieutic.evaluation.folder import REQUEST, locked, prepare, usable, write_json, write_whole
from maieutic.evaluation.plan import package_versions
from maieutic.models.embedded import WEIGHTS_FILE, WEIGHTS_SHA256, packaged_weights
from maieutic.models.trained import ADAPTER, CARD, GGUF_ADAPTER, missing_extra, quiet_offline
from maieutic.training.examples import SYSTEM, Data, encoded, fitting, read_pairs, read_sessions, read_talks
from maieutic.training.gguf_adapter import MODULES, write_adapter
from maieutic.training.tune_page import card_text, report

FORMAT: Final = 1
CHECKPOINTS: Final = "checkpoints"
PRECISIONS: Final = ("float32", "bfloat16")
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
        precision: Of the frozen weights; the adapter is always learned in float32.
        seed: Of the adapter's start and the order of rows.
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

    def __post_init__(self) -> None:
        for name, low in (("steps", 0), ("batch", 1), ("rank", 1), ("length", 32), ("layers", 0), ("keep", 0)):
            if getattr(self, name) < low:
                raise InputError(f"--{name} must be at least {low}, got {getattr(self, name)}")
        if self.precision not in PRECISIONS:
            raise InputError(f"--precision must be {' or '.join(PRECISIONS)}, got {self.precision!r}")
        if not 0 < self.rate < math.inf:
            raise InputError(f"--rate must be above 0, got {self.rate:g}")


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
            "run_seed": asked.pop("seed"), "settings": {n: asked[n] for n in ("batch", "rank", "rate", "length", "layers", "precision", "keep", "reward")},
            "steps": self.steps, "versions": package_versions(("maieutic", "torch", "transformers", "peft", "trl")),
            REQUEST: {"data": str(self.request.data), "arms": list(self.request.arms), "model": self.request.model},
        }  # fmt: skip


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
    data = _data_of(request)
    steps = request.steps or -(-len(data.rows) // request.batch)
    return Tuning(request, data, _base(request.model), steps)


def _data_of(request: TuneRequest) -> Data:
    if request.method == "dpo":
        return read_pairs(request.data)
    if request.data.is_file():
        if request.arms or request.keep:
            raise InputError(f"{request.data} is a file of talks: --arm and --keep choose among the sessions of a run")
        return read_talks(request.data)
    return read_sessions(request.data, request.arms, keep=request.keep, reward=request.reward)


def _base(model: str) -> dict[str, str]:
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


def tune(tuning: Tuning, out: Path, tick: Callable[[int], Callable[[int], None]], *, resume: bool) -> dict[str, Any]:
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
        trainer = _trainer(tuning, out / CHECKPOINTS, tick(tuning.steps))
        trainer.train(resume_from_checkpoint=last_checkpoint(out / CHECKPOINTS))
        return _store(tuning, trainer, out, time.monotonic() - begun)


def cost_of(tuning: Tuning) -> Cost:
    """Trains a few steps in a temporary folder, times all but the first, and keeps nothing."""
    marks: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        trainer = _trainer(tuning, Path(folder), lambda _: marks.append(time.monotonic()), steps=_TIMED)
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
    quiet_offline()
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    place: dict[str, Any] = {"pretrained_model_name_or_path": str(Path(model).expanduser()), "local_files_only": True}
    if model == "embedded":
        path = packaged_weights()
        place = {"pretrained_model_name_or_path": str(path.parent), "gguf_file": path.name}
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


def adapter_on(weights: Any, rank: int, layers: int) -> Any:
    """The model with a new LoRA on its topmost layers, on all of them where `layers` is 0."""
    from peft import LoraConfig, get_peft_model

    whole = weights.config.num_hidden_layers
    if layers > whole:
        raise InputError(f"--layers must be at most {whole}, the layers of the model, got {layers}")
    lora = LoraConfig(
        r=rank, lora_alpha=2 * rank, target_modules=sorted(name.rpartition(".")[2] for name in MODULES),
        task_type="CAUSAL_LM", layers_to_transform=list(range(whole - layers, whole)) if layers else None,
        layers_pattern="layers" if layers else None,
    )  # fmt: skip
    return get_peft_model(weights, lora)


def _trainer(tuning: Tuning, folder: Path, step: Callable[[int], None], *, steps: int | None = None) -> Any:
    asked, saved = tuning.request, steps is None
    os.environ.setdefault("HF_DATASETS_OFFLINE", "1")
    quiet_offline()
    import datasets
    import torch
    import trl
    from transformers import TrainerCallback
    from transformers.trainer_callback import PrinterCallback

    datasets.disable_progress_bars()
    weights, tokenizer = load_base(asked.model, asked.precision)
    torch.manual_seed(asked.seed)
    adapted = adapter_on(weights, asked.rank, asked.layers)
    if asked.method == "sft":
        rows = [encoded(tokenizer, row["messages"], asked.length) for row in tuning.data.rows]
    else:
        rows = [fitting(tokenizer, row, asked.length) for row in tuning.data.rows]
    total = steps or tuning.steps
    given: dict[str, Any] = {
        "output_dir": str(folder), "max_steps": total, "per_device_train_batch_size": asked.batch,
        "learning_rate": asked.rate, "lr_scheduler_type": "cosine", "seed": asked.seed, "max_length": asked.length,
        "save_strategy": "steps" if saved else "no", "save_steps": max(1, total // 10), "save_total_limit": 2,
        # A loss is looked at before a checkpoint is saved: logged at every step, and never smoothed over.
        "logging_steps": 1, "logging_nan_inf_filter": False, "report_to": "none", "disable_tqdm": True,
        "use_cpu": not torch.cuda.is_available(), "bf16": False, "gradient_checkpointing": False,
        "dataloader_pin_memory": False,
    }  # fmt: skip

    class Watch(TrainerCallback):
        """Counts steps, and stops before anything is saved of a loss that is no number."""

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

    kinds = {"sft": (trl.SFTTrainer, trl.SFTConfig), "dpo": (trl.DPOTrainer, trl.DPOConfig)}
    trainer, config = kinds[asked.method]
    built = trainer(
        model=adapted, args=config(**given), train_dataset=datasets.Dataset.from_list(rows),
        processing_class=tokenizer, callbacks=[Watch()],
    )  # fmt: skip
    built.remove_callback(PrinterCallback)
    return built


def _store(tuning: Tuning, trainer: Any, out: Path, seconds: float) -> dict[str, Any]:
    from peft import get_peft_model_state_dict

    asked, model = tuning.request, trainer.model
    model.save_pretrained(out / ADAPTER)
    files = {"adapter_model.safetensors": out / ADAPTER / "adapter_model.safetensors"}
    if asked.model == "embedded":
        arrays = {name: one.detach().cpu().numpy() for name, one in get_peft_model_state_dict(model).items()}
        shape = model.config
        files[GGUF_ADAPTER] = out / GGUF_ADAPTER
        write_adapter(
            arrays, out / GGUF_ADAPTER, alpha=2.0 * asked.rank, heads=shape.num_attention_heads,
            key_heads=shape.num_key_value_heads,
        )  # fmt: skip
    curve = [one for one in trainer.state.log_history if "loss" in one]
    card = {
        **tuning.manifest(), "kind": "adapter", "method": asked.method, "system": SYSTEM,
        "data": {"rows": len(tuning.data.rows), "arms": tuning.data.arms, "cases": list(tuning.data.cases),
                 "left_out": tuning.data.left_out},
        "files": {name: sha256(path.read_bytes()).hexdigest() for name, path in files.items()},
        "bytes": {name: path.stat().st_size for name, path in files.items()},
        "seconds": round(seconds, 1), "loss": {"first": curve[0]["loss"], "last": curve[-1]["loss"]},
    }  # fmt: skip
    write_whole(out / "report.html", report(card, curve).encode())
    write_whole(out / "model_card.md", card_text(card).encode())
    write_json(out / "curve.json", curve)
    write_json(out / CARD, card)  # last: a folder with a card is whole
    return card


__all__ = ["Cost", "TuneRequest", "Tuning", "cost_of", "last_checkpoint", "load_base", "plan_tuning", "tune"]
