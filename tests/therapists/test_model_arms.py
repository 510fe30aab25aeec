"""The arms with a model beside the plain prompt: the expert's page, three roles in one prompt, and a handbook."""

from __future__ import annotations

import asyncio
import tomllib
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from maieutic import doors
from maieutic.dialogue import converse
from maieutic.domain.episode import Session, Turn
from maieutic.errors import InputError, ModelError, UnknownName
from maieutic.models.scripted import ScriptedModel
from maieutic.prompts import prompt
from maieutic.protocols import Message, Therapist
from maieutic.reading.minilm import MiniLM
from maieutic.registry import load_embedder, load_therapist, lookup
from maieutic.rivals.one_prompt import PARTS, OnePrompt, Retrieval, Steelman, nearest, parts_of, technique_notes
from talks import WordHashes, make_patient, make_talk, session_of

WHOLE = "<reasoner>The thought is known.</reasoner>\n<draft>What then?</draft>\n<validator>ok</validator>\n<guide> What happened then? </guide>"


class Listener:
    """A scripted model that keeps what it is shown."""

    def __init__(self, answer: str = "What happened then?") -> None:
        self.seen: list[tuple[Message, ...]] = []
        self.answer = answer
        self.model = ScriptedModel(self._listen, name="m")

    def _listen(self, messages: Sequence[Message], seed: int) -> str:
        self.seen.append(tuple(messages))
        return self.answer


def arms(listener: Listener) -> dict[str, Therapist]:
    return {
        "steelman": Steelman(listener.model),
        "one_prompt": OnePrompt(listener.model),
        "retrieval": Retrieval(listener.model, embed=WordHashes()),
    }


@pytest.mark.parametrize("name", ["steelman", "one_prompt", "retrieval"])
def test_each_has_its_own_prompt_and_grows_before_the_last_message_only_at_the_end(name: str) -> None:
    listener = Listener(WHOLE)
    therapist = arms(listener)[name]
    assert therapist.name == f"{name}:m"
    episode = asyncio.run(converse(make_talk(therapist, make_patient(), turns=5)))
    assert not episode.failed
    assert listener.seen[0][0] == {"role": "system", "content": prompt(f"{name}_therapist").text}
    for shorter, longer in pairwise(listener.seen):
        assert longer[: len(shorter) - 1] == shorter[:-1]
        assert longer[len(shorter) - 1]["content"] == episode.session.turns[len(shorter) - 2].text
        assert shorter[-1]["content"].startswith(longer[len(shorter) - 1]["content"])
    case = make_patient().case
    shown = " ".join(m["content"] for messages in listener.seen for m in messages)
    assert case.history not in shown
    assert case.id not in shown


@pytest.mark.parametrize("name", ["steelman", "one_prompt", "retrieval"])
def test_each_needs_a_model(name: str) -> None:
    assert lookup("therapist", name)
    with pytest.raises(InputError, match=f"needs a model: write {name}:MODEL"):
        load_therapist(name)


def test_the_expert_page_holds_the_seventeen_standards() -> None:
    text = prompt("steelman_therapist").text
    assert [line.split(".")[0] for line in text.splitlines() if line[:1].isdigit()] == [str(n) for n in range(1, 18)]
    assert len(text.split()) < 800
    assert load_therapist("steelman:scripted").name == "steelman:scripted"


def test_only_the_guide_is_heard_and_the_rest_is_trace() -> None:
    turn = asyncio.run(OnePrompt(Listener(f"Sure:\n{WHOLE}").model).respond(session_of("Hello.")))
    assert turn.text == "What happened then?"
    assert turn.trace == {"reasoner": "The thought is known.", "draft": "What then?", "validator": "ok"}
    assert turn.usage


@pytest.mark.parametrize("part", PARTS)
def test_a_missing_part_is_named(part: str) -> None:
    without = "".join(f"<{p}>x</{p}>" for p in PARTS if p != part)
    with pytest.raises(ModelError, match=f"lacks the part <{part}>"):
        parts_of(without)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("What happened then?", "lacks the part <reasoner>"),
        (WHOLE.removesuffix("</guide>"), "lacks the part <guide>"),
        (WHOLE + "<guide>And?</guide>", "has the part <guide> 2 times"),
        (WHOLE.replace("ok", " "), "the part <validator> is empty"),
        ("<draft>a</draft><reasoner>b</reasoner><validator>c</validator><guide>d</guide>", "<draft> is out of order"),
    ],
)
def test_an_answer_out_of_form_says_why(answer: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        parts_of(answer)


def test_an_answer_out_of_form_ends_the_session_as_failed() -> None:
    episode = asyncio.run(converse(make_talk(OnePrompt(Listener("Hm.").model), make_patient(), turns=3)))
    assert episode.failed
    assert "lacks the part" in str(episode.ending.reason)


def test_the_notes_are_many_short_and_whole() -> None:
    notes = technique_notes()
    assert len(notes) >= 36
    assert len({note.title for note in notes}) == len(notes)
    for note in notes:
        assert 40 <= len(f"{note.when} {note.how}".split()) <= 90, note.title
        assert note.when and note.how and "When:" not in note.when and "How:" not in note.how


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("My husband died in March and I miss him every hour.", "Fresh grief"),
        ("I don't want to be here any more, everyone would be better off.", "Talk of not wanting to live"),
        ("You don't understand me and this isn't helping, stop asking.", "When you are told off"),
        ("It is all my fault, I take the whole blame for what happened.", "Sharing out responsibility"),
    ],
)
def test_the_packaged_embedder_finds_the_note_that_fits(said: str, title: str) -> None:
    assert title in [note.title for note in nearest(said, MiniLM())]


def test_three_notes_stand_below_the_last_words_and_nowhere_else() -> None:
    listener = Listener()
    session = session_of("I lost my job.", "What went through your mind?", "That it is all my fault.")
    turn = asyncio.run(Retrieval(listener.model, embed=WordHashes()).respond(session))
    assert turn.trace
    assert len(turn.trace["notes"]) == 3
    *before, last = listener.seen[0]
    assert all(title in last["content"] for title in turn.trace["notes"])
    assert not any("handbook:)" in message["content"] for message in before)
    empty = asyncio.run(Retrieval(listener.model, embed=WordHashes()).respond(Session((Turn("patient", ""),))))
    assert empty.trace and len(empty.trace["notes"]) == 3


class Point:
    """An entry point that loads the packaged embedder."""

    name = "minilm"

    def load(self) -> type[MiniLM]:
        return MiniLM


def test_the_embedder_comes_by_the_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    assert project["project"]["entry-points"]["maieutic.embedders"] == {"minilm": "maieutic.reading.minilm:MiniLM"}
    monkeypatch.setattr(doors, "entry_points", lambda group: [Point()])
    made = Retrieval(ScriptedModel(["Hm."]))
    assert made.embed.name == MiniLM.name
    with pytest.raises(UnknownName, match="Did you mean 'minilm'"):
        load_embedder("minilmm")
    monkeypatch.setattr(doors, "entry_points", lambda group: [])
    with pytest.raises(InputError, match="names no 'minilm' in"):
        load_embedder()
