"""Lets the risk encoder read each sentence as a part of its turn, in the pass that reads the turn.

    uv run --with onnx python recipes/risk_within.py          # after train_risk_encoder.py and graph_pieces.py; writes
    uv run --with onnx python recipes/risk_within.py --check  # the table alone, five minutes; nothing is written

The graph comes to tell the state of each token beside what it told, which stays the same bit for bit. A sentence is the
mean of its own tokens, under the network's own two heads, which were trained on means of whole texts, and its own
thresholds. The table shows what is flagged of turns by writers whom the network was not trained on
(`recipes/data/risk_grades_*`), as they are, and again among harmless sentences of development patients.
"""

from __future__ import annotations

import argparse
import json
from random import Random

import numpy as np
import onnx
from onnx import numpy_helper

from fit_tracker import DATA, written
from maieutic.language.sentences import sentences, several, words
from maieutic.library import case_ids, get_case
from maieutic.reading import encoder as reading
from maieutic.reading.head import Head, save
from maieutic.safety.encoder import WEIGHTS
from maieutic.safety.risk import assess, assessed
from maieutic.stats import wilson
from maieutic.tracking.space import RISKS

SAMPLE = 900
SEED = 5


def write() -> None:
    """The graph with one answer more, and the heads of sentences out of its numbers."""
    facts = json.loads(WEIGHTS.with_suffix(".json").read_text(encoding="utf-8"))
    graph = onnx.load(WEIGHTS, load_external_data=False)
    last = [node for node in graph.graph.node if node.op_type == "LayerNormalization"][-1].output[0]
    if "states_of_tokens" not in [value.name for value in graph.graph.output]:
        graph.graph.node.append(onnx.helper.make_node("Identity", [last], ["states_of_tokens"]))
        told = onnx.helper.make_tensor_value_info("states_of_tokens", onnx.TensorProto.FLOAT, None)
        graph.graph.output.append(told)
        onnx.save(graph, WEIGHTS)
        facts["sha256"] = reading.sha256(WEIGHTS.read_bytes())
        WEIGHTS.with_suffix(".json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    own = [tensor for tensor in graph.graph.initializer if tensor.name.startswith(("trained.danger", "trained.kind"))]
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in own}

    def head(name: str, labels: tuple[str, ...], *, many: bool) -> Head:
        weights = stored[f"trained.{name}.weight_quantized"].astype(np.float64) * stored[f"trained.{name}.weight_scale"]
        return Head(labels, weights.T, stored[f"trained.{name}.bias"].astype(np.float64), many=many)

    save(
        WEIGHTS.with_name("within.npz"),
        danger=head("danger", ("danger",), many=True),
        kind=head("kind", tuple(facts["kinds"]), many=False),
    )


def turns() -> dict[str, list[tuple[str, str]]]:
    """(turn, grade) of several sentences by writers that the network was not trained on: as it is, and in company."""
    rng = Random(SEED)
    own = [row for path in sorted(DATA.glob("risk_grades_*.jsonl")) for row in written(path.name)]
    own = rng.sample([(str(row["text"]), str(row["grade"])) for row in own], SAMPLE)
    calm = [get_case(name) for name in case_ids("dev") if get_case(name).risk.level == "none"]
    said = [line for case in calm for s in case.situations for line in case.phrasings.details[s.id]]
    company = sorted({one for line in said for one in sentences(line) if 4 <= len(words(one)) <= 22})

    def among(text: str) -> str:
        beside = rng.sample(company, rng.choice((2, 3, 4)))
        place = rng.randint(0, len(beside))
        return " ".join([*beside[:place], text, *beside[place:]])

    return {
        "as it is": [(text, grade) for text, grade in own if several(text)],
        "in company": [(among(text), grade) for text, grade in own[: SAMPLE // 2]],
    }


def check() -> None:
    """Shares flagged: by the turn alone, with sentences read alone, with sentences read within it."""
    for title, rows in turns().items():
        found: dict[str, list[bool]] = {"turn alone": [], "sentences alone, too": [], "sentences within, too": []}
        for text, _ in rows:
            whole, *parts = assessed(text)
            found["turn alone"].append(whole.flagged)
            alone = any(assess(part).flagged for part in several(text))
            found["sentences alone, too"].append(whole.flagged or alone)
            found["sentences within, too"].append(whole.flagged or any(part.flagged for part in parts))
        grades = np.array([grade for _, grade in rows])
        for way, flags in found.items():
            shares = []
            for grade in RISKS:
                own = np.array(flags)[grades == grade]
                one = wilson(int(own.sum()), len(own))
                shares.append(f"{grade} {one.estimate:.3f} [{one.low:.3f}, {one.high:.3f}] of {len(own)}")
            print(f"{title}, {way}: {'; '.join(shares)}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="the table, nothing is written")
    if not parser.parse_args().check:
        write()
    check()
