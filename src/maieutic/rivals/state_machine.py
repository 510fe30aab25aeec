"""A finite-state planner: an expert script of states with tasks, and keyword rules on the last answer that move between
them.

After script-based policy planning (Wasenmüller, Hilbert, Benzmüller 2024, arXiv 2412.15242). Departures: keyword rules
and canned wordings stand where the source has language models; states and conditions are our own. State and rule stand
in each turn's trace. The state is folded anew from what was said, so that a session can be resumed and branched
anywhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random

from maieutic.domain.episode import Session, Turn
from maieutic.language.sentences import unsaid
from maieutic.registry import therapist
from maieutic.rivals.reflecting import last_words, reflection, telling_clause
from maieutic.rivals.state_script import ASKS, SAFETY, Place, follow
from maieutic.therapists.wording import keyphrases

_CLOSE = re.compile(
    r"your (?:\w+ )?(?:mother|mum|mom|father|dad|parents|sister|brother|wife|husband|partner|son"
    r"|daughter|friend|boss|manager"
    r"|grandma|grandmother|grandfather|aunt|uncle|cousin|colleague|teacher|neighbou?r|doctor|nurse)"
)
"""Handles that name a person: "your appendix" has said nothing."""


@therapist("state_machine")
@dataclass(frozen=True, slots=True)
class StateMachine:
    """Does the task of its state until the rule of that state lets it go on.

    Attributes:
        turns: Length of the session it plans for, in therapist turns; it closes in the last four.
    """

    name: str = "state_machine"
    turns: int = 20

    async def respond(self, session: Session) -> Turn:
        """The next turn; the trace names the state, the rule that led there, and for how many turns."""
        place = Place()
        for number, turn in enumerate(session.by("patient")):
            place = follow(place, turn.text, left=self.turns - number)
        text = _worded(session, place, session.generator("therapist"))
        trace = {"state": place.state, "rule": place.rule, "visits": place.visits}
        return Turn("therapist", text, trace=trace)


def _worded(session: Session, place: Place, rng: Random) -> str:
    asked = [turn.text for turn in session.by("therapist")]
    bank = ASKS[place.state]
    if place.state == SAFETY:
        return (unsaid(bank, asked) or list(bank))[0]
    if place.state == "repair":
        return rng.choice(unsaid(bank, asked) or list(bank))
    heard = _both_sides(place) if place.state == "weighing" else reflection(session, rng)
    followed = _following(session, asked) if place.state == "exceptions" and place.visits % 2 == 0 else None
    return f"{heard} {followed or rng.choice(unsaid(bank, asked) or list(bank))}"


def _both_sides(place: Place) -> str:
    """A summary of what speaks for and what speaks against the thought, in the patient's words."""
    clauses = [clause for text in place.finds[-2:] if (clause := telling_clause(text))]
    held = telling_clause(place.ground) if place.ground and place.weighed == 1 else None
    if not clauses:
        return "You've told me several things now."
    told = " and that ".join(clauses)
    if held is None or held in clauses:
        return f"You've told me that {told}."
    # Both sides stay the patient's own: a bare "on one side, ..." would state them as the therapist's view.
    return f"You told me that {held}, and also that {told}."


def _following(session: Session, asked: list[str]) -> str | None:
    """A question about a person in the last answer that has not been asked about."""
    for handle in keyphrases([last_words(session)]):
        if (handle[0].isupper() or _CLOSE.fullmatch(handle)) and not any(handle in text for text in asked):
            return f"What has {handle} said or done that bears on the thought?"
    return None
