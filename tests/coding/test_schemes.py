"""The code books are whole, consistent, found by name, in their data sets' own labels, and their page is up to date."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from coding_schemes import page
from maieutic.coding.schemes import get_scheme, scheme_names
from maieutic.errors import UnknownName

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the research data are not there (../shared/data)")


@pytest.mark.parametrize(
    ("name", "therapist", "client"),
    [
        ("annomi", 4, 3), ("bolt", 13, 6), ("misc", 6, 3), ("socratic", 6, 0), ("epitome", 9, 0),
        ("appropriateness", 2, 0), ("feedback", 16, 0),
    ],
)  # fmt: skip
def test_numbers_of_codes(name: str, therapist: int, client: int) -> None:
    scheme = get_scheme(name)
    assert (len(scheme.therapist), len(scheme.client)) == (therapist, client)


@pytest.mark.parametrize("name", scheme_names())
def test_labels_and_columns_are_unique_and_defined(name: str) -> None:
    scheme = get_scheme(name)
    labels = (*scheme.therapist, *scheme.client)
    assert len({label.id for label in labels}) == len({label.column for label in labels}) == len(labels)
    assert scheme.id == name and scheme.source and scheme.departures.endswith(".")
    for label in (*labels, *(value for facet in scheme.facets for value in facet.values)):
        assert label.column.replace("_", "").isalnum() and label.column == label.column.lower()
        assert label.definition.endswith(".") and len(label.definition.split()) >= 4
    for facet in scheme.facets:
        assert facet.speaker in ("therapist", "client") and facet.definition.endswith((".", "?"))
        assert len({value.id for value in facet.values}) == len(facet.values) >= 2


@pytest.mark.parametrize("name", scheme_names())
def test_every_label_has_examples_of_its_own(name: str) -> None:
    scheme = get_scheme(name)
    examples = [one for label in (*scheme.therapist, *scheme.client) for one in label.examples]
    assert all(2 <= len(label.examples) <= 4 for label in (*scheme.therapist, *scheme.client))
    assert len(set(examples)) == len(examples)


def test_labels_of_a_speaker() -> None:
    assert [label.id for label in get_scheme("annomi").labels("client")] == ["change", "neutral", "sustain"]
    assert get_scheme("bolt").labels("therapist")[0].column == "reflections_on_needs"
    assert get_scheme("feedback").labels("therapist")[0].column == "good_empathy"


def test_licences_keep_weights_out() -> None:
    assert {name for name in scheme_names() if get_scheme(name).local_weights} == {"epitome", "feedback"}


def test_an_unknown_scheme_gets_a_proposal() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'annomi'"):
        get_scheme("anomi")


def test_the_page_is_what_the_code_books_print() -> None:
    written = (ROOT / "docs" / "coding-schemes.md").read_text(encoding="utf-8")
    assert written == page(), "run: python recipes/coding_schemes.py > docs/coding-schemes.md"


def _column(file: str, column: str) -> set[str]:
    with (DATA / file).open(encoding="utf-8-sig", newline="") as lines:
        return {row[column] for row in csv.DictReader(lines)} - {""}


@needs_data
@pytest.mark.parametrize(
    ("name", "speaker", "file", "column"),
    [
        ("annomi", "therapist", "annomi/AnnoMI-simple.csv", "main_therapist_behaviour"),
        ("annomi", "client", "annomi/AnnoMI-simple.csv", "client_talk_type"),
        ("bolt", "therapist", "bolt/therapist_train.csv", "completion"),
        ("bolt", "client", "bolt/client_train.csv", "completion"),
        ("socratic", "therapist", "soqg/train_valid.csv", "label"),
        ("appropriateness", "therapist", "llms_as_therapists/responses_dev.csv", "correct_response"),
    ],
)
def test_label_ids_are_the_strings_of_the_data(name: str, speaker: str, file: str, column: str) -> None:
    assert {label.id for label in get_scheme(name).labels(speaker)} == _column(file, column)


@needs_data
def test_misc_and_facets_use_the_strings_of_the_data() -> None:
    misc = get_scheme("misc")
    both = {label.id for label in (*misc.therapist, *misc.client)}
    assert both == _column("hlqc/HLQC_manual_misc.csv", "t1_label_GT")
    form = {value.id for value in get_scheme("annomi").facets[0].values}
    assert form == _column("annomi/AnnoMI-full.csv", "question_subtype")
    for facet, file in zip(
        get_scheme("epitome").facets, ("emotional-reactions", "interpretations", "explorations"), strict=True
    ):
        assert {value.id for value in facet.values} == _column(f"epitome/{file}.csv", "level")


@needs_data
def test_feedback_labels_are_the_areas_of_the_data() -> None:
    found: dict[str, int] = {}
    for item in json.loads((DATA / "counseling_feedback" / "feedback.json").read_text(encoding="utf-8")):
        answer = json.loads(item["text"].partition("### Response:")[2])
        for tone in ("good", "bad"):
            for area in answer.get(f"{tone}areas") or ():
                found[f"{tone}:{area}"] = found.get(f"{tone}:{area}", 0) + 1
    assert {label.id for label in get_scheme("feedback").therapist} == {
        one for one, times in found.items() if times > 1
    }


@pytest.mark.slow
@needs_data
def test_no_text_of_the_code_books_is_from_the_data() -> None:
    def runs(text: str) -> set[tuple[str, ...]]:
        words = re.findall(r"[a-z']+", text.lower())
        return {tuple(words[at : at + 8]) for at in range(len(words) - 7)}

    own = runs(page())
    for path in sorted(DATA.rglob("*.csv")) + sorted(DATA.rglob("*.json")):
        assert not own & runs(path.read_text(encoding="utf-8", errors="replace")), path.name
