"""Sampling by a server while a trainer learns: vLLM's completions of token ids, the adapter shown after every step.

What is spoken is the least that keeps the trainer's ids: `prompt` and the answer are token ids (`return_token_ids`),
and the adapter as it stands is a folder that the server reads (`/load_lora_adapter`): both see one file system.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from shutil import rmtree
from typing import Any, Final
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import orjson

from maieutic.errors import InputError, MaieuticError
from maieutic.models.http_faults import API_KEYS

SECONDS: Final = 300.0
"""One answer may take so long; a server that has to load an adapter first is slow once."""


@dataclass(slots=True)
class Served:
    """A server that speaks for the model that is trained.

    Attributes:
        address: Up to and with `/v1`. folder: Where the adapter is laid for it. shown: Name of the one it has now.
    """

    address: str
    folder: Path
    shown: str = ""
    # A server that a training was stopped at still has the names of that one.
    _own: str = field(default_factory=lambda: secrets.token_hex(3))

    def check(self) -> None:
        """Raises `InputError` for what is no address, `MaieuticError` where nobody answers."""
        if not self.address.startswith(("http://", "https://")):
            raise InputError(
                f"--generate {self.address}: write the address of a vLLM server, such as http://127.0.0.1:8000/v1"
            )
        self._asked("/models")

    def show(self, model: Any, step: int) -> None:
        """Lays the adapter as it is after so many steps where the server reads it; the one before goes."""
        name = f"step-{step}-{self._own}"
        if name == self.shown:
            return
        place = (self.folder / name).resolve()
        model.save_pretrained(place)
        self._asked("/load_lora_adapter", {"lora_name": name, "lora_path": str(place)})
        if self.shown:
            self._asked("/unload_lora_adapter", {"lora_name": self.shown})
            rmtree(self.folder / self.shown, ignore_errors=True)
        self.shown = name

    def sampled(self, ids: Sequence[int], tokens: int, temperature: float, seed: int) -> list[int]:
        """The ids that the model goes on with, its end of turn among them where it came to it."""
        asked = {
            "model": self.shown,
            "prompt": list(ids),
            "max_tokens": tokens,
            "temperature": temperature,
            "top_p": 1.0,
            "top_k": -1,
            "seed": seed,
            "return_token_ids": True,
        }
        try:
            return [int(one) for one in self._asked("/completions", asked)["choices"][0]["token_ids"]]
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise MaieuticError(
                f"{self.address} gives no token ids with its answers: it has to know `return_token_ids`, as vLLM does "
                "from 0.10.2 on"
            ) from error

    def _asked(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        key = next((os.environ[name] for name in API_KEYS if os.environ.get(name)), "")
        head = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
        request = Request(
            self.address.rstrip("/") + path, data=None if body is None else orjson.dumps(dict(body)), headers=head
        )
        try:
            with urlopen(request, timeout=SECONDS) as answer:  # `check` takes http and https only
                said = answer.read()
        except HTTPError as error:
            told = " ".join(error.read(2_000).decode("utf-8", "replace").split())[:300]
            hint = " (started with --enable-lora and VLLM_ALLOW_RUNTIME_LORA_UPDATING=True?)" if "lora" in path else ""
            raise MaieuticError(f"{self.address}{path} answered {error.code}{hint}: {told}") from error
        except (OSError, HTTPException) as error:
            raise MaieuticError(f"--generate: nobody answers at {self.address}: {error}") from error
        try:
            return orjson.loads(said)
        except ValueError:
            return said.decode("utf-8", "replace")  # vLLM says in a sentence that an adapter was loaded
