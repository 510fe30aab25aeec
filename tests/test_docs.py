"""Every code block of the README and the docs does what it says: Python runs, commands and options exist."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from maieutic.cli.main import app, command_line
from maieutic.evidence.atlas import packaged
from maieutic.stats import student_mean

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.S | re.M)


def blocks(language):
    return [
        pytest.param(text, id=f"{page.stem}-{number}")
        for page in PAGES
        for number, (kind, text) in enumerate(BLOCK.findall(page.read_text()))
        if kind == language
    ]


def test_no_page_has_a_figure_left_open():
    left = re.compile(r"\b(?:FIXME|TBD|[A-Z]{5,}\d{2}|[A-Z]{12,})\b(?!\.md)")
    assert left.findall("| PRINCIPALROW | SHORT18 |") == ["PRINCIPALROW", "SHORT18"]
    assert {page.name: found for page in PAGES if (found := left.findall(page.read_text()))} == {}


def test_no_page_holds_a_place_still_to_be_filled():
    notes = [*PAGES, *sorted((ROOT / "design").glob("*.md")), ROOT / "benchmarks" / "README.md"]
    assert len(notes) > len(PAGES) and [page.name for page in notes if "@@" in page.read_text()] == []


def commands():
    found = []
    for page in PAGES:
        for kind, text in BLOCK.findall(page.read_text()):
            if kind in ("", "bash", "sh", "console"):
                found += [
                    line for line in text.replace("\\\n", " ").splitlines() if re.search(r"\bmaieutic [a-z]", line)
                ]
    return sorted(set(found))


@pytest.mark.slow
@pytest.mark.parametrize("text", blocks("python"))
def test_python_block_runs(text, tmp_path):
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, cwd=tmp_path, timeout=100)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("line", commands())
def test_command_and_its_options_exist(line):
    words = shlex.split(line.split("&&")[-1].split(" #")[0].strip().removeprefix("$ "))
    words = words[words.index("maieutic") + 1 :]
    if "inspect" in line.split("maieutic")[0]:
        return
    command = command_line()
    for word in words[:2]:
        command = getattr(command, "commands", {}).get(word, command)
    assert command.name in words[:2], f"{line!r}: no such command"
    known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)} | {"--help"}
    for option in (w.split("=")[0] for w in words if w.startswith("--")):
        assert option in known, f"{line!r}: no option {option}"


def test_pages_link_to_pages_that_exist():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", page.read_text()):
            if target.startswith("reference/") or "/reference/" in target:
                continue  # made when the site is built; its own test follows these links
            assert (page.parent / target).exists(), f"{page.name} links to {target}, which is not there"


def test_the_whole_case_of_the_docs_is_accepted_and_refused_without_a_field(tmp_path):
    page = (ROOT / "docs" / "write-a-case.md").read_text().partition("## A whole case")[2]
    (text,) = (block for kind, block in BLOCK.findall(page) if kind == "yaml")
    (tmp_path / "baker.yaml").write_text(text)
    found = CliRunner().invoke(app, ["patients", "check", str(tmp_path)])
    assert (found.exit_code, found.output.strip()) == (0, "baker.yaml: good, case baker")

    (tmp_path / "baker.yaml").write_text(text.replace("problem: low mood", "trouble: low mood"))
    assert CliRunner().invoke(app, ["patients", "check", str(tmp_path)]).exit_code == 2


def test_the_interval_of_the_blind_sessions_is_that_of_the_figures_on_their_page():
    page = (ROOT / "design" / "2026-11-29-rounds-before-the-sealed-one.md").read_text()
    rows = [line.split("|")[1:-1] for line in page.splitlines() if "|" in line]

    def of(name):
        return [row[1:-1] for row in rows if row[0].strip(" *").split(",")[0] == name and len(row) in (5, 6)]

    skilled = [float(cell) for row in of("skilled free speech") for cell in row]
    forms = [float(cell.split(",")[0]) for row in of("worksheet") for cell in row]
    found = student_mean([one - other for one, other in zip(skilled, forms, strict=True)])
    stored = packaged().results["free_speech"].figures["beyond_worksheet"]
    assert (round(found.estimate, 1), round(found.low, 1), round(found.high, 1), len(forms)) == (
        stored.value, stored.low, stored.high, stored.n,
    )  # fmt: skip


def test_every_file_that_the_page_of_the_house_names_is_there():
    house = ROOT / "src" / "maieutic"
    named = re.findall(r"`([\w./*-]+)`", (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8"))
    files = {name for name in named if name.endswith(("/", ".py", ".yaml", ".toml")) and "NAME" not in name}
    assert len(files) > 60
    # Further files of a room, and folders that several rooms have, stand without the room.
    names = {path.name + "/" * path.is_dir() for path in house.rglob("*")}
    lost = {name for name in files - names if not any(list(folder.glob(name)) for folder in (ROOT, house))}
    assert lost == set()
