"""What is known of each session measure's validity: a number measured on human coding, or that there is none."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from maieutic.coding.schemes import BOLT
from maieutic.stats import Interval

NOT_VALIDATED = "not human-validated"
COUNTED = "a plain count, nothing to validate"
LEAST_AGREEMENT = 0.3
"""Rank correlation with the same measure on human codes below which the comparison counts as failed."""
FEW_SESSIONS = 20
UNTESTED = "not validated"
"""Stands in the heading of a column of scores-all.csv."""

_COUNTS = {
    "therapist_talk_share",
    "therapist_words_per_turn",
    "client_words_per_turn",
    "session_words",
    "session_turns",
}
_SPOKEN = {
    "sure_share": "the coder's own word for how sure it is, nothing to compare with",
    "open_question_share": "by turn: 195 of 224 questions of two held-out hands right; macro-F1 0.75 against AnnoMI's "
    "annotators, who call many scales open",
    "competence_mean": NOT_VALIDATED + ": counted proxies with cut-offs of our own",
    "stage_order": NOT_VALIDATED + ": stages are found by rules of our own",
    "client_first_share": NOT_VALIDATED + ": no human coding of who voiced an idea is at hand",
    "adaptation_log_ratio": NOT_VALIDATED + ": it does not part high from low quality alike in two sets",
    "style_matching": NOT_VALIDATED + ": known null, its direction differs between the two sets measured here",
}


def validity_of_measure(measure: str) -> str:
    """One line: the figure measured on human coding and what it is, or 'not human-validated'.

    Figures come from `recipes/measure_validity.py`.
    """
    known = _measured()
    if measure in _COUNTS:
        return COUNTED
    if measure in known["agreement"]:
        one = known["agreement"][measure]
        found = (
            f"rank correlation {one['rho']:.2f} with the same measure on human codes, {one['sessions']} AnnoMI sessions"
        )
        if one["rho"] < LEAST_AGREEMENT:
            return f"{NOT_VALIDATED}: the comparison with human codes failed ({found})"
        return found + (" (too few to lean on)" if one["sessions"] < FEW_SESSIONS else "")
    if measure in ("mi_demonstration_likeness_low", "mi_demonstration_likeness_high"):
        return "bound of mi_demonstration_likeness, see there"
    if measure.startswith("mi_demonstration_likeness"):
        return (
            "chance that a high-quality session of HLQC scores above a low one of like length: "
            f"{shown(known['auc'][measure]['hlqc']['like_length'])}; as a rating of competence {NOT_VALIDATED}"
        )
    label = _bolt_labels().get(measure)
    if label is not None:
        return (
            f"the code by utterance: F1 {known['bolt_f1'][label]:.2f} against human codes; the rate itself "
            f"{NOT_VALIDATED}"
        )
    return _SPOKEN.get(measure, NOT_VALIDATED)


def human_validated(measure: str) -> bool:
    """Whether a measure is a plain count, or agreed with human codes over enough sessions of people."""
    one = _measured()["agreement"].get(measure)
    agreed = one is not None and one["rho"] >= LEAST_AGREEMENT and one["sessions"] >= FEW_SESSIONS
    return measure in _COUNTS or measure == "open_question_share" or agreed


def areas_of_measure(measure: str) -> Mapping[str, Mapping[str, Sequence[float | None]]] | None:
    """AUC of high over low quality by data set and kind (raw, residual, like_length), each with bounds; None if
    unknown."""
    found: Mapping[str, Mapping[str, Sequence[float | None]]] | None = _measured()["auc"].get(measure)
    return found


def shown(area: Sequence[float | None]) -> str:
    """An AUC with its bounds, or a dash where it cannot be had."""
    value, low, high = area
    return Interval(value, low, high, n=0).shown()


@cache
def _measured() -> dict[str, Any]:
    text = files("maieutic.scoring").joinpath("reference/validity.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


@cache
def _bolt_labels() -> Mapping[str, str]:
    """The code behind each measure that counts one."""
    labels = (*BOLT.therapist, *BOLT.client)
    return {f"bolt_{label.column}_{kind}": label.id for label in labels for kind in ("rate", "position")}
