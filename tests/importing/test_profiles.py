"""Published formats are told apart, read by wording, and never given what they do not say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from profiles import DATA, HUB, eeyore, psi, psi_person, write

from maieutic.domain.case import BELIEF_TYPES, EMOTION_GROUPS
from maieutic.errors import InvalidCase, UnknownName, UnreadableFile
from maieutic.importing.draft import Imported, age_of, belief_categories, emotion_groups, risk_level, slug
from maieutic.importing.first_person import Who, in_first_person
from maieutic.importing.formats import format_of
from maieutic.importing.profiles import read_profiles

ITEMS = {
    "I am helpless.": "helpless", "I'm incompetent.": "incompetent", "I am powerless and weak.": "powerless",
    "I am a victim.": "victim", "I am needy.": "needy", "I am trapped.": "trapped", "I am out of control.": "out_of_control",
    "I am a loser.": "failure", "I am defective.": "defective", "I'm unlovable.": "unlovable", "I am unattractive.": "unattractive",
    "I am unwanted.": "undesired", "I am bound to be rejected.": "bound_to_be_rejected",
    "People are bound to abandon me; abandoned again.": "bound_to_be_abandoned", "I am bound to be alone.": "bound_to_be_alone",
    "I am a waste.": "worthless", "I am immoral.": "immoral", "I am bad - toxic, evil.": "bad",
    "I don't deserve to live.": "does_not_deserve_to_live",
}  # fmt: skip
WORDS = {
    "down": "sad", "tense": "anxious", "mad": "angry", "humiliated": "ashamed", "disappointed": "disappointed",
    "envious": "jealous", "guilty": "guilty", "hurt": "hurt", "suspicious": "suspicious",
}  # fmt: skip


def strings(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [s for part in value.values() for s in strings(part)]
    if isinstance(value, list):
        return [s for part in value for s in strings(part)]
    return [value] if isinstance(value, str) else []


def one(tmp_path: Path, record: dict[str, Any]) -> Imported:
    return read_profiles(write(tmp_path, [record]))[0]


@pytest.mark.parametrize(("statement", "category"), ITEMS.items(), ids=ITEMS.values())
def test_each_core_belief_has_its_category(statement: str, category: str) -> None:
    assert belief_categories(statement) == (category,)


def test_all_categories_and_groups_are_covered() -> None:
    assert set(ITEMS.values()) == set(BELIEF_TYPES)
    assert set(WORDS.values()) == set(EMOTION_GROUPS)


@pytest.mark.parametrize(("word", "group"), WORDS.items())
def test_each_feeling_has_its_group(word: str, group: str) -> None:
    assert emotion_groups([word]) == [group]


def test_what_fits_no_category_is_left_open() -> None:
    assert belief_categories("I am a lighthouse.") == ()
    assert belief_categories("I am incompetant.") == ("incompetent",)
    assert belief_categories("the helpless belief that nobody comes") == ()
    assert emotion_groups("zesty") == []


def test_a_person_of_several_diagrams_is_one_draft(tmp_path: Path) -> None:
    first, second = read_profiles(write(tmp_path, psi_person()))
    draft = first.draft
    assert (first.name, first.source, second.name) == ("Ottoline", "patient_psi", "Quill")
    assert [b["category"] for b in draft["core_beliefs"]] == ["powerless", "failure", "worthless"]
    assert draft["intermediate_beliefs"] == {
        "attitudes": ["Boats are for the strong."],
        "rules": ["I must never be late."],
        "assumptions": ["If I ask for a berth, they will laugh."],
    }
    assert draft["coping"] == ["Stays at home.", "Counts the boats."]
    assert draft["style"] == "reserved"
    assert [s["happened"] for s in draft["situations"]] == [
        "A letter came from the harbour.",
        "The harbour master did not greet her.",
    ]
    assert draft["situations"][0]["emotions"] == [{"group": g} for g in ("anxious", "sad", "jealous")]
    assert any("hurt left out" in note for note in first.notes)
    why = {m.field: m.why for m in first.missing}
    assert "zesty" in why["situations.1.emotions"]
    assert {"person.age", "situations.0.evidence", "situations.1.warranted", "phrasings.opening", "risk"} <= set(why)
    assert "situations.1" in {m.field for m in second.missing}


def test_a_draft_holds_only_what_the_source_says(tmp_path: Path) -> None:
    for record in (psi(), eeyore(), *HUB.values()):
        imported = one(tmp_path, record)
        ours = {imported.draft["id"], "dev", *BELIEF_TYPES, *EMOTION_GROUPS, "suicide", "none", "passive", "active"}
        ours |= {s["id"] for s in imported.draft["situations"]}
        source = " ".join(" ".join(strings(record)).split()).lower()
        for text in strings(imported.draft):
            assert text in ours or text.lower() in source, (imported.source, text)
        given = {m.field for m in imported.missing}
        assert not any(key in imported.draft for key in ("goals", "overreadings", "phrasings"))
        assert {"goals", "overreadings"} <= given
        assert all(m.why and m.expected for m in imported.missing)


def test_eeyore_grades_risk_and_gives_an_age_band(tmp_path: Path) -> None:
    imported = one(tmp_path, eeyore())
    why = {m.field: m.why for m in imported.missing}
    assert imported.draft["severity"] == "moderate"
    assert imported.draft["risk"] == {"level": "passive", "kind": "suicide"}
    assert "25~44" in why["person.age"]
    assert "resistance" in why["style"]
    assert {"risk.disclosures", "person.name", "person.culture"} <= set(why)
    assert [e["group"] for e in imported.draft["situations"][0]["emotions"]] == ["guilty", "sad"]
    assert risk_level("Severe suicidal ideation: no plan") == "active"
    assert risk_level("No suicidal ideation") == "none"
    assert risk_level("Cannot be identified") is None


@pytest.mark.parametrize("name", HUB)
def test_each_simulators_characters_are_told_by_their_keys(name: str, tmp_path: Path) -> None:
    assert format_of(HUB[name]) == name
    assert one(tmp_path, HUB[name]).source == "patienthub"
    assert format_of(psi()) == "patientPsi"
    assert format_of(eeyore()) == "eeyore"


def test_children_are_refused(tmp_path: Path) -> None:
    assert "15" in str(one(tmp_path, HUB["patientZero"]).refused)
    assert one(tmp_path, HUB["saps"]).refused is not None
    assert one(tmp_path, HUB["talkDep"]).refused is None
    assert age_of("17")[0] is None
    assert age_of(18) == (18, None)


def test_a_reaction_is_taken_apart(tmp_path: Path) -> None:
    first, second = one(tmp_path, HUB["mindVoyager"]).draft["situations"]
    assert first["automatic_thought"] == "It is always me."
    assert first["emotions"] == [{"group": "angry"}]
    assert first["behaviour"] == "Kicks the pump."
    assert "automatic_thought" not in second


BAD = {
    "unknown": ('[{"hat": 1}]', InvalidCase, "patient_psi, eeyore, patienthub.*hat"),
    "not json": ("{", UnreadableFile, "is not JSON"),
    "a number": ("3", InvalidCase, "list of profiles"),
    "empty": ("[]", InvalidCase, "list of profiles"),
    "of strings": ('["a"]', InvalidCase, "list of profiles"),
    "deep": ("[" * 100_000, UnreadableFile, "JSON|deep"),
}


@pytest.mark.parametrize(("text", "error", "message"), BAD.values(), ids=BAD)
def test_what_cannot_be_read_says_why(text: str, error: type[Exception], message: str, tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    path.write_text(text)
    with pytest.raises(error, match=message):
        read_profiles(path)


def test_files_and_sources_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="no file"):
        read_profiles(tmp_path / "gone.json")
    with pytest.raises(UnreadableFile, match="cannot be read"):
        read_profiles(tmp_path)
    path = write(tmp_path, [psi()])
    with pytest.raises(UnknownName, match="Did you mean 'eeyore'"):
        read_profiles(path, "eyore")
    with pytest.raises(InvalidCase, match="not a profile of eeyore"):
        read_profiles(path, "eeyore")
    assert read_profiles(path, "patienthub")[0].source == "patienthub"
    with pytest.raises(InvalidCase, match="profile 2 is not of the format"):
        read_profiles(write(tmp_path, [psi(), eeyore()]))
    with pytest.raises(InvalidCase, match="unexpected form"):
        read_profiles(write(tmp_path, [psi(helpless_belief=3)]))


def test_ids_differ_and_keep_to_letters(tmp_path: Path) -> None:
    names = [
        i.draft["id"]
        for i in read_profiles(
            write(tmp_path, [psi(), psi(id="9-1"), psi(name="Łódź 3", id="1-1"), psi(name="", id="2-1")])
        )
    ]
    assert len(set(names)) == 4
    assert names[0] == "ottoline"
    assert slug("  ") == ""


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("Hides the letter; avoids the quay.", "Hides the letter; avoids the quay."),
        ("Avoids asking for help.", "I avoid asking for help."),
        ("Wim worries about his nets.", "I worry about my nets."),
        ("He has a plan and carries it out", "I have a plan and carries it out."),
        ("I am late.", "I am late."),
        ("You burnt your roast.", "I burnt my roast."),
    ],
)  # fmt: skip
def test_sentences_are_turned_by_plain_rules(sentence: str, said: str) -> None:
    turned = in_first_person(sentence, Who("Wim", "he"))
    assert turned == said or turned == said.replace("Hides", "I hide").replace("avoids", "avoid")


def test_unclear_pronouns_are_quoted_not_turned() -> None:
    assert '"He never met him."' in in_first_person("He never met him.", Who("Wim", "he"))
    assert '"His brother left."' in in_first_person("His brother left.", Who("Wim", "he"))


REAL = (
    sorted(DATA.glob("patienthub/*.json"))
    + sorted(DATA.glob("patient_psi/*.json"))
    + sorted(DATA.glob("eeyore/*.json"))
)


@pytest.mark.skipif(not REAL, reason="the published profiles are not in ../shared/data")
def test_every_published_profile_is_read() -> None:
    from maieutic.domain.case import Case
    from maieutic.importing.profiles import filled

    for path in REAL:
        for imported in read_profiles(path)[:40]:
            if imported.refused is None:
                draft, named = filled(imported)
                assert Case.model_validate(draft).id == imported.draft["id"]
                assert len(named) >= len(imported.missing)
