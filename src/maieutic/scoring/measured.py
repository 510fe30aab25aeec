"""What a measure of what was said is made of: the decorator that turns a function of a coded transcript into one, what
functions share, and what is known of each measure's validity.

One place says when there are too few turns, and that nothing to count is missing, not 0.
"""

from __future__ import annotations

import inspect
import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

from maieutic.coding.schemes import BOLT
from maieutic.domain.episode import Score
from maieutic.measures.definition import Finding, missing
from maieutic.scoring.coded import CodedTranscript, CodedTurn
from maieutic.stats import Interval

Measured = Callable[[CodedTranscript], Finding]

FAMILIES: Final[Mapping[str, str]] = {
    "Likeness to MI demonstrations": "AnnoMI codes",
    "Codes": "AnnoMI codes",
    "After a feeling": "AnnoMI codes",
    "Questions": "AnnoMI codes",
    "Stages of guided discovery": "AnnoMI and BOLT codes",
    "Who voices the idea": "words",
    "Competence, by proxy": "AnnoMI and BOLT codes",
    "Alliance from text": "words, sentence vectors",
    "Synchrony": "words",
    "Order over the session": "AnnoMI codes",
    "Only for motivational interviewing": "AnnoMI codes",
    "Talk and length": "words",
}
"""Headings in the order of the report, each with what a session must hold for most measures below it."""
BOLT_CODES: Final = "BOLT codes"


@dataclass(frozen=True, slots=True)
class SessionMeasure:
    """A measure of one coded transcript.

    Attributes:
        id: Name in tables and on the command line.
        function: What it finds.
        unit: Of its value.
        title: Name for readers.
        meaning: One sentence: what a high value says.
        family: Heading under which it stands.
        definition: The full definition.
        percent: The value is a share, shown in per cent.
        length: It is session length itself, the confounder, not a measure of conduct.
        detail: One of many of its kind, for the long list only.
        asked: It was asked for by name, so it is shown whatever is known of it.
        validity: What is known of one that is not of the catalogue.
        needs: What a session must hold: words, or codes under one or two of the schemes.
    """

    id: str
    function: Measured
    unit: str
    title: str
    meaning: str
    family: str
    definition: str
    percent: bool = True
    length: bool = False
    detail: bool = False
    asked: bool = False
    validity: str = ""
    needs: str = ""

    def __call__(self, coded: CodedTranscript) -> Score:
        """The score of one transcript; a value of None, with the reason, where it cannot be had."""
        found = self.function(coded)
        return Score(self.id, found.value, self.unit, found.reason, found.evidence)

    @property
    def validated(self) -> str:
        """A number measured on human coding, or 'not human-validated' with the reason where there is one."""
        return self.validity or validity_of_measure(self.id)

    def show(self, value: float | None) -> str:
        """A value in the measure's way of writing; a dash for a missing one."""
        if value is None:
            return "–"
        if self.percent:
            return f"{100 * value:.0f} %"
        if abs(value) < 2:
            return f"{value:.2f}"
        return f"{value:.1f}" if value < 100 else f"{value:,.0f}"


DECLARED: Final[dict[str, list[SessionMeasure]]] = defaultdict(list)
"""The measures of each module of this package, in the order in which they stand there."""


def measure(
    family: str,
    unit: str,
    title: str,
    meaning: str,
    *,
    id: str = "",
    like: Callable[..., Any] | None = None,
    percent: bool = True,
    length: bool = False,
    detail: bool = False,
    needs: str = "",
) -> Callable[[Measured], SessionMeasure]:
    """Makes a function a measure under its name and docstring; `id` and `like` name another, for one of many alike."""

    def make(function: Measured) -> SessionMeasure:
        definition = inspect.cleandoc((like or function).__doc__ or "")
        found = SessionMeasure(
            id or function.__name__,
            function,
            unit,
            title,
            meaning,
            family,
            definition,
            percent,
            length,
            detail,
            needs=needs or FAMILIES[family],
        )
        DECLARED[function.__module__].append(found)
        return found

    return make


MIN_CODED = 3
NO_BOLT = "no BOLT codes at hand: the codes come from a file or a coder that has none"


def share_of(hits: Sequence[CodedTurn], of: Sequence[CodedTurn], absent: str) -> Finding:
    """The share of `of` that `hits` is, with the hits as evidence; missing for the reason `absent` when `of` is
    empty, and as too few below three: one turn more would turn it round."""
    if not of:
        return missing(absent)
    if len(of) < MIN_CODED:
        return missing(f"too few ({len(hits)} of {len(of)}); at least {MIN_CODED} are needed")
    return Finding(len(hits) / len(of), indices(hits))


def indices(turns: Sequence[CodedTurn]) -> tuple[int, ...]:
    """Positions of turns in their source."""
    return tuple(turn.index for turn in turns)


def too_few(turns: Sequence[CodedTurn]) -> str:
    """Why a rate is missing when fewer than three turns are coded."""
    return f"{len(turns)} coded therapist turns; at least {MIN_CODED} are needed"


def bolt_turns(coded: CodedTranscript, speaker: str) -> tuple[CodedTurn, ...]:
    """The turns of one speaker that carry at least one BOLT code."""
    return tuple(turn for turn in coded.turns if turn.speaker == speaker and turn.codes.get("bolt"))


def lacks_bolt(coded: CodedTranscript) -> bool:
    """Whether the transcript was not coded under BOLT at all."""
    return not any("bolt" in turn.codes for turn in coded.turns)


NOT_VALIDATED = "not human-validated"
COUNTED = "a plain count, nothing to validate"
MIN_AGREEMENT = 0.3
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
    return _SPOKEN.get(measure, NOT_VALIDATED)


def human_validated(measure: str) -> bool:
    """Whether a measure is a plain count, or agreed with human codes over enough sessions of people."""
    one = _measured()["agreement"].get(measure)
    agreed = one is not None and one["rho"] >= MIN_AGREEMENT and one["sessions"] >= FEW_SESSIONS
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
