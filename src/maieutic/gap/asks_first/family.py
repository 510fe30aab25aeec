"""Family 'asks_first': does it ask for what is missing before it answers?

After Wang et al. 2025 (arXiv 2507.23407: a needed piece taken out of the task, REQ and ACC), Cook et al. 2026 (arXiv
2602.16488: premature answers) and Li et al. 2025 (arXiv 2502.14860: what makes a question good). Openings with one
thing taken out, and the patient who gives it to whoever asks for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Final

from maieutic.domain.episode import Question, Session, Turn
from maieutic.domain.randomness import derive_seed
from maieutic.errors import InputError
from maieutic.gap.asks_first.figures import FAMILY_ID, profile
from maieutic.gap.asks_first.questions import SLOTS, Slot, asked_slots, asks, marks_of
from maieutic.gap.family import Packaged, SamplePlan, Unit
from maieutic.gap.items import packaged, said, seeded, share_of
from maieutic.gap.lost.labels import kind_of
from maieutic.gap.parsing import choice_of, lettered
from maieutic.gap.recording_client import RecordingClient

UNTOLD: Final = "It cannot be told from what the client has said"


@dataclass(frozen=True, slots=True)
class Item:
    """One opening.

    Attributes:
        id: Its name. slot: What can be taken out.
        open: The opening with a `{}` where that stands.
        told: What the patient says there, and to whoever asks for it.
        right: A statement about the patient that only `told` decides. wrong: Two that fit the rest as well.
    """

    id: str
    slot: Slot
    open: str
    told: str
    right: str
    wrong: tuple[str, str]

    @property
    def complete(self) -> str:
        return self.open.format(self.told)

    @property
    def removed(self) -> str:
        return " ".join(self.open.format("").split())

    @property
    def options(self) -> tuple[str, ...]:
        """The statements in an order of the item's own; the last says that it cannot be told."""
        three = [self.right, *self.wrong]
        shift = derive_seed(0, "options", self.id) % 3
        return (*three[shift:], *three[:shift], UNTOLD)

    def question(self) -> Question:
        """Which statement is right, as it is put outside the dialogue."""
        text = (
            "Going only by what this client has said so far, which statement is right? Answer with one letter.\n"
            f"{lettered(self.options)}"
        )
        return Question(f"asks_first:{self.id}", text, "choice", self.options, max_tokens=40)

    def shrug(self, turn: int) -> str:
        """What the patient says to a turn that does not ask for it."""
        lines: Sequence[str] = packaged("removed_slots")["dont_know"]
        return lines[(derive_seed(0, "shrug", self.id) + turn) % len(lines)]


@lru_cache(maxsize=1)
def items() -> tuple[Item, ...]:
    """All openings, the slots in turn, so that any first share holds every kind. Raises `UnreadableFile`,
    `InputError`."""
    read = [_item(row) for row in packaged("removed_slots")["items"]]
    by_slot = {slot: [item for item in read if item.slot == slot] for slot in SLOTS}
    most = max(map(len, by_slot.values()))
    return tuple(group[n] for n in range(most) for group in by_slot.values() if n < len(group))


def _item(row: Mapping[str, Any]) -> Item:
    item = Item(row["id"], row["slot"], row["open"], row["told"], row["right"], (row["wrong"][0], row["wrong"][1]))
    if item.slot not in SLOTS or item.open.count("{}") != 1:
        raise InputError(f"opening {item.id!r}: the slot must be one of {', '.join(SLOTS)}, with one {{}} in `open`")
    return item


TURNS: Final = 3
"""Therapist turns at most until it has asked for the missing thing or answered without it."""


def units(extent: SamplePlan) -> Sequence[Unit]:
    """Two an opening: with one thing taken out, and complete."""
    found = []
    for item in share_of(items(), extent, lambda one: one.slot):
        seed = seeded(extent, FAMILY_ID, item.id)
        found.append(Unit(f"{item.id}:removed", TURNS + 1, partial(_removed, item, seed)))
        found.append(Unit(f"{item.id}:complete", 2, partial(_complete, item, seed)))
    return found


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

    def chosen(text: str) -> dict[str, Any]:
        option = item.options[choice_of(text, item.options)]
        return {"right": option == item.right, "untold": option == UNTOLD}

    return await client.attempt(item.question(), session, chosen)


FAMILY: Final = Packaged(
    FAMILY_ID,
    "Asks before it answers",
    "Does it ask for what is missing before it interprets, advises or reframes?",
    units,
    profile,
)
