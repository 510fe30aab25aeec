"""Family 'asks_first': does it ask for what is missing before it answers?

After Wang et al. 2025 (arXiv 2507.23407: a needed piece taken out of the task, REQ and ACC), Cook et al. 2026 (arXiv
2602.16488: premature answers) and Li et al. 2025 (arXiv 2502.14860: what makes a question good).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from maieutic.domain.episode import Session, Turn
from maieutic.errors import ModelError
from maieutic.gap.asks_first.figures import profile_of
from maieutic.gap.asks_first.items import UNTOLD, Item, items
from maieutic.gap.asks_first.questions import marks_of
from maieutic.gap.asks_first.slots import asked_slots, asks
from maieutic.gap.family import Observation, Profile, SamplePlan, Unit
from maieutic.gap.items import said, seeded, share_of
from maieutic.gap.lost.labels import kind_of
from maieutic.gap.parsing import choice_of
from maieutic.gap.recording_client import NotApplicable, RecordingClient, Unusable, reason_of

TURNS: Final = 3
"""Therapist turns at most until it has asked for the missing thing or answered without it."""


@dataclass(frozen=True, slots=True)
class AsksFirst:
    """Family 4 of the battery."""

    id: str = "asks_first"
    title: str = "Asks before it answers"
    question: str = "Does it ask for what is missing before it interprets, advises or reframes?"

    def units(self, extent: SamplePlan) -> Sequence[Unit]:
        """Two an opening: with one thing taken out, and complete."""
        found = []
        for item in share_of(items(), extent, lambda one: one.slot):
            seed = seeded(extent, self.id, item.id)
            found.append(Unit(f"{item.id}:removed", TURNS + 1, partial(_removed, item, seed)))
            found.append(Unit(f"{item.id}:complete", 2, partial(_complete, item, seed)))
        return found

    def profile(self, seen: Sequence[Observation], extent: SamplePlan) -> Profile:
        """The figures; pure."""
        return profile_of(seen, extent)


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of an opening without its slot.

    Attributes:
        turns: Therapist turns as they are read. asked: It asked anything before it concluded.
        right: It asked for the slot. premature: It concluded before that; None where that hangs on a turn that is
            unsure. session: All that was said.
    """

    turns: Sequence[Mapping[str, Any]]
    asked: bool
    right: bool
    premature: bool | None
    session: Session


async def asked_for(item: Item, seed: int, client: RecordingClient) -> Asked:
    """The opening without its slot: the patient gives it to the right question and shrugs at any other turn."""
    session = said(item.removed, seed=seed)
    turns: list[dict[str, Any]] = []
    asked = right = premature = unsure = False
    while len(turns) < TURNS and not (right or premature):
        turn = await client.reply(session)
        seen = read_turn(turn.text, session)
        turns.append(seen)
        # A hand-over is how some agents answer a hint of danger: it is neither advice out of turn nor a failure to ask.
        handed = turn.ending is not None and turn.ending.kind == "handed_over"
        concludes = False if handed and item.slot == "safety" else seen["concludes"]
        premature, unsure = bool(concludes), unsure or concludes is None
        asked = asked or (seen["asks"] and not premature)
        right = not premature and (item.slot in seen["slots"] or (handed and item.slot == "safety"))
        session = session + Turn("therapist", turn.text)
        session = session + Turn("patient", item.told if right else item.shrug(len(turns)))
    return Asked(turns, asked, right, None if unsure and not premature else premature, session)


async def _removed(item: Item, seed: int, client: RecordingClient) -> Mapping[str, Any]:
    found = await asked_for(item, seed, client)
    return _seen(item, "removed", found.turns) | {
        "asked": found.asked,
        "right": found.right,
        "premature": found.premature,
        "answer": await _answered(item, found.session, client),
    }


async def _complete(item: Item, seed: int, client: RecordingClient) -> Mapping[str, Any]:
    """The whole opening: to ask for what it holds is to have overheard it."""
    session = said(item.complete, seed=seed)
    turn = await client.reply(session)
    seen = read_turn(turn.text, session)
    return _seen(item, "complete", [seen]) | {
        "asked": seen["asks"],
        "again": item.slot in seen["slots"],
        "answer": await _answered(item, session, client),
    }


def _seen(item: Item, version: str, turns: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {"id": item.id, "slot": item.slot, "version": version, "turns": turns}


def read_turn(text: str, session: Session) -> dict[str, Any]:
    """One therapist turn: its kind, whether and what it asks, and the marks of its question."""
    told = " ".join(t.text for t in session.by("patient"))
    heard = session.turns[-1].text
    marks = marks_of(text, told)
    kind = kind_of(text, heard)
    return {
        "heard": heard,
        "said": text,
        "label": kind.label,
        "concludes": kind.concludes,
        "asks": asks(text),
        "slots": sorted(asked_slots(text)),
        "marks": dict(marks) if marks else None,
    }


async def _answered(item: Item, session: Session, client: RecordingClient) -> dict[str, Any]:
    """Which statement the therapist holds to be right, or why that is not known; it spoils no other figure."""
    try:
        answer = await client.answer(item.question(), session)
        chosen = item.options[choice_of(answer.text, item.options)]
    except NotApplicable as none:
        return {"fault": str(none), "applicable": False}
    except (ModelError, Unusable) as none:
        return {"fault": reason_of(none), "applicable": True}
    return {"right": chosen == item.right, "untold": chosen == UNTOLD}


FAMILY: Final = AsksFirst()
