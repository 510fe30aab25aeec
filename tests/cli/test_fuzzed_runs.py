"""Five hundred wrong command lines of `evaluate` and `gap`: no traceback, nothing half-written, one message that helps."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from command_line import maieutic

COUNT = 250
"""Of each command."""
THERAPISTS = (
    "eliza", "socratik", "", ":", "prompted", "prompted:", "prompted:embeded", "prompted:gpt-4o", "eliza:embedded", "=", "a=", "=eliza",
    "a b=eliza", "prompted:http://", "prompted:http://h", "prompted:http://h#", "prompted:https://h/v1#m", "prompted:http://h:99999#m",
    "prompted:http://h/v1#m?timeout=soon", "prompted:http://h/v1#m?tries=3", "gone.py:make", "empty.py:make", "broken.py:make",
    "odd.py:make", "odd.py:", "odd.py", "text.txt:make", "prompted:gguf:/gone.gguf", "prompted:gguf:text.txt", "prompted:inspect/",
    "prompted:inspect/x", "no_session=eliza", "x=no_session", "\u202e", "é" * 300, "prompted:scripted:9", "--", "-1", "../..",
)  # fmt: skip
NUMBERS = ("0", "-1", "1e9", "many", "", "nan", "inf", "-inf", "1.5", "٣", "0x10", "9" * 30)
PLACES = ("text.txt", "/proc/nowhere", "full", "", "text.txt/below", "other")
FILES = ("gone.yaml", "wrong.yaml", "text.txt", "", "full", ".", "study.yml", "binary.yaml", "/dev/null")
NAMES = ("gethn", "", "gone.yaml", "wrong.yaml", "gethin@mad", "@", "binary.yaml", "tset", "full")
SETTINGS = ("hot", "a=", "=", "zz=1", "3", "-1", "nan", "eliza=0.5", "a=b=c", "")
OPTIONS = {
    "evaluate": {
        "--therapist": THERAPISTS, "--cases": NAMES, "--seeds": NUMBERS, "--turns": NUMBERS, "--limit": NUMBERS,
        "--patient": ("simulatd", "", "voiced", "voiced:nobody", "static:", "simulated+llm:x"), "--temperature": SETTINGS,
        "--top-p": SETTINGS, "--max-tokens": SETTINGS, "--system": (*FILES, "a=gone.txt"), "--concurrency": NUMBERS,
        "--timeout": NUMBERS, "--stop-after": NUMBERS, "--out": PLACES, "--max-calls": NUMBERS, "--max-cost": NUMBERS,
        "--price": ("cheap", "1", "1,2,3", ",", "a,b", ""), "--resume": None, "--retry-failed": None, "--bogus": None,
        "--dry-run": None, "--gate": (*FILES, "asistive", "assistive"), "--baseline": PLACES, "": FILES,
    },
    "gap": {
        "--therapist": (*THERAPISTS, "oracle", "no_session"), "--family": ("safty", "", "all", "lost "), "--seed": NUMBERS,
        "--split": ("tset", "", "all"), "--temperature": SETTINGS, "--top-p": SETTINGS, "--max-tokens": SETTINGS,
        "--system": FILES, "--concurrency": NUMBERS, "--timeout": NUMBERS, "--stop-after": NUMBERS, "--gate": FILES,
        "--judge": ("nobody", "", "http://h", "prompted:embedded"), "--out": PLACES, "--max-calls": NUMBERS, "--resume": None,
        "--full": None, "--quick": None, "--bogus": None, "": FILES,
    },
}  # fmt: skip


def fuzzed(command: str, rng: Random) -> list[str]:
    """A command line with one to four options, most of them wrong; an arm that is not there keeps any of them from running."""
    words = [command]
    for option in rng.sample(sorted(OPTIONS[command]), rng.randint(1, 4)):
        values = OPTIONS[command][option]
        words += [option] if option else []
        words += [rng.choice(values)] if values is not None else []
    return [*words, "--therapist", "nobody-of-this-name"]


def seen(folder: Path) -> dict[str, bytes | None]:
    """What lies in a folder, but for what Python keeps of a file that it imports."""
    found = (path for path in folder.rglob("*") if "__pycache__" not in path.parts)
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in found}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with things that are not what they are taken for."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.txt").write_text("Just a text.\n")
    (tmp_path / "wrong.yaml").write_text("a: [1\n")
    (tmp_path / "study.yml").write_text("turns: 3\ntherapists: [eliza]\n")
    (tmp_path / "binary.yaml").write_bytes(bytes(range(256)))
    (tmp_path / "empty.py").write_text("")
    (tmp_path / "broken.py").write_text("import no_module_of_this_name\n")
    (tmp_path / "odd.py").write_text("def make():\n    return 7\n")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.docx").write_text("mine")
    return tmp_path


@pytest.mark.parametrize("part", [pytest.param(part, marks=[pytest.mark.slow] * (part > 0)) for part in range(10)])
@pytest.mark.parametrize("command", OPTIONS)
def test_a_wrong_command_line_is_one_message_that_helps(command: str, part: int, place: Path) -> None:
    rng, before = Random(f"{command} {part}"), seen(place)
    for _ in range(COUNT // 10):
        words = fuzzed(command, rng)
        code, out, err = maieutic(*words)
        told: Any = (words, out, err)
        assert code == 2, told
        assert "Traceback" not in err and not out, told
        assert len(err.strip()) > 20, told
        assert seen(place) == before, told
