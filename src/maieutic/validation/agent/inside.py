"""The same language model plain and inside the agent, paired by case and seed: what does the agent add to the model, or
take from it?

Sessions come from `maieutic evaluate` (arms `prompted:MODEL` and `socratic:MODEL`), so that they resume inside a
conversation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np

from maieutic.domain.episode import Episode
from maieutic.evaluation.evaluate import Request
from maieutic.evaluation.lines import case_of
from maieutic.evaluation.summary import score_episodes
from maieutic.library import SPLITS, case_ids, get_case
from maieutic.runs.findings import Finding, Page, show
from maieutic.runs.work import Tick
from maieutic.stats import Interval, bootstrap_mean, paired_difference
from maieutic.validation import forecasts
from maieutic.validation.answers import Answers
from maieutic.validation.patients import spread
from maieutic.validation.tracking.direct import Place, Told, asked_at, places_in
from maieutic.validation.tracking.direct_evidence import surprise
from maieutic.validation.tracking.forecasted import forecast

PLAIN, INSIDE = "prompted", "socratic"
GAP = "inside − plain"
SIDES = ("plain", "inside the agent", GAP)
MEASURES = (
    ("conviction_change", "fall of held conviction"),
    ("advice_before_exploration", "advice while thought or feeling was still untold"),
    ("unsupported_feeling", "feelings asserted that are neither true nor told"),
)
"""What is compared, in measures that `maieutic evaluate` has."""
KNOWING = (
    "For the belief, asked at the end of each session, plain is the model asked directly and inside is the agent's "
    "tracker; surprise is −ln of the probability given to the true one of 19."
)
CAUTION = (
    "Few sessions with simulated patients; agent and patients were written in one project, and what moves conviction "
    "is the patients' assumption. The agent's tracker was fitted on such patients and the model was not. No bound is "
    "asked here."
)

Unit = tuple[str, int]
Values = dict[Unit, float]


@dataclass(frozen=True, slots=True)
class Line:
    """One comparison; the case is the unit of the intervals.

    Attributes:
        title, unit: What is compared.
        plain, inside: Means over the sessions that have a value on this side.
        gap: Mean of inside − plain over the pairs of case and seed that have one on both.
        counts: Sessions of plain and inside, and pairs.
        missing: Why units are missing, with counts, by side.
    """

    title: str
    unit: str
    plain: Interval
    inside: Interval
    gap: Interval
    counts: tuple[int, int, int]
    missing: Mapping[str, Mapping[str, int]]

    @property
    def why(self) -> str:
        """The missing ones in words; '' when there are none."""
        return "; ".join(
            f"{side}: {count} × {reason}" for side, reasons in self.missing.items() for reason, count in reasons.items()
        )


@dataclass(frozen=True, slots=True)
class InsideEvidence:
    """What a run found. `worded`: by who worded the turns inside the agent (model, bank, fixed), how many."""

    spec: str
    sessions: int
    failed: int
    lines: tuple[Line, ...]
    worded: Mapping[str, int]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The lines as findings without bounds."""
        found = [
            Finding(
                line.title,
                f"{side} ({count} {'pairs' if side == GAP else 'sessions'})",
                value,
                line.unit,
                note=line.why,
            )
            for line in self.lines
            for side, count, value in zip(SIDES, line.counts, (line.plain, line.inside, line.gap), strict=True)
        ]
        total = sum(self.worded.values())
        for by, count in sorted(self.worded.items()):
            share = Interval(count / total, None, None, total)
            found.append(Finding("who worded the turns inside the agent", f"{by} ({count} of {total})", share, "share"))
        return tuple(found)


def request_for(spec: str, *, split: str, sessions: int, seeds: int, turns: int) -> Request:
    """Both arms on `sessions` regular cases, spread over the split, with so many seeds each."""
    regular = [name for name in case_ids(SPLITS[split]) if get_case(name).special is None]
    cases = tuple(spread(regular, sessions))
    return Request((f"{PLAIN}={PLAIN}:{spec}", f"{INSIDE}={INSIDE}:{spec}"), cases, seeds, turns)


async def compared(spec: str, episodes: Sequence[Episode], answers: Answers, tick: Tick) -> InsideEvidence:
    """The comparison of played sessions; the model is asked once about the end of each. Raises `StorageError`."""
    whole = [episode for episode in episodes if not episode.failed]
    places = ends_of(whole)
    said = await asked_at(answers, places, tick)
    return judged_inside(spec, episodes, places, said)


def ends_of(episodes: Sequence[Episode]) -> list[Place]:
    """The place after the last patient turn of each session."""
    return [
        place
        for episode in episodes
        for place in places_in(forecast(episode, ceiling=False), episode.session, (len(episode.session),))
    ]


def judged_inside(
    spec: str, episodes: Sequence[Episode], places: Sequence[Place], said: Sequence[Told]
) -> InsideEvidence:
    """All lines; a failed dialogue and an unusable answer are missing with their reasons, never a number."""
    lines = [_measured(episodes, measure, title) for measure, title in MEASURES]
    lines += _tracked(episodes, places, said)
    worded = Counter(
        str((turn.trace or {}).get("worded by", "not noted"))
        for episode in episodes
        if episode.key.therapist == INSIDE
        for turn in episode.therapist_turns
    )
    return InsideEvidence(spec, len(episodes), sum(e.failed for e in episodes), tuple(lines), worded)


def _measured(episodes: Sequence[Episode], measure: str, title: str) -> Line:
    values: dict[str, Values] = {PLAIN: {}, INSIDE: {}}
    missing: dict[str, Counter[str]] = {PLAIN: Counter(), INSIDE: Counter()}
    unit = ""
    for item in score_episodes(episodes, (measure,)):
        side, unit = item.key.therapist, item.score.unit
        if item.score.value is None:
            missing[side][item.score.reason or "no reason given"] += 1
        else:
            values[side][item.key.case, item.key.seed] = item.score.value
    return _line(title, unit, values, missing)


def _tracked(episodes: Sequence[Episode], places: Sequence[Place], said: Sequence[Told]) -> list[Line]:
    """The belief at the end: the model asked directly against the tracker, each in its own sessions and both in the
    same."""
    lines = []
    failed = {
        side: Counter(
            f"the dialogue failed: {e.ending.reason}" for e in episodes if e.failed and e.key.therapist == side
        )
        for side in (PLAIN, INSIDE)
    }
    for where, of_model, of_tracker in (
        ("own sessions", PLAIN, INSIDE),
        ("both on the plain sessions", PLAIN, PLAIN),
        ("both on the agent's sessions", INSIDE, INSIDE),
    ):
        for score, unit, of in (
            ("surprise at the true belief", "nats", surprise),
            ("true belief held likeliest", "share", _hit),
        ):
            values: dict[str, Values] = {PLAIN: {}, INSIDE: {}}
            missing = {PLAIN: Counter(failed[of_model]), INSIDE: Counter(failed[of_tracker])}
            for place, told in zip(places, said, strict=True):
                side = place.forecasts.arm
                key = place.forecasts.case, place.forecasts.seed
                truth = place.truth("belief")
                if side == of_model and "belief" in told.chances:
                    values[PLAIN][key] = of(told.chances["belief"], truth)
                elif side == of_model:
                    missing[PLAIN][f"the model {told.missing['belief']}"] += 1
                own = place.chances("tracker", "belief")
                if side == of_tracker and own is not None:
                    values[INSIDE][key] = of(own, truth)
            lines.append(_line(f"{score}, {where}", unit, values, missing))
    return lines


def _hit(chances: forecasts.Floats, truth: int) -> float:
    return forecasts.top1(chances[None, :], np.array([truth]))


def _line(title: str, unit: str, values: Mapping[str, Values], missing: Mapping[str, Counter[str]]) -> Line:
    a, b = values[INSIDE], values[PLAIN]
    gap = paired_difference(a, b, clusters=case_of)
    reasons = {side: dict(why) for side, why in missing.items() if why}
    return Line(title, unit, _mean(b), _mean(a), gap, (len(b), len(a), len(a.keys() & b.keys())), reasons)


def _mean(values: Values) -> Interval:
    return bootstrap_mean(list(values.values()), clusters=[case_of(key) for key in values], rng=Random(7))


def page(evidence: InsideEvidence) -> Page:
    """The page of a run."""
    rows = [
        [
            line.title,
            line.unit,
            show(line.plain),
            show(line.inside),
            show(line.gap),
            "/".join(map(str, line.counts)),
            line.why,
        ]
        for line in evidence.lines
    ]
    failed = f"; {evidence.failed} failed" if evidence.failed else ""
    return Page(
        title="plain and inside the agent",
        question=f"What does the agent make of {evidence.spec}?",
        played=f"{evidence.sessions} sessions, half of them plain and half inside the agent{failed}. {KNOWING}",
        caution=CAUTION,
        findings=evidence.findings,
        tables=(
            (
                "The same model, plain and inside the agent: means and 95 % intervals by case",
                ("what", "unit", *SIDES, "sessions/sessions/pairs", "missing"),
                rows,
            ),
        ),
    )
