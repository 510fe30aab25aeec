"""The measures of `maieutic score` in the order of the report, each with a title and one sentence of meaning."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from maieutic.domain.episode import Score
from maieutic.scoring import session_measures as codes
from maieutic.scoring import talk_measures as talk
from maieutic.scoring.coded import CodedTranscript


@dataclass(frozen=True, slots=True)
class SessionMeasure:
    """A measure of one coded transcript.

    Attributes:
        measure: The function; its docstring is the full definition.
        title: Name for readers.
        meaning: One sentence: what a high value says.
        percent: The value is a share, shown in per cent.
        length: It is session length itself, the confounder, not a measure of conduct.
    """

    measure: Callable[[CodedTranscript], Score]
    title: str
    meaning: str
    percent: bool = True
    length: bool = False

    @property
    def id(self) -> str:
        return self.measure.__name__


MEASURES: tuple[SessionMeasure, ...] = (
    SessionMeasure(codes.reflection_rate, "Reflections", "Share of therapist turns that give back what the client said."),
    SessionMeasure(codes.therapist_input_rate, "Advice and information",
                   "Share of therapist turns that mainly advise, inform or offer options."),
    SessionMeasure(codes.question_rate, "Questions", "Share of therapist turns that mainly ask."),
    SessionMeasure(codes.open_question_share, "Open questions",
                   "Share of question turns that cannot be answered with yes, no or a number."),
    SessionMeasure(codes.reflection_to_question_ratio, "Reflections per question",
                   "How many reflections come on each question.", percent=False),
    SessionMeasure(codes.longest_question_run, "Longest run of questions",
                   "Most question turns asked without a reflection in between; grows with length.", percent=False),
    SessionMeasure(codes.reflection_after_feeling, "Reflection after a feeling",
                   "When the client names a feeling, how often the next turn reflects."),
    SessionMeasure(codes.input_after_feeling, "Advice after a feeling",
                   "When the client names a feeling, how often the next turn advises or informs."),
    SessionMeasure(codes.change_talk_share, "Change talk",
                   "Of the client's turns for or against change, the share that speaks for it."),
    SessionMeasure(talk.therapist_talk_share, "Therapist's share of words", "How much of the talking the therapist does."),
    SessionMeasure(talk.therapist_words_per_turn, "Words per therapist turn", "How long a therapist turn is.", percent=False),
    SessionMeasure(talk.client_words_per_turn, "Words per client turn", "How long a client turn is.", percent=False),
    SessionMeasure(talk.session_words, "Session length in words",
                   "The confounder: where groups differ in length, every other row must be read against it.",
                   percent=False, length=True),
    SessionMeasure(talk.session_turns, "Session length in turns", "The confounder, counted in turns.",
                   percent=False, length=True),
    SessionMeasure(talk.sure_share, "Turns coded with certainty",
                   "Share of turns of whose code the coder was sure; a check on the codes, not on the session."),
)  # fmt: skip


def measure_transcript(coded: CodedTranscript) -> tuple[Score, ...]:
    """All measures of one transcript, in the order of the catalogue."""
    return tuple(one.measure(coded) for one in MEASURES)
