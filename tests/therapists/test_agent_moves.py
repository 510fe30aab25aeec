"""What kept a turn of the agent from the thought is told from its trace."""

from __future__ import annotations

import pytest

from benchmark_modules import benchmark
from maieutic.therapists.agent.steps import Step

moves = benchmark("agent_moves")
THOUGHT = {"formulation": {"thought": "I'm no use"}, "lead": "none", "considered": [], "reason": "it follows"}


@pytest.mark.parametrize(
    ("trace", "why"),
    [
        ({"step": "compare"}, "work on the thought"),
        ({"step": "risk_thanks"}, "a turn of the risk protocol"),
        (
            {"step": "follow", "reason": "a sign of danger in the last words"},
            "wanted, and held back at a sign of danger",
        ),
        ({"step": "follow", "formulation": {"thought": None}}, "followed: no thought is known"),
        ({"step": "follow", "lead": "echo_feeling"}, "followed: a feeling is met first"),
        ({"step": "follow", "considered": [["further", "none", 3.0]]}, "followed: that suits the reply better"),
        ({"step": "follow"}, "followed: no work makes sense here"),
        ({"step": "fallback"}, "every wording was refused"),
    ],
)
def test_what_kept_a_turn_from_the_thought_is_told_from_its_trace(trace: dict[str, object], why: str) -> None:
    assert moves.kept_from(THOUGHT | trace) == why


def test_every_step_has_a_reason() -> None:
    assert all(moves.kept_from(THOUGHT | {"step": step.value}) for step in Step)
