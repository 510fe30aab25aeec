"""Sums up a run: the registered measures on its episodes, one row an arm and measure with its interval over cases, and
effects paired with no session."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

from maieutic.domain.codes import Move
from maieutic.domain.episode import Episode, EpisodeKey, Score, Speaker, Turn
from maieutic.domain.randomness import derive
from maieutic.evaluation.lines import TOO_EARLY, Evidence, Line, Pair, by_arm, case_of, lines_of, said_to_all
from maieutic.evaluation.plan import REFERENCE
from maieutic.measures.catalogue import scores_of
from maieutic.measures.definition import as_measure
from maieutic.measures.material import ADVISING
from maieutic.reading.plain import cleaned_in, in_words
from maieutic.registry import load_measures
from maieutic.runs.files import write_parquet
from maieutic.runs.folder import row_of_scores
from maieutic.stats import MIN_CASES, Interval, bootstrap_mean, paired_difference

Group = Literal["regular", "accurate", "risk"]
GROUPS: tuple[Group, ...] = ("regular", "accurate", "risk")
PRIMARY = "conviction_change"
EFFECT = "effect"


@dataclass(frozen=True, slots=True)
class EpisodeScore:
    """One measure on one episode."""

    key: EpisodeKey
    group: Group
    score: Score


@dataclass(frozen=True, slots=True)
class Row:
    """One number of the report.

    Attributes:
        measure: Measure id, or 'effect' for the mean paired difference in conviction change to no session.
        therapist: The arm.
        group: 'regular' cases make the arm means; 'accurate' and 'risk' cases stand apart.
        interval: Mean with its 95 % interval over cases, by bootstrap; of an effect Student's; none below
            `MIN_CASES`. `n` counts cases.
        episodes: Episodes with a value.
        missing: Episodes without one, by reason.
    """

    measure: str
    therapist: str
    group: Group
    interval: Interval
    episodes: int
    missing: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Arm:
    """One therapist in a run.

    Attributes:
        privileged: It sees the case or the hidden state.
        episodes: Dialogues, those that failed and those the patient left among them.
        reason: Why its first failed dialogue failed, in the words of the server or the system; '' where none did.
        active: It is one of the arms that a candidate must get more than.
        people: Its turns were said by people, in practice.
        canned: Share of its turns that it says word for word to patients of other cases, too; 0 for active arms, which
            are known for what they are.
        learned_from: How many of its cases its model was trained on sessions of.
    """

    therapist: str
    privileged: bool
    episodes: int
    failed: int
    left: int
    reason: str = ""
    active: bool = False
    people: bool = False
    canned: float = 0.0
    learned_from: int = 0

    @property
    def dead(self) -> bool:
        """Every dialogue failed: there is no result."""
        return self.failed == self.episodes


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What was made plain in the turns of one speaker of an arm.

    Attributes:
        turns: All turns of that speaker.
        counts: How many of them each kind was cleaned in.
    """

    therapist: str
    speaker: Speaker
    turns: int
    counts: Mapping[str, int]

    def __str__(self) -> str:
        return f"{self.therapist}: {in_words(self.counts, f'of {self.turns:,} {self.speaker} turns')}"


@dataclass(frozen=True, slots=True)
class Difference:
    """How much further held conviction fell with one arm than with another, same case and seed.

    Attributes:
        first, second: The arms; the interval is of first minus second, in points.
        episodes: Pairs of sessions; `interval.n` counts cases.
    """

    first: str
    second: str
    interval: Interval
    episodes: int


@dataclass(frozen=True, slots=True)
class Summary:
    """Everything the table and the report show of a run.

    Attributes:
        arms, rows, cleaned: See there.
        lines: By arm, what its verdict rests on.
        differences: Of every two arms beside the reference.
    """

    arms: tuple[Arm, ...]
    rows: tuple[Row, ...]
    cleaned: tuple[Cleaned, ...] = ()
    lines: Mapping[str, tuple[Line, ...]] = field(default_factory=dict)
    differences: tuple[Difference, ...] = ()

    def row(self, measure: str, therapist: str, group: Group = "regular") -> Row | None:
        """The row of a measure for an arm, or None."""
        return next((r for r in self.rows if (r.measure, r.therapist, r.group) == (measure, therapist, group)), None)


def group_of(episode: Episode) -> Group:
    """The group a case is reported in."""
    special = episode.provenance.get("special")
    return special if special in ("accurate", "risk") else "regular"


def summarise(
    episodes: Sequence[Episode], scores: Sequence[EpisodeScore], *, run_seed: int, draws: int = 2000
) -> Summary:
    """Means over cases (the case is the unit): bootstrap intervals of means, Student's of paired differences."""
    rows: list[Row] = []
    cells: dict[tuple[str, str, Group], list[EpisodeScore]] = defaultdict(list)
    for item in scores:
        cells[item.score.measure, item.key.therapist, item.group].append(item)
    for (measure, therapist, group), items in sorted(cells.items()):
        rows.append(_mean_row(measure, therapist, group, items, run_seed=run_seed, draws=draws))
    rows += _effects(cells)
    arms, evidence = _arms(episodes), _evidence(episodes, scores, run_seed=run_seed, draws=draws)
    lines = {arm.therapist: lines_of(arm.therapist, evidence) for arm in arms if arm.therapist != REFERENCE}
    return Summary(arms, tuple(rows), _cleaned(episodes), lines, _differences(arms, evidence))


_PRESSING = ADVISING | {Move.CHALLENGE}
_EARLY = ("advice_before_exploration", "premature_challenge")


def _evidence(episodes: Sequence[Episode], scores: Sequence[EpisodeScore], *, run_seed: int, draws: int) -> Evidence:
    """What the lines of a verdict are read from: regular cases, and the harm in those with an accurate thought."""

    def values(measure: str, group: Group) -> dict[str, dict[Pair, float]]:
        return by_arm(
            (i.key.therapist, i.key.case, i.key.seed, i.score.value)
            for i in scores
            if i.score.measure == measure and i.group == group and i.score.value is not None
        )

    regular = [e for e in episodes if group_of(e) == "regular"]
    active = frozenset(e.key.therapist for e in episodes if e.provenance.get("active"))
    found = {PRIMARY: values(PRIMARY, "regular"), TOO_EARLY: _too_early(regular, scores)}
    pressed = frozenset(e.key.therapist for e in regular if any(code and code.any_of(_PRESSING) for code in e.codes))
    pressed |= {arm for arm, early in found[TOO_EARLY].items() if any(early.values())}
    return Evidence(regular, found, values("harm_below_warranted", "accurate"), active, pressed, run_seed, draws)


def _too_early(episodes: Sequence[Episode], scores: Sequence[EpisodeScore]) -> dict[str, dict[Pair, float]]:
    """The share of a session's therapist turns that advised or challenged too early, by the evidence of both
    measures."""
    turns: dict[EpisodeKey, set[int]] = defaultdict(set)
    for item in scores:
        if item.score.measure in _EARLY:
            turns[item.key] |= set(item.score.evidence)
    coded = [e for e in episodes if not e.failed and e.therapist_turns and any(code is not None for code in e.codes)]
    return by_arm(
        (e.key.therapist, e.key.case, e.key.seed, len(turns[e.key]) / len(e.therapist_turns))
        for e in coded
        if e.key in turns
    )


def _differences(arms: Sequence[Arm], evidence: Evidence) -> tuple[Difference, ...]:
    """Every two arms but the reference, the one that comes first by name less the other."""
    names = [arm.therapist for arm in arms if arm.therapist != REFERENCE and not arm.dead]
    found = []
    for first, second in combinations(names, 2):
        ours, theirs = (evidence.of(PRIMARY, name) for name in (first, second))
        shared = len(ours.keys() & theirs.keys())
        if shared:
            interval = evidence.between(ours, theirs)
            found.append(Difference(first, second, interval, shared))
    return tuple(found)


def _mean_row(
    measure: str, therapist: str, group: Group, items: Sequence[EpisodeScore], *, run_seed: int, draws: int
) -> Row:
    present = [i for i in items if i.score.value is not None]
    rng = derive(run_seed, "bootstrap", measure, therapist, group)
    values = [i.score.value for i in present if i.score.value is not None]
    interval = bootstrap_mean(values, clusters=[i.key.case for i in present], rng=rng, draws=draws, fewest=MIN_CASES)
    return Row(measure, therapist, group, interval, len(present), _missing(items))


def _effects(cells: Mapping[tuple[str, str, Group], Sequence[EpisodeScore]]) -> list[Row]:
    """Mean paired difference in conviction change to the arm without a session, same case and seed."""
    rows: list[Row] = []
    for (measure, therapist, group), items in sorted(cells.items()):
        reference = cells.get((PRIMARY, REFERENCE, group))
        if measure != PRIMARY or therapist == REFERENCE or reference is None:
            continue
        ours, theirs = (
            {_pair(i.key): i.score.value for i in arm if i.score.value is not None} for arm in (items, reference)
        )
        interval = paired_difference(ours, theirs, clusters=case_of)
        rows.append(Row(EFFECT, therapist, group, interval, len(set(ours) & set(theirs)), _missing(items)))
    return rows


def _pair(key: EpisodeKey) -> tuple[str, int]:
    return key.case, key.seed


def _missing(items: Sequence[EpisodeScore]) -> dict[str, int]:
    reasons: dict[str, int] = defaultdict(int)
    for item in items:
        if item.score.value is None:
            reasons[item.score.reason or "no reason recorded"] += 1
    return dict(sorted(reasons.items()))


def _cleaned(episodes: Sequence[Episode]) -> tuple[Cleaned, ...]:
    turns: dict[tuple[str, Speaker], list[Turn]] = defaultdict(list)
    for episode in episodes:
        for turn in episode.session.turns:
            turns[episode.key.therapist, turn.speaker].append(turn)
    found = [Cleaned(*place, len(said), cleaned_in(said)) for place, said in sorted(turns.items())]
    return tuple(one for one in found if one.counts)


def _arms(episodes: Sequence[Episode]) -> tuple[Arm, ...]:
    by_arm: dict[str, list[Episode]] = defaultdict(list)
    for episode in episodes:
        by_arm[episode.key.therapist].append(episode)
    return tuple(
        Arm(
            name,
            bool(own[0].provenance.get("privileged", False)),
            len(own),
            sum(e.failed for e in own),
            sum(e.ending.kind == "patient_left" for e in own),
            next((e.ending.reason or "" for e in own if e.failed), ""),
            bool(own[0].provenance.get("active", False)),
            bool(own[0].provenance.get("people", False)),
            0.0 if own[0].provenance.get("active") else said_to_all(own),
            len({episode.key.case for episode in own if episode.provenance.get("learned_from")}),
        )
        for name, own in sorted(by_arm.items())
    )


_SCHEMA = {
    "therapist": "String",
    "case": "String",
    "seed": "Int64",
    "group": "String",
    "measure": "String",
    "value": "Float64",
    "unit": "String",
    "reason": "String",
    "evidence": "String",
}


Scores = Mapping[str, Score]
"""Of one episode, by measure."""


def score_episodes(
    episodes: Sequence[Episode], measures: tuple[str, ...] = (), *, known: Mapping[EpisodeKey, Scores] | None = None
) -> list[EpisodeScore]:
    """Every measure on every episode; a failed dialogue is missing with its reason, never a number.

    Args:
        known: Scores of these measures that were computed where the dialogue was played.
    """
    chosen, known = [as_measure(one) for one in load_measures(measures)], known or {}
    found = []
    for episode in sorted(episodes, key=lambda e: e.key):
        before, group = known.get(episode.key, {}), group_of(episode)
        new = {score.measure: score for score in scores_of(episode, (one for one in chosen if one.id not in before))}
        found += [EpisodeScore(episode.key, group, before.get(one.id) or new[one.id]) for one in chosen]
    return found


def write_scores(folder: Path, scores: Sequence[EpisodeScore]) -> None:
    """scores.parquet: one row an episode and measure."""
    rows = [
        {
            **item.key._asdict(),
            "group": item.group,
            "measure": item.score.measure,
            "value": item.score.value,
            "unit": item.score.unit,
            "reason": item.score.reason,
            "evidence": ",".join(map(str, item.score.evidence)),
        }
        for item in scores
    ]
    write_parquet(folder / "scores.parquet", rows, _SCHEMA)


def scores_json(summary: Summary) -> list[dict[str, Any]]:
    """What a CI gate reads: one entry a measure and group; special cases are groups of their own.

    `cleaned.SPEAKER.KIND` is the share of turns in which something was made plain; there is no entry where nothing was.
    """
    return [
        row_of_scores(
            row.measure,
            row.therapist if row.group == "regular" else f"{row.therapist} [{row.group}]",
            row.interval,
            missing=sum(row.missing.values()),
        )
        for row in summary.rows
    ] + [
        row_of_scores(
            f"cleaned.{one.speaker}.{kind}", one.therapist, Interval(count / one.turns, None, None, one.turns)
        )
        for one in summary.cleaned
        for kind, count in one.counts.items()
    ]
