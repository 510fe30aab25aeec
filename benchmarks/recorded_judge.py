"""A door for recorded answers: writes what a judge is asked, and answers as a model server once the answers lie there.

    python benchmarks/recorded_judge.py write FOLDER          # requests.jsonl, system.txt and README for whoever answers
    python benchmarks/recorded_judge.py serve FOLDER          # answers at http://127.0.0.1:8377/v1#recorded
    maieutic validate judge --judge http://127.0.0.1:8377/v1#recorded --samples 1
    python benchmarks/recorded_judge.py table FOLDER          # the same with the answers kept in tests/judging/data: who is admitted

The requests hold the package's own replies only and no label. An answer is a line of FOLDER/answers.jsonl,
{"id": "…", "answer": "…"}. The server waits `--wait` seconds for an answer that is not there yet, then says 503.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from maieutic.coding.schemes import REPLIES
from maieutic.judging.prompt import questions
from maieutic.runs.files import read_lines
from maieutic.validation.judge.sets import own_replies

KEPT = Path(__file__).resolve().parents[1] / "tests" / "judging" / "data" / "recorded_answers.jsonl"

HOW = """Reading {count} replies
======================

1. Read system.txt: the code book and the form of the answer. It holds for every request.
2. Each line of requests.jsonl is {{"id": ..., "task": ...}}. Read the task and answer it as the code book says, by your own reading.
   Answer every request by itself; look at no other file, write no program that guesses.
3. Append one line for each to answers.jsonl: {{"id": the same id, "answer": the JSON object that system.txt asks for}}.
   The quote must be copied letter by letter from the utterance marked [1]. All nine questions must be answered.

Several readers may share the work: take lines N to M each, write to answers-1.jsonl, answers-2.jsonl ..., and join them at the end
(`cat answers-*.jsonl > answers.jsonl`). It is complete when answers.jsonl has {count} lines with different ids.
"""


def key(messages: list[dict[str, str]]) -> str:
    """What a request is answered under."""
    return hashlib.sha256(json.dumps([m["content"] for m in messages]).encode()).hexdigest()[:16]


def write(folder: Path) -> int:
    """Writes the requests in an order that tells nothing; returns their number."""
    folder.mkdir(parents=True, exist_ok=True)
    asked = list(questions(REPLIES, [item.said for item in own_replies()], context=4, batch=1))
    asked = [one for one in asked if one.places == (len(own_replies()[one.dialogue].said) - 1,)]
    random.Random(22).shuffle(asked)
    (folder / "system.txt").write_text(asked[0].messages[0]["content"], encoding="utf-8")
    lines = [json.dumps({"id": key(list(map(dict, q.messages))), "task": q.messages[1]["content"]}) for q in asked]  # type: ignore[arg-type]
    (folder / "requests.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    (folder / "README").write_text(HOW.format(count=len(lines)), encoding="utf-8")
    return len(lines)


def answers(folder: Path) -> dict[str, str]:
    """The answers so far, by id; the last of several counts."""
    place = folder / "answers.jsonl"
    rows = [json.loads(line) for line in place.read_text(encoding="utf-8").splitlines()] if place.is_file() else []
    return {row["id"]: row["answer"] if isinstance(row["answer"], str) else json.dumps(row["answer"]) for row in rows}


def serve(folder: Path, port: int, wait: float) -> None:
    """Answers chat completions from the folder until it is stopped."""

    class Door(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            wanted, until = key(asked["messages"]), time.monotonic() + wait
            while (text := answers(folder).get(wanted)) is None and time.monotonic() < until:
                time.sleep(1)
            if text is None:
                self._send(503, {"error": {"message": f"no answer recorded for {wanted}"}})
                return
            message = {"role": "assistant", "content": text}
            self._send(200, {"choices": [{"message": message, "finish_reason": "stop"}], "model": asked["model"]})

        def _send(self, status: int, body: dict[str, Any]) -> None:
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", port), Door) as server:
        print(f"http://127.0.0.1:{server.server_port}/v1#recorded", flush=True)
        server.serve_forever()


def table(folder: Path, port: int) -> int:
    """Serves the kept answers and measures them as a judge; returns the exit code of that."""
    told = {row["id"]: row["answer"] for row in read_lines(KEPT)}
    items = own_replies()
    folder.mkdir(parents=True, exist_ok=True)
    asked = [q for q in questions(REPLIES, [item.said for item in items], context=4, batch=1)
             if q.places == (len(items[q.dialogue].said) - 1,)]  # fmt: skip
    lines = [json.dumps({"id": key(list(map(dict, q.messages))), "answer": told[items[q.dialogue].id]}) for q in asked]  # type: ignore[arg-type]
    (folder / "answers.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    threading.Thread(target=serve, args=(folder, port, 0.0), daemon=True).start()
    words = [
        "--judge",
        f"http://127.0.0.1:{port}/v1#recorded",
        "--samples",
        "1",
        "--set",
        "own",
        "--out",
        str(folder / "judge"),
    ]
    return subprocess.run([sys.executable, "-m", "maieutic", "validate", "judge", *words], check=False).returncode


def main() -> int:
    """Writes, serves or measures."""
    about = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    about.add_argument("what", choices=("write", "serve", "table"))
    about.add_argument("folder", type=Path)
    about.add_argument("--port", type=int, default=8377)
    about.add_argument("--wait", type=float, default=0.0, help="seconds to wait for an answer that is not there")
    given = about.parse_args()
    if given.what == "write":
        print(f"{write(given.folder)} requests in {given.folder}")
    elif given.what == "table":
        return table(given.folder, given.port)
    else:
        serve(given.folder, given.port, given.wait)
    return 0


if __name__ == "__main__":
    sys.exit(main())
