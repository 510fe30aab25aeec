"""The table of constants for docs/patients.md: `python recipes/constants.py` prints it."""

from __future__ import annotations

import re

from maieutic.patients.kernel import PRIOR, STANDARD, Kernel, Population


def table() -> str:
    """Every constant with its value and meaning, from the code's own values and docstrings."""
    rows = ["| constant | value | meaning |", "|---|---|---|"]
    for world, kind in ((STANDARD, Kernel), (PRIOR, Population)):
        for names, meaning in _documented(kind):
            values = ", ".join(f"{getattr(world, name):g}" for name in names)
            rows.append(f"| {', '.join(f'`{name}`' for name in names)} | {values} | {meaning} |")
    return "\n".join(rows) + "\n"


def _documented(kind: type[Kernel] | type[Population]) -> list[tuple[list[str], str]]:
    text = (kind.__doc__ or "").partition("Attributes:\n")[2]
    entries = re.findall(r"^        ([a-z_, \n]+?): (.+?)(?=\n        [a-z_]+[,:]|\Z)", text, re.M | re.S)
    return [([name.strip() for name in names.split(",")], " ".join(meaning.split())) for names, meaning in entries]


if __name__ == "__main__":
    print(table(), end="")
