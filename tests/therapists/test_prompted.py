"""A model as therapist: prompts only grow at the end, seeds are derived, errors pass."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import pairwise

import pytest

from maieutic.dialogue import converse
from maieutic.domain.episode import Question, Session, Turn, Usage
from maieutic.errors import ModelError
from maieutic.models.scripted import ScriptedModel
from maieutic.prompts import prompt
from maieutic.protocols import Message, Reply
from maieutic.therapists.prompted import Prompted
from talks import make_patient, make_talk


def test_prompts_are_append_only_and_hold_what_was_said() -> None:
    seen: list[tuple[Message, ...]] = []
    seeds: list[int] = []

    def listen(messages: Sequence[Message], seed: int) -> str:
        seen.append(tuple(messages))
        seeds.append(seed)
        return "What happened then?"

    episode = asyncio.run(converse(make_talk(Prompted(ScriptedModel(listen)), make_patient(), turns=5)))
    for shorter, longer in pairwise(seen):
        assert longer[: len(shorter)] == shorter
    assert seen[0][0] == {"role": "system", "content": prompt("cbt_therapist").text}
    assert [m["content"] for m in seen[-1][1:]] == [t.text for t in episode.session.turns[:-2]]
    assert [m["role"] for m in seen[-1][1:]] == ["user", "assistant"] * 4 + ["user"]
    assert len(set(seeds)) == len(seeds)


def test_nothing_of_the_case_is_in_the_prompt_but_what_was_said() -> None:
    seen: list[str] = []

    def listen(messages: Sequence[Message], seed: int) -> str:
        seen.append(" ".join(m["content"] for m in messages))
        return "I see."

    patient = make_patient()
    asyncio.run(converse(make_talk(Prompted(ScriptedModel(listen)), patient, turns=3)))
    case = patient.case
    assert not any(case.history in text or case.id in text or case.person.name in text for text in seen)


def test_the_models_name_and_errors_are_passed_on() -> None:
    def fail(messages: Sequence[Message], seed: int) -> str:
        raise ModelError("gone")

    therapist = Prompted(ScriptedModel(fail, name="m"))
    assert therapist.name == "prompted:m"
    with pytest.raises(ModelError):
        asyncio.run(therapist.respond(Session((Turn("patient", "Hello."),))))


@pytest.mark.parametrize(("allowed", "got"), [(30, 30), (260, 60)])
def test_an_answer_is_as_long_as_the_question_allows_and_at_most_three_replies_of_the_model(
    allowed: int, got: int
) -> None:
    limits: list[int] = []

    class Short:
        name, local, parallel, reply_tokens = "short", True, 1, 20

        async def generate(
            self, messages: Sequence[Message], *, seed: int, temperature: float = 0.7, max_tokens: int = 256
        ) -> Reply:
            limits.append(max_tokens)
            return Reply("Yes.", Usage(1, 1, 1))

        async def close(self) -> None: ...

    asyncio.run(Prompted(Short()).answer(Question("q", "Well?", max_tokens=allowed), Session((), 1)))
    assert limits == [got]
