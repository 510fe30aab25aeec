"""The one catalogue: every measure of the package in its place, and which of them a session is measured by.

Whoever has a session asks `scores_of` for its scores, be it simulated, in a file or in a run folder: `evaluate` and
`rescore` by the measures that `registry.load_measures` gives, `score` by those of `measures_with`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from maieutic.domain.episode import Episode, Score
from maieutic.measures import between, codes, discovery, evidence, hidden_state, moves, order, quality
from maieutic.measures.coded import CodedTranscript, uncoded
from maieutic.measures.definition import ASKED, MADE, OF_MINDS, OF_TALK, Measure, as_measure, body_of
from maieutic.measures.material import Material
from maieutic.measures.validity import NOT_VALIDATED, areas_of_measure, shown
from maieutic.registry import asking, known, load_measures, lookup
from maieutic.transcripts.utterance import Transcript, Utterance

MODULES: Final = (hidden_state, evidence, moves, quality, codes, order, discovery, between)
"""Where measures are declared; within a family this order counts, then that of the declarations."""
_FAMILIES = (*OF_MINDS, *OF_TALK)
_PLACES = {module.__name__: place for place, module in enumerate(MODULES)}
MEASURES: Final = tuple(
    sorted(MADE, key=lambda one: (_FAMILIES.index(one.family), _PLACES[body_of(one.function).__module__]))
)
OF_TRANSCRIPTS: Final = tuple(one for one in MEASURES if one.family in OF_TALK)
"""What `maieutic score` computes unasked, in the order of its report."""


def measures_with(specs: Sequence[str] = ()) -> tuple[Measure, ...]:
    """The measures of a run of `score`: those of transcripts, what was asked for by id marked, then the others and
    those of other packages.

    Args:
        specs: Ids, or `FILE.py:NAME`.

    Raises:
        UnknownName, InputError: as `registry.ask_for`.
    """
    ours = {one.id for one in OF_TRANSCRIPTS}
    with asking(specs) as found:
        wanted = {one.id for one in found}
        others = {one.id: as_measure(one) for one in (*load_measures(), *found) if one.id not in ours}
    marked = (replace(one, asked=True, detail=False) if one.id in wanted else one for one in OF_TRANSCRIPTS)
    besides = (one for id, one in sorted(others.items()) if id in wanted or not one.packaged)
    return (*marked, *(replace(one, asked=True, family=ASKED, unit=one.unit or one(_SMALL).unit) for one in besides))


def _small() -> CodedTranscript:
    said = ("I was late.", "What happened?", "I overslept.", "I see.")
    turns = (Utterance("therapist" if at % 2 else "client", text, index=at) for at, text in enumerate(said))
    return uncoded(Transcript("", None, tuple(turns), "", 2))


_SMALL = _small()
"""A plain function says its unit in its scores only."""


def scores_of(session: Episode | CodedTranscript, measures: Iterable[Measure] = OF_TRANSCRIPTS) -> tuple[Score, ...]:
    """The scores of one session by these measures, in their order; what is at hand of it is made once for all."""
    given = Material(session)
    return tuple(one(given) for one in measures)


def by_family(measures: Sequence[Measure]) -> list[tuple[str, list[Measure]]]:
    """Families in order of first occurrence, each with its measures."""
    found: dict[str, list[Measure]] = {}
    for one in measures:
        found.setdefault(one.family, []).append(one)
    return list(found.items())


def told(id: str) -> str:
    """The whole definition of one measure, as `maieutic measures ID` prints it. Raises `UnknownName`."""
    one = as_measure(lookup("measure", id))
    named = one.title if one.definition.startswith(one.meaning) else f"{one.title}. {one.meaning}"
    lines = [id, named, "", one.definition, "", f"Needs: {one.needed}. Unit and range: {one.scale}."]
    if "Validity: " not in one.definition:
        lines.append(f"Validity: {one.validated}.")
    elif NOT_VALIDATED in one.validated:
        lines.append(f"{NOT_VALIDATED.capitalize()}.")
    return "\n".join([*lines, *((_areas(id),) if one.family in OF_TALK else ())])


def listed() -> Iterator[tuple[str, str, str]]:
    """(group, id, what it says) of every measure there is, those of other packages last."""
    strangers = (one for one in map(as_measure, known("measure").values()) if not one.packaged)
    for one in (*MEASURES, *strangers):
        yield one.family + " (simulated sessions)" * (one.family in OF_MINDS), one.id, one.meaning


def _areas(measure: str) -> str:
    found = areas_of_measure(measure)
    if found is None:
        return "AUC: not measured here."
    told = [
        f"{name} {shown(of['raw'])}, residual {shown(of['residual'])}, like length {shown(of['like_length'])}"
        for name, of in (("AnnoMI", found["annomi"]), ("HLQC", found["hlqc"]))
    ]
    return f"AUC, high over low quality: {'; '.join(told)}."
