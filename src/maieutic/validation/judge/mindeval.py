"""MindEval's rated sessions: what clinicians said of them, and how far anything that is read from a session goes with
it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Final

from maieutic.agreement import correlations
from maieutic.scoring.coded import code_transcript, packaged_coder
from maieutic.scoring.quality import likeness_of
from maieutic.scoring.session_measures import change_talk_share
from maieutic.stats import Interval, bootstrap_statistic
from maieutic.transcripts.utterance import Transcript, Utterance

RATED: Final = "mindeval/rated_dev.jsonl"
RATERS: Final = ("rater1", "rater2", "rater3", "rater4")


@dataclass(frozen=True, slots=True)
class Rated:
    """One session with its ratings.

    Attributes:
        id: Of the session. member: The simulated person. model: The therapist's language model.
        turns: (speaker, words) in order.
        ratings: Mean over the criteria by clinician, 0 to 6; None where a clinician rated none. A 0 may stand for 'not
            applicable' in this set and cannot be told from a rating, so it is left out.
    """

    id: str
    member: str
    model: str
    turns: tuple[tuple[str, str], ...]
    ratings: tuple[float | None, ...]

    @property
    def mean(self) -> float:
        """Mean over clinicians."""
        return fmean(one for one in self.ratings if one is not None)

    @property
    def therapist_words(self) -> str:
        """All that the therapist said, a turn a line."""
        return "\n".join(text for speaker, text in self.turns if speaker == "therapist")


def rated_sessions(data: Path) -> list[Rated]:
    """The sessions in the order of the file."""
    found = []
    for line in (data / RATED).read_text(encoding="utf-8").splitlines():
        told = json.loads(line)
        given = [[many[rater] for many in told["ratings"].values() if many.get(rater)] for rater in RATERS]
        # The simulated member is the model's user; the therapist is the assistant.
        turns = tuple(("client" if m["role"] == "user" else "therapist", m["content"]) for m in told["messages"])
        ratings = tuple(fmean(mine) if mine else None for mine in given)
        found.append(Rated(told["id"] + "/" + told["model"], told["member"], told["model"], turns, ratings))
    return found


def likeness(sessions: Sequence[Rated], *, client: bool = False) -> list[float | None]:
    """Log odds of motivational-interviewing likeness: of the therapist's words, or of the client's own words alone."""
    predict = packaged_coder()
    found = []
    for one in sessions:
        said = tuple(
            Utterance("client" if speaker == "client" else "therapist", text, index=at)
            for at, (speaker, text) in enumerate(one.turns)
        )
        coded = code_transcript(Transcript(one.id, None, said, "mindeval", 2), predict)
        found.append(change_talk_share(coded).value if client else likeness_of(coded))
    return found


def ranked(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Spearman's rank correlation; None where one side does not vary."""
    return correlations([one for one, _ in pairs], [other for _, other in pairs]).spearman.value


def within(rows: Sequence[tuple[str, float, float]]) -> float | None:
    """Mean of the rank correlations within each model, so that telling models apart earns nothing."""
    found = []
    for model in sorted({model for model, _, _ in rows}):
        mine = [(value, rating) for one, value, rating in rows if one == model]
        rho = ranked(mine) if len(mine) > 3 else None
        if rho is not None:
            found.append(rho)
    return fmean(found) if found else None


def pooled(rows: Sequence[tuple[str, float, float]]) -> float | None:
    """The rank correlation over all sessions, models mixed."""
    return ranked([(value, rating) for _, value, rating in rows])


Statistic = Callable[[Sequence[tuple[str, float, float]]], float | None]


def against_clinicians(
    sessions: Sequence[Rated], values: Sequence[float | None], statistic: Statistic, *, draws: int = 1000
) -> Interval:
    """How far a value goes with the clinicians' mean, interval by member (a member met all three models)."""
    kept = [(one, value) for one, value in zip(sessions, values, strict=True) if value is not None]
    rows = [(one.model, value, one.mean) for one, value in kept]
    return bootstrap_statistic(rows, statistic, clusters=[one.member for one, _ in kept], rng=Random(0), draws=draws)


def one_against_the_rest(sessions: Sequence[Rated], rater: int, statistic: Statistic = pooled) -> float | None:
    """One clinician against the mean of the other three, by the same formula as anything else."""
    return statistic(clinician_rows(sessions, rater))


def clinician_rows(sessions: Sequence[Rated], rater: int) -> list[tuple[str, float, float]]:
    """(model, the one clinician, mean of the others) of the sessions that both rated."""
    rows = []
    for one in sessions:
        mine = one.ratings[rater]
        rest = [value for at, value in enumerate(one.ratings) if at != rater and value is not None]
        if mine is not None and rest:
            rows.append((one.model, mine, fmean(rest)))
    return rows
