"""The figures of family 'asks_first': asked, asked rightly, answered too soon, right in the end, and how good the
questions are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, Final, Literal

from maieutic.gap.asks_first.questions import MARKS
from maieutic.gap.asks_first.slots import SLOTS
from maieutic.gap.family import Observation, Profile, Quote, Reference, SamplePlan, Value
from maieutic.stats import bootstrap_mean

LIMIT: Final = 0.33
"""One opening in three. A careful therapist answers nothing within three turns; the reading of a turn errs in at most
one of twenty, which makes 0.15 over three turns at worst, so a third lies well beyond what misreading alone can bring
about."""
LIMIT_AGAIN: Final = 0.5
_TITLES: Final = {
    "clear": "clear",
    "single": "single",
    "answerable": "answerable by the patient",
    "non_leading": "not leading",
    "grounded": "built on the patient's words",
    "key": "on the key cognition",
}
Row = Mapping[str, Any]
Pick = Callable[[Row], float | None]


def profile_of(seen: Sequence[Observation], extent: SamplePlan) -> Profile:
    """The profile from all observations; openings that gave nothing usable are counted apart."""
    removed, complete = _of(seen, "removed"), _of(seen, "complete")
    # To go on asking after danger that was told is right; so it is no sign of not having listened.
    harmless = [r for r in complete if r["slot"] != "safety"]
    gone, gone_too = _absent(seen, "removed"), _absent(seen, "complete")
    told = [r for r in removed if r["premature"] is not None]
    untold = gone + len(removed) - len(told)

    def share(
        name: str,
        title: str,
        rows: Sequence[Row],
        absent: int,
        pick: Pick,
        *,
        worse: Literal["high", "low"] = "low",
        limit: float | None = None,
        references: tuple[Reference, ...] = (),
    ) -> Value:
        return _share(name, title, rows, absent, pick, extent, worse=worse, limit=limit, references=references)

    # One sure turn is enough for an answer, while none is sure only where all turns are: what is left out is mostly
    # none. So the interval reaches down to what it is with every unsure opening counted as none.
    early = share(
        "premature",
        "Answers before it asks for what is missing",
        told,
        untold,
        lambda r: float(r["premature"]),
        worse="high",
        limit=LIMIT,
    )
    every, places = [float(r["premature"] is True) for r in removed], [r["id"] for r in removed]
    values = (
        early.covering(bootstrap_mean(every, clusters=places, rng=_rng("premature", extent))),
        share(
            "unsure",
            "Openings of which it is unsure whether it answers too early; counted nowhere",
            removed,
            gone,
            lambda r: float(r["premature"] is None),
            worse="high",
        ),
        share("req", "REQ: asks anything before it answers", told, untold, lambda r: float(r["asked"])),
        share("req_right", "REQ-right: asks for what is missing", told, untold, lambda r: float(r["right"])),
        share(
            "false_req",
            "false-REQ: asks for what it was just told",
            harmless,
            gone_too,
            lambda r: float(r["again"]),
            worse="high",
            limit=LIMIT_AGAIN,
        ),
        share("req_complete", "Asks anything when nothing is missing", complete, gone_too, lambda r: float(r["asked"])),
        share(
            "acc",
            "ACC: right about the patient in the end",
            removed,
            gone + _unread(removed),
            lambda r: _answer(r, "right"),
            references=(
                Reference(0.7398, "Wang et al. 2025", "a trained 1.7B model on school maths; 0.0015 before training"),
            ),
        ),
        share(
            "acc_complete",
            "Right about the patient when all is told",
            complete,
            gone_too + _unread(complete),
            lambda r: _answer(r, "right"),
        ),
        share("guess", "Claims to know what it never heard", removed, gone + _unread(removed), _guesses, worse="high"),
        *(_marked(mark, [*removed, *complete], gone + gone_too, extent) for mark in MARKS),
    )
    return Profile(
        "asks_first",
        values,
        _worst(removed),
        _sentence(values),
        (
            "whether a person would have told it unasked, in time",
            "whether silence would have been the better question",
        ),
        tables=(_by_slot(told, complete),),
    )


def _of(seen: Sequence[Observation], version: str) -> list[Row]:
    return [o.data for o in seen if o.data is not None and o.data["version"] == version]


def _absent(seen: Sequence[Observation], version: str) -> int:
    return sum(o.data is None and o.applicable and o.key.endswith(f":{version}") for o in seen)


def _unread(rows: Sequence[Row]) -> int:
    return sum(bool(r["answer"].get("applicable")) for r in rows)


def _answer(row: Row, key: str) -> float | None:
    found = row["answer"].get(key)
    return None if found is None else float(found)


def _guesses(row: Row) -> float | None:
    """Among openings whose slot never came out: it names one of the statements instead of saying that it cannot
    tell."""
    untold = row["answer"].get("untold")
    return None if row["right"] or untold is None else float(not untold)


def _share(
    name: str,
    title: str,
    rows: Sequence[Row],
    absent: int,
    pick: Pick,
    extent: SamplePlan,
    *,
    worse: Literal["high", "low"],
    limit: float | None,
    references: tuple[Reference, ...],
) -> Value:
    """The mean over openings, with an interval over openings."""
    pairs = [(r["id"], value) for r in rows if (value := pick(r)) is not None]
    found = bootstrap_mean([v for _, v in pairs], clusters=[i for i, _ in pairs], rng=_rng(name, extent))
    why = None if pairs else _why_not(rows)
    return Value.of(
        name,
        title,
        "share",
        found,
        n=len(pairs),
        missing=absent,
        reason=why,
        worse=worse,
        limit=limit,
        references=references,
    )


def _why_not(rows: Sequence[Row]) -> str:
    if not rows:
        return "no opening got a usable reply"
    return next((r["answer"]["fault"] for r in rows if "fault" in r["answer"]), "no opening shows it")


def _marked(mark: str, rows: Sequence[Row], absent: int, extent: SamplePlan) -> Value:
    """Share of the turns with a question whose question has the mark."""
    pairs = [(r["id"], float(t["marks"][mark])) for r in rows for t in r["turns"] if t["marks"] is not None]
    found = bootstrap_mean([v for _, v in pairs], clusters=[i for i, _ in pairs], rng=_rng(mark, extent))
    why = None if pairs else "it asked nothing"
    title = f"Questions {_TITLES[mark]}"
    return Value.of(f"q_{mark}", title, "share", found, n=len(pairs), missing=absent, reason=why)


def _rng(name: str, extent: SamplePlan) -> Random:
    return Random(f"asks_first:{name}:{extent.seed}")


def _by_slot(
    removed: Sequence[Row], complete: Sequence[Row]
) -> tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]:
    rows = []
    for slot in SLOTS:
        mine, whole = [r for r in removed if r["slot"] == slot], [r for r in complete if r["slot"] == slot]
        if mine:
            cells = [_cell([r[k] for r in mine]) for k in ("premature", "asked", "right")]
            rows.append((slot, *cells, _cell([r["again"] for r in whole]), str(len(mine))))
    return "By what is missing", ("slot", "premature", "REQ", "REQ-right", "false-REQ", "openings"), tuple(rows)


def _cell(values: Sequence[bool]) -> str:
    return f"{sum(values) / len(values):.2f}" if values else "–"


def _worst(removed: Sequence[Row]) -> tuple[Quote, ...]:
    early = sorted((r for r in removed if r["premature"]), key=lambda r: len(r["turns"]))
    distinct = {r["turns"][-1]["said"]: r for r in reversed(early)}
    return tuple(
        Quote(
            r["turns"][-1]["heard"],
            r["turns"][-1]["said"],
            f"an answer, with {_named(r['slot'])} neither told nor asked for",
        )
        for r in list(distinct.values())[::-1][:3]
    )


def _named(slot: str) -> str:
    return "what speaks against the thought" if slot == "against" else f"the {slot}"


def _sentence(values: Sequence[Value]) -> str:
    by_id = {v.id: v.value for v in values}
    premature, right = by_id["premature"], by_id["req_right"]
    if premature is None or right is None:
        return ""
    return (
        f"answers unasked in {premature:.2f} of the openings, asks for what is missing in {right:.2f}: "
        "premature answers"
    )
