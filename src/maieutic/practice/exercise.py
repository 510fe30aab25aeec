"""Goals of an exercise and kinds of next question; and a session beside others: the agent and the oracle on the same
case and seed, and earlier sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from sqlalchemy.exc import IntegrityError

from maieutic.domain.appraisal import Slot
from maieutic.domain.case import Case
from maieutic.domain.codes import Move
from maieutic.domain.episode import Episode
from maieutic.library import case_hash
from maieutic.measures.definition import as_measure
from maieutic.measures.material import ADVISING, REFLECTING, exchanges
from maieutic.measures.moves import leads, questions_at_once
from maieutic.practice.feedback import known
from maieutic.practice.model import Compared, Comparison, GoalMet, Growth
from maieutic.practice.storage import Comparator, Storage, Talk
from maieutic.practice.talks import Kept, Minds, episode_of
from maieutic.registry import load_measures


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


COMPARED: Final = (
    "conviction_change",
    "evidence_reached",
    "openness_change",
    "open_among_asking_turns",
    "stacked_or_leading",
)
"""Measures on which sessions are put side by side: what moved, what came to light, and how it was asked."""


def comparisons(
    own: Episode, case: Case, others: Mapping[str, Episode], names: Sequence[str] = COMPARED
) -> tuple[Comparison, ...]:
    """The trainee and other therapists by the same measures; only for after the formulation is handed in.

    Args:
        own: The trainee's session.
        case: The case.
        others: Sessions on the same case and seed, by the name of the therapist.
        names: Ids of measures.
    """
    everybody = {"you": known(own, case), **{who: known(one, case) for who, one in others.items()}}
    found = []
    for measure in map(as_measure, load_measures(tuple(names))):
        scores = {who: measure(one) for who, one in everybody.items()}
        rows = tuple(
            Compared(who, bool(everybody[who].provenance.get("privileged")) or who == "oracle", one.value, one.reason)
            for who, one in scores.items()
        )
        found.append(Comparison(measure.id, measure.meaning, measure.unit, measure.better, rows))
    return tuple(found)


def growth(sessions: Sequence[tuple[Episode, Case]], names: Sequence[str] = COMPARED) -> tuple[Growth, ...]:
    """A person's sessions in the order they were held, by the same measures; growth within this simulation."""
    ready = [known(episode, case) for episode, case in sessions]
    return tuple(
        Growth(one.id, one.meaning, one.unit, one.better, tuple(one(episode).value for episode in ready))
        for one in map(as_measure, load_measures(tuple(names)))
    )


_AGENT, _ORACLE = "socratic", "oracle"


def compared(storage: Storage, minds: Minds, own: Kept, *, oracle: bool) -> tuple[Comparison, ...]:
    """The trainee, the agent and, where the teacher allows it, the oracle on the same patient, over as many turns."""
    case, seed, turns = own.case, own.talk.seed, max(1, len(own.episode.states) - 1)
    others: dict[str, Episode] = {}
    for name in (_AGENT, *([_ORACLE] if oracle else [])):
        key = f"{case_hash(case)} {seed} {turns} {name}"
        with storage.begin() as db:
            kept = db.get(Comparator, key)
        lines = kept.lines.splitlines() if kept is not None else minds.compared(case, seed, name, turns)
        if kept is None:
            try:
                with storage.begin() as db:
                    db.add(Comparator(key=key, lines=b"\n".join(line.strip() for line in lines)))
            except IntegrityError:
                pass  # somebody else asked for the same comparison at the same time
        shown = "the agent" if name == _AGENT else "the oracle"
        others[shown] = episode_of(lines, case, seed, name)
    return comparisons(own.episode, case, others)


def goal_of(talk: Talk, episode: Episode) -> GoalMet | None:
    """How far the goal of an exercise was met; None where none was set."""
    return None if talk.goal == NO_GOAL else goal_met(GOALS_BY_ID[talk.goal], episode)
