"""The tracker's evidence: a good forecaster passes, the prior itself does not, and truths are read from the hidden state."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from maieutic.errors import UnreadableFile
from maieutic.library import get_case
from maieutic.tracking.space import BELIEFS
from maieutic.validation.sessions import Task, episodes_of
from maieutic.validation.tracking.evidence import judged
from maieutic.validation.tracking.forecasted import FACTORS, Forecasts, forecast, truth
from maieutic.validation.tracking.run import human_beliefs, make_plan, page

TURNS = 8


def made(case: int, sure: float, seed: int) -> Forecasts:
    rng = np.random.default_rng(1000 * case + seed)
    chances, truths = {}, {}
    for factor, size in FACTORS.items():
        y = int(rng.integers(size))
        right = rng.random() < sure
        named = y if right else int((y + 1) % size)
        p = np.full((TURNS, size), (1.0 - sure) / (size - 1))
        p[:, named] = sure
        even = np.full((TURNS, size), 1.0 / size)
        chances["tracker", factor], chances["prior", factor], chances["last", factor] = p, even, even
        truths[factor] = np.full(TURNS, y)
    return Forecasts("home", f"case-{case}", "socratic", seed, chances, truths, (None, *[True] * (TURNS - 1)))


@pytest.mark.slow
def test_a_calibrated_forecaster_passes_and_an_overconfident_one_does_not() -> None:
    fair = judged([made(case, 0.5 if seed % 2 else 0.9, seed) for case in range(40) for seed in range(8)])
    asked = {f.title: f.holds for f in fair.findings if f.asked}
    assert all(value for title, value in asked.items() if "ECE" not in title), asked
    assert {line.method for line in fair.lines} == {"tracker", "prior", "last", "constant"}
    loud = [made(case, 0.7, seed) for case in range(40) for seed in range(3)]
    for one in loud:
        p = one.chances["tracker", "belief"]
        p[:] = np.where(p > 0.5, 0.99, 0.01 / (len(BELIEFS) - 1))
    found = {f.title: f for f in judged(loud).findings}
    assert found["home: belief: ECE of the top hypothesis from turn 5 on"].holds is False


@pytest.mark.slow
def test_the_prior_against_itself_gains_nothing() -> None:
    idle = [made(case, 0.6, 0) for case in range(20)]
    for one in idle:
        for factor in FACTORS:
            one.chances["tracker", factor] = one.chances["prior", factor]
    bounds = [f for f in judged(idle).findings if f.check == "better than" and f.asked]
    assert bounds
    assert all(f.holds is False for f in bounds if "a constant" not in f.title)


@pytest.mark.slow
def test_a_played_session_is_forecast_at_every_patient_turn() -> None:
    (episode,) = episodes_of(Task("gethin", ("wide",), (0,), turns=6))
    found = forecast(episode, ceiling=True)
    for factor, size in FACTORS.items():
        assert found.chances["tracker", factor].shape == (7, size)
        assert np.allclose(found.chances["tracker", factor].sum(axis=1), 1.0, atol=1e-4)
    assert found.chances["ceiling", "openness"].shape == (7, 10)
    case = get_case("gethin")
    assert truth(case, episode.states[0])["facts"] == 0
    assert found.truths["belief"][0] == BELIEFS.index(case.core_beliefs[0].category)


def test_labelled_beliefs_are_read_and_a_missing_file_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "cbt_bench"
    folder.mkdir()
    row = {
        "situation": "My boss frowned.",
        "thoughts": "I can't do anything right.",
        "core_belief_fine_grained": ["I am incompetent"],
    }
    (folder / "core_fine_seed.json").write_text(json.dumps([row, {**row, "core_belief_fine_grained": ["unheard of"]}]))
    assert human_beliefs(tmp_path)[0].value is not None
    assert human_beliefs(tmp_path)[0].value.n == 1
    with pytest.raises(UnreadableFile, match="cbt_bench"):
        human_beliefs(tmp_path / "nowhere")


@pytest.mark.slow
def test_plans_and_the_page() -> None:
    assert make_plan("test", quick=False, seeds=None).sessions >= 1_000
    assert make_plan("dev", quick=True, seeds=None).sessions <= 40
    shown = page(judged([made(case, 0.7, 0) for case in range(12)]))
    assert shown.tables[0][2]
