"""Fits the likeness to demonstrations of motivational interviewing on AnnoMI and tries it on HLQC: `python recipes/fit_quality.py --data ../shared/data`.

Fitted on out-of-fold codes only, once as written and once without punctuation, so that the score knows codes as they are on
new sessions. The penalty is chosen by cross-validation over AnnoMI's videos, and so were the features; those in the package
stay, and scores comparable, until others are better by a margin. HLQC is evaluated, never fitted on.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maieutic.measures.coded import CodedTranscript, code_transcript, packaged_coder
from maieutic.measures.codes import is_open, session_words, therapist_talk_share
from maieutic.measures.quality import (
    FEATURES,
    mi_demonstration_likeness,
    mi_demonstration_likeness_adjusted,
    packaged_model,
    quality_features,
    quality_turns,
)
from maieutic.scoring.groups import Comparison, SessionValues, compare_groups
from maieutic.stats import auc
from maieutic.transcripts.opening import open_sources
from maieutic.transcripts.utterance import Transcript, out_of_scope
from out_of_fold_codes import FOLDER, STYLES, out_of_fold_codes

Floats = NDArray[np.float64]
ROOT = Path(__file__).parent.parent
OUT = ROOT / "src/maieutic/measures/reference/quality.json"
LICENCE = "AnnoMI (Wu et al. 2022): fitted numbers only, no text; research use"
DRAWS = 500
REPEATS = 5
PENALTIES = (0.01, 0.1, 1.0)
MARGIN = 0.02
"""Between refits of the coder the mean areas of one set of features differ by half of this, and their order changes."""
CANDIDATES: tuple[tuple[str, ...], ...] = (
    FEATURES,
    ("input",),
    ("reflection", "input"),
    ("reflections_over_input",),
    ("reflection", "input", "input_after_feeling"),
    ("reflection", "input", "reflections_per_question", "input_after_feeling"),
    ("reflection", "input", "reflections_per_question", "input_after_feeling", "reflection_after_feeling"),
    ("reflections_over_input", "input_after_feeling", "reflection_after_feeling"),
    ("reflections_over_input", "input_after_feeling", "talk_share"),
    ("reflections_over_input", "input_after_feeling", "question", "open", "talk_share"),
)


@dataclass(frozen=True, slots=True)
class Sessions:
    """Sessions as a table: features by name, and what cross-validation and adjustment need."""

    features: dict[str, Floats]
    high: NDArray[np.bool_]
    video: NDArray[Any]
    log_words: Floats
    turns: Floats

    def matrix(self, names: Sequence[str]) -> Floats:
        return np.stack([self.features[name] for name in names], axis=1)


def transcripts(path: Path) -> list[Transcript]:
    """The sessions of a file that are in scope."""
    sources, _ = open_sources([path])
    return [one for one in sources[0].read() if out_of_scope(one) is None]


def candidate_features(coded: CodedTranscript) -> dict[str, float]:
    """All features that were tried, by name."""
    turns = coded.coded("therapist")
    labels = [turn.label for turn in turns]
    count = len(labels)
    counts = quality_turns(coded)
    own = quality_features(counts)[0]
    felt, reflects = counts.after_feeling, counts.reflection
    asked = [is_open(turn) for turn in turns if turn.label == "question"]
    return {
        **dict(zip(FEATURES, map(float, own), strict=True)),
        "reflection": labels.count("reflection") / count,
        "input": labels.count("therapist_input") / count,
        "question": labels.count("question") / count,
        "reflections_per_question": float(
            np.log((labels.count("reflection") + 0.5) / (labels.count("question") + 0.5))
        ),
        "reflection_after_feeling": float((reflects @ felt + reflects.mean()) / (felt.sum() + 1)),
        "talk_share": therapist_talk_share(coded).value or 0.0,
        "open": sum(asked) / len(asked) if asked else 0.5,
    }


def table(coded: Sequence[CodedTranscript], videos: dict[str, str]) -> Sessions:
    """Sessions as a table."""
    found = [candidate_features(one) for one in coded]
    return Sessions(
        {name: np.array([one[name] for one in found]) for name in found[0]},
        np.array([one.transcript.group == "high" for one in coded]),
        np.array([videos[one.transcript.id] for one in coded]),
        np.log([session_words(one).value or 1 for one in coded]),
        np.array([len(one.turns) for one in coded], dtype=np.float64),
    )


def fit(features: Floats, high: NDArray[np.bool_], penalty: float) -> tuple[Floats, Floats, Floats]:
    """Mean and scale of the features, and (intercept, coefficients); high and low weigh the same in all."""
    from sklearn.linear_model import LogisticRegression

    mean, scale = features.mean(0), features.std(0)
    fitted = LogisticRegression(C=penalty, class_weight="balanced").fit((features - mean) / scale, high)
    return mean, scale, np.concatenate([fitted.intercept_, fitted.coef_[0]])


def odds(features: Floats, fitted: tuple[Floats, Floats, Floats]) -> Floats:
    """Log odds of sessions."""
    mean, scale, weights = fitted
    return np.asarray(weights[0] + ((features - mean) / scale) @ weights[1:])


def areas(values: Floats, one: Sessions) -> Floats:
    """AUC as it is, of the residual on log words, and over pairs of like length."""
    slope, level = np.polyfit(one.log_words, values, 1)
    left = values - slope * one.log_words - level
    near = np.abs(one.turns[one.high][:, None] - one.turns[~one.high])
    near = near <= 0.2 * np.maximum(one.turns[one.high][:, None], one.turns[~one.high])
    gap = values[one.high][:, None] - values[~one.high]
    matched = float((near * ((gap > 0) + 0.5 * (gap == 0))).sum() / near.sum())
    sides = [(v[one.high].tolist(), v[~one.high].tolist()) for v in (values, left)]
    return np.array([*(auc(*side) or np.nan for side in sides), matched])


def cross_validate(styles: Sequence[Sessions], names: Sequence[str], penalty: float) -> Floats:
    """Mean of the three areas over repeats of five folds by video, and over the styles of the text."""
    from sklearn.model_selection import StratifiedGroupKFold

    tables, one = [style.matrix(names) for style in styles], styles[0]
    found = []
    for repeat in range(REPEATS):
        held = [np.zeros(len(one.high)) for _ in styles]
        folds = StratifiedGroupKFold(5, shuffle=True, random_state=repeat)
        for train, test in folds.split(one.high, one.high, one.video):
            fitted = fit(np.vstack([t[train] for t in tables]), np.tile(one.high[train], len(styles)), penalty)
            for place, t in zip(held, tables, strict=True):
                place[test] = odds(t[test], fitted)
        found += [areas(values, one) for values in held]
    return np.asarray(np.mean(found, axis=0))


def choose(styles: Sequence[Sessions]) -> tuple[tuple[str, ...], float]:
    """The features and the penalty by the mean of the three areas: the package's, or those that beat it by the margin."""
    results = [(cross_validate(styles, names, c), names, c) for names in CANDIDATES for c in PENALTIES]
    for found, names, c in results:
        sys.stdout.write(f"AnnoMI, by video: {found.round(3)} C={c} {' + '.join(names)}\n")
    best, kept = (max(some, key=lambda one: float(one[0].mean()))
                  for some in (results, [one for one in results if one[1] == FEATURES]))  # fmt: skip
    return best[1:] if best[0].mean() > kept[0].mean() + MARGIN else kept[1:]


def bootstrap(styles: Sequence[Sessions], fitted: tuple[Floats, Floats, Floats], penalty: float) -> Floats:
    """Intercept and coefficients of fits to resampled videos, in the scaling of the fit to all."""
    rng, one = np.random.default_rng(0), styles[0]
    mean, scale, _ = fitted
    videos = [np.flatnonzero(one.video == name) for name in sorted(set(one.video))]
    drawn: list[Floats] = []
    while len(drawn) < DRAWS:
        rows = np.concatenate([videos[at] for at in rng.integers(len(videos), size=len(videos))])
        if one.high[rows].all() or not one.high[rows].any():
            continue
        own_mean, own_scale, own = fit(
            np.vstack([style.matrix(FEATURES)[rows] for style in styles]), np.tile(one.high[rows], len(styles)), penalty
        )
        weights = own[1:] * scale / own_scale
        drawn.append(np.array([own[0] + float(own[1:] @ ((mean - own_mean) / own_scale)), *weights]))
    return np.array(drawn)


def hlqc(data: Path) -> tuple[Comparison, ...]:
    """The score on HLQC, coded by the packaged coder."""
    coder = packaged_coder()
    coded = [code_transcript(one, coder) for one in transcripts(data / "hlqc" / "HLQC.csv")]
    measures = (mi_demonstration_likeness, mi_demonstration_likeness_adjusted)
    values = [
        SessionValues(one.transcript.id, one.transcript.group, one.transcript.words, len(one.turns),
                      {measure.id: measure(one).value for measure in measures})
        for one in coded
    ]  # fmt: skip
    return compare_groups(values, ("high", "low"), measures=[measure.id for measure in measures])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    data = parser.parse_args().data
    source = data / "annomi" / "AnnoMI-simple.csv"
    with source.open(encoding="utf-8", newline="") as file:
        lines = csv.DictReader(file)
        videos = {line["transcript_id"]: re.sub(r"[?&](t|feature)=[^&]*", "", line["video_url"]) for line in lines}
    sessions = transcripts(source)
    files = [FOLDER / f"annomi_therapist{style}.npz" for style in STYLES]
    styles = []
    for style in STYLES:
        codes = out_of_fold_codes(style)
        styles.append(table([codes.apply(one) for one in sessions], videos))
    names, penalty = choose(styles)
    if names != FEATURES:
        raise SystemExit(f"the package uses {FEATURES}, but {names} did better by more than {MARGIN}: change FEATURES")
    everything = np.vstack([style.matrix(names) for style in styles])
    fitted = fit(everything, np.tile(styles[0].high, len(styles)), penalty)
    log_words = np.tile(styles[0].log_words, len(styles))
    slope = float(np.polyfit(log_words, odds(everything, fitted), 1)[0])
    stored = {
        "what": "Likeness to MI demonstrations: logistic regression on codes; high and low weigh the same",
        "data": "annomi/AnnoMI-simple.csv",
        "data_sha256": hashlib.sha256(source.read_bytes()).hexdigest(),
        "codes_sha256": {one.name: hashlib.sha256(one.read_bytes()).hexdigest() for one in files},
        "licence": LICENCE,
        "features": names,
        "penalty": penalty,
        "sessions": {"high": int(styles[0].high.sum()), "low": int((~styles[0].high).sum())},
        "videos": len(set(styles[0].video)),
        "cross_validated_auc": [round(float(x), 4) for x in cross_validate(styles, names, penalty)],
        "model": {
            "mean": fitted[0].round(6).tolist(),
            "scale": fitted[1].round(6).tolist(),
            "intercept": round(float(fitted[2][0]), 6),
            "coefficients": fitted[2][1:].round(6).tolist(),
            "length_slope": round(slope, 6),
            "length_centre": round(float(log_words.mean()), 6),
            "draws": bootstrap(styles, fitted, penalty).round(4).tolist(),
        },
    }
    # One draw a line.
    text = re.sub(
        r"\[\s+([-\d.e,\s]+?)\s+\]", lambda m: "[" + re.sub(r"\s+", " ", m[1]) + "]", json.dumps(stored, indent=1)
    )
    OUT.write_text(text + "\n", encoding="utf-8")
    packaged_model.cache_clear()
    for one in hlqc(data):
        for kind, part in (
            ("raw", one.raw),
            ("residual on log words", one.residual),
            ("pairs within 20 %", one.matched),
        ):
            shown = f"{part.estimate:.3f} [{part.low:.2f}, {part.high:.2f}]" if part.low is not None else "none"
            sys.stdout.write(
                f"HLQC {one.measure}, {kind}: {shown} ({one.n[0]} high, {one.n[1]} low, {one.pairs} pairs)\n"
            )


if __name__ == "__main__":
    main()
