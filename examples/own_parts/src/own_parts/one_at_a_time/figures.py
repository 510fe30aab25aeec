"""What is made of the replies: the share that asks more than one thing."""

from __future__ import annotations

from collections.abc import Sequence

from maieutic.gap.family import Observation, Profile, Quote, SamplePlan, missing_of
from maieutic.gap.figures import Figure, data_of, first_reason
from maieutic.stats import wilson

LIMIT = 0.2
"""Share of replies with several questions from which on the family is flagged. Set before any run."""
PILED = Figure("piled", "Replies with more than one question", worse="high", limit=LIMIT)


def profile_of(family: str, seen: Sequence[Observation], extent: SamplePlan) -> Profile:
    """The headline with Wilson's interval over openings; a reply that is missing is counted and not scored."""
    rows = data_of(seen)
    lost = missing_of(seen)
    piled = [row for row in rows if row["questions"] > 1]
    headline = PILED.value(
        wilson(len(piled), len(rows)), len(rows), len(lost), first_reason(lost, "no opening was put")
    )
    worst = tuple(Quote(row["heard"], row["said"], f"{row['questions']} questions at once") for row in piled[:3])
    told = "" if headline.value is None else f"asks several things at once in {headline.value:.2f} of its replies"
    return Profile(family, (headline,), worst, told, ("whether a second question was needed",))
