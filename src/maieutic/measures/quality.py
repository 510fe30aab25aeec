"""Likeness to demonstrations of motivational interviewing: how far a therapist's codes look like good rather than bad
practice there."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from maieutic.measures.coded import MIN_CODED, CodedTranscript, too_few
from maieutic.measures.codes import discloses_feeling
from maieutic.measures.definition import Finding, measure, missing
from maieutic.measures.material import Material
from maieutic.stats import generator

Floats = NDArray[np.float64]

FEATURES = ("reflections_over_input", "input_after_feeling")
SHORT_TURN = 16.0
"""Words. People who speak say one turn in ten at least in fewer; 95 % of 173 sessions of a chatbot have none so
short."""
LONGEST_MEAN = 85.0
"""Words of a therapist turn, mean over a session: the most in 148 sessions of people."""
UNIT = "0 to 1"
_FAMILY = "Likeness to MI demonstrations"
_HALF = 0.5


@dataclass(frozen=True, slots=True)
class QualityModel:
    """A logistic regression on the features, with what is needed for intervals and for length.

    Attributes:
        mean, scale: Of the features, over the sessions it was fitted on.
        coefficients: Weight of each scaled feature.
        intercept: Log odds of a session with average features.
        draws: Rows of (intercept, coefficients…) fitted to bootstrap samples of the sessions, whole videos at a time.
        length_slope: Log odds by log words, over the sessions it was fitted on.
        length_centre: Mean log words of those sessions.
    """

    mean: tuple[float, ...]
    scale: tuple[float, ...]
    coefficients: tuple[float, ...]
    intercept: float
    draws: tuple[tuple[float, ...], ...]
    length_slope: float
    length_centre: float

    def log_odds(self, features: Sequence[float]) -> float:
        """Log odds of good practice."""
        scaled = [(x - m) / s for x, m, s in zip(features, self.mean, self.scale, strict=True)]
        return self.intercept + sum(weight * x for weight, x in zip(self.coefficients, scaled, strict=True))


@dataclass(frozen=True, slots=True)
class Turns:
    """What the features are made of, one number for each coded turn of the therapist.

    Attributes:
        reflection, advice: 1 where the turn's label is that one.
        likely_advice: Probability of advice or information.
        after_feeling: 1 where the client disclosed a feeling since the therapist's last turn.
    """

    reflection: Floats
    advice: Floats
    likely_advice: Floats
    after_feeling: Floats


@cache
def packaged_model() -> QualityModel:
    """The model that `recipes/fit_quality.py` fitted on AnnoMI."""
    stored = json.loads(files("maieutic.measures").joinpath("reference/quality.json").read_text(encoding="utf-8"))[
        "model"
    ]
    return QualityModel(
        tuple(stored["mean"]),
        tuple(stored["scale"]),
        tuple(stored["coefficients"]),
        stored["intercept"],
        tuple(tuple(draw) for draw in stored["draws"]),
        stored["length_slope"],
        stored["length_centre"],
    )


def quality_turns(coded: CodedTranscript) -> Turns:
    """The counts behind the features; a turn without probabilities counts with its label as certain."""
    rows: list[tuple[float, float, float, float]] = []
    felt = False
    for turn in coded.turns:
        if turn.speaker == "client":
            felt = felt or discloses_feeling(turn.text)
        elif turn.speaker == "therapist":
            if turn.label is not None:
                advises = float(turn.label == "therapist_input")
                likely = float(turn.probabilities.get("therapist_input", 0.0)) if turn.probabilities else advises
                rows.append((float(turn.label == "reflection"), advises, likely, float(felt)))
            felt = False
    table = np.array(rows, dtype=np.float64).reshape(len(rows), 4)
    return Turns(table[:, 0], table[:, 1], table[:, 2], table[:, 3])


def quality_features(turns: Turns, weights: Floats | None = None) -> Floats:
    """The features by row of weights, (draws, 2); one row of the session as it is when there are no weights.

    reflections_over_input: log((reflections + 0.5) / (turns of advice or information + 0.5)).
    input_after_feeling: mean probability of advice or information in turns after a disclosed feeling, with one further
    such turn at the session's own mean, so that it is defined where nobody disclosed a feeling.
    """
    w = np.ones((1, len(turns.advice))) if weights is None else weights
    ratio = np.log((w @ turns.reflection + _HALF) / (w @ turns.advice + _HALF))
    usual = w @ turns.likely_advice / w.sum(axis=1)
    after = (w @ (turns.likely_advice * turns.after_feeling) + usual) / (w @ turns.after_feeling + 1)
    return np.asarray(np.stack([ratio, after], axis=1))


@measure(_FAMILY, UNIT, title="Likeness to MI demonstrations", span=(0.0, 1.0))
def mi_demonstration_likeness(given: Material) -> Finding:
    """How far the therapist looks like demonstrations of good rather than bad MI; no quality.

    0.5 where the two are as likely. Evidence: none.
    Source: own logistic regression on reflections against advice, and advice after a disclosed feeling; fitted on out-
    of-fold codes of AnnoMI (Wu et al. 2022).
    Departures: predicted codes. Length is no feature, but length still differs between groups: read it beside
    `mi_demonstration_likeness_adjusted`. What the client says for or against change is a figure of its own
    (`change_talk_share`). Missing for text that nobody speaks, such as a chatbot's (`outside_domain`).
    Blind to: everything except these two behaviours; learnt from demonstrations, some scripted, of one method. It is no
    quality of a session: on sessions of language models it does not go with what clinicians say of them.
    """
    return _found(given.coded, "value")


@measure(_FAMILY, UNIT, title="Likeness to MI demonstrations, lower bound", span=(0.0, 1.0), detail=True)
def mi_demonstration_likeness_low(given: Material) -> Finding:
    """Lower end of its 95 % interval.

    Source: bootstrap over the videos it was fitted on and over the turns of this session together.
    Blind to: mistakes of the coder, and sessions unlike those it was fitted on.
    """
    return _found(given.coded, "low")


@measure(_FAMILY, UNIT, title="Likeness to MI demonstrations, upper bound", span=(0.0, 1.0), detail=True)
def mi_demonstration_likeness_high(given: Material) -> Finding:
    """Upper end of its 95 % interval.

    Source: as `mi_demonstration_likeness_low`. Blind to: as `mi_demonstration_likeness_low`.
    """
    return _found(given.coded, "high")


@measure(_FAMILY, UNIT, title="Likeness to MI demonstrations at usual length", span=(0.0, 1.0))
def mi_demonstration_likeness_adjusted(given: Material) -> Finding:
    """The same with what session length predicts taken off.

    `mi_demonstration_likeness` as it would be at the usual length: what log words predict in AnnoMI is taken off the
    log odds.
    Evidence: none. Source: as `mi_demonstration_likeness`; straight line on log words. Departures: none.
    Blind to: as `mi_demonstration_likeness`; where longer sessions are truly better, part of that goes with it.
    """
    return _found(given.coded, "adjusted")


def estimate_quality(turns: Turns, model: QualityModel, *, words: int, rng: random.Random) -> Mapping[str, float]:
    """Value, bounds of the 95 % interval, and the value adjusted for length, each 0 to 1.

    Each draw takes one of the model's bootstrap fits and a resample of the session's turns.

    Args:
        turns: Counts of the session; at least one turn.
        model: The fitted model.
        words: Words of the session.
        rng: Seed of the resamples.
    """
    odds = model.log_odds([float(x) for x in quality_features(turns)[0]])
    draws = np.array(model.draws)
    numbers = generator(rng)

    def resampled(count: int) -> Floats:
        if count == 0:
            return np.zeros((len(draws), 0))
        return numbers.multinomial(count, np.full(count, 1 / count), size=len(draws)).astype(np.float64)

    features = quality_features(turns, resampled(len(turns.advice)))
    scaled = (features - np.array(model.mean)) / np.array(model.scale)
    drawn = draws[:, 0] + (scaled * draws[:, 1:]).sum(axis=1)
    low, high = (float(bound) for bound in np.quantile(drawn, [0.025, 0.975]))
    length = model.length_slope * (math.log(max(words, 1)) - model.length_centre)
    # The interval always holds the value, also where resampling shifts a ratio of few counts.
    return {
        "value": _logistic(odds),
        "low": _logistic(min(low, odds)),
        "high": _logistic(max(high, odds)),
        "adjusted": _logistic(odds - length),
    }


def _found(coded: CodedTranscript, which: str) -> Finding:
    turns = coded.coded("therapist")
    if len(turns) < MIN_CODED:
        return missing(too_few(turns))
    reason = outside_domain(coded)
    return Finding(_estimate(coded)[which]) if reason is None else missing(reason)


def outside_domain(coded: CodedTranscript) -> str | None:
    """Why this is text that the model knows nothing of, such as a chatbot's; None where it may be a spoken session.

    By the length of turns it hides 95 % of 173 sessions of a chatbot and all of 36 of language models, and 2 % of
    AnnoMI's, 8 % of HLQC's and 2 % of ESConv's, which people held. A chatbot that writes short turns passes.
    Markup says nothing here: the same session must score alike in HTML and in plain text.
    """
    said = [turn.said for turn in coded.coded("therapist")]
    words = [one.words for one in said]
    short, mean = float(np.percentile(words, 10)), sum(words) / len(words)
    if short > SHORT_TURN:
        return (
            f"chatbot text: nine therapist turns in ten have {short:.0f} words or more; people who speak, as in the "
            f"sessions it was fitted on, say some in {SHORT_TURN:.0f} or fewer"
        )
    if mean > LONGEST_MEAN:
        return f"chatbot text: {mean:.0f} words a therapist turn, at most {LONGEST_MEAN:.0f} in 148 sessions of people"
    return None


def likeness_of(coded: CodedTranscript) -> float:
    """The log odds as they are, whatever the text: for measuring what the score is worth there."""
    return packaged_model().log_odds([float(x) for x in quality_features(quality_turns(coded))[0]])


# Four measures ask for the same estimate, one after another.
@lru_cache(maxsize=1)
def _estimate(coded: CodedTranscript) -> Mapping[str, float]:
    # One seed for all: the same session gets the same interval, whatever it is called and wherever it was read from.
    rng = random.Random("likeness")
    return estimate_quality(quality_turns(coded), packaged_model(), words=coded.transcript.words, rng=rng)


def _logistic(odds: float) -> float:
    return 1 / (1 + math.exp(-odds)) if odds >= 0 else math.exp(odds) / (1 + math.exp(odds))
