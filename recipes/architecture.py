"""Draws the house from its own imports: python recipes/architecture.py > docs/pictures/architecture.svg

A row is a floor: what stands in it imports only rows below. Core is outlined, wings are filled; under each name stand its
modules and lines and the first words of its docstring.
"""

from __future__ import annotations

import ast
import sys
import textwrap
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "maieutic"
sys.path.insert(0, str(ROOT / "benchmarks"))

from house import CORE  # noqa: E402

WIDE, HIGH, GAP, LEFT = 250, 104, 12, 24
ROW = 5
"""Rooms side by side at most; a fuller floor goes on in a second row."""


def rooms() -> dict[str, list[Path]]:
    """The files of each folder of the package, and of each module beside them."""
    found: dict[str, list[Path]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        place = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if not place.startswith("__"):
            found.setdefault(place, []).append(path)
    return found


def stands_on(name: str, paths: list[Path], known: set[str]) -> set[str]:
    """The other rooms that a room imports."""
    seen: set[str] = set()
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("maieutic."):
                seen.add(node.module.split(".")[1])
            elif isinstance(node, ast.ImportFrom) and node.module == "maieutic":
                seen |= {alias.name for alias in node.names}
    return (seen & known) - {name}


def floors(below: dict[str, set[str]]) -> list[list[str]]:
    """Rooms by the longest way down from each, the lowest first."""
    depth: dict[str, int] = {}

    def of(name: str) -> int:
        if name not in depth:
            depth[name] = 1 + max((of(one) for one in below[name]), default=-1)
        return depth[name]

    for name in below:
        of(name)
    return [sorted(n for n in depth if depth[n] == at) for at in range(max(depth.values()) + 1)]


def told(paths: list[Path]) -> str:
    """The first sentence of a room's own docstring."""
    first = next((path for path in paths if path.name == "__init__.py"), paths[0])
    words = (ast.get_docstring(ast.parse(first.read_text(encoding="utf-8"))) or "").split("\n")[0]
    return words.split(". ")[0].rstrip(".")


def box(name: str, paths: list[Path], x: int, y: int) -> str:
    """One room."""
    lines = sum(path.read_text(encoding="utf-8").count("\n") for path in paths)
    fill = "#ffffff" if name in CORE else "#e8eff7"
    size = f"{len(paths)} modules, {lines:,} lines" if len(paths) > 1 else f"{lines:,} lines"
    text = [
        f'<rect x="{x}" y="{y}" width="{WIDE}" height="{HIGH}" rx="6" fill="{fill}" stroke="#33506b"/>',
        f'<text x="{x + 10}" y="{y + 19}" font-size="14" font-weight="600">{escape(name)}</text>',
        f'<text x="{x + 10}" y="{y + HIGH - 9}" font-size="10" fill="#566">{size}</text>',
    ]
    for number, line in enumerate(textwrap.wrap(told(paths), 38)[:4]):
        text.append(f'<text x="{x + 10}" y="{y + 36 + 14 * number}" font-size="11" fill="#334">{escape(line)}</text>')
    return "\n".join(text)


def drawn() -> str:
    """The picture as SVG."""
    found = rooms()
    below = {name: stands_on(name, paths, {*found}) for name, paths in found.items()}
    boxes, y = [], 54
    for floor in reversed(floors(below)):
        for start in range(0, len(floor), ROW):
            part = floor[start : start + ROW]
            boxes += [box(name, found[name], LEFT + n * (WIDE + GAP), y) for n, name in enumerate(part)]
            y += HIGH + GAP
    wide = 2 * LEFT + ROW * (WIDE + GAP) - GAP
    head = "Imports go down only. White: core. Blue: wings, which the core does not know."
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {y + 6}" font-family="system-ui, sans-serif" '
        f'role="img" aria-label="The rooms of the package by floor">\n<rect width="100%" height="100%" fill="#fbfcfd"/>\n'
        f'<text x="{LEFT}" y="32" font-size="15">{head}</text>\n' + "\n".join(boxes) + "\n</svg>\n"
    )


if __name__ == "__main__":
    sys.stdout.write(drawn())
