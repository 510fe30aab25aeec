"""What the agent did so far: read from its own traces, or from the form of its turns where there are none."""

from __future__ import annotations

import re
from dataclasses import dataclass

from maieutic.domain.episode import Session, Turn
from maieutic.language.questions import asks_about_safety
from maieutic.therapists.agent.steps import CHALLENGING, Step
from maieutic.tracking.asked import asked
from maieutic.tracking.targets import Target

_BY_TARGET = {
    Target.RISK: Step.RISK_HINT,
    Target.RATING: Step.RATE,
    Target.WEIGHING: Step.WEIGH,
    Target.ALTERNATIVE: Step.ALTERNATIVE,
    Target.PLAN: Step.PLAN,
    Target.AGAINST: Step.AGAINST,
    Target.SUPPORT: Step.KNOW,
    Target.FEELING: Step.FEELING,
    Target.THOUGHT: Step.THOUGHT,
    Target.BACKGROUND: Step.BACKGROUND,
    Target.GOAL: Step.GOAL,
    Target.OPEN: Step.FOLLOW,
    Target.CLOSED: Step.FOLLOW,
    Target.NOTHING: Step.LISTEN,
}

_SUICIDE = re.compile(r"suicid|your (?:own )?life|(?:kill|hurt|harm)\w* yourself|to be alive|you were dead", re.I)


@dataclass(frozen=True, slots=True)
class Memory:
    """The agent's own turns so far.

    Attributes:
        steps: What each did, in order.
        said: Their words.
    """

    steps: tuple[Step, ...]
    said: tuple[str, ...]

    @property
    def number(self) -> int:
        """Number of the turn that comes next, 1-based."""
        return len(self.steps) + 1

    @property
    def last(self) -> Step | None:
        """What the latest turn did."""
        return self.steps[-1] if self.steps else None

    def times(self, *steps: Step) -> int:
        """How often one of these was done."""
        return sum(step in steps for step in self.steps)

    def since(self, *steps: Step) -> int:
        """Turns since one of these was done; a large number when never."""
        for back, step in enumerate(reversed(self.steps)):
            if step in steps:
                return back
        return 99

    @property
    def pressing(self) -> int:
        """Challenging turns in a row up to now."""
        count = 0
        for step in reversed(self.steps):
            if step not in CHALLENGING:
                break
            count += 1
        return count


def remembered(session: Session) -> Memory:
    """The memory of a session."""
    own = session.by("therapist")
    return Memory(tuple(_step(turn) for turn in own), tuple(turn.text for turn in own))


def _step(turn: Turn) -> Step:
    noted = turn.trace.get("step") if turn.trace else None
    if isinstance(noted, str) and noted in Step._value2member_map_:
        return Step(noted)
    target = asked(turn.text).target
    if target is Target.RISK and asks_about_safety(turn.text) and not _SUICIDE.search(turn.text):
        return Step.RISK_SAFETY
    return _BY_TARGET[target]
