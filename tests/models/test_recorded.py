"""Recorded replies come back as they were; a miss and a changed prompt are told and never filled in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from maieutic.errors import InputError, ModelError, UnreadableFile
from maieutic.models.scripted import RecordedModel, Recorder, ScriptedModel, make_recorded
from maieutic.protocols import Message
from maieutic.registry import load_model

HELLO: list[Message] = [{"role": "system", "content": "S"}, {"role": "user", "content": "Hello."}]


@pytest.fixture
async def kept(tmp_path: Path) -> Path:
    recorder = Recorder(ScriptedModel(["one", "two"], name="speaker"))
    await recorder.generate(HELLO, seed=1)
    await recorder.close()
    recorder.write(tmp_path / "replies.jsonl", ("patient_ear",), "2026-11-28")
    return tmp_path / "replies.jsonl"


async def test_a_reply_comes_back_whatever_the_seed(kept: Path) -> None:
    model = load_model(f"recorded:{kept}")
    assert isinstance(model, RecordedModel)
    assert (model.name, model.recorded) == ("speaker", "2026-11-28")
    assert (await model.generate(HELLO, seed=7, temperature=0.1, max_tokens=3)).text == "one"
    await model.close()


async def test_a_miss_is_no_failure_of_a_model(kept: Path) -> None:
    with pytest.raises(InputError, match=r"has no reply to a request that ends 'Bye\.'") as miss:
        await RecordedModel(kept).generate([*HELLO, {"role": "user", "content": "Bye."}], seed=1)
    assert not isinstance(miss.value, ModelError)


def test_a_changed_prompt_reads_stale(kept: Path) -> None:
    head, *lines = kept.read_text(encoding="utf-8").splitlines()
    old = json.loads(head)
    old["prompts"]["patient_ear"] = "0" * 16
    kept.write_text("\n".join([json.dumps(old), *lines]), encoding="utf-8")
    with pytest.raises(InputError, match="is stale: patient_ear changed since 2026-11-28; record it anew"):
        RecordedModel(kept)


@pytest.mark.parametrize(
    "text", ["", "no", "[]", "{}", '{"kind": "something else"}', '{"kind": "recorded replies"}\n{}']
)
def test_another_file_is_told(tmp_path: Path, text: str) -> None:
    file = tmp_path / "replies.jsonl"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UnreadableFile, match="holds no recorded replies"):
        RecordedModel(file)
    with pytest.raises(UnreadableFile, match="cannot be read"):
        RecordedModel(tmp_path / "none.jsonl")
    with pytest.raises(InputError, match="write recorded:FILE"):
        make_recorded("recorded")
