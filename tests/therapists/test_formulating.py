"""The agent's formulation: what was told is quoted under its heading, what was not is unknown."""

from __future__ import annotations

import pytest

from maieutic.domain.episode import Question, Session, Turn
from maieutic.errors import NotAnswerable
from maieutic.gap.lost.formulation import UNKNOWN, is_unknown, read
from maieutic.registry import load_therapist

ASKED = Question("formulation", "Write the formulation in five lines.", max_tokens=260, about="formulation")
STORY = (
    "My manager walked past my desk without a word this morning, and I sat there and couldn't type. "
    "What went through my head was that I am worthless, that nobody needs me there. "
    "I felt so sad. "
    "They gave the new project to Anna and nobody asked me. "
    "Although, last month he did say that my report had saved the bid."
)


def lines_of(answer: str) -> dict[str, str]:
    return dict(line.split(": ", 1) for line in answer.splitlines())


@pytest.mark.asyncio
async def test_what_was_told_stands_in_its_line() -> None:
    answer = await load_therapist("socratic").answer(ASKED, Session((Turn("patient", STORY),)))
    found = lines_of(answer.text)
    assert "worthless" in found["THOUGHT"]
    assert found["EMOTION"] == "sad"
    quoted = [found[name] for name in ("THOUGHT", "SUPPORTS", "CONTRADICTS") if found[name] != UNKNOWN]
    assert len(set(quoted)) == len(quoted)
    assert all(line in STORY for line in quoted)
    assert read(answer.text).emotion == "sad"


@pytest.mark.asyncio
@pytest.mark.parametrize("text", ["", "Hm.", "¿Qué hora es?"])
async def test_nothing_is_made_up(text: str) -> None:
    answer = await load_therapist("socratic").answer(ASKED, Session((Turn("patient", text),)))
    found = lines_of(answer.text)
    assert all(is_unknown(found[name]) for name in ("THOUGHT", "EMOTION", "SUPPORTS", "CONTRADICTS"))


@pytest.mark.asyncio
async def test_who_does_not_listen_cannot_formulate() -> None:
    with pytest.raises(NotAnswerable):
        await load_therapist("socratic_no_tracker").answer(ASKED, Session((Turn("patient", STORY),)))
