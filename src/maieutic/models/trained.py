"""A model with an adapter that `maieutic train` made: by the in-process runtime where it can be, else by
transformers."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from maieutic.domain.episode import Usage
from maieutic.errors import InputError, ModelRefused, ModelUnavailable, UnreadableFile
from maieutic.models.embedded import EmbeddedModel, packaged, whole_sentences
from maieutic.protocols import Message, Reply
from maieutic.registry import kind_and_model, model

CARD: Final = "model_card.json"
ADAPTER: Final = "adapter"
GGUF_ADAPTER: Final = "adapter.gguf"
PACKAGED: Final = "embedded"
PACKAGED_FOLDER: Final = Path(__file__).parent / "adapters" / PACKAGED
REPLY_TOKENS: Final = 72
"""A trained model has learned where a turn ends; a limit as short as the untrained one's would cut the question off."""
SAMPLING: Final = (
    ("dry_multiplier", 0.8),
    ("dry_base", 1.75),
    ("dry_allowed_length", 5),
    ("dry_penalty_last_n", 4096),
    ("dry_sequence_breakers", (".", "?", "!", "\n", ":")),
)
"""A small model says again what it said. The runtime makes it the less likely to go on with words that stand in the
context already (prompt and patient's words, too), the more of them there are (DRY; in process only; every adapter
on the packaged model). The end of a turn follows a mark, and is free."""
EXTRA: Final = ("torch", "transformers", "peft", "datasets", "trl")
INSTALL: Final = "pip install 'maieutic[train]'"


def missing_extra() -> str:
    """What of the extra `train` is not installed and the command that adds it, or an empty text."""
    absent = [name for name in EXTRA if importlib.util.find_spec(name) is None]
    return f"{', '.join(absent)} is not installed: {INSTALL}" if absent else ""


def quiet_offline() -> None:
    """Tell transformers not to ask any hub and not to draw bars; must come before its first import."""
    for name, value in (
        ("HF_HUB_OFFLINE", "1"),
        ("TRL_EXPERIMENTAL_SILENCE", "1"),
        ("TOKENIZERS_PARALLELISM", "false"),
        ("TQDM_DISABLE", "1"),
    ):
        os.environ.setdefault(name, value)
    from transformers.utils import logging

    # What the libraries will rename one day is nothing that a user can act on.
    warnings.filterwarnings("ignore", category=FutureWarning, module="transformers")
    logging.set_verbosity_error()
    logging.disable_progress_bar()


class TransformersModel:
    """A Hugging Face folder with a LoRA on it, computed by transformers one reply at a time.

    Attributes:
        name: The folder of the adapter. parallel: 1. local, takes_top_p: True.
        learned_from: Ids of the cases whose sessions it was trained on.
    """

    local = True
    takes_top_p = True
    parallel = 1
    learned_from: frozenset[str] = frozenset()

    def __init__(self, base: Path, adapter: Path, *, name: str) -> None:
        """Prepare, without loading."""
        self.name = name
        self._base, self._adapter = base, adapter
        self._loaded: tuple[Any, Any] | None = None
        # One thread: the generator of torch is one for the whole process.
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="transformers")

    async def generate(
        self,
        messages: Sequence[Message],
        *,
        seed: int,
        temperature: float = 0.7,
        max_tokens: int = 256,
        top_p: float | None = None,
    ) -> Reply:
        """Compute one reply; one without text is tried again with the next two seeds. Raises `ModelError`."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, self._reply, list(messages), seed, temperature, max_tokens, top_p)

    async def close(self) -> None:
        """Let go of the weights."""
        self._loaded = None

    def _load(self) -> tuple[Any, Any]:
        if self._loaded is None:
            if lacking := missing_extra():
                raise ModelUnavailable(lacking)
            quiet_offline()
            from peft import PeftModel
            from transformers import AutoModelForCausalLM, AutoTokenizer

            try:
                base = AutoModelForCausalLM.from_pretrained(self._base, local_files_only=True)
                tokenizer = AutoTokenizer.from_pretrained(self._base, local_files_only=True)
                self._loaded = PeftModel.from_pretrained(base, self._adapter).eval(), tokenizer
            except (OSError, ValueError, RuntimeError) as error:
                raise ModelUnavailable(f"{self.name} cannot be loaded: {' '.join(str(error).split())[:300]}") from error
        return self._loaded

    def _reply(
        self, messages: list[Message], seed: int, temperature: float, max_tokens: int, top_p: float | None
    ) -> Reply:
        model, tokenizer = self._load()
        import torch

        given = tokenizer.apply_chat_template(
            messages, add_generation_prompt=True, return_tensors="pt", return_dict=True
        )
        given = {name: given[name] for name in ("input_ids", "attention_mask")}
        drawn: dict[str, Any] = (
            {"do_sample": False} if temperature == 0 else {"do_sample": True, "temperature": temperature}
        )
        if top_p is not None and temperature:
            drawn["top_p"] = top_p
        length, calls, produced = given["input_ids"].shape[1], 0, 0
        for attempt in range(3):
            torch.manual_seed(seed + attempt)
            with torch.no_grad():
                out = model.generate(**given, max_new_tokens=max_tokens, pad_token_id=tokenizer.pad_token_id, **drawn)
            said = out[0][length:]
            calls, produced = calls + 1, produced + len(said)
            text = tokenizer.decode(said, skip_special_tokens=True).strip()
            if text:
                return Reply(
                    text if len(said) < max_tokens else whole_sentences(text), Usage(calls, calls * length, produced)
                )
        raise ModelRefused(f"{self.name} gave no text with three seeds from {seed}")


@model("trained")
def make_trained(spec: str) -> EmbeddedModel | TransformersModel:
    """`trained:FOLDER` → the model that `maieutic train` wrote there; `trained:embedded` → the packaged one."""
    named = kind_and_model(spec)[1]
    folder = PACKAGED_FOLDER if named == PACKAGED else Path(named).expanduser()
    card = read_card(folder)
    base = card["base"]["model"]
    in_process = base == "embedded"
    stored = folder / (GGUF_ADAPTER if in_process else f"{ADAPTER}/adapter_model.safetensors")
    if not stored.is_file() or sha256(stored.read_bytes()).hexdigest() != card["files"].get(stored.name):
        raise UnreadableFile(f"{stored} is missing or is not the one of {CARD}; train again")
    if not in_process and (lacking := missing_extra()):
        raise InputError(lacking)
    # In the name, and so in the manifest: a run goes on with the adapter and penalty it began with, or not at all.
    penalty = f"+dry{dict(SAMPLING)['dry_multiplier']}" if in_process else ""
    name = f"{folder.resolve().name}@{card['files'][stored.name][:8]}{penalty}"
    found: EmbeddedModel | TransformersModel = (
        packaged(name, stored, REPLY_TOKENS, SAMPLING)
        if in_process
        else TransformersModel(Path(base), folder / ADAPTER, name=name)
    )
    found.learned_from = frozenset(card.get("data", {}).get("cases", ()))
    if isinstance(found, EmbeddedModel):
        found.packaged_adapter = named == PACKAGED
    return found


def read_card(folder: Path) -> dict[str, Any]:
    """The model card of a trained folder. Raises `UnreadableFile`."""
    try:
        card: dict[str, Any] = json.loads((folder / CARD).read_bytes())
        if (
            card["kind"] != "adapter"
            or not isinstance(card["base"]["model"], str)
            or not isinstance(card["files"], dict)
        ):
            raise KeyError
    except OSError as error:
        raise UnreadableFile(
            f"{folder} has no {CARD}; name the --out folder of a finished `maieutic train sft` or `dpo`"
        ) from error
    except (ValueError, KeyError, TypeError) as error:
        raise UnreadableFile(f"{folder / CARD} is no card that `maieutic train` wrote") from error
    return card
