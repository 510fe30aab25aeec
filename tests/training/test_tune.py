"""`maieutic train sft` and `dpo` on a random model of two layers: mask, changed weights, the same seed, a kill, and play."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from command_line import maieutic
from maieutic.evaluation.evaluate import Request, evaluate
from maieutic.models.trained import missing_extra, quiet_offline
from maieutic.training.examples import UNTRAINED, encoded, read_sessions

if missing_extra():
    pytest.skip("the extra `train` is not installed", allow_module_level=True)
quiet_offline()

CHATML = (
    "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>' + '\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
ADAPTER = "adapter/adapter_model.safetensors"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a random model `tiny`, a run `a`, pairs, and an adapter `sft` of two steps."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from tokenizers.trainers import BpeTrainer
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("tune")
    evaluate(Request(("no_session", "oracle", "warm", "worksheet"), ("gethin", "nilani"), 1, 3), folder / "a")
    evaluate(Request(("worksheet",), ("carmen-tse",), 1, 2), folder / "kept")
    words = Tokenizer(models.BPE())
    words.pre_tokenizer, words.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    signs = ["<|im_start|>", "<|im_end|>"]
    words.train_from_iterator(
        [json.dumps(row) for row in read_sessions(folder / "a", ("worksheet",)).rows],
        BpeTrainer(vocab_size=400, special_tokens=signs, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()),
    )
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, eos_token="<|im_end|>", pad_token="<|im_end|>")
    tokenizer.chat_template = CHATML
    tokenizer.save_pretrained(folder / "tiny")
    torch.manual_seed(0)
    shape = LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=2048, eos_token_id=1, pad_token_id=1, bos_token_id=0,
    )  # fmt: skip
    LlamaForCausalLM(shape).save_pretrained(folder / "tiny")
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


@pytest.mark.timeout(120)
def test_a_kill_loses_no_checkpoint_and_the_end_is_the_same(place: Path) -> None:
    words = [*SFT, "--steps", "60"]
    going = subprocess.Popen(
        [sys.executable, "-m", "maieutic", *words, "--out", "killed"], cwd=place, env={**os.environ},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    until = time.monotonic() + 90
    while not list(place.glob("killed/checkpoints/*/trainer_state.json")) and going.poll() is None:
        assert time.monotonic() < until
        time.sleep(0.01)
    going.send_signal(signal.SIGKILL)
    going.wait()
    assert not (place / "killed" / "adapter").exists()
    (place / "killed" / "checkpoints" / "checkpoint-59").mkdir()  # one that a stop cut short
    again = maieutic(*words, "--out", "killed", "--resume", cwd=place)
    assert again.returncode == 0, again.stderr
    whole = maieutic(*words, "--out", "whole", cwd=place)
    assert whole.returncode == 0, whole.stderr
    assert (place / "killed" / ADAPTER).read_bytes() == (place / "whole" / ADAPTER).read_bytes()


def test_dpo_learns_from_pairs(place: Path) -> None:
    done = maieutic("train", "dpo", "--data", "pairs.jsonl", "--model", "tiny", "--out", "dpo", cwd=place)
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


def test_a_loss_that_is_no_number_overwrites_nothing(place: Path) -> None:
    done = maieutic(*SFT, "--steps", "30", "--rate", "1e30", "--out", "nan", cwd=place)
    assert done.returncode == 2 and "the loss is no number at step" in done.stderr
    assert done.stderr.strip().count("\n") == 0 and not (place / "nan" / "adapter").exists()


BAD = {
    "no arm": (["sft", "--data", "a", "--model", "tiny"], "name the arms to learn from with --arm"),
    "unknown arm": (["sft", "--data", "a", "--arm", "wurm", "--model", "tiny"], "the run has no arm 'wurm'"),
    "only cases for testing": (["sft", "--data", "kept", "--model", "tiny"], "the case is kept for testing"),
    "no model": (["sft", "--data", "a", "--arm", "warm", "--model", "tinny"], "tinny is no Hugging Face model folder"),
    "no pairs": (["dpo", "--data", "nowhere.jsonl", "--model", "tiny"], "nowhere.jsonl cannot be read"),
    "empty": (["dpo", "--data", os.devnull, "--model", "tiny"], "holds no pair"),
    "taken": ([*SFT[1:], "--out", "sft"], "sft already holds a run"),
    "other settings": ([*SFT[1:], "--rank", "4", "--out", "sft", "--resume"], "other settings"),
}


@pytest.mark.parametrize(("words", "says"), BAD.values(), ids=BAD)
def test_bad_input_is_one_clear_line(words: list[str], says: str, place: Path) -> None:
    done = maieutic("train", *words, cwd=place)
    assert done.returncode == 2, done.stdout + done.stderr
    assert says in " ".join(done.stderr.split()) and done.stderr.strip().count("\n") == 0
