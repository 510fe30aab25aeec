"""Measures that `maieutic score` computes besides its own: asked for by id, out of a file, or of an installed package.

A transcript is read as a session of `maieutic evaluate` without states (`of_episodes.episode_of`), so that one function
serves both; what needs a mind is missing with its reason.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from math import isfinite
from numbers import Real
from typing import Any

from maieutic.domain.episode import Episode, EpisodeKey, Score
from maieutic.measures.definition import BROKEN, is_packaged, is_share, meaning_of, score_of
from maieutic.registry import asking, load_measures
from maieutic.scoring.catalogue import MEASURES, SessionMeasure
from maieutic.scoring.coded import CodedTranscript
from maieutic.scoring.of_episodes import OF_EPISODES, episode_of, session_of
from maieutic.scoring.validity import COUNTED, NOT_VALIDATED
from maieutic.transcripts.utterance import SPEAKERS, Transcript, Utterance

FAMILY = "Asked for"
_SMALL = Transcript(
    "",
    None,
    (
        Utterance("client", "I was late.", index=0),
        Utterance("therapist", "What happened?", index=1),
        Utterance("client", "I overslept.", index=2),
        Utterance("therapist", "I see.", index=3),
    ),
    "",
    2,
)
"""A plain function says its unit in its scores only."""


def measures_with(specs: Sequence[str] = ()) -> tuple[SessionMeasure, ...]:
    """The measures of a run: the catalogue, those asked for by id marked, then the others and those of other packages.

    Args:
        specs: Ids, or `FILE.py:NAME`.

    Raises:
        UnknownName, InputError: as `registry.ask_for`.
    """
    with asking(specs) as found:
        wanted = {one.id for one in found}
        known = {one.id: one for one in (*load_measures(), *found) if one.id not in OF_EPISODES}
    listed = (replace(one, asked=True, detail=False) if one.id in wanted else one for one in MEASURES)
    return (*listed, *(_asked(one) for id, one in sorted(known.items()) if id in wanted or not is_packaged(one)))


def _asked(measure: Any) -> SessionMeasure:
    """A measure of sessions as one of coded transcripts; its evidence is counted as the transcript's utterances are."""

    def measured(coded: CodedTranscript) -> Score:
        score = score_of(measure, _episode(coded.transcript))
        places = [said.index for said in coded.transcript.utterances if said.speaker in SPEAKERS]
        shown = tuple(places[place] for place in score.evidence if 0 <= place < len(places))
        value = score.value
        if value is not None and not (isinstance(value, Real) and isfinite(value)):
            return Score(measure.id, None, measure.unit, f"{BROKEN} a value that is no number: {value!r}")
        value = None if value is None else float(value)
        reason = score.reason if value is not None or score.reason else "the measure gives no value and no reason"
        return Score(measure.id, value, score.unit, reason, shown)

    measured.__name__ = measure.id
    measured.__doc__ = inspect.getdoc(measure)
    return SessionMeasure(
        measured,
        measure.id.replace("_", " ").capitalize(),
        meaning_of(measure) or "The measure gives no description of itself.",
        percent=is_share(measure.unit or score_of(measure, _episode(_SMALL)).unit),
        family=FAMILY,
        asked=True,
        validity=_validity(measure),
    )


def _validity(measure: Any) -> str:
    if not getattr(measure, "human_validated", False):
        return NOT_VALIDATED
    return COUNTED if is_packaged(measure) else "human-validated, by its own word"


@lru_cache(maxsize=2)
def _episode(transcript: Transcript) -> Episode:
    return episode_of(session_of(transcript), EpisodeKey("people", transcript.id, 0), {"source": transcript.source})
