"""How far each measure was held against human coding: the figures, and one line on each measure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from maieutic.coding.schemes import BOLT
from maieutic.stats import Interval

NOT_VALIDATED = "not human-validated"
BY_ITS_WORD = "human-validated, by its own word"
MIN_AGREEMENT = 0.3
"""Rank correlation with the same measure on human codes below which the comparison counts as failed."""
FEW_SESSIONS = 20
UNTESTED = "not validated"
"""Stands in the heading of a column of scores-all.csv."""


def validity_of(measure: str, definition: str, is_validated: bool) -> str:
    """One line: the figure measured on human coding and what it is, or 'not human-validated'.

    What the definition says of it goes first; the figures of the others come from `recipes/measure_validity.py`.
    """
    told = " ".join(definition.partition("Validity: ")[2].split())
    if told:
        first = ". ".join(told.split(". ")[:2]).rstrip(".")
        untold = told.startswith("not validated against humans")
        return NOT_VALIDATED if untold else first if is_validated else f"{NOT_VALIDATED}: {first}"
    known = _measured()
    if measure in known["agreement"]:
        one = known["agreement"][measure]
        found = (
            f"rank correlation {one['rho']:.2f} with the same measure on human codes, {one['sessions']} AnnoMI sessions"
        )
        if one["rho"] < MIN_AGREEMENT:
            return f"{NOT_VALIDATED}: the comparison with human codes failed ({found})"
        return found + (" (too few to lean on)" if one["sessions"] < FEW_SESSIONS else "")
    if measure in ("mi_demonstration_likeness_low", "mi_demonstration_likeness_high"):
        return "bound of mi_demonstration_likeness, see there"
    if measure.startswith("mi_demonstration_likeness"):
        own, everyone = known["auc"][measure]["hlqc"]["like_length"], known["likeness_hlqc"]
        found = f"{shown(own)} of the {everyone['in_domain']} that pass its domain check"
        if measure == "mi_demonstration_likeness":
            whole = everyone["like_length"]
            chance = ": no more than chance is shown" if whole[1] <= 0.5 else ""
            found = f"{shown(whole)} of all {everyone['sessions']} (`maieutic validate coder`){chance}; {found}"
        return (
            f"chance that a high-quality session of HLQC scores above a low one of like length: {found}; "
            f"as a rating of competence {NOT_VALIDATED}"
        )
    label = _bolt_labels().get(measure)
    if label is not None:
        return (
            f"the code by utterance: F1 {known['bolt_f1'][label]:.2f} against human codes; the rate itself "
            f"{NOT_VALIDATED}"
        )
    return NOT_VALIDATED


def is_validated(measure: str) -> bool:
    """Whether a measure agreed with human codes over enough sessions of people."""
    one = _measured()["agreement"].get(measure)
    return one is not None and one["rho"] >= MIN_AGREEMENT and one["sessions"] >= FEW_SESSIONS


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
    text = files("maieutic.measures").joinpath("reference/validity.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


@cache
def _bolt_labels() -> Mapping[str, str]:
    """The code behind each measure that counts one."""
    labels = (*BOLT.therapist, *BOLT.client)
    return {f"bolt_{label.column}_{kind}": label.id for label in labels for kind in ("rate", "position")}
