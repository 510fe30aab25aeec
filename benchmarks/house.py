"""Counts how text is read, and how much lies in the house.

    python benchmarks/house.py            # the counts, the sizes, and the modules with the most pattern characters
    python benchmarks/house.py --all      # every module that holds a pattern

A pattern character is one of a string constant inside a call of `re`, or of one elsewhere in the module that holds the
syntax of regular expressions, so that a pattern put together from names counts too. A module reads by patterns when it has
more than 100 such characters; splitting at white space is no reading. A head formed by hand is a file outside `reading/`
that opens stored weights, an ONNX session or a tokenizer by itself.

Core is what every wing stands on. Its lines are counted as they would be if none were longer than 120 characters, so
that a long line is no hiding place; YAML files beside the code are counted for the same reason.

Weights are all files in folders of the package called `weights`. The archive is what `git archive HEAD | wc -c` gives once
the files that git knows are committed as they lie there.
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
from dataclasses import astuple, dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "maieutic"
SYNTAX = ("\\b", "(?:", "(?!", "(?=", "(?<")
FEW = 100
CORE = (
    "domain", "protocols", "registry", "dialogue", "safety", "models", "reading", "patients", "tracking", "therapists",
    "coding", "transcripts", "measures", "runs", "report", "evaluation", "scoring", "cli",
    # What these stand on themselves.
    "errors", "stats", "language", "library", "prompts", "bots", "pressed", "doors", "__init__", "__main__",
)  # fmt: skip
WIDTH = 120
BLOCK, RECORD = 512, 10_240
"""Bytes of a tar archive are counted in blocks, and filled up to whole records."""
OPENS = ("np.load", "InferenceSession", "Tokenizer.from_str", "Tokenizer.from_file")
HOLDS = re.compile(r"\b(?:re|regex)\.|" + "|".join(map(re.escape, (*SYNTAX, *OPENS))))


@dataclass(frozen=True)
class Read:
    """What one module holds."""

    name: str
    characters: int
    expressions: int
    lines: int
    by_hand: bool


def dotted(node: ast.expr) -> str:
    """A name with dots as it is written; what stands before a name in another form is left out."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}".lstrip(".")
    return node.id if isinstance(node, ast.Name) else ""


def read_of(path: Path) -> Read:
    """The counts of one module."""
    text = path.read_text(encoding="utf-8")
    if not HOLDS.search(text):  # most modules hold nothing that is counted, and need not be parsed
        return Read(str(path.relative_to(PACKAGE)), 0, 0, text.count("\n"), False)
    nodes = tuple(ast.walk(ast.parse(text)))
    docstrings = {
        id(node.body[0].value)
        for node in nodes
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    inside: dict[int, str] = {}
    expressions = 0
    by_hand = False
    for node in nodes:
        if isinstance(node, ast.Call):
            called = dotted(node.func)
            by_hand = by_hand or called.endswith(OPENS)
            if called.split(".")[0] in ("re", "regex") and called != "re.escape":
                expressions += 1
                inside |= {
                    id(part): part.value
                    for part in ast.walk(node.args[0] if node.args else node)
                    if isinstance(part, ast.Constant) and isinstance(part.value, str)
                }
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            inside |= {id(node): node.value} if any(sign in node.value for sign in SYNTAX) else {}
    characters = sum(map(len, inside.values()))
    return Read(str(path.relative_to(PACKAGE)), characters, expressions, text.count("\n"), by_hand)


def house() -> list[Read]:
    """Every module of the package, the most patterned first."""
    return sorted((read_of(path) for path in PACKAGE.rglob("*.py")), key=lambda one: -one.characters)


@dataclass(frozen=True)
class Room:
    """What one package, or one module beside the packages, holds.

    Attributes:
        modules: Python files.
        lines: Their lines.
        wrapped: Their lines if none were longer than `WIDTH`.
        too_long: Lines that are.
        skips: Places that the formatter is told to leave alone.
        yaml: Lines of YAML.
    """

    name: str
    modules: int = 0
    lines: int = 0
    wrapped: int = 0
    too_long: int = 0
    skips: int = 0
    yaml: int = 0

    def __add__(self, other: Room) -> Room:
        mine, its = astuple(self)[1:], astuple(other)[1:]
        return Room(self.name, *(a + b for a, b in zip(mine, its, strict=True)))


def room_of(path: Path) -> Room:
    """The counts of one file, in the room it lies in."""
    place = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    lines = path.read_text(encoding="utf-8").splitlines()
    if path.suffix != ".py":
        return Room(place, yaml=len(lines))
    wrapped = sum(max(1, -(-len(line) // WIDTH)) for line in lines)
    skips = sum("# fmt: skip" in line for line in lines)
    return Room(place, 1, len(lines), wrapped, sum(len(line) > WIDTH for line in lines), skips)


def rooms() -> list[Room]:
    """All rooms, the core's first, each kind with the largest first."""
    found: dict[str, Room] = {}
    for path in [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.yaml")]:
        one = room_of(path)
        found[one.name] = found.get(one.name, Room(one.name)) + one
    return sorted(found.values(), key=lambda room: (room.name not in CORE, -room.wrapped))


def print_rooms() -> None:
    """Core and wings, each with its rooms."""
    found = rooms()
    for kind, mine in {
        "core": [room for room in found if room.name in CORE],
        "wings": [room for room in found if room.name not in CORE],
    }.items():
        for room in [sum(mine, Room(kind)), *mine]:
            print(
                f"{room.name if room.name == kind else '  ' + room.name:<14} modules {room.modules:>4}, "
                f"lines at {WIDTH} {room.wrapped:>6} (as they stand {room.lines}, too long {room.too_long}), "
                f"fmt: skip {room.skips}, YAML {room.yaml}"
            )


def by_hand(modules: list[Read]) -> list[str]:
    """Modules outside the reading room that open weights or tokenizers themselves."""
    return [one.name for one in modules if one.by_hand and not one.name.startswith("reading/")]


def weight_files() -> list[Path]:
    """Whatever lies in a folder of weights, the largest first."""
    found = [path for path in PACKAGE.rglob("weights/*") if path.is_file()]
    return sorted(found, key=lambda path: -path.stat().st_size)


def archive_size() -> int:
    """Bytes of the uncompressed archive of the files that git knows: each file and folder has a head of one block.

    Raises:
        subprocess.CalledProcessError: this is no working tree of git.
    """
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    files = [Path(name) for name in listed.split("\0") if name]
    folders = {folder for path in files for folder in path.parents if folder.name}
    blocks = sum(1 - -(ROOT / path).stat().st_size // BLOCK for path in files if (ROOT / path).is_file())
    # Two blocks say which commit it is, two empty ones end it.
    return -(-(blocks + len(folders) + 4) * BLOCK // RECORD) * RECORD


def main() -> None:
    """Prints the counts and the sizes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="every module that holds a pattern")
    everything = parser.parse_args().all
    modules = house()
    reading = [one for one in modules if one.characters > FEW]
    print(f"modules {len(modules)}, lines {sum(one.lines for one in modules)}")
    print_rooms()
    print(f"pattern characters {sum(one.characters for one in modules)}")
    print(f"regular expressions {sum(one.expressions for one in modules)}")
    print(f"modules that read by patterns {len(reading)}")
    print(f"heads formed by hand outside reading/: {', '.join(by_hand(modules)) or 'none'}")
    weights = weight_files()
    largest = ", ".join(f"{path.name} {path.stat().st_size / 1e6:.1f}" for path in weights[:3])
    print(f"weights {sum(path.stat().st_size for path in weights) / 1e6:.1f} MB (largest: {largest})")
    print(f"git archive, uncompressed {archive_size() / 1e6:.1f} MB")
    for one in [m for m in modules if m.characters] if everything else modules[:25]:
        print(f"{one.characters:>7} {one.expressions:>4}  {one.name}")


if __name__ == "__main__":
    main()
