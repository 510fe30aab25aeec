"""One run of `maieutic validate agent`: what is played, what comes of it, its page, and turns for a human check."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from maieutic.library import SPLITS, case_ids, get_case
from maieutic.registry import load_therapist
from maieutic.runs import figures
from maieutic.runs.files import write_whole
from maieutic.runs.findings import Finding, Page, show
from maieutic.runs.work import Tick
from maieutic.validation.agent import evidence as judge
from maieutic.validation.agent.evidence import held_out, meet_all
from maieutic.validation.agent.instrument import LABELS, Read, rates, read_all
from maieutic.validation.agent.sessions import GATE, OTHER_ENCODER, Conduct, play_all
from maieutic.validation.arms import VARIANTS
from maieutic.validation.patients import spread
from maieutic.validation.sensitivity import other_worlds
from maieutic.validation.sessions import Store, Task
from maieutic.worlds import SimulatorConfig

IN_WORLDS = ("no_session", "oracle", "socratic", "padesky_script", "wide", "warm")
AT_GATE = ("socratic", "padesky_script", "wide", "warm")
"""Where nobody has a mind, there is nothing to leave alone and nothing for an oracle to see."""
VOICED, VOICED_CASES = ("no_session", "socratic", "padesky_script", "wide"), 3
EXPORTED = 200
CAUTION = (
    "Agent and simulated patients were written in one project; that belief changes through self-produced evidence is "
    "the patients' assumption (direct evidence for Socratic over didactic change is mixed, Harrison et al. 2019). What "
    "is shown is whether the agent conducts a session as this model of a mind rewards it. It treats nobody."
)


@dataclass(frozen=True, slots=True)
class Plan:
    """Batches in the standard world, in other worlds, with a voice, with a planted rupture; and how many openings are
    met."""

    main: tuple[Task, ...]
    others: tuple[Task, ...]
    ruptured: tuple[Task, ...]
    openings: int
    voiced: tuple[Task, ...] = ()

    @property
    def sessions(self) -> int:
        """Sessions to be played."""
        return sum(batch.sessions for batch in (*self.main, *self.others, *self.ruptured, *self.voiced))

    @property
    def steps(self) -> int:
        """Sessions and openings."""
        return self.sessions + self.openings


@dataclass(frozen=True, slots=True)
class AgentEvidence:
    """Everything that a run found."""

    sessions: int
    cases: int
    seeds: int
    effects: tuple[judge.ArmEffect, ...]
    findings: tuple[Finding, ...]
    turns: tuple[Read, ...]


def make_plan(split: str, *, quick: bool, seeds: int | None, voice: str | None = None) -> Plan:
    """What is to be played; with `voice`, a model, a few sessions more are with patients that it words."""
    names = list(case_ids(SPLITS[split]))
    regular = [name for name in names if get_case(name).special is None]
    numbers = tuple(range(seeds or (1 if quick else 5)))
    arms: tuple[str, ...] = ("no_session", "oracle", "socratic", *VARIANTS, *judge.RIVALS)
    if quick:
        names, arms = spread(names, 10), ("no_session", "oracle", "socratic", "socratic_no_tracker", "padesky_script")
    few = spread(regular, 4 if quick else 10)
    # Arms of the other worlds that the main run lacks are played on the same few cases, else there is no order to keep.
    extra = tuple(arm for arm in IN_WORLDS if arm not in arms) if not quick else ()
    return Plan(
        main=(*(Task(name, arms, numbers) for name in names), *(Task(n, extra, (0,)) for n in few if extra)),
        others=tuple(one for n in few for one in _elsewhere(n)) if not quick else (),
        voiced=tuple(
            Task(n, VOICED, (0,), SimulatorConfig(f"voiced by {voice}"), patient="voiced", voice=voice)
            for n in spread(regular, VOICED_CASES)
        )
        if voice is not None
        else (),
        ruptured=tuple(Task(n, ("socratic", "socratic_shuffled"), (0, 1), ruptured=True) for n in few),
        openings=40 if quick else len(held_out()),
    )


def _elsewhere(name: str) -> tuple[Task, ...]:
    """One case in every other world."""
    return (
        *(Task(name, IN_WORLDS, (0,), world) for world in other_worlds()),
        Task(name, IN_WORLDS, (0,), SimulatorConfig(OTHER_ENCODER), patient="other encoder"),
        Task(name, AT_GATE, (0,), SimulatorConfig(GATE), patient="gate"),
    )


def gather(plan: Plan, tick: Tick, store: Store[Conduct] | None = None) -> AgentEvidence:
    """Play and judge; sessions that `store` has are not played again. Raises `StorageError`, `ModelUnavailable`."""
    rows = play_all([_keeping(task) for task in plan.main], tick, store=store)
    others = play_all(plan.others, tick, store=store)
    # One process: a model that computes here fills the cores by itself and is loaded once.
    others += play_all(plan.voiced, tick, workers=1, store=store)
    ruptured = play_all(plan.ruptured, tick, store=store)
    met = meet_all(load_therapist("socratic"), held_out()[:: max(1, len(held_out()) // plan.openings)], tick)
    first = [row for row in rows if row.arm == "socratic" and row.seed < 2]
    read = read_all(first, lambda _: None)
    refused = sum(count for row in first for _, count in row.turns)
    found = [
        *judge.effects(rows),
        *judge.accurate(rows),
        *judge.timing(rows, ruptured),
        *rates(read, refused),
        *judge.risk(met),
        judge.needless_hand_overs(rows),
        *judge.worlds(others, rows),
    ]
    return AgentEvidence(
        len(rows) + len(others) + len(ruptured),
        len({r.case for r in rows}),
        len({r.seed for r in rows}),
        tuple(judge.table([*rows, *others])),
        tuple(found),
        tuple(read),
    )


def _keeping(task: Task) -> Task:
    """The task with the words of its sessions, which the instrument reads."""
    return replace(task, keep_words=True)


def page(evidence: AgentEvidence) -> Page:
    """The page of a run."""
    standard = [e for e in evidence.effects if e.world == "standard"]
    bars = [
        figures.Bar(e.arm, e.effect, show(e.effect, 1), e.arm == "oracle")
        for e in sorted(standard, key=lambda one: -(one.effect.estimate or 0.0))
    ]
    rows = [[e.world, e.arm, show(e.effect, 1), show(e.left)] for e in evidence.effects]
    return Page(
        title="is the session conducted?",
        question="Does the Socratic agent conduct a session?",
        played=f"{evidence.sessions} sessions with {evidence.cases} cases, {evidence.seeds} seeds an arm.",
        caution=CAUTION,
        findings=evidence.findings,
        charts=(
            (
                "Fall of held conviction beyond no session, regular cases, points; mean and 95 % interval. A "
                "hollow diamond sees the case.",
                figures.forest(bars, title="Effect by arm", axis="points less convinced"),
            ),
        ),
        tables=(
            ("Effects by world and arm", ("world", "arm", "fall beyond no session, points", "share who left"), rows),
        ),
    )


def write_turns(evidence: AgentEvidence, path: Path, rng: Random | None = None) -> None:
    """Turns drawn at random with what the instrument found, and empty columns for a human reader. Raises
    `StorageError`."""
    source = rng or Random(7)
    chosen = list(evidence.turns)
    source.shuffle(chosen)
    write_whole(path, sheet(chosen[:EXPORTED]).encode())


def sheet(turns: Sequence[Read]) -> str:
    """The turns as CSV, one a row."""
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(
        [
            "case",
            "seed",
            "turn",
            "text",
            *(f"instrument_{name}" for name in LABELS),
            *(f"human_{name}" for name in LABELS),
            "human_remark",
        ]
    )
    for one in turns:
        table.writerow(
            [one.case, one.seed, one.number, one.text, *(f"{c:.2f}" for c in one.chances), *[""] * (len(LABELS) + 1)]
        )
    return out.getvalue()
