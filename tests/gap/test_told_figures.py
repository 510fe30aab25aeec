"""What the pages on the battery state: no gap left to fill in, and stored runs from which their tables are printed."""

from __future__ import annotations

import re
from pathlib import Path

from benchmark_modules import benchmark, printed
from maieutic.gap.known_groups import expected

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results"


def test_no_page_holds_a_placeholder() -> None:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    held = {str(page.relative_to(ROOT)): re.findall(r"@[A-Z_]+@", page.read_text(encoding="utf-8")) for page in pages}
    assert {name: found for name, found in held.items() if found} == {} and len(held) > 30


def test_the_stored_runs_of_the_eighteen_print_what_the_page_states() -> None:
    told = printed("eighteen", "--table", f"{RESULTS}/eighteen.jsonl.xz")
    for line in (
        "found 13 of 14",
        "right 4, not told 10, wrong 0",
        "3 flags in 345 verdicts, at most 0.025",
        "relationship of the last sentence only: 0 flags in 337 verdicts, at most 0.011",
        "in order: 15 of 18",
    ):
        assert line in told
    page = (ROOT / "docs" / "gap" / "known_groups.md").read_text(encoding="utf-8")
    stated = ("13 of 14", "4 right, 10 not told, 0 wrong", "3 of 345 verdicts", "0 of 337", "15 of 18")
    assert all(words in page for words in stated)


def test_the_flag_that_the_last_sentence_only_is_owed_is_one_of_the_known_groups() -> None:
    style, family = benchmark("eighteen").OWED
    assert style in benchmark("eighteen").STYLES and expected()["cold", family] == "flag"


def test_the_stored_run_of_what_strangers_wrote_prints_what_the_page_states() -> None:
    told = printed("written_therapists", "--table", f"{RESULTS}/written_therapists.jsonl.xz")
    page = (ROOT / "docs" / "gap" / "known_groups.md").read_text(encoding="utf-8")
    parts = re.split(r"^(?:two later hands|all hands.*)$", told, flags=re.MULTILINE)
    states = (
        ("4 of 8", "right 1, not told 6, wrong 1", "1 right, 6 not told, 1 wrong", "0 flags in 44", "0 of 44"),
        ("5 of 8", "right 0, not told 8, wrong 0", "0 right, 8 not told, 0 wrong", "2 flags in 44", "2 of 44"),
        ("9 of 16: 0.56 [0.33, 0.77]", "right 1, not told 14, wrong 1", "1 rightly", "2 flags in 88", "2 of 88"),
    )
    stated = page + (ROOT / "docs" / "gap.md").read_text(encoding="utf-8")
    for part, (found, principal, named, flags, flagged) in zip(parts, states, strict=True):
        assert all(line in part for line in (f"found {found}", f"principal failure: {principal}", flags))
        assert all(words in stated for words in (*found.split(": "), named, flagged))
    last = printed("written_therapists", "--table", f"{RESULTS}/written_last.jsonl.xz")
    assert "found 6 of 8: 0.75 [0.41, 0.93]" in last and "**6 of 8**, 0.75 [0.41, 0.93]" in page
    assert "1 flags in 22 verdicts, at most 0.228" in last and "**1 of 22**, at most 0.228" in page
    assert (
        "principal failure: right 1, not told 6, wrong 1" in last and "1 right (*decayer*), 6 not told, 1 wrong" in page
    )


def test_the_hand_of_turn_wordings_is_whole() -> None:
    kept = benchmark("turn_wordings")
    assert [len(kept.wordings(row)) for row in kept.rows()] == [4] * 40
