"""Codes made elsewhere, or corrected by hand, in the place of the coder's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from own_sessions import TALK, annomi_file, stand_in, write_csv

from maieutic.errors import InputError, UnreadableFile
from maieutic.scoring.coding_run.run import code_file
from maieutic.scoring.given import read_codes
from maieutic.scoring.score import score_paths
from maieutic.scoring.score_run import ScoreOptions
from maieutic.scoring.summary import ScoreSummary


def run(*paths: Path, out: Path, predict: Any = stand_in, **more: Any) -> ScoreSummary:
    return score_paths(paths, out=out, options=ScoreOptions(**more), predict=predict)


def test_codes_from_files_replace_the_coder(tmp_path: Path) -> None:
    source = annomi_file(tmp_path / "in.csv", sessions=2)
    therapist = write_csv(tmp_path / "t.csv", ["row", "p_question", "p_reflection"], [["0:0", 0.1, 0.9], ["0:2", 0.2, 0.8],
                                                                                   ["0:4", 0.7, 0.3]])  # fmt: skip
    told = [["0", 1, "change"], ["0", 3, "change"], ["0", 5, "change"]]
    client = write_csv(tmp_path / "c.csv", ["session", "index", "predicted"], told)

    def never(transcript: object) -> Any:
        raise AssertionError("the coder must not be asked")

    summary = run(source, out=tmp_path / "run", codes=(therapist, client), predict=never)
    assert summary.codes == "codes from t.csv, c.csv"
    assert summary.sessions[0].values["reflection_rate"] == pytest.approx(2 / 3)
    assert summary.sessions[0].values["change_talk_share"] == 1.0
    assert [one.reason for one in summary.not_scored] == ["t.csv, c.csv holds no codes for this session"]


def test_codes_that_code_wrote_are_taken_with_corrections_of_open_and_closed(tmp_path: Path) -> None:
    """A file of `code` has no index: its rows go by order, and what was corrected by hand counts."""
    rows = [["0", "T" if who == "therapist" else "C", text] for who, text in TALK]
    source, coded = write_csv(tmp_path / "in.csv", ["session", "speaker", "text"], rows), tmp_path / "coded.csv"
    code_file(source, scheme="annomi", out=coded)
    frame = pl.read_csv(coded, infer_schema_length=None)
    asks = (pl.col("speaker") == "T").fill_null(False)
    shares = {}
    for form in ("open", "closed"):
        corrected = frame.with_columns(
            pl.when(asks).then(pl.lit("question")).otherwise("predicted").alias("predicted"),
            pl.when(asks).then(pl.lit(form)).otherwise(None).alias("predicted_question_form"),
        )
        corrected.write_csv(tmp_path / f"{form}.csv")
        summary = run(source, out=tmp_path / form, codes=(tmp_path / f"{form}.csv",))
        shares[form] = summary.sessions[0].values["open_question_share"]
    assert shares == {"open": 1.0, "closed": 0.0}


def test_a_code_of_the_other_speaker_and_codes_beside_other_words_are_refused_for_the_session(tmp_path: Path) -> None:
    source = annomi_file(tmp_path / "in.csv", sessions=1)
    wrong = write_csv(tmp_path / "w.csv", ["session", "index", "predicted"], [["0", 1, "reflection"]])
    with pytest.raises(
        InputError, match=r"utterance 1 is the client's and is coded 'reflection'; its codes are change"
    ):
        run(source, out=tmp_path / "run", codes=(wrong,))
    other = write_csv(tmp_path / "o.csv", ["session", "text", "predicted"], [["0", "Nobody said this.", "question"]])
    with pytest.raises(InputError, match=r"utterance 0: the codes stand beside other words; give the rows an index"):
        run(source, out=tmp_path / "run", codes=(other,))


def test_rows_on_which_the_coder_abstained_stay_unsure_until_somebody_decides(tmp_path: Path) -> None:
    source = annomi_file(tmp_path / "in.csv", sessions=1)
    header = ["session", "index", "predicted", "abstain", "p_question", "p_reflection"]
    rows = [["0", 0, "question", "true", 0.4, 0.3], ["0", 2, "reflection", "true", 0.4, 0.3]]
    rows += [["0", 4, "question", "false", 0.9, 0.1]]
    codes = write_csv(tmp_path / "c.csv", header, rows)
    assert {place for place, one in read_codes([codes]).given.items() if one.unsure} == {("0", 0), ("0", 2)}
    summary = run(source, out=tmp_path / "run", codes=(codes,))
    # Of the six utterances three have codes; the coder was unsure of two of these, and one was corrected since.
    assert summary.sessions[0].values["sure_share"] == pytest.approx(2 / 6)


def test_session_and_index_go_before_a_column_called_row(tmp_path: Path) -> None:
    source = annomi_file(tmp_path / "in.csv", sessions=1)
    told = [["7", "0", 0, "question"], ["8", "0", 2, "reflection"], ["9", "0", 4, "reflection"]]
    codes = write_csv(tmp_path / "c.csv", ["row", "session", "index", "predicted"], told)
    summary = run(source, out=tmp_path / "run", codes=(codes,))
    assert summary.sessions[0].values["reflection_rate"] == pytest.approx(2 / 3)


def test_an_abstention_without_probabilities_stays_unsure(tmp_path: Path) -> None:
    source = annomi_file(tmp_path / "in.csv", sessions=1)
    rows = [["0", 0, "question", "true"], ["0", 2, "reflection", "false"]]
    codes = write_csv(tmp_path / "c.csv", ["session", "index", "predicted", "abstain"], rows)
    summary = run(source, out=tmp_path / "run", codes=(codes,))
    assert summary.sessions[0].values["sure_share"] == pytest.approx(1 / 6)


def test_codes_of_a_file_without_a_session_column_are_taken_for_its_only_session(tmp_path: Path) -> None:
    rows = [["T" if who == "therapist" else "C", text] for who, text in TALK]
    source, coded = write_csv(tmp_path / "in.csv", ["speaker", "text"], rows), tmp_path / "coded.csv"
    code_file(source, scheme="annomi", out=coded)
    assert "session" not in pl.read_csv(coded, infer_schema_length=None).columns
    summary = run(source, out=tmp_path / "run", codes=(coded,))
    assert summary.sessions[0].values["question_rate"] is not None
    other = write_csv(tmp_path / "other.csv", ["speaker", "text"], rows[:2] + rows[4:] + rows[2:4])
    with pytest.raises(InputError, match="codes stand beside other words"):
        run(other, out=tmp_path / "second", codes=(coded,))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("a,b\n1,2\n", "expected 'row'"),
        ("row,predicted\n0:0,wisdom\n", "session '0', utterance 0: 'wisdom' is none of the labels"),
        ("row,predicted\n0:first,question\n", "'first' is no utterance index"),
        ("", "not readable"),
    ],
)
def test_bad_codes_files(tmp_path: Path, content: str, told: str) -> None:
    path = tmp_path / "codes.csv"
    path.write_text(content, "utf-8")
    with pytest.raises(UnreadableFile, match=told):
        run(annomi_file(tmp_path / "in.csv"), out=tmp_path / "run", codes=(path,))
    with pytest.raises(UnreadableFile, match="no such file"):
        run(tmp_path / "in.csv", out=tmp_path / "run", codes=(tmp_path / "none.csv",))
