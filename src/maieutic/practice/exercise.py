"""The goals of an exercise as declared data, whether a session met them (by the same codes and measures as evaluation),
and three kinds of next question for who is stuck."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from maieutic.domain.appraisal import Slot
from maieutic.domain.codes import Move
from maieutic.domain.episode import Episode
from maieutic.measures.definition import ADVISING, REFLECTING, exchanges
from maieutic.measures.moves import leads, questions_at_once
from maieutic.practice.model import GoalMet


@dataclass(frozen=True, slots=True)
class Goal:
    """What a trainee sets out to do.

    Attributes:
        id: Name in lists and exports.
        text: As the trainee reads it.
        does: A turn counts when it does one of these.
        wanted: So many turns must count; 0: no turn may.
        before: Only the turns before the first that does one of these count.
        one_open: A turn counts against the goal when it asks several questions at once or leads.
        every: A turn of `does` at least in every so many turns; 0: no such bound.
    """

    id: str
    text: str
    does: frozenset[Move] = frozenset()
    wanted: int = 0
    before: frozenset[Move] = frozenset()
    one_open: bool = False
    every: int = 0


GOALS: Final = (
    Goal(
        "open_first",
        "Five open questions before any challenge",
        frozenset({Move.OPEN_QUESTION}),
        5,
        frozenset({Move.CHALLENGE}),
    ),
    Goal("no_advice", "A whole session without advice", ADVISING),
    Goal("one_at_a_time", "One question at a time, throughout, and none that leads", one_open=True),
    Goal("reflect", "Something given back in every second turn", REFLECTING, every=2),
    Goal("strength", "Name twice what the patient does well", frozenset({Move.AFFIRMATION}), 2),
)
GOALS_BY_ID: Final = {goal.id: goal for goal in GOALS}
NO_GOAL: Final = "none"
CHOICES: Final = {NO_GOAL: "No particular goal", **{goal.id: goal.text for goal in GOALS}}
"""What can be chosen for an exercise, as it is read."""


def goal_met(goal: Goal, episode: Episode) -> GoalMet:
    """Whether a session met a goal; the turns are those that count for it, or against it where none may.

    Turns are read by their recorded codes, so that a measure over the same session counts the same turns.
    """
    turns = [one for one in exchanges(episode) if one.text]
    if goal.one_open:
        against = tuple(one.number + 1 for one in turns if questions_at_once(one.text) > 1 or leads(one.text))
        return _met(goal, bool(turns) and not against, len(turns) - len(against), len(turns), against)
    stop = next((at for at, one in enumerate(turns) if goal.before and one.does(goal.before)), len(turns))
    counted = tuple(one.number + 1 for one in turns[:stop] if one.does(goal.does))
    if goal.every:
        wanted = len(turns) // goal.every
        places = (0, *counted, len(turns) + 1)
        steady = all(later - earlier <= goal.every for earlier, later in pairwise(places))
        return _met(goal, bool(turns) and steady, len(counted), wanted, counted)
    if goal.wanted:
        return _met(goal, len(counted) >= goal.wanted, len(counted), goal.wanted, counted)
    return _met(goal, bool(turns) and not counted, len(turns) - len(counted), len(turns), counted)


def _met(goal: Goal, met: bool, reached: int, wanted: int, turns: tuple[int, ...]) -> GoalMet:
    return GoalMet(goal.id, goal.text, met, reached, wanted, turns)


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
