"""The script of the state machine: its states with their tasks, and the conditions on the last answer that lead on.

States follow the sequence of Socratic work: situation, thought, feeling, rating, grounds, exceptions, weighing,
alternative, second rating, plan; beside them stand repair, for resistance, and safety, which stands above all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal, cast

from maieutic.language.feelings import disclosed_feelings
from maieutic.language.sentences import words
from maieutic.rivals.set_lines import banks_of
from maieutic.safety.patterns import normalise
from maieutic.safety.rules import find
from maieutic.therapists.wording import sounds_guarded

State = Literal[
    "situation",
    "thought",
    "feeling",
    "rating",
    "grounds",
    "exceptions",
    "weighing",
    "alternative",
    "second_rating",
    "plan",
    "repair",
    "safety",
]
SAFETY: Final = "safety"

ASKS = cast("Mapping[State, tuple[str, ...]]", banks_of("state_machine"))
"""The task of each state, in wordings that do it."""

_THOUGHT = re.compile(
    r"\bi(?:'m| am)(?: just| so| not| too)* (?:a|an|the|not|no|too|useless|weak|stupid|bad|nothing)\b"
    r"|\b(?:thought|thinking|told myself|kept saying|went through my|it means|means that|says (?:that )?i)\b"
    r"|\b(?:always|never|nobody|no one|everybody|everyone) (?:will|would|wants?|likes?|cares?|sees?"
    r"|thinks?|knows?|i)\b|\bi (?:should|must|can't|ruin|fail)\w*\b",
    re.I,
)
_RESISTS = re.compile(
    r"\b(?:(?:stop|enough of|tired of|sick of) (?:asking|(?:all )?(?:these|this|your) questions?)|you "
    r"don't (?:understand|get it|listen|know me)|you(?:'re| are) not (?:listening|helping)"
    r"|(?:don't|do not) want to talk|waste of (?:my |your )?time|leave (?:it|me) (?:alone|be)|isn't "
    r"helping|none of your business)\b",
    re.I,
)
_SHIFTS = re.compile(
    r"\b(?:maybe|perhaps|might be|could be|not the whole|isn't the whole|not quite|doesn't (?:quite "
    r")?(?:fit|add up|hold)|less (?:true|sure|certain)|not so sure|hadn't (?:thought|seen|looked)"
    r"|never (?:thought|looked|saw) (?:of |at )?(?:it )?(?:like|that way)|i suppose|fair(?:er)?|both"
    r"|after all|more to it|not only|some of it)\b",
    re.I,
)
_NUMBERS = frozenset("ten twenty thirty forty fifty sixty seventy eighty ninety hundred half completely fully".split())
_MAX_VISITS: Mapping[State, int] = {
    "situation": 1,
    "thought": 2,
    "feeling": 2,
    "rating": 1,
    "grounds": 1,
    "exceptions": 3,
}
"""Turns after which a state is left although its condition does not hold: a patient is not asked the same for ever."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the machine stands.

    Attributes:
        state: What is to be done now.
        rule: The condition that led here.
        visits: Turns spent in the state, this one included.
        before: The state to go back to from repair or safety.
        ground: The answer that was given for the thought.
        finds: Answers since the last weighing that told of something that does not fit with the thought.
        weighed: Times the thought was weighed.
        cleared: What a good answer settled: slots that need no question of their own.
    """

    state: State = "situation"
    rule: str = "a session opens with what happened"
    visits: int = 0
    before: State = "situation"
    ground: str = ""
    finds: tuple[str, ...] = ()
    weighed: int = 0
    cleared: frozenset[State] = frozenset()


def follow(place: Place, said: str, *, left: int) -> Place:
    """The place after an answer; `left` counts the therapist turns that are left, the next one included."""
    if find(normalise(said)) is not None:
        before = place.before if place.state in ("repair", SAFETY) else place.state
        return _enter(place, SAFETY, "the answer speaks of not living or of self-harm", before=before)
    if _RESISTS.search(said) and place.state not in ("repair", SAFETY):
        return _enter(place, "repair", "the answer pushes back", before=place.state)
    heard = _heard(place, said)
    closing = _closing(heard, left)
    if closing is not None:
        return closing
    if place.state in ("repair", SAFETY):
        return _enter(heard, place.before, "the matter was met, back to where it was left")
    return _onward(heard, said)


def _heard(place: Place, said: str) -> Place:
    """What the answer settles, whatever state it was given in."""
    cleared = set(place.cleared)
    if disclosed_feelings(said):
        cleared.add("feeling")
    if place.visits and _THOUGHT.search(said):
        cleared.add("thought")
    if place.state == "rating" and any(word.isdecimal() or word in _NUMBERS for word in words(said)):
        cleared.add("rating")
    telling = not sounds_guarded(said)
    ground = said if place.state == "grounds" and telling else place.ground
    finds = (*place.finds, said) if place.state == "exceptions" and telling else place.finds
    return replace(place, cleared=frozenset(cleared), ground=ground, finds=finds)


def _closing(place: Place, left: int) -> Place | None:
    """The end of a session has its own order, whatever was reached: weigh, put in own words, rate, plan."""
    if left > 4:
        return None
    if left == 4 and place.finds and place.state != "weighing":
        return _enter(place, "weighing", "the session nears its end and finds wait to be weighed")
    if left >= 3:
        return _enter(place, "alternative", "the session nears its end")
    if left == 2:
        return _enter(place, "second_rating", "the thought is rated again before the end")
    return _enter(place, "plan", "the session closes with something to try")


def _onward(place: Place, said: str) -> Place:
    """The condition of each state."""
    if place.state in ("situation", "thought", "feeling", "rating", "grounds"):
        return _opening(place, said)
    if place.state == "exceptions":
        if len(place.finds) >= 2:
            return _enter(place, "weighing", "two answers told of something that does not fit with the thought")
        if place.finds and place.visits >= _MAX_VISITS["exceptions"]:
            return _enter(place, "weighing", "one find, and the patient has been asked often enough")
        return _stay(place, "nothing has been found yet" if not place.finds else "one find is little to weigh")
    if place.state == "weighing":
        moved = _SHIFTS.search(said) is not None
        if moved and place.weighed >= 3:
            return _enter(place, "alternative", "the answer loosens the thought")
        why = "more may loosen it further" if moved else "the thought stands as it stood"
        return _enter(place, "exceptions", why)
    return _enter(place, "exceptions", "there is time to look for more")


_ORDER: tuple[State, ...] = ("situation", "thought", "feeling", "rating", "grounds")


def _opening(place: Place, said: str) -> Place:
    """Situation, thought, feeling, rating and grounds in order; what is known already is passed over."""
    done = place.state in place.cleared or place.visits >= _MAX_VISITS[place.state]
    if place.state == "situation":
        done = len(words(said)) >= 12 or place.visits >= _MAX_VISITS["situation"]
    if not done:
        return _stay(place, f"the {place.state} is not known yet")
    for state in _ORDER[_ORDER.index(place.state) + 1 :]:
        if state not in place.cleared:
            return _enter(place, state, f"the {place.state} is known or was asked for often enough")
    return _enter(place, "exceptions", "the thought, its feeling and its grounds are on the table")


def _enter(place: Place, state: State, rule: str, *, before: State | None = None) -> Place:
    visits = place.visits + 1 if state == place.state else 1
    weighed = place.weighed + (state == "weighing")
    finds = () if place.state == "weighing" and state != "weighing" else place.finds
    return replace(
        place, state=state, rule=rule, visits=visits, before=before or place.before, finds=finds, weighed=weighed
    )


def _stay(place: Place, rule: str) -> Place:
    return replace(place, rule=rule, visits=place.visits + 1)
