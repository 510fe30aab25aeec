"""Writes a LoRA of a Llama-shaped model as GGUF, which the in-process runtime lays over the packaged weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

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
