"""Comprehension against labelled turns on cases and wordings that took no part in its calibration."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from random import Random

from maieutic.domain.appraisal import Appraisal
from maieutic.domain.episode import Session, Turn
from maieutic.errors import ModelError
from maieutic.library import get_case
from maieutic.patients.comprehension import Comprehension
from maieutic.patients.ear import bids_well
from maieutic.patients.worded.ear import Ear
from maieutic.protocols import LanguageModel
from maieutic.registry import load_model
from maieutic.runs.files import files_of_lines, read_lines
from maieutic.runs.findings import Bound, Finding, bounded
from maieutic.runs.work import Tick, pooled
from maieutic.stats import Interval, bootstrap_statistic
from maieutic.validation.behaviour import counted
from maieutic.worlds import reading

ASKING = frozenset({"fitting"})
MUST_NOT = frozenset({"advice", "pile", "other_life"})
_AT_ONCE = 8
Row = dict[str, str | None]
"""A held-out turn, as it is stored."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """One therapist turn with the fact that it asks for, or None, and what was heard.

    `by` says by whom where a model was asked, `lost` at which step the fact was lost where the embedded ears missed it.
    """

    case: str
    situation: str
    fact: str | None
    kind: str
    text: str
    reached: str | None
    by: str | None = None
    lost: str | None = None


def labelled() -> list[Labelled]:
    """The packaged held-out turns (own-written, on test cases, composed apart from code and calibration), not heard
    yet."""
    return [_labelled(row) for row in _rows()]


def held_out() -> list[list[Row]]:
    """The same turns by case, not heard yet; what `heard` takes."""
    return [list(rows) for _, rows in groupby(_rows(), key=lambda row: row["case"])]


def heard(rows: Sequence[Row]) -> list[Labelled]:
    """Held-out turns of one case, as heard."""
    return [_heard(row) for row in rows]


def held_out_by(spec: str, *, tick: Tick) -> list[Labelled]:
    """The same turns as the `Ear` of that model hears them; `tick` is told of each one heard."""
    return asyncio.run(_heard_by(load_model(spec), tick))


async def _heard_by(model: LanguageModel, tick: Tick) -> list[Labelled]:
    async def one(row: Row) -> Labelled:
        case, situation = str(row["case"]), str(row["situation"])
        usual = reading(case, situation)
        try:
            heard = (await Ear(get_case(case), usual, model)(_session(row))).appraisal
        except ModelError as error:
            heard = replace(usual(_session(row)), by=f"embedded, because {error}")
        tick(1)
        return replace(_labelled(row), reached=heard.reaches[0].evidence if heard.reaches else None, by=heard.by)

    try:
        return await pooled(one, _rows(), min(_AT_ONCE, int(getattr(model, "parallel", 1))))
    finally:
        await model.close()


def _rows() -> list[Row]:
    folder = Path(str(files("maieutic.validation"))) / "data"
    return [row for path in files_of_lines(folder, "comprehension_heldout*.jsonl") for row in read_lines(path)]


def _heard(row: Row) -> Labelled:
    usual, session = reading(str(row["case"]), str(row["situation"])), _session(row)
    heard, turn = usual(session), _labelled(row)
    reached = heard.reaches[0].evidence if heard.reaches else None
    missed = turn.fact is not None and reached != turn.fact
    return replace(turn, reached=reached, lost=_lost(usual, session, str(turn.fact), heard) if missed else None)


def _lost(usual: Comprehension, session: Session, fact: str, heard: Appraisal) -> str:
    """At which step of the embedded ears a fact that was asked for was lost."""
    text = session.by("therapist")[-1].text
    taken = usual.hearing(session)
    asked = taken.asked
    if heard.reaches:
        return "another fact was reached"
    if heard.tells:
        return "the turn was taken for telling"
    if not usual.invites(text) and not (bids_well(text) and heard.questions):
        return "the form of the turn cannot ask for a fact"
    if max(asked, key=asked.__getitem__) != fact:
        return "another fact was likelier, and not sure enough"
    if taken.reached is None:
        return "the right fact was likeliest, and not sure enough"
    return "something else was heard beside it"


def _labelled(row: Row) -> Labelled:
    return Labelled(str(row["case"]), str(row["situation"]), row["fact"], str(row["kind"]), str(row["text"]), None)


def _session(row: Row) -> Session:
    opening = get_case(str(row["case"])).phrasings.opening[str(row["situation"])][0]
    return Session((Turn("patient", opening), Turn("therapist", str(row["text"]))))


def judged_by(spec: str, turns: Sequence[Labelled]) -> list[Finding]:
    """What `judged` says of the model's ears, fallbacks included, and how often and why the embedded reading stood
    in."""
    count = len(turns)
    own = [t for t in turns if _read_itself(t)]
    found = [replace(f, title=f"{spec}: {f.title}") for f in judged(turns)]
    found.append(_told(f"{spec}: turns that the model read itself", len(own), count))
    reasons = Counter(_reason(t.by) for t in turns if not _read_itself(t))
    for why, times in reasons.most_common():
        found.append(_told(f"{spec}: fell back, because {why}", times, count))
    asked = [t for t in own if t.kind in ASKING or t.fact is None]
    for name, statistic in (("precision", _precision), ("recall", _recall)) if asked else ():
        title = f"{spec}: {name} on the {len(asked)} turns that it read itself"
        found.append(Finding("comprehension", title, _share(asked, statistic), "share"))
    return found


def judged(turns: Sequence[Labelled]) -> list[Finding]:
    """Precision and recall for the fact reached, and how often advice, piles and other lives reach one."""
    asked = [t for t in turns if t.kind in ASKING or t.fact is None]
    precision, recall = _share(asked, _precision), _share(asked, _recall)
    title = f"precision for the fact reached ({len(asked)} held-out turns)"
    found = [
        bounded("comprehension", title, precision, "share", Bound("≥", 0.9)),
        bounded("comprehension", "recall for the fact reached", recall, "share", Bound("≥", 0.7)),
    ]
    missed = [t for t in turns if t.kind in ASKING and t.lost is not None]
    asking = sum(t.kind in ASKING for t in turns)
    for step, times in Counter(t.lost for t in missed).most_common():
        found.append(_told(f"fact missed: {step}", times, asking))
    note = "judged by the share itself: so few turns cannot bring the interval under 2 %"
    for kind in sorted({t.kind for t in turns}):
        own = [t for t in turns if t.kind == kind]
        if kind in MUST_NOT:
            wrong = sum(t.reached is not None for t in own)
            few = wrong / len(own) <= 0.02
            found.append(_told(f"{kind}: turns that reach a fact", wrong, len(own), "≤ 0.02", few, note))
        else:
            right = sum(t.reached == t.fact for t in own)
            found.append(_told(f"{kind}: turns read as labelled", right, len(own)))
    return found


_told = partial(counted, "comprehension")


def _read_itself(turn: Labelled) -> bool:
    return turn.by is not None and turn.by.startswith("model ")


def _reason(by: str | None) -> str:
    return (by or "nobody was asked").removeprefix("embedded, because ").split(":")[0]


def _share(turns: Sequence[Labelled], statistic: Callable[[Sequence[Labelled]], float | None]) -> Interval:
    return bootstrap_statistic(turns, statistic, clusters=[t.case for t in turns], rng=Random(7), draws=1000)


def _precision(turns: Sequence[Labelled]) -> float | None:
    reached = [t for t in turns if t.reached is not None]
    return sum(t.reached == t.fact for t in reached) / len(reached) if reached else None


def _recall(turns: Sequence[Labelled]) -> float | None:
    asked = [t for t in turns if t.fact is not None]
    return sum(t.reached == t.fact for t in asked) / len(asked) if asked else None
