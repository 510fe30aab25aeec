"""`chat` as somebody at the keyboard meets it: kept after every turn, taken back, gone on with, stopped, and told at the end."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from command_line import Told, hears_ctrl_c, maieutic
from maieutic.library import get_case

CHAT = [sys.executable, "-m", "maieutic", "chat"]
FIRST = "What went through your mind when that happened?"
WIDE = "What else do you know that does not fit with it?"


def chat(*words: str, cwd: Path, typed: str) -> Told:
    return maieutic("chat", *words, cwd=cwd, stdin=typed, columns=200)


def kept(folder: Path) -> dict[str, object]:
    held: dict[str, object] = json.loads((folder / "runs" / "chat" / "gethin-1.json").read_text("utf-8"))
    return held


def test_a_session_is_kept_undone_paused_gone_on_with_and_ends_with_feedback(tmp_path: Path) -> None:
    first = chat("gethin", cwd=tmp_path, typed=f"{FIRST}\n:undo\n{WIDE}\n:pause\n")
    assert first.returncode == 0, first.stderr
    assert "(20 turns left)" in first.stdout and "(19 turns left)" in first.stdout
    assert f"Taken back: {FIRST}" in first.stdout
    assert "1 turn of yours kept. Go on with: maieutic chat --resume runs/chat/gethin-1.json" in first.stdout
    assert kept(tmp_path)["said"] == [WIDE]
    then = chat("--resume", "runs/chat/gethin-1.json", cwd=tmp_path, typed="You should go for a walk every day.\n:q\n")
    assert then.returncode == 0, then.stderr
    told = then.stdout.partition("Session over")[2]
    assert "1. “What else do you know" in told and "You asked one open question" in told
    assert "Something new came up" in told and "It is no grade of competence." in told
    assert "2. “You should go for a walk every day.”\n" in told and "It was advice:" in told
    facts = [one for one in get_case("gethin").situations[0].evidence if one.bearing == "against"]
    assert (
        "told by the patient)" in told
        and told.count("the simulated patient heard no question as asking for it") >= len(facts) - 2
    )
    assert "the simulation misheard you" in told
    assert "it counts by openness 0." in told and " of 1" in told and "never weighed against the thought" in told
    assert (
        len(re.findall(r"It (?:fell because|did not move although) the patient came upon 1 of the 6 things", told)) == 1
    )
    held = kept(tmp_path)
    assert held["ended"] == "you ended the session"
    assert [one["role"] for one in held["messages"]] == ["patient", "therapist"] * 2 + ["patient"]  # type: ignore[attr-defined]
    over = chat("--resume", "runs/chat/gethin-1.json", cwd=tmp_path, typed="")
    assert over.returncode == 2 and "is over: you ended the session" in over.stderr


def test_what_speaks_for_the_thought_is_not_told_as_held_against_it(tmp_path: Path) -> None:
    said = (
        "Good morning. What is on your mind?",
        FIRST,
        "When you left the form on the chair, what did you tell yourself?",
        "How did the two interviews go?",
        "What does that say about you?",
        "What do you make of that now?",
    )
    told = chat("gethin", "--turns", "6", cwd=tmp_path, typed="\n".join(said) + "\n").stdout.partition("Session over")[
        2
    ]
    assert "(0 of 6 told by the patient)" in told and "it is part of why the thought is believed" in told
    assert "held something they had told you against the thought" not in told
    assert "You had the patient weigh what they told you" not in told
    assert "It did not move because the patient came upon none of the 6 things that do not fit it" in told


def test_an_empty_line_ends_nothing(tmp_path: Path) -> None:
    done = chat("gethin", cwd=tmp_path, typed=f"\n\n{FIRST}\n:q\n")
    assert done.stdout.count(":undo takes your last turn back") == 3
    assert kept(tmp_path)["said"] == [FIRST]


def test_nothing_is_kept_where_nothing_is_to_be_kept(tmp_path: Path) -> None:
    done = chat("gethin", "--no-keep", cwd=tmp_path, typed=f"{FIRST}\n:pause\n")
    assert "Nothing was kept." in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_stops_at_once_and_sends_no_further_line(tmp_path: Path) -> None:
    with subprocess.Popen(
        [*CHAT, "gethin"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path,
        env={**os.environ, "PYTHONUNBUFFERED": "1"}, preexec_fn=hears_ctrl_c,
    ) as process:  # fmt: skip
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        process.stdin.write(f"{FIRST}\n")
        process.stdin.flush()
        seen = ""
        while "(19 turns left)" not in seen:
            seen += process.stdout.read(1)
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
        rest = process.stdout.read()
        assert "Gethin" not in rest
        assert "stopped. 1 turn of yours kept. Go on with: maieutic chat --resume" in process.stderr.read()
    assert kept(tmp_path)["said"] == [FIRST]


def test_a_session_that_cannot_be_kept_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    found = maieutic("chat", "gethin", "--session", tmp_path / "file" / "talk.json", "--say", "What happened?")
    assert found.returncode == 2, found.stderr
    assert "the session cannot be kept: cannot write talk.json in" in found.stderr
    assert "File exists" in found.stderr and "unchanged" not in found.stderr


def test_a_kept_session_can_be_scored(tmp_path: Path) -> None:
    from maieutic.transcripts.opening import open_sources

    chat("gethin", cwd=tmp_path, typed=f"{FIRST}\n{WIDE}\n:q\n")
    (source,), _ = open_sources([tmp_path / "runs" / "chat" / "gethin-1.json"])
    (one,) = source.read()
    assert [said.speaker for said in one.utterances] == ["client", "therapist"] * 2 + ["client"]


def test_a_person_as_patient_is_kept_too(tmp_path: Path) -> None:
    done = chat("--as", "patient", "--therapist", "eliza", cwd=tmp_path, typed="I feel low.\n:pause\n")
    assert done.returncode == 0, done.stderr
    held = json.loads((tmp_path / "runs" / "chat" / "as-patient-1.json").read_text("utf-8"))
    assert held["said"] == ["I feel low."] and held["therapist"] == "eliza"
    again = chat("--resume", "runs/chat/as-patient-1.json", cwd=tmp_path, typed=":q\n")
    assert "You: I feel low." in again.stdout
