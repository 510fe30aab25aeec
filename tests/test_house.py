"""The house rules that a machine can check: first lines, file sizes, names, and no bare except."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "maieutic"
LONGEST = 500
VAGUE = frozenset(
    {"util", "utils", "helper", "helpers", "common", "base", "misc", "manager", "managers", "tools", "stuff", "shared"}
)
_SNAKE = re.compile(r"^(?:__init__|__main__|[a-z][a-z0-9]*(?:_[a-z0-9]+)*)$")

_EXCEPT = re.compile(r"\bexcept[\s\\]*:")


def faults(root: Path) -> Iterator[str]:
    """Every breach of the rules below a folder, by name."""
    for path in sorted(root.rglob("*.py")):
        place, text = path.relative_to(root), path.read_text(encoding="utf-8")
        if not text.startswith(('"""', 'r"""')) or not re.match(r'r?"""\S', text):
            yield f"{place} does not say in its first line why it exists"
        if text.count("\n") > LONGEST:
            yield f"{place} has {text.count(chr(10))} lines, more than {LONGEST}"
        for part in (*place.parts[:-1], place.stem):
            if VAGUE & set(part.split("_")):
                yield f"{place} has a name that says nothing ({part})"
            if not _SNAKE.match(part):
                yield f"{place} is not in snake_case ({part})"
        # Parsing all that is there takes a second and a half; a bare except cannot be written without these words.
        tree = ast.parse(text, filename=str(place)) if _EXCEPT.search(text) else ast.Module([], [])
        for node in ast.walk(tree):
            if isinstance(node, ast.ExceptHandler) and node.type is None:
                yield f"{place}:{node.lineno} has a bare except"


def test_the_package_keeps_the_house_rules() -> None:
    assert list(faults(PACKAGE)) == []


FAULTS = {
    "no first line": ("plain.py", "import re\n", "first line"),
    "empty": ("empty.py", "", "first line"),
    "docstring starts on the second line": ("late.py", '"""\nSays it late.\n"""\n', "first line"),
    "too long": ("long.py", '"""Long."""\n' + "x = 1\n" * LONGEST, "501 lines"),
    "vague": ("text_utils.py", '"""Vague."""\n', "says nothing (text_utils)"),
    "vague folder": ("common/words.py", '"""Vague."""\n', "says nothing (common)"),
    "camel": ("TextReader.py", '"""Camel."""\n', "not in snake_case"),
    "bare": ("bare.py", '"""Bare."""\ntry:\n    x = 1\nexcept:\n    pass\n', "bare.py:4 has a bare except"),
}


@pytest.mark.parametrize(("file", "text", "message"), FAULTS.values(), ids=FAULTS)
def test_a_made_up_fault_is_named(tmp_path: Path, file: str, text: str, message: str) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    found = list(faults(tmp_path))
    assert len(found) == 1
    assert message in found[0]


def test_a_tidy_file_has_no_fault(tmp_path: Path) -> None:
    text = '"""Tidy, and it says why."""\ntry:\n    x = 1\nexcept ValueError:\n    pass\n' + "x = 1\n" * (LONGEST - 5)
    (tmp_path / "tidy_file.py").write_text(text, encoding="utf-8")
    assert list(faults(tmp_path)) == []
