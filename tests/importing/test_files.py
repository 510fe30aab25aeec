"""Drafts on disk: markers are refused by name, filled drafts can be played, and nothing is written by halves."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
import yaml
from profiles import HUB, eeyore, psi, psi_person, write
from typer.testing import CliRunner

from maieutic.cli.patients import app
from maieutic.dialogue import converse
from maieutic.domain.case import Case, unfilled
from maieutic.errors import InputError, InvalidCase, StorageError
from maieutic.importing.draft import dotted, marked
from maieutic.importing.profiles import LABEL, WARRANTED, as_yaml, filled, read_profiles, write_drafts
from maieutic.library import read_case
from talks import Speaker, make_patient, make_talk

PROFILES = {"psi": psi_person(), "eeyore": [eeyore()], **{name: [record] for name, record in HUB.items()}}
GENTLE = ("What happened with the letter?", "How did you feel?", "What went through your mind?")
ADULTS = [name for name in PROFILES if name not in ("patientZero", "saps")]


@pytest.mark.parametrize("name", PROFILES)
def test_every_missing_part_is_a_marker(name: str, tmp_path: Path) -> None:
    for imported in read_profiles(write(tmp_path, PROFILES[name])):
        assert sorted(dotted(path) for path, _ in unfilled(marked(imported))) == sorted(
            m.field for m in imported.missing
        )


def test_a_draft_is_refused_by_the_name_of_its_first_empty_field(tmp_path: Path) -> None:
    (path,) = write_drafts(read_profiles(write(tmp_path, [psi()])), tmp_path / "out")
    with pytest.raises(InvalidCase, match=r"ottoline\.yaml: person\.age: still to be written: age in years"):
        read_case(path)


def test_a_case_with_one_marker_left_is_refused(tmp_path: Path) -> None:
    draft, _ = filled(read_profiles(write(tmp_path, [psi()]))[0])
    draft["phrasings"]["warmed"][1] = "TODO: another way"
    with pytest.raises(ValueError, match=r"phrasings\.warmed\.1\s+still to be written: another way"):
        Case.model_validate(draft)


@pytest.mark.parametrize("name", ADULTS)
def test_a_filled_draft_is_a_case_that_keeps_the_source(name: str, tmp_path: Path) -> None:
    for imported in read_profiles(write(tmp_path, PROFILES[name])):
        draft, named = filled(imported)
        case = Case.model_validate(draft)
        assert {m.field for m in imported.missing} <= set(named)
        assert len(named) == len(set(named))
        for path, value in leaves(imported.draft):
            assert at(draft, path) == value, path
        for situation in case.situations:
            if f"situations.{case.situations.index(situation)}.warranted" in named:
                assert situation.warranted == WARRANTED
            assert all(LABEL in e.fact for e in situation.evidence if e.bearing == "against")
        assert not any(LABEL in text for text in spoken(case))


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[tuple[Any, ...], Any]]:
    if isinstance(value, dict):
        return [leaf for key, part in value.items() for leaf in leaves(part, (*path, key))]
    if isinstance(value, list):
        return [leaf for index, part in enumerate(value) for leaf in leaves(part, (*path, index))]
    return [(path, value)]


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for part in path:
        value = value[part]
    return value


def spoken(case: Case) -> list[str]:
    phrasings = [text for _, text in leaves(case.phrasings.model_dump(mode="json"))]
    return phrasings + [text for s in case.situations for e in s.evidence for text in e.said]


def test_a_filled_case_can_be_played(tmp_path: Path) -> None:
    (path,) = write_drafts(read_profiles(write(tmp_path, psi_person()[:2])), tmp_path / "out", fill=True)
    episode = asyncio.run(converse(make_talk(Speaker(turns=GENTLE), make_patient(read_case(path)), turns=6)))
    assert episode.ending.kind == "turn_limit"
    assert len(episode.states) == 7


def test_the_head_names_every_filled_field(tmp_path: Path) -> None:
    imported = read_profiles(write(tmp_path, [eeyore()]))[0]
    text = as_yaml(imported, fill=True)
    head = [line for line in text.splitlines() if line.startswith("#")]
    assert any("not from the source" in line for line in head)
    assert {f"#   {name}" for name in filled(imported)[1]} <= set(head)
    assert yaml.safe_load(text)["person"]["age"] == 34  # the middle of the band that the source gives
    assert yaml.safe_load(text)["risk"]["level"] == "passive"


def test_a_child_is_never_filled(tmp_path: Path) -> None:
    child = read_profiles(write(tmp_path, [HUB["patientZero"]]))
    with pytest.raises(InvalidCase, match="15"):
        filled(child[0])
    assert write_drafts(child, tmp_path / "out", fill=True) == []
    assert not (tmp_path / "out").exists()


def test_nothing_is_written_over_or_by_halves(tmp_path: Path) -> None:
    profiles, out = read_profiles(write(tmp_path, psi_person())), tmp_path / "out"
    out.mkdir()
    (out / "quill.yaml").write_text("mine")
    with pytest.raises(InputError, match="is there already"):
        write_drafts(profiles, out)
    assert [p.name for p in out.iterdir()] == ["quill.yaml"]
    assert (out / "quill.yaml").read_text() == "mine"
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot be written"):
        write_drafts(profiles, tmp_path / "file" / "below")


def test_the_command_reports_and_writes(tmp_path: Path) -> None:
    out, run = tmp_path / "out", CliRunner()
    words = ["import", str(write(tmp_path, psi_person())), "--out", str(out)]
    done = run.invoke(app, words)
    assert done.exit_code == 0, done.output
    assert sorted(p.name for p in out.iterdir()) == ["ottoline.yaml", "quill.yaml"]
    done = run.invoke(
        app, ["import", str(write(tmp_path, [eeyore()])), "--out", str(tmp_path / "f"), "--fill", "--source", "eeyore"]
    )
    assert done.exit_code == 0, done.output
    assert read_case(tmp_path / "f" / "eeyore-1.yaml").person.work == "Beekeeper"
    assert run.invoke(app, ["check", str(tmp_path / "f")]).exit_code == 0
    assert run.invoke(app, ["check", str(out)]).exit_code == 2
    bad = run.invoke(app, ["import", str(tmp_path / "gone.json"), "--out", str(tmp_path / "g")])
    assert isinstance(bad.exception, InputError)
    assert not (tmp_path / "g").exists()
