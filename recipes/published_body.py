"""The published sentence encoder as torch holds it, for whatever is trained above it."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from transformers import BertConfig, BertModel

from maieutic.reading.encoder import BODY, PIECES, WORD_TABLE, numbers, word_table

LINEAR = (
    "attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense", "intermediate.dense",
    "output.dense",
)  # fmt: skip
"""The products of a layer, in the order in which the published graph stores them."""


def body(folder: Path) -> BertModel:
    """The encoder with its published weights, from a folder with `config.json` and `model.safetensors`."""
    from safetensors.torch import load_file

    net = BertModel(BertConfig.from_pretrained(folder, attn_implementation="eager"), add_pooling_layer=False)
    stored = {k: v for k, v in load_file(folder / "model.safetensors").items() if not k.startswith("pooler.")}
    missing, _ = net.load_state_dict(stored, strict=False)
    if [name for name in missing if "position_ids" not in name]:
        raise SystemExit(f"{folder} holds no whole encoder; missing {missing[:3]}")
    return net


def shared_body() -> BertModel:
    """The same out of the whole numbers that a user has: exported again, its lower layers are the shared body bit for bit."""
    config = BertConfig(
        hidden_size=384,
        num_hidden_layers=6,
        num_attention_heads=12,
        intermediate_size=1536,
        attn_implementation="eager",
    )
    net, there = BertModel(config, add_pooling_layer=False), numbers()
    found = {
        name: torch.tensor(there[f"inner.{name}"].copy())
        for name in net.state_dict()
        if f"inner.{name}" in there and there[f"inner.{name}"].dtype == np.float32
    }
    whole = [name.removesuffix("_q") for name in there if name.startswith("val_") and name.endswith("_q")]
    for at, name in enumerate(whole):
        layer, part = divmod(at, len(LINEAR))
        product = there[f"{name}_q"] * there[f"{name}_scale"]
        found[f"encoder.layer.{layer}.{LINEAR[part]}.weight"] = torch.tensor(product.T.copy())
    found |= {f"embeddings.{name}.weight": table for name, table in _tables().items()}
    missing, _ = net.load_state_dict(found, strict=False)
    if missing := [name for name in missing if "position_ids" not in name and "token_type_ids" not in name]:
        raise SystemExit(f"the published graph holds no whole encoder; missing {missing[:3]}")
    return net


def _tables() -> dict[str, torch.Tensor]:
    """The tables of words, places and kinds as the shared body rounds them."""
    piece = onnx.load(BODY / f"{PIECES[0]}.onnx", load_external_data=False)
    stored = {tensor.name: tensor for tensor in piece.graph.initializer}
    words = np.load(BytesIO((BODY / WORD_TABLE).read_bytes()))
    found = {}
    for name in ("word_embeddings", "position_embeddings", "token_type_embeddings"):
        about = f"embeddings.{name}.weight"
        step, zero = (numpy_helper.to_array(stored[f"{about}_{part}"]) for part in ("scale", "zero_point"))
        if name == "word_embeddings":
            table = word_table(float(words["step"]), int(words["zero"]), words["off"])
        else:
            table = numpy_helper.to_array(stored[f"{about}_quantized"])
        found[name] = torch.tensor((table.astype(np.float32) - np.float32(zero)) * np.float32(step))
    return found
