"""One session as one self-contained page: the transcript with its codes beside the measures, each with the turns behind
it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from maieutic.domain.episode import Score
from maieutic.language.sentences import slug
from maieutic.measures.catalogue import by_family
from maieutic.measures.coded import CodedTranscript, CodedTurn
from maieutic.measures.definition import Measure
from maieutic.measures.validity import NOT_VALIDATED
from maieutic.runs.shown import environment
from maieutic.scoring.doubt import Bounds, forms_of, open_of, show_doubtful
from maieutic.scoring.score_run import ScoreOptions
from maieutic.scoring.summary import MI_NOTE, compared_of, details_of, quality_last, shown_of
from maieutic.transcripts.utterance import Utterance

FEW_TURNS = 10
"""Coded therapist turns below which one moves a share by more than ten points."""
TURNS = 500
"""Turns on one page; a longer session has several, half a megabyte each."""
NAMES: Mapping[str, str] = {
    "therapist_input": "advice or information",
    "change": "change talk",
    "sustain": "sustain talk",
}


class Measured(NamedTuple):
    """One measure of this session, with its value as it is shown."""

    measure: Measure
    score: Score
    value: str


class TurnView(NamedTuple):
    """One turn with its code, how sure it is, what it is evidence of, and as it was written where it was made plain."""

    turn: CodedTurn
    said: Utterance
    label: str | None
    chance: str
    sure: bool
    further: tuple[tuple[str, str], ...]
    bars: tuple[tuple[str, str, int], ...]
    evidence_of: Sequence[str]


def page_name(place: str, session: str, number: int) -> str:
    """A file name for the page of a session that is the same in every run and says which session it is."""
    named = slug(f"{place.rpartition('.')[0] or place}-{session}", "-")[:60]
    return f"{number:02d}-{named or 'session'}.html"


def render_session_pages(
    name: str,
    coded: CodedTranscript,
    found: Sequence[Score],
    shown: Sequence[Utterance],
    options: ScoreOptions,
    *,
    codes: str,
    in_sample: bool,
    doubt: Mapping[str, Bounds],
    measures: Sequence[Measure],
) -> Iterator[tuple[str, str]]:
    """(file name, HTML) of the pages of a session, of at most `TURNS` turns each: no external request.

    Args:
        name: File name of the first page.
        coded: The session with its codes.
        found: Its measures.
        shown: The turns as they are to be shown, redacted or not.
        options: Whether they are redacted, and whether also measures and codes are shown that were not held against
            human codes as they are used here, or that only motivational interviewing knows.
        codes: Where the codes come from.
        in_sample: Whether the coder was fitted on this session.
        doubt: How far unsure codes can move its shares.
        measures: What was computed.
    """
    every = options.every
    compared = shown_of(compared_of(measures), every=every)
    by_id = {score.measure: score for score in found}
    titles: dict[int, list[str]] = {}
    for measure in compared:
        for index in by_id[measure.id].evidence:
            titles.setdefault(index, []).append(measure.title)
    families = [
        (name, [_measure(one, by_id[one.id], doubt.get(one.id)) for one in own])
        for name, own in quality_last(by_family(compared))
    ]
    details = [_measure(one, by_id[one.id]) for one in shown_of(details_of(measures), every=every)]
    one = coded.transcript
    said = list(zip(coded.turns, shown, strict=True))
    parts = [said[start : start + TURNS] for start in range(0, len(said), TURNS)] or [[]]
    files = [name if at == 0 else f"{name.removesuffix('.html')}-{at + 1}.html" for at in range(len(parts))]
    for place, part in enumerate(parts):
        yield (
            files[place],
            environment(Path(__file__).parent / "pages")
            .get_template("session.html.j2")
            .render(
                session=one.id,
                source=one.source,
                group=one.group,
                here={turn.index for turn, _ in part},
                details=details,
                families=families,
                redacted=options.redact,
                codes=codes,
                in_sample=in_sample,
                words=one.words,
                notes=(*one.notes, *_short(coded)),
                count=len(said),
                not_validated=NOT_VALIDATED,
                mi_note=MI_NOTE if every else "",
                files=files,
                place=place,
                first=place * TURNS + 1,
                last=place * TURNS + len(part),
                name_of=name_of,
                turns=[_turn(turn, words, titles.get(turn.index, ()), every=every) for turn, words in part],
            ),
        )


def _short(coded: CodedTranscript) -> tuple[str, ...]:
    """How much one turn moves a share where there are few."""
    turns = len(coded.coded("therapist"))
    if not 0 < turns < FEW_TURNS:
        return ()
    return (f"A short session: one of its {turns} coded therapist turns moves a share by {100 / turns:.0f} points.",)


def _measure(measure: Measure, score: Score, doubt: Bounds | None = None) -> Measured:
    return Measured(measure, score, show_doubtful(score.value, measure, doubt))


def _turn(turn: CodedTurn, said: Utterance, evidence_of: Sequence[str], *, every: bool) -> TurnView:
    if not every and turn.speaker == "client":  # of the client there are codes of motivational interviewing alone
        return TurnView(turn, said, None, "", True, (), (), evidence_of)
    best = turn.probabilities.get(turn.label or "")
    ranked = sorted(turn.probabilities.items(), key=lambda pair: -pair[1])
    return TurnView(
        turn,
        said,
        turn.label or "no code",
        ("" if best is None else f"{100 * best:.0f} %") + _form_of(turn),
        turn.sure,
        tuple((scheme, ", ".join(map(name_of, labels)) or "unsure") for scheme, labels in turn.codes.items() if every),
        tuple((name_of(label), f"{100 * p:.0f} %", round(100 * p)) for label, p in ranked),
        evidence_of,
    )


def _form_of(turn: CodedTurn) -> str:
    """Of a question the form that it counts as, how likely that form is, and the other where it may be that as well."""
    if turn.label != "question" or (chance := open_of(turn)) is None:
        return ""
    form, likely = ("open", chance) if chance >= 0.5 else ("closed", 1.0 - chance)
    other = " or ".join(sorted(forms_of(chance) - {form}))
    return f", {form} {100 * likely:.0f} %" + (f" (or {other})" if other else "")


def name_of(label: str) -> str:
    """A code in words."""
    return NAMES.get(label, label.replace("_", " "))
