"""What is trained: the weights of a model, in a precision, with a LoRA on them, which becomes a file of
llama.cpp."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from maieutic.errors import InputError, UnreadableFile, refuse_below
from maieutic.models.embedded import WEIGHTS_FILE, WEIGHTS_SHA256, packaged_weights
from maieutic.models.trained import ADAPTER, missing_extra, quiet_offline, read_card

PRECISIONS: Final = ("float32", "bfloat16", "float16")


def checked_precision(precision: str) -> None:
    """Raises `InputError` for one that is not known, or that this machine cannot train in."""
    if precision not in PRECISIONS:
        raise InputError(f"--precision must be one of {', '.join(PRECISIONS)}, got {precision!r}")
    if precision == "float16":
        import torch

        if not torch.cuda.is_available():
            raise InputError("--precision float16 needs a GPU and this machine has none; take float32 or bfloat16")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapting:
    """What every training is asked for, in the words of the command line.

    Attributes:
        model: 'embedded', or a Hugging Face folder.
        start: Folder of an adapter to go on from, in place of a new one.
        steps: Optimizer steps. rank: Of the LoRA. rate: Learning rate.
        layers: Topmost layers that are adapted; 0 for all. A smaller file, and nothing is computed back below them.
        precision: Of the frozen weights; the adapter is always learned in float32. float16 needs a GPU.
        seed: Of the adapter's start and the order of what is learned from.
    """

    model: str = "embedded"
    start: Path | None = None
    steps: int = 0
    rank: int = 8
    rate: float = 2e-4
    layers: int = 0
    precision: str = "float32"
    seed: int = 0

    def __post_init__(self) -> None:
        refuse_below(0, steps=self.steps, layers=self.layers)
        refuse_below(1, rank=self.rank)
        if not 0 < self.rate < math.inf:
            raise InputError(f"--rate must be above 0, got {self.rate:g}")

    def base(self) -> dict[str, str]:
        """Names the model; loads nothing. Raises `InputError` and its kin where it cannot be trained here."""
        if lacking := missing_extra():
            raise InputError(lacking)
        checked_precision(self.precision)
        found = base_of(self.model)
        started(self.start, found)
        return found


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


def adapter_on(weights: Any, asked: Adapting) -> Any:
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
        r=asked.rank,
        lora_alpha=2 * asked.rank,
        target_modules=sorted(name.rpartition(".")[2] for name in MODULES),
        task_type="CAUSAL_LM",
        layers_to_transform=list(range(whole - asked.layers, whole)) if asked.layers else None,
        layers_pattern="layers" if asked.layers else None,
    )
    return get_peft_model(weights, lora)


MODULES: Final = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}
"""Modules that are adapted, with their names in GGUF."""


def write_adapter(stored: Path, path: Path, base: Path, *, alpha: float) -> None:
    """Write an adapter that peft stored as float16.

    Args:
        stored: peft's safetensors.
        path: The file.
        base: GGUF file of the model that it is laid over.
        alpha: LoRA's alpha.
    """
    import numpy as np
    from gguf import GGUFReader, GGUFWriter
    from safetensors.numpy import load_file

    told = GGUFReader(base).fields
    heads, key_heads = (int(told[f"llama.attention.{name}"].contents()) for name in ("head_count", "head_count_kv"))
    writer = GGUFWriter(path, "llama")
    writer.add_string("general.type", "adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", alpha)
    state = load_file(stored)
    for name, array in state.items():
        parts = name.split(".")
        at = parts.index("layers")
        module, side = ".".join(parts[at + 2 : at + 4]), "lora_a" if "lora_A" in parts else "lora_b"
        if side == "lora_b" and module.endswith(("q_proj", "k_proj")):
            array = _paired(array, heads if module.endswith("q_proj") else key_heads)
        writer.add_tensor(
            f"blk.{parts[at + 1]}.{MODULES[module]}.weight.{side}", np.ascontiguousarray(array, np.float16)
        )
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _paired(rows: Any, heads: int) -> Any:
    """Rows in llama.cpp's order, which turns neighbours where transformers turns halves of a head."""
    return rows.reshape(heads, 2, rows.shape[0] // heads // 2, -1).swapaxes(1, 2).reshape(rows.shape)
