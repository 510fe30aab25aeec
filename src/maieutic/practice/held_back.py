"""What a turn asked for and the patient kept, and why, as far as the recorded mind says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from maieutic.domain.appraisal import Slot
from maieutic.domain.codes import Move
from maieutic.domain.state import Act
from maieutic.measures.questioning import leads
from maieutic.patients.intent import HARMLESS
from maieutic.practice.model import HeldBack, HeldBackKind, HeldBackWhy
from maieutic.practice.turn import EARLY_TURNS, PUSHED, TURNED, Place
from maieutic.reading.ear import SURE
from maieutic.reading.moves import questions

_KINDS: Final[Mapping[HeldBackKind, str]] = {
    "guarded_memory": "A guarded memory stayed shut",
    "memory": "A memory stayed shut",
    "feeling": "The feeling stayed untold",
    "thought": "The thought stayed untold",
}
_WHYS: Final[Mapping[HeldBackWhy, str]] = {
    "openness": "this patient was not open enough for it yet",
    "pushing": "the turn came across as a push",
    "too_early": "it came early, while trust was still thin",
    "leading": "the question already held its answer",
    "telling": "this patient felt told and not asked",
    "comforting": "it comforted or argued before what was said had been given back",
    "unknown": "from this turn alone it cannot be said why",
}
_SLOTS: Final[tuple[tuple[Slot, HeldBackKind], ...]] = (
    (Slot.FEELING, "feeling"),
    (Slot.THOUGHT, "thought"),
    (Slot.BACKGROUND, "guarded_memory"),
)


def held_back(place: Place) -> tuple[HeldBack, ...]:
    """What was asked for and kept, as a kind and with the reason; empty where nothing in particular was kept."""
    if place.act not in TURNED or place.on_danger:
        return ()
    kind = _kept(place)
    why = _why(place, kind)
    if why == "unknown":
        return (HeldBack("other", why, f"{TURNED[place.act]}; {_WHYS[why]}."),)
    return (HeldBack(kind, why, f"{_KINDS.get(kind, TURNED[place.act])}: {_WHYS[why]}."),)


def _why(place: Place, kind: HeldBackKind) -> HeldBackWhy:
    if place.does(Move.ADVICE, Move.LECTURE) and place.push >= PUSHED:
        return "telling"
    if leads(place.exchange.text):
        return "leading"
    if place.pushed:
        return "pushing"
    if place.comforts:
        return "comforting"
    if kind == "other" or place.case.style == "reserved" or not questions(place.exchange.text):
        return "unknown"
    return "too_early" if place.before.turn < EARLY_TURNS else "openness"


def _kept(place: Place) -> HeldBackKind:
    taken, before = place.taken, place.before
    if place.act is Act.AGREE:
        return "other"
    if (
        taken.unit is not None
        and taken.sure >= SURE
        and taken.unit not in place.after.told
        and place.case.memory is not None
    ):
        return "guarded_memory" if place.case.memory.unit(taken.unit).guard > HARMLESS else "memory"
    if (
        taken.reaches
        and taken.reaches[0].strength >= SURE
        and taken.reaches[0].evidence not in {one.evidence for one in place.after.voiced}
    ):
        return "guarded_memory"
    for slot, kind in _SLOTS:
        if slot in taken.asks and slot.value not in before.disclosed:
            return kind
    return "other"
