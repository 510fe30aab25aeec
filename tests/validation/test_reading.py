"""The check of comprehension: precision and recall as defined, bounds that can break, and turns that are really read."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from maieutic.domain.case import Case
from maieutic.models.scripted import ScriptedModel
from maieutic.runs.findings import Finding
from maieutic.stats import Interval
from maieutic.validation import reading
from maieutic.validation.reading import Labelled, heard, held_out, held_out_by, judged, judged_by, labelled
from rows import near


def turn(fact: str | None, reached: str | None, case: int = 0, kind: str = "fitting") -> Labelled:
    return Labelled(f"case-{case}", "situation", fact, kind, "…", reached)


def by_title(turns: list[Labelled]) -> dict[str, Finding]:
    return {f.title.split(" (")[0]: f for f in judged(turns)}


def test_precision_and_recall_are_those_of_the_definitions() -> None:
    turns = [turn("a", "a"), turn("a", "b"), turn("a", None), turn("b", "b"), turn(None, "a", kind="chat"),
             turn(None, None, kind="chat")]  # fmt: skip
    found = by_title(turns)
    precision, recall = found["precision for the fact reached"].value, found["recall for the fact reached"].value
    assert precision == Interval(near(2 / 4), None, None, 1)  # four turns reach a fact, two the right one
    assert recall == Interval(near(2 / 4), None, None, 1)  # four turns ask for a fact, two get it
    assert found["chat: turns read as labelled"].value == Interval(near(0.5), near(0.0945, 1e-3), near(0.9055, 1e-3), 2)


def test_missed_facts_are_counted_by_the_step_that_lost_them() -> None:
    lost = replace(turn("a", None), lost="the form of the turn cannot ask for a fact")
    found = by_title([turn("a", "a"), turn("b", "b"), lost, lost, turn(None, None, kind="chat")])
    share = found["fact missed: the form of the turn cannot ask for a fact"]
    assert (share.value.estimate, share.value.n, share.holds) == (near(0.5), 4, None)


def many(right: int, wrong: int, missed: int) -> list[Labelled]:
    """The same mix of turns in each of ten cases."""
    return [
        turn("a", reached, case)
        for case in range(10)
        for reached, count in (("a", right), ("b", wrong), (None, missed))
        for _ in range(count)
    ]


@pytest.mark.parametrize(
    ("mix", "precise", "complete"),
    [((9, 1, 0), True, True), ((8, 1, 0), False, True), ((7, 0, 3), True, True), ((6, 0, 3), True, False),
     ((1, 1, 1), False, False)],
)  # fmt: skip
def test_the_bounds_are_those_stated(mix: tuple[int, int, int], precise: bool, complete: bool) -> None:
    found = by_title(many(*mix))
    assert found["precision for the fact reached"].holds is precise
    assert found["recall for the fact reached"].holds is complete


def test_the_interval_must_keep_the_bound_and_the_case_is_the_unit() -> None:
    turns = many(10, 0, 0)[:-10] + [turn("a", "b", 9) for _ in range(8)] + [turn("a", "a", 9) for _ in range(2)]
    found = by_title(turns)["precision for the fact reached"]
    assert found.value is not None
    assert found.value.estimate == pytest.approx(0.92)
    assert found.value.n == 10
    assert found.holds is False


@pytest.mark.parametrize("kind", ["advice", "pile", "other_life"])
def test_what_must_not_reach_a_fact_has_a_bound_of_its_own(kind: str) -> None:
    for reached, holds in ((1, True), (2, False)):
        turns = [turn("a", "a" if n < reached else None, kind=kind) for n in range(60)]
        line = by_title([*turns, turn("a", "a")])[f"{kind}: turns that reach a fact"]
        assert line.value is not None
        assert line.value.estimate == pytest.approx(reached / 60)
        assert line.holds is holds


def test_a_models_ears_are_judged_with_its_fallbacks_and_without_them() -> None:
    own = [replace(turn("a", reached, n), by="model x") for n, reached in enumerate(["a", "a", "b", None])]
    fell = [
        replace(turn("a", None, 4), by="embedded, because the model failed: gone"),
        replace(turn("a", "a", 5), by="embedded, because the model failed: other"),
        replace(turn("a", None, 6), by="embedded, because the model gave no JSON object"),
    ]
    found = {f.title: f for f in judged_by("x", [*own, *fell])}
    values = {title: f.value.estimate for title, f in found.items() if f.value is not None}
    assert values["x: precision for the fact reached (7 held-out turns)"] == near(3 / 4)
    assert values["x: recall for the fact reached"] == near(3 / 7)
    assert values["x: turns that the model read itself"] == near(4 / 7)
    assert values["x: fell back, because the model failed"] == near(2 / 7)
    assert values["x: fell back, because the model gave no JSON object"] == near(1 / 7)
    assert values["x: precision on the 4 turns that it read itself"] == near(2 / 3)
    assert values["x: recall on the 4 turns that it read itself"] == near(2 / 4)
    assert found["x: recall for the fact reached"].holds is False
    assert not any("read itself" in f.title and "turns that it" in f.title for f in judged_by("x", fell))


def test_nothing_to_judge_by_is_not_judged() -> None:
    found = judged([])
    assert found
    assert all(f.holds is None and f.value == Interval(None, None, None, 0) for f in found)


@pytest.mark.slow
def test_the_turns_are_read_from_the_packaged_files_and_heard(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, gethin: Case
) -> None:
    situation = gethin.situations[0]
    fact = situation.evidence[0]
    rows = [
        {"case": "gethin", "situation": situation.id, "fact": fact.id, "kind": "fitting", "text": fact.asks[0]},
        {"case": "gethin", "situation": situation.id, "fact": None, "kind": "other_life",
         "text": "How is the sailing club getting on with the new boats in Porto?"},
    ]  # fmt: skip
    (tmp_path / "data").mkdir()
    text = "".join(f"{json.dumps(row)}\n" for row in rows)
    (tmp_path / "data" / "comprehension_heldout_a.jsonl").write_text(text + "\n", encoding="utf-8")
    (tmp_path / "data" / "README.md").write_text("not a turn", encoding="utf-8")
    monkeypatch.setattr(reading, "files", lambda package: tmp_path)
    [turns] = held_out()
    asked, elsewhere = heard(turns)
    assert asked == Labelled("gethin", situation.id, fact.id, "fitting", fact.asks[0], fact.id)
    assert (elsewhere.fact, elsewhere.reached, elsewhere.kind) == (None, None, "other_life")
    assert (asked.by, len(labelled())) == (None, 2)

    ticks: list[int] = []
    other = situation.evidence[1].id
    reply = {"type": "what", "about": other, "quote": fact.asks[0]}
    model = ScriptedModel(lambda m, s: json.dumps(reply) if fact.asks[0] in m[-1]["content"] else "no idea")
    monkeypatch.setattr(reading, "load_model", lambda spec: model)
    asked, elsewhere = held_out_by("scripted", tick=ticks.append)
    assert (asked.reached, asked.by) == (other, "model scripted")
    assert (elsewhere.reached, elsewhere.by) == (
        None,
        "embedded, because the patient's ear got nothing usable in 3 replies: the last is no JSON object",
    )
    assert ticks == [1, 1]


def test_the_packaged_turns_are_on_cases_that_took_no_part_in_the_calibration(cases: dict[str, Case]) -> None:
    turns = labelled()
    if not turns:
        pytest.skip("no held-out turns are packaged in maieutic/validation/data")
    for one in turns:
        case = cases[one.case]
        assert case.split == "test", one.case
        known = {e.id for s in case.situations if s.id == one.situation for e in s.evidence}
        assert known
        assert one.fact is None or one.fact in known
        assert one.text not in {ask for s in case.situations for e in s.evidence for ask in e.asks}
