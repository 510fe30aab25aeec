"""Gathers the pages of the site: docs/, what they link to in the repository, and the order of it all."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_LINK = re.compile(r"(?<=\]\()([^)#:\s]+)(?=[)#])")
_CARRIED = "repository"
GENERATED = "reference"
"""Folder of the pages that are made from the code; whether links to them lead anywhere shows once the site is built."""
_LEXERS = {".py": "python", ".yaml": "yaml", ".yml": "yaml", ".toml": "toml", ".json": "json", ".sh": "bash"}


def gather(root: Path, pages: Path, wanted: Iterator[str]) -> None:
    """Copy docs/ into `pages`; files of the repository that they link to, or that `wanted` names, become pages beside them.

    A link inside docs/ stays as it is. One that leaves it leads to `repository/…`: Markdown as it is, a folder as a list,
    any other text as a code block.

    Raises:
        FileNotFoundError: a link leads nowhere; names the page.
    """
    docs = root / "docs"
    waiting = [path for path in sorted(docs.rglob("*")) if path.is_file()]
    waiting += [root / name.removeprefix(f"{_CARRIED}/") for name in wanted if name.startswith(f"{_CARRIED}/")]
    done: set[Path] = set()
    while waiting:
        source = waiting.pop()
        if source in done:
            continue
        done.add(source)
        place = pages / _page_of(source, root)
        place.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".md":
            text = source.read_text(encoding="utf-8")
            waiting += [target for target in _targets(text, source) if docs not in target.parents]
            place.write_text(_relinked(text, source, root), encoding="utf-8")
        elif source.is_dir():
            rows = "\n".join(
                f"- `{child.name}`" for child in sorted(source.iterdir()) if not child.name.startswith((".", "_"))
            )
            place.write_text(f"# {source.relative_to(root)}\n\n{rows}\n", encoding="utf-8")
        elif docs in source.parents:
            shutil.copyfile(source, place)
        else:
            lexer = _LEXERS.get(source.suffix, "text")
            place.write_text(
                f"# {source.name}\n\n````{lexer}\n{source.read_text(encoding='utf-8')}\n````\n", encoding="utf-8"
            )


def _targets(text: str, source: Path) -> Iterator[Path]:
    for found in _LINK.findall(text):
        target = Path(os.path.normpath(source.parent / found))
        if GENERATED in target.parts:
            continue
        if not target.exists():
            raise FileNotFoundError(f"{source} links to {found}, which is not there")
        yield target


def _page_of(source: Path, root: Path) -> Path:
    """Where a file of the repository stands among the pages."""
    if root / "docs" in source.parents:
        return source.relative_to(root / "docs")
    carried = Path(_CARRIED) / source.relative_to(root)
    if source.is_dir():
        return carried / "index.md"
    if source.name == "README.md":
        return carried.with_name("index.md")
    return carried if source.suffix == ".md" else carried.with_name(f"{carried.name}.md")


def _relinked(text: str, source: Path, root: Path) -> str:
    here = _page_of(source, root).parent

    def there(found: re.Match[str]) -> str:
        target = _page_of(Path(os.path.normpath(source.parent / found[1])), root)
        return os.path.relpath(target, here)

    return _LINK.sub(there, text)


def navigation(order: list[Any], pages: Path) -> list[Any]:
    """The order with folders filled in, and what no line names at the end of `Guides`."""
    filled = _filled(order, pages, frozenset(_named(order)))
    named = set(_named(filled))
    lost = sorted(
        str(path.relative_to(pages))
        for path in pages.rglob("*.md")
        if str(path.relative_to(pages)) not in named and _CARRIED not in path.parts
    )
    for part in filled:
        if "Guides" in part:
            part["Guides"] += lost
    return filled


def _filled(order: list[Any], pages: Path, elsewhere: frozenset[str]) -> list[Any]:
    found: list[Any] = []
    for entry in order:
        for title, inside in entry.items():
            if title == "pages":
                within = sorted(str(path.relative_to(pages)) for path in (pages / inside).glob("*.md"))
                found += [page for page in within if page not in elsewhere]
            elif isinstance(inside, list):
                found.append({title: _filled(inside, pages, elsewhere)})
            else:
                found.append({title: inside})
    return found


def _named(order: list[Any]) -> Iterator[str]:
    for entry in order:
        if isinstance(entry, str):
            yield entry
            continue
        for inside in entry.values():
            yield from _named(inside) if isinstance(inside, list) else [inside]


def as_toml(order: list[Any]) -> str:
    """An order as a TOML value; strings of JSON are strings of TOML."""
    parts = [
        json.dumps(entry, ensure_ascii=False)
        if isinstance(entry, str)
        else "{ " + ", ".join(f"{json.dumps(title)} = {_value(inside)}" for title, inside in entry.items()) + " }"
        for entry in order
    ]
    return "[" + ", ".join(parts) + "]"


def _value(inside: Any) -> str:
    return as_toml(inside) if isinstance(inside, list) else json.dumps(inside)
