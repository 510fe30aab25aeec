"""Writes a LoRA of a Llama-shaped model as GGUF, which the in-process runtime lays over the packaged weights."""

from __future__ import annotations

from collections.abc import Mapping
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


def write_adapter(state: Mapping[str, Any], path: Path, *, alpha: float, heads: int, key_heads: int) -> None:
    """Write peft's state of an adapter as float16.

    Args:
        state: `get_peft_model_state_dict`, tensors as arrays.
        path: The file.
        alpha: LoRA's alpha. heads: Of queries. key_heads: Of keys.
    """
    import numpy as np
    from gguf import GGUFWriter

    writer = GGUFWriter(path, "llama")
    writer.add_string("general.type", "adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", alpha)
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


__all__ = ["MODULES", "write_adapter"]
