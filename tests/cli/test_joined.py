"""Commands come by entry point, in their order; one that is called opens no other, and a broken one stops no other."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
import tomllib
from importlib.metadata import distribution
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from maieutic import doors, registry
from maieutic.cli import wings
from maieutic.cli.joined import ORDER
from maieutic.cli.main import app
from maieutic.coding.embedded import coder_for
from maieutic.doors import OURS, PACKAGED, joined, members, own_door
from maieutic.errors import InputError
from maieutic.gap.families import families

DECLARED = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "entry-points"
]
GROUPS = {OURS if not name else f"{OURS}.{name}": names.split() for name, names in PACKAGED.items()}
DOORS = {
    name: door for name, door in vars(wings).items() if inspect.isfunction(door) and door.__module__ == wings.__name__
}


def installed(site: Path, package: str, groups: dict[str, dict[str, str]]) -> None:
    """An installed package in a folder, with entry points and no code."""
    known = site / f"{package.replace('-', '_')}-1.0.dist-info"
    known.mkdir(parents=True)
    (known / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", encoding="utf-8")
    text = "\n".join(f"[{group}]\n" + "".join(f"{a} = {b}\n" for a, b in one.items()) for group, one in groups.items())
    (known / "entry_points.txt").write_text(text, encoding="utf-8")


def run(*words: str, site: Path) -> subprocess.CompletedProcess[str]:
    """`maieutic WORDS` with a folder more on the path, before all others."""
    code = "import sys\nfrom maieutic.cli.main import main\nmain()"
    env = {**os.environ, "PYTHONPATH": str(site), "COLUMNS": "100"}
    return subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, env=env, check=False)


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package whose commands cannot be loaded, and one that brings names of ours."""
    site = tmp_path_factory.mktemp("site")
    (site / "thirdmod.py").write_text("odd = 3\n", encoding="utf-8")
    commands = {"broken": "thirdpkg_missing.mod:go", "odd": "thirdmod:odd"}
    groups = {"maieutic.commands": commands, "maieutic.commands.validate": {"bad": "thirdmod:nothere"}}
    installed(site, "third-party", {**groups, "maieutic.reports": {"theirs": "thirdmod:nothere"}})
    taken = {"maieutic.commands": {"measures": "thirdmod:odd"}, "maieutic.doors": {"gate": "thirdmod:odd"}}
    installed(site, "name-taker", taken)
    return site


def test_every_packaged_command_is_joined_in_its_order() -> None:
    assert {*joined("commands")} == {*ORDER}
    assert tuple(get_command(app).list_commands(None)) == ORDER


def test_the_names_that_code_expects_are_those_that_the_package_declares() -> None:
    assert {group: {*names} for group, names in GROUPS.items()} == {
        group: {*points} for group, points in DECLARED.items() if group.split(".")[0] == OURS
    }


def test_every_entry_point_of_the_package_loads() -> None:
    points = [point for point in distribution(OURS).entry_points if point.group.split(".")[0] == OURS]
    assert len(points) == sum(map(len, GROUPS.values()))
    for point in points:
        assert point.load() is not None


def test_a_command_opens_no_other() -> None:
    code = (
        "import sys\nsys.argv = ['maieutic', 'measures', '--help']\nfrom maieutic.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print([n for n in sys.modules if n.startswith('maieutic.') and n.endswith('command')], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
    assert "maieutic measures reflection_rate" in done.stdout


@pytest.mark.parametrize("name", PACKAGED["doors"].split())
def test_a_door_has_the_signature_by_which_the_core_calls_it(name: str) -> None:
    asked, brought = inspect.signature(DOORS[name]), inspect.signature(own_door(name))
    assert list(asked.parameters.values()) == list(brought.parameters.values())
    # A generator that is made a context manager says what it yields.
    told = str(brought.return_annotation).replace("Iterator[JudgeCoder]", "AbstractContextManager[SchemeCoder]")
    assert asked.return_annotation in (told, "object")


def test_no_door_stands_in_the_table_that_the_package_does_not_have() -> None:
    assert {*DOORS} == {*PACKAGED["doors"].split()}


def test_the_list_of_commands_goes_on_beside_broken_ones(broken: Path) -> None:
    done = run("--help", site=broken)
    assert done.returncode == 0, done.stderr
    page = " ".join(done.stdout.split()).replace("entry- point", "entry-point")
    assert "the package third-party brings 'broken' in the entry-point group 'maieutic.commands'" in page
    assert "two packages bring 'measures' in the entry-point group 'maieutic.commands': maieutic and name-taker" in page
    assert all(f" {name} " in page for name in ORDER)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("broken", "--some", "option"), "third-party brings 'broken'"),
        (("broken", "--help"), "third-party brings 'broken'"),
        (("odd",), "third-party brings 'odd'"),
        (("validate", "bad"), "third-party brings 'bad' in the entry-point group 'maieutic.commands.validate'"),
        (("measures",), "two packages bring 'measures'"),
    ],
)
def test_a_broken_command_names_its_package_in_one_line(broken: Path, words: tuple[str, ...], told: str) -> None:
    done = run(*words, site=broken)
    assert done.returncode == 2
    line = " ".join(done.stderr.split()).replace("entry- point", "entry-point")
    assert line.startswith("error: ") and told in line and "Traceback" not in done.stderr


@pytest.mark.parametrize("words", [("validate", "--help"), ("gate", "--help"), ("validate", "patients", "--help")])
def test_other_commands_go_on_beside_broken_ones(broken: Path, words: tuple[str, ...]) -> None:
    done = run(*words, site=broken)
    assert done.returncode == 0 and "Usage" in done.stdout


def test_a_slip_of_the_pen_is_still_answered_beside_broken_ones(broken: Path) -> None:
    done = run("evaluat", site=broken)
    assert done.returncode == 2 and "Did you mean 'evaluate'" in done.stderr.replace("\n", " ")


def test_a_report_of_a_broken_package_names_it(broken: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(broken)
    with pytest.raises(InputError, match=r"third-party brings 'theirs' in the entry-point group 'maieutic\.reports'"):
        joined("reports")["theirs"].load()


def test_another_package_never_answers_for_a_door(broken: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = own_door("gate")
    monkeypatch.syspath_prepend(broken)
    assert len(joined("doors")["gate"].points) == 2
    assert own_door("gate") is ours


def test_a_family_or_a_coder_of_ours_is_not_replaced_in_silence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = {"maieutic.families": {"lost": "thirdmod:odd"}, "maieutic.coders": {"annomi": "thirdmod:odd"}}
    installed(tmp_path, "name-taker", taken)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(InputError, match=r"two packages bring 'lost' in .*families': maieutic and name-taker"):
        families(("lost",))
    with pytest.raises(InputError, match=r"two packages bring 'annomi' in .*coders': maieutic and name-taker"):
        coder_for("annomi")
    assert families(("asks_first",))


def test_members_of_a_broken_package_are_not_left_out_in_silence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(tmp_path, "third-party", {"maieutic": {"measures": "thirdpkg_missing"}})
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(registry, "_loaded", False)
    assert [one.name for one in members()].count("measures") == 2
    for _ in range(2):
        with pytest.raises(
            InputError, match="the package third-party brings 'measures' in the entry-point group 'maieu"
        ):
            registry.known("measure")


def test_an_installation_older_than_its_code_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doors, "entry_points", lambda group: [])
    monkeypatch.setattr(registry, "_loaded", False)
    with pytest.raises(InputError, match=r"older than its code\. Run `uv sync` or `pip install -e \.`"):
        get_command(app).list_commands(None)
    with pytest.raises(InputError, match=r"names no 'gate'"):
        own_door("gate")
    with pytest.raises(InputError, match=r"names no 'models' .* `uv sync`"):
        registry.load_therapist("eliza")


def test_an_installation_that_lacks_a_part_says_so_for_that_part(monkeypatch: pytest.MonkeyPatch) -> None:
    there = doors.entry_points
    late = ("train", "import", "rivals")
    monkeypatch.setattr(doors, "entry_points", lambda group: [p for p in there(group=group) if p.name not in late])
    monkeypatch.setattr(registry, "_loaded", False)
    for words in (["train", "pairs"], ["patients", "import", "x"]):
        error = CliRunner().invoke(app, words).exception
        assert isinstance(error, InputError) and "`uv sync`" in str(error)
    assert CliRunner().invoke(app, ["gate", "--help"]).exit_code == 0
    with pytest.raises(InputError, match=r"names no 'rivals' .* `uv sync`"):
        registry.load_therapist("eliza")
