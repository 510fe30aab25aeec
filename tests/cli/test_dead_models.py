"""An endpoint that gives nothing usable: one line with its own words, exit code 3, no table that looks like a result."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import maieutic
from endpoints import serving
from fake_server import Faults

ENDPOINTS = {
    "nobody there": (None, "cannot be reached"),
    "no such model": (Faults(refuse_status=404), "the model `m` does not exist"),
    "wrong key": (Faults(key="right"), "Incorrect API key provided"),
    "a web page": (Faults(says="<html><body>Bad gateway</body></html>"), "Bad gateway"),
    "null": (Faults(says='{"choices": [{"message": {"content": null}}]}'), '"content": null'),
    "empty": (Faults(empty_every=1), "no usable reply"),
    "an error with status 200": (Faults(says='{"error": {"message": "quota used up"}}'), "quota used up"),
    "always busy": (Faults(busy_every=1), "slow down"),
    "always broken": (Faults(fail_every=1), "500"),
    "never an answer": (Faults(hang_every=1), "no answer within 0.5 s"),
}


def patience(name: str) -> str:
    """Only where no answer comes is it waited for briefly: a busy machine must not look like a dead endpoint."""
    return "&timeout=0.5" if name == "never an answer" else ""


@pytest.mark.parametrize("name", ENDPOINTS)
@pytest.mark.parametrize("command", ["evaluate", "gap"])
def test_a_dead_endpoint_is_no_result(command: str, name: str, tmp_path: Path) -> None:
    faults, words = ENDPOINTS[name]
    with serving(faults) as (url, server):
        therapist = [
            "--therapist",
            f"prompted:{url}#m?attempts=2&backoff=0{patience(name)}",
            "--out",
            str(tmp_path / "run"),
            "--no-preflight",
        ]
        extent = (
            ["--seeds", "24", "--turns", "2", "--cases", "gethin"]
            if command == "evaluate"
            else ["--quick", "--family", "push_support"]
        )
        code, out, err = maieutic(command, *therapist, *extent)
        calls = 0 if server is None else server.counts["calls"]
    assert code == 3, (out, err)
    told = [line for line in err.splitlines() if line.startswith("no result for m:")]
    assert len(told) == 1 and words in told[0], err
    assert "is flagged" not in out and "effect" not in out
    assert "no result for m:" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8").lower()
    assert calls <= 40  # it stops early: 24 dialogues, or some 100 replies, were asked for


def test_an_outage_in_the_middle_of_the_battery_ends_with_3_and_says_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = str(tmp_path / "run")
    with serving(Faults()) as (url, server):
        assert server is not None
        words = ["gap", "--therapist", f"prompted:{url}#m?attempts=1&backoff=0", "--quick", "--family", "reads_into"]
        words.append("--no-preflight")
        answer, said = server.answer, iter(range(12))

        def dies(headers: bytes, body: bytes) -> tuple[bytes | None, bool]:
            if next(said, None) is None:
                server.faults = Faults(refuse_status=404)
            return answer(headers, body)

        monkeypatch.setattr(server, "answer", dies)
        code, _, err = maieutic(*words, "--out", out)
        assert code == 3 and "--resume" in err and "does not exist" in err
        before = server.counts["answered"]
        monkeypatch.setattr(server, "answer", answer)
        server.faults = Faults()
        assert before == 12
        code, shown, err = maieutic("gap", "--resume", out)
        assert code == 0, err
        assert "Gap profile" in shown


def test_the_other_arms_are_shown_beside_a_dead_one(tmp_path: Path) -> None:
    words = ["--therapist", "prompted:http://127.0.0.1:9#m?attempts=1", "--therapist", "advice", "--seeds", "1"]
    more = ["--no-preflight", "--therapist", "no_session", "--turns", "2", "--cases", "gethin", "--cases", "nilani"]
    code, out, err = maieutic("evaluate", *words, *more, "--out", str(tmp_path / "run"))
    assert code == 3
    assert "advice" in out and "effect" in out
    assert "all 2 dialogues failed" in " ".join(out.split())
    assert "no result for m:" in err


@pytest.mark.parametrize("name", ENDPOINTS)
@pytest.mark.parametrize("command", ["evaluate", "gap"])
def test_a_dead_endpoint_is_told_before_anything_runs(command: str, name: str, tmp_path: Path) -> None:
    faults, words = ENDPOINTS[name]
    with serving(faults) as (url, server):
        mine = ["--therapist", f"mine=prompted:{url}#m?attempts=2&backoff=0{patience(name)}", "--therapist", "eliza"]
        code, out, err = maieutic(command, *mine, "--out", str(tmp_path / "run"))
        calls = 0 if server is None else server.counts["calls"]
    assert code == 2 and not out
    assert "error: mine gave no usable reply to one call: " in err and words in err
    assert "Nothing was run" in err and calls <= 2
    assert not (tmp_path / "run").exists()
