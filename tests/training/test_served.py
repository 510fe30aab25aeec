"""`maieutic train grpo --generate`: a server in this process that speaks vLLM's token ids says the turns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread
from typing import Any

import pytest

from command_line import maieutic
from maieutic.models.trained import missing_extra, quiet_offline
from maieutic.training.examples import system_message

if missing_extra():
    pytest.skip("the extra `train` is not installed", allow_module_level=True)
quiet_offline()
from tiny_model import make_tiny  # noqa: E402  # needs the environment that is set above

WORDS = "train grpo --model tiny --cases gethin --turns 2 --generations 2 --tokens 8 --rate 0.01 --steps 2".split()
ADAPTER = "adapter/adapter_model.safetensors"


class Server:
    """Computes completions of token ids with the adapters that it is shown; keeps what it was asked."""

    def __init__(self, base: Path, *, ids: bool = True) -> None:
        self.base, self.ids = base, ids
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self._adapters: dict[str, Any] = {}
        self._lock = Lock()

    def answer(self, path: str, body: dict[str, Any]) -> Any:
        import torch
        from peft import PeftModel
        from transformers import AutoModelForCausalLM

        self.asked.append((path, body))
        if path == "/v1/load_lora_adapter":
            base = AutoModelForCausalLM.from_pretrained(self.base)
            self._adapters[body["lora_name"]] = PeftModel.from_pretrained(base, body["lora_path"]).eval()
            return f"Success: LoRA adapter '{body['lora_name']}' added successfully."
        if path == "/v1/unload_lora_adapter":
            del self._adapters[body["lora_name"]]
            return "Success"
        if path == "/v1/models":
            return {"data": []}
        with self._lock, torch.no_grad():
            torch.manual_seed(body["seed"])
            given = torch.tensor([body["prompt"]])
            model = self._adapters[body["model"]]
            out = model.generate(input_ids=given, max_new_tokens=body["max_tokens"], do_sample=True, top_k=0)
            said = out[0][given.shape[1] :].tolist()
        return {"choices": [{"text": "…", **({"token_ids": said} if self.ids else {})}]}


@contextmanager
def serving(server: Server) -> Iterator[str]:
    """Its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._say({})

        def do_POST(self) -> None:
            self._say(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

        def _say(self, body: dict[str, Any]) -> None:
            said = server.answer(self.path, body)
            written = (said if isinstance(said, str) else json.dumps(said)).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(written)))
            self.end_headers()
            self.wfile.write(written)

        def log_message(self, *_: Any) -> None:
            return

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=listening.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listening.server_address[1]}/v1"
    finally:
        listening.shutdown()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a random model `tiny`."""
    folder = tmp_path_factory.mktemp("served")
    make_tiny(folder / "tiny", [system_message()["content"], "What happened? I fail at everything. It was a bad day."])
    return folder


@pytest.mark.slow
def test_a_server_says_the_turns_with_the_adapter_as_it_is_after_every_step(place: Path) -> None:
    server = Server(place / "tiny")
    with serving(server) as address:
        for out in ("first", "again"):
            done = maieutic(*WORDS, "--reward", "emotion", "--generate", address, "--out", out, cwd=place)
            assert done.returncode == 0, done.stderr
    paths = [path.rpartition("/")[2] for path, _ in server.asked]
    # Two sessions of two turns a step, with the adapter of that step; the one before goes.
    step = ["load_lora_adapter", *["completions"] * 4]
    assert paths[: len(paths) // 2] == ["models", *step, "load_lora_adapter", "unload_lora_adapter", *step[1:]]
    own = [body for path, body in server.asked if path.endswith("completions")][:8]
    assert len({body["model"] for body in own}) == 2 and all(body["return_token_ids"] for body in own)
    assert all(isinstance(one, int) for body in own for one in body["prompt"])
    assert (place / "first" / ADAPTER).read_bytes() == (place / "again" / ADAPTER).read_bytes()
    kept = [json.loads(line) for line in (place / "first" / "sessions.jsonl").read_text().splitlines()]
    assert [row["step"] for row in kept] == [0, 0, 1, 1]


@pytest.mark.slow
def test_a_server_without_token_ids_is_named_and_nothing_is_saved(place: Path) -> None:
    with serving(Server(place / "tiny", ids=False)) as address:
        done = maieutic(*WORDS, "--generate", address, "--out", "without", cwd=place)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "gives no token ids" in done.stderr.strip().splitlines()[-1] and "Traceback" not in done.stderr
    assert not (place / "without" / "adapter").exists()


@pytest.mark.slow  # the model that it names is made with torch
@pytest.mark.parametrize(
    ("address", "says"),
    [("http://127.0.0.1:9/v1", "nobody answers at http://127.0.0.1:9/v1"), ("vllm", "write the address of a vLLM")],
)
def test_no_server_is_one_clear_line(address: str, says: str, place: Path) -> None:
    done = maieutic(*WORDS, "--generate", address, "--out", "none", cwd=place)
    assert done.returncode in (1, 2) and says in " ".join(done.stderr.split()), done.stderr
    assert done.stderr.strip().count("\n") == 0 and not (place / "none").exists()
