"""Five hundred wrong command lines of the commands that read what users bring: one clear line, and nothing half-written."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from random import Random

import pytest

from maieutic.cli.main import main

LINES = 500
A_FEW = 25
"""Of all; the rest are slow tests."""
CHEAP = ("score", "code", "chat", "patients", "validate")
WORDS = {
    "score": ["--out", "--column", "--codes", "--session", "--accurate", "--resume", "--keep-text", "--encoding", "--rating-kit",
              "--ratings"],
    "code": ["--scheme", "--out", "--column", "--speaker", "--fast", "--coder", "--samples", "--dry-run", "--max-calls",
             "--encoding"],
    "chat": ["--as", "--therapist", "--patient", "--turns", "--seed", "--session", "--say", "--reveal", "--resume", "--no-keep"],
    "patients": ["list", "show", "check", "import", "--split", "--source", "--out", "--fill"],
    "validate": ["coder", "--data", "--quick", "--out", "--split", "--bogus"],
}  # fmt: skip
VALUES = ["", "-", "0", "-1", "x", "gone.csv", "in.csv", "text=words", "annomi", "anomi", "gethin", "gethn", "a=b=c", "none/at/all", "nul\u00e9",
          "in.csv/below", ".", "utf-99", "hex", "prompted:gpt-4o", "http://", "null.json", "therapist", "patient"]  # fmt: skip


@pytest.mark.parametrize("lines", [A_FEW, pytest.param(LINES, marks=pytest.mark.slow)])
@pytest.mark.parametrize("command", CHEAP)
def test_a_wrong_command_line_is_told_and_writes_nothing_half(
    command: str, lines: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", open(os.devnull))  # noqa: SIM115, PTH123
    (tmp_path / "in.csv").write_text("session,who,text\n1,Anna,Hi\n1,Ben,Ho\n", "utf-8")
    (tmp_path / "null.json").write_text("null", "utf-8")
    before = sorted(path.name for path in tmp_path.iterdir())
    rng, told = Random(command), 0
    for _ in range(lines // len(CHEAP)):
        words = [
            command,
            *(rng.choice(WORDS[command] if rng.random() < 0.5 else VALUES) for _ in range(rng.randint(1, 5))),
        ]
        if command == "chat":
            words += ["--turns", "0"]  # so that nothing is ever played
        monkeypatch.setattr(sys, "argv", ["maieutic", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        assert ended.value.code in (0, 1, 2, 3), (words, said)
        assert "Traceback" not in said.err + said.out, words
        if ended.value.code:
            told += 1
            assert said.err.strip() or said.out.strip(), words
    assert told > lines // len(CHEAP) // 2
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == before
