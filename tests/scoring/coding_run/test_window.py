"""Rows are coded in order, a window at a time: long, interleaved and repeating sessions, and what is not coded."""

from __future__ import annotations

import csv
import random
import resource
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest
from plain_coder import PlainCoder

from maieutic.coding.book import Coding
from maieutic.errors import UnreadableFile
from maieutic.scoring.coding_run import window
from maieutic.scoring.coding_run.run import code_file, dialogues_to_code
from maieutic.scoring.coding_run.window import coded_rows
from maieutic.transcripts.layout import Asked
from maieutic.transcripts.opening import open_source
from maieutic.transcripts.utterance import Utterance


def _table(path: Path, rows: list[tuple[str, str, str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("session", "speaker", "text"), *rows])
    return path


def _talk(name: str, turns: int) -> list[tuple[str, str, str]]:
    return [(name, ("therapist", "client")[at % 2], f"{name} says number {at}") for at in range(turns)]


def _codes(path: Path, coder: PlainCoder, *, skip: int = 0) -> list[tuple[int, str | None]]:
    source = open_source(path, path.name, Asked())
    rows = coded_rows(source, coder, source.survey(), skip=skip)
    return [(row.number, row.coding.predicted[0] if row.coding else None) for row in rows]


def test_interleaved_sessions_are_whole_and_rows_keep_their_order(tmp_path: Path) -> None:
    talks = [_talk(name, 9) for name in "abc"]
    mixed = [row for rows in zip(*talks, strict=True) for row in rows]
    coder = PlainCoder("annomi")
    found = _codes(_table(tmp_path / "mixed.csv", mixed), coder)
    assert [number for number, _ in found] == list(range(27))
    assert sorted([said.text for said in call] for call in coder.asked) == sorted(
        [row[2] for row in one] for one in talks
    )


def test_an_interleaved_window_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window, "MAX_WAITING", 10)
    rows = [*_talk("long", 2), *_talk("b", 40), *_talk("long", 4)[2:]]
    coder = PlainCoder("annomi")
    found = _codes(_table(tmp_path / "held.csv", rows), coder)
    assert [number for number, _ in found] == list(range(len(rows))) and all(code for _, code in found)
    last = next(call for call in coder.asked if call[-1].text == "long says number 3")
    assert [said.text for said in last] == [f"long says number {at}" for at in range(4)]


def test_a_long_session_is_coded_in_pieces_that_see_what_was_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(window, "LONGEST", 20)
    coder = PlainCoder("annomi")
    path = _table(tmp_path / "long.csv", _talk("a", 50))
    assert len(_codes(path, coder)) == 50
    assert [len(call) for call in coder.asked] == [20, 40, 50]
    assert coder.asked[1][0].text == "a says number 0" and coder.asked[1][-1].text == "a says number 39"


def test_skipped_rows_are_neither_coded_nor_handed_out(tmp_path: Path) -> None:
    path = _table(tmp_path / "three.csv", [row for name in "abc" for row in _talk(name, 4)])
    whole, rest = PlainCoder("annomi"), PlainCoder("annomi")
    everything = _codes(path, whole)
    assert _codes(path, rest, skip=6) == everything[6:]
    assert [call[0].text[0] for call in rest.asked] == ["b", "c"]


def test_a_scheme_without_client_codes_gets_therapist_turns_with_what_was_before(tmp_path: Path) -> None:
    rows = [
        ("a", "therapist", "What brings you?"), ("a", "client", "My sleep."), ("a", "client", "And my boss."),
        ("a", "therapist", "Which is worse?"), ("a", "therapist", "Or are they one?"), ("a", "client", ""),
        ("b", "therapist", "Welcome."),
    ]  # fmt: skip
    out = tmp_path / "coded.csv"
    for scheme, wanted in (("socratic", ("And my boss.",)), ("feedback", ("What brings you?", "And my boss."))):
        coder = PlainCoder(scheme)
        path = _table(tmp_path / "talk.csv", rows)
        summary = code_file(path, scheme=scheme, out=out, coder=coder)
        asked = {said.text: said.context for call in coder.asked for said in call}
        assert asked == {
            "What brings you?": (), "Which is worse?": wanted, "Or are they one?": wanted, "Welcome.": (),
        }  # fmt: skip
        # Turns that nothing goes before stand alone, so that no other session is taken for their dialogue.
        assert all(len(call) == 1 for call in coder.asked if not call[0].context)
        assert summary.not_coded == {f"the scheme {scheme} codes no client utterances": 2, "no text": 1}
        assert pl.read_csv(out)["predicted"].null_count() == 3


def test_rules_fill_the_facets_of_socratic(tmp_path: Path) -> None:
    path = _table(
        tmp_path / "talk.csv", [("a", "client", "He left."), ("a", "therapist", "Don't you think he was tired?")]
    )
    code_file(path, scheme="socratic", out=tmp_path / "coded.csv", coder=PlainCoder("socratic"))
    row = pl.read_csv(tmp_path / "coded.csv", infer_schema=False).to_dicts()[1]
    assert (row["predicted_leads"], row["predicted_stacks"], row["predicted_reaches"]) == ("true", "false", "none")
    assert "p_leads_true" not in row and "quote" not in row


def test_repeats_far_apart_are_filled_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window, "LONGEST", 5)
    header = "transcript_id,utterance_id,interlocutor,utterance_text,annotator_id\n"
    lines = [f"0,{at},{('therapist', 'client')[at % 2]},turn {at},1\n" for at in range(12)]
    path = tmp_path / "twice.csv"
    path.write_text(header + "".join([*lines, lines[0], lines[11]]), encoding="utf-8")
    coder = PlainCoder("annomi")
    found = dict(_codes(path, coder))
    assert found[12] == found[0] and found[13] == found[11]
    with pytest.raises(window.CannotResume):
        _codes(path, PlainCoder("annomi"), skip=12)


_MEASURE = """
import resource, sys
from pathlib import Path
from plain_coder import PlainCoder
from maieutic.scoring.coding_run.run import code_file
coder = PlainCoder("annomi")
class Keeps(list):
    def append(self, item): pass
coder.asked = Keeps()
summary = code_file(Path(sys.argv[1]), scheme="annomi", out=Path(sys.argv[2]), coder=coder)
print(summary.rows, summary.coded, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def _peak(path: Path, out: Path) -> tuple[int, int, int]:
    """Rows, coded rows, and the largest memory of a process that codes the file, in MiB."""
    places = [str(Path(__file__).parents[1]), str(Path(__file__).parents[3] / "src")]
    script = f"import sys; sys.path[:0] = {places!r}\n{_MEASURE}"
    done = subprocess.run(
        [sys.executable, "-c", script, str(path), str(out)], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    rows, coded, peak = map(int, done.stdout.split())
    return rows, coded, peak


def _generated(path: Path, *, size: int, session_length: int) -> Path:
    rng = random.Random(1)
    words = "the night was long and nobody rang so I sat by the window again with tea".split()
    with path.open("w", encoding="utf-8") as file:
        file.write("session,speaker,text\n")
        row = 0
        while file.tell() < size:
            for _ in range(1_000):
                text = " ".join(rng.choices(words, k=30))
                file.write(f"s{row // session_length},{('therapist', 'client')[row % 2]},{text} {row}\n")
                row += 1
    return path


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "session_length",
    [pytest.param(40, id="many sessions", marks=pytest.mark.full), pytest.param(10**9, id="one session")],
)
@pytest.mark.parametrize("suffix", [pytest.param(".csv", marks=pytest.mark.full), ".parquet"])
def test_memory_is_flat(tmp_path: Path, session_length: int, suffix: str) -> None:
    peaks = {}
    for megabytes in (10, 50):
        path = _generated(tmp_path / "big.csv", size=megabytes << 20, session_length=session_length)
        rows, coded, peak = _peak(path, tmp_path / f"coded{suffix}")
        assert rows == coded > 0
        peaks[megabytes] = peak
    print(f"peak memory: {peaks} MiB; this process {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}")
    assert peaks[50] <= peaks[10] * 1.35 + 40, peaks


class _Silent(PlainCoder):
    """Has no answer for long utterances, and finds nothing fitting in the others."""

    def predict(self, dialogue: Sequence[Utterance]) -> list[Any]:
        given = super().predict(dialogue)
        return [
            SimpleNamespace(reason="two answers, none readable") if len(said.text) > 30 else replace(one, predicted=())
            for said, one in zip(dialogue, given, strict=True)
        ]


def test_a_coder_without_an_answer_says_why(tmp_path: Path) -> None:
    rows = [("a", "therapist", "How so?"), ("a", "client", "Because I could not sleep, not a single hour.")]
    path, out = _table(tmp_path / "talk.csv", rows), tmp_path / "coded.csv"
    summary = code_file(path, scheme="annomi", out=out, coder=_Silent("annomi"))
    first, second = pl.read_csv(out).to_dicts()
    # Nothing fits well: the likeliest stands there all the same.
    assert first["predicted"] == "question" and first["not_coded_because"] is None
    assert second["predicted"] is None and second["not_coded_because"] == "two answers, none readable"
    assert summary.coded == 1 and summary.not_coded == {"two answers, none readable": 1}


class _Judge(PlainCoder):
    """Takes many dialogues at once, as a language model behind a network does, and quotes."""

    def judge_table(self, dialogues: Sequence[Sequence[Utterance]]) -> list[list[Coding]]:
        self.asked.extend(map(list, dialogues))
        return [[replace(self._code(one), quote=one.text[:4]) for one in dialogue] for dialogue in dialogues]


def test_a_judge_is_asked_about_rows_that_stand_alone_all_at_once(tmp_path: Path) -> None:
    path, out = tmp_path / "rows.csv", tmp_path / "coded.csv"
    path.write_text("thought,question\nI fail.,At what?\n,Why not?\n", encoding="utf-8")
    coder = _Judge("socratic")
    code_file(path, scheme="socratic", out=out, coder=coder)
    assert [[(one.context, one.text) for one in call] for call in coder.asked] == [
        [(("I fail.",), "At what?")], [((), "Why not?")],
    ]  # fmt: skip
    assert pl.read_csv(out)["quote"].to_list() == ["At w", "Why "]


def test_what_would_be_coded_can_be_listed(tmp_path: Path) -> None:
    talks = [_talk("a", 5), _talk("b", 3)]
    path = _table(tmp_path / "talk.csv", [row for one in talks for row in one])
    (tmp_path / "bad.csv").write_text("x\n1\n", encoding="utf-8")
    coder = PlainCoder("annomi")
    code_file(path, scheme="annomi", out=tmp_path / "out" / "coded.csv", coder=coder)
    assert list(dialogues_to_code(path, scheme="annomi")) == coder.asked
    (tmp_path / "out" / "coded.csv").unlink()
    assert list(dialogues_to_code(tmp_path, scheme="annomi")) == coder.asked
    with pytest.raises(UnreadableFile):
        list(dialogues_to_code(tmp_path / "bad.csv", scheme="annomi"))
