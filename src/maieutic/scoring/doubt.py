"""Codes that the coder itself calls unsure: what such a turn may be instead, and how far that moves the shares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from maieutic.measures.coded import IN_WORDS, THERAPIST_LABELS, CodedTranscript, CodedTurn
from maieutic.measures.codes import chance_of_open
from maieutic.measures.definition import Measure

Bounds = tuple[float, float]
Readings = tuple[str, ...]
"""What a turn may be: its label, and where that is unsure, the others that are at least half as likely, or the next one
where none is: a turn that is marked unsure moves a share, too."""

Forms = frozenset[str]
"""What the question of a turn may be, 'open' or 'closed' or either; none where the turn cannot be a question."""

_LIKELY = 0.5
_MAX_KINDS = 3
_SHARES: Mapping[str, tuple[str, Collection[str]]] = {
    "question_rate": ("question", THERAPIST_LABELS),
    "reflection_rate": ("reflection", THERAPIST_LABELS),
    "therapist_input_rate": ("therapist_input", THERAPIST_LABELS),
    "change_talk_share": ("change", ("change", "sustain")),
}
"""Measures that are the share of one label among some: label, and among which."""


def readings_of(label: str, sure: bool, probabilities: Mapping[str, float | None]) -> Readings:
    """The label of a turn, then what it may be instead."""
    found = {other: p for other, p in probabilities.items() if p is not None}
    if sure or label not in found:
        return (label,)
    others = sorted((other for other in found if other != label), key=lambda other: -found[other])
    near = [other for other in others if found[other] >= _LIKELY * found[label]]
    return (label, *(near or others[:1]))


def forms_of(chance: float | None) -> Forms:
    """The likelier form of a question, and the other where it is at least half as likely; `chance` is that of open."""
    if chance is None:
        return frozenset()
    chances = {"open": chance, "closed": 1.0 - chance}
    return frozenset(form for form, one in chances.items() if one >= _LIKELY * max(chances.values()))


def open_of(turn: CodedTurn) -> float | None:
    """Probability that the question of a turn is open; None where the turn can be no question."""
    if turn.label is None or "question" not in readings_of(turn.label, turn.sure, turn.probabilities):
        return None
    return chance_of_open(turn)


def doubts_of(coded: CodedTranscript) -> tuple[list[Readings], list[Forms]]:
    """What each coded turn of a session may be, and what its question may be."""
    labelled = [(turn.label, turn) for turn in coded.turns if turn.label is not None]
    return (
        [readings_of(label, turn.sure, turn.probabilities) for label, turn in labelled],
        [forms_of(open_of(turn)) for _, turn in labelled],
    )


def bounds(turns: Sequence[Readings], forms: Sequence[Forms]) -> dict[str, Bounds]:
    """The least and the most that each share can be, whatever the unsure turns of the session are; none without a
    turn."""
    found = _open_bounds(turns, forms)
    for measure, (label, among) in _SHARES.items():
        others = set(among) - {label}
        must = sum(one == (label,) for one in turns)
        may = sum(label in one for one in turns)
        may_other = sum(not others.isdisjoint(one) for one in turns)
        must_other = sum(others.issuperset(one) for one in turns)
        if must + may_other and may + must_other:
            found[measure] = must / (must + may_other), may / (may + must_other)
    return found


def _open_bounds(turns: Sequence[Readings], forms: Sequence[Forms]) -> dict[str, Bounds]:
    """Of the open questions among questions: a turn in doubt may be one, a closed one, or no question at all."""
    may = [
        (*form, *(("none",) if one != ("question",) else ()))
        for one, form in zip(turns, forms, strict=True)
        if "question" in one
    ]
    must_open, must_close = (sum(one == (form,) for one in may) for form in ("open", "closed"))
    may_open, may_close = (sum(form in one for one in may) for form in ("open", "closed"))
    if not (must_open + may_close and may_open + must_close):
        return {}
    return {"open_question_share": (must_open / (must_open + may_close), may_open / (may_open + must_close))}


def show_doubtful(value: float | None, measure: Measure, between: Bounds | None) -> str:
    """'0 % (0 to 44 %)': a share with how far unsure codes can move it; the value alone where they cannot."""
    shown = measure.show(value)
    reach = span(value, measure, between)
    return f"{shown} ({reach})" if reach else shown


def span(value: float | None, measure: Measure, between: Bounds | None) -> str:
    """'0 to 44 %', or nothing where unsure codes cannot move the value as it is shown."""
    if value is None or between is None:
        return ""
    shown = [measure.show(one) for one in between]
    return "" if set(shown) == {measure.show(value)} else f"{shown[0].removesuffix(' %')} to {shown[1]}"


def told_forms(forms: Counter[Forms]) -> str:
    """How many questions may be open or closed; '' where all are one or the other."""
    count = sum(many for form, many in forms.items() if len(form) > 1)
    if not count:
        return ""
    asked = sum(many for form, many in forms.items() if form)
    return f"Of {asked:,} turns that ask or may ask, {count:,} may be open or closed; the pages show the range."


def told(turns: Counter[Readings], *, accurate: bool) -> str:
    """How many therapist turns are unsure, what they may be instead, and what to do; '' where none is unsure."""
    therapists = Counter({one: count for one, count in turns.items() if one[0] in IN_WORDS})
    unsure = Counter({one: count for one, count in therapists.items() if len(one) > 1})
    if not unsure:
        return ""
    kinds = [
        f"{count:,} taken for {IN_WORDS[label]} may be {', or '.join(IN_WORDS[other] for other in others)}"
        for (label, *others), count in unsure.most_common(_MAX_KINDS)
    ]
    rest = unsure.total() - sum(count for _, count in unsure.most_common(_MAX_KINDS))
    more = f"; {rest:,} more" if rest else ""
    remedy = "" if accurate else "score again with --accurate, which takes longer and is right more often, or "
    return (
        f"Unsure codes: {unsure.total():,} of {therapists.total():,} therapist turns ({'; '.join(kinds)}{more}). The "
        f"pages show how far that can move a share. To know, {remedy}read these turns on the session's page."
    )
