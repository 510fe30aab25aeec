"""Numbers, dates and costs of the evidence map in words, the same on the terminal, in Markdown and on the page."""

from __future__ import annotations

from maieutic.evidence.atlas import Atlas
from maieutic.evidence.entry import Entry, Figure, Number, Result

KIND_NAMES = {
    "claim": "Claims of the literature",
    "inquiry": "Lines of inquiry",
    "ours": "Claims of this project",
}


def rounded(value: float, decimals: int) -> str:
    """With a true minus, and no minus before a zero."""
    text = f"{value:.{decimals}f}"
    return text.removeprefix("-") if not float(text) else text.replace("-", "−")


def interval_text(value: float, low: float | None, high: float | None, decimals: int) -> str:
    """'0.31 [0.20, 0.42]', without brackets where there is no interval."""
    shown = rounded(value, decimals)
    if low is None or high is None:
        return shown
    return f"{shown} [{rounded(low, decimals)}, {rounded(high, decimals)}]"


def number_text(number: Number, figure: Figure) -> str:
    """The number with its unit and n."""
    shown = interval_text(number.value, number.low, number.high, number.decimals)
    return f"{shown} {figure.unit}".rstrip() + _behind(number.n, figure.of)


def figure_text(figure: Figure) -> str:
    """A stored figure; a missing one with its reason."""
    if figure.value is None:
        return f"missing: {figure.reason}"
    shown = interval_text(figure.value, figure.low, figure.high, 2)
    return f"{shown} {figure.unit}".rstrip() + _behind(figure.n, figure.of)


def _behind(n: int | None, of: str) -> str:
    return "" if n is None else f", n = {n:,} {of}".rstrip()


def made_text(result: Result) -> str:
    """When it was made, what it cost, and whether the slow tests make it again."""
    cost = "cost not measured" if result.seconds is None else f"about {_time(result.seconds)} of CPU"
    again = "made again by the slow tests" if result.remade else "not made again by the tests"
    return f"{result.made}, {cost}, {again}" + (f"; needs {result.needs}" if result.needs else "")


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def commands_of(entry: Entry, atlas: Atlas) -> tuple[str, ...]:
    """The commands behind an entry's numbers, each once."""
    return tuple(dict.fromkeys(text for number in entry.numbers for text in atlas.result(number).commands))


def human_text(entry: Entry) -> str:
    """Whether people's judgements stand behind the measure."""
    return f"{'human-validated' if entry.human_validated else 'not human-validated'}: {entry.human}"
