"""`maieutic validate patients`: plays the sessions that the evidence needs, judges them, and writes one
self-contained page and the findings as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np

from maieutic.domain.case import STYLES
from maieutic.errors import UnknownName
from maieutic.library import SPLITS, case_ids, get_case
from maieutic.reading.head import Floats
from maieutic.reading.minilm import shared_minilm
from maieutic.registry import load_model
from maieutic.runs import figures
from maieutic.runs.findings import Finding, Page, Section, mark, show
from maieutic.runs.shown import Table
from maieutic.runs.work import Tick
from maieutic.stats import Interval
from maieutic.validation import arms, behaviour, reading, reality, sensitivity, voices
from maieutic.validation.arms import ARMS, ArmLine
from maieutic.validation.sessions import Row, Store, Task, play
from maieutic.workers import mapped
from maieutic.worlds import STANDARD_NAME, SimulatorConfig

Size = Literal["quick", "default", "full"]


@dataclass(frozen=True, slots=True)
class SamplePlan:
    """How much is played.

    Attributes:
        split: Cases of the arms table.
        seeds: Seeds of the arms table.
        shifted_cases, shifted_seeds: Cases and seeds of the one-at-a-time shifts; None for all cases.
        parameters: Parameters to shift; None for all.
        other_cases, other_seeds: Cases and seeds of the structural alternatives.
        style_cases: Cases played in all six styles.
        repeated: Cases played twice.
        voiced: Sessions with a model for a mouth, where one is given.
    """

    split: Literal["dev", "test", "all"]
    seeds: int
    shifted_cases: int
    shifted_seeds: int
    parameters: tuple[str, ...] | None
    other_cases: int
    other_seeds: int
    style_cases: int
    repeated: int
    voiced: int


EXTENTS: dict[Size, SamplePlan] = {
    "quick": SamplePlan("dev", 2, 8, 1, sensitivity.MAX_TELLING, 10, 1, 12, 3, 6),
    "default": SamplePlan("dev", 4, 24, 1, None, 24, 2, 30, 8, 12),
    "full": SamplePlan("all", 10, 24, 3, None, 40, 4, 60, 20, 40),
}


TEXTS_A_PART: Final = 400
"""Texts that a process encodes before it takes something else."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything that a run of the checks found.

    Attributes:
        size: 'quick', 'default' or 'full'.
        cases: Cases of the arms table.
        sessions: Sessions played.
        lines, accurate, risk: The arms table on regular, accurate-thought and risk cases.
        findings: All figures, with their bounds.
        survives: (conclusion, world, whether it survives, figure).
        shifts: Effects in every shifted world.
        curves: Mean held conviction by turn, for each arm, on regular cases.
    """

    size: Size
    cases: int
    sessions: int
    lines: tuple[arms.ArmLine, ...]
    accurate: tuple[arms.ArmLine, ...]
    risk: tuple[arms.ArmLine, ...]
    findings: tuple[Finding, ...]
    survives: tuple[tuple[str, str, bool | None, Interval], ...]
    shifts: tuple[sensitivity.Shift, ...]
    curves: dict[str, tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Plan:
    """The tasks of one run, by what they are for."""

    arms: tuple[Task, ...]
    again: tuple[Task, ...]
    shifted: tuple[Task, ...]
    others: tuple[Task, ...]
    styles: tuple[Task, ...]

    @property
    def tasks(self) -> tuple[Task, ...]:
        return (*self.arms, *self.again, *self.shifted, *self.others, *self.styles)

    @property
    def sessions(self) -> int:
        return sum(task.sessions for task in self.tasks)


def make_plan(size: Size, split: str | None = None) -> Plan:
    """What is to be played. Raises `UnknownName` for a split that does not exist."""
    extent = EXTENTS[size]
    chosen = split or extent.split
    if chosen not in SPLITS:
        raise UnknownName("split", chosen, SPLITS)
    names = _deep(case_ids(SPLITS[chosen]))
    regular = [name for name in names if get_case(name).special is None]
    every, few = tuple(arms.ARMS), (*sensitivity.ARMS, sensitivity.BASE)
    shifted = [SimulatorConfig(), *sensitivity.shifted_worlds(extent.parameters)]
    return Plan(
        arms=tuple(Task(name, every, tuple(range(extent.seeds)), keep_words=True) for name in names),
        again=tuple(Task(name, every, (0,)) for name in spread(names, extent.repeated)),
        shifted=tuple(
            Task(name, few, tuple(range(extent.shifted_seeds)), world)
            for name in spread(regular, extent.shifted_cases)
            for world in shifted
        ),
        others=tuple(
            Task(name, every, tuple(range(extent.other_seeds)), world)
            for name in spread(regular, extent.other_cases)
            for world in sensitivity.other_worlds()
        ),
        styles=tuple(
            Task(name, ("worksheet", "warm"), (0,), style=style, keep_words=True)
            for name in spread(regular, extent.style_cases)
            for style in STYLES
        ),
    )


def _deep(names: Sequence[str]) -> tuple[str, ...]:
    """The cases with a memory, which hear free speech; all of them where none has one yet."""
    return tuple(name for name in names if get_case(name).memory is not None) or tuple(names)


def check_inputs(data: Path | None, *models: str | None) -> None:
    """Fail before anything is played: the data can be read, the models exist. Raises `InputError` and its kin."""
    if data is not None:
        reality.read_annomi(data)
    for spec in filter(None, models):
        check = getattr(load_model(spec), "check", None)
        if check is not None:
            check()


def asked_of_models(size: Size, plan: Plan, *, voice: str | None, comprehension: str | None) -> int:
    """Sessions voiced by a model, and held-out turns read by one, that come after the sessions of the plan."""
    voiced = len(spread([task.case for task in plan.arms], EXTENTS[size].voiced)) if voice else 0
    return voiced + (len(reading.labelled()) if comprehension else 0)


def spread(names: Sequence[str], count: int) -> list[str]:
    """`count` names evenly from the list; all of them when there are fewer."""
    if len(names) <= count:
        return list(names)
    return [names[int(i * len(names) / count)] for i in range(count)]


def gather(
    size: Size,
    *,
    tick: Tick,
    split: str | None = None,
    data: Path | None = None,
    voice: str | None = None,
    comprehension: str | None = None,
    plan: Plan | None = None,
    store: Store[Row] | None = None,
) -> Evidence:
    """Play, judge, and put together. Raises `UnreadableFile` when `data` lacks what the reality check reads."""
    todo = plan or make_plan(size, split)
    rows = play(todo.tasks, tick=tick, store=store)
    parts, at = [], 0
    for tasks in (todo.arms, todo.again, todo.shifted, todo.others, todo.styles):
        end = at + sum(t.sessions for t in tasks)
        parts.append(rows[at:end])
        at = end
    main, again, shifted, others, styled = parts
    vectors, heard, real = _read_afterwards(main, data)
    names = [task.case for task in todo.arms]
    voiced = (
        voices.check(voice, spread(names, EXTENTS[size].voiced), turns=20, tick=tick, styled=styled)
        if voice
        else [Finding("voices", "sessions voiced by a model", None, "share", note="not played; give --voice MODEL")]
    )
    findings = [
        *arms.judged(main),
        *behaviour.flips(main),
        *behaviour.doses(main),
        *sensitivity.judged(shifted),
        *behaviour.repeatability(main, again),
        *behaviour.leaks(rows),
        *reading.judged(heard),
        *(reading.judged_by(comprehension, reading.held_out_by(comprehension, tick=tick)) if comprehension else ()),
        *behaviour.styles(styled),
        *behaviour.recoverability(main, vectors),
        *voiced,
        *real,
    ]
    alternative_base = [r for r in main if r.case in {o.case for o in others}]
    return Evidence(
        size=size,
        cases=len(names),
        sessions=len(rows),
        lines=tuple(arms.table(main)),
        accurate=tuple(arms.table(main, group="accurate")),
        risk=tuple(arms.table(main, group="risk")),
        findings=tuple(findings),
        survives=tuple(sensitivity.surviving([*alternative_base, *others])),
        shifts=tuple(sensitivity.shifts(shifted)),
        curves=_curves(main),
    )


def _read_afterwards(
    rows: Sequence[Row], data: Path | None
) -> tuple[dict[str, Floats], list[reading.Labelled], list[Finding]]:
    """The vectors of the last turns, the held-out turns as heard, and the reality check, on all cores."""
    texts = list(dict.fromkeys(text for row in rows for text in row.said[-4:]))
    real = [] if data is None else [partial(reality.check, data)]
    encoded = [partial(_vectors, texts[at : at + TEXTS_A_PART]) for at in range(0, len(texts), TEXTS_A_PART)]
    heard = [partial(reading.heard, turns) for turns in reading.held_out()]
    found: dict[int, Any] = {}
    mapped(_called, [*real, *encoded, *heard], found.__setitem__)
    each = iter([found[place] for place in sorted(found)])
    findings = next(each) if real else [_no_data()]
    vectors = {text: vector for _ in encoded for text, vector in next(each).items()}
    return vectors, [turn for turns in each for turn in turns], findings


def _called(part: Any) -> Any:
    return part()


def _vectors(texts: Sequence[str]) -> dict[str, Floats]:
    return dict(zip(texts, shared_minilm()(texts).astype(np.float64), strict=True))


def _no_data() -> Finding:
    return Finding(
        "reality check",
        "gain of the simulated state on coded sessions",
        None,
        "nats",
        note="not run; give --data with a folder that has annomi/AnnoMI-full.csv",
    )


def _curves(rows: Sequence[Row]) -> dict[str, tuple[float, ...]]:
    """Mean held conviction by turn; after a patient has left, conviction stays where it was."""
    curves: dict[str, tuple[float, ...]] = {}
    for arm in arms.ARMS:
        own = [r.held for r in rows if r.arm == arm and r.group == "regular" and r.world == STANDARD_NAME]
        longest = max(map(len, own), default=0)
        curves[arm] = tuple(sum(h[min(turn, len(h) - 1)] for h in own) / len(own) for turn in range(longest))
    return curves


CHECKS = {
    "arms": ("Arms", "Does a patient move for the reason it should, and only for that?"),
    "positive control": (
        "Positive control",
        "Warmth must have real effects of its own; if nothing but one trick moved a patient, the "
        "simulator would be worthless.",
    ),
    "flip": ("Flip test", "Published simulators give way after a few kind turns. Does this one?"),
    "dose": ("Dose and response", "More good questions must do more."),
    "sensitivity": ("Sensitivity", "Do the conclusions hang on a number that nobody has measured?"),
    "repeatability": ("Repeatability", "Is a session the same when it is played again, and how much is luck?"),
    "leaks": ("Leaks", "Does a patient quote its own case file, or tell what nobody reached?"),
    "comprehension": (
        "Comprehension",
        "Does a patient understand what was asked, on cases and wordings that took no part in the calibration?",
    ),
    "styles": ("Styles", "Can the conversational style be told from the words?"),
    "recoverability": (
        "Recoverability",
        "How much of the hidden state shows in the words? Nothing would make tracking impossible, "
        "everything would make it trivial.",
    ),
    "voices": ("Voices", "A language model for a mouth must not change the truth."),
    "reality check": (
        "Reality check",
        "Does the simulated state say anything about coded demonstration sessions? It bears on openness "
        "and resistance only.",
    ),
}
"""Checks in the order of the page: heading and the question behind it."""


CAUTION = (
    "That belief changes through evidence which patients produce themselves is this model's assumption. Direct "
    "evidence for Socratic over didactic change is mixed (Harrison et al. 2019). The sizes that the bounds ask for are "
    "assumptions too. Nothing here shows that Socratic questioning works; it shows whether a therapist does what the "
    "model defines, and what of that survives in other worlds. Conviction dynamics are not validated on humans. A "
    "research and training tool; it treats nobody."
)
WORLDS = (
    "Which conclusions survive when the model is built otherwise, one change at a time? The figure is the one that the "
    "conclusion rests on. Where any contact lowers conviction, comparisons with no session are shifted by design, and "
    "comparisons between arms are the ones to read."
)
_ARM: tuple[str, ...] = (
    "arm",
    "expected",
    "fall beyond no session, points",
    "|held − warranted| at the end",
    "relief, points",
)
_ARM += ("openness gained", "slots and facts told", "facts found on being asked", "share who left")
_SURVIVES = {True: "survives", False: "falls", None: mark(None)}


def page(evidence: Evidence) -> Page:
    """The page of a run, and its data."""
    worlds = list(dict.fromkeys(w for _, w, _, _ in evidence.survives))
    cells = {(c, w): f"{_SURVIVES[s]} {show(v)}" for c, w, s, v in evidence.survives}
    conclusions = dict.fromkeys(c for c, _, _, _ in evidence.survives)
    survival = [[c, *(cells.get((c, w), "–") for w in worlds)] for c in conclusions]
    shifts = [
        [one.world, *map(show, one.effects.values()), " ".join(f"{a}/{b}" for a, b in one.turned)]
        for one in evidence.shifts
    ]
    shifted = ("shift", *(evidence.shifts[0].effects if evidence.shifts else ()), "order turned")
    arm_tables = (
        ("Regular cases", evidence.lines),
        ("Accurate thoughts: going below the warranted conviction is harm", evidence.accurate),
        ("Cases with risk", evidence.risk),
    )
    return Page(
        title="can the simulated patients be believed?",
        question="Can the simulated patients be believed?",
        played=f"{evidence.sessions} sessions with {evidence.cases} cases ({evidence.size} run).",
        caution=CAUTION,
        findings=evidence.findings,
        quick=evidence.size == "quick",
        charts=(
            (
                "Fall of held conviction beyond no session, mean and 95 % interval; a hollow diamond sees the case.",
                _forest(evidence.lines),
            ),
            ("Mean held conviction, regular cases, by therapist turn.", _curve_chart(evidence)),
        ),
        sections=(
            *(Section(title, tables=(Table("", _ARM, _cells(lines)),)) for title, lines in arm_tables if lines),
            *(
                Section(heading, question, tuple(f for f in evidence.findings if f.check == name))
                for name, (heading, question) in CHECKS.items()
            ),
            Section(
                "Other worlds",
                WORLDS,
                tables=(
                    Table("", ("conclusion", *worlds), survival),
                    Table("Every shift of one parameter by half", shifted, shifts),
                ),
            ),
        ),
        digits=lambda one: 3 if one.unit in ("share", "r", "nats", "nats a client turn") else 1,
        data={
            "format": 1,
            "kind": "validate patients",
            "size": evidence.size,
            "cases": evidence.cases,
            "sessions": evidence.sessions,
            "survives": [
                {"conclusion": c, "world": w, "survives": s, "low": v.low, "estimate": v.estimate, "high": v.high}
                for c, w, s, v in evidence.survives
            ],
        },
    )


def _cells(lines: Sequence[ArmLine]) -> list[list[str]]:
    return [
        [
            line.arm,
            line.kind,
            show(line.effect, 1),
            show(line.off_warranted, 1),
            show(line.relief, 1),
            show(line.opened),
            show(line.disclosed, 1),
            show(line.facts, 1),
            show(line.left),
        ]
        for line in lines
    ]


def _forest(lines: Sequence[ArmLine]) -> str:
    if not lines:
        return ""
    bars = [
        figures.Bar(line.arm, line.effect, show(line.effect, 1), line.arm in ("oracle", "didactic"))
        for line in sorted(lines, key=lambda one: -(one.effect.estimate or 0.0))
        if line.arm != "no_session"
    ]
    return figures.forest(bars, title="Fall of held conviction beyond no session, by arm", axis="points less convinced")


def _curve_chart(evidence: Evidence) -> str:
    """Mean held conviction by turn, one line an arm; kinds of arms share a colour, the arm is named at its end."""
    colours = {"oracle": figures.BLUE, "agent": figures.TEAL, "partial": figures.PURPLE, "pushing": figures.ORANGE}
    chosen = ("oracle", "socratic", "worksheet", "wide", "leaflet", "advice", "no_session")
    rows = [
        {"turn": t, "value": round(v, 2), "arm": arm, "kind": ARMS[arm], "last": t == len(values) - 1}
        for arm, values in evidence.curves.items()
        if arm in chosen
        for t, v in enumerate(values)
    ]
    kinds = sorted({str(r["kind"]) for r in rows})
    scale = {"domain": kinds, "range": [colours.get(k, figures.GREY) for k in kinds]}
    colour = figures.named("kind", scale=scale, legend=None)
    x = figures.scaled("turn", "therapist turn", axis={"tickCount": 5})
    y = figures.scaled("value", "held conviction", scale={"zero": False})
    ends, label = [r for r in rows if r["last"]], {"type": "text", "align": "left", "dx": 4, "fontSize": 10}
    line = {"type": "line", "strokeWidth": 2}
    layers = [
        figures.layer(rows, line, x=x, y=y, color=colour, detail=figures.named("arm")),
        figures.layer(ends, label, x=x, y=y, color=colour, text=figures.named("arm")),
    ]
    spec = figures.layered(layers, width=300, height=230)
    return figures.drawn(spec, "Mean held conviction by turn", "one line an arm; regular cases")
