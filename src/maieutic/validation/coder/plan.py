"""What is asked of each head: the bounds, and the published and human figures to hold it against."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Figure = Literal["macro_f1", "accuracy", "mean_auc", "calibration"]


@dataclass(frozen=True, slots=True)
class Reach:
    """A bound on one figure of a head: 'macro_f1', 'accuracy' and 'mean_auc' at least, 'calibration' at most."""

    figure: Figure
    bound: float


@dataclass(frozen=True, slots=True)
class Known:
    """A figure from elsewhere: what it is, its value, and where it is from."""

    what: str
    value: float
    source: str


@dataclass(frozen=True, slots=True)
class Plan:
    """One head and what is asked of it.

    Attributes:
        head: Name of the head, as in `validation.coder.datasets`.
        title: What is coded, in plain words.
        unit: What folds keep together and intervals resample.
        reach: Bounds.
        known: Published or human figures beside it.
        gold: Name of the data set head whose human codes judge it; `head` unless another is named.
        by_stimulus: Whether it is judged by the mean of the AUCs within each group.
        missing: What to do when nothing is stored; '' for the recipe's command.
    """

    head: str
    title: str
    unit: str
    reach: tuple[Reach, ...] = ()
    known: tuple[Known, ...] = ()
    gold: str = ""
    by_stimulus: bool = False
    missing: str = ""

    @property
    def units(self) -> str:
        """The unit in the plural."""
        return "stimuli" if self.unit == "stimulus" else f"{self.unit}s"


_FROM_DATA = "several annotators of AnnoMI-full (Wu et al. 2023)"
_BOLT = "Chiu et al. 2024"
_SOQG = "Ang et al., EACL 2023, their data; fitted on the part at hand"
_PLAIN = "logistic regression on TF-IDF of the utterance, same data, other folds"
_CALIBRATED = Reach("calibration", 0.05)

PLANS = (
    Plan(
        "annomi_therapist",
        "AnnoMI therapist behaviour, 4 codes",
        "video",
        (Reach("macro_f1", 0.78), _CALIBRATED),
        (Known("human, as known before", 0.80, _FROM_DATA), Known("TF-IDF before", 0.731, _PLAIN)),
    ),
    Plan(
        "annomi_client",
        "AnnoMI client talk, 3 codes",
        "video",
        (Reach("macro_f1", 0.59), _CALIBRATED),
        (Known("human, as known before", 0.645, _FROM_DATA), Known("TF-IDF before", 0.503, _PLAIN)),
    ),
    Plan(
        "annomi_question_form",
        "AnnoMI open or closed question",
        "video",
        (Reach("macro_f1", 0.78), _CALIBRATED),
        (
            Known("wh-word rule", 0.747, "opening word of the question, no fitting"),
            Known("TF-IDF before", 0.727, _PLAIN),
        ),
    ),
    Plan(
        "bolt_therapist",
        "BOLT therapist, 13 codes, several at once",
        "utterance",
        (Reach("macro_f1", 0.45),),
        (
            Known("best published (prompted GPT-4)", 0.577, _BOLT),
            Known("GPT-4, plain prompt", 0.441, _BOLT),
            Known("TF-IDF before", 0.354, _PLAIN),
        ),
    ),
    Plan(
        "bolt_therapist_judge",
        "BOLT therapist, 13 codes, LLM judge",
        "utterance",
        (Reach("macro_f1", 0.55),),
        (Known("best published (prompted GPT-4)", 0.577, _BOLT), Known("GPT-4, plain prompt", 0.441, _BOLT)),
        gold="bolt_therapist",
        missing="no answers of a judge are stored: they need a capable model, and depend on which one it is",
    ),
    Plan("bolt_client", "BOLT client, 6 codes, several at once", "utterance"),
    Plan("misc_therapist", "MISC therapist, coarse codes", "session"),
    Plan("misc_client", "MISC client, 3 codes", "session"),
    Plan(
        "socratic",
        "SoQG question type, 5 Socratic types and others",
        "thought",
        (Reach("accuracy", 0.88), Reach("macro_f1", 0.76)),
        (Known("TF-IDF before: accuracy", 0.85, _SOQG), Known("TF-IDF before: macro-F1", 0.72, _SOQG)),
    ),
    Plan(
        "epitome_er",
        "EPITOME emotional reactions, 0 to 2",
        "seeker post",
        (Reach("macro_f1", 0.74),),
        (Known("TF-IDF before", 0.72, _PLAIN),),
    ),
    Plan(
        "epitome_ip",
        "EPITOME interpretations, 0 to 2",
        "seeker post",
        (Reach("macro_f1", 0.62),),
        (Known("TF-IDF before", 0.56, _PLAIN),),
    ),
    Plan(
        "epitome_ex",
        "EPITOME explorations, 0 to 2",
        "seeker post",
        (Reach("macro_f1", 0.76),),
        (Known("TF-IDF before", 0.68, _PLAIN),),
    ),
    Plan(
        "appropriateness",
        "Appropriateness of a reply (GPT-4o's verdict)",
        "stimulus",
        (Reach("mean_auc", 0.92),),
        (Known("TF-IDF before, pooled AUC", 0.88, _PLAIN),),
        by_stimulus=True,
    ),
    Plan("feedback_good", "Feedback: skill areas called good", "dialogue"),
    Plan("feedback_bad", "Feedback: skill areas called bad", "dialogue"),
)
"""Heads in the order of the report."""
