"""`maieutic train sft` and `dpo` on a random model of two layers: mask, changed weights, the same seed, a kill, and play."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from command_line import killed, maieutic
from maieutic.evaluation.evaluate import Request, evaluate
from maieutic.models.trained import missing_extra, quiet_offline
from maieutic.training.examples import UNTRAINED, encoded, read_sessions, read_talks, system_message
from tiny_model import make_tiny

if missing_extra():
    pytest.skip("the extra `train` is not installed", allow_module_level=True)
quiet_offline()
pytestmark = pytest.mark.slow

ADAPTER = "adapter/adapter_model.safetensors"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a random model `tiny`, a run `a`, pairs, and an adapter `sft` of two steps."""
    folder = tmp_path_factory.mktemp("tune")
    evaluate(Request(("no_session", "oracle", "warm", "worksheet"), ("gethin", "nilani"), 1, 3), folder / "a")
    evaluate(Request(("worksheet",), ("carmen-tse",), 1, 2), folder / "kept")
    make_tiny(folder / "tiny", [json.dumps(row) for row in read_sessions(folder / "a", ("worksheet",)).rows])
    said = [{"role": "user", "content": "I fail at everything."}]
    pairs = [
        {"prompt": said, "chosen": [{"role": "assistant", "content": "What happened?"}],
         "rejected": [{"role": "assistant", "content": f"Try harder {n}."}], "case": "gethin", "chosen_by": "wide"}
        for n in range(3)
    ]  # fmt: skip
    (folder / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in pairs))
    done = maieutic(*SFT, "--steps", "4", "--out", "sft", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


DPO = ("train", "dpo", "--data", "pairs.jsonl", "--model", "tiny")
SFT = ("train", "sft", "--data", "a", "--arm", "worksheet", "--model", "tiny", "--rate", "0.01")


def weights(path: Path) -> dict:
    from safetensors.numpy import load_file

    return load_file(path)


def test_only_the_therapists_tokens_are_learned(place: Path) -> None:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(place / "tiny")
    (row, *_) = read_sessions(place / "a", ("worksheet",)).rows
    found = encoded(tokenizer, row["messages"], 100_000)
    whole = tokenizer.apply_chat_template(row["messages"], tokenize=False)
    assert whole.startswith(tokenizer.decode(found["input_ids"]))
    learned = tokenizer.decode([label for label in found["labels"] if label != UNTRAINED])
    own = [m["content"] for m in row["messages"] if m["role"] == "assistant"]
    assert own and learned == "".join(f"{text}<|im_end|>" for text in own)


def test_the_adapter_changed_and_is_told_about(place: Path) -> None:
    stored = weights(place / "sft" / ADAPTER)
    assert len(stored) == 2 * 7 * 2 and all(abs(one).max() > 0 for name, one in stored.items() if "lora_B" in name)
    assert (place / "sft" / ADAPTER).stat().st_size < 10_000_000
    card = json.loads((place / "sft" / "model_card.json").read_text())
    assert card["steps"] == 4 and card["data"]["arms"] == {"worksheet": 2} and card["run_seed"] == 0
    page = (place / "sft" / "report.html").read_text()
    assert "<svg" in page and "<script" not in page and "not human-validated" in page
    assert "gethin" not in (place / "sft" / "model_card.md").read_text()


def test_the_same_seed_makes_the_same_adapter_and_another_another(place: Path) -> None:
    for seed, out in (("0", "again"), ("1", "other")):
        done = maieutic(*SFT, "--steps", "4", "--seed", seed, "--out", out, cwd=place)
        assert done.returncode == 0, done.stderr
    assert (place / "again" / ADAPTER).read_bytes() == (place / "sft" / ADAPTER).read_bytes()
    assert (place / "other" / ADAPTER).read_bytes() != (place / "sft" / ADAPTER).read_bytes()


@pytest.mark.timeout(240)
@pytest.mark.parametrize("method", ["sft", "dpo"])
def test_a_kill_loses_no_checkpoint_and_the_end_is_the_same(place: Path, method: str) -> None:
    words = [*{"sft": SFT, "dpo": DPO}[method], "--steps", "60"]
    out, whole = f"killed-{method}", f"whole-{method}"
    killed(*words, "--out", out, cwd=place, when=lambda: list(place.glob(f"{out}/checkpoints/*/trainer_state.json")))
    assert not (place / out / "adapter").exists()
    (place / out / "checkpoints" / "checkpoint-59").mkdir()  # one that a stop cut short
    again = maieutic(*words, "--out", out, "--resume", cwd=place)
    assert again.returncode == 0, again.stderr
    done = maieutic(*words, "--out", whole, cwd=place)
    assert done.returncode == 0, done.stderr
    assert (place / out / ADAPTER).read_bytes() == (place / whole / ADAPTER).read_bytes()


def test_the_best_session_of_each_case_is_kept(place: Path) -> None:
    whole = read_sessions(place / "a", ("oracle", "warm"))
    best = read_sessions(place / "a", ("oracle", "warm"), keep=1)
    assert len(whole.rows) == 4 and dict(best.arms) == {"oracle": 2}
    assert best.left_out == {"another session of the case was better": 2}


def test_talks_of_a_file_are_learned_with_their_own_prompt_or_the_common_one(place: Path) -> None:
    said = [{"role": "user", "content": "I fail."}, {"role": "assistant", "content": "At what?"}]
    own = [{"role": "system", "content": "Be short."}, *said]
    (place / "talks.jsonl").write_text("".join(json.dumps({"messages": m}) + "\n" for m in (said, own)))
    found = read_talks(place / "talks.jsonl")
    assert found.rows[0]["messages"] == [system_message(), *said] and found.rows[1]["messages"] == own
    words = ["--model", "tiny", "--layers", "1", "--precision", "bfloat16", "--out", "talks"]
    done = maieutic("train", "sft", "--data", "talks.jsonl", *words, cwd=place)
    assert done.returncode == 0, done.stderr
    assert len(weights(place / "talks" / ADAPTER)) == 7 * 2


def test_training_goes_on_from_an_adapter_of_the_same_model_only(place: Path) -> None:
    done = maieutic(*SFT, "--steps", "1", "--start", "sft", "--out", "further", cwd=place)
    assert done.returncode == 0, done.stderr
    before, after = (weights(place / name / ADAPTER) for name in ("sft", "further"))
    far = max(abs(after[name] - before[name]).max() for name in before)
    assert 0 < far < 0.05  # one step from where the other ended
    words = [one if one != "tiny" else "embedded" for one in SFT]
    other = maieutic(*words, "--start", "sft", "--out", "elsewhere", cwd=place)
    assert other.returncode == 2 and "was trained on another model" in other.stderr


def test_a_run_that_was_stopped_is_finished_with_its_last_checkpoint(place: Path) -> None:
    shutil.copytree(place / "sft", place / "early")
    for gone in ("model_card.json", "adapter", "report.html", "checkpoints/checkpoint-4"):
        path = place / "early" / gone
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    words = [*SFT, "--steps", "4", "--out", "early", "--finish"]
    alone = maieutic(*words, cwd=place)
    assert alone.returncode == 2 and "add --resume" in alone.stderr
    done = maieutic(*words, "--resume", cwd=place)
    assert done.returncode == 0, done.stderr
    assert "3 of 4 steps" in " ".join(done.stdout.split())
    early = weights(place / "early" / ADAPTER)
    assert early.keys() == weights(place / "sft" / ADAPTER).keys()
    again = maieutic(*words[:-1], "--resume", cwd=place)  # it is whole now: nothing is trained
    assert (
        again.returncode == 0
        and weights(place / "early" / ADAPTER)[next(iter(early))].tolist() == early[next(iter(early))].tolist()
    )
    bare = maieutic(*SFT, "--steps", "4", "--out", "bare", "--resume", "--finish", cwd=place)
    assert bare.returncode == 2 and not (place / "bare" / "adapter").exists()


def test_dpo_learns_from_pairs(place: Path) -> None:
    done = maieutic(*DPO, "--out", "dpo", cwd=place)
    assert done.returncode == 0, done.stderr
    assert all(abs(one).max() > 0 for name, one in weights(place / "dpo" / ADAPTER).items() if "lora_B" in name)
    assert "Margin of chosen over rejected" in (place / "dpo" / "report.html").read_text()


def test_the_trained_model_is_an_arm(place: Path) -> None:
    words = ["evaluate", "--therapist", "trained:sft", "--therapist", "no_session", "--cases", "gethin"]
    done = maieutic(*words, "--seeds", "1", "--turns", "2", "--out", "played", "--max-tokens", "16", cwd=place)
    assert done.returncode == 0, done.stderr
    assert "trained" in done.stdout


def test_a_dry_run_tells_time_and_memory_and_writes_nothing(place: Path) -> None:
    done = maieutic(*SFT, "--out", "dry", "--dry-run", cwd=place)
    assert done.returncode == 0, done.stderr
    assert "2 rows, 2 steps" in done.stdout and "MB of memory" in done.stdout and not (place / "dry").exists()


@pytest.mark.parametrize("words", [SFT, DPO], ids=["sft", "dpo"])
def test_a_loss_that_is_no_number_overwrites_nothing(place: Path, words: tuple[str, ...]) -> None:
    done = maieutic(*words, "--steps", "30", "--rate", "1e30", "--out", f"nan-{words[1]}", cwd=place)
    assert done.returncode == 2 and "the loss is no number at step" in done.stderr
    assert done.stderr.strip().count("\n") == 0 and not (place / f"nan-{words[1]}" / "adapter").exists()


BAD = {
    "no arm": (["sft", "--data", "a", "--model", "tiny"], "name the arms to learn from with --arm"),
    "unknown arm": (["sft", "--data", "a", "--arm", "wurm", "--model", "tiny"], "the run has no arm 'wurm'"),
    "only cases for testing": (["sft", "--data", "kept", "--model", "tiny"], "the case is kept for testing"),
    "no model": (["sft", "--data", "a", "--arm", "warm", "--model", "tinny"], "tinny is no Hugging Face model folder"),
    "no pairs": (["dpo", "--data", "nowhere.jsonl", "--model", "tiny"], "nowhere.jsonl cannot be read"),
    "empty": (["dpo", "--data", os.devnull, "--model", "tiny"], "holds no pair"),
    "no talk": (["sft", "--data", "pairs.jsonl", "--model", "tiny"], "no talk with messages"),
    "no talks": (["sft", "--data", os.devnull, "--arm", "warm"], "cannot be read"),
    "only for a GPU": ([*SFT[1:], "--precision", "float16", "--out", "half"], "--precision float16 needs a GPU"),
    "taken": ([*SFT[1:], "--out", "sft"], "sft already holds a run"),
    "other settings": ([*SFT[1:], "--rank", "4", "--out", "sft", "--resume"], "other settings"),
}


@pytest.mark.parametrize(("words", "says"), BAD.values(), ids=BAD)
def test_bad_input_is_one_clear_line(words: list[str], says: str, place: Path) -> None:
    done = maieutic("train", *words, cwd=place)
    assert done.returncode == 2, done.stdout + done.stderr
    assert says in " ".join(done.stderr.split()) and done.stderr.strip().count("\n") == 0
