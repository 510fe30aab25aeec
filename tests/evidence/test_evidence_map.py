"""The evidence map is whole, equals what is stored, names commands that exist, and refuses damaged files in one line."""

from __future__ import annotations

import importlib.util
import json
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from maieutic.cli.main import app
from maieutic.errors import InputError, UnknownName, UnreadableFile
from maieutic.evidence.atlas import PACKAGED, Atlas, drifted, packaged, read_atlas
from maieutic.evidence.command import unknown_commands, unknown_in
from maieutic.evidence.entry import Figure, Quoted
from maieutic.evidence.output import PAGES, as_json, markdown, page, picture
from maieutic.reading.yaml_text import read_yaml

ROOT = Path(__file__).parents[2]


def unlike_pages(atlas: Atlas, root: Path) -> Iterator[str]:
    """Stored figures that are not what the page or file of the repository says that they were taken from."""
    for result in atlas.results.values():
        for key, figure in result.figures.items():
            if figure.quoted is not None:
                yield from _unlike(f"results/{result.name}.json, {key}", figure, figure.quoted, root)


def _unlike(where: str, figure: Figure, quoted: Quoted, root: Path) -> Iterator[str]:
    path = root / quoted.file
    if not path.exists():
        yield f"{where}: {quoted.file} is not there"
        return
    text = path.read_text(encoding="utf-8")
    if quoted.at:
        found: Any = json.loads(text)
        for step in quoted.at:
            found = found[step]
        stored = [figure.value, figure.low, figure.high] if isinstance(found, list) else figure.value
        if found != stored:
            yield f"{where}: stored {stored}, {quoted.file} has {found}"
        return
    if quoted.text not in text:
        yield f"{where}: {quoted.file} no longer says {quoted.text!r}"
    words = {word.strip("[]()|,;:*+") for word in quoted.text.replace("−", "-").split()}
    for value in (figure.value, figure.low, figure.high):
        if value is not None and not words & _ways(value):
            yield f"{where}: {value} does not stand in {quoted.text!r}"


def _ways(value: float) -> set[str]:
    """How a page may write a number: with up to three decimals, or a share in percent."""
    return {f"{value:g}"} | {f"{value:.{k}f}" for k in range(4)} | {f"{100 * value:.{k}f}" for k in range(2)}


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The packaged map, to be damaged."""
    for name in ("data", "results"):
        shutil.copytree(PACKAGED / name, tmp_path / name)
    return tmp_path


def _changed(folder: Path, name: str, change) -> None:
    path = folder / name
    if path.suffix == ".json":
        found = json.loads(path.read_text())
        change(found)
        path.write_text(json.dumps(found))
    else:
        found = read_yaml(path.read_text())
        change(found)
        path.write_text(json.dumps(found))  # JSON is YAML, and quicker


def test_every_claim_and_line_of_inquiry_has_an_entry():
    ids = set(packaged().entries)
    assert {f"C{k}" for k in range(1, 38)} <= ids
    assert {f"Q{k}" for k in range(1, 35)} <= ids


def test_at_least_twenty_lines_of_inquiry_have_a_number_of_a_study_that_was_run():
    atlas = packaged()
    studied = {id_ for study in atlas.studies.values() for id_ in study.answers}
    inquiry = [one for one in atlas.entries.values() if one.kind == "inquiry"]
    assert sum(bool(one.numbers) for one in inquiry) >= 20
    assert sum(one.id in studied for one in inquiry) >= 20
    for one in inquiry:
        own = {name for name, study in atlas.studies.items() if one.id in study.answers}
        assert not own or any(number.at.partition("/")[0] in own for number in one.numbers), one.id


def test_every_line_of_inquiry_has_a_study_or_sessions_of_people_or_says_why_not():
    atlas = packaged()
    studied = {id_ for study in atlas.studies.values() for id_ in study.answers}
    for one in (found for found in atlas.entries.values() if found.kind == "inquiry"):
        of_people = any(number.at.startswith("human_sessions/") for number in one.numbers)
        assert one.id in studied or of_people or (not one.numbers and one.missing), one.id


def test_every_number_equals_its_stored_result_and_the_page_it_stands_on():
    assert list(drifted(packaged())) == []
    assert list(unlike_pages(packaged(), ROOT)) == []


def test_every_command_exists():
    assert list(unknown_commands(packaged())) == []
    for result in packaged().results.values():
        for command in result.commands:
            words = shlex.split(command)
            if words[:2] == ["python", "-m"]:
                assert importlib.util.find_spec(words[2]) is not None, command
            elif words[0] in ("python", "pytest"):
                file = next(word for word in words if word.endswith(".py"))
                assert (ROOT / file).exists(), command
            else:
                assert words[0] == "maieutic", command


def test_every_paper_is_cited_and_every_stored_figure_says_its_unit_or_is_a_plain_number():
    atlas = packaged()
    assert {found.paper for one in atlas.entries.values() for found in one.sources} == set(atlas.papers)
    for result in atlas.results.values():
        for figure in result.figures.values():
            assert figure.value is not None or figure.reason


def test_what_contradicts_the_literature_names_a_source_and_says_so():
    for one in packaged().chosen("contradicts"):
        assert one.sources or one.kind == "ours"
        assert one.says


def test_the_pages_of_the_documentation_are_those_of_the_map():
    for kind, name in PAGES.items():
        assert (ROOT / "docs/evidence" / name).read_text(encoding="utf-8") == markdown(packaged(), kind), (
            "run `maieutic evidence --out docs/evidence`"
        )


def test_the_page_shows_every_entry_and_asks_no_other_host():
    atlas = packaged()
    shown = page(atlas, tuple(atlas.entries.values()))
    assert all(f'id="{id_}"' in shown for id_ in atlas.entries)
    assert "http://" not in shown and "https://" not in shown and "<script src" not in shown and "@import" not in shown
    assert len(as_json(atlas)["entries"]) == len(atlas.entries)


def test_a_number_that_drifts_is_named(copied: Path):
    stored = packaged().results["default_run"].figures["socratic"].value

    def change(found):
        found["figures"]["socratic"]["value"] = 29.4

    _changed(copied, "results/default_run.json", change)
    faults = list(drifted(read_atlas(copied)))
    assert any(f"O1: value of default_run/socratic is {stored}, stored is 29.4" in one for one in faults)
    assert any("29.4 does not stand in" in one for one in unlike_pages(read_atlas(copied), ROOT))


def test_a_page_that_says_something_else_is_named(copied: Path, tmp_path: Path):
    root = tmp_path / "repository"
    shutil.copytree(ROOT / "docs", root / "docs")
    shutil.copytree(ROOT / "design", root / "design")
    shutil.copytree(ROOT / "benchmarks/results", root / "benchmarks/results")
    shutil.copytree(ROOT / "src/maieutic/measures/reference", root / "src/maieutic/measures/reference")
    quoted = packaged().results["default_run"].figures["socratic"].quoted.text
    text = (ROOT / "README.md").read_text(encoding="utf-8").replace(quoted, quoted.replace(" [", "9 ["))
    (root / "README.md").write_text(text, encoding="utf-8")
    assert [one.partition(":")[0] for one in unlike_pages(read_atlas(copied), root)] == [
        "results/default_run.json, socratic"
    ]


def test_a_study_without_a_stored_result_and_an_entry_that_is_missing_are_named(copied: Path):
    def without_c37(found):
        found[:] = [one for one in found if one["id"] != "C37"]

    _changed(copied, "data/claims.yaml", without_c37)
    assert list(drifted(read_atlas(copied))) == ["C37: no entry"]


@pytest.mark.parametrize(
    ("command", "fault"),
    [
        ("maieutic evaluate --therapist socratic", ""),
        ("maieutic validate coder --data x --quick", ""),
        ("python benchmarks/kill.py", ""),
        ("maieutic evalute", "no command 'evalute'"),
        ("maieutic validate nobody", "no command 'nobody'"),
        ("maieutic evaluate --therapists socratic", "no option --therapists"),
        ("maieutic study nothing", "no study 'nothing'"),
    ],
)
def test_a_command_that_does_not_exist_is_named(command: str, fault: str):
    assert unknown_in(command) == fault


def _no_yaml(folder: Path) -> None:
    (folder / "data/claims.yaml").write_text("- id: [C1\n")


def _no_list(folder: Path) -> None:
    (folder / "data/claims.yaml").write_text("id: C1\n")


def _gone(folder: Path) -> None:
    (folder / "data/papers.yaml").unlink()


def _binary(folder: Path) -> None:
    (folder / "data/ours.yaml").write_bytes(b"\xff\xfe\x00")


def _strange_key(folder: Path) -> None:
    _changed(folder, "data/ours.yaml", lambda found: found[0].update(verdikt="x"))


def _no_reason(folder: Path) -> None:
    _changed(folder, "data/claims.yaml", lambda found: found[5].pop("missing"))


def _no_paper(folder: Path) -> None:
    _changed(folder, "data/claims.yaml", lambda found: found[0]["sources"][0].update(paper="stad"))


def _no_figure(folder: Path) -> None:
    _changed(folder, "data/ours.yaml", lambda found: found[0]["numbers"][0].update(at="default_run/socrates"))


def _twice(folder: Path) -> None:
    _changed(folder, "data/ours.yaml", lambda found: found[1].update(id="O1"))


def _no_json(folder: Path) -> None:
    (folder / "results/kill.json").write_text("{")


def _wrong_name(folder: Path) -> None:
    _changed(folder, "results/kill.json", lambda found: found.update(name="killed"))


def _no_run(folder: Path) -> None:
    _changed(folder, "data/studies.yaml", lambda found: found[0].update(runs=["arm"]))


@pytest.mark.parametrize(
    ("damage", "kind", "said"),
    [
        (_no_yaml, InputError, "claims.yaml is no YAML"),
        (_no_list, InputError, "claims.yaml holds no list"),
        (_gone, UnreadableFile, "cannot read"),
        (_binary, UnreadableFile, "no text in UTF-8"),
        (_strange_key, InputError, "'O1': verdikt: no such key"),
        (_no_reason, InputError, "'C6': has no number and gives no reason"),
        (_no_paper, UnknownName, "Did you mean 'stade'"),
        (_no_figure, UnknownName, "Did you mean 'socratic'"),
        (_twice, InputError, "two entries have the id 'O1'"),
        (_no_json, InputError, "kill.json is no JSON"),
        (_wrong_name, InputError, "holds the result 'killed'"),
        (_no_run, UnknownName, "Did you mean 'arms'"),
    ],
)
def test_a_damaged_map_is_refused_in_one_line(copied: Path, damage, kind, said):
    damage(copied)
    with pytest.raises(kind) as caught:
        read_atlas(copied)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_terminal_shows_one_entry_in_full_and_many_as_a_table():
    runner = CliRunner()
    one = runner.invoke(app, ["evidence", "c20"])
    assert one.exit_code == 0 and "LLMs Get Lost" not in one.output and "Laban et al. 2025" in one.output
    assert "against" in one.output and "number" in one.output
    many = runner.invoke(app, ["evidence", "disclosure", "synchrony"])
    assert many.exit_code == 0 and "Q34" in many.output and "O18" not in many.output
    assert runner.invoke(app, ["evidence", "--check"]).exit_code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["evidence", "xylophone"], "no entry holds 'xylophone'"),
        (["evidence", "--says", "agree"], "Did you mean 'agrees'"),
        (["study", "advice"], "Did you mean"),
    ],
)
def test_a_name_that_is_none_is_refused_in_one_line(words, said):
    found = CliRunner().invoke(app, words)
    assert isinstance(found.exception, InputError)
    assert said in str(found.exception) and "\n" not in str(found.exception)


def test_the_pages_are_written_whole(tmp_path: Path):
    done = CliRunner().invoke(app, ["evidence", "--out", str(tmp_path)])
    assert done.exit_code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        ["evidence.html", "evidence.json", *PAGES.values()]
    )


def test_the_picture_leads_every_entry_to_its_verdict():
    atlas = packaged()
    entries = tuple(atlas.entries.values())
    drawn = picture(atlas, entries)
    ends = {id_: node.key for node in drawn.nodes if node.column == 3 for id_ in node.entries}
    assert ends == {one.id: one.verdict for one in entries}
    assert {link.entry for link in drawn.links} == set(atlas.entries)
    assert all(node.x >= 0 and node.x + node.width <= drawn.width and node.y <= drawn.height for node in drawn.nodes)
