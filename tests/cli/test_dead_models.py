"""An endpoint that gives nothing usable: one line with its own words, exit code 3, no table that looks like a result."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import maieutic
from endpoints import serving
from fake_server import Faults
from maieutic.models.http_faults import is_same_model

SAID = "The server of mine calls its model tiny-talker-1b; asked for was big-listener-70b."
NAMED = {"mine": ["tiny-talker-1b"]}
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
    "never an answer": (Faults(hang_every=1), "no answer within 0.1 s"),
}


def patience(name: str) -> str:
    """Only where no answer comes is it waited for briefly: a busy machine must not look like a dead endpoint."""
    return "&timeout=0.1" if name == "never an answer" else ""


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


ALIVE_AGAIN = [name for name, (faults, _) in ENDPOINTS.items() if faults and not faults.hang_every]
"""A battery is told of them all alike, and what each says is tested above: one is enough for the fast tests."""


@pytest.mark.parametrize("name", [ALIVE_AGAIN[0], *(pytest.param(n, marks=pytest.mark.slow) for n in ALIVE_AGAIN[1:])])
def test_a_battery_goes_on_when_a_dead_endpoint_lives_again(name: str, tmp_path: Path) -> None:
    out = str(tmp_path / "run")
    with serving(ENDPOINTS[name][0]) as (url, server):
        assert server is not None
        words = ["--therapist", f"prompted:{url}#m?attempts=1&backoff=0", "--quick", "--family", "push_support"]
        code, _, err = maieutic("gap", *words, "--out", out, "--no-preflight")
        assert code == 3 and err.count("no result for m:") == 1, err
        server.faults = Faults()
        code, shown, err = maieutic("gap", "--resume", out)
    assert code == 0 and "Gap profile of m" in shown, err


def test_an_endpoint_that_fails_now_and_then_is_asked_again_and_leaves_nothing_out(tmp_path: Path) -> None:
    faults = Faults(busy_every=5, fail_every=7, garbage_every=6, empty_every=11, cut_every=13, retry_after=0)
    with serving(faults) as (url, server):
        words = ["--therapist", f"prompted:{url}#m?attempts=40&backoff=0", "--quick", "--family", "reads_into"]
        code, shown, err = maieutic("gap", *words, "--out", str(tmp_path / "run"), "--no-preflight")
        assert server is not None
        spoilt = [server.counts[kind] for kind in ("busy", "failed", "garbage", "empty", "cut")]
    assert code == 0 and "Gap profile of m" in shown, err
    assert all(spoilt)
    profiles = json.loads((tmp_path / "run" / "profiles.json").read_text(encoding="utf-8"))
    assert not any("gave no" in why for why in profiles[0]["missing"]["reads_into"])


def test_what_an_endpoint_never_answers_is_missing_and_asked_again_by_resume(tmp_path: Path) -> None:
    out = str(tmp_path / "run")
    with serving(Faults(stuck_every=5)) as (url, server):
        assert server is not None
        words = [
            "--therapist",
            f"prompted:{url}#m?attempts=1&timeout=0.5&outage=0",
            "--quick",
            "--family",
            "reads_into",
        ]
        code, shown, err = maieutic("gap", *words, "--out", out, "--no-preflight")
        told = [line for line in err.splitlines() if "failed; ask again with: maieutic gap --resume" in line]
        assert code == 3 and len(told) == 1 and "no answer within 0.5 s" in told[0], err
        assert "Gap profile of m" in shown  # what came is shown
        tape, server.faults = tmp_path / "run" / "journal" / "01.jsonl", Faults()
        before = tape.read_text(encoding="utf-8").splitlines()
        code, _, err = maieutic("gap", "--resume", out)
        assert code == 0, err
    after = tape.read_text(encoding="utf-8").splitlines()
    marks = [json.loads(line)["mark"] for line in after]
    assert 0 < len(before) < len(after) and after[: len(before)] == before
    assert len(set(marks)) == len(marks)  # what had come is not asked for again


def test_a_slow_endpoint_is_waited_for(tmp_path: Path) -> None:
    with serving(Faults(delay=0.05)) as (url, _):
        words = ["--therapist", f"prompted:{url}#m?attempts=1&timeout=30", "--quick", "--family", "push_support"]
        code, shown, err = maieutic("gap", *words, "--out", str(tmp_path / "run"))
    assert code == 0 and "Gap profile of m" in shown, err


def test_another_model_that_answers_is_told_once_and_stands_in_manifest_and_page(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    out = tmp_path / "run"
    with serving(Faults(serves="tiny-talker-1b")) as (url, _):
        words = ["gap", "--therapist", f"mine=prompted:{url}#big-listener-70b", "--quick", "--family", "push_support"]
        code, _, err = maieutic(*words, "--out", str(out))
        assert code == 0, err
        told = [line for line in caplog.messages if "tiny-talker-1b" in line]  # a warning goes to the terminal
        assert len(told) == 1 and "calls its model tiny-talker-1b; asked for was big-listener-70b" in told[0]
        about = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
        assert about["answered_as"] == {"mine": ["tiny-talker-1b"]}
        assert SAID in (out / "report.html").read_text(encoding="utf-8")
        code, _, err = maieutic("gap", "--resume", str(out))  # it is no setting: the run can be gone on with
        assert code == 0, err
    assert SAID in (out / "report.html").read_text(encoding="utf-8")


def test_another_models_name_is_kept_when_a_run_stops_before_its_end(tmp_path: Path) -> None:
    out = tmp_path / "run"
    with serving(Faults(serves="tiny-talker-1b")) as (url, _):
        words = ["gap", "--therapist", f"mine=prompted:{url}#big-listener-70b", "--quick", "--family", "push_support"]
        code, _, err = maieutic(*words, "--no-preflight", "--max-calls", "3", "--out", str(out))
        assert code != 0, err
        assert json.loads((out / "manifest.json").read_text(encoding="utf-8"))["answered_as"] == NAMED
    with serving(Faults()) as (again, _):  # the address answers as asked from here on; what was said before stays
        code, _, err = maieutic("gap", "--resume", str(out))
    assert json.loads((out / "manifest.json").read_text(encoding="utf-8"))["answered_as"] == NAMED, again


def test_another_model_that_judges_is_named_beside_the_arms(tmp_path: Path) -> None:
    out = tmp_path / "run"
    with serving(Faults(serves="tiny-talker-1b")) as (url, _):
        words = ["gap", "--therapist", "warm", "--quick", "--family", "presuppositions", "--judge", f"{url}#big-judge"]
        maieutic(*words, "--out", str(out))
    assert json.loads((out / "manifest.json").read_text(encoding="utf-8"))["answered_as"] == {
        "the judge": ["tiny-talker-1b"]
    }
    assert "The server of the judge calls its model tiny-talker-1b; asked for was big-judge" in (
        out / "report.html"
    ).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "asked, came",
    [
        ("openai/gpt-4o", "gpt-4o-2024-08-06"),
        ("gpt-4o", "/models/GPT-4o.gguf"),
        ("gpt-4", "gpt-4-0613"),
        ("llama3", "llama3:latest"),
        ("Qwen/Qwen2.5-7B", "D:\\models\\qwen2.5-7b.gguf"),
        ("mistral-large-latest", "mistral-large-2411"),
        ("claude-3-5-sonnet-latest", "claude-3-5-sonnet-20241022"),
    ],
)
def test_a_date_a_tag_or_a_folder_makes_no_other_model(asked: str, came: str) -> None:
    assert is_same_model(asked, came) and is_same_model(came, asked)


@pytest.mark.parametrize(
    "asked, came",
    [
        ("gpt-4o", "gpt-4o-mini"),
        ("gpt-4o", "gpt-4"),
        ("gpt-4", "gpt-4.1-nano"),
        ("deepseek-r1", "deepseek-r1-distill-qwen-1.5b"),
        ("llama-3", "llama-3.2-1b"),
        ("llama3:70b", "llama3"),
        ("gpt-4o-2024-05-13", "gpt-4o-2024-08-06"),
        ("my-deployment", "gpt-4o-2024-08-06"),
        ("default", "/m/q.gguf"),
    ],
)
def test_any_other_name_is_told(asked: str, came: str) -> None:
    assert not is_same_model(asked, came) and not is_same_model(came, asked)


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
