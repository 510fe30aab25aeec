"""Imports go downwards only; the walls between therapist, patient and tracker are import walls."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "maieutic"
FLOORS = (
    {"errors", "stats", "pressed"},
    {"domain", "doors", "agreement"},
    {"language", "minimal_pairs"},
    {"reading"},
    {"protocols", "bots", "prompts", "runs", "library", "safety", "transcripts"},
    {"registry"},
    {"models", "patients", "coding"},
    {"tracking", "measures"},
    {"therapists"},
    {"dialogue", "rivals"},
    {"evaluation", "scoring"},
    {"cli"},
    {"worlds", "ruptures", "judging", "workers"},
    {"second_world", "importing", "rating", "comparing", "training"},
    {"serving", "evidence", "gap"},
    {"gating", "ranking", "practice", "validation"},
    {"__main__"},
)
FLOOR = {name: number for number, names in enumerate(FLOORS) for name in names}
# Private knowledge that a wing on the same floor, or the floors below, must never come by. The floors forbid it
# already; it stands here so that nobody moves a floor and opens the wall unawares.
WALLS = (
    *((room, "patients") for room in ("therapists", "rivals", "tracking")),
    # What filters an agent's drafts must not be what scores it, nor what plays it.
    *(
        (room, above)
        for room in ("therapists", "rivals", "tracking")
        for above in ("coding", "measures", "scoring", "judging", "rating", "gap", "validation", "worlds", "evaluation")
    ),
    *((room, above) for room in ("therapists", "rivals", "tracking") for above in ("dialogue", "cli")),
    # The second world knows neither the first nor what is measured in it, and nobody it.
    *(("second_world", room) for room in ("patients", "therapists", "rivals", "tracking", "coding", "measures")),
    *((room, "second_world") for room in ("patients", "therapists", "rivals", "tracking")),
)


@cache
def imports(tree: ast.AST) -> tuple[ast.Import | ast.ImportFrom, ...]:
    """All imports of a module, anywhere in it; they are statements, so nobody looks for them within expressions."""
    found, left = list[ast.Import | ast.ImportFrom](), [tree]
    while left:
        node = left.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.append(node)
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            inside = getattr(node, part, None)
            left += inside if isinstance(inside, list) else ()
    return tuple(found)


def imported(tree: ast.AST, module: str, package: str) -> Iterator[tuple[int, str]]:
    """(line, dotted name) of everything of the package that a module imports anywhere, relative imports resolved.

    `module` is the dotted name of the module's package, from which relative imports count.
    """
    for node in imports(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            parents = module.split(".")
            start = parents[: len(parents) - node.level + 1] if node.level else []
            source = ".".join([*start, *([node.module] if node.module else [])])
            # `from maieutic import x` and `from . import x` at the top import the room x (or the face itself).
            names = [f"{source}.{alias.name}" for alias in node.names] if source == package else [source]
        yield from ((node.lineno, name) for name in names if name == package or name.startswith(f"{package}."))


def from_face(tree: ast.AST, package: str) -> Iterator[int]:
    """Lines that import from the package's own face instead of from the room."""
    for node in imports(tree):
        if (isinstance(node, ast.ImportFrom) and node.level == 0 and node.module == package) or (
            isinstance(node, ast.Import) and any(alias.name == package for alias in node.names)
        ):
            yield node.lineno


@cache
def parsed(path: Path) -> ast.Module:
    """A file of Python, read once for all rules."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


@cache
def graph(root: Path) -> dict[str, set[str]]:
    """Which modules each module of a package imports, in functions and for types too."""
    files = {".".join([root.name, *path.relative_to(root).with_suffix("").parts]): path for path in root.rglob("*.py")}
    files = {name.removesuffix(".__init__"): path for name, path in files.items()}
    found = {}
    for module, path in files.items():
        tree = parsed(path)
        names = set()
        for node in imports(tree):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                whole = {f"{node.module}.{alias.name}" for alias in node.names}
                names |= {name if name in files else node.module for name in whole}
        found[module] = (names & files.keys()) - {module, root.name}
    return found


def circle(root: Path) -> list[str]:
    """Modules that import each other in a loop; the first that is found."""
    try:
        TopologicalSorter(graph(root)).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circle(PACKAGE) == []


def test_a_circle_is_named_wherever_it_is_closed(tmp_path: Path) -> None:
    root = tmp_path / "maieutic"
    (root / "gap").mkdir(parents=True)
    (root / "gap" / "page.py").write_text("def f():\n    from maieutic.gap.run import run", encoding="utf-8")
    (root / "gap" / "run.py").write_text("from maieutic.gap import page", encoding="utf-8")
    assert {*circle(root)} == {"maieutic.gap.page", "maieutic.gap.run"}


def violations(root: Path) -> Iterator[str]:
    """Every breach below a package folder, by name."""
    package = root.name
    for path in sorted(root.rglob("*.py")):
        place = path.relative_to(root)
        tree = parsed(path)
        if place == Path("__init__.py"):
            continue  # the face hands names on and stands above everything
        here = place.parts[0].removesuffix(".py")
        if here not in FLOOR:
            yield f"{place} stands on no floor; give {here} one in FLOORS"
            continue
        for line in from_face(tree, package):
            yield f"{place}:{line} imports from {package} itself; import from the room that has it"
        own = ".".join([package, *place.with_suffix("").parts])  # a face may import the modules of its room
        for line, name in imported(tree, ".".join([package, *place.parent.parts]), package):
            if name == own:
                yield f"{place}:{line} imports itself"
            there = name.split(".")[1] if "." in name else None
            if there is None or there == here:
                continue
            if there not in FLOOR:
                yield f"{place}:{line} imports {there}, which stands on no floor"
            elif (here, there) in WALLS:
                yield f"{place}:{line} ({here}) imports {there}: there is a wall between them"
            elif FLOOR[there] >= FLOOR[here]:
                yield f"{place}:{line} (floor {FLOOR[here]}) imports {there} (floor {FLOOR[there]})"


def test_the_package_keeps_its_floors() -> None:
    assert list(violations(PACKAGE)) == []


def reached(room: str) -> set[str]:
    """Rooms that a room's modules import, on whatever way."""
    seen, left = set[str](), [name for name in graph(PACKAGE) if name.split(".")[1:2] == [room]]
    while left:
        new = graph(PACKAGE)[left.pop()] - seen
        seen |= new
        left += new
    return {name.split(".")[1] for name in seen}


@pytest.mark.parametrize("room", sorted({here for here, _ in WALLS}))
def test_no_way_round_leads_past_a_wall(room: str) -> None:
    assert "registry" in reached(room)
    assert reached(room) & {there for here, there in WALLS if here == room} == set()


CORE = frozenset(
    "domain protocols registry dialogue safety models reading patients tracking therapists coding transcripts measures runs "
    "evaluation scoring cli errors stats language library prompts bots pressed doors minimal_pairs".split()
)
"""What every wing stands on. Commands of wings join it by entry point, and are opened when they are called."""
SHARED = frozenset(("agreement", "worlds", "ruptures"))
"""Files without a command that several wings stand on; they stand on no wing themselves."""
WINGS_ON_WINGS = {
    ("evidence", "comparing"): "a study's figure is a paired comparison of two runs",
    ("gating", "comparing"): "a rule of non-inferiority is a comparison with the baseline",
    ("ranking", "comparing"): "a battle is a paired comparison of two arms",
    ("gating", "gap"): "a policy names figures of families",
    ("ranking", "gap"): "the judge's answers are read as those of the battery",
    ("gap", "judging"): "a judge reads the replies of a family beside its own reader",
    ("validation", "judging"): "`validate judge` measures the judge that codes",
    ("gap", "workers"): "the battery is asked and read on many processes",
    ("validation", "workers"): "sessions are played and read on many processes",
    ("validation", "gap"): "a judge is measured on the families' own replies, beside their readers",
    ("practice", "serving"): "trainees talk to the patients that are served",
    ("serving", "training"): "a trainer that is served gives the rewards of training",
}
"""Wings that stand on another wing, with the reason; one less is better."""


def between_rooms() -> set[tuple[str, str]]:
    """(room, other room that it imports), the package's own face left out."""
    found = {(module, name) for module, names in graph(PACKAGE).items() for name in names if "." in module}
    pairs = {(module.split(".")[1], name.split(".")[1]) for module, name in found}
    return {(here, there) for here, there in pairs if here != there and here != "__main__"}


def test_the_core_knows_no_wing() -> None:
    of_core = {(here, there) for here, there in between_rooms() if here in CORE}
    assert of_core and {(here, there) for here, there in of_core if there not in CORE} == set()


def test_a_wing_stands_on_another_only_for_a_reason_that_is_named() -> None:
    of_wings = {(here, there) for here, there in between_rooms() if here not in CORE and there not in CORE}
    assert {pair for pair in of_wings if pair[1] not in SHARED} == {*WINGS_ON_WINGS}
    assert not {(here, there) for here, there in of_wings if here in SHARED}


def test_entry_points_are_looked_up_by_those_who_take_them_in_and_by_nobody_else() -> None:
    assert {here for here, there in between_rooms() if there == "doors"} == {"registry", "coding", "gap", "cli"}


def test_the_doors_of_wings_are_opened_in_one_table() -> None:
    files = {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py") if "own_door" in path.read_text()}
    assert files == {"doors.py", "cli/wings.py"}


BREACHES = {
    "upwards": ("domain/state.py", "from maieutic.protocols import Patient", "(floor 1) imports protocols (floor 4)"),
    "sideways": (
        "coding/rules.py",
        "from maieutic.models.http import make",
        "(floor 6) imports models (floor 6)",
    ),
    "wall": ("therapists/socratic.py", "from maieutic.patients import dynamics", "imports patients: there is a wall"),
    **{
        f"rival, {room}": ("rivals/x.py", f"import maieutic.{room}.{module}", f"imports {room}: there is a wall")
        for room, module in {
            "scoring": "score",
            "judging": "coder",
            "worlds": "world",
            "evaluation": "run",
            "dialogue": "converse",
            "cli": "sitting",
        }.items()
    },
    "rival, upwards": ("rivals/x.py", "from maieutic.ruptures import x", "(floor 9) imports ruptures (floor 12)"),
    "tracker": ("tracking/filter.py", "import maieutic.patients.kernel", "imports patients: there is a wall"),
    "scorer": ("therapists/socratic.py", "import maieutic.coding.rules", "imports coding: there is a wall"),
    "downwards only": ("patients/voice.py", "import maieutic.therapists", "(floor 6) imports therapists (floor 8)"),
    "plain import": ("language/words.py", "import maieutic.registry", "(floor 2) imports registry (floor 5)"),
    "second of two": ("stats.py", "import math, maieutic.domain.case", "(floor 0) imports domain (floor 1)"),
    "renamed": ("errors.py", "import maieutic.registry as names", "(floor 0) imports registry (floor 5)"),
    "relative": (
        "rivals/deep/oracle.py",
        "from ...patients.kernel import Kernel",
        "imports patients: there is a wall",
    ),
    "relative room": ("tracking/filter.py", "from .. import patients", "imports patients: there is a wall"),
    "in a function": (
        "patients/voice.py",
        "def f():\n    from maieutic.dialogue import x",
        "imports dialogue (floor 9)",
    ),
    "typing only": ("models/http.py", "if TYPE_CHECKING:\n    from maieutic.cli import app", "imports cli (floor"),
    "face": ("evaluation/run.py", "from maieutic import load", "imports from maieutic itself"),
    "face, whole": ("evaluation/run.py", "def f():\n    import maieutic", "imports from maieutic itself"),
    "itself": ("patients/voice.py", "def f():\n    from maieutic.patients.voice import word", "imports itself"),
    "itself, relative": ("patients/voice.py", "from .voice import word", "imports itself"),
    "no floor": ("helpers/text.py", "import re", "stands on no floor"),
    "to no floor": ("cli.py", "from maieutic.extra import x", "imports extra, which stands on no floor"),
}


@pytest.mark.parametrize(("file", "text", "message"), BREACHES.values(), ids=BREACHES)
def test_a_made_up_breach_is_named(tmp_path: Path, file: str, text: str, message: str) -> None:
    path = tmp_path / "maieutic" / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    found = list(violations(tmp_path / "maieutic"))
    assert any(line.startswith(file) and message in line for line in found), found


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("rivals/deep/oracle.py", "from ..wording import ask\nfrom maieutic.therapists.socratic import make"),
        (
            "evaluation/run.py",
            "import math\nfrom maieutic.dialogue import converse\nimport maieutic.measures.moves",
        ),
        ("cli.py", "def f():\n    from maieutic.evaluation import run\n    import maieuticish"),
        ("__init__.py", "from maieutic.evaluation.run import run\nfrom .errors import MaieuticError"),
    ],
)
def test_what_is_allowed_is_not_named(tmp_path: Path, file: str, text: str) -> None:
    path = tmp_path / "maieutic" / file
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    assert list(violations(tmp_path / "maieutic")) == []
