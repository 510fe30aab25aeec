"""Measures of how questions are put: several at once, carrying their answer, and which Socratic type they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from maieutic.coding.schemes import get_scheme
from maieutic.domain.episode import Score
from maieutic.reading.moves import Question, questions
from maieutic.scoring.coded import CodedTranscript, CodedTurn
from maieutic.scoring.shares import share_of

NO_MARKS = "no therapist turn has a question mark, so questions cannot be parted"
NO_SOCRATIC = "no coder for Socratic question types was handed in"


def stacked_question_share(coded: CodedTranscript) -> Score:
    """Share of the turns that ask which ask more than one question.

    Unit: share of asking turns. Range: 0 to 1. Evidence: the turns with several questions.
    Source: one question a turn, advice common to the Socratic literature (Padesky 1993). Departures: a rule on wording
    and question marks; check-backs and requests for permission do not count as questions.
    Blind to: questions without a mark; missing, not 0, for transcripts that show none.
    """
    asking = _asking(coded)
    hits = [turn for turn, asked in asking if len(asked) > 1]
    return share_of("stacked_question_share", "share of asking turns", hits, [turn for turn, _ in asking], NO_MARKS)


def leading_question_share(coded: CodedTranscript) -> Score:
    """Share of the turns that ask in which a question carries its own answer, or advice.

    Unit: share of asking turns. Range: 0 to 1. Evidence: those turns.
    Source: experts in Pardo-Cebrián et al. (2022) suggest the answer less than novices. Departures: a rule on wording
    (tag questions, negated openings, advice put as a question).
    Blind to: questions that lead by what they leave out, and by tone; missing without question marks.
    """
    asking = _asking(coded)
    hits = [turn for turn, asked in asking if any(one.leading or one.advising for one in asked)]
    return share_of("leading_question_share", "share of asking turns", hits, [turn for turn, _ in asking], NO_MARKS)


def socratic_share(label: str, column: str) -> Callable[[CodedTranscript], Score]:
    """A measure: share of question turns of one Socratic type.

    Unit: share of question turns. Range: 0 to 1. Evidence: the questions of that type.
    Source: SoQG (Ang et al., EACL 2023), after Paul and Elder. Departures: the type is predicted from session talk,
    which is not what the coder's training questions were; question turns are those with AnnoMI's label. Blind to:
    whether the type fits the moment. Missing when no coder of these types was handed in.
    """
    name = f"socratic_{column}_share"

    def measure(coded: CodedTranscript) -> Score:
        turns = coded.under("socratic", "therapist")
        if not turns:
            return Score(name, None, "share of question turns", NO_SOCRATIC)
        asked = [turn for turn in turns if turn.label == "question"]
        hits = [turn for turn in asked if label in turn.codes["socratic"]]
        return share_of(name, "share of question turns", hits, asked, "no question turns")

    measure.__name__ = measure.__qualname__ = name
    measure.__doc__ = socratic_share.__doc__
    return measure


SOCRATIC_SHARES: Mapping[str, Callable[[CodedTranscript], Score]] = {
    label.id: socratic_share(label.id, label.column) for label in get_scheme("socratic").therapist
}


def _asking(coded: CodedTranscript) -> list[tuple[CodedTurn, tuple[Question, ...]]]:
    said = coded.by("therapist")
    if not any("?" in turn.text for turn in said):
        return []
    asked = [(turn, questions(turn.text)) for turn in said]
    return [(turn, found) for turn, found in asked if found]
