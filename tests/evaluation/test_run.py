"""Whole runs: concurrency, kills at any byte, failures, budgets, resuming, a full disk."""

from __future__ import annotations

import asyncio
import errno
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maieutic.coding.rules import RuleCoder
from maieutic.domain.case import Case
from maieutic.domain.episode import Episode, EpisodeKey, Session, Turn, Usage
from maieutic.errors import BudgetReached, InputError, ModelError, StorageError
from maieutic.evaluation.journal import EpisodeJournal, read_journal
from maieutic.evaluation.plan import Plan
from maieutic.evaluation.run import Limits, Runner
from maieutic.library import select_cases
from maieutic.protocols import Patient
from maieutic.registry import load_therapist
from talks import Speaker, make_patient

_PATIENTS: dict[tuple[str, str], Patient] = {}


def patient_for(case: Case, situation: str) -> Patient:
    """One cheap patient for each situation in all tests of this file."""
    if (case.id, situation) not in _PATIENTS:
        _PATIENTS[case.id, situation] = make_patient(case, situation)
    return _PATIENTS[case.id, situation]


@dataclass
class Slow(Speaker):
    """Gives the other dialogues a chance to go first, more or less often by turn."""

    async def respond(self, session: Session) -> Turn:
        for _ in range((session.seed + len(session)) % 4):
            await asyncio.sleep(0)
        return await super().respond(session)


def plan_of(
    *therapists: Any, cases: tuple[str, ...] = ("gethin", "joel-salonga"), seeds: int = 2, turns: int = 4
) -> Plan:
    return Plan(
        {t.name: t for t in therapists},
        {case.id: case for case in select_cases(cases)},
        {t.name: seeds for t in therapists},
        turns,
        run_seed=7,
    )


def run(plan: Plan, folder: Path, *, resume: bool = False, **limits: Any) -> list[Episode]:
    done = read_journal(folder / "journal") if resume else None
    runner = Runner(plan, patient_for, RuleCoder(), Limits(**limits))
    return asyncio.run(runner.run(folder, done=done))


def test_a_run_holds_every_cell_of_the_grid_in_order(tmp_path: Path) -> None:
    plan = plan_of(Speaker(), load_therapist("eliza"), load_therapist("no_session"))
    episodes = run(plan, tmp_path)
    assert [e.key for e in episodes] == sorted(plan.grid())
    assert {k: r.closed for k, r in read_journal(tmp_path / "journal").items()} == dict.fromkeys(plan.grid(), True)


def test_concurrency_changes_nothing(tmp_path: Path) -> None:
    one = run(plan_of(Slow(), load_therapist("socratic")), tmp_path / "one", concurrency=1)
    eight = run(plan_of(Slow(), load_therapist("socratic")), tmp_path / "eight", concurrency=8)
    assert one == eight
    order = [line[:60] for line in (tmp_path / "eight/journal/0001.jsonl").read_text().splitlines()]
    assert len(set(order[:8])) > 1  # dialogues did run side by side


def test_the_patients_luck_is_the_same_in_all_arms(tmp_path: Path) -> None:
    arms = [load_therapist(name) for name in ("oracle", "socratic", "advice", "no_session")]
    starts: dict[tuple[str, int], set[str]] = {}
    for episode in run(plan_of(*arms), tmp_path):
        starts.setdefault(episode.key[1:], set()).add(repr(episode.states[0]))
    assert len(starts) == 4
    assert all(len(states) == 1 for states in starts.values())
    assert len({next(iter(s)) for s in starts.values()}) == 4


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Episode], bytes]:
    folder = tmp_path_factory.mktemp("whole")
    episodes = run(plan_of(Slow(ends_at=3)), folder, concurrency=3)
    return episodes, (folder / "journal" / "0001.jsonl").read_bytes()


@given(cuts=st.lists(st.floats(0.0, 1.0), min_size=1, max_size=2))
@settings(max_examples=25)
def test_a_run_killed_at_any_byte_goes_on_and_asks_for_missing_turns_only(
    whole: tuple[list[Episode], bytes], tmp_path_factory: pytest.TempPathFactory, cuts: list[float]
) -> None:
    episodes, written = whole
    folder = tmp_path_factory.mktemp("killed")
    (folder / "journal").mkdir()
    (folder / "journal" / "0001.jsonl").write_bytes(written[: int(cuts[0] * len(written))])
    for number, cut in enumerate(cuts[1:], start=2):
        assert run(plan_of(Slow(ends_at=3)), folder, resume=True, concurrency=2) == episodes
        again = folder / "journal" / f"{number:04d}.jsonl"
        again.write_bytes(again.read_bytes()[: int(cut * again.stat().st_size)])
    kept = sum(t.speaker == "therapist" for r in read_journal(folder / "journal").values() for t in r.turns)
    therapist = Slow(ends_at=3)
    assert run(plan_of(therapist), folder, resume=True, concurrency=3) == episodes
    assert len(therapist.asked) == sum(len(e.therapist_turns) for e in episodes) - kept
    assert len(set(therapist.asked)) == len(therapist.asked)
    stored = read_journal(folder / "journal")
    assert [stored[e.key].episode(e.key, e.session.seed) for e in episodes] == episodes


def test_a_killed_arm_without_session_goes_on_too(tmp_path: Path) -> None:
    plan = plan_of(load_therapist("no_session"), seeds=1)
    episodes = run(plan, tmp_path / "whole")
    written = (tmp_path / "whole/journal/0001.jsonl").read_bytes()
    for part in range(1, 12):
        folder = tmp_path / str(part)
        (folder / "journal").mkdir(parents=True)
        (folder / "journal/0001.jsonl").write_bytes(written[: part * len(written) // 12])
        assert run(plan, folder, resume=True) == episodes
        stored = read_journal(folder / "journal")
        assert [stored[e.key].episode(e.key, e.session.seed) for e in episodes] == episodes


@pytest.mark.parametrize("error", [ZeroDivisionError("a bug of its own"), ModelError("gone"), AssertionError()])
def test_an_exception_in_a_therapist_is_a_failed_episode_and_the_rest_goes_on(tmp_path: Path, error: Exception) -> None:
    broken = Speaker("broken", breaks_at=2, error=error)
    episodes = run(plan_of(broken, Speaker("sound")), tmp_path)
    failed = [e for e in episodes if e.failed]
    assert {e.key.therapist for e in failed} == {"broken"}
    assert len(failed) == 4
    for episode in failed:
        assert episode.ending.reason is not None
        assert episode.ending.reason.startswith(type(error).__name__)
        assert len(episode.therapist_turns) == 2
    stored = read_journal(tmp_path / "journal")
    assert [stored[e.key].episode(e.key, e.session.seed) for e in episodes] == episodes


def test_failed_episodes_are_kept_on_resume(tmp_path: Path) -> None:
    before = run(plan_of(Speaker(breaks_at=2)), tmp_path)
    mended = Speaker()
    assert run(plan_of(mended), tmp_path, resume=True) == before
    assert mended.asked == []


def test_a_therapist_that_returns_nonsense_is_a_failed_episode(tmp_path: Path) -> None:
    class Nonsense:
        name = "nonsense"

        async def respond(self, session: Session) -> Any:
            return "not a turn"

    episodes = run(plan_of(Nonsense(), seeds=1), tmp_path)
    assert all(e.failed and e.ending.reason for e in episodes)


@pytest.mark.parametrize("concurrency", [1, 4])
def test_a_budget_of_calls_stops_the_run_and_it_goes_on(tmp_path: Path, concurrency: int) -> None:
    whole = run(plan_of(Speaker()), tmp_path / "whole")
    folder, rounds, asked = tmp_path / "parts", 0, 0
    while True:
        therapist = Speaker()
        try:
            episodes = run(plan_of(therapist), folder, resume=rounds > 0, max_calls=5, concurrency=concurrency)
        except BudgetReached as error:
            assert "--max-calls 5" in str(error)
            assert 5 <= len(therapist.asked) <= 5 + concurrency - 1  # calls in flight are let through
            asked += len(therapist.asked)
            rounds += 1
            assert rounds < 10
            continue
        asked += len(therapist.asked)
        break
    assert episodes == whole
    assert rounds == 3 if concurrency == 1 else 2 <= rounds <= 3
    assert asked == sum(len(e.therapist_turns) for e in whole)


def test_a_budget_of_cost_stops_the_run(tmp_path: Path) -> None:
    therapist = Speaker()
    with pytest.raises(BudgetReached, match="--max-cost"):
        run(plan_of(therapist), tmp_path, max_cost=0.00006, prices=(1.0, 2.0), concurrency=1)
    assert len(therapist.asked) == 3  # ten tokens in at 1 and five out at 2 are 0.00002 a call


@dataclass
class Full(EpisodeJournal):
    """A journal on a disk that fills up after some lines."""

    folder: Path
    lines: int = 6
    written: int = field(default=0)

    def __post_init__(self) -> None:
        super().__init__(self.folder)

    def write(self, line: bytes) -> None:
        self.written += 1
        if self.written == self.lines:
            self._file.close()
            self._file = Path("/dev/full").open("wb")  # noqa: SIM115
        super().write(line)


def test_a_full_disk_stops_the_run_with_its_reason_and_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = run(plan_of(Speaker()), tmp_path / "whole")
    with monkeypatch.context() as patch:
        patch.setattr("maieutic.evaluation.run.EpisodeJournal", Full)
        with pytest.raises(StorageError, match=r"disk is full.*--resume"):
            run(plan_of(Speaker()), tmp_path / "full", concurrency=3)
    assert run(plan_of(Speaker()), tmp_path / "full", resume=True) == whole


def test_a_journal_that_breaks_in_another_way_is_a_storage_error_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Gone:
        def write(self, data: bytes) -> int:
            raise OSError(errno.EIO, "Input/output error")

        def close(self) -> None: ...

    journal = EpisodeJournal(tmp_path)
    journal.close()
    journal._file = Gone()  # type: ignore[assignment]
    with pytest.raises(StorageError, match="Input/output error"):
        journal.write(b"{}\n")


def test_bad_input_is_no_failed_episode(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        run(plan_of(Speaker(breaks_at=1, error=InputError("cannot be used"))), tmp_path)


def test_arms_with_a_model_in_this_process_go_after_the_others_and_one_by_one(tmp_path: Path) -> None:
    order: list[str] = []

    @dataclass
    class Local(Speaker):
        model: Any = None

        async def respond(self, session: Session) -> Turn:
            order.append(self.name)
            await asyncio.sleep(0)
            return Turn("therapist", "I see.", usage=Usage(1))

    class Here:
        name, local = "here", True

    run(plan_of(Local("a", model=Here()), Local("z"), Local("b", model=Here())), tmp_path)
    firsts = [order.index(name) for name in ("z", "a", "b")]
    lasts = [len(order) - 1 - order[::-1].index(name) for name in ("z", "a", "b")]
    assert firsts == sorted(firsts)
    assert lasts[0] < firsts[1]
    assert lasts[1] < firsts[2]


def test_the_key_of_an_episode_names_its_stream(tmp_path: Path) -> None:
    seeds = {e.key: e.session.seed for e in run(plan_of(Speaker(), load_therapist("eliza")), tmp_path)}
    assert len(set(seeds.values())) == len(seeds) == 8
    assert all(isinstance(key, EpisodeKey) for key in seeds)
