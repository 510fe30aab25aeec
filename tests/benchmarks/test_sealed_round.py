"""The sealed round is drawn, played, listed and counted as its plan says."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from benchmark_modules import benchmark

benchmark("worded")
benchmark("replaying")
benchmark("said_again")
sealed = benchmark("sealed_round")
tables = benchmark("sealed_table")
lists = benchmark("sealed_lists")
PLAN = Path(sealed.__file__).parent / "plans" / "sealed_round.md"
DEV = ["gethin", "nilani", "hester", "ifeoma"]


def test_each_player_meets_each_case_once_and_each_arm_three_times() -> None:
    drawn = sealed.assignment([*sealed.REGULAR, *sealed.ACCURATE])
    assert len(drawn) == 48 and len({one.id for one in drawn}) == 48
    assert set(Counter((one.player, one.case) for one in drawn).values()) == {1}
    assert set(Counter((one.case, one.arm) for one in drawn).values()) == {1}
    assert set(Counter((one.player, one.arm) for one in drawn).values()) == {3}
    assert drawn == sealed.assignment([*sealed.REGULAR, *sealed.ACCURATE])


def test_the_plan_names_the_cases_the_scripts_and_the_lot() -> None:
    told = PLAN.read_text(encoding="utf-8")
    for name in (*sealed.REGULAR, *sealed.ACCURATE, *sealed.REFERENCE, str(sealed.LOT)):
        assert name in told, name


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A round of four cases, of which one session of each arm was begun."""
    folder = tmp_path_factory.mktemp("round")
    sealed.assign(folder, DEV)
    for arm in sealed.ARMS:
        one = next(one for one in sealed.sittings_of(folder) if one.arm == arm and one.case == "gethin")
        for text in ("What happened that morning?", "Who was across the desk from you?"):
            assert sealed.say(folder, one.id, text) == 0
    return folder


def test_a_player_reads_the_patient_and_how_many_turns_are_used(
    played: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = next(one for one in sealed.sittings_of(played) if one.case == "nilani")
    assert sealed.say(played, one.id, None) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("PATIENT: ") and lines[1:] == ["[0 of 20 turns used]"]


def test_what_goes_wrong_tells_a_player_nothing(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (played / "sessions" / "broken.json").write_text("{", encoding="utf-8")
    key = json.loads((played / "key.json").read_text(encoding="utf-8"))
    kept = json.dumps(key)
    key["sittings"].append(["broken", "A", "gethin", "skilled_socratic"])
    (played / "key.json").write_text(json.dumps(key), encoding="utf-8")
    assert sealed.say(played, "broken", "Hello?") == 1
    assert sealed.say(played, "s99", "Hello?") == 1
    (played / "key.json").write_text(kept, encoding="utf-8")
    told = capsys.readouterr()
    assert told.out.splitlines() == [
        "This turn could not be played. Tell whoever asked you.",
        "There is no such session.",
    ]
    assert not told.err


async def test_sessions_become_numbers_and_no_words(played: Path) -> None:
    found = [one for one in await sealed.played_sessions(played) if one["turns"]]
    assert Counter(one["arm"] for one in found) == Counter(sealed.ARMS)
    assert {one["turns"] for one in found} == {2} and {one["held"][0] for one in found} == {found[0]["held"][0]}
    kept = json.dumps(found)
    assert "desk" not in kept and "morning" not in kept


def test_marks_come_back_to_the_pieces_that_every_marker_read(
    played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = [("THERAPIST", "What brings you here to me today?"), ("CLIENT", "I could not say no to her again.")] * 30
    monkeypatch.setattr(lists, "human_talks", lambda data: {str(number): talk for number in range(30)})
    lists.sample(played, tmp_path, tmp_path)
    key = json.loads((tmp_path / "key.json").read_text(encoding="utf-8"))
    assert key["replies-1"] != key["replies-2"]
    assert sorted(key["replies-1"]) == sorted(key["replies-2"])
    assert "gethin" not in (tmp_path / "replies-1.md").read_text(encoding="utf-8")
    for marker in (1, 2, 3):
        rows = [
            {"n": number, "mark": "fits" if kind == "human" else "not"}
            for number, (_, kind, _) in enumerate(key[f"replies-{marker}"], 1)
        ]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / f"replies-{marker}.answer.jsonl").write_text(text, encoding="utf-8")
    marks = lists.given(tmp_path, "replies", "mark")
    assert {tuple(row[2:]) for row in marks if row[0] == "human"} == {("fits",) * 3}
    assert {tuple(row[2:]) for row in marks if row[0] != "human"} == {("not",) * 3}


def session(arm: str, case: str, fall: float, player: str = "", **more: Any) -> dict[str, Any]:
    empty = {"group": "regular", "turns": 20, "left": False, "distress": [60, 50], "bond": [0.4, 0.5], "disclosed": 3}
    counted = {"routes": {"against wide": 1, "against asked": 3}, "repeats": 0}
    return {"arm": arm, "case": case, "player": player, "held": [80.0, 80.0 - fall]} | empty | counted | more


def test_contrasts_are_paired_by_case_and_take_players_out() -> None:
    cases = [*sealed.REGULAR, *sealed.ACCURATE]
    effect = dict(zip(sealed.ARMS, (12.0, 2.0, 3.0, 0.0), strict=True))
    luck = {case: number % 5 for number, case in enumerate(cases)}
    gift = dict(zip(sealed.PLAYERS, (3.0, -1.0, 0.0, 2.0), strict=True))
    own = [
        session(one.arm, one.case, effect[one.arm] + luck[one.case] + gift[one.player], one.player)
        for one in sealed.assignment(cases)
    ]
    beside = [session(arm, case, luck[case] + share, "") for case in cases for arm, share in
              (("no_session", 0.0), *((arm, 4.0) for arm in sealed.REFERENCE[1:]))]  # fmt: skip
    rows = tables.fallen([*own, *beside])
    apart = tables.crossed(rows, *sealed.ARMS[:2])
    assert apart.estimate == pytest.approx(10.0) and apart.high - apart.low < 1e-6
    paired = tables.beyond(rows, *sealed.ARMS[:2])
    assert paired.low < 10.0 < paired.high and paired.high - paired.low > 1.0
    told = "\n".join(
        tables.table({"date": "d", "drawn with": "x", "measured with": "x", "sessions": own, "reference": beside})
    )
    assert "by player A +11.0, B +7.0, C +8.0, D +10.0" in told
    assert "skilled_socratic    0.25 [0.25, 0.25]" in told


def test_agreement_and_arms_are_told_from_stored_ratings() -> None:
    rng = Random(1)
    marks = [["human", f"c{n}", *[rng.choice(("fits", "not"))] * 3] for n in range(40)]
    assert "alpha, all pieces: 1.00 [1.00, 1.00]" in tables._marks(marks)[-1]
    rows = [
        [arm, f"c{n}", 5 - 2 * (arm != sealed.ARMS[0]) + n % 2, 5 - 2 * (arm != sealed.ARMS[0])]
        for arm in sealed.ARMS
        for n in range(8)
    ]
    assert "skilled_supportive 2.00" in tables._arms_apart(rows, "adherence")[0]
