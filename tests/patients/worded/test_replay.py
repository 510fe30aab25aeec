"""Twelve fixed talks, replayed from a capable model's replies: the same states and words, or a miss that fails."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from maieutic.coding.rules import RuleCoder
from maieutic.dialogue import Conversation, Streams, converse
from maieutic.domain.episode import Episode, EpisodeKey
from maieutic.errors import InputError
from maieutic.library import get_case
from maieutic.models.scripted import RecordedModel
from maieutic.patients.worded.patient import make_worded, make_worded_or_embedded
from maieutic.reading.minilm import MiniLM
from talks import Speaker

DATA = Path(__file__).parent / "data"
TALKS: list[dict[str, Any]] = json.loads((DATA / "talks.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def model() -> RecordedModel:
    return RecordedModel(DATA / "replies.jsonl")


def play(talk: dict[str, Any], model: Any, embed: MiniLM, make: Any = make_worded) -> Episode:
    patient = make(get_case(talk["case"]), talk["situation"], embed=embed, model=model)
    speaker = Speaker("fixed", turns=talk["turns"], ends=("",))
    streams = Streams(0, EpisodeKey("fixed", talk["case"], 1))
    return asyncio.run(converse(Conversation(speaker, patient, RuleCoder(), len(talk["turns"]), streams)))


@pytest.mark.parametrize(
    "talk",
    [pytest.param(talk, id=talk["case"], marks=() if n < 4 else pytest.mark.slow) for n, talk in enumerate(TALKS)],
)
def test_a_recorded_talk_leads_to_the_same_states(talk: dict[str, Any], model: RecordedModel, embed: MiniLM) -> None:
    episode = play(talk, model, embed)
    assert episode.ending.kind in ("turn_limit", "patient_left")
    assert [turn.text for turn in episode.session.by("patient")] == talk["said"]
    for state, (held, openness, act, matter) in zip(episode.states, talk["states"], strict=True):
        assert (state.intent.act, state.intent.unit or state.intent.evidence) == (act, matter)
        assert (state.held, state.openness) == (pytest.approx(held, abs=0.01), pytest.approx(openness, abs=0.001))


def test_there_are_twelve_on_cases_of_their_own() -> None:
    assert len({talk["case"] for talk in TALKS}) == len(TALKS) == 12
    assert all(get_case(talk["case"]).split == "dev" for talk in TALKS)
    assert all(len(talk["said"]) >= 6 for talk in TALKS)


@pytest.mark.parametrize("make", [make_worded, make_worded_or_embedded])
def test_a_miss_fails_and_nothing_stands_in(make: Any, model: RecordedModel, embed: MiniLM) -> None:
    other = TALKS[0] | {"turns": ["Who was it that asked you the question?"]}
    with pytest.raises(InputError, match="has no reply to a request"):
        play(other, model, embed, make)
