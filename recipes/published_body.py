"""The published sentence encoder as torch holds it, for whatever is trained above it."""

from __future__ import annotations

from pathlib import Path

from transformers import BertConfig, BertModel


def body(folder: Path) -> BertModel:
    """The encoder with its published weights, from a folder with `config.json` and `model.safetensors`."""
    from safetensors.torch import load_file

    net = BertModel(BertConfig.from_pretrained(folder, attn_implementation="eager"), add_pooling_layer=False)
    stored = {k: v for k, v in load_file(folder / "model.safetensors").items() if not k.startswith("pooler.")}
    missing, _ = net.load_state_dict(stored, strict=False)
    if [name for name in missing if "position_ids" not in name]:
        raise SystemExit(f"{folder} holds no whole encoder; missing {missing[:3]}")
    return net
