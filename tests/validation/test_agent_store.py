"""A stopped `validate agent` goes on with what it has, and only with what would be played the same way again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from maieutic.errors import StorageError
from maieutic.patients.kernel import ALTERNATIVES
from maieutic.validation.agent import sessions
from maieutic.validation.agent.sessions import Conduct, Task, conduct_store, play_all
from maieutic.worlds import SimulatorConfig

BATCH = Task("gethin", ("socratic", "wide"), (0, 1))


def row(arm: str, seed: int) -> Conduct:
    return Conduct(
        "standard", arm, "gethin", seed, "regular", (80.0, 61.25), 30.0, ((0.3, 0.2), (1 / 3, 0.9)),
        ((False, True),), (0.1, 0.2), (("Well, what happened then?", 1),), ("sad",), False, "completed", 0.5,
    )  # fmt: skip


class Player:
    """Stands for the playing of one session; stops like Ctrl-C after so many."""

    def __init__(self, stops_after: int = 99) -> None:
        self.seen: list[tuple[str, int]] = []
        self.stops_after = stops_after

    def __call__(self, batch: Task) -> list[Conduct]:
        if len(self.seen) >= self.stops_after:
            raise KeyboardInterrupt
        (arm,), (seed,) = batch.arms, batch.seeds
        self.seen.append((arm, seed))
        return [row(arm, seed)]


def test_what_is_kept_comes_back_as_it_was(tmp_path: Path) -> None:
    kept = conduct_store(tmp_path / "sessions.jsonl", resume=False)
    one = BATCH.apart()[0]
    kept.put(one, [row("socratic", 0)])
    again = conduct_store(tmp_path / "sessions.jsonl", resume=True)
    assert again.get(one) == [row("socratic", 0)]


def test_a_stopped_run_loses_what_was_in_flight_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped, ticks = Player(stops_after=3), list[int]()
    monkeypatch.setattr(sessions, "_whole", stopped)
    path = tmp_path / "sessions.jsonl"
    with pytest.raises(KeyboardInterrupt):
        play_all([BATCH], ticks.append, workers=1, store=conduct_store(path, resume=False))
    path.write_bytes(path.read_bytes() + b'{"session": "cut sh')
    rest = Player()
    monkeypatch.setattr(sessions, "_whole", rest)
    found = play_all([BATCH], ticks.append, workers=1, store=conduct_store(path, resume=True))
    assert stopped.seen + rest.seen == [("socratic", 0), ("socratic", 1), ("wide", 0), ("wide", 1)]
    assert [(r.arm, r.seed) for r in found] == stopped.seen + rest.seen
    third = Player()
    monkeypatch.setattr(sessions, "_whole", third)
    assert play_all([BATCH], ticks.append, workers=1, store=conduct_store(path, resume=True)) == found
    assert third.seen == []


def changed() -> Sequence[Task]:
    one = BATCH.apart()[0]
    other = SimulatorConfig("standard", kernel=next(iter(ALTERNATIVES.values())))
    return (
        replace(one, seeds=(1,)), replace(one, arms=("socratic_shuffled",)), replace(one, case="nodira-karimova"),
        replace(one, world=other), replace(one, turns=40), replace(one, ruptured=True), replace(one, patient="gate"),
        replace(one, patient="voiced", voice="scripted"),
    )  # fmt: skip


@pytest.mark.parametrize("other", changed(), ids=lambda batch: "other")
def test_a_session_of_another_make_is_not_taken_for_it(tmp_path: Path, other: Task) -> None:
    kept = conduct_store(tmp_path / "sessions.jsonl", resume=False)
    kept.put(BATCH.apart()[0], [row("socratic", 0)])
    assert conduct_store(tmp_path / "sessions.jsonl", resume=True).get(other) is None


def test_sessions_of_another_version_or_other_code_are_played_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = BATCH.apart()[0]
    conduct_store(tmp_path / "a.jsonl", resume=False).put(one, [row("socratic", 0)])
    for name, value in (("sessions.version", lambda _: "9.9.9"), ("agent.sessions.played_by", lambda: "other code")):
        with monkeypatch.context() as patch:
            patch.setattr(f"maieutic.validation.{name}", value)
            assert conduct_store(tmp_path / "a.jsonl", resume=True).get(one) is None
    assert conduct_store(tmp_path / "a.jsonl", resume=True).get(one) is not None


def test_without_resume_what_was_there_is_thrown_away(tmp_path: Path) -> None:
    one = BATCH.apart()[0]
    conduct_store(tmp_path / "a.jsonl", resume=False).put(one, [row("socratic", 0)])
    conduct_store(tmp_path / "a.jsonl", resume=False)
    assert conduct_store(tmp_path / "a.jsonl", resume=True).get(one) is None


def test_a_folder_in_the_place_of_the_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot write to"):
        conduct_store(tmp_path, resume=False)
