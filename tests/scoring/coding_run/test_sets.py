"""`maieutic code` reads every research set that has a scheme as it is, by its header."""

from __future__ import annotations

import csv
import json
from itertools import islice
from pathlib import Path

import polars as pl
import pytest
from plain_coder import PlainCoder

from maieutic.coding.schemes import get_scheme
from maieutic.errors import UnreadableFile
from maieutic.reading.plain import plain
from maieutic.scoring.coding_run.run import code_file

DATA = Path(__file__).parents[4] / "shared" / "data"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the research data are not there (../shared/data)")

# File, scheme, column of what is coded, and whether that column may be empty.
SETS = [
    ("annomi/AnnoMI-simple.csv", "annomi", "utterance_text"),
    ("annomi/AnnoMI-full.csv", "annomi", "utterance_text"),
    ("hlqc/HLQC.csv", "annomi", "vol_text"),
    ("hlqc/HLQC_manual_misc.csv", "misc", "utt_text"),
    ("mibot/MIV6.3A_manual_misc.csv", "misc", "utt_text"),
    ("mibot/MIV6.3A_transcripts.csv", "misc", "vol_text"),
    ("bolt/therapist_train.csv", "bolt", "prompt"),
    ("bolt/client_train.csv", "bolt", "prompt"),
    ("soqg/train_valid.csv", "socratic", "question"),
    ("epitome/emotional-reactions.csv", "epitome", "response_post"),
    ("epitome/interpretations.csv", "epitome", "response_post"),
    ("epitome/explorations.csv", "epitome", "response_post"),
    ("llms_as_therapists/responses_dev.csv", "appropriateness", "model_response"),
]


def _read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def _head(whole: Path, out: Path, *, rows: int) -> None:
    """The first rows of a table, as they stand there."""
    with whole.open(encoding="utf-8-sig", newline="") as table, out.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(islice(csv.reader(table), rows + 1))


@pytest.mark.slow
@needs_data
@pytest.mark.parametrize(("file", "scheme", "text"), SETS)
def test_tables_are_read_as_they_are(file: str, scheme: str, text: str, tmp_path: Path) -> None:
    coder, table = PlainCoder(scheme), tmp_path / Path(file).name
    _head(DATA / file, table, rows=1_000)
    summary = code_file(table, scheme=scheme, out=tmp_path / "coded.csv", coder=coder)
    rows, coded = _read(table), _read(tmp_path / "coded.csv")
    assert len(coded) == len(rows) == summary.rows
    with_text = [at for at, row in enumerate(rows) if row[text].strip()]
    assert summary.coded == len(with_text)
    for at in with_text:
        assert coded[at]["predicted"] and coded[at]["abstain"] in ("true", "false")
        assert coded[at]["not_coded_because"] == ""
    # Every input column comes back cell by cell, but for line ends inside cells, which CSV readers may fold.
    for before, after in zip(rows, coded, strict=True):
        assert {key: after[key] for key in before} == before
    texts = {said.text for call in coder.asked for said in call}
    assert texts == {plain(rows[at][text]).text for at in with_text}


@needs_data
def test_annotators_of_one_utterance_are_coded_once(tmp_path: Path) -> None:
    coder = PlainCoder("annomi")
    path = DATA / "annomi" / "AnnoMI-full.csv"
    summary = code_file(path, scheme="annomi", out=tmp_path / "coded.parquet", coder=coder)
    utterances = {(row["transcript_id"], row["utterance_id"]) for row in _read(path)}
    assert sum(map(len, coder.asked)) == len(utterances) < summary.rows
    assert len(coder.asked) == summary.sessions == len({session for session, _ in utterances})


@needs_data
def test_client_rows_get_client_codes(tmp_path: Path) -> None:
    code_file(DATA / SETS[0][0], scheme="annomi", out=tmp_path / "a.parquet", coder=PlainCoder("annomi"))
    coded = pl.read_parquet(tmp_path / "a.parquet")
    by = {role: set(coded.filter(pl.col("interlocutor") == role)["predicted"]) for role in ("therapist", "client")}
    assert by["client"] <= {label.id for label in get_scheme("annomi").client}
    assert by["therapist"] <= {label.id for label in get_scheme("annomi").therapist}
    form = coded.group_by("interlocutor").agg(pl.col("predicted_question_form").null_count().alias("none"), pl.len())
    assert {row["interlocutor"]: row["none"] == 0 for row in form.to_dicts()} == {"therapist": True, "client": False}


@needs_data
@pytest.mark.parametrize(
    ("file", "scheme", "before"),
    [
        ("soqg/train_valid.csv", "socratic", "thought"),
        ("epitome/explorations.csv", "epitome", "seeker_post"),
        ("llms_as_therapists/responses_dev.csv", "appropriateness", "interjection"),
    ],
)
def test_what_the_client_said_goes_before(file: str, scheme: str, before: str, tmp_path: Path) -> None:
    coder, some = PlainCoder(scheme), tmp_path / Path(file).name
    _head(DATA / file, some, rows=300)
    code_file(some, scheme=scheme, out=tmp_path / "coded.csv", coder=coder)
    asked = {(said.context, said.text) for call in coder.asked for said in call}
    text = next(one for name, _, one in SETS if name == file)
    rows = [(plain(row[before]).text, plain(row[text]).text) for row in _read(some)]
    wanted = {((said,) if said.strip() else (), reply) for said, reply in rows}
    assert asked == {pair for pair in wanted if pair[1].strip()}
    assert all(said.speaker == "therapist" for call in coder.asked for said in call)


@needs_data
@pytest.mark.parametrize(
    ("file", "level"), [("emotional-reactions", "1"), ("interpretations", "0"), ("explorations", "2")]
)
def test_a_file_of_one_mechanism_gets_its_level(file: str, level: str, tmp_path: Path) -> None:
    path = DATA / "epitome" / f"{file}.csv"
    code_file(path, scheme="epitome", out=tmp_path / "coded.parquet", coder=PlainCoder("epitome"))
    coded = pl.read_parquet(tmp_path / "coded.parquet")
    assert set(coded["predicted"]) == {level}
    assert set(coded["predicted_er"]) == {"1"} and set(coded["predicted_ex"]) == {"2"}


def test_a_table_of_no_one_mechanism_gets_all_three(tmp_path: Path) -> None:
    path = tmp_path / "replies.csv"
    path.write_text("seeker_post,response_post\nI failed.,Which exam was it?\n", encoding="utf-8")
    code_file(path, scheme="epitome", out=tmp_path / "coded.csv", coder=PlainCoder("epitome"))
    (row,) = _read(tmp_path / "coded.csv")
    assert row["predicted"] == "er=1|ip=0|ex=2" and row["p_er_0"] and row["p_ex_2"]


@needs_data
def test_feedback_prompts_are_read_without_their_answer(tmp_path: Path) -> None:
    path, coder = DATA / "counseling_feedback" / "feedback.json", PlainCoder("feedback")
    summary = code_file(path, scheme="feedback", out=tmp_path / "coded.csv", coder=coder)
    items = json.loads(path.read_text(encoding="utf-8"))
    coded = _read(tmp_path / "coded.csv")
    assert summary.coded == summary.rows == len(items) == len(coded)
    assert [row["text"] for row in coded] == [item["text"] for item in items]
    assert [int(row["helper_index"]) for row in coded] == [item["helper_index"] for item in items]
    for call in coder.asked:
        for said in call:
            everything = " ".join((*said.context, said.text))
            assert "### " not in everything and "goodareas" not in everything and "Helper:" not in everything
            assert len(said.context) <= 2


@needs_data
def test_support_dialogues_become_one_row_an_utterance(tmp_path: Path) -> None:
    path, coder = DATA / "counseling_feedback" / "q-esconv.json", PlainCoder("annomi")
    summary = code_file(path, scheme="annomi", out=tmp_path / "coded.csv", coder=coder)
    dialogs = [json.loads(item["text"])["dialog"] for item in json.loads(path.read_text(encoding="utf-8"))]
    coded = _read(tmp_path / "coded.csv")
    assert list(coded[0])[:5] == ["session", "index", "speaker", "text", "strategy"]
    assert summary.sessions == len(dialogs) and summary.coded == sum(map(len, dialogs))
    assert [row["strategy"] for row in coded] == [turn.get("strategy", "") for one in dialogs for turn in one]
    client = {label.id for label in get_scheme("annomi").client}
    assert all((row["predicted"] in client) == (row["speaker"] == "usr") for row in coded)


@needs_data
def test_training_data_are_named(tmp_path: Path) -> None:
    import hashlib

    path, strange = tmp_path / "train_valid.csv", tmp_path / "client_train.csv"
    _head(DATA / "soqg" / "train_valid.csv", path, rows=20)
    _head(DATA / "bolt" / "client_train.csv", strange, rows=20)
    known = {hashlib.sha256(path.read_bytes()).hexdigest(): "soqg/train_valid.csv"}
    coder = PlainCoder("socratic", training=known)
    summary = code_file(path, scheme="socratic", out=tmp_path / "coded.csv", coder=coder)
    assert summary.in_training == {"train_valid.csv": "soqg/train_valid.csv"}
    other = code_file(strange, scheme="bolt", out=tmp_path / "b.csv", coder=PlainCoder("bolt"))
    assert other.in_training == {}


@pytest.mark.slow
@needs_data
def test_the_whole_data_folder_is_gone_through(tmp_path: Path) -> None:
    coder = PlainCoder("annomi")
    summary = code_file(DATA, scheme="annomi", out=tmp_path / "coded", coder=coder)
    names = {one.name for one in summary.failed}
    hidden = {one.name for one in (tmp_path / "coded").rglob(".*")}
    assert summary.files >= 15 and hidden == {".coded.jsonl"}
    for file, _, _ in SETS:
        assert (tmp_path / "coded" / file).is_file(), file
        assert file not in names
    assert all(one.reason.strip() for one in summary.failed)


def test_prompts_without_a_dialogue_are_named(tmp_path: Path) -> None:
    path = tmp_path / "feedback.json"
    path.write_text(json.dumps([{"text": "no dialogue", "helper_index": 3, "conv_index": 7}]), encoding="utf-8")
    with pytest.raises(UnreadableFile, match=r"feedback.json, column 'text', conversation 7, turn 3"):
        code_file(path, scheme="feedback", out=tmp_path / "coded.csv", coder=PlainCoder("feedback"))
