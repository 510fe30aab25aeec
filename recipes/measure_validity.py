"""Holds session measures against human codes and quality labels: `python recipes/measure_validity.py --data ../shared/data`.

Writes `src/maieutic/measures/reference/validity.json`: the rank correlation over AnnoMI's sessions of each measure on
out-of-fold codes with the same measure on human codes; F1 of each BOLT code; AUC of every measure, high over low quality,
in AnnoMI and HLQC. Nothing is fitted. `--alliance` adds the slow measures. The likeness leaves out what does not look
like people's sessions; over all sessions of HLQC it is taken from the stored run of `maieutic validate coder`, so that
the page tells the figure that the bound is on (a test holds the two together). Then rebuild the page:
`python recipes/measure_page.py > docs/measures.md`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import lzma
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from maieutic.measures.catalogue import OF_TRANSCRIPTS, scores_of
from maieutic.measures.coded import CodedTranscript, code_transcript, further_coder, packaged_coder
from maieutic.protocols import Embedder
from maieutic.scoring.groups import Comparison, SessionValues, compare_groups
from maieutic.transcripts.opening import open_sources
from maieutic.transcripts.utterance import Transcript, out_of_scope
from maieutic.validation.coder.datasets import gold
from maieutic.validation.coder.figures import chosen, counts, f1
from out_of_fold_codes import FOLDER, out_of_fold_codes

ROOT = Path(__file__).parent.parent
OUT = ROOT / "src/maieutic/measures/reference/validity.json"
CODER_RUN = ROOT / "benchmarks/results/coder_validation.jsonl.xz"
LIKENESS = "HLQC high over low by the quality score: pairs whose utterance counts differ by at most 20 %"
DRAWS = 1000
# Measures that are nothing but counts of AnnoMI's labels, so that agreement on the labels is their validity.
ON_LABELS = {
    "reflection_rate", "therapist_input_rate", "question_rate", "reflection_to_question_ratio", "longest_question_run",
    "change_talk_share", "reflection_after_feeling", "input_after_feeling",
}  # fmt: skip


def transcripts(path: Path) -> list[Transcript]:
    """The sessions of a file that are in scope."""
    sources, _ = open_sources([path])
    return [one for one in sources[0].read() if out_of_scope(one) is None]


def with_human_codes(one: CodedTranscript) -> CodedTranscript:
    """The same session with the annotators' labels in place of predicted ones."""
    labels = [said.labels.get("main_therapist_behaviour") or said.labels.get("client_talk_type")
              for said in one.transcript.utterances]  # fmt: skip
    turns = [replace(turn, label=label, probabilities={}) for turn, label in zip(one.turns, labels, strict=True)]
    return replace(one, turns=tuple(turns))


def values(sessions: Sequence[CodedTranscript], embedder: Embedder | None) -> list[SessionValues]:
    """All measures of all sessions."""
    return [
        SessionValues(one.transcript.id, one.transcript.group, one.transcript.words, len(one.turns),
                      {score.measure: score.value for score in scores_of(replace(one, embedder=embedder))})
        for one in sessions
    ]  # fmt: skip


def agreement(predicted: Sequence[SessionValues], human: Sequence[SessionValues]) -> dict[str, dict[str, float | int]]:
    """Spearman's correlation over sessions, by measure that rests on AnnoMI's labels alone."""
    from scipy.stats import spearmanr

    found: dict[str, dict[str, float | int]] = {}
    for one in OF_TRANSCRIPTS:
        if (one.id not in ON_LABELS and not one.id.endswith(("_third", "_position"))) or one.id.startswith("bolt_"):
            continue
        pairs = [(a.values[one.id], b.values[one.id]) for a, b in zip(predicted, human, strict=True)]
        have = [pair for pair in pairs if None not in pair]
        found[one.id] = {"rho": round(float(spearmanr(have).statistic), 3), "sessions": len(have)}
    return found


def bolt_f1(data: Path) -> dict[str, float]:
    """F1 by BOLT code, out of fold, mean over seeds."""
    found: dict[str, float] = {}
    for head in ("bolt_therapist", "bolt_client"):
        with np.load(FOLDER / f"{head}.npz", allow_pickle=False) as stored:
            labels = [str(label) for label in stored["labels"]]
            edge = json.loads(str(stored["facts"]))["threshold"]
            given = chosen(stored["probabilities"].astype(float), edge)
        flags = np.array([[label in one.labels for label in labels] for one in gold(head, data)])
        found |= dict(zip(labels, map(float, f1(counts(flags, given)).mean(0)), strict=True))
    return found


def areas(found: Comparison) -> dict[str, list[float | None]]:
    """AUC with its bounds, high over low: as it is, of the residual on log words, over pairs of like length."""
    parts = {"raw": found.raw, "residual": found.residual, "like_length": found.matched}
    return {
        kind: [None if number is None else round(number, 4) for number in (part.estimate, part.low, part.high)]
        for kind, part in parts.items()
    }


def likeness_on_all(hlqc: Sequence[SessionValues]) -> dict[str, Any]:
    """AUC of the likeness on HLQC at like length, all sessions, and how many the measure itself gives a value."""
    lines = map(json.loads, lzma.decompress(CODER_RUN.read_bytes()).splitlines())
    (line,) = (one for one in lines if one.get("title") == LIKENESS)
    told = sum(one.values["mi_demonstration_likeness"] is not None for one in hlqc)
    return {"like_length": line["value"], "sessions": line["n"], "in_domain": told}


def store(
    predicted: Sequence[SessionValues], human: Sequence[SessionValues], hlqc: Sequence[SessionValues], data: Path
) -> None:
    """Writes the figures."""
    ids, lengths = [one.id for one in OF_TRANSCRIPTS], frozenset(one.id for one in OF_TRANSCRIPTS if one.length)
    compared = [
        compare_groups(sessions, ("high", "low"), measures=ids, length_measures=lengths, draws=DRAWS)
        for sessions in (predicted, hlqc)
    ]
    files = ("annomi/AnnoMI-simple.csv", "hlqc/HLQC.csv")
    stored = {
        "data_sha256": {name: hashlib.sha256((data / name).read_bytes()).hexdigest() for name in files},
        "agreement": agreement(predicted, human),
        "bolt_f1": bolt_f1(data),
        "likeness_hlqc": likeness_on_all(hlqc),
        "auc": {
            one.measure: {"annomi": areas(one), "hlqc": areas(other)}
            for one, other in zip(*compared, strict=True)
            if one.raw.estimate is not None
        },
    }
    text = re.sub(
        r"\[\s+([^\[\]{}]+?)\s+\]", lambda m: "[" + re.sub(r"\s+", " ", m[1]) + "]", json.dumps(stored, indent=1)
    )
    OUT.write_text(text + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--alliance", action="store_true")
    given = parser.parse_args()
    embedder: Embedder | None = None
    if given.alliance:
        from maieutic.reading.minilm import MiniLM

        embedder = MiniLM()
    codes = out_of_fold_codes("_fast")
    further, coder = further_coder(), packaged_coder()
    annomi = [codes.apply(one, further) for one in transcripts(given.data / "annomi" / "AnnoMI-simple.csv")]
    hlqc = [code_transcript(one, coder) for one in transcripts(given.data / "hlqc" / "HLQC.csv")]
    human = [with_human_codes(one) for one in annomi]
    store(values(annomi, embedder), values(human, None), values(hlqc, embedder), given.data)


if __name__ == "__main__":
    main()
