"""What kept a turn of the agent from the thought is told from its trace."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from benchmark_modules import benchmark
from maieutic.therapists.agent.steps import Step
from maieutic.therapists.socratic import DANGER_TOLD, SIGN_OF_DANGER

moves = benchmark("agent_moves")
THOUGHT = {"formulation": {"thought": "I'm no use"}, "lead": "none", "considered": [], "reason": "it follows"}


@pytest.mark.parametrize(
    ("trace", "why"),
    [
        ({"step": "compare"}, "work on the thought"),
        ({"step": "risk_thanks"}, "a turn of the risk protocol"),
        (
            {"step": "follow", "reason": SIGN_OF_DANGER},
            "wanted, and held back at a sign of danger",
        ),
        ({"step": "follow", "reason": DANGER_TOLD}, "wanted, and held back as thoughts of death were told"),
        ({"step": "coping", "reason": DANGER_TOLD}, "wanted, and held back as thoughts of death were told"),
        ({"step": "follow", "formulation": {"thought": None}}, "followed: no thought is known"),
        ({"step": "follow", "lead": "echo_feeling"}, "followed: a feeling is met first"),
        ({"step": "follow", "considered": [["compare", "none", 3.0]]}, "followed: that suits the reply better"),
        ({"step": "follow"}, "followed: no work makes sense here"),
        ({"step": "ask_person"}, "somebody or something told earlier is asked about"),
        ({"step": "fallback"}, "every wording was refused"),
    ],
)
def test_what_kept_a_turn_from_the_thought_is_told_from_its_trace(trace: dict[str, object], why: str) -> None:
    assert moves.kept_from(THOUGHT | trace) == why


def test_no_step_is_called_odd_input_or_the_end_by_oversight() -> None:
    odd = {"recall", "recap", "insult", "human", "other_language", "wall", "empty", "injection"}
    others = {"plan", "close", "gap_ask", "gap_permission", "gap_tell", "gap_back"}
    kept = {step.value for step in Step if moves.kept_from(THOUGHT | {"step": step.value}) == moves.OTHERWISE_KEPT}
    assert kept == odd | others


@pytest.mark.parametrize(
    ("turn", "felt"),
    [
        ("You felt ashamed. Is it here now?", ["ashamed"]),
        ("Ashamed, and sad. Is it here now?", ["ashamed", "sad"]),
        ("Angry, hurt, and sad. What then?", ["angry", "hurt", "sad"]),
        ("Well, and then. What then?", []),
    ],
)
def test_feelings_said_back_are_counted_each(turn: str, felt: list[str]) -> None:
    assert moves.felt_words(turn) == felt


def test_an_arm_that_is_not_in_the_run_is_refused_with_those_that_are(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    played = SimpleNamespace(key=SimpleNamespace(therapist="socratic"))
    monkeypatch.setattr(moves, "read_run", lambda _: (None, [played]))
    monkeypatch.setattr("sys.argv", ["agent_moves.py", "runs/moves", "--arm", "socratc"])
    with pytest.raises(SystemExit) as refused:
        moves.main()
    assert refused.value.code == 2 and "socratc; there are socratic" in capsys.readouterr().err
