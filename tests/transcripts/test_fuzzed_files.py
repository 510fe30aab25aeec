"""Five hundred damaged files: each is read, or refused in one line that names it; nothing else ever comes out."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import docx
import pytest
from openpyxl import Workbook
from own_sessions import TALK, as_text, chat_line, stand_in

from maieutic.errors import InputError
from maieutic.scoring.score import score_paths
from maieutic.transcripts.layout import Asked
from maieutic.transcripts.opening import open_source, open_sources

FILES = 500
A_FEW = 60
"""Of all; the rest are slow tests."""


def _docx() -> bytes:
    document, held = docx.Document(), io.BytesIO()
    for line in as_text().splitlines():
        document.add_paragraph(line)
    document.save(held)
    return held.getvalue()


def _xlsx() -> bytes:
    book, held = Workbook(), io.BytesIO()
    for row in [("session", "speaker", "text"), *((1, *turn) for turn in TALK)]:
        book.active.append(row)
    book.save(held)
    return held.getvalue()


def _seeds() -> dict[str, bytes]:
    rows = "\n".join(f'1,{who},"{text}"' for who, text in TALK)
    cues = "\n\n".join(f"00:00:0{n}.000 --> 00:00:0{n}.900\n<v {who}>{text}</v>" for n, (who, text) in enumerate(TALK))
    srt = "\n\n".join(f"{n}\n00:00:0{n},000 --> 00:00:0{n},900\n{who}: {text}" for n, (who, text) in enumerate(TALK))
    return {
        ".csv": f"session,speaker,text\n{rows}\n".encode(),
        ".tsv": ("session\tspeaker\ttext\n" + "\n".join(f"1\t{who}\t{text}" for who, text in TALK)).encode(),
        ".txt": as_text().encode(),
        ".md": as_text().encode("utf-16"),
        ".jsonl": "\n".join([chat_line("a"), chat_line("b"), chat_line("c")]).encode(),
        ".json": json.dumps([{"session": 1, "speaker": who, "text": text} for who, text in TALK]).encode(),
        ".vtt": f"WEBVTT\n\n{cues}\n".encode(),
        ".srt": srt.encode(),
        ".docx": _docx(),
        ".xlsx": _xlsx(),
    }


def _cut(data: bytes, rng: Random) -> bytes:
    return data[: rng.randrange(len(data))]


def _flipped(data: bytes, rng: Random) -> bytes:
    found = bytearray(data)
    for _ in range(rng.randint(1, 20)):
        found[rng.randrange(len(found))] = rng.randrange(256)
    return bytes(found)


def _spliced(data: bytes, rng: Random) -> bytes:
    at, noise = (
        rng.randrange(len(data)),
        rng.choice([b'"', b"\0", b"{", b"\xff\xfe", b"<!--", b"\n\n", b"[" * 5_000, b","]),
    )
    return data[:at] + noise * rng.randint(1, 3) + data[at:]


def _shuffled(data: bytes, rng: Random) -> bytes:
    lines = data.split(b"\n")
    rng.shuffle(lines)
    return b"\n".join(lines)


DAMAGES: tuple[Callable[[bytes, Random], bytes], ...] = (_cut, _flipped, _spliced, _shuffled)


@pytest.mark.parametrize("files", [A_FEW, pytest.param(FILES, marks=pytest.mark.slow)])
@pytest.mark.parametrize("suffix", _seeds())
def test_a_damaged_file_is_read_or_refused_in_one_line(tmp_path: Path, suffix: str, files: int) -> None:
    rng, whole = Random(suffix), _seeds()[suffix]
    read = 0
    for number in range(files // len(_seeds())):
        path = tmp_path / f"f{number}{suffix}"
        path.write_bytes(rng.choice(DAMAGES)(whole, rng))
        for sessions in (True, False):
            try:
                if sessions:
                    (source,), _ = open_sources([path])
                else:
                    source = open_source(path, path.name, Asked())
                assert source.survey().rows == sum(1 for _ in source.lines())
                read += sum(1 for _ in source.read()) > 0
            except InputError as error:
                told = str(error)
                assert path.name in told and "\n" not in told and len(told) < 1_000, told
    assert (
        read or files == A_FEW or suffix in (".docx", ".xlsx")
    )  # damage makes an archive unreadable, and not always another file


@pytest.mark.full
@pytest.mark.timeout(900)
@pytest.mark.parametrize("suffix", _seeds())
def test_scoring_a_damaged_file_writes_a_whole_result_or_none(tmp_path: Path, suffix: str) -> None:
    rng, whole = Random(f"scored {suffix}"), _seeds()[suffix]
    for number in range(FILES // len(_seeds())):
        path, out = tmp_path / f"f{number}{suffix}", tmp_path / f"run{number}"
        path.write_bytes(rng.choice(DAMAGES)(whole, rng))
        try:
            score_paths([path], out=out, predict=stand_in)
        except InputError as error:
            told = str(error)
            assert "\n" not in told and (path.name in told or "sessions could be scored" in told), told
            assert not out.exists(), (number, str(error))
        else:
            assert {"summary.html", "report.html", "scores.csv", "scores.json"} <= {one.name for one in out.iterdir()}


def test_twins_in_html_and_markdown_score_alike(tmp_path: Path) -> None:
    dressed = {
        "plain": lambda text: text,
        "html": lambda text: f"<p>{text.replace(chr(39), '&#39;')}<br/></p>",
        "markdown": lambda text: f"**{text}**",
    }
    found = {}
    for name, dress in dressed.items():
        path = tmp_path / f"{name}.jsonl"
        path.write_text(
            "\n".join(chat_line(f"s{n}", [(who, dress(text)) for who, text in TALK]) for n in range(3)), "utf-8"
        )
        summary = score_paths([path], out=tmp_path / name, predict=stand_in)
        found[name] = [dict(one.values) for one in summary.sessions]
        assert (name == "plain") == (not summary.cleaned)
    for name in ("html", "markdown"):
        for own, other in zip(found["plain"], found[name], strict=True):
            for measure, value in own.items():
                assert (value is None) == (other[measure] is None), measure
                assert value is None or abs(value - other[measure]) <= 0.01, measure
