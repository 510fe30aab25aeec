"""An adapter on the packaged weights says the same by the in-process runtime as by transformers."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from maieutic.errors import ModelUnavailable
from maieutic.models.embedded import packaged, packaged_weights
from maieutic.models.trained import missing_extra
from maieutic.training.adapting import write_adapter

if missing_extra():
    pytest.skip("the extra `train` is not installed", allow_module_level=True)
try:
    packaged_weights()
except ModelUnavailable:
    pytest.skip("the embedded model is not installed", allow_module_level=True)

ASKED = [{"role": "system", "content": "You are a therapist."}, {"role": "user", "content": "I failed my exam."}]


@pytest.mark.full
@pytest.mark.timeout(300)
def test_both_runtimes_say_the_same_with_an_adapter_and_another_thing_without(tmp_path: Path) -> None:
    from maieutic.training.adapting import load_base

    weights, tokenizer = load_base("embedded")
    import torch
    from peft import LoraConfig, get_peft_model

    torch.manual_seed(1)
    modules = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
    model = get_peft_model(weights, LoraConfig(r=8, lora_alpha=16, target_modules=modules, task_type="CAUSAL_LM"))
    with torch.no_grad():
        for name, one in model.named_parameters():
            if "lora_B" in name:
                one.normal_(0, 0.15)
    model.eval()
    given = tokenizer.apply_chat_template(ASKED, add_generation_prompt=True, return_tensors="pt", return_dict=True)
    out = model.generate(**given, max_new_tokens=12, do_sample=False)[0][given["input_ids"].shape[1] :]
    expected = tokenizer.decode(out, skip_special_tokens=True).strip()
    model.save_pretrained(tmp_path / "peft")
    stored = tmp_path / "peft" / "adapter_model.safetensors"
    write_adapter(stored, tmp_path / "a.gguf", packaged_weights(), alpha=16.0)
    assert (tmp_path / "a.gguf").stat().st_size < 10_000_000

    def said(adapter: Path | None) -> str:
        made = packaged("embedded", adapter)
        reply = asyncio.run(made.generate(ASKED, seed=0, temperature=0, max_tokens=12))
        return reply.text

    adapted, plain = said(tmp_path / "a.gguf"), said(None)
    assert adapted != plain
    # Weights of 8 bits on one side: the beginning is the same, not every word of a long reply.
    assert adapted.split()[:3] == expected.split()[:3]
