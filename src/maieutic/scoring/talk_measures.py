"""Measures of who talks how much, since length confounds everything else, and of how questions are put."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from maieutic.coding.schemes import get_scheme
from maieutic.domain.episode import Score
from maieutic.reading.ear import Question
from maieutic.reading.moves import questions
from maieutic.scoring.coded import CodedTranscript, CodedTurn
from maieutic.scoring.shares import share_of
from maieutic.transcripts.utterance import Role

_LONG_ENOUGH = 4


def therapist_talk_share(coded: CodedTranscript) -> Score:
    """The therapist's share of all words.

    Unit: share of words. Range: 0 to 1. Evidence: none, it is the whole session.
    Source: talk ratio, common in psychotherapy process research. Departures: whitespace tokens, transcriber's
    conventions as they are. Blind to: content, silence and speed.
    """
    total = sum(turn.words for turn in coded.turns)
    own = sum(turn.words for turn in coded.by("therapist"))
    return Score(
        "therapist_talk_share", own / total if total else None, "share of words", None if total else "no words"
    )


def therapist_words_per_turn(coded: CodedTranscript) -> Score:
    """Mean number of words of a therapist turn.

    Unit: words. Range: 1 upward. Evidence: none. Source: own, descriptive. Blind to: content; depends on how the
    transcriber parts turns (back-channels as own turns make it smaller).
    """
    return _words_per_turn(coded, "therapist_words_per_turn", "therapist")


def client_words_per_turn(coded: CodedTranscript) -> Score:
    """Mean number of words of a client turn.

    Unit: words. Range: 1 upward. Evidence: none. Source: own, descriptive. Blind to: content, see
    `therapist_words_per_turn`.
    """
    return _words_per_turn(coded, "client_words_per_turn", "client")


def session_words(coded: CodedTranscript) -> Score:
    """Number of words in the session: the confounder that is always reported.

    Unit: words. Range: 1 upward. Evidence: none. Source: own. Known: length alone separates high from low quality
    demonstration sessions, since bad practice is shown in shorter clips. It says nothing about quality.
    """
    return Score("session_words", float(sum(turn.words for turn in coded.turns)), "words")


def session_turns(coded: CodedTranscript) -> Score:
    """Number of turns in the session; second view of the confounder.

    Unit: turns. Range: 4 upward. Evidence: none. Source: own. Blind to: everything but length.
    """
    return Score("session_turns", float(len(coded.turns)), "turns")


def sure_share(coded: CodedTranscript) -> Score:
    """Share of turns that carry a code of which the coder was sure.

    Unit: share of turns. Range: 0 to 1. Evidence: those turns. Source: own.
    Blind to: confident mistakes. Rates count unsure codes too; turns without any code they leave out.
    """
    sure = tuple(turn.index for turn in coded.turns if turn.label is not None and turn.sure)
    if not coded.turns:
        return Score("sure_share", None, "share of turns", "no turns")
    return Score("sure_share", len(sure) / len(coded.turns), "share of turns", None, sure)


def repeated_share(coded: CodedTranscript) -> float:
    """Share of the therapist's turns of four words or more that were said before in the session, word for word."""
    said = [" ".join(turn.text.lower().split()) for turn in coded.by("therapist") if turn.words >= _LONG_ENOUGH]
    return 1 - len(set(said)) / len(said) if said else 0.0


def _words_per_turn(coded: CodedTranscript, measure: str, speaker: Role) -> Score:
    turns = coded.by(speaker)
    if not turns:
        return Score(measure, None, "words", f"no {speaker} turns")
    return Score(measure, sum(turn.words for turn in turns) / len(turns), "words")


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
