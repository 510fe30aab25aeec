"""A table is the same in a terminal and on a page, and nothing in its cells is read as markup of either."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from maieutic.runs.findings import Page, render
from maieutic.runs.shown import Table

ROWS = [("[bold]one[/]", "1.00 <2>"), ("two", "−0.50")]


def test_a_table_says_the_same_in_a_terminal_and_on_a_page() -> None:
    table, out = Table("How many [b]", ("[i]what", "n"), ROWS), StringIO()
    Console(file=out, width=60).print(table.on_screen(right=(1,), whole=(0, 1)))
    title, heads, rule, *rows = (line.rstrip() for line in out.getvalue().splitlines())
    assert (title, heads.split()) == ("How many [b]", ["[i]what", "n"]) and set(rule) == {"─"}
    assert [tuple(line.rsplit(maxsplit=1)) for line in rows[1:]] == [("two", "−0.50")]
    assert rows[0].split(maxsplit=1) == ["[bold]one[/]", "1.00 <2>"] and len(rows[0]) == len(rows[1])
    page = render(Page("t", "q", "p", "c", (), tables=(table,)))
    assert "<h2>How many [b]</h2>" in page and "<th>[i]what</th><th>n</th>" in page
    assert '<td class="num">[bold]one[/]</td><td class="num">1.00 &lt;2&gt;</td>' in page


def test_tones_and_cuts_are_of_rows() -> None:
    table, out = Table("", ("what", "n"), [("one", "1"), ("two", "2"), ("six", "6")]), StringIO()
    Console(file=out, width=60, force_terminal=True, color_system="standard").print(
        table.on_screen(tones={1: "bold"}, cuts=(0,))
    )
    _, _, first, line, second, third = (each.rstrip() for each in out.getvalue().splitlines())
    assert not line and first.startswith("one") and third.startswith("six")
    assert second.startswith("\x1b[1mtwo\x1b[0m")
