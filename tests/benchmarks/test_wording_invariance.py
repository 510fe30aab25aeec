"""Sessions in other words are drawn over all arms, taken in whole, and their ratio is told with its interval."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from benchmark_modules import benchmark

words = benchmark("wording_invariance")


def test_each_writer_has_each_case_once_over_all_arms() -> None:
    writers = list(words.drawn())
    assert len(writers) == len(words.STYLES) * words.HANDS
    for _, _, sessions in writers:
        assert len({case for case, _, _ in sessions}) == words.CASES
        assert set(Counter(arm for _, _, arm in sessions)) == set(words.ARMS)
    assert {
        arm for case, _, arm in (one for _, _, own in writers for one in own) if case == writers[0][2][0][0]
    } == set(words.ARMS)


def test_a_session_with_a_turn_missing_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "TURNS_FILE", tmp_path / "turns.jsonl.xz")
    kept = [
        {"style": style, "hand": hand, "case": case, "seed": seed, "arm": arm, "original": ["One?", "Two?"]}
        for style, hand, sessions in words.drawn()
        for case, seed, arm in sessions
    ]
    (tmp_path / "originals.json").write_text(json.dumps(kept), encoding="utf-8")
    rows = [{"s": s, "t": t, "text": f"{s} {t}?"} for s in range(1, 11) for t in (1, 2) if (s, t) != (4, 2)]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "short-1.answer.jsonl").write_text(text, encoding="utf-8")
    words.take(tmp_path)
    taken = words.stored_sessions()
    assert len(taken) == 9 and {(one["style"], one["hand"]) for one in taken} == {("short", 1)}
    assert taken[3]["reworded"] == ["5 1?", "5 2?"]


def test_the_ratio_is_one_of_sums_and_is_judged_by_its_whole_interval() -> None:
    common = {"hand": 0, "case": "x", "seed": 0, "turns": 20, "wrong case": 1.0, "shuffled": 2.0}
    rows = [
        common
        | {
            "style": style,
            "arm": arm,
            "original": 10.0 + n,
            "reworded": (10.0 + n) * (0.5 if style == "model" else 1.0),
        }
        for style in words.STYLES
        for arm in words.ARMS
        for n in range(6)
    ]
    told = words.table(rows)
    short = next(line for line in told if line.startswith("oracle") and " short " in line)
    model = next(line for line in told if line.startswith("oracle") and " model " in line)
    assert "1.00 [1.00, 1.00]" in short and "holds" in short
    assert "0.50 [0.50, 0.50]" in model and "broken" in model
    assert "wrong case 1.0 [1.0, 1.0]; shuffled 2.0 [2.0, 2.0]" in model


def test_the_page_tells_the_stored_ratios_and_the_turns_are_there() -> None:
    page = " ".join((Path(words.__file__).parents[1] / "docs" / "validation.md").read_text(encoding="utf-8").split())
    section = page[page.index("## The same turns in other words") : page.index("## A language model as ear and mouth")]
    rows = json.loads(words.RESULT.read_text(encoding="utf-8"))["sessions"]
    assert [(row["case"], row["arm"], row["turns"]) for row in rows] == [
        (one["case"], one["arm"], len(one["reworded"])) for one in words.stored_sessions()
    ]
    for arm in ("all", *words.ARMS):
        for style in ("all", *words.STYLES):
            own = [row for row in rows if arm in ("all", row["arm"]) and style in ("all", row["style"])]
            assert words.ratio(own).shown() in section, (arm, style)
    assert f"{sum(row['turns'] for row in rows):,} turns" in section
