"""The packaged cases: what they cover, that they share no sentences, and that malformed files are refused by name."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from maieutic.domain.case import BELIEF_TYPES, EMOTION_GROUPS, STYLES, Case
from maieutic.errors import InvalidCase, UnknownName, UnreadableFile
from maieutic.language.sentences import words
from maieutic.library import CASES, case_hash, case_ids, get_case, read_case, select_cases
from maieutic.reading.yaml_text import read_yaml


def test_the_packaged_cases_cover_the_space(cases: dict[str, Case]) -> None:
    every = list(cases.values())
    assert len(every) >= 80
    assert sum(c.split == "dev" for c in every) >= 40
    assert sum(c.split == "test" for c in every) >= 36
    beliefs = Counter(b.category for c in every for b in c.core_beliefs)
    assert set(beliefs) == set(BELIEF_TYPES)
    assert min(beliefs.values()) >= 3, beliefs
    assert {e.group for c in every for s in c.situations for e in s.emotions} == set(EMOTION_GROUPS)
    ages = [c.person.age for c in every]
    assert min(ages) <= 19
    assert max(ages) >= 79
    assert {c.severity for c in every} == {"mild", "moderate", "severe"}


def test_the_special_groups_are_large_enough(cases: dict[str, Case]) -> None:
    groups = Counter(group for c in cases.values() for group in c.groups)
    assert groups["accurate"] >= 10
    assert groups["risk"] >= 12
    assert groups["knowledge_gap"] >= 4
    assert groups["ocd_like"] >= 3
    risks = [c.risk for c in cases.values() if c.risk.level != "none"]
    assert {r.level for r in risks} == {"passive", "active", "imminent"}
    assert {r.disclosure for r in risks} == {"open", "hint", "only_when_asked"}
    assert {"psychosis", "mania"} <= {r.kind for r in risks}
    doomed = [c for c in cases.values() if any(b.category == "does_not_deserve_to_live" for b in c.core_beliefs)]
    assert all(c.risk.level != "none" for c in doomed)


@pytest.mark.parametrize("split", ["dev", "test"])
def test_the_splits_are_alike(cases: dict[str, Case], split: str) -> None:
    """Both splits hold every belief type, style and special group; no style makes up more than a third of one."""
    own = [c for c in cases.values() if c.split == split]
    assert {b.type for c in own for b in c.core_beliefs} == {"helpless", "unlovable", "worthless"}
    styles = Counter(c.style for c in own)
    assert set(styles) == set(STYLES)
    assert max(styles.values()) <= len(own) / 3
    assert min(styles.values()) >= 3
    assert {g for c in own for g in c.groups} >= {"risk", "accurate", "ocd_like"}


def test_facts_for_and_against_vary_in_their_ratio(cases: dict[str, Case]) -> None:
    ratios = [
        sum(e.bearing == "for" for e in s.evidence) / sum(e.bearing == "against" for e in s.evidence)
        for c in cases.values()
        for s in c.situations
    ]
    assert max(ratios) >= 2.0
    assert min(ratios) <= 1 / 3 + 1e-9


def test_every_patient_has_words_enough(cases: dict[str, Case]) -> None:
    for case in cases.values():
        words_of = case.phrasings.model_dump().values()
        texts = [t for v in words_of for part in (v.values() if isinstance(v, dict) else [v]) for t in part]
        assert len(texts) >= 24, case.id
        assert len(set(texts)) == len(texts), case.id
        assert case.overreadings


def test_a_case_can_be_played_in_every_style(cases: dict[str, Case]) -> None:
    for style in STYLES:
        other = get_case(f"gethin@{style}")
        assert (other.id, other.style) == (f"gethin@{style}", style)
    with pytest.raises(UnknownName, match="Did you mean 'upset'"):
        get_case("gethin@upst")


def test_ids_are_file_names_and_differ(cases: dict[str, Case]) -> None:
    assert {path.stem for path in Path(CASES).glob("*.yaml")} == set(cases)
    assert len({c.person.name for c in cases.values()}) == len(cases)
    assert len({case_hash(c) for c in cases.values()}) == len(cases)


@pytest.mark.parametrize("name", case_ids())
def test_a_case_can_be_worked_with(name: str) -> None:
    """What the dynamics and the oracle need in every situation."""
    case = get_case(name)
    for situation in case.situations:
        against = [e for e in situation.evidence if e.bearing == "against"]
        if situation.accurate:
            assert situation.warranted >= situation.conviction - 10.0
        else:
            assert len(against) >= 3
            assert situation.warranted <= situation.conviction - 30.0
            assert min(e.guard for e in against) <= 0.45, "a fact that an ordinary opening makes reachable"
        for fact in situation.evidence:
            assert len(set(fact.asks)) == len(fact.asks)
            assert len(set(fact.said)) == len(fact.said)
            assert all(ask.endswith("?") for ask in fact.asks)
    groups = {o.false_emotion for o in case.overreadings}
    assert groups <= set(EMOTION_GROUPS)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


def test_no_two_cases_share_their_wording(cases: dict[str, Case]) -> None:
    runs = {}
    for name, case in cases.items():
        runs[name] = {
            tuple(tokens[i : i + 5])
            for text in _texts(case.model_dump())
            for tokens in [words(text)]
            for i in range(len(tokens) - 4)
        }
    owners = defaultdict[tuple[str, ...], list[str]](list)
    for name, own in runs.items():
        for run in own:
            owners[run].append(name)
    pairs = Counter(pair for names in owners.values() if len(names) > 1 for pair in combinations(names, 2))
    shared = {(a, b): count / min(len(runs[a]), len(runs[b])) for (a, b), count in pairs.items()}
    worst = max(shared, key=lambda pair: shared[pair])
    print(f"most shared 5-word runs: {shared[worst]:.2%} in {worst}")
    assert shared[worst] <= 0.02


def test_the_same_sentence_stands_only_once_in_a_case(cases: dict[str, Case]) -> None:
    for name, case in cases.items():
        said = [s.strip() for s in _texts(case.phrasings.model_dump())]
        assert len(set(said)) == len(said), name


def _edited(tmp_path: Path, edit: Callable[[dict[str, Any]], None]) -> Path:
    data = read_yaml((Path(CASES) / "gethin.yaml").read_text(encoding="utf-8"))
    edit(data)
    path = tmp_path / "mine.yaml"
    path.write_text(json.dumps(data), encoding="utf-8")  # JSON is YAML, and quicker
    return path


def _set(*path: Any, to: Any) -> Callable[[dict[str, Any]], None]:
    def edit(data: Any) -> None:
        for part in path[:-1]:
            data = data[part]
        if to is _set:
            del data[path[-1]]
        else:
            data[path[-1]] = to

    return edit


@pytest.mark.parametrize(
    ("edit", "field", "expected"),
    [
        (_set("style", to="sulky"), "style", "'plain', 'upset'"),
        (_set("history", to=_set), "history", "is missing"),
        (_set("person", "age", to=12), "person.age", "greater than or equal to 18"),
        (_set("person", "age", to="old"), "person.age", "expected a whole number"),
        (_set("situations", 0, "conviction", to=120), "situations.1.conviction", "less than or equal to 95"),
        (_set("situations", 0, "warranted", to=89), "situations.1", "warranted must not exceed"),
        (
            _set("situations", 0, "evidence", 0, "guard", to=1.5),
            "situations.1.evidence.1.guard",
            "less than or equal to 1",
        ),
        (_set("situations", 0, "evidence", 0, "said", to=["Only one."]), "situations.1.evidence.1.said", "at least 2"),
        (_set("situations", 0, "emotions", 0, "group", to="bored"), "situations.1.emotions.1.group", "'sad'"),
        (_set("situations", 1, "evidence", to=[]), "situations.2.evidence", "at least 5 are needed, got 0"),
        (_set("situations", 1, "id", to="job-centre-2"), "the whole file", "phrasings.opening"),
        (_set("core_beliefs", 0, "category", to="lazy"), "core_beliefs.1.category", "'helpless'"),
        (_set("risk", to={"level": "active"}), "risk", "needs kind"),
        (_set("favourite_colour", to="blue"), "favourite_colour", "no such key"),
        (_set("id", to="Has Spaces"), "id", "pattern"),
    ],
)
def test_a_malformed_case_is_refused_with_file_field_and_expectation(
    tmp_path: Path, edit: Callable[[dict[str, Any]], None], field: str, expected: str
) -> None:
    with pytest.raises(InvalidCase) as caught:
        read_case(_edited(tmp_path, edit))
    message = str(caught.value)
    assert message.startswith("mine.yaml: ")
    assert f" {field}:" in message
    assert expected in message


def test_an_unedited_copy_is_read(tmp_path: Path) -> None:
    """A copy without the memory beside it is the same case without a memory; with it, the same case."""
    copy = _edited(tmp_path, lambda data: None)
    assert read_case(copy) == get_case("gethin").model_copy(update={"memory": None})
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / copy.name).write_bytes((CASES / "memory" / "gethin.yaml").read_bytes())
    assert read_case(copy) == get_case("gethin")


@pytest.mark.parametrize("content", [b"", b"just text", b"- a\n- b\n", b"a: [", b"\xff\xfe\x00", b"a: \x00", b"{}"])
def test_what_is_no_case_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.yaml"
    path.write_bytes(content)
    with pytest.raises(InvalidCase, match=r"^broken\.yaml: "):
        read_case(path)


def test_a_case_file_cannot_run_code(tmp_path: Path) -> None:
    path = tmp_path / "evil.yaml"
    path.write_text("!!python/object/apply:os.system ['true']")
    with pytest.raises(InvalidCase):
        read_case(path)


def test_a_missing_file_or_a_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="no case file"):
        get_case(str(tmp_path / "none.yaml"))
    (tmp_path / "folder.yaml").mkdir()
    with pytest.raises(UnreadableFile, match="cannot be read"):
        get_case(str(tmp_path / "folder.yaml"))


@pytest.mark.parametrize(
    ("typo", "meant"), [("gethn", "gethin"), ("nurse-in-charg", "nurse-in-charge"), ("hestre", "hester")]
)
def test_did_you_mean(typo: str, meant: str) -> None:
    with pytest.raises(UnknownName, match=f"no case named '{typo}'. Did you mean '{meant}'"):
        get_case(typo)


def test_selection_by_id_split_and_file(tmp_path: Path) -> None:
    assert [c.id for c in select_cases(("hester", "gethin"))] == ["gethin", "hester"]
    assert {c.id for c in select_cases(("all",))} == set(case_ids())
    assert {c.id for c in select_cases()} == set(case_ids("dev"))
    assert set(case_ids("dev")) | set(case_ids("test")) == set(case_ids())
    assert [c.id for c in select_cases((str(_edited(tmp_path, _set("id", to="mine"))), "gethin"))] == ["gethin", "mine"]
    assert [c.id for c in select_cases(("gethin", "gethin"))] == ["gethin"]


def test_belief_categories_are_nineteen_of_three_types() -> None:
    assert len(BELIEF_TYPES) == 19
    assert set(BELIEF_TYPES.values()) == {"helpless", "unlovable", "worthless"}
