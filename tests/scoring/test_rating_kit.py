"""The rating kit there and back: blinded on the way out, checked and unblinded on the way in, known agreement recovered."""

from __future__ import annotations

import csv
import hashlib
import random
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from own_sessions import TALK
from rating_kits import export, key_of, session, sessions

from maieutic.errors import InputError, StorageError
from maieutic.rating import results as rating_kit_results
from maieutic.rating.kit import ITEMS, export_kit
from maieutic.transcripts.utterance import Transcript, Utterance


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rating_kit_results, "DRAWS", 200)
    monkeypatch.setattr(rating_kit_results, "LINK_DRAWS", 200)


def test_the_raters_part_reveals_nothing(tmp_path: Path) -> None:
    measures = {one.id: {"zzmeasure": 0.123456} for one in sessions(48)}
    summary = export(tmp_path / "kit", measures=measures, raters=3)
    assert {path.name for path in (tmp_path / "kit").iterdir()} == {"raters", "key"}
    texts = {path.name: path.read_text() for path in (tmp_path / "kit" / "raters").iterdir()}
    assert set(texts) == {"sessions.html", "README.txt", "sheet-A.csv", "sheet-B.csv", "sheet-C.csv"}
    for text in texts.values():
        for secret in ("zzhigh", "zzlow", "secret-", "clinic-file", "zzmeasure", "0.123456", str(tmp_path)):
            assert secret not in text
        assert summary.kit in text
    key = key_of(tmp_path / "kit")
    assert "Do not hand" in str(key["warning"])
    assert "Do not hand" in (tmp_path / "kit" / "key" / "README.txt").read_text()
    assert {one["group"] for one in key["sessions"].values()} == {"zzhigh", "zzlow"}
    assert all(one["measures"] == {"zzmeasure": 0.123456} for one in key["sessions"].values())
    for name, digest in key["files"].items():
        assert hashlib.sha256((tmp_path / "kit" / "raters" / name).read_bytes()).hexdigest() == str(digest)


def test_the_key_is_there_before_the_sheets_and_one_that_appeared_meanwhile_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, move = tmp_path / "kit", Path.replace

    def stopped(path: Path, target: Path) -> Path:
        if path.name == "raters":
            raise OSError(28, "full")
        return move(path, target)

    with monkeypatch.context() as at, pytest.raises(StorageError, match="the disk is full"):
        at.setattr(Path, "replace", stopped)
        export(out)
    assert [one.name for one in out.iterdir()] == ["key"]
    before = (out / "key" / "key.json").read_bytes()
    monkeypatch.setattr("maieutic.rating.kit.check_export", lambda *_: None)  # which looked before it was there
    with pytest.raises(StorageError, match="key is there already"):
        export(out)
    assert (out / "key" / "key.json").read_bytes() == before and len([*out.iterdir()]) == 1


def test_names_and_orders_do_not_follow_groups(tmp_path: Path) -> None:
    export(tmp_path / "kit")
    key = key_of(tmp_path / "kit")
    groups = [key["sessions"][one]["group"] for one in sorted(key["sessions"])]
    assert sum(a != b for a, b in pairwise(groups)) > 4, "blind names must be mixed over groups"
    orders = list(key["raters"].values())
    assert orders[0] != orders[1]
    assert sorted(orders[0]) == sorted(orders[1]) == sorted(key["sessions"])
    for rater, order in key["raters"].items():
        with (tmp_path / "kit" / "raters" / f"sheet-{rater}.csv").open(newline="") as file:
            assert [row["session"] for row in csv.DictReader(file)] == list(order)


def test_groups_are_drawn_evenly_as_far_as_they_go(tmp_path: Path) -> None:
    assert dict(export(tmp_path / "even", count=10).groups) == {"zzhigh": 5, "zzlow": 5}
    few = [session(0, "zzlow"), *(session(number, "zzhigh") for number in range(1, 20))]
    kit = export_kit(few, tmp_path / "few", number=9, rng=random.Random(1))
    assert dict(kit.groups) == {"zzhigh": 8, "zzlow": 1}
    drawn = Counter(one["session"] for seed in range(30) for one in _drawn(tmp_path / f"r{seed}", few, seed))
    assert len(drawn) == 20, "every session must have a chance, wherever it stands in the file"


def _drawn(out: Path, pool: list[Transcript], seed: int) -> list[dict[str, str]]:
    export_kit(iter(pool), out, number=6, rng=random.Random(seed))
    return list(key_of(out)["sessions"].values())


def test_equal_seeds_give_equal_kits_and_other_seeds_other_names(tmp_path: Path) -> None:
    one, same, other = (export(tmp_path / str(place), rng=random.Random(seed)) for place, seed in enumerate((4, 4, 5)))
    assert one.kit == same.kit != other.kit
    for path in (tmp_path / "0").rglob("*.*"):
        assert path.read_bytes() == (tmp_path / "1" / path.relative_to(tmp_path / "0")).read_bytes()


def test_the_page_is_self_contained_escaped_numbered_and_redacted(tmp_path: Path) -> None:
    said = (
        Utterance("therapist", "How are you, <b>Anna</b>?", index=3),
        *(Utterance(*pair, index=4 + place) for place, pair in enumerate(TALK[1:])),  # type: ignore[arg-type]
    )
    one = Transcript("x", None, said, "a.csv", 2)
    kit = export_kit(
        [one], tmp_path / "kit", number=1, rng=random.Random(1), redact=lambda text: text.replace("Anna", "[name]")
    )
    page = (tmp_path / "kit" / "raters" / "sessions.html").read_text()
    assert "Anna" not in page
    assert "How are you, &lt;b&gt;[name]&lt;/b&gt;?" in page
    assert "<script" not in page
    assert not re.search(r"""(?:src|href)=["'](?!#|data:)""", page)
    assert page.count('class="number">') == len(said)
    assert all(item.title in page for item in ITEMS)
    assert kit.groups == (("no group", 1),)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"number": 500}, "only 48 can be rated; ask for at most 48"),
        ({"number": 0}, "expected 1 or more"),
        ({"raters": 1}, "expected 2 to 26"),
    ],
)
def test_what_cannot_be_exported_is_refused(tmp_path: Path, change: dict[str, int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        export(tmp_path / "kit", **change)
    assert not (tmp_path / "kit").exists()


def test_sessions_out_of_scope_are_counted_not_drawn(tmp_path: Path) -> None:
    short = Transcript("short", None, session(1).utterances[:2], "a.csv", 2)
    kit = export_kit([short, *sessions(4)], tmp_path / "kit", number=4, rng=random.Random(1))
    assert kit.left_out == (("too short (2 turns; at least 4 are needed)", 1),)
    with pytest.raises(InputError, match=r"left out: 1 × too short \(2 turns.*give other transcripts"):
        export_kit([short], tmp_path / "none", number=1, rng=random.Random(1))


def test_a_kit_is_never_written_over(tmp_path: Path) -> None:
    export(tmp_path / "kit")
    before = {path: path.read_bytes() for path in (tmp_path / "kit").rglob("*.*")}
    with pytest.raises(InputError, match="choose another folder"):
        export(tmp_path / "kit")
    assert {path: path.read_bytes() for path in (tmp_path / "kit").rglob("*.*")} == before
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="is a file"):
        export(tmp_path / "file")
    with pytest.raises(StorageError, match="cannot write the rating kit"):
        export(tmp_path / "file" / "below")


def test_measures_of_sessions_with_one_name_must_be_told_apart(tmp_path: Path) -> None:
    twins = [session(1, source="a.csv"), session(1, source="b.csv")]
    with pytest.raises(InputError, match="several sessions are called 'secret-1'"):
        export_kit(twins, tmp_path / "kit", number=2, rng=random.Random(1), measures={"secret-1": {"m": 1.0}})
    named = {"a.csv/secret-1": {"m": 1.0}, "b.csv/secret-1": {"m": float("nan")}}
    export_kit(twins, tmp_path / "kit", number=2, rng=random.Random(1), measures=named)
    values = {one["source"]: one["measures"] for one in key_of(tmp_path / "kit")["sessions"].values()}
    assert values == {"a.csv": {"m": 1.0}, "b.csv": {"m": None}}
