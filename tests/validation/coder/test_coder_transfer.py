"""Transfer figures on made-up recordings: mappings, length adjustment, and what counts as training data."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from maieutic.coding.book import Coding
from maieutic.coding.schemes import get_scheme
from maieutic.errors import UnreadableFile
from maieutic.transcripts.utterance import Utterance
from maieutic.validation.coder import transfer
from maieutic.validation.coder.datasets import MISC_FILES
from maieutic.validation.coder.transfer import paired_auc, residual, separation


class Literal:
    """Reads the label from the first word of the utterance; 'other' and 'neutral' where there is none."""

    name = "literal"
    scheme = get_scheme("annomi")

    def predict(self, dialogue: Sequence[Utterance]) -> list[Coding]:
        codings = []
        for one in dialogue:
            known = [label.id for label in self.scheme.labels(one.speaker)]
            first = one.text.split()[0]
            label = first if first in known else "other" if one.speaker == "therapist" else "neutral"
            codings.append(Coding((label,), {label: 1.0}, abstain=False))
        return codings


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "counseling_feedback").mkdir()
    dialog = [
        {"speaker": "usr", "text": "so it goes"},
        {"speaker": "sys", "text": "question one", "strategy": "Question"},
        {"speaker": "sys", "text": "reflection two", "strategy": "Restatement or Paraphrasing"},
        {"speaker": "sys", "text": "reflection three", "strategy": "Reflection of feelings"},
        {"speaker": "sys", "text": "therapist_input four", "strategy": "Providing Suggestions"},
        {"speaker": "sys", "text": "therapist_input five", "strategy": "Information"},
        {"speaker": "sys", "text": "well six", "strategy": "Self-disclosure"},
        {"speaker": "sys", "text": "question never counted"},
    ]
    chats = [{"text": json.dumps({"dialog": dialog})}] * 3
    (tmp_path / "counseling_feedback" / "q-esconv.json").write_text(json.dumps(chats), encoding="utf-8")
    for name in MISC_FILES:
        lines = [("counsellor", "question how", "O", "OQ"), ("client", "change now", "C", ""),
                 ("counsellor", "reflection so", "O", "CR"), ("client", "sustain it", "S", "")]  # fmt: skip
        write(tmp_path / name, ("conv_id", "speaker", "utt_text", "t1_label_GT", "t2_label_GT"),
              [(f"c{talk}", *line) for talk in range(3) for line in lines])  # fmt: skip
    rows = [
        (f"{kind}_{number}", who, text)
        for kind, first in (("high", "reflection"), ("low", "therapist_input"))
        for number in range(6)
        for who, text in (("counsellor", f"{first} x"), ("client", "so"), ("counsellor", "question y"))
    ]
    write(tmp_path / transfer.HLQC, ("conv_id", "speaker", "vol_text"), rows)
    return tmp_path


def write(path: Path, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    path.parent.mkdir(exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)


def reflections(coded: transfer.Coded) -> float | None:
    codes = [coding.predicted[0] for one, coding in coded if one.speaker == "therapist"]
    return codes.count("reflection") / len(codes)


def test_a_coder_that_is_right_gets_full_marks_everywhere(data: Path) -> None:
    done: list[int] = []
    lines = transfer.transfers(data, Literal(), reflections, tick=done.append, trained_on=(), draws=50)
    assert sum(done) == transfer.sessions_to_code(data) == 3 + 12 + 6
    by_title = {line.title: line for line in lines}
    esconv = by_title["ESConv support chats, 4 labels"]
    assert esconv.value is not None and esconv.value.estimate == 1.0 and esconv.holds is True
    assert "18 utterances of 3 sessions" in esconv.note
    quality = by_title["HLQC high over low by the quality score: pairs whose utterance counts differ by at most 20 %"]
    assert quality.value is not None and quality.value.estimate == 1.0 and quality.holds is True
    told = by_title["HLQC high over low by the share of therapist input: all pairs, not adjusted"]
    assert told.value is not None and told.value.estimate == 0.0
    misc = by_title["MIBOT hand-coded with MISC, mapped roughly: therapist"]
    assert misc.value is not None and misc.value.estimate == pytest.approx(0.5) and misc.asked == ""


def test_training_data_is_no_transfer_and_no_score_is_said(data: Path) -> None:
    lines = transfer.transfers(data, Literal(), None, tick=lambda _: None, trained_on=[MISC_FILES[0]], draws=20)
    own = [line for line in lines if line.title.startswith("HLQC hand-coded")]
    assert [line.value for line in own] == [None, None]
    assert all("no transfer" in line.note for line in own)
    (missing,) = [line for line in lines if "quality score" in line.title]
    assert (missing.value, missing.holds, missing.asked) == (None, None, "≥ 0.70")


def test_dialogues_that_the_coder_was_fitted_on_do_not_count_for_transfer(data: Path) -> None:
    lines = [(f"high_{number}", "counsellor", "question how", "O", "OQ") for number in (0, 1)]
    write(data / MISC_FILES[0], ("conv_id", "speaker", "utt_text", "t1_label_GT", "t2_label_GT"), lines)
    done: list[int] = []
    told = transfer.transfers(data, Literal(), reflections, tick=done.append, trained_on=[MISC_FILES[0]], draws=20)
    (line,) = [one for one in told if one.title == "HLQC high over low by the quality score: all pairs, not adjusted"]
    assert "4 against 6 sessions" in line.note and "2 dialogues that the coder was fitted on left out" in line.note
    assert sum(done) == transfer.sessions_to_code(data)


def test_a_missing_file_is_named(data: Path) -> None:
    (data / transfer.HLQC).unlink()
    with pytest.raises(UnreadableFile, match=r"holds no hlqc/HLQC\.csv"):
        transfer.sessions_to_code(data)


def test_length_alone_does_not_pass_for_quality() -> None:
    """A figure that is nothing but length separates all pairs, and nothing once length is taken out."""
    rng = np.random.default_rng(0)
    words = np.exp(rng.normal(6, 0.5, 80))
    high = words + rng.normal(0, 60, 80) > np.median(words)
    values = np.log(words) + rng.normal(0, 0.01, 80)
    raw, close, rest = separation(
        "x", values.tolist(), high, turns=words.astype(int), words=words.astype(int), draws=200, bound=0.7
    )
    assert raw.value is not None and raw.value.estimate is not None and raw.value.estimate > 0.95
    assert close.value is not None and close.value.estimate is not None
    assert close.value.estimate < raw.value.estimate - 0.08
    assert rest.value is not None and rest.value.low is not None and rest.value.high is not None
    assert rest.value.low < 0.5 < rest.value.high
    assert raw.asked == rest.asked == "" and close.asked == "≥ 0.70"


def test_pairs_of_like_length_by_hand() -> None:
    values = np.array([0.9, 0.2, 0.5, 0.1])
    high = np.array([True, True, False, False])
    turns = np.array([100, 50, 80, 45])
    allowed = np.abs(turns[:, None] - turns) <= 0.2 * np.maximum(turns[:, None], turns)
    found = paired_auc(values, high, allowed, draws=50)  # 100–80 (won) and 50–45 (won); 100–45 and 50–80 are left out
    assert found.estimate == 1.0
    assert paired_auc(values, high, np.ones_like(allowed), draws=50).estimate == pytest.approx(0.75)
    assert paired_auc(values, high, np.zeros_like(allowed), draws=50).estimate is None


def test_missing_values_are_left_out_and_counted() -> None:
    high = np.array([True, True, False, False])
    counts = np.array([10, 10, 10, 10])
    raw, _, _ = separation("x", [0.9, None, 0.5, 0.1], high, turns=counts, words=counts, draws=20)
    assert "1 against 2 sessions; 1 sessions without a value left out" in raw.note


def test_the_residual_of_a_line_is_nothing() -> None:
    rng = random.Random(0)
    length = np.array([rng.random() for _ in range(20)])
    assert np.allclose(residual(3 * length + 2, length), 0)
    assert np.allclose(residual(np.array([1.0, 3.0]), np.array([2.0, 2.0])), [-1.0, 1.0])
