"""The Inspect task on Inspect's mock model: the same session as our own loop, scores in the log, missing stays missing."""

from __future__ import annotations

import asyncio
from importlib.metadata import entry_points
from importlib.util import find_spec
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import TypeAdapter

from maieutic.domain.episode import Episode
from maieutic.evaluation.evaluate import Request, make_patients, make_plan
from maieutic.evaluation.run import Runner
from maieutic.evaluation.summary import score_episodes
from maieutic.registry import load_measures

if TYPE_CHECKING:  # it takes seconds to load, which only the tests that need it wait for
    from inspect_ai.model import GenerateConfig, ModelOutput

pytestmark = pytest.mark.skipif(
    find_spec("inspect_ai") is None, reason="Inspect is not installed: pip install 'maieutic[inspect]'"
)
asked: list[GenerateConfig] = []


def reply(messages: Any, tools: Any, choice: Any, config: GenerateConfig) -> ModelOutput:
    from inspect_ai.model import ModelOutput, ModelUsage

    asked.append(config)
    output = ModelOutput.from_content("mockllm/model", f"What happened then? ({len(messages)})")
    # Without a count the mock model would fetch a tokenizer from the network.
    output.usage = ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)
    return output


def fail(*_: Any) -> ModelOutput:
    raise ConnectionError("the line is dead")


def played(folder: Path, answer: Any = reply, *, options: dict[str, Any] | None = None, **arguments: Any) -> Any:
    """Run the task in this process and read the log back from its file."""
    import inspect_ai
    from inspect_ai.log import read_eval_log
    from inspect_ai.model import get_model

    from maieutic.serving.inspect_tasks import session

    asked.clear()
    model = get_model("mockllm/model", memoize=False, custom_outputs=answer)
    [log] = inspect_ai.eval(
        session(**arguments), model=model, log_dir=str(folder), display="none", log_level="error", **(options or {})
    )
    return read_eval_log(log.location)


def test_the_entry_point_names_the_task() -> None:
    from maieutic.serving.inspect_tasks import session

    [point] = [p for p in entry_points(group="inspect_ai") if p.name == "maieutic"]
    assert point.load().session is session


@pytest.mark.slow
def test_a_prompted_session_with_inspects_model(tmp_path: Path) -> None:
    from maieutic.serving.inspect_tasks import EPISODE

    log = played(tmp_path, cases="starter", turns=2, options={"limit": 2})
    assert log.status == "success" and len(log.samples) == 2
    for sample in log.samples:
        roles = [message.role for message in sample.messages]
        assert roles == ["user", "assistant", "user", "assistant", "user"]
        assert sample.messages[1].text.startswith("What happened then?")
        score = sample.scores["measures"]
        assert set(score.value) == {measure.id for measure in load_measures()}
        for name, value in score.value.items():
            assert isnan(value) == (name in score.metadata["missing"]), name
        for name in score.metadata["missing"]:
            assert f"{name} is missing: " in score.explanation
        episode = TypeAdapter(Episode).validate_python(sample.store[EPISODE])
        assert len(episode.states) == 3 and episode.ending.kind == "turn_limit"
        assert {s.score.measure: s.score.value for s in score_episodes([episode]) if s.score.value is not None} == {
            name: pytest.approx(value) for name, value in score.value.items() if not isnan(value)
        }
    assert all(config.temperature == 0.7 and config.max_tokens == 256 for config in asked)
    found = {score.name: score for score in log.results.scores}
    values = [sample.scores["measures"].value["conviction_change"] for sample in log.samples]
    assert found["conviction_change"].metrics["maieutic/mean"].value == pytest.approx(sum(values) / 2)


@pytest.mark.slow
def test_what_inspects_user_asks_for_goes_before_our_defaults(tmp_path: Path) -> None:
    played(tmp_path, cases="starter", turns=1, options={"limit": 1, "temperature": 0.1, "max_tokens": 33})
    assert [(config.temperature, config.max_tokens) for config in asked] == [(0.1, 33)]


@pytest.mark.slow
def test_it_is_the_same_session_as_in_our_own_runner(tmp_path: Path) -> None:
    log = played(tmp_path / "log", therapist="eliza", cases="starter", turns=3, run_seed=5, options={"limit": 2})
    request = Request(therapists=["eliza"], seeds=1, turns=3, run_seed=5, limit=2)
    make_patient, _ = make_patients(request.patient)
    from maieutic.coding.rules import RuleCoder
    from maieutic.serving.inspect_tasks import EPISODE

    ours = asyncio.run(Runner(make_plan(request), make_patient, RuleCoder()).run(tmp_path / "run"))
    theirs = [TypeAdapter(Episode).validate_python(sample.store[EPISODE]) for sample in log.samples]
    assert not asked, "ELIZA needs no model"
    assert [e.key for e in theirs] == [e.key for e in ours]
    assert [e.session for e in theirs] == [e.session for e in ours]
    assert [[s.held for s in e.states] for e in theirs] == [[s.held for s in e.states] for e in ours]


@pytest.mark.slow
def test_an_evaluation_whose_dialogues_all_failed_is_no_success(tmp_path: Path) -> None:
    log = played(tmp_path, fail, cases="starter", turns=2, options={"limit": 1})
    assert log.status == "error"
    assert "the line is dead" in str(log.error)
    [sample] = log.samples
    assert sample.error is not None and sample.scores in (None, {})


@pytest.mark.slow
def test_a_failed_dialogue_among_others_is_missing_and_never_zero(tmp_path: Path) -> None:
    calls = iter(range(99))

    def sometimes(*said: Any) -> ModelOutput:
        return fail() if next(calls) < 1 else reply(*said)

    log = played(tmp_path, sometimes, cases="gethin,nilani", turns=1, options={"max_samples": 1, "max_connections": 1})
    assert log.status == "success"
    assert sorted(sample.error is None for sample in log.samples) == [False, True]


def test_a_wrong_therapist_is_one_line(tmp_path: Path) -> None:
    from inspect_ai._util.error import PrerequisiteError

    from maieutic.serving.inspect_tasks import session

    with pytest.raises(PrerequisiteError) as caught:
        session(therapist="elisa")
    assert "Did you mean 'eliza'?" in str(caught.value.message)


@pytest.mark.slow
def test_accurate_and_risk_cases_stay_out_of_the_means(tmp_path: Path) -> None:
    log = played(tmp_path, therapist="eliza", cases="starter", turns=1)
    groups = {sample.metadata["group"] for sample in log.samples}
    assert "regular" in groups and len(groups) > 1
    ordinary = [
        sample.scores["measures"].value["conviction_change"]
        for sample in log.samples
        if sample.metadata["group"] == "regular"
    ]
    [found] = [score for score in log.results.scores if score.name == "conviction_change"]
    assert found.metrics["maieutic/mean"].value == pytest.approx(sum(ordinary) / len(ordinary))
    assert {name for name in found.metrics if "special" in name} == {
        f"maieutic/special_{group}" for group in groups - {"regular"}
    }


def test_inspect_stays_out_of_the_start_of_everything_else() -> None:
    import subprocess
    import sys

    code = "import sys, maieutic.evaluation.evaluate as e; from maieutic.registry import known; known('model'); sys.exit('inspect_ai' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
