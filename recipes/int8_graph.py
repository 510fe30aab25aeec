"""Writes a network as an int8 graph that runs without torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from torch import nn


def write_int8(net: nn.Module, inputs: Mapping[str, torch.Tensor], outputs: Sequence[str], target: Path) -> None:
    """Exports a network by example inputs (names to (batch, width) tensors of any size) and quantises its weights."""
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    plain = target.with_name(f"{target.stem}_float.onnx")
    axes = {0: torch.export.Dim("batch", max=4096), 1: torch.export.Dim("width", max=512)}
    torch.onnx.export(
        net.eval(), tuple(inputs.values()), str(plain), input_names=list(inputs), output_names=list(outputs),
        dynamic_shapes=dict.fromkeys(inputs, axes), dynamo=True, external_data=False, opset_version=18,
    )  # fmt: skip
    graph = onnx.load(plain)
    plain.unlink()
    del graph.graph.value_info[:]  # the exporter's notes on shapes contradict the quantiser's own
    for node in graph.graph.node:  # the exporter's stack traces name folders of this machine
        del node.metadata_props[:]
        node.doc_string = ""
    quantize_dynamic(graph, target, weight_type=QuantType.QInt8, per_channel=True)
