"""Minimal pairs: two whole cases a file, alike in every word but the answers, playable in both worlds."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
import yaml

from command_line import maieutic
from maieutic import EpisodeKey, RuleCoder
from maieutic.dialogue import Conversation, SaidAgain, Streams, converse
from maieutic.errors import InvalidCase, UnknownName
from maieutic.evaluation.evaluate import make_patients
from maieutic.library import PAIRS, get_case, pair_ids, read_cases, select_cases
from maieutic.minimal_pairs.pair import KEYED, Pair
from maieutic.reading.yaml_text import read_yaml

EXAMPLE = PAIRS / "third-chair.yaml"


def twins(pair: str) -> tuple[Any, Any]:
    return get_case(f"{pair}-true"), get_case(f"{pair}-distorted")


@pytest.fixture
def written() -> dict[str, Any]:
    found: dict[str, Any] = read_yaml(EXAMPLE.read_text(encoding="utf-8"))
    return found


def test_there_are_enough_pairs_and_each_is_two_whole_cases_of_one_split() -> None:
    assert len(pair_ids("dev")) >= 8
    assert len(pair_ids("test")) >= 12
    assert {c.id for c in select_cases(["pairs-test"])} == {t.id for p in pair_ids("test") for t in twins(p)}
    for pair in pair_ids():
        true, distorted = twins(pair)
        assert (true.special, distorted.special, true.split) == ("accurate", None, distorted.split), pair
        assert (PAIRS / f"{pair}.yaml").stat().st_size <= 25_000, pair
    assert sum(path.stat().st_size for path in PAIRS.glob("*.yaml")) <= 525_000


def test_nothing_but_the_answers_tells_the_twins_apart() -> None:
    for pair in pair_ids():
        true, distorted = twins(pair)
        for field in set(type(true).model_fields) - {"id", "situations", "phrasings", "memory"}:
            assert getattr(true, field) == getattr(distorted, field), (pair, field)
        ours, theirs = true.phrasings.model_dump(), distorted.phrasings.model_dump()
        differing = {field for field in ours if ours[field] != theirs[field]}
        assert differing == {"conceding", "insight"}, pair
        here, there = true.situations[0], distorted.situations[0]
        for field in ("id", "happened", "automatic_thought", "emotions", "behaviour", "conviction"):
            assert getattr(here, field) == getattr(there, field), (pair, field)
        for a, b in zip(here.evidence, there.evidence, strict=True):
            assert (a.id, a.topics, a.asks, a.guard, a.weight) == (b.id, b.topics, b.asks, b.guard, b.weight), pair
            assert (a.said == b.said) == (a.bearing == b.bearing), (pair, a.id)
        assert true.memory is not None
        assert distorted.memory is not None
        units = list(zip(true.memory.units, distorted.memory.units, strict=True))
        assert all((a.id, a.asks, a.forms, a.links) == (b.id, b.asks, b.forms, b.links) for a, b in units), pair
        assert sum(a.said != b.said for a, b in units) <= 6, pair


def test_the_facts_decide_in_either_life() -> None:
    for pair in pair_ids():
        for twin, bearing in zip(twins(pair), ("for", "against"), strict=True):
            facts = twin.situations[0].evidence
            own = sum(fact.weight for fact in facts if fact.bearing == bearing)
            assert own >= 2 * sum(fact.weight for fact in facts if fact.bearing != bearing), twin.id


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (("situation", "conviction"), 99, "conviction"),
        (("accurate", "warranted"), 40, "accurate: warranted"),
        (("distorted", "experiment"), None, "an experiment is needed"),
        (("facts", 0, "both", "bearing"), None, "`bearing` stands in `both`"),
        (("facts", 4, "accurate"), None, "give either `both`"),
        (("facts", 1, "weight"), 1.0, "must weigh twice"),
        (("units", 5, "links"), [], "units that link to"),
        (("units", 0, "said"), None, "give either `said`"),
        (("style",), "loud", "style"),
        (("shape",), "round", "shape: no such key"),
    ],
)
def test_what_is_wrong_in_a_pair_is_named(
    written: dict[str, Any], tmp_path: Path, place: tuple[str | int, ...], value: Any, said: str
) -> None:
    inside: Any = written
    for key in place[:-1]:
        inside = inside[key]
    inside[place[-1]] = value
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump(written, sort_keys=False), encoding="utf-8")
    with pytest.raises(InvalidCase) as told:
        read_cases(path)
    assert said in "\n".join(told.value.problems), told.value.problems


def test_a_file_of_ones_own_brings_both_twins_and_an_unknown_twin_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(EXAMPLE.read_text(encoding="utf-8").replace("third-chair", "my-chair"), encoding="utf-8")
    assert [case.id for case in select_cases([str(path)])] == ["my-chair-distorted", "my-chair-true"]
    with pytest.raises(UnknownName, match="third-chair-true"):
        get_case("third-chair-false")


def test_a_pair_is_known_by_its_key_wherever_it_stands_and_is_not_one_case(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("# ours\n" + EXAMPLE.read_text(encoding="utf-8"), encoding="utf-8-sig")
    assert len(read_cases(path)) == 2
    with pytest.raises(InvalidCase, match="a minimal pair, which is two cases"):
        get_case(str(path))


def test_a_checked_pair_is_not_advised_to_have_the_memory_of_a_case() -> None:
    done = maieutic("patients", "check", str(EXAMPLE))
    assert done.returncode == 0, done.stderr
    assert "memory: good" in done.stdout
    assert "gap:" not in done.stdout


def test_a_line_of_talk_is_keyed_by_the_situation() -> None:
    said = get_case("third-chair-true").phrasings.model_dump()
    assert {field for field in said if isinstance(said[field], dict)} == set(KEYED)
    assert Pair.model_validate(read_yaml(EXAMPLE.read_text(encoding="utf-8"))).pair == "third-chair"


@pytest.mark.parametrize("world", ["simulated", "second_world"])
def test_asked_the_same_the_twins_answer_by_their_own_lives(world: str) -> None:
    make, _ = make_patients(world)
    asked = SaidAgain(("Who is on the list for the tour?", "Is your name up on the board for June?"))
    heard = {}
    for twin in twins("third-chair"):
        patient = make(twin, "new-seating")
        talk = Conversation(asked, patient, RuleCoder(), 2, Streams(1, EpisodeKey("again", "third-chair", 1)))
        heard[twin.id] = [turn.text for turn in asyncio.run(converse(talk)).session.by("patient")]
    true, distorted = heard["third-chair-true"], heard["third-chair-distorted"]
    assert true[0] == distorted[0]
    assert any("not there" in text or "no Pugh" in text for text in true), true
    assert any("second on the list" in text or "Pugh, E." in text for text in distorted), distorted
