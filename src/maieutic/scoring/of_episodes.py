"""Simulated sessions as transcripts and transcripts as simulated sessions: one id, one definition, whoever spoke.

Where that is asked for, a simulated session is coded once by the packaged coder (fast), and measured as
`maieutic score` measures it. The usual table of `maieutic evaluate` counts the moves that were recorded (`measures/`):
the coder gives a turn one main behaviour, and a Socratic turn often gives back and asks. A transcript in turn is read
as a session without states, so that `maieutic score` computes what was asked for by id, out of a file, or of an
installed package; what needs a mind is missing with its reason."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from math import isfinite
from numbers import Real
from typing import Any, Final

from maieutic.domain.episode import Ending, Episode, EpisodeKey, Session, Turn
from maieutic.measures.definition import (
    BROKEN,
    EpisodeMeasure,
    Finding,
    is_packaged,
    is_share,
    meaning_of,
    missing,
    score_of,
)
from maieutic.protocols import Embedder, Measure
from maieutic.registry import asking, known, load_measures, lookup
from maieutic.registry import measure as register
from maieutic.scoring.catalogue import MEASURES
from maieutic.scoring.coded import CodedTranscript, CodedTurn, Predict, code_transcript, packaged_coder
from maieutic.scoring.measured import COUNTED, NOT_VALIDATED, SessionMeasure, areas_of_measure, human_validated, shown
from maieutic.transcripts.utterance import SPEAKERS, Transcript, Utterance, out_of_scope

USUAL: Final = frozenset({"therapist_talk_share"})
"""Computed for every simulated session, however short: a plain count of words, which needs no codes."""
_RANGE = re.compile(r"Range: (?:above )?(-?[\d.]+\d|-?\d)(?: \([^)]*\))?(?: to (-?\d+)| upward)")
_KEPT = 64
"""Sessions whose codes are kept: the measures of one session follow each other."""


def transcript_of(session: Session) -> Transcript:
    """A simulated session as a transcript; the index of an utterance is its place in `session.turns`."""
    said = tuple(
        Utterance("therapist" if turn.speaker == "therapist" else "client", turn.text, index=index, name=turn.speaker)
        for index, turn in enumerate(session.turns)
        if turn.text.strip()
    )
    return Transcript("", None, said, "", len({one.speaker for one in said}))


def session_of(transcript: Transcript) -> Session:
    """What therapist and client said, one turn an utterance."""
    return Session(
        tuple(
            Turn("therapist" if said.speaker == "therapist" else "patient", said.text, original=said.original)
            for said in transcript.utterances
            if said.speaker in SPEAKERS
        )
    )


def episode_of(session: Session, key: EpisodeKey, provenance: Mapping[str, Any] | None = None) -> Episode:
    """A session of people as an episode without states: coded as a simulated one is, its hidden side is missing."""
    from maieutic.coding.rules import RuleCoder

    coder = RuleCoder()
    places = [place for place, turn in enumerate(session.turns) if turn.speaker == "therapist"]
    codes = [coder.code(Session(session.turns[: place + 1])) for place in places]
    return Episode(key, session, (), tuple(codes), (None,) * len(codes), Ending("completed"), provenance or {})


@cache
def _coder() -> Predict:
    return packaged_coder()


@lru_cache(maxsize=_KEPT)
def _coded(said: Transcript) -> CodedTranscript:
    return code_transcript(said, _coder())


@cache
def embedder() -> Embedder:
    """What the measures of alliance compare sentences by."""
    from maieutic.reading.minilm import MiniLM

    return MiniLM(cached_texts=2_000)


def _measured(one: SessionMeasure, episode: Episode) -> Finding:
    if one.family == "Likeness to MI demonstrations":
        return missing("chatbot text: a simulated therapist is no person, and of such text the likeness says nothing")
    said = transcript_of(episode.session)
    if one.id in USUAL:
        return one.function(CodedTranscript(said, tuple(CodedTurn(turn, None, {}) for turn in said.utterances)))
    if (reason := out_of_scope(said)) is not None:
        return missing(reason)
    coded = _coded(said)
    return one.function(replace(coded, embedder=embedder()) if one.family == "Alliance from text" else coded)


def range_of(one: SessionMeasure) -> tuple[float, float | None]:
    """The range that the docstring of a measure gives, None where it is open above; −∞ where it is open below."""
    found = _RANGE.search(one.definition)
    if found is None:
        return float("-inf"), None
    return float(found[1]), None if found[2] is None else float(found[2])


def _registered(one: SessionMeasure) -> EpisodeMeasure:
    def function(episode: Episode) -> Finding:  # of this module, so that an error of it is ours
        return _measured(one, episode)

    found = EpisodeMeasure(
        function,
        one.id,
        one.unit,
        *range_of(one),
        None,  # flattery is read as reflection in nearly half of its turns: no rate of these is better when higher
        ("therapist_turns",),
        one.meaning,
        # It agreed on people's sessions; of scripted therapists it takes flattery for reflection.
        human_validated=human_validated(one.id) and one.id != "reflection_rate",
        on_request=one.id not in USUAL,
    )
    return register(one.id)(found)


OF_EPISODES: Final = {one.id: _registered(one) for one in MEASURES}
"""All measures of transcripts as measures of simulated sessions, by id."""


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
        others = {one.id: one for one in (*load_measures(), *found) if one.id not in OF_EPISODES}
    listed = (replace(one, asked=True, detail=False) if one.id in wanted else one for one in MEASURES)
    return (*listed, *(_asked(one) for id, one in sorted(others.items()) if id in wanted or not is_packaged(one)))


def _asked(measure: Any) -> SessionMeasure:
    """A measure of sessions as one of coded transcripts; its evidence is counted as the transcript's utterances are."""

    def function(coded: CodedTranscript) -> Finding:
        score = score_of(measure, _episode(coded.transcript))
        if score.value is None:
            return missing(score.reason or "the measure gives no value and no reason")
        if not (isinstance(score.value, Real) and isfinite(score.value)):
            return missing(f"{BROKEN} a value that is no number: {score.value!r}")
        places = [said.index for said in coded.transcript.utterances if said.speaker in SPEAKERS]
        shown = tuple(places[place] for place in score.evidence if 0 <= place < len(places))
        return Finding(float(score.value), shown, score.reason)

    unit = measure.unit or score_of(measure, _episode(_SMALL)).unit
    return SessionMeasure(
        measure.id,
        function,
        unit,
        measure.id.replace("_", " ").capitalize(),
        meaning_of(measure) or "The measure gives no description of itself.",
        FAMILY,
        inspect.getdoc(measure) or "",
        percent=is_share(unit),
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


OF_MINDS: Final = (
    "Conviction",
    "What came to light",
    "Pace",
    "Questions, reflections and advice",
    "Feelings",
    "Alliance, resistance, distress",
    "Talk",
)
"""Families of the package's own measures of simulated sessions, in order."""


def told(id: str) -> str:
    """The whole definition of one measure, as `maieutic measures ID` prints it. Raises `UnknownName`."""
    measure = lookup("measure", id)
    said = {one.id: one for one in MEASURES}.get(id)
    if said is not None:
        text, valid, needs = said.definition, said.validated, said.needs
        title, after = f"{said.title}. {said.meaning}", [f"Validity: {valid}.", _areas(id)]
    elif isinstance(measure, EpisodeMeasure):
        text, title, needs, after = inspect.getdoc(measure.function) or "", measure.meaning, needs_of(measure), []
    else:
        text, title, needs, after = inspect.getdoc(measure) or "It gives no description of itself.", "", "a session", []
    scale = scale_of(measure) if isinstance(measure, EpisodeMeasure) else str(getattr(measure, "unit", ""))
    lines = [id, *([title] if title else []), "", text, "", f"Needs: {needs}. Unit and range: {scale or 'not stated'}."]
    return "\n".join([*lines, *after])


def listed() -> Iterator[tuple[str, str, str]]:
    """(group, id, what it says) of every measure there is, those of other packages last."""
    for heading in OF_MINDS:
        own = (one for one in of_minds() if one.family == heading)
        yield from ((f"{heading} (simulated sessions)", one.id, one.meaning) for one in own)
    yield from ((one.family, one.id, one.meaning) for one in MEASURES)
    ours = {one.id for one in of_minds()} | set(OF_EPISODES)
    for id, measure in known("measure").items():
        if id not in ours:
            yield "Of other packages", id, (inspect.getdoc(measure) or "").partition("\n")[0]


def of_minds() -> list[EpisodeMeasure]:
    """The package's own measures of simulated sessions."""
    found: list[Measure] = [one for id, one in known("measure").items() if id not in OF_EPISODES]  # type: ignore[misc]
    return [one for one in found if isinstance(one, EpisodeMeasure) and one.function.__module__.startswith("maieutic.")]


def needs_of(one: EpisodeMeasure) -> str:
    """What a session must hold for it, in words."""
    names = {
        "states": "hidden mind",
        "therapist_turns": "words",
        "codes": "moves",
        "appraisals": "how it was heard",
        "warranted": "warranted conviction",
        "against": "facts against",
    }
    return ", ".join(names[need] for need in one.needs)


def scale_of(one: EpisodeMeasure) -> str:
    """Unit and range."""
    low, high = (None if end is None else f"{end:g}".replace("-", "−") for end in (one.low, one.high))
    span = "open" if low == "−inf" else f"{low} upwards" if high is None else f"{low} to {high}"
    return one.unit if one.unit.endswith(span) else f"{one.unit}, {span}"


def _areas(measure: str) -> str:
    found = areas_of_measure(measure)
    if found is None:
        return "AUC: not measured here."
    told = [
        f"{name} {shown(of['raw'])}, residual {shown(of['residual'])}, like length {shown(of['like_length'])}"
        for name, of in (("AnnoMI", found["annomi"]), ("HLQC", found["hlqc"]))
    ]
    return f"AUC, high over low quality: {'; '.join(told)}."
