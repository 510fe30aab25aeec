"""Unsure codes: how far they move a share, and that every page says so where a bare share would mislead."""

from __future__ import annotations

import html
import itertools
import random
import re
from collections import Counter
from pathlib import Path

import pytest
from own_sessions import Coding, stand_in, write_csv

from maieutic.measures.coded import CLIENT_LABELS, THERAPIST_LABELS
from maieutic.scoring.doubt import bounds, forms_of, readings_of, told, told_forms
from maieutic.scoring.score import score_paths
from maieutic.scoring.score_run import ScoreOptions
from maieutic.scoring.summary import closing_lines
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
    far = {"therapist_input": 0.54, "reflection": 0.23, "question": 0.14, "other": 0.09}
    assert readings_of("therapist_input", False, far) == ("therapist_input", "reflection")


def test_bounds_are_the_least_and_the_most_over_all_that_the_turns_may_be() -> None:
    rng = random.Random(24)
    for _ in range(60):
        turns = [
            tuple(rng.sample(labels, rng.randint(1, 3)))
            for labels in (THERAPIST_LABELS, CLIENT_LABELS)
            for _ in range(rng.randint(1, 3))
        ]
        forms = [frozenset(rng.sample(("open", "closed"), rng.randint(1, 2))) for _ in turns]
        found = bounds(turns, forms)
        ways = [
            [way for label in one for way in (sorted(form) if label == "question" else ("none",))]
            for one, form in zip(turns, forms, strict=True)
        ]
        asked = [one for one in itertools.product(*ways) if not {"open", "closed"}.isdisjoint(one)]
        opened = [one.count("open") / (one.count("open") + one.count("closed")) for one in asked]
        if "open_question_share" in found:
            assert found["open_question_share"] == pytest.approx((min(opened), max(opened)))
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


def test_scales_leave_and_facts_are_no_open_questions_for_score(tmp_path: Path) -> None:
    asked = {
        "What went through your mind when he said it?": True,
        "Can you tell me what that was like?": True,
        "How did you come to see it that way?": True,
        "How strongly do you believe that, from nought to a hundred?": False,
        "On a scale from nought to ten, how important is it to you?": False,
        "Would it be all right if I told you what I noticed?": False,
        "Did he say what he wanted?": False,
        "How long has that been going on?": False,
    }
    rows = [row for text in asked for row in (("client", "I went there."), ("therapist", text))]
    talk = write_csv(tmp_path / "talk.csv", ["speaker", "text"], [list(row) for row in rows])
    summary = score_paths([talk], out=tmp_path / "run", predict=stand_in)
    (session,) = summary.sessions
    assert session.values["open_question_share"] == pytest.approx(3 / 8)
    page = html.unescape(next((tmp_path / "run").rglob("sessions/*.html")).read_text("utf-8"))
    for text, is_open in asked.items():
        chip = re.search(rf'<span class="chip question">([^<]*)</span><span class="said">{re.escape(text)}', page)
        assert chip and (", open " if is_open else ", closed ") in chip[1], text


def test_a_question_that_may_be_open_or_closed_moves_the_share_within_its_range(tmp_path: Path) -> None:
    assert forms_of(0.9) == {"open"} and forms_of(0.1) == {"closed"} and forms_of(0.4) == {"open", "closed"}
    asks = ("question",)
    found = bounds([asks, asks, asks], [forms_of(0.9), forms_of(0.4), forms_of(0.1)])
    assert found["open_question_share"] == pytest.approx((1 / 3, 2 / 3))
    counted = Counter([forms_of(0.4), forms_of(0.9), forms_of(None)])
    assert told_forms(counted).startswith("Of 2 turns that ask or may ask, 1 may be open or closed")
    assert told_forms(Counter([forms_of(0.9)])) == ""


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
