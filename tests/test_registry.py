"""Names to things: every kind can be looked up, typos are met with the nearest name, files of others are let in."""

from __future__ import annotations

import sys
import types
from pathlib import Path

import pytest

from maieutic import Request, evaluate, registry
from maieutic.domain.episode import Episode, Score
from maieutic.errors import InputError, MaieuticError, UnknownName
from maieutic.evaluation.evaluate import make_patients
from maieutic.library import get_case
from maieutic.protocols import LanguageModel, Measure, Therapist
from maieutic.registry import known, load_measures, load_model, load_therapist, lookup, measure_of_file

ARMS = ("advice", "eliza", "flattery", "no_session", "oracle", "socratic")


def test_the_packages_own_parts_are_known() -> None:
    assert set(ARMS) | {"prompted"} <= set(known("therapist"))
    assert {"simulated", "voiced", "static", "second_world"} <= set(known("patient"))
    assert {"embedded", "http", "scripted"} <= set(known("model"))
    assert list(known("therapist")) == sorted(known("therapist"))


@pytest.mark.parametrize("name", ARMS)
def test_every_arm_is_a_therapist_under_its_name(name: str) -> None:
    therapist = load_therapist(name)
    assert isinstance(therapist, Therapist)
    assert therapist.name == name


def test_a_therapist_with_a_model() -> None:
    assert load_therapist("prompted:scripted").name == "prompted:scripted"
    assert isinstance(load_model("scripted"), LanguageModel)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            "socratik",
            r"no therapist named 'socratik'\. Did you mean 'socratic'\? Known: advice, clause_question, didactic",
        ),
        ("elizza", "Did you mean 'eliza'"),
        ("", "no therapist named ''"),
        ("prompted", r"needs a model: write prompted:MODEL"),
        ("eliza:scripted", r"takes no model; write 'eliza' alone"),
        ("prompted:scriptd", "no model named 'scriptd'. Did you mean 'scripted'"),
        ("no_such_file.py:make", "no file 'no_such_file.py'"),
    ],
)
def test_what_cannot_be_loaded_says_why(spec: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_therapist(spec)


def test_unknown_patients_measures_and_models_are_named() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'simulated'"):
        lookup("patient", "simulate")
    with pytest.raises(UnknownName, match="no measure named 'x'"):
        load_measures(("x",))
    with pytest.raises(UnknownName):
        load_model("")
    with pytest.raises(UnknownName):
        lookup("tracker", "x")


def test_two_makers_cannot_have_one_name(monkeypatch: pytest.MonkeyPatch) -> None:
    known("patient")
    monkeypatch.setitem(registry._makers, "patient", {})
    registry.patient("twin")(lambda case, situation: None)
    with pytest.raises(MaieuticError, match="two patients are named 'twin'"):
        registry.patient("twin")(lambda case, situation: None)


FILE = """
class Mine:
    name = "mine"
    async def respond(self, session):
        ...
def make():
    return Mine()
def wrong():
    return object()
def broken():
    raise KeyError("inside")
value = 3
"""


def test_a_therapist_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "types.py"
    path.write_text(FILE)
    assert load_therapist(f"{path}:make").name == "mine"
    assert sys.modules["types"] is types  # a file with the name of a library module replaces nothing


@pytest.mark.parametrize(
    ("attribute", "message"),
    [
        ("mak", "Did you mean 'make'"),
        ("wrong", "must return a therapist"),
        ("broken", "failed when it was called: KeyError"),
        ("value", "failed when it was called: TypeError"),
    ],
)
def test_a_file_that_holds_no_therapist_says_why(tmp_path: Path, attribute: str, message: str) -> None:
    path = tmp_path / "mine.py"
    path.write_text(FILE)
    with pytest.raises(InputError, match=message):
        load_therapist(f"{path}:{attribute}")


@pytest.mark.parametrize("source", ["def (", "raise RuntimeError('at import')", "import no_such_module_at_all"])
def test_a_file_that_cannot_be_imported_says_why(tmp_path: Path, source: str) -> None:
    path = tmp_path / "broken_file.py"
    path.write_text(source)
    with pytest.raises(InputError, match="failed while it was imported"):
        load_therapist(f"{path}:make")


PATIENT = """
class Echo:
    name = "echo"

    def __init__(self, case):
        self.case = case

    def begin(self, rng, carried=None):
        return None

    def comprehend(self, session):
        raise AssertionError

    def transition(self, state, code, appraisal, rng):
        raise AssertionError

    async def speak(self, session, state, rng):
        from maieutic import Turn

        return Turn("patient", f"{self.case.person.name} says {len(session.turns)}.")


def make(case, situation, **parts):
    return Echo(case)


def wrong(case, situation, **parts):
    return "no patient"


def broken(case, situation):
    return Echo(case)


value = 3
"""


def test_a_patient_of_a_file_plays_in_evaluate(tmp_path: Path) -> None:
    path = tmp_path / "own_patient.py"
    path.write_text(PATIENT, encoding="utf-8")
    request = Request(("eliza",), ("gethin",), seeds=1, turns=2, patient=f"{path}:make")
    (episode,) = evaluate(request, tmp_path / "run").episodes
    said = [turn.text for turn in episode.session.by("patient")]
    assert said == ["Gethin Pugh says 0.", "Gethin Pugh says 2.", "Gethin Pugh says 4."]
    assert not episode.failed and episode.states == ()


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("{here}", "is named with what makes it"),
        ("nowhere.py:make", "no file 'nowhere.py'"),
        ("{here}:mak", "Did you mean 'make'"),
        ("{here}:value", "must be a function make"),
        ("{here}:wrong", "must return a patient"),
        ("{here}:broken", "failed when it was called: TypeError"),
        ("second_wold", "Did you mean 'second_world'"),
    ],
)
def test_a_patient_that_cannot_be_had_says_why(tmp_path: Path, spec: str, message: str) -> None:
    path = tmp_path / "own_patient.py"
    path.write_text(PATIENT, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        make_patients(spec.format(here=path))[0](get_case("gethin"), "job-centre")


def test_a_plain_function_is_a_measure_once_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    registry.known("measure")
    monkeypatch.setattr(registry, "_makers", {**registry._makers, "measure": {}})

    @registry.measure("always_half")
    def always_half(episode: Episode) -> Score:
        return Score("always_half", 0.5, "")

    (found,) = registry.load_measures(("always_half",))
    assert (found.id, found.unit, found.hidden) == ("always_half", "", False)
    assert isinstance(found, Measure)


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("nowhere.py:x", "no file"),
        ("says_so", "FILE.py:NAME"),
        ("{here}:absent", "absent"),
        ("{here}:number", "must be a function"),
    ],
)
def test_a_measure_that_cannot_be_had_says_why(tmp_path: Path, spec: str, told: str) -> None:
    (tmp_path / "mine.py").write_text("number = 3\n", encoding="utf-8")
    with pytest.raises(MaieuticError, match=told):
        measure_of_file(spec.format(here=tmp_path / "mine.py"))
