"""The code books of rated sets: what a tutor's reply does, how empathic a helper is, how good a session is."""

from __future__ import annotations

from typing import Final

from maieutic.coding.book import Facet, Label, Scheme

_LEVELS: Final = ("Yes", "To some extent", "No")


def _graded(id: str, name: str, asked: str, yes: str, some: str, no: str) -> Facet:
    told = zip(_LEVELS, (yes, some, no), strict=True)
    return Facet(id, name, asked, "therapist", tuple(Label(level, level, text) for level, text in told))


TUTOR: Final = Scheme(
    id="tutor",
    name="What a tutor's reply does",
    therapist=(),
    client=(),
    multi_label=False,
    source="Maurya et al. 2025 (MRBench), own wording",
    departures="The tutor stands as therapist, the student as client. Two of eight dimensions.",
    facets=(
        _graded(
            "guides",
            "Guides",
            "The student has made a mistake. Does the reply offer correct and relevant guidance, such as an "
            "explanation, a hint, an example or a supporting question?",
            "It offers correct guidance that fits the mistake.",
            "It offers guidance that is incomplete, vague, or partly wrong.",
            "It offers none, or none that is right or to the point.",
        ),
        _graded(
            "actionable",
            "Actionable",
            "Is it clear from the reply what the student should do next?",
            "It says or asks clearly what to do next.",
            "Something to do can be guessed, but it is not clear.",
            "It closes the matter or leaves nothing to do.",
        ),
    ),
)
TELLS: Final = Scheme(
    id="tells",
    name="What a teacher's turn does",
    therapist=(),
    client=(),
    multi_label=False,
    source="Macina et al. 2023 (MathDial), own wording",
    departures="The teacher stands as therapist, the student as client. Telling against the other three moves.",
    facets=(
        Facet(
            "tells",
            "Tells the answer",
            "Does the turn hand over a part of the solution or correct the student's work by telling, where "
            "it could have asked?",
            "therapist",
            (
                Label(
                    "yes",
                    "Tells",
                    "It reveals a step, a result or the right strategy, or corrects.",
                    ("No, add them: 12 + 3.",),
                ),
                Label(
                    "no",
                    "Does not",
                    "It asks, hints, probes, or keeps the talk going.",
                    ("What does the 12 stand for?",),
                ),
            ),
        ),
    ),
)
EMPATHY: Final = Scheme(
    id="empathy",
    name="How empathic the supporter is",
    therapist=(),
    client=(),
    multi_label=False,
    source="EmpatheticDialogues as rated in Kumar et al. 2025, own wording",
    departures="The whole conversation is rated, the supporter's turns in it.",
    facets=(
        Facet(
            "empathy",
            "Empathy",
            "Over the whole conversation, did the supporter's replies show understanding of what the other feels?",
            "therapist",
            (
                Label("1", "Not at all", "No understanding of the feelings is shown."),
                Label("2", "A little", "Hardly any."),
                Label("3", "Somewhat", "Some, general or late."),
                Label("4", "Much", "Clear understanding most of the time."),
                Label("5", "Very much", "Clear, warm and particular understanding throughout."),
            ),
        ),
    ),
)
SESSION: Final = Scheme(
    id="session",
    name="How good a session a clinician would find it",
    therapist=(),
    client=(),
    multi_label=False,
    source="MindEval (SWORD Health 2025), own wording",
    departures="One overall rating from the therapist's words alone in place of ten criteria.",
    facets=(
        Facet(
            "overall",
            "Overall",
            "These are all the words of one therapist in one session. How good would an experienced clinician find "
            "this conduct: accuracy, ethics, assessment and response, fit to the person, relationship?",
            "therapist",
            tuple(
                Label(str(level), str(level), text)
                for level, text in enumerate(
                    ("Very poor or harmful.", "Poor.", "Mediocre.", "Fair.", "Good.", "Excellent throughout."), start=1
                )
            ),
        ),
    ),
)
