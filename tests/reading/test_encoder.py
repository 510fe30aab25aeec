"""One body, several tops: what they tell, what they weigh, who loads them, and that nobody reads with another's head."""

from __future__ import annotations

import base64
import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from maieutic.coding.encoder import PairEncoder, packaged_encoder
from maieutic.coding.features import Said
from maieutic.coding.rules import RuleCoder, socratic_facets
from maieutic.domain.episode import Session, Turn
from maieutic.errors import UnreadableFile
from maieutic.library import get_case
from maieutic.patients import ear
from maieutic.patients.hearing.ranker import packaged_learned
from maieutic.reading import encoder, moves
from maieutic.reading.ear import Ear
from maieutic.reading.encoder import (
    BESIDE,
    BODY,
    BOUND,
    PIECES,
    SENTENCE_LAYER,
    SENTENCE_WORDS,
    WORD_TABLE,
    Network,
    facts_of_body,
    load,
    sentence_layers,
    sentence_pin,
    sha256,
    word_table,
)
from maieutic.reading.encoder import body as shared_body
from maieutic.reading.head import Floats, Head
from maieutic.reading.head import Networks as HiddenLayer
from maieutic.reading.head import load as load_head
from maieutic.reading.minilm import MiniLM
from maieutic.safety.encoder import load_encoder
from maieutic.therapists.socratic import SocraticTherapist
from maieutic.worlds import STANDARD_WORLD, patient_of

pytestmark = pytest.mark.usefixtures("encodes_anew")
PACKAGE = Path(__file__).parents[2] / "src" / "maieutic"
CODER = PACKAGE / "coding" / "weights" / "coder_encoder.onnx"
WHOLE_TOP = PACKAGE / "safety" / "weights" / "risk_encoder.onnx"
"""Its whole numbers lie beside it as differences."""
TEXT = "What went through your mind when the letter came?"
WINGS = {
    "patients": "patient", "safety": "safety", "tracking": "agent", "therapists": "agent", "rivals": "agent",
    "coding": "scorer", "measures": "scorer", "gap": "scorer", "scoring": "scorer", "practice": "scorer",
    "judging": "scorer", "validation.agent.instrument": "scorer", "reading.moves": "scorer",
    "reading.drafts": "agent", "reading.asking": "scorer",
}  # fmt: skip
# The body and its words, how any head is packed and heard with, and readings kept by the name of their head.
HELD_BY_ALL = {f"reading.{name}" for name in ("bag", "ear", "encoder", "known", "network")}
HEARD = [0.0383, 0.0062, -0.0720, -0.0237]
RISK = [-0.0013, -0.0094, 0.0342, -0.0127]
DANGER = 0.0317
QUESTION = [0.0074, 0.9801, 0.0107, 0.0018]
PLAIN = [-0.0029, 0.0317, 0.0426, 0.0581]
# Reads "ids", tells them as "scores" and again as "pooled".
TINY = base64.b64decode(
    "CAk6kwEKHgoDaWRzEgZzY29yZXMiBENhc3QqCQoCdG8YAaABAgoaCgZzY29yZXMSBnBvb2xlZCIISWRlbnRpdHkSBHRpbnlaFwoDaWRzEhAKDggHEgoKAxIB"
    "YgoDEgFuYhoKBnNjb3JlcxIQCg4IARIKCgMSAWIKAxIBbmIaCgZwb29sZWQSEAoOCAESCgoDEgFiCgMSAW5CBAoAEBI="
)
# Of the table that lay in the package whole.
TABLE = "2655fab7816f43efb3fad20f05446eb86b486521b298db97d541c7a9c4d2202d"
# Feedback to a trainee tells what this patient took a question about a danger for, so it asks the patient's own ear; it
# scores nothing by it.
SHARED = {
    ("practice", "patients.risk_talk"),
    ("therapists", "safety.intent"),
    ("therapists", "safety.kind_head"),
}


def test_every_top_tells_what_it_told_before_the_body_was_cut_out() -> None:
    """Numbers of the uncut graphs, on whatever processor: products that would overflow on some are multiplied otherwise."""
    np.testing.assert_allclose(packaged_learned().vector(TEXT)[:4], HEARD, atol=2e-4)
    assert load_encoder().score([TEXT]).danger == pytest.approx(DANGER, abs=2e-4)
    np.testing.assert_allclose(load_encoder().score([TEXT]).sense[:4], RISK, atol=2e-4)
    coded = packaged_encoder()([Said(TEXT, other="I could not open it.")])
    np.testing.assert_allclose(np.exp(coded.scores["annomi_therapist"][0]), QUESTION, atol=2e-4)
    np.testing.assert_allclose(MiniLM()([TEXT])[0, :4], PLAIN, atol=2e-4)


def test_the_sentence_encoder_in_its_layers_points_where_the_published_graph_points() -> None:
    """1 less the cosine: a hundred-thousandth in the mean, at most five; a text's words are each held to ten."""
    whole, rng = Network(bytes(encoder._file())), np.random.default_rng(1)
    texts = [rng.integers(0, 30_522, length).tolist() for length in (2, 3, 9, 16, 17, 31, 40, 64, 65, 128)]
    moved = []
    for ids, states in zip(texts, sentence_layers()(texts), strict=True):
        row = np.array([ids])
        given = {"input_ids": row, "attention_mask": np.ones_like(row), "token_type_ids": np.zeros_like(row)}
        published_states = whole(given)[0]
        assert (1 - _cosine(published_states, states)).max() < 1e-4
        moved.append(1 - float(_cosine(published_states.mean(axis=1), states.mean(axis=1))[0]))
    assert np.mean(moved) < 1e-5 and max(moved) < 5e-5


def _cosine(one: Floats, other: Floats) -> Floats:
    lengths = np.linalg.norm(one, axis=-1) * np.linalg.norm(other, axis=-1)
    return np.asarray((one * other).sum(axis=-1) / lengths)


@pytest.mark.parametrize("top", [CODER, WHOLE_TOP], ids=lambda path: path.stem)
def test_several_texts_at_once_tell_bit_for_bit_what_each_tells_alone(top: Path) -> None:
    network, rng = load(top), np.random.default_rng(1)
    texts = [(rng.integers(0, 30_522, length).tolist(), [0, *[1] * (length - 1)]) for length in (2, 9, 31, 64, 128)]
    for one, together in zip(texts, network.each(texts), strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(network(*one), together, strict=True))


def test_the_table_of_words_is_number_for_number_what_it_was_when_it_lay_here() -> None:
    how = np.load(BODY / WORD_TABLE)
    table = word_table(float(how["step"]), int(how["zero"]), how["off"])
    assert sha256(table.tobytes()) == TABLE


def test_the_body_lies_in_the_package_once_and_holds_nothing_that_a_package_beside_it_brings() -> None:
    graphs = list(PACKAGE.rglob("*.onnx"))
    steps = {SENTENCE_WORDS, SENTENCE_LAYER}
    assert {path.name for path in graphs if path.parent == BODY} == {f"{name}.onnx" for name in PIECES.values()} | steps
    assert [name for name in steps if (BODY / name).stat().st_size > 7e3] == []
    assert [path.name for path in graphs if path.parent == BODY and path.stat().st_size > 0.5e6] == []
    assert [path.name for path in graphs if path.parent != BODY and path.stat().st_size > 11e6] == []


def test_networks_and_tokenizers_are_loaded_in_one_place() -> None:
    found = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if re.search(r"InferenceSession|\bTokenizer\.from_|import onnxruntime", path.read_text(encoding="utf-8"))
    }
    assert found == {"reading/encoder.py"}


def _wing(module: str) -> str | None:
    """Whose a module is; None for rooms that all may use."""
    return WINGS.get(module) or WINGS.get(module.partition(".")[0])


def test_patient_agent_and_scorer_share_the_body_and_of_heads_those_that_are_named() -> None:
    texts = {
        ".".join(path.relative_to(PACKAGE).with_suffix("").parts): path.read_text(encoding="utf-8")
        for path in PACKAGE.rglob("*.py")
    }
    loading = {
        name
        for name, text in texts.items()
        if re.search(r"\w\.npz\"|\w\.onnx\"|_head\.json|reading\.head import", text)
    } - HELD_BY_ALL
    # Validation plays all of them and reads with an instrument of its own, which is a scorer's.
    assert [name for name in loading if _wing(name) is None and not name.startswith("validation.")] == []
    crossed, shared = [], set()
    for name, text in texts.items():
        if (wing := _wing(name)) is None:
            continue
        mentioned = re.findall(r"\b(\w+)(?:/weights|\"\s*/\s*\"weights\")", text)
        crossed += [(name, room) for room in mentioned if WINGS.get(room, wing) != wing]
        # Found by its words, in a function and in an example too: parsing all modules takes a second.
        for home in re.findall(r"^\s*(?:>>> )?from maieutic\.([\w.]+) import ", text, re.MULTILINE):
            if home in loading and _wing(home) != wing:
                shared.add((name.partition(".")[0], home))
    assert crossed == []
    assert shared == SHARED


async def test_the_heads_that_run_while_patient_agent_and_scorer_read_one_exchange(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every head and every top of an encoder, over words that nobody has read before."""
    whose = ""
    used: dict[str, dict[int, object]] = {"agent": {}, "patient": {}, "scorer": {}}
    scores, layered, run = Head.scores, HiddenLayer.__call__, Network.__call__
    sentence = sentence_layers()
    body = {id(one) for one in (*shared_body(max(PIECES)), sentence.words, *sentence.layers)}

    def scored(head: Head, row: Floats) -> Floats:
        used[whose][id(head)] = head
        return scores(head, row)

    def through(head: HiddenLayer, row: Floats) -> Floats:
        used[whose][id(head)] = head
        return layered(head, row)

    def passed(top: Network, given: Mapping[str, Any]) -> list[Any]:
        if id(top) not in body:
            used[whose][id(top)] = top
        return run(top, given)

    monkeypatch.setattr(Head, "scores", scored)
    monkeypatch.setattr(HiddenLayer, "__call__", through)
    monkeypatch.setattr(Network, "__call__", passed)
    said = "On the ferry to Tolsta they laughed behind me, and since then I feel ashamed and I keep away from the quay."
    asked = "You felt ashamed on that ferry to Tolsta. What went through your mind when they laughed behind you?"
    patient, agent = patient_of(get_case("gethin"), 0, STANDARD_WORLD), SocraticTherapist()
    whose = "agent"
    await agent.respond(Session((Turn("patient", said),)))
    talk = Session((Turn("patient", said), Turn("therapist", asked)))
    whose = "patient"
    patient.comprehend(talk)
    Ear.chances.cache_clear()  # what the patient has read would not run again
    Ear.questions.cache_clear()
    Ear.statements.cache_clear()
    Ear.attributions.cache_clear()
    whose = "scorer"
    RuleCoder().code(talk)
    socratic_facets(asked, said)
    assert min(map(len, used.values())) >= 2
    assert used["agent"].keys().isdisjoint(used["patient"].keys() | used["scorer"].keys())
    assert used["patient"].keys().isdisjoint(used["scorer"].keys())
    assert (
        id(load_head(ear.WEIGHTS, ear.NAME)) in used["patient"]
        and id(load_head(moves.PLACE, "marks")) in used["scorer"]
    )


def test_a_whole_encoder_made_on_this_machine_is_read_without_the_body(tmp_path: Path) -> None:
    graph = tmp_path / "own_encoder.onnx"
    graph.write_bytes(TINY)
    pins = json.loads((BODY / "body.json").read_text(encoding="utf-8"))
    facts = {"whole": True, "heads": {}, "sha256": sha256(TINY), "tokenizer_sha256": pins["files"]["tokenizer.json"]}
    graph.with_suffix(".json").write_text(json.dumps(facts), encoding="utf-8")
    assert PairEncoder(graph).labels == {}
    assert load(graph).below == () and load(graph)([101, 102])[0].tolist() == [101, 102]


@pytest.mark.parametrize("pin", ["sha256", "body_sha256", "tokenizer_sha256", "beside_sha256"])
def test_a_top_that_was_made_for_another_body_is_refused(tmp_path: Path, pin: str) -> None:
    whose = WHOLE_TOP if pin == "beside_sha256" else CODER
    graph = tmp_path / whose.name
    for end in {graph.suffix, BESIDE} if whose.with_suffix(BESIDE).is_file() else {graph.suffix}:
        shutil.copy(whose.with_suffix(end), graph.with_suffix(end))
    facts = json.loads(whose.with_suffix(".json").read_text(encoding="utf-8")) | {pin: "0" * 64}
    graph.with_suffix(".json").write_text(json.dumps(facts), encoding="utf-8")
    with pytest.raises(UnreadableFile, match=rf"{pin} is .*recipes/train_"):
        load(graph)


def test_each_number_of_layers_that_tops_are_bound_to_has_a_pin_of_its_own_and_others_are_refused(
    tmp_path: Path,
) -> None:
    held = json.loads((BODY / "body.json").read_text(encoding="utf-8"))["whole"]
    assert list(held) == list(BOUND.values())
    assert len({facts_of_body(layers)["body_sha256"] for layers in BOUND}) == len(BOUND)
    shutil.copy(CODER, tmp_path)
    facts = json.loads(CODER.with_suffix(".json").read_text(encoding="utf-8"))
    for layers in (1, 2, 5):
        (tmp_path / CODER.with_suffix(".json").name).write_text(json.dumps(facts | {"layers": layers}))
        with pytest.raises(UnreadableFile, match=f"not on {layers}; "):
            load(tmp_path / CODER.name)


def test_a_package_without_the_steps_of_the_sentence_encoder_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoder, "BODY", tmp_path)
    for ask in (encoder._sentence, sentence_layers):
        ask.cache_clear()
    for ask in (sentence_pin, sentence_layers):
        with pytest.raises(UnreadableFile, match=r"sentence\.json is missing; install"):
            ask()


def test_an_own_layer_that_is_not_the_pinned_one_is_refused(tmp_path: Path) -> None:
    for path in WHOLE_TOP.parent.glob(f"{WHOLE_TOP.stem}*"):
        shutil.copy(path, tmp_path)
    layers = sorted(tmp_path.glob("*_layer_*.onnx"))
    assert len(layers) == 5 and len(load(tmp_path / WHOLE_TOP.name).below) == 6
    load.cache_clear()
    layers[0].write_bytes(layers[1].read_bytes())
    with pytest.raises(UnreadableFile, match=layers[0].name):
        load(tmp_path / WHOLE_TOP.name)
    layers[0].unlink()
    with pytest.raises(UnreadableFile, match="missing"):
        load(tmp_path / WHOLE_TOP.name)


def test_a_missing_top_names_its_recipe(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"nothing\.json.*recipes/train_"):
        load(tmp_path / "nothing.onnx")
