"""The training door: OpenEnv's own validator and client, rewards that add up, and nothing of the hidden side."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from maieutic.dialogue import Conversation, Streams, converse
from maieutic.domain.episode import EpisodeKey, Session, Turn
from maieutic.errors import UnknownName
from maieutic.evaluation.plan import drawn_situation
from maieutic.library import get_case
from maieutic.registry import load_measures
from maieutic.serving.offers import training_ground
from maieutic.serving.server import running
from maieutic.serving.training import Ground
from maieutic.training.rewards import reward_named, rewards

pytestmark = pytest.mark.slow  # OpenEnv imports a toolkit of web pages: four seconds, most of what the file takes
TURNS = 4
ASKED = (
    "What happened that morning?", "What went through your mind?", "Was there ever a time it went otherwise?",
    "What do you make of that?",
)  # fmt: skip


@pytest.fixture(scope="module")
def ground() -> Ground:
    return training_ground(("gethin", "nilani"), "conviction_change", turns=TURNS)


@pytest.fixture(scope="module")
def url(ground: Ground) -> Iterator[str]:
    from maieutic.serving.openenv_door import environment

    with running(environment(ground, "conviction_change", sessions=8)) as one:
        yield one


def played(ground: Ground, case_id: str, seed: int):
    class Script:
        name = "script"

        async def respond(self, session: Session) -> Turn:
            return Turn("therapist", ASKED[len(session.by("therapist"))])

    case = get_case(case_id)
    patient = ground.patients.make(case, drawn_situation(case, 0, seed))
    talk = Conversation(Script(), patient, ground.patients.coder, TURNS, Streams(0, EpisodeKey("s", case_id, seed)))
    return asyncio.run(converse(talk))


def test_openenvs_own_validator_passes(url: str) -> None:
    from openenv.cli._validation import validate_running_environment

    report = validate_running_environment(url, timeout_s=30)
    assert report["passed"], [one for one in report["criteria"] if not one["passed"]]
    assert report["mode"] == "simulation"


def test_a_session_over_the_wire_is_the_one_in_process_and_its_rewards_add_up(url: str, ground: Ground) -> None:
    from openenv.core.generic_client import GenericEnvClient

    episode = played(ground, "gethin", 3)
    measure = next(one for one in load_measures() if one.id == "conviction_change")
    with GenericEnvClient(base_url=url).sync() as env:
        result = env.reset(seed=3, episode_id="one", case="gethin")
        texts, earned = [result.observation["text"]], []
        assert result.reward is None and not result.done
        for text in ASKED:
            result = env.step({"text": text})
            texts.append(result.observation["text"])
            earned.append(result.reward)
        state = env.state()
    assert texts == [turn.text for turn in episode.session.by("patient")]
    assert result.done and result.observation["ending"] == "turn_limit"
    assert sum(earned) == pytest.approx(measure(episode).value) == pytest.approx(state["total_reward"])
    assert (state["episode_id"], state["step_count"], state["case"]) == ("one", TURNS, "gethin")


def test_nothing_of_the_hidden_side_is_told(url: str, ground: Ground) -> None:
    from openenv.core.generic_client import GenericEnvClient

    case = ground.cases["gethin"]
    with GenericEnvClient(base_url=url).sync() as env:
        first = env.reset(seed=3, case="gethin")
        told = f"{first.observation} {env.step({'text': 'Hello.'}).observation} {env.state()}"
    hidden = {"held", "openness", "reactance", "intent", "situation", "appraisal"}
    assert not {word for word in hidden if f"'{word}'" in told}
    assert not [one for one in case.situations if one.automatic_thought in told]


def test_sessions_at_once_do_not_meet(url: str) -> None:
    from openenv.core.generic_client import GenericEnvClient

    async def talk(seed: int) -> list[str]:
        async with GenericEnvClient(base_url=url) as env:
            texts = [(await env.reset(seed=seed, case="gethin")).observation["text"]]
            for text in ASKED:
                texts.append((await env.step({"text": text})).observation["text"])
                await asyncio.sleep(0)
            return texts

    async def all_at_once() -> list[list[str]]:
        return await asyncio.gather(*(talk(seed % 3) for seed in range(6)))

    together = asyncio.run(all_at_once())
    assert together[:3] == together[3:]
    assert together == [asyncio.run(talk(seed % 3)) for seed in range(6)]


def test_it_runs_in_process_too_and_a_seed_draws_the_case(ground: Ground) -> None:
    from maieutic.serving.openenv_door import PatientEnvironment, TherapistTurn

    env = PatientEnvironment(ground, "conviction_change")
    assert env.state.step_count == 0
    drawn = {PatientEnvironment(ground, "x").reset(seed=seed).text for seed in range(6)}
    assert len(drawn) > 1
    assert env.reset(seed=1).text == env.reset(seed=1).text
    for _ in range(TURNS):
        last = env.step(TherapistTurn(text="Go on."))
    assert last.done
    with pytest.raises(Exception, match=r"call reset\(\) first"):
        env.step(TherapistTurn(text="Go on."))


def test_every_measure_with_a_direction_is_a_reward_and_a_missing_one_says_so() -> None:
    from maieutic.serving.openenv_door import PatientEnvironment, TherapistTurn

    known = rewards()
    assert {"conviction_change", "evidence_weighed", "alliance_change", "stacked_or_leading"} <= set(known)
    assert (known["stacked_or_leading"].sign, known["evidence_weighed"].sign) == (-1.0, 1.0)
    with pytest.raises(UnknownName, match="Did you mean 'alliance_change'"):
        reward_named("aliance_change")
    env = PatientEnvironment(
        training_ground(("gethin",), "turns_to_first_evidence", turns=2), "turns_to_first_evidence"
    )
    first = env.reset(case="gethin")
    assert first.metadata["reward_missing"] and env.step(TherapistTurn(text="Hello.")).reward == 0.0
