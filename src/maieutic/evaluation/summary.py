"""Sums up a run: one row an arm and measure with its interval over cases, and effects paired with no session."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from maieutic.domain.episode import Episode, EpisodeKey, Score, Speaker, Turn
from maieutic.domain.randomness import derive
from maieutic.reading.plain import in_words
from maieutic.reading.turns import cleaned_in
from maieutic.stats import Interval, bootstrap_mean, paired_difference

Group = Literal["regular", "accurate", "risk"]
GROUPS: tuple[Group, ...] = ("regular", "accurate", "risk")
PRIMARY = "conviction_change"
REFERENCE = "no_session"
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
        interval: Mean with its 95 % bootstrap interval over cases; `n` counts cases.
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
    """

    therapist: str
    privileged: bool
    episodes: int
    failed: int
    left: int
    reason: str = ""

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
class Summary:
    """Everything the table and the report show of a run."""

    arms: tuple[Arm, ...]
    rows: tuple[Row, ...]
    cleaned: tuple[Cleaned, ...] = ()

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
    """Means over cases (the case is the unit; seeds within a case are averaged by the cluster bootstrap)."""
    rows: list[Row] = []
    cells: dict[tuple[str, str, Group], list[EpisodeScore]] = defaultdict(list)
    for item in scores:
        cells[item.score.measure, item.key.therapist, item.group].append(item)
    for (measure, therapist, group), items in sorted(cells.items()):
        rows.append(_mean_row(measure, therapist, group, items, run_seed=run_seed, draws=draws))
    rows += _effects(cells, run_seed=run_seed, draws=draws)
    return Summary(_arms(episodes), tuple(rows), _cleaned(episodes))


def _mean_row(
    measure: str, therapist: str, group: Group, items: Sequence[EpisodeScore], *, run_seed: int, draws: int
) -> Row:
    present = [i for i in items if i.score.value is not None]
    rng = derive(run_seed, "bootstrap", measure, therapist, group)
    values = [i.score.value for i in present if i.score.value is not None]
    interval = bootstrap_mean(values, clusters=[i.key.case for i in present], rng=rng, draws=draws)
    return Row(measure, therapist, group, interval, len(present), _missing(items))


def _effects(cells: Mapping[tuple[str, str, Group], Sequence[EpisodeScore]], *, run_seed: int, draws: int) -> list[Row]:
    """Mean paired difference in conviction change to the arm without a session, same case and seed."""
    rows: list[Row] = []
    for (measure, therapist, group), items in sorted(cells.items()):
        reference = cells.get((PRIMARY, REFERENCE, group))
        if measure != PRIMARY or therapist == REFERENCE or reference is None:
            continue
        ours: dict[Hashable, float] = {_pair(i.key): i.score.value for i in items if i.score.value is not None}
        theirs: dict[Hashable, float] = {_pair(i.key): i.score.value for i in reference if i.score.value is not None}
        cases: dict[Hashable, Hashable] = {_pair(i.key): i.key.case for i in (*items, *reference)}
        rng = derive(run_seed, "bootstrap", EFFECT, therapist, group)
        interval = paired_difference(ours, theirs, clusters=cases, rng=rng, draws=draws)
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
        )
        for name, own in sorted(by_arm.items())
    )
