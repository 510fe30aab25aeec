"""`maieutic train grpo` on a random model of two layers: mask, changed weights, the same seed, a stop, save and reload."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from command_line import killed, maieutic
from maieutic.evaluation.evaluate import make_patients
from maieutic.library import get_case
from maieutic.models.trained import missing_extra, quiet_offline
from maieutic.training.examples import rendered, system_message
from maieutic.training.rewards import reward_named

if missing_extra():
    pytest.skip("the extra `train` is not installed", allow_module_level=True)
quiet_offline()
pytestmark = pytest.mark.slow
from maieutic.training.grpo import Rollouts  # noqa: E402  # needs the environment that is set above
from tiny_model import make_tiny  # noqa: E402

ADAPTER = "adapter/adapter_model.safetensors"
GRPO = (
    "train",
    "grpo",
    "--model",
    "tiny",
    "--cases",
    "gethin",
    "--turns",
    "3",
    "--generations",
    "2",
    "--tokens",
    "8",
    "--rate",
    "0.01",
    "--reward",
    "emotion",
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a random model `tiny` and an adapter `grpo` of two steps."""
    folder = tmp_path_factory.mktemp("grpo")
    make_tiny(folder / "tiny", [system_message()["content"], "What happened? I fail at everything. It was a bad day."])
    done = maieutic(*GRPO, "--steps", "2", "--out", "grpo", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def rollouts(place: Path) -> tuple[dict[str, list[Any]], Any]:
    """Two sessions of three turns with one patient, and the tokenizer."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(place / "tiny")
    model = AutoModelForCausalLM.from_pretrained(place / "tiny")
    make_patient, _ = make_patients("simulated")
    play = Rollouts({"g": (get_case("gethin"), 0)}, make_patient, [reward_named("emotion")], 3, 8, 1.0, 0)
    trainer = SimpleNamespace(
        model=model,
        processing_class=tokenizer,
        state=SimpleNamespace(global_step=0),
        accelerator=SimpleNamespace(unwrap_model=lambda one: one),
    )
    return play(["g", "g"], trainer), tokenizer


def test_the_mask_is_1_on_the_models_own_tokens_and_nothing_is_tokenised_anew(
    rollouts: tuple[dict[str, list[Any]], Any],
) -> None:
    told, tokenizer = rollouts
    assert len(told["completion_ids"]) == 2 and told["completion_ids"][0] != told["completion_ids"][1]
    for prompt, ids, mask in zip(told["prompt_ids"], told["completion_ids"], told["env_mask"], strict=True):
        assert len(ids) == len(mask) and ids[-1] == tokenizer.eos_token_id
        opening = tokenizer.decode(prompt)
        assert opening.startswith("<|im_start|>system") and opening.endswith("<|im_start|>assistant\n")
        # Three replies of at most eight tokens; the patient's two answers and what the template writes lie between.
        runs = "".join(map(str, mask)).replace("0", " ").split()
        assert len(runs) == 3 and all(len(run) <= 8 for run in runs)
        others = tokenizer.decode([one for one, own in zip(ids, mask, strict=True) if not own])
        assert others.count("<|im_start|>user\n") == 2 and others.count("<|im_start|>assistant\n") == 2
    assert all(value is not None for value in told["worth_emotion"])


def test_the_ids_are_those_that_the_template_writes(rollouts: tuple[dict[str, list[Any]], Any]) -> None:
    told, tokenizer = rollouts
    text = tokenizer.decode(told["prompt_ids"][0] + told["completion_ids"][0])
    parts = text.removesuffix(tokenizer.eos_token).split(f"{tokenizer.eos_token}\n<|im_start|>")
    said = [part.removeprefix("<|im_start|>").split("\n", 1) for part in parts]
    messages = [{"role": role, "content": content} for role, content in said]
    assert rendered(tokenizer, messages) == f"{text}\n"


def test_the_adapter_changed_and_is_told_about(place: Path) -> None:
    from safetensors.numpy import load_file

    stored = load_file(place / "grpo" / ADAPTER)
    assert len(stored) == 2 * 7 * 2 and any(abs(one).max() > 0 for name, one in stored.items() if "lora_B" in name)
    card = json.loads((place / "grpo" / "model_card.json").read_text())
    assert card["method"] == "grpo" and card["steps"] == 2 and card["patients"]["cases"] == ["gethin"]
    page = (place / "grpo" / "report.html").read_text()
    assert "Mean reward of the sessions" in page and "The last session played" in page and "not human-validated" in page
    kept = [json.loads(line) for line in (place / "grpo" / "sessions.jsonl").read_text().splitlines()]
    assert [row["step"] for row in kept] == [0, 0, 1, 1]
    # One patient, one luck: what differs between the sessions of a step begins with the therapist's words.
    assert kept[0]["said"][0] == kept[1]["said"][0] and kept[0]["said"][1] != kept[1]["said"][1]


def test_the_same_seed_makes_the_same_adapter_and_another_another(place: Path) -> None:
    for seed, out in (("0", "again"), ("1", "other")):
        done = maieutic(*GRPO, "--steps", "2", "--seed", seed, "--out", out, cwd=place)
        assert done.returncode == 0, done.stderr
    first = place / "grpo"
    assert (place / "again" / ADAPTER).read_bytes() == (first / ADAPTER).read_bytes()
    assert (place / "again" / "sessions.jsonl").read_bytes() == (first / "sessions.jsonl").read_bytes()
    assert (place / "other" / ADAPTER).read_bytes() != (first / ADAPTER).read_bytes()


@pytest.mark.timeout(240)
def test_a_kill_loses_no_checkpoint_and_the_end_is_the_same(place: Path) -> None:
    words = (*GRPO, "--steps", "6")
    begun = place / "killed" / "checkpoints"
    killed(*words, "--out", "killed", cwd=place, when=lambda: list(begun.glob("*/trainer_state.json")))
    assert not (place / "killed" / "adapter").exists()
    for out, more in (("killed", ("--resume",)), ("whole", ())):
        done = maieutic(*words, "--out", out, *more, cwd=place)
        assert done.returncode == 0, done.stderr
    assert (place / "killed" / ADAPTER).read_bytes() == (place / "whole" / ADAPTER).read_bytes()


def test_training_goes_on_from_an_adapter_with_a_bound_on_how_far(place: Path) -> None:
    words = [*GRPO, "--start", "grpo", "--kl", "0.1", "--reward", "attributes=0.5", "--steps", "3", "--out", "further"]
    done = maieutic(*words, cwd=place)
    assert done.returncode == 0, done.stderr
    assert "Goes on from" in done.stdout
    assert not (place / "further" / "adapter" / "ref").exists()
    assert (place / "further" / ADAPTER).read_bytes() != (place / "grpo" / ADAPTER).read_bytes()
    played = maieutic(
        "evaluate",
        "--therapist",
        "trained:further",
        "--therapist",
        "no_session",
        "--cases",
        "gethin",
        "--seeds",
        "1",
        "--turns",
        "2",
        "--max-tokens",
        "8",
        "--out",
        "played",
        cwd=place,
    )
    assert played.returncode == 0, played.stderr


def test_a_dry_run_tells_time_and_memory_and_writes_nothing(place: Path) -> None:
    done = maieutic(*GRPO, "--steps", "2", "--out", "dry", "--dry-run", cwd=place)
    assert done.returncode == 0, done.stderr
    assert "1 patients, 2 steps" in done.stdout and "MB of memory" in done.stdout and not (place / "dry").exists()


def test_a_loss_that_is_no_number_overwrites_nothing(place: Path) -> None:
    done = maieutic(*GRPO, "--steps", "3", "--rate", "1e30", "--out", "nan", cwd=place)
    assert done.returncode == 2, done.stdout + done.stderr
    told = done.stderr.strip().splitlines()  # a slow machine is told of its steps before
    assert "training diverged" in told[-1] and not any("Traceback" in line for line in told)
    assert not (place / "nan" / "adapter").exists()


BAD = {
    "only for a GPU": (["--precision", "float16"], "--precision float16 needs a GPU"),
    "no such precision": (["--precision", "int3"], "--precision must be one of"),
    "one session has nothing to be set against": (["--generations", "1"], "--generations must be at least 2"),
    "only cases for testing": (["--cases", "test"], "no patient is left to play with"),
    "no number": (["--reward", "emotion=much"], "write NAME or NAME=WEIGHT"),
    "played by itself": (["--reward", "multi_turn"], "grpo plays whole sessions by itself"),
    "no adapter": (["--start", "tiny"], "tiny has no model_card.json"),
    "too many layers": (["--layers", "3", "--out", "layers"], "--layers must be at most 2"),
    "taken": (["--out", "grpo"], "grpo already holds a run"),
}


@pytest.mark.parametrize(("words", "says"), BAD.values(), ids=BAD)
def test_bad_input_is_one_clear_line(words: list[str], says: str, place: Path) -> None:
    cases = [] if "--cases" in words else ["--cases", "gethin"]
    done = maieutic("train", "grpo", "--model", "tiny", *cases, *words, cwd=place)
    assert done.returncode == 2, done.stdout + done.stderr
    assert says in " ".join(done.stderr.split()) and done.stderr.strip().count("\n") == 0
