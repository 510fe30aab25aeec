"""Measures of who talks how much: no codes needed. Length is among them because it confounds everything else."""

from __future__ import annotations

from maieutic.domain.episode import Score
from maieutic.scoring.coded import CodedTranscript
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
