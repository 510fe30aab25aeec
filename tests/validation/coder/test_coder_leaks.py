"""Nothing of the research data may be read off what is packaged, and no fold may know what it is tested on."""

from __future__ import annotations

import csv
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from maieutic.coding.features import Style, grams, restyle
from maieutic.runs.files import files_of_lines, read_lines
from maieutic.validation.coder import datasets
from maieutic.validation.coder import stored as keeping
from maieutic.validation.coder.judged import PLANS
from maieutic.validation.judge.research import reply_labels

ROOT = Path(__file__).parents[3]
DATA = ROOT.parent / "shared" / "data"
RUN = 5
REPLY = "reply_"
"""Readers of single replies are kept under this and their name."""
MIN_ITEMS = 5
WEIGHTS = ROOT / "src" / "maieutic" / "coding" / "weights"
PACKAGED = sorted(path for path in WEIGHTS.rglob("*") if path.is_file() and path.suffix != ".py")
EVERYTHING = sorted(
    path
    for path in (ROOT / "src" / "maieutic").rglob("*")
    if path.suffix in (".npz", ".json", ".onnx", ".bin", ".parquet")
)
OUT_OF_FOLD = sorted(keeping.FOLDER.glob("*.npz"))
STYLES: tuple[Style, ...] = ("written", "questions", "bare")
NEEDS_DATA = pytest.mark.skipif(not (DATA / "annomi").is_dir(), reason="the research data is not at ../shared/data")
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")


def strings(path: Path) -> Iterator[str]:
    """Every text in a packaged file: string arrays, JSON texts, and readable runs of anything else."""
    if path.suffix == ".npz":
        with np.load(path, allow_pickle=False) as arrays:
            for name in arrays.files:
                if arrays[name].dtype.kind in "US":
                    yield from map(str, arrays[name].reshape(-1))
    elif path.suffix == ".json":
        yield from texts_in(json.loads(path.read_text(encoding="utf-8")))
    else:
        yield from (run.decode("ascii") for run in re.findall(rb"[\x20-\x7e]{12,}", path.read_bytes()))


def texts_in(found: Any) -> Iterator[str]:
    if isinstance(found, str):
        yield found
    elif isinstance(found, dict):
        for key, inner in found.items():
            yield str(key)
            yield from texts_in(inner)
    elif isinstance(found, list):
        for inner in found:
            yield from texts_in(inner)


def runs(text: str, length: int = RUN) -> set[tuple[str, ...]]:
    """Every run of that many words."""
    words = _WORD.findall(text.lower())
    return {tuple(words[at : at + length]) for at in range(len(words) - length + 1)}


def read_texts() -> Iterator[str]:
    """Every cell or text of every data file."""
    csv.field_size_limit(1 << 27)
    for path in sorted(DATA.rglob("*")):
        if path.suffix == ".csv":
            with path.open(encoding="utf-8-sig", newline="") as file:
                for row in csv.reader(file):
                    yield from row
        elif path.suffix == ".json":
            yield from texts_in(json.loads(path.read_text(encoding="utf-8-sig")))
        elif path.suffix == ".jsonl":
            yield from path.read_text(encoding="utf-8-sig").splitlines()


def vocabulary(path: Path) -> list[str]:
    """The entries of the vocabularies of a packaged head."""
    if path.suffix != ".npz":
        return []
    with np.load(path, allow_pickle=False) as arrays:
        return [str(gram) for name in arrays.files if name.startswith("vocabulary") for gram in arrays[name]]


def test_the_search_finds_what_it_is_for(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", x=np.array(["one two three four five"]), y=np.zeros(3))
    (tmp_path / "b.json").write_text('{"k": ["so it goes on and on"]}', encoding="utf-8")
    (tmp_path / "c.onnx").write_bytes(b"\x00\x01never a word in here was kept\x00\xff")
    kept = {run for path in sorted(tmp_path.iterdir()) for text in strings(path) for run in runs(text)}
    assert runs("He said: one, two, three, four, five!") & kept
    assert runs("so it goes on and") & kept and runs("a word in here was") & kept
    assert not runs("one two three four six") & kept


@pytest.mark.slow
@pytest.mark.timeout(900)
@NEEDS_DATA
def test_no_five_words_in_a_row_of_the_data_are_packaged() -> None:
    kept: dict[tuple[str, ...], str] = {}
    for path in EVERYTHING:
        for text in strings(path):
            # The letters within an id or a hash are no words.
            kept |= dict.fromkeys(runs(re.sub(r"\w*\d\w*", " 0 ", text)), path.name)
    found = {kept[run] for text in read_texts() for run in runs(text) & kept.keys()} if kept else set()
    assert found == set()


@pytest.mark.parametrize("path", [p for p in PACKAGED if p.suffix == ".npz"], ids=lambda path: path.stem)
def test_entries_hold_at_most_two_words_no_digit_and_no_name(path: Path) -> None:
    names = set((ROOT / "recipes" / "person_names.txt").read_text(encoding="utf-8").split())
    entries = vocabulary(path)
    assert [entry for entry in entries if re.search(r"\d", entry)] == []
    assert [entry for entry in entries if len(entry.split()) > 2] == []
    assert [entry for entry in entries if names & set(entry.split())] == []


@pytest.mark.slow
@pytest.mark.timeout(900)
@NEEDS_DATA
def test_entries_occur_in_five_sessions_of_the_data() -> None:
    entries = {path.name: set(vocabulary(path)) for path in PACKAGED if vocabulary(path)}
    wanted = set().union(*entries.values()) if entries else set()
    sessions: dict[str, set[str]] = defaultdict(set)
    for head in datasets.heads():
        for one in datasets.gold(head, DATA):
            for text in (one.text, one.same, one.other):
                for style in STYLES:
                    for gram in wanted.intersection(grams(restyle(text, style))):
                        sessions[gram].add(f"{datasets.files(head)[0]}:{one.session}")
    ours: set[str] = set()  # rows that were written for the coder may add words; they are in the repository
    for path in files_of_lines(Path(__file__).parents[3] / "recipes" / "data", "coder_*.jsonl"):
        for row in read_lines(path):
            for style in STYLES:
                ours |= wanted.intersection(grams(restyle(row["text"], style)))
    rare = {
        name: sorted(gram for gram in own - ours if len(sessions[gram]) < MIN_ITEMS) for name, own in entries.items()
    }
    assert {name: own[:5] for name, own in rare.items() if own} == {}


@pytest.mark.parametrize("path", OUT_OF_FOLD, ids=lambda path: path.stem)
def test_stored_figures_hold_numbers_and_ids_only(path: Path) -> None:
    found = keeping.read(path.stem, path.parent)
    assert found is not None
    assert all(re.fullmatch(r"[\w.:-]{1,40}", row) for row in found.rows)
    assert all(len(text.split()) <= 6 for text in texts_in(dict(found.settings)))
    with np.load(path, allow_pickle=False) as arrays:
        assert set(arrays.files) <= {"rows", "labels", "fold", "probabilities", "before_advice", "tfidf", "facts"}


@NEEDS_DATA
@pytest.mark.parametrize("path", OUT_OF_FOLD, ids=lambda path: path.stem)
def test_no_group_lies_in_two_folds(path: Path) -> None:
    kept = keeping.read(path.stem, path.parent)
    assert kept is not None
    keeping.check_data(kept, DATA)
    if kept.head.startswith(REPLY):
        rows = reply_labels(kept.head.removeprefix(REPLY), DATA)
    else:
        # Figures of the fast coder and of unpunctuated text are kept beside those of a head, under its name and a suffix.
        plan = max((plan for plan in PLANS if kept.head.startswith(plan.head)), key=lambda plan: len(plan.head))
        rows = datasets.gold(plan.gold or plan.head, DATA)
    _, groups, _, _ = keeping.aligned(kept, rows)
    assert keeping.shared_groups(kept, groups) == 0


@NEEDS_DATA
def test_the_parts_of_a_video_are_one_group() -> None:
    """Two AnnoMI sessions cut from one video, or two starts of the same address, must never be parted."""
    with (DATA / datasets.ANNOMI_SIMPLE).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    groups = {one.session: one.group for one in datasets.gold("annomi_therapist", DATA)}
    by_video: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        found = re.search(r"(?:v=|youtu\.be/)([\w-]{6,})", row["video_url"])
        if row["transcript_id"] in groups:
            by_video[found[1] if found else row["video_url"]].add(groups[row["transcript_id"]])
    assert {video: own for video, own in by_video.items() if len(own) > 1} == {}


@pytest.mark.parametrize(("count", "groups"), [(200, 17), (300, 300), (80, 5)])
def test_the_recipe_never_parts_a_group(monkeypatch: pytest.MonkeyPatch, count: int, groups: int) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "recipes"))
    from coder_folds import folds

    names = [f"g{at * 7 % groups}" for at in range(count)]
    for seed in range(3):
        placed = folds(names, seed)
        assert len({*zip(names, placed, strict=True)}) == len(set(names))
        assert set(placed) == set(range(5))


@pytest.mark.parametrize("path", [p for p in EVERYTHING if p.suffix == ".onnx"], ids=lambda path: path.stem)
def test_graphs_name_no_folder_of_a_machine(path: Path) -> None:
    held = path.read_bytes()
    assert b"stack_trace" not in held and not re.search(rb"/(?:home|root|tmp|work|usr)/[\w.]+/", held)
