"""For a trainee who is stuck: three kinds of next question, from what they have not asked yet; never the sentence."""

from __future__ import annotations

from typing import Final

from maieutic.domain.appraisal import Slot
from maieutic.domain.episode import Episode

_KINDS: Final[tuple[tuple[Slot, str], ...]] = (
    (Slot.SITUATION, "One moment: ask for one particular time it happened: where, when, who was there."),
    (Slot.FEELING, "The feeling: ask what was felt just then, and how strongly."),
    (Slot.THOUGHT, "The thought: ask what went through their mind at that moment."),
    (Slot.CONVICTION, "How sure: ask how firmly they believe it, before you look at it together."),
    (Slot.BACKGROUND, "The history: ask since when they have known this way of seeing it."),
    (Slot.WEIGHING, "Weighing: take up something they told you and ask what it says about the thought."),
    (Slot.ALTERNATIVE, "Another view: ask what else it could mean, or what they would say to a friend."),
    (Slot.PLAN, "A next step: ask what they could try out before you meet again."),
)
_EVIDENCE: Final = "Their own experience: ask about somebody or something they mentioned that does not fit the thought."


def next_kinds(episode: Episode) -> tuple[str, ...]:
    """Three kinds of question, those that were not asked yet first; told by the trainee's own turns alone."""
    asked = {slot for taken in episode.appraisals if taken is not None for slot in taken.asks}
    fresh = [told for slot, told in _KINDS if slot not in asked]
    again = [told for slot, told in _KINDS if slot in asked]
    if {Slot.SITUATION, Slot.THOUGHT} & asked:
        fresh.insert(0, _EVIDENCE)
    return tuple([*fresh, *again][:3])
