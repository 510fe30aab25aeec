"""Openings with one thing taken out, and the patient who gives it to whoever asks for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from maieutic.domain.episode import Question
from maieutic.domain.randomness import derive_seed
from maieutic.errors import InputError
from maieutic.gap.asks_first.slots import SLOTS, Slot
from maieutic.gap.items import packaged
from maieutic.gap.parsing import lettered

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
