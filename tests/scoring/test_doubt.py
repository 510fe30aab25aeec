"""Unsure codes: how far they move a share, and that every page says so where a bare share would mislead."""

from __future__ import annotations

import html
import itertools
import random
import re
from collections import Counter
from pathlib import Path

import pytest
from own_sessions import Coding, write_csv

from maieutic.scoring.coded import CLIENT_LABELS, THERAPIST_LABELS
from maieutic.scoring.doubt import bounds, readings_of, told
from maieutic.scoring.score import score_paths
from maieutic.scoring.score_options import ScoreOptions
from maieutic.scoring.terminal import closing_lines
from maieutic.transcripts.utterance import Transcript

ADVICE = (
    "You should go for a walk every morning.",
    "I would call her tonight and tell her how you feel.",
    "Try to breathe slowly when it comes.",
    "You should go for a walk every evening.",
)


def test_what_a_turn_may_be() -> None:
    close = {"reflection": 0.37, "other": 0.36, "therapist_input": 0.25, "question": 0.02, "change": None}
    assert readings_of("reflection", False, close) == ("reflection", "other", "therapist_input")
    assert readings_of("reflection", True, close) == ("reflection",)
    assert readings_of("reflection", False, {}) == ("reflection",)


def test_bounds_are_the_least_and_the_most_over_all_that_the_turns_may_be() -> None:
    rng = random.Random(24)
    for _ in range(60):
        turns = [
            tuple(rng.sample(labels, rng.randint(1, 3)))
            for labels in (THERAPIST_LABELS, CLIENT_LABELS)
            for _ in range(rng.randint(1, 3))
        ]
        found = bounds(turns)
        for measure, label, among in (
            ("therapist_input_rate", "therapist_input", THERAPIST_LABELS),
            ("change_talk_share", "change", ("change", "sustain")),
        ):
            shares = [
                one.count(label) / total
                for one in itertools.product(*turns)
                if (total := sum(label_ in among for label_ in one))
            ]
            if measure in found:
                assert found[measure] == pytest.approx((min(shares), max(shares)))


def test_plain_advice_that_was_coded_with_doubt_is_not_told_as_none(tmp_path: Path) -> None:
    def as_the_fast_coder_did(transcript: Transcript) -> list[Coding]:
        close = {"reflection": 0.37, "other": 0.36, "therapist_input": 0.25, "question": 0.02}
        kinds = {
            "therapist": Coding(("reflection",), close, abstain=True),
            "client": Coding(("neutral",), {"neutral": 0.8}),
        }
        return [kinds[said.speaker] for said in transcript.utterances]

    rows = [(who, text) for said in ADVICE for who, text in (("therapist", said), ("client", "I have tried that."))]
    file = write_csv(tmp_path / "in.csv", ["speaker", "text"], rows)
    summary = score_paths([file], out=tmp_path / "run", options=ScoreOptions(), predict=as_the_fast_coder_did)
    assert summary.sessions[0].values["therapist_input_rate"] == 0
    page = html.unescape(" ".join(re.sub(r"<[^>]+>", " ", (tmp_path / "run/summary.html").read_text("utf-8")).split()))
    assert re.search(r"Advice and information .* 0 % 0 to 100 % Therapist's share", page)
    warning = next(line for line in closing_lines(summary) if line.startswith("Unsure codes"))
    assert warning.startswith("Unsure codes: 4 of 4 therapist turns (")
    assert "taken for a reflection may be" in warning and "advice or information" in warning and "--accurate" in warning
    assert warning in page
    for name in (
        "report.html",
        *(str(one.relative_to(tmp_path / "run")) for one in (tmp_path / "run").rglob("0*.html")),
    ):
        assert "0 % (0 to 100 %)" in (tmp_path / "run" / name).read_text("utf-8"), name


def test_nobody_is_sent_to_the_coder_that_was_used() -> None:
    unsure = Counter({("reflection", "therapist_input"): 1, ("question",): 3, ("neutral", "change"): 1})
    assert told(unsure, accurate=False).startswith(
        "Unsure codes: 1 of 4 therapist turns (1 taken for a reflection may be advice or information)."
    )
    assert "--accurate" in told(unsure, accurate=False) and "--accurate" not in told(unsure, accurate=True)
    assert told(Counter({("question",): 3}), accurate=False) == ""
